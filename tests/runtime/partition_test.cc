// What a partition looks like: rows G1 to G10 of TensorFlow's catalog and the cases of transfers, as text.
//
// A node's first letter is its device: A cpu:0, B cpu:1, G gpu:0, H gpu:1.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/graphdef.h"
#include "graph/op_table.h"
#include "graph/text.h"
#include "placement/machine.h"
#include "runtime/partition.h"
#include "tests/testing.h"

namespace berth {
namespace {

const Machine& TestMachine() {
  static const auto& machine = *new Machine(*ParseMachine("cpu:2,gpu:2"));
  return machine;
}

absl::StatusOr<Partition> Cut(const Graph& graph, const PartitionOptions& options) {
  const std::map<char, DeviceId> devices = {{'A', 0}, {'B', 1}, {'G', 2}, {'H', 3}};
  Placement placement;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    placement.device_of.push_back(devices.at(graph.node(n).name()[0]));
  }
  return PartitionGraph(graph, placement, TestMachine(), options);
}

absl::StatusOr<Partition> Cut(const std::string& text, const PartitionOptions& options = {}) {
  const absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  return Cut(*graph, options);
}

// The parts and the transfers, one line each, without attributes.
std::string Show(const absl::StatusOr<Partition>& partition) {
  if (!partition.ok()) return absl::StrCat("error: ", partition.status().message(), "\n");
  std::string text;
  for (const Partition::Part& part : partition->parts) {
    absl::StrAppend(&text, TestMachine().device(part.device).name.ShortName(), "\n");
    for (NodeId n = 0; n < part.graph.num_nodes(); ++n) {
      const Node node = part.graph.node(n);
      std::vector<std::string> inputs;
      for (Input in : node.inputs()) {
        const absl::string_view name = part.graph.node(in.node).name();
        inputs.push_back(in.is_control() ? absl::StrCat("^", name)
                         : in.slot == 0  ? std::string(name)
                                         : absl::StrCat(name, ":", in.slot));
      }
      absl::StrAppend(&text, "  ", node.name(), " = ", node.op(), "(", absl::StrJoin(inputs, ", "), ")\n");
    }
  }
  for (const Transfer& t : partition->transfers) {
    absl::StrAppend(&text, t.value, " ", TestMachine().device(t.from).name.ShortName(), " -> ",
                    TestMachine().device(t.to).name.ShortName(), " ", ShortDTypeName(t.dtype), " ",
                    t.bytes ? absl::StrCat(*t.bytes) : "?", "\n");
  }
  return text;
}

constexpr char kPlaceholder[] = " = Placeholder() {dtype=f32} : f32[2]\n";

TEST_CASE("G1: one device keeps the graph") {
  CHECK(Show(Cut("A1 = Placeholder() {dtype=f32}\nA2 = Add(A1, A1) {T=f32}\n")) == R"(cpu:0
  A1 = Placeholder()
  A2 = Add(A1, A1)
)");
}

TEST_CASE("G2: a value crosses through one pair") {
  const std::string text = absl::StrCat("A1", kPlaceholder, "B1", kPlaceholder, "B2 = Add(A1, B1) {T=f32} : f32[2]\n");
  const absl::StatusOr<Partition> partition = Cut(text);
  CHECK(Show(partition) == R"(cpu:0
  A1 = Placeholder()
  A1/_0 = _Send(A1)
cpu:1
  B1 = Placeholder()
  A1/_1 = _Recv()
  B2 = Add(A1/_1, B1)
A1:0 cpu:0 -> cpu:1 f32 8
)");
  // Every attribute, the devices as requests. TensorFlow's tensor_name is edge_1_A1; Berth's are numbers, so that a plan needs
  // no strings.
  CHECK(PrintGraph(partition->parts[1].graph) ==
        R"(B1 = Placeholder() {dtype=f32} : f32[2] @/job:localhost/replica:0/task:0/device:CPU:1
A1/_1 = _Recv() {_src="A1:0", client_terminated=false, recv_device="/job:localhost/replica:0/task:0/device:CPU:1", send_device="/job:localhost/replica:0/task:0/device:CPU:0", send_device_incarnation=1, tensor_name="0", tensor_type=f32} : f32[2] @/job:localhost/replica:0/task:0/device:CPU:1
B2 = Add(A1/_1, B1) {T=f32} : f32[2] @/job:localhost/replica:0/task:0/device:CPU:1
)");
}

TEST_CASE("G3: a control edge crosses as an empty constant") {
  // TensorFlow puts an Identity behind the _Recv; the control edge from the _Recv says the same.
  CHECK(Show(Cut(absl::StrCat("A1", kPlaceholder, "B1", kPlaceholder, "B2 = Neg(B1, ^A1) {T=f32}\n"))) == R"(cpu:0
  A1 = Placeholder()
  A1/ctrl/_0 = Const(^A1)
  A1/_1 = _Send(A1/ctrl/_0)
cpu:1
  B1 = Placeholder()
  A1/_2 = _Recv()
  B2 = Neg(B1, ^A1/_2)
A1 cpu:0 -> cpu:1 f32 0
)");
}

TEST_CASE("G5: two users of a control edge share a pair") {
  CHECK(Show(Cut("A1 = NoOp()\nB1 = NoOp(^A1)\nB2 = NoOp(^A1)\n")) == R"(cpu:0
  A1 = NoOp()
  A1/ctrl/_0 = Const(^A1)
  A1/_1 = _Send(A1/ctrl/_0)
cpu:1
  A1/_2 = _Recv()
  B1 = NoOp(^A1/_2)
  B2 = NoOp(^A1/_2)
A1 cpu:0 -> cpu:1 f32 0
)");
}

TEST_CASE("G6: data and control to one device are two pairs") {
  const std::string shown = Show(Cut(absl::StrCat("A1", kPlaceholder, "B1 = Neg(A1) {T=f32}\nB2 = NoOp(^A1)\n")));
  CHECK(absl::StrContains(shown, "A1 cpu:0 -> cpu:1 f32 0\nA1:0 cpu:0 -> cpu:1 f32 8\n"));
}

TEST_CASE("G10: a node that lacks inputs is refused before there is a graph to cut") {
  const absl::StatusOr<Graph> graph =
      ParseGraphText(absl::StrCat("A1", kPlaceholder, "B2 = Add(A1) {T=f32}\n"), StandardOps(), "g");
  REQUIRE_FALSE(graph.ok());
  CHECK(graph.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(absl::StrContains(graph.status().message(), "'B2' (Add): expected 2 inputs (x, y), got 1"));
}

// Decided: every part carries the whole library, so that a part is a GraphDef that says what its calls are without the others.
TEST_CASE("G11: the library goes with every part") {
  const absl::StatusOr<Graph> graph = ImportGraphDef(
      "node { name: 'A1' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
      "node { name: 'A2' op: 'f' input: 'A1' }\nnode { name: 'B2' op: 'g' input: 'A1' }\n"
      "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } } }\n"
      "  function { signature { name: 'g' input_arg { name: 'x' type: DT_FLOAT } }\n"
      "    node_def { name: 'c' op: 'f' input: 'x' } } }\n",
      StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  const absl::StatusOr<Partition> partition = Cut(*graph, {});
  INFO(partition.status());
  REQUIRE(partition.ok());
  REQUIRE(partition->parts.size() == 2);
  for (const Partition::Part& part : partition->parts) {
    CHECK(part.graph.HasFunction("f"));
    CHECK(part.graph.HasFunction("g"));
  }
}

TEST_CASE("G13: a part's nodes know the lines they are from") {
  const absl::StatusOr<Partition> partition =
      Cut(absl::StrCat("A1", kPlaceholder, "B1 = Neg(A1) {T=f32}\nA2 = Neg(B1) {T=f32}\n"));
  REQUIRE(partition.ok());
  std::string text;
  for (const Partition::Part& part : partition->parts) {
    for (const char* name : {"A1", "B1", "A2"}) {
      const std::optional<Node> node = part.graph.Find(name);
      if (node) absl::StrAppend(&text, name, " ", node->source().ToString(), "\n");
    }
  }
  CHECK(text == "A1 graph:1\nA2 graph:3\nB1 graph:2\n");
}

TEST_CASE("G17: a node without a device is refused") {
  const absl::StatusOr<Graph> graph = ParseGraphText("A1 = NoOp()\nA2 = NoOp()\n", StandardOps());
  Placement placement;
  placement.device_of = {0, kNoDevice};
  const absl::StatusOr<Partition> partition = PartitionGraph(*graph, placement, TestMachine(), {});
  CHECK(partition.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(
      absl::StrContains(partition.status().message(), "node 'A2' (NoOp): expected a device of the machine, got none"));
  placement.device_of = {0};
  CHECK(PartitionGraph(*graph, placement, TestMachine(), {}).status().code() == absl::StatusCode::kInvalidArgument);
}

// Decided: arguments and results of a run are on the client, whichever device uses them.
TEST_CASE("G18 G19 G21: two arguments swapped, on one device and on two") {
  const std::string args = absl::StrCat("A1", kPlaceholder, "A2", kPlaceholder);
  PartitionOptions options;
  options.feeds = {"A1", "A2"};
  options.fetches = {"A4", "A3"};
  CHECK(Show(Cut(args + "A3 = Identity(A1) {T=f32} : f32[2]\nA4 = Identity(A2) {T=f32} : f32[2]\n", options)) ==
        R"(cpu:0
  _arg_A1_0_0 = _Arg()
  _arg_A2_0_1 = _Arg()
  A3 = Identity(_arg_A1_0_0)
  _retval_A3_0_1 = _Retval(A3)
  A4 = Identity(_arg_A2_0_1)
  _retval_A4_0_0 = _Retval(A4)
)");
  options.fetches = {"B4", "A3"};
  CHECK(Show(Cut(args + "A3 = Identity(A1) {T=f32} : f32[2]\nB4 = Identity(A2) {T=f32} : f32[2]\n", options)) ==
        R"(cpu:0
  _arg_A1_0_0 = _Arg()
  _arg_A2_0_1 = _Arg()
  _arg_A2_0_1/_0 = _Send(_arg_A2_0_1)
  A3 = Identity(_arg_A1_0_0)
  _retval_A3_0_1 = _Retval(A3)
  B4/_3 = _Recv()
  _retval_B4_0_0 = _Retval(B4/_3)
cpu:1
  _arg_A2_0_1/_1 = _Recv()
  B4 = Identity(_arg_A2_0_1/_1)
  B4/_2 = _Send(B4)
_arg_A2_0_1:0 cpu:0 -> cpu:1 f32 8
B4:0 cpu:1 -> cpu:0 f32 8
)");
}

TEST_CASE("R127, R124: one transfer a value and device, straight to where it is used") {
  CHECK(Show(Cut(
            absl::StrCat("H1", kPlaceholder, "A1 = Neg(H1) {T=f32}\nA2 = Neg(H1) {T=f32}\nB1 = Neg(H1) {T=f32}\n"))) ==
        R"(cpu:0
  H1/_1 = _Recv()
  A1 = Neg(H1/_1)
  A2 = Neg(H1/_1)
cpu:1
  H1/_3 = _Recv()
  B1 = Neg(H1/_3)
gpu:1
  H1 = Placeholder()
  H1/_0 = _Send(H1)
  H1/_2 = _Send(H1)
H1:0 gpu:1 -> cpu:0 f32 8
H1:0 gpu:1 -> cpu:1 f32 8
)");
}

TEST_CASE("R122: a host node between two nodes of devices: one part a device") {
  CHECK(Show(Cut("Gx = Placeholder() {dtype=f32}\nAy = Neg(Gx) {T=f32}\nGz = Neg(Ay) {T=f32}\n")) ==
        R"(cpu:0
  Gx/_1 = _Recv()
  Ay = Neg(Gx/_1)
  Ay/_2 = _Send(Ay)
gpu:0
  Gx = Placeholder()
  Gx/_0 = _Send(Gx)
  Ay/_3 = _Recv()
  Gz = Neg(Ay/_3)
Gx:0 gpu:0 -> cpu:0 f32 ?
Ay:0 cpu:0 -> gpu:0 f32 ?
)");
  CHECK(Show(Cut("Gx = Placeholder() {dtype=f32}\nAy = Neg(Gx) {T=f32}\nHz = Neg(Ay) {T=f32}\n")) ==
        R"(cpu:0
  Gx/_1 = _Recv()
  Ay = Neg(Gx/_1)
  Ay/_2 = _Send(Ay)
gpu:0
  Gx = Placeholder()
  Gx/_0 = _Send(Gx)
gpu:1
  Ay/_3 = _Recv()
  Hz = Neg(Ay/_3)
Gx:0 gpu:0 -> cpu:0 f32 ?
Ay:0 cpu:0 -> gpu:1 f32 ?
)");
}

TEST_CASE("R133: who waits by control alone gets no data") {
  const std::string shown = Show(Cut(absl::StrCat("A1", kPlaceholder, "G1 = Neg(A1) {T=f32}\nH1 = NoOp(^A1)\n")));
  CHECK(absl::StrContains(shown, "A1 cpu:0 -> gpu:1 f32 0\nA1:0 cpu:0 -> gpu:0 f32 8\n"));
}

TEST_CASE("fetches end on the client, in order, a tensor fetched twice in two") {
  PartitionOptions options;
  options.fetches = {"G1:0", "G1", "A2"};
  CHECK(Show(Cut(absl::StrCat("G1", kPlaceholder, "A2 = NoOp(^G1)\nA3 = NoOp()\n"), options)) == R"(cpu:0
  G1/_4 = _Recv()
  _retval_G1_0_0 = _Retval(G1/_4)
  _retval_G1_0_1 = _Retval(G1/_4)
  G1/_2 = _Recv()
  A2 = NoOp(^G1/_2)
gpu:0
  G1 = Placeholder()
  G1/ctrl/_0 = Const(^G1)
  G1/_3 = _Send(G1)
  G1/_1 = _Send(G1/ctrl/_0)
G1 gpu:0 -> cpu:0 f32 0
G1:0 gpu:0 -> cpu:0 f32 8
)");
}

TEST_CASE("R196: a feed goes straight to the device that uses it") {
  PartitionOptions options;
  options.fetches = {"H2"};
  options.feeds = {"A1", "G2"};
  const std::string text =
      absl::StrCat("A1", kPlaceholder, "G1 = Neg(A1) {T=f32} : f32[2]\nG2 = Neg(G1) {T=f32} : f32[2]\n",
                   "H2 = Add(G1, G2) {T=f32} : f32[2]\n");
  CHECK(Show(Cut(text, options)) == R"(cpu:0
  _arg_A1_0_0 = _Arg()
  _arg_A1_0_0/_0 = _Send(_arg_A1_0_0)
  _arg_G2_0_1 = _Arg()
  _arg_G2_0_1/_4 = _Send(_arg_G2_0_1)
  H2/_7 = _Recv()
  _retval_H2_0_0 = _Retval(H2/_7)
gpu:0
  _arg_A1_0_0/_1 = _Recv()
  G1 = Neg(_arg_A1_0_0/_1)
  G1/_2 = _Send(G1)
gpu:1
  G1/_3 = _Recv()
  _arg_G2_0_1/_5 = _Recv()
  H2 = Add(G1/_3, _arg_G2_0_1/_5)
  H2/_6 = _Send(H2)
_arg_A1_0_0:0 cpu:0 -> gpu:0 f32 8
G1:0 gpu:0 -> gpu:1 f32 8
_arg_G2_0_1:0 cpu:0 -> gpu:1 f32 8
H2:0 gpu:1 -> cpu:0 f32 8
)");
}

TEST_CASE("feeds: control edges stay with a node that runs, and leave a placeholder") {
  PartitionOptions options;
  options.feeds = {"A1", "A2"};
  const std::string text =
      absl::StrCat("A1", kPlaceholder, "A2 = Neg(A1) {T=f32}\nA3 = NoOp(^A1)\nA4 = NoOp(^A2)\nA5 = Neg(A2) {T=f32}\n");
  options.fetches = {"A3", "A4", "A5"};
  CHECK(Show(Cut(text, options)) == R"(cpu:0
  _arg_A1_0_0 = _Arg()
  _arg_A2_0_1 = _Arg()
  A2 = Neg(_arg_A1_0_0)
  A3 = NoOp(^_arg_A1_0_0)
  A4 = NoOp(^A2)
  A5 = Neg(_arg_A2_0_1)
  _retval_A5_0_2 = _Retval(A5)
)");
}

TEST_CASE("R137: a constant is copied to each device that reads it, or sent") {
  const std::string text =
      "A1 = Const() {dtype=f32, value=tensor<f32[] 1>} : f32[]\nA2 = Neg(A1) {T=f32}\nG1 = Neg(A1) {T=f32}\nG2 = "
      "Neg(A1) {T=f32}\n";
  PartitionOptions options;
  CHECK(Show(Cut(text, options)) == R"(cpu:0
  A1 = Const()
  A2 = Neg(A1)
gpu:0
  A1/replicate/_0 = Const()
  G1 = Neg(A1/replicate/_0)
  G2 = Neg(A1/replicate/_0)
)");
  options.replicate_constants = false;
  CHECK(absl::StrContains(Show(Cut(text, options)), "A1:0 cpu:0 -> gpu:0 f32 4\n"));
}

TEST_CASE("R131: reads of a variable around a write are sent apart, and in order") {
  const std::string text =
      "G1 = VariableV2() {dtype=f32, shape=shape []} : f32&[]\nA1 = Identity(G1) {T=f32}\n"
      "G2 = Const() {dtype=f32, value=tensor<f32[] 1>}\nG3 = Assign(G1, G2, ^A1) {T=f32}\nA2 = Identity(G1, ^G3) "
      "{T=f32}\n";
  CHECK(Show(Cut(text)) == R"(cpu:0
  G1/_1 = _Recv()
  A1 = Identity(G1/_1)
  A1/ctrl/_4 = Const(^A1)
  A1/_5 = _Send(A1/ctrl/_4)
  G1/_3 = _Recv()
  G3/_9 = _Recv()
  A2 = Identity(G1/_3, ^G3/_9)
gpu:0
  G1 = VariableV2()
  G1/_0 = _Send(G1)
  G2 = Const()
  A1/_6 = _Recv()
  G3 = Assign(G1, G2, ^A1/_6)
  G1/_2 = _Send(G1, ^G3)
  G3/ctrl/_7 = Const(^G3)
  G3/_8 = _Send(G3/ctrl/_7)
G1:0 gpu:0 -> cpu:0 f32 4
G1:0 gpu:0 -> cpu:0 f32 4
A1 cpu:0 -> gpu:0 f32 0
G3 gpu:0 -> cpu:0 f32 0
)");
}

TEST_CASE("references and handles do not cross") {
  CHECK(Show(Cut("G1 = VariableV2() {dtype=f32, shape=shape []}\nA1 = Const() {dtype=f32, value=tensor<f32[] 1>}\n"
                 "A2 = Assign(G1, A1) {T=f32}\n")) ==
        "error: node 'A2' (Assign on cpu:0): expected input 0 on its own device, got a reference to node 'G1' "
        "(VariableV2 on gpu:0); place both on one device, or read the value first\n");
  CHECK(Show(Cut("G1 = VarHandleOp() {dtype=f32, shape=shape []}\nA2 = ReadVariableOp(G1) {dtype=f32}\n")) ==
        "error: node 'A2' (ReadVariableOp on cpu:0): expected input 0 on its own device, got a resource handle of node "
        "'G1' (VarHandleOp on gpu:0); place both on one device, or read the value first\n");
}

TEST_CASE("mistakes in a run's names") {
  const std::string text =
      absl::StrCat("A1", kPlaceholder, "A2 = NoOp()\nA3 = VariableV2() {dtype=f32, shape=shape []}\n",
                   "A4 = Assign(A3, A1) {T=f32}\n");
  const auto error = [&](std::vector<std::string> feeds, std::vector<std::string> fetches) {
    PartitionOptions options;
    options.feeds = std::move(feeds);
    options.fetches = std::move(fetches);
    return Show(Cut(text, options));
  };
  CHECK(error({"A1", "A1:0"}, {"A4"}) == "error: feed 'A1:0': expected each tensor once, got it twice\n");
  CHECK(error({"A2"}, {"A4"}) == "error: feed 'A2': expected a tensor, got an op without outputs\n");
  CHECK(
      error({"A3"}, {"A4"}) ==
      "error: feed 'A3:0': expected a tensor that is only read, got one that node 'A4' (Assign) changes in place; feed "
      "the value it assigns instead\n");
  CHECK(absl::StrContains(error({}, {"A9"}), "expected a node of the graph"));
}

// A counter's loop whose body is on cpu:1.
constexpr char kLoop[] = R"(A0 = Const() {dtype=i32, value=tensor<i32[] 0>}
A1 = Const() {dtype=i32, value=tensor<i32[] 9>}
A2 = Enter(A0) {T=i32, frame_name="loop"}
A3 = Enter(A1) {T=i32, frame_name="loop", is_constant=true}
A4 = Merge(A2, A10) {N=2, T=i32}
A5 = Less(A4, A3) {T=i32}
A6 = LoopCond(A5)
A7 = Switch(A4, A6) {T=i32}
A8 = Exit(A7) {T=i32}
B9 = Identity(A7:1) {T=i32}
A10 = NextIteration(B9) {T=i32}
)";

TEST_CASE("G7: a device of a loop's body gets a control loop, driven by the loop's predicate") {
  CHECK(Show(Cut(kLoop)) == R"(cpu:0
  A0 = Const()
  A1 = Const()
  A2 = Enter(A0)
  A3 = Enter(A1)
  A4 = Merge(A2, A10)
  A5 = Less(A4, A3)
  _cloop/_5 = Const()
  _cloop/_6 = Enter(_cloop/_5)
  _cloop/_7 = Merge(_cloop/_6, _cloop/_9)
  A6 = LoopCond(A5)
  _cloop/_8 = Switch(_cloop/_7, A6)
  _cloop/_9 = NextIteration(_cloop/_8:1)
  A6/_10 = _Send(A6)
  A7 = Switch(A4, A6)
  A7/_12 = _Send(A7:1)
  A8 = Exit(A7)
  B9/_15 = _Recv(^_cloop/_7)
  A10 = NextIteration(B9/_15)
cpu:1
  _cloop/_0 = Const()
  _cloop/_1 = Enter(_cloop/_0)
  _cloop/_2 = Merge(_cloop/_1, _cloop/_4)
  A6/_11 = _Recv(^_cloop/_2)
  _cloop/_3 = Switch(_cloop/_2, A6/_11)
  _cloop/_4 = NextIteration(_cloop/_3:1)
  A7/_13 = _Recv(^_cloop/_2)
  B9 = Identity(A7/_13)
  B9/_14 = _Send(B9)
A6:0 cpu:0 -> cpu:1 bool ?
A7:1 cpu:0 -> cpu:1 i32 ?
B9:0 cpu:1 -> cpu:0 i32 ?
)");
}

TEST_CASE("G7: without a predicate a loop cannot cross") {
  std::string text = kLoop;
  text.replace(text.find("LoopCond(A5)"), 12, "Identity(A5) {T=bool}");
  CHECK(Show(Cut(text)) == "error: loop 'loop': expected a LoopCond, since it runs on cpu:1 and elsewhere, got none\n");
}

TEST_CASE("G9: Enter and NextIteration go to their Merge, whatever they were given") {
  std::string text = kLoop;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"A2", "G2"}, {"A10", "H10"}}) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from)) text.replace(at, from.size(), to);
  }
  const absl::StatusOr<Partition> partition = Cut(text);
  INFO(partition.status());
  REQUIRE(partition.ok());
  std::vector<std::string> parts;
  for (const Partition::Part& part : partition->parts) {
    parts.push_back(TestMachine().device(part.device).name.ShortName());
  }
  INFO(Show(partition));
  CHECK(absl::StrJoin(parts, " ") == "cpu:0 cpu:1");
}

TEST_CASE("loops that are no loops") {
  std::string text = kLoop;
  text.replace(text.find("Less(A4, A3)"), 12, "Less(A4, A1)");
  CHECK(Show(Cut(text)) ==
        "error: node 'A5' (Less on cpu:0): expected inputs of one loop, got 'A4' of loop 'loop' and 'A1' of no loop\n");
}

}  // namespace
}  // namespace berth
