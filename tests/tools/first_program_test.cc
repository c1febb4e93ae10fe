// The first program through every layer: what it builds, where it goes, what it computes.
#include "tools/examples/first_program.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/text.h"
#include "kernels/kernels.h"
#include "kernels/op_support.h"
#include "runtime/npy.h"
#include "runtime/partition.h"
#include "runtime/session.h"
#include "tests/shared_data.h"
#include "tests/testing.h"

namespace berth {
namespace {

Graph Build() {
  absl::StatusOr<Graph> graph = BuildFirstProgram();
  INFO(graph.status().ToString());
  REQUIRE(graph.ok());
  return *std::move(graph);
}

SessionOptions OptionsOn(const std::string& machine, PlacementMode mode) {
  SessionOptions options;
  options.machine = *ParseMachine(machine);
  options.policy = FirstProgramPolicy();
  options.mode = mode;
  options.kernels = CpuKernels();
  options.support = SupportFrom(*options.kernels);
  return options;
}

std::unique_ptr<Session> SessionOn(const std::string& machine, PlacementMode mode) {
  absl::StatusOr<std::unique_ptr<Session>> session =
      Session::Create(std::make_shared<const Graph>(Build()), OptionsOn(machine, mode));
  INFO(session.status().ToString());
  REQUIRE(session.ok());
  return *std::move(session);
}

// Name -> "Op(inputs)", controls and attributes included; what the other side leaves to defaults is left out.
std::map<std::string, std::string> NodesOf(const Graph& graph) {
  std::map<std::string, std::string> nodes;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    std::string text = absl::StrCat(node.op(), "(");
    for (const Input& input : node.inputs()) {
      absl::StrAppend(&text, input.is_control() ? "^" : "", graph.node(input.node).name(), ":", input.slot, " ");
    }
    absl::StrAppend(&text, ")");
    for (const NamedAttr& attr : node.attrs()) {
      const AttrDef* def = node.op_def() == nullptr ? nullptr : node.op_def()->FindAttr(std::string(attr.name));
      if (def != nullptr && def->default_value && *def->default_value == *attr.value) continue;
      if (attr.name == "seed2") continue;  // TensorFlow counts nodes, Berth hashes names
      const Literal* literal = attr.value->get<Literal>();
      // A literal's value, however many of its elements are stored.
      absl::StrAppend(&text, " ", attr.name, "=",
                      literal != nullptr ? absl::StrCat(literal->shape().ToString(), " of ",
                                                        literal->IntAt(0) ? absl::StrCat(*literal->IntAt(0)) : "f32")
                                         : attr.value->ToString());
    }
    nodes[std::string(node.name())] = text;
  }
  return nodes;
}

TEST_CASE("the model names no device") {
  const Graph graph = Build();
  for (NodeId id = 0; id < graph.num_nodes(); ++id) CHECK(graph.node(id).device() == "");
  CHECK(*graph.Find("rcnn_output_2/seq/fc0/MatMul")->tag("tower") == "1");
  CHECK(graph.Find("rcnn_output/fc0/w")->tag("tower") == nullptr);
  CHECK(absl::StrContains(graph.Find("rcnn_output_1/seq/fc0/MatMul")->source().file, "first_program.cc"));
}

TEST_CASE("the first program in text, which reads back") {
  const Graph graph = Build();
  const std::string text = PrintGraph(graph);
  std::ifstream file("tests/tools/first_program.txt");
  std::stringstream golden;
  golden << file.rdbuf();
  CHECK(text == golden.str());
  const absl::StatusOr<Graph> again = ParseGraphText(text, graph.ops());
  INFO(again.status().ToString());
  REQUIRE(again.ok());
  CHECK(PrintGraph(*again) == text);
}

TEST_CASE("the first program has the nodes that TensorFlow and Sonnet give it") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const Graph ours = Build();
  const absl::StatusOr<Graph> theirs = SharedGraph("data/graphs/rcnn-seed.pbtxt");
  REQUIRE(theirs.ok());
  std::map<std::string, std::string> expected = NodesOf(*theirs);
  // The number of parts, which Python's tf.split leaves behind as a constant that nothing uses.
  REQUIRE(expected.erase("Const_1") == 1);
  const std::map<std::string, std::string> got = NodesOf(ours);
  CHECK(got.size() == expected.size());
  for (const auto& [name, text] : expected) {
    INFO(name);
    const auto found = got.find(name);
    REQUIRE(found != got.end());
    CHECK(found->second == text);
  }
}

TEST_CASE("variables on the cpu, tower i on gpu i, one transfer a variable a tower") {
  for (const char* machine_text : {"cpu:1,gpu:2", "cpu:1,gpu:8"}) {
    INFO(machine_text);
    const std::unique_ptr<Session> session = SessionOn(machine_text, PlacementMode::kStrict);
    const Graph& graph = session->graph();
    const Machine machine = *ParseMachine(machine_text);
    const auto device = [&](NodeId id) { return machine.device(session->placement().device(id)).name.ShortName(); };
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      const Node node = graph.node(id);
      const std::string* tower = node.tag("tower");
      INFO(node.name());
      CHECK(device(id) == (tower == nullptr ? "cpu:0" : absl::StrCat("gpu:", *tower)));
      CHECK_FALSE(session->placement().author(id).empty());
      CHECK_FALSE(session->placement().reason(id).empty());
    }
    CHECK(session->placement().fallbacks.empty());
    PartitionOptions options;
    options.fetches = {"AddN"};
    const absl::StatusOr<Partition> partition = PartitionGraph(graph, session->placement(), machine, options);
    REQUIRE(partition.ok());
    std::string transfers;
    for (const Transfer& t : partition->transfers) {
      absl::StrAppend(&transfers, t.value, " ", machine.device(t.from).name.ShortName(), " ",
                      machine.device(t.to).name.ShortName(), " ", t.bytes.value_or(-1), "\n");
    }
    CHECK(transfers ==
          "split:0 cpu:0 gpu:0 49152\n"
          "split:1 cpu:0 gpu:1 49152\n"
          "rcnn_output/fc0/w/read:0 cpu:0 gpu:0 3145728\n"
          "rcnn_output/fc0/w/read:0 cpu:0 gpu:1 3145728\n"
          "rcnn_output/fc0/b/read:0 cpu:0 gpu:0 1024\n"
          "rcnn_output/fc0/b/read:0 cpu:0 gpu:1 1024\n"
          "rcnn_output/fc1/w/read:0 cpu:0 gpu:0 4096\n"
          "rcnn_output/fc1/w/read:0 cpu:0 gpu:1 4096\n"
          "rcnn_output/fc1/b/read:0 cpu:0 gpu:0 16\n"
          "rcnn_output/fc1/b/read:0 cpu:0 gpu:1 16\n"
          "rcnn_output_1/seq/fc1/add:0 gpu:0 cpu:0 64\n"
          "rcnn_output_2/seq/fc1/add:0 gpu:1 cpu:0 64\n");
  }
}

TEST_CASE("R029 more towers than gpus: strict refuses with the shortage, soft runs and lists each fallback") {
  for (const char* machine_text : {"cpu:1", "cpu:1,gpu:1"}) {
    INFO(machine_text);
    const absl::Status refusal =
        Session::Create(std::make_shared<const Graph>(Build()), OptionsOn(machine_text, PlacementMode::kStrict))
            .status();
    CHECK(refusal.code() == absl::StatusCode::kFailedPrecondition);
    CHECK(absl::StrContains(refusal.message(), "tower"));
    CHECK(absl::StrContains(refusal.message(), machine_text));

    const std::unique_ptr<Session> session = SessionOn(machine_text, PlacementMode::kSoft);
    const bool one_gpu = absl::StrContains(machine_text, "gpu");
    size_t served = 0;
    size_t fallen = 0;
    for (NodeId id = 0; id < session->graph().num_nodes(); ++id) {
      const std::string* tower = session->graph().node(id).tag("tower");
      if (tower == nullptr) continue;
      const bool on_gpu = one_gpu && *tower == "0";
      ++(on_gpu ? served : fallen);
      CHECK(session->placement().device(id) == (on_gpu ? 1 : 0));
    }
    CHECK(session->placement().fallbacks.size() == fallen);
    CHECK(served == (one_gpu ? fallen : 0));
  }
}

// The largest difference over the largest magnitude.
double Difference(const Tensor& got, const Tensor& want) {
  REQUIRE(got.ShapeString() == want.ShapeString());
  double largest = 0;
  double off = 0;
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(want.kernel<float>()[i])));
    off = std::max(off, std::fabs(static_cast<double>(got.kernel<float>()[i]) - want.kernel<float>()[i]));
  }
  return off / largest;
}

TEST_CASE("with TensorFlow's weights the first program gives TensorFlow's results, on any machine") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const auto golden = [](const std::string& name) {
    absl::StatusOr<Tensor> tensor = ReadNpyFile(SharedPath(absl::StrCat("data/goldens/rcnn/", name, ".npy")));
    INFO(tensor.status().ToString());
    REQUIRE(tensor.ok());
    return *std::move(tensor);
  };
  const std::vector<std::pair<const char*, PlacementMode>> runs = {{"cpu:1,gpu:2", PlacementMode::kStrict},
                                                                   {"cpu:1,gpu:8", PlacementMode::kStrict},
                                                                   {"cpu:1,gpu:1", PlacementMode::kSoft},
                                                                   {"cpu:1", PlacementMode::kSoft}};
  for (const auto& [machine, mode] : runs) {
    INFO(machine);
    const std::unique_ptr<Session> session = SessionOn(machine, mode);
    for (const char* layer : {"fc0", "fc1"}) {
      for (const char* key : {"w", "b"}) {
        const Tensor weights = golden(absl::StrCat("rcnn_output.", layer, ".", key));
        CHECK(session->SetVariable(absl::StrCat("rcnn_output/", layer, "/", key), weights).ok());
      }
    }
    const absl::StatusOr<std::vector<Tensor>> ones = session->Run({.fetches = {"AddN:0"}});
    INFO(ones.status().ToString());
    REQUIRE(ones.ok());
    CHECK(Difference((*ones)[0], golden("AddN")) <= 1e-5);
    const absl::StatusOr<std::vector<Tensor>> noise =
        session->Run({.feeds = {{"Const:0", golden("noise_input")}}, .fetches = {"AddN:0"}});
    INFO(noise.status().ToString());
    REQUIRE(noise.ok());
    CHECK(Difference((*noise)[0], golden("noise_AddN")) <= 1e-5);
  }
}

TEST_CASE("its own seeds give the same result on every machine") {
  std::string first;
  for (const auto& [machine, mode] : std::vector<std::pair<const char*, PlacementMode>>{
           {"cpu:1,gpu:2", PlacementMode::kStrict}, {"cpu:1", PlacementMode::kSoft}}) {
    const absl::StatusOr<std::string> report = RunFirstProgram(*ParseMachine(machine), mode);
    INFO(report.status().ToString());
    REQUIRE(report.ok());
    const std::string result = report->substr(0, report->find("placement: "));
    if (first.empty()) first = result;
    CHECK(result == first);
    CHECK(absl::StrContains(*report, "variables-on cpu:0 | towers-on gpu:* | else cpu:0 on "));
  }
}

}  // namespace
}  // namespace berth
