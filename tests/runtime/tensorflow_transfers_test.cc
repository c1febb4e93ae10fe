// The partition's transfers against the sends that TensorFlow's partitions of eight programs have.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/tensorflow_placer.h"
#include "runtime/partition.h"
#include "tests/shared_data.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct Program {
  Graph graph;
  Machine machine;
  Placement placement;
  PartitionOptions options;
};

absl::StatusOr<Program> Load(const std::string& folder) {
  absl::StatusOr<Graph> graph = SharedGraph(folder + "graph.pb");
  if (!graph.ok()) return graph.status();
  const std::vector<std::string> lines = SharedLines(folder + "machine.txt");
  absl::StatusOr<Machine> machine = ParseMachine(lines[0]);
  if (!machine.ok()) return machine.status();
  TensorFlowPlacerOptions placing;
  placing.soft = true;
  if (lines.size() > 1) {  // "session /job:worker/task:0"
    const absl::Status session = machine->SetSessionTask(*ParseTensorFlowName(lines[1].substr(8)));
    if (!session.ok()) return session;
    placing.order_by_name = true;
  }
  absl::StatusOr<Placement> placement = PlaceAsTensorFlow(*graph, *machine, OpSupport(), placing);
  if (!placement.ok()) return placement.status();
  Program program{*std::move(graph), *std::move(machine), *std::move(placement), {}};
  program.options.fetches = SharedLines(folder + "fetches.txt");
  program.options.tensorflow_rule = true;
  return program;
}

// "node from to dtype", as the data has it: without the output's index.
std::set<std::string> Rows(const Program& program, const std::vector<Transfer>& transfers) {
  std::set<std::string> rows;
  for (const Transfer& t : transfers) {
    rows.insert(absl::StrCat(t.value.substr(0, t.value.find(':')), " ", program.machine.device(t.from).name.ToString(),
                             " ", program.machine.device(t.to).name.ToString(), " ", DTypeName(t.dtype)));
  }
  return rows;
}

std::vector<std::string> Minus(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::vector<std::string> left;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(left));
  return left;
}

TEST_CASE("programs send what TensorFlow sends") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const char* name : {"cond-while", "inception-like", "lstm", "parameter-servers", "rcnn", "resnet50-towers",
                           "resources", "towers"}) {
    const std::string folder = absl::StrCat("data/placed/", name, "/");
    absl::StatusOr<Program> program = Load(folder);
    INFO(name << " " << program.status());
    REQUIRE(program.ok());
    const std::vector<std::vector<std::string>> table = SharedTable(folder + "transfers.tsv");
    for (const bool replicate : {false, true}) {
      // parameter-servers is 1.15's alone, which replicates nothing.
      if (replicate && table[0].size() < 5) continue;
      INFO("replication " << replicate);
      std::set<std::string> want;
      for (const std::vector<std::string>& row : table) {
        if (!replicate || row[4] == "1") want.insert(absl::StrCat(row[0], " ", row[1], " ", row[2], " ", row[3]));
      }
      program->options.replicate_constants = replicate;
      const absl::StatusOr<std::vector<Transfer>> transfers =
          TensorFlowTransfers(program->graph, program->placement, program->machine, program->options);
      INFO(transfers.status());
      REQUIRE(transfers.ok());
      const std::set<std::string> got = Rows(*program, *transfers);
      CHECK(Minus(want, got) == std::vector<std::string>());
      CHECK(Minus(got, want) == std::vector<std::string>());
    }
  }
}

// The parts themselves are built and verified, by either rule, and have the transfers that are listed.
TEST_CASE("programs are cut into parts that the verifier accepts") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const char* name :
       {"cond-while", "inception-like", "lstm", "parameter-servers", "rcnn", "resources", "towers"}) {
    absl::StatusOr<Program> program = Load(absl::StrCat("data/placed/", name, "/"));
    INFO(name << " " << program.status());
    REQUIRE(program.ok());
    for (const bool tensorflow_rule : {false, true}) {
      INFO("tensorflow_rule " << tensorflow_rule);
      program->options.tensorflow_rule = tensorflow_rule;
      const absl::StatusOr<Partition> partition =
          PartitionGraph(program->graph, program->placement, program->machine, program->options);
      INFO(partition.status());
      REQUIRE(partition.ok());
      size_t sends = 0, recvs = 0;
      for (const Partition::Part& part : partition->parts) {
        for (NodeId n = 0; n < part.graph.num_nodes(); ++n) {
          sends += part.graph.node(n).op() == "_Send";
          recvs += part.graph.node(n).op() == "_Recv";
        }
      }
      CHECK(sends == partition->transfers.size());
      CHECK(recvs == partition->transfers.size());
    }
  }
}

}  // namespace
}  // namespace berth
