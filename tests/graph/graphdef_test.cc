// GraphDefs in and out: device modes, functions, what is carried along, and bytes from strangers.

#include "graph/graphdef.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "proto/graph.pb.h"
#include "tests/testing.h"

namespace berth {
namespace {

absl::StatusOr<Graph> Import(absl::string_view bytes, const ImportOptions& options = {.file = "g"},
                             ImportCounts* counts = nullptr) {
  return ImportGraphDef(bytes, StandardOps(), options, counts);
}

std::string Verdict(absl::string_view bytes, const ImportOptions& options = {.file = "g"}) {
  const absl::StatusOr<Graph> graph = Import(bytes, options);
  return graph.ok() ? "ok" : std::string(graph.status().message());
}

std::string Printed(absl::string_view bytes) {
  const absl::StatusOr<Graph> graph = Import(bytes);
  return graph.ok() ? PrintGraph(*graph) : std::string(graph.status().message());
}

// Devices.

constexpr char kDevices[] =
    "node { name: 'a' op: 'NoOp' device: '/gpu:1' }\n"
    "node { name: 'b' op: 'NoOp' device: '/device:GPU:1' }\n"
    "node { name: 'c' op: 'NoOp' }\n"
    "node { name: 'd' op: 'Fancy' device: '/device:*:3' }\n";

std::string Counts(const ImportCounts& c) {
  return absl::StrCat(c.nodes, " nodes, kept ", c.devices_kept, " hinted ", c.devices_hinted, " cleared ",
                      c.devices_cleared, " mapped ", c.devices_mapped, ", opaque ", c.opaque);
}

std::string Imported(ImportOptions options) {
  ImportCounts counts;
  options.file = "g";
  const absl::StatusOr<Graph> graph = Import(kDevices, options, &counts);
  if (!graph.ok()) return std::string(graph.status().message());
  std::string text = Counts(counts);
  for (NodeId id = 0; id < graph->num_nodes(); ++id) {
    absl::StrAppend(&text, "; ", graph->node(id).device());
    for (const Opinion& wish : graph->node(id).note().wishes) absl::StrAppend(&text, "prefer ", wish.device.ToString());
  }
  return text;
}

TEST_CASE("what becomes of devices in the file") {
  CHECK(Imported({}) == "4 nodes, kept 3 hinted 0 cleared 0 mapped 0, opaque 1; /gpu:1; /device:GPU:1; ; /device:*:3");
  CHECK(Imported({.devices = ImportDevices::kClear}) ==
        "4 nodes, kept 0 hinted 0 cleared 3 mapped 0, opaque 1; ; ; ; ");
  CHECK(Imported({.devices = ImportDevices::kHint}) ==
        "4 nodes, kept 0 hinted 3 cleared 0 mapped 0, opaque 1; prefer /device:GPU:1; prefer /device:GPU:1; ; prefer "
        "/device:*:3");
  CHECK(Imported({.devices = ImportDevices::kMap,
                  .device_map = {{"/gpu:1", "/device:CPU:0"}, {"/device:GPU:1", ""}, {"/device:*:3", "/job:ps"}}}) ==
        "4 nodes, kept 0 hinted 0 cleared 0 mapped 3, opaque 1; /device:CPU:0; ; ; /job:ps");
  CHECK(Imported({.devices = ImportDevices::kMap, .device_map = {{"/gpu:1", "/device:CPU:0"}}}) ==
        "g:4: node 'd' (Fancy): expected a device that the device map lists, got '/device:*:3'");
}

TEST_CASE("devices of a graph in another form become the same, and nothing else does") {
  const absl::StatusOr<Graph> graph = ParseGraphText(
      "x = Placeholder() : f32[2] @gpu:1\ny = MyOp(x) : f32[5] @gpu:0\nz = Relu(y)\n", StandardOps(), "t");
  REQUIRE(graph.ok());
  const auto imported = [&](ImportOptions options) {
    ImportCounts counts;
    absl::StatusOr<Graph> copy = ParseGraphText(PrintGraph(*graph), StandardOps(), "t");
    const absl::StatusOr<Graph> got = ImportDevicesOf(*std::move(copy), options, &counts);
    if (!got.ok()) return std::string(got.status().message());
    CHECK(got->node(1).output_shape(0).ToString() == "[5]");
    CHECK(got->node(1).source().ToString() == "t:2");
    std::string text;
    for (NodeId id = 0; id < got->num_nodes(); ++id) {
      absl::StrAppend(&text, id == 0 ? "" : "; ", got->node(id).device());
      for (const Opinion& wish : got->node(id).note().wishes) absl::StrAppend(&text, "prefer ", wish.device.ToString());
    }
    return text;
  };
  CHECK(imported({.devices = ImportDevices::kClear}) == "; ; ");
  CHECK(imported({.devices = ImportDevices::kHint}) == "prefer /device:GPU:1; prefer /device:GPU:0; ");
  // Another spelling of a device is the device; "" are the nodes that ask for none.
  CHECK(imported({.devices = ImportDevices::kMap,
                  .device_map = {{"gpu:1", "/device:CPU:0"}, {"/gpu:0", ""}, {"", "/job:ps"}}}) ==
        "/device:CPU:0; ; /job:ps");
  CHECK(imported({.devices = ImportDevices::kMap, .device_map = {{"gpu:1", ""}}, .device_map_file = "m"}) ==
        "t:2: node 'y' (MyOp): expected a device that the device map m lists, got '/device:GPU:0'");
}

TEST_CASE("shapes that a graph was declared with are written and read as _output_shapes") {
  absl::StatusOr<Graph> graph = ParseGraphText(
      "x = Placeholder() : f32[2]\ny = MyOp(x) : f32[5]\nz = Relu(y)\n"
      "p = Placeholder() {dtype=f32, shape=shape [3]} : f32[3]\n",
      StandardOps(), "t");
  REQUIRE(graph.ok());
  const std::string bytes = ExportGraphDef(*graph);
  const absl::StatusOr<Graph> back = Import(bytes);
  REQUIRE(back.ok());
  CHECK(back->node(0).output_shape(0).ToString() == "[2]");
  CHECK(back->node(1).output_shape(0).ToString() == "[5]");
  CHECK(back->node(3).attr("_output_shapes") == nullptr);
  CHECK(ExportGraphDef(*back) == bytes);
}

TEST_CASE("a hint that is no device is refused, a request is kept as it is") {
  const std::string text = "node { name: 'a' op: 'NoOp' device: 'moon' }";
  CHECK(Printed(text) == "a = NoOp() @\"moon\"\n");
  CHECK(absl::StartsWith(Verdict(text, {.devices = ImportDevices::kHint, .file = "g"}),
                         "g:1: node 'a' (NoOp): device 'moon': column 1: expected '/'"));
}

TEST_CASE("device maps") {
  const auto map =
      ParseDeviceMap("# comment\n/gpu:0\tcpu:0 # here\n  /gpu:1   -\r\n\n/job:ps/cpu:0 /job:a/task:1\n", "m");
  REQUIRE(map.ok());
  CHECK(map->size() == 3);
  CHECK(map->at("/gpu:0") == "/device:CPU:0");
  CHECK(map->at("/gpu:1").empty());
  CHECK(map->at("/job:ps/cpu:0") == "/job:a/task:1");
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"/gpu:0", "m:1:1: expected two devices, FROM and TO, with - for none, got '/gpu:0'"},
      {"\n/a b c", "m:2:1: expected two devices, FROM and TO, with - for none, got '/a b c'"},
      {"/a -\n/a -", "m:2:1: expected each device once, got '/a -'"},
  };
  for (const auto& [text, want] : bad) CHECK(ParseDeviceMap(text, "m").status().message() == want);
  CHECK(
      absl::StartsWith(ParseDeviceMap("/a moon", "m").status().message(), "m:1:1: device 'moon': column 1: expected"));
}

// Structure.

TEST_CASE("order of the file, forward references, loops, control inputs") {
  CHECK(Printed("node { name: 'y' op: 'Relu' input: 'x:0' input: '^n' attr { key: 'T' value { type: DT_FLOAT } } }\n"
                "node { name: 'n' op: 'NoOp' }\n"
                "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }") ==
        "y = Relu(x, ^n) {T=f32} : f32?\nn = NoOp()\nx = Placeholder() {dtype=f32} : f32?\n");
  CHECK(Printed("node { name: 'm' op: 'Merge' input: 'm2' input: 'm2' attr { key: 'T' value { type: DT_FLOAT } }"
                " attr { key: 'N' value { i: 2 } } }\n"
                "node { name: 'm2' op: 'NextIteration' input: 'm' attr { key: 'T' value { type: DT_FLOAT } } }") ==
        "m = Merge(m2, m2) {N=2, T=f32} : f32?, i32?\nm2 = NextIteration(m) {T=f32} : f32?\n");
}

TEST_CASE("calls of functions have their signature's outputs") {
  const std::string library =
      "library { function { signature { name: 'f' input_arg { name: 'x' type_attr: 'T' } output_arg { name: 'y' "
      "type_attr: "
      "'T' } output_arg { name: 'z' type: DT_INT32 number_attr: 'N' } attr { name: 'T' type: 'type' } attr { name: 'N' "
      "type: 'int' } } } }\n";
  const std::string call =
      "node { name: 'c' op: 'f' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'N' value { i: 2 } } "
      "}\n"
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n";
  ImportCounts counts;
  const absl::StatusOr<Graph> graph = Import(call + library, {.file = "g"}, &counts);
  INFO(graph.status());
  REQUIRE(graph.ok());
  CHECK(PrintGraph(*graph) == "c = f(x) {N=2, T=f32} : f32?, i32?, i32?\nx = Placeholder() {dtype=f32} : f32?\n");
  CHECK(graph->HasFunction("f"));
  CHECK_FALSE(graph->HasFunction("g"));
  CHECK(counts.opaque == 0);
  CHECK(Printed(ExportGraphDef(*graph)) == PrintGraph(*graph));
  CHECK(Import(ExportGraphDefText(*graph))->HasFunction("f"));
  CHECK(Verdict("node { name: 'c' op: 'f' }\n" + library) ==
        "g:1: node 'c' (f): expected at least 1 inputs (x), got 0");
  CHECK(Verdict("node { name: 'c' op: 'f' input: 'c' attr { key: 'N' value { i: -1 } } }\n" + library) ==
        "g:1: node 'c' (f): expected attribute 'N' of at least 0, got -1");
}

TEST_CASE("what nobody here reads goes back as it came") {
  pb::GraphDef def;
  pb::NodeDef* node = def.add_node();
  node->set_name(std::string("a"));
  node->set_op(std::string("NoOp"));
  node->mutable_experimental_debug_info()->add_original_node_names("before");
  node->GetReflection()->MutableUnknownFields(node)->AddVarint(999, 5);
  def.mutable_versions()->set_producer(27);
  def.mutable_library()->add_gradient()->set_function_name("f");
  def.GetReflection()->MutableUnknownFields(&def)->AddLengthDelimited(1000, "more");
  const std::string bytes = def.SerializeAsString();
  const absl::StatusOr<Graph> graph = Import(bytes);
  REQUIRE(graph.ok());
  pb::GraphDef back;
  REQUIRE(back.ParseFromString(ExportGraphDef(*graph)));
  CHECK(back.SerializeAsString() == bytes);
  // Text leaves out what has no name.
  CHECK(absl::StrContains(ExportGraphDefText(*graph), "original_node_names: \"before\""));
  CHECK(absl::StrContains(ExportGraphDefText(*graph), "producer: 27"));
  CHECK(Import(ExportGraphDefText(*graph)).ok());
}

// Decided otherwise on two points: a tensor's values come back packed, whatever form they had, and a dimension's name,
// which nothing reads, does not come back.
TEST_CASE("R089 a message with every field set goes through unchanged") {
  const std::string text = R"(
node { name: "a" op: "Fancy" device: "/device:GPU:1"
  attr { key: "s" value { s: "bytes\000" } } attr { key: "i" value { i: -7 } } attr { key: "f" value { f: 0.1 } }
  attr { key: "b" value { b: true } } attr { key: "type" value { type: DT_HALF } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: -1 } } } }
  attr { key: "open" value { shape { unknown_rank: true } } }
  attr { key: "tensor" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "\000\000\300?\000\000\000\300" } } }
  attr { key: "list" value { list { i: 1 i: 2 } } } attr { key: "texts" value { list { s: "x" s: "" } } }
  attr { key: "types" value { list { type: DT_FLOAT type: DT_INT32 } } }
  attr { key: "func" value { func { name: "g" attr { key: "T" value { type: DT_FLOAT } } } } }
  attr { key: "later" value { placeholder: "T" } } attr { key: "unset" value { } }
  experimental_debug_info { original_node_names: "before" original_func_names: "in" } }
node { name: "b" op: "Fancy" input: "a" input: "a:1" input: "^a" attr { key: "_class" value { list { s: "loc:@a" } } } }
versions { producer: 27 min_consumer: 3 bad_consumers: 5 }
library { function { signature { name: "g" input_arg { name: "x" type: DT_FLOAT } description: "d" }
    node_def { name: "n" op: "NoOp" } attr { key: "k" value { i: 1 } } ret { key: "y" value: "n:y:0" } }
  gradient { function_name: "g" gradient_func: "h" } })";
  pb::GraphDef def, back;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &def));
  const absl::StatusOr<Graph> graph = Import(def.SerializeAsString());
  INFO(graph.status());
  REQUIRE(graph.ok());
  REQUIRE(back.ParseFromString(ExportGraphDef(*graph)));
  CHECK(back.DebugString() == def.DebugString());  // sorts the maps' keys
  REQUIRE(google::protobuf::TextFormat::ParseFromString(ExportGraphDefText(*graph), &back));
  CHECK(back.DebugString() == def.DebugString());
}

TEST_CASE("devices and attributes of the caller's") {
  const absl::StatusOr<Graph> graph = Import(kDevices);
  const auto device = [](const Node& n) { return absl::StrCat("/cpu:", n.id()); };
  const auto attrs = [](const Node&) {
    return std::vector<std::pair<std::string, AttrValue>>{{"_berth_why", AttrValue(AttrValue::Kind(std::string("r")))}};
  };
  absl::FunctionRef<std::string(const Node&)> device_ref = device;
  absl::FunctionRef<std::vector<std::pair<std::string, AttrValue>>(const Node&)> attrs_ref = attrs;
  const std::string text = PrintGraph(*Import(ExportGraphDef(*graph, {.device = &device_ref, .attrs = &attrs_ref})));
  CHECK(text ==
        "a = NoOp() {_berth_why=\"r\"} @\"/cpu:0\"\nb = NoOp() {_berth_why=\"r\"} @\"/cpu:1\"\n"
        "c = NoOp() {_berth_why=\"r\"} @\"/cpu:2\"\nd = Fancy() {_berth_why=\"r\"} @\"/cpu:3\"\n");
}

TEST_CASE("elided values stay elided through both forms") {
  const absl::StatusOr<Graph> graph = ParseGraphText(
      "c = Const() {dtype=f32, value=tensor<f32[1000] #00c0ffee00c0ffee 4000B>} : f32?\n", StandardOps());
  REQUIRE(graph.ok());
  CHECK(Printed(ExportGraphDef(*graph)) == PrintGraph(*graph));
  CHECK(Printed(ExportGraphDefText(*graph)) == PrintGraph(*graph));
}

// Bytes from strangers.

std::string Wire(const pb::GraphDef& def) { return def.SerializeAsString(); }

TEST_CASE("text that is no GraphDef") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"hello",
       "g:1:6: expected a GraphDef, got an error: message type \"berth.GraphDef\" has no field named \"hello\"\n"
       "hello\n     ^"},
      {"node {\n  nme: 'a'\n}",
       "g:2:6: expected a GraphDef, got an error: message type \"berth.NodeDef\" has no field named \"nme\"\n"
       "  nme: 'a'\n     ^"},
      {"node { name: 'a'",
       "g:1:17: expected a GraphDef, got an error: expected identifier, got: the end of the file\n"
       "node { name: 'a'\n                ^"},
      {"node { name: 'a' op: 'NoOp' }\nnode { name: 'a' op: 'Relu' }",
       "g:2: node 'a' (Relu): expected a new name, got one that node 0 (NoOp) has"},
      {"node { name: 'a' }", "g:1: node 'a' (): expected an op, got none"},
      {"node { op: 'a' }", "g:1: node number 0 (a): expected a name, got none"},
      {"node { name: 'a b' op: 'NoOp' }",
       "g:1: node 'a b' (NoOp): expected a name of letters, digits and _.\\/->, got ' ' at byte 1"},
      {"node { name: 'a' op: 'NoOp' input: '^b' }",
       "g: node 'a' (NoOp): expected a node of the graph for input 0, got 'b'"},
      {"node { name: 'a' op: 'F' input: 'a:x' }",
       "g:1: node 'a' (F): expected NODE, NODE:OUTPUT or ^NODE for input 0, got 'a:x'"},
      {"node { name: 'a' op: 'F' input: 'a:out:0' }",
       "g: node 'a' (F): expected a node of the graph for input 0, got "
       "'a:out'"},
      {"node { name: 'a' op: 'F' input: 'a:-1' }",
       "g:1: node 'a' (F): expected NODE, NODE:OUTPUT or ^NODE for input 0, got 'a:-1'"},
      {"node { name: 'a' op: 'F' attr { key: 's' value { shape { dim { size: -5 } } } } }",
       "g:1: node 'a' (F): attribute 's': expected dimensions of at least 0, or -1 for unknown, got -5"},
      {"node { name: 'a' op: 'F' attr { key: 's' value { shape { unknown_rank: true dim { size: 5 } } } } }",
       "g:1: node 'a' (F): attribute 's': expected no dimensions with unknown_rank, got 1"},
      {"node { name: 'a' op: 'F' attr { key: 'v' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: "
       "4611686018427387904 } dim { size: 4 } } } } } }",
       "g:1: node 'a' (F): attribute 'v': expected a shape of fewer than 2^63 elements, got more by dimension 1"},
      {"node { name: 'a' op: 'F' attr { key: 'v' value { list { type: 777 } } } }",
       "g:1: node 'a' (F): attribute 'v': expected the number of a dtype, got 777"},
      {"node { name: 'a' op: 'F' attr { key: '' value { i: 1 } } }",
       "g:1: node 'a' (F): expected a name for every attribute, got none"},
  };
  for (const auto& [text, want] : rows) {
    INFO(text);
    CHECK(Verdict(text) == want);
  }
}

TEST_CASE("a file that ends early, or is something else") {
  pb::GraphDef def;
  for (const char* name : {"first", "second"}) {
    pb::NodeDef* node = def.add_node();
    node->set_name(std::string(name));
    node->set_op(std::string("NoOp"));
  }
  const std::string bytes = Wire(def);
  CHECK(Verdict(bytes) == "ok");
  CHECK(Verdict(bytes.substr(0, bytes.size() - 3)) ==
        "g: expected a GraphDef, got a field of 14 bytes of which 11 are there at byte 15, after 1 nodes, the last one "
        "'first'");
  CHECK(Verdict(absl::string_view("\x0a\xff\xff\xff\xff\xff\xff", 7)) ==
        "g: expected a GraphDef, got a field without its length at byte 0, after 0 nodes");
  CHECK(Verdict(absl::string_view("\x0b\x01", 2)) ==
        "g: expected a GraphDef, got a broken field at byte 0, after 0 nodes");
  CHECK(Verdict(absl::string_view("\x7f"
                                  "ELF\1\1\1\0\0\0",
                                  10)) == "g: expected a GraphDef, got a broken field at byte 0, after 0 nodes");
  CHECK(Verdict(absl::string_view("\0\0\0", 3)) == "g: expected a GraphDef, got no field at byte 0, after 0 nodes");
  CHECK(Verdict("") == "ok");  // a graph without nodes
  // Every way of cutting it short ends in an error or a smaller graph.
  for (size_t n = 0; n < bytes.size(); ++n) (void)Import(bytes.substr(0, n));
}

TEST_CASE("broken nodes are named") {
  // A name that is no UTF-8.
  CHECK(
      Verdict(absl::string_view("\x0a\x0a\x0a\x02\xff\xfe\x12\x04NoOp", 12)) ==
      "g: node '\\xff\\xfe' (number 0): expected a NodeDef in UTF-8, at most 100 levels deep, got bytes that are none");
  pb::GraphDef def;
  pb::NodeDef* node = def.add_node();
  node->set_name(std::string("deep"));
  node->set_op(std::string("F"));
  pb::AttrValue* attr = &(*node->mutable_attr())["f"];
  for (int i = 0; i < 200; ++i) attr = &(*attr->mutable_func()->mutable_attr())["f"];
  attr->set_i(1);
  CHECK(Verdict(Wire(def)) ==
        "g: node 'deep' (number 0): expected a NodeDef in UTF-8, at most 100 levels deep, got bytes that are none");
}

TEST_CASE("names of a megabyte, a million inputs, many outputs") {
  pb::GraphDef def;
  pb::NodeDef* node = def.add_node();
  node->set_name(std::string(1 << 20, 'n'));
  node->set_op(std::string("NoOp"));
  node->add_input("^" + std::string(1 << 20, 'm'));
  const std::string message = Verdict(Wire(def));
  CHECK(absl::StartsWith(message, "g: node 'nnn"));
  CHECK(message.size() < 1000);
  node->clear_input();
  CHECK(Import(Wire(def)).ok());

  def.Clear();
  node = def.add_node();
  node->set_name(std::string("x"));
  node->set_op(std::string("Placeholder"));
  (*node->mutable_attr())["dtype"].set_type(pb::DT_FLOAT);
  node = def.add_node();
  node->set_name(std::string("y"));
  node->set_op(std::string("AddN"));
  (*node->mutable_attr())["T"].set_type(pb::DT_FLOAT);
  (*node->mutable_attr())["N"].set_i(1000000);
  for (int i = 0; i < 1000000; ++i) node->add_input("x");
  const absl::StatusOr<Graph> graph = Import(Wire(def));
  REQUIRE(graph.ok());
  CHECK(VerifyGraph(*graph).ok());
  CHECK(graph->node(0).out_edges().size() == 1000000);
  CHECK(graph->MemoryBytes() < 40000000);

  // A few bytes of a file cannot ask for a million outputs each.
  def.Clear();
  for (int i = 0; i < 100; ++i) {
    node = def.add_node();
    node->set_name(absl::StrCat("s", i));
    node->set_op(std::string("Split"));
    (*node->mutable_attr())["T"].set_type(pb::DT_FLOAT);
    (*node->mutable_attr())["num_split"].set_i(900000);
    node->add_input("a");
    node->add_input("b");
  }
  CHECK(Verdict(Wire(def)) == "g: node 's2' (Split): expected outputs that the graph has room for, got 900000");
}

TEST_CASE("a constant that fills a huge shape is one value") {
  const std::string text =
      "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor "
      "{ "
      "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } dim { size: 1024 } } float_val: 1.5 } } } }";
  const absl::StatusOr<Graph> graph = Import(text);
  REQUIRE(graph.ok());
  CHECK(graph->MemoryBytes() < 10000);
  CHECK(PrintGraph(*graph) == "c = Const() {dtype=f32, value=tensor<f32[1099511627776,1024] 1.5,...>} : f32?\n");
  CHECK(Printed(ExportGraphDef(*graph)) == PrintGraph(*graph));
}

}  // namespace
}  // namespace berth
