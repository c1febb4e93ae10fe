// The protos against real files: what TensorFlow wrote reads, has no field that we lack, and reads
// back equal when it was written again.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "proto/machine.pb.h"
#include "proto/op_def.pb.h"
#include "proto/placement.pb.h"
#include "proto/run_metadata.pb.h"
#include "tests/testing.h"

namespace berth::pb {
namespace {

namespace fs = std::filesystem;
using google::protobuf::Message;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Equal messages have equal bytes: maps are written in key order.
std::string Bytes(const Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::string Text(const Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return text;
}

// "NodeDef: 1 unknown field" for the first message in the tree that has some, or empty.
std::string Unknown(const Message& message) {
  const auto* reflection = message.GetReflection();
  const int count = reflection->GetUnknownFields(message).field_count();
  if (count > 0) return message.GetDescriptor()->name() + ": " + std::to_string(count) + " unknown";
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int size = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < size; ++i) {
      const Message& inner = field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                                  : reflection->GetMessage(message, field);
      if (std::string found = Unknown(inner); !found.empty()) return found;
    }
  }
  return "";
}

// What goes wrong with one file, or "ok".
template <typename M>
std::string RoundTrip(const std::string& path) {
  const std::string file = ReadFile(path);
  M message, again;
  if (path.ends_with(".pbtxt")) {
    if (!google::protobuf::TextFormat::ParseFromString(file, &message)) return "does not parse";
    if (!google::protobuf::TextFormat::ParseFromString(Text(message), &again)) return "own text";
    if (Bytes(message) != Bytes(again)) return "text reads back different";
  } else if (!message.ParseFromString(file)) {
    return "does not parse";
  }
  if (std::string unknown = Unknown(message); !unknown.empty()) return unknown;
  if (!again.ParseFromString(message.SerializeAsString())) return "own bytes";
  if (Bytes(message) != Bytes(again)) return "bytes read back different";
  if (message.ByteSizeLong() == 0) return "empty";
  return "ok";
}

std::vector<std::string> Files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(SharedPath(folder))) {
    const std::string path = entry.path();
    if (path.ends_with(".pb") || path.ends_with(".pbtxt")) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST_CASE("every shared graph reads, and reads back equal") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const char* folder : {"data/models", "data/topologies", "data/opaque", "data/placed", "data/ops", "data/graphs",
                             "data/placed-random"}) {
    const std::vector<std::string> paths = Files(folder);
    INFO(folder);
    CHECK(!paths.empty());
    for (const std::string& path : paths) {
      INFO(path);
      CHECK(RoundTrip<GraphDef>(path) == "ok");
    }
  }
}

TEST_CASE("the shared op signatures read, and read back equal") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  CHECK(RoundTrip<OpList>(SharedPath("data/op_defs.pbtxt")) == "ok");
}

TEST_CASE("unknown fields survive in binary form, at every depth") {
  NodeDef node;
  node.set_name("a");
  node.GetReflection()->MutableUnknownFields(&node)->AddVarint(1000, 7);
  GraphDef graph;
  *graph.add_node() = node;
  graph.GetReflection()->MutableUnknownFields(&graph)->AddLengthDelimited(1001, "later");
  GraphDef again;
  REQUIRE(again.ParseFromString(graph.SerializeAsString()));
  CHECK(Bytes(again) == Bytes(graph));
  const auto& kept = again.GetReflection()->GetUnknownFields(again);
  REQUIRE(kept.field_count() == 1);
  CHECK(kept.field(0).length_delimited() == "later");
  const auto& inner = again.node(0).GetReflection()->GetUnknownFields(again.node(0));
  REQUIRE(inner.field_count() == 1);
  CHECK(inner.field(0).varint() == 7);
}

std::string Hex(const std::string& bytes) {
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

// The text form of a message, and the bytes it stands for by the published field numbers.
template <typename M>
void CheckWire(const std::string& text, const std::string& hex) {
  M message;
  INFO(text);
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &message));
  CHECK(Hex(Bytes(message)) == hex);
}

TEST_CASE("messages have the published wire form") {
  CheckWire<GraphDef>("node { name: 'a' op: 'NoOp' } versions { producer: 27 }", "0a090a016112044e6f4f702202081b");
  CheckWire<Event>("wall_time: 1 file_version: 'brain.Event:2'", "09000000000000f03f1a0d627261696e2e4576656e743a32");
  CheckWire<Event>("tagged_run_metadata { tag: 't' run_metadata: 'x' }", "42060a0174120178");
  CheckWire<AttrValue>("list { i: 1 i: 2 type: DT_FLOAT type: DT_INT32_REF }",
                       "0a081a0201023202016"
                       "7");
  CheckWire<AttrValue>("func { name: 'f' attr { key: 'T' value { type: DT_HALF } } }",
                       "520c0a01661207"
                       "0a0154"
                       "12023013");
  CheckWire<TensorProto>("dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1",
                         "080112041202080"
                         "22a040000803f");
  CheckWire<OpDef>("name: 'A' input_arg { name: 'x' type_attr: 'T' is_ref: true } is_stateful: true",
                   "0a014112090a01782201"
                   "54800101880101");
  CheckWire<FunctionDefLibrary>("function { ret { key: 'y' value: 'z' } } gradient { function_name: 'f' }",
                                "0a0822060a01791201"
                                "7a12030a0166");
  CheckWire<RunMetadata>(
      "step_stats { dev_stats { device: 'd' node_stats { node_name: 'n' all_start_micros: 5 "
      "all_end_rel_micros: 6 } } }",
      "0a0e0a0c0a016412070a016e10052806");
}

TEST_CASE("a machine file needs names alone, and keeps apart zero and not set") {
  MachineDef machine;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(
      "device { name: 'cpu:0' } device { name: 'gpu:0' memory_bytes: 0 }", &machine));
  CHECK(!machine.device(0).has_memory_bytes());
  CHECK(machine.device(1).has_memory_bytes());
}

TEST_CASE("a placement reads back equal from text") {
  PlacementDef placement, again;
  placement.set_version(1);
  placement.set_mode("soft");
  NodePlacement* node = placement.add_node();
  node->set_name("a/b");
  node->set_device("/job:localhost/replica:0/task:0/device:GPU:0");
  (*node->mutable_tag())["tower"] = "1";
  placement.add_choice()->add_veto()->set_reason("no kernel");
  REQUIRE(google::protobuf::TextFormat::ParseFromString(Text(placement), &again));
  CHECK(Bytes(again) == Bytes(placement));
}

}  // namespace
}  // namespace berth::pb
