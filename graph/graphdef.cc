#include "graph/graphdef.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/wire_format_lite.h"
#include "graph/attr_proto.h"
#include "graph/ops/known_signatures.h"
#include "graph/output_shapes.h"
#include "proto/graph.pb.h"

namespace berth {
namespace {

using google::protobuf::io::CodedOutputStream;

// The shapes that no reader would find again: an opaque op's, and a placeholder's that has no attribute for it.
std::optional<AttrValue> DeclaredShapes(const Node& node) {
  if (node.op_def() != nullptr && (node.op() != "Placeholder" || node.attr("shape") != nullptr)) return std::nullopt;
  if (node.op_def() == nullptr && HasKnownShapes(node.op())) return std::nullopt;
  if (node.attr(kOutputShapes) != nullptr) return std::nullopt;
  AttrList list;
  bool any = false;
  for (int k = 0; k < node.num_outputs(); ++k) {
    list.shape.push_back(node.output_shape(k));
    any = any || node.output_shape(k).has_rank();
  }
  return any ? std::optional<AttrValue>(std::move(list)) : std::nullopt;
}

void ToProto(const Node& node, const ExportOptions& options, pb::NodeDef* proto) {
  const Graph& graph = node.graph();
  const absl::string_view extras = graph.node_extras(node.id());
  if (!extras.empty()) proto->ParseFromArray(extras.data(), static_cast<int>(extras.size()));
  proto->set_name(std::string(node.name()));
  proto->set_op(std::string(node.op()));
  for (const Input& input : node.inputs()) {
    const absl::string_view name = graph.node(input.node).name();
    std::string* text = proto->add_input();
    if (input.is_control()) {
      *text = absl::StrCat("^", name);
    } else {
      *text = input.slot == 0 ? std::string(name) : absl::StrCat(name, ":", input.slot);
    }
  }
  proto->set_device(options.device == nullptr ? std::string(node.device()) : (*options.device)(node));
  for (const NamedAttr& attr : node.attrs()) {
    AttrToProto(*attr.value, &(*proto->mutable_attr())[std::string(attr.name)]);
  }
  if (const std::optional<AttrValue> shapes = DeclaredShapes(node)) {
    AttrToProto(*shapes, &(*proto->mutable_attr())[std::string(kOutputShapes)]);
  }
  if (options.attrs == nullptr) return;
  for (const auto& [name, value] : (*options.attrs)(node)) AttrToProto(value, &(*proto->mutable_attr())[name]);
}

}  // namespace

std::string ExportGraphDef(const Graph& graph, const ExportOptions& options) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    pb::NodeDef proto;
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      proto.Clear();
      ToProto(graph.node(id), options, &proto);
      out.WriteTag(google::protobuf::internal::WireFormatLite::MakeTag(
          pb::GraphDef::kNodeFieldNumber, google::protobuf::internal::WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
      out.WriteVarint32(static_cast<uint32_t>(proto.ByteSizeLong()));
      proto.SerializeWithCachedSizes(&out);
    }
  }
  absl::StrAppend(&bytes, options.extras == nullptr ? graph.extras() : absl::string_view(*options.extras));
  return bytes;
}

std::string ExportGraphDefText(const Graph& graph, const ExportOptions& options) {
  pb::GraphDef proto;
  const absl::string_view extras = options.extras == nullptr ? graph.extras() : absl::string_view(*options.extras);
  proto.ParseFromArray(extras.data(), static_cast<int>(extras.size()));
  for (NodeId id = 0; id < graph.num_nodes(); ++id) ToProto(graph.node(id), options, proto.add_node());
  google::protobuf::TextFormat::Printer printer;
  // They would print as numbers, which no reader takes.
  printer.SetHideUnknownFields(true);
  std::string text;
  printer.PrintToString(proto, &text);
  return text;
}

}  // namespace berth
