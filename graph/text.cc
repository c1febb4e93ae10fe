#include "graph/text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/device_name.h"
#include "graph/literal_text.h"
#include "graph/text_words.h"

namespace berth {
namespace {

std::string Quote(absl::string_view text) { return absl::StrCat("\"", absl::CHexEscape(text), "\""); }

void AppendWord(absl::string_view word, bool (*is_char)(char), std::string& text) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), is_char);
  absl::StrAppend(&text, plain ? std::string(word) : Quote(word));
}

// A request in canonical spelling prints short; any other byte for byte, in quotes.
std::string RequestText(absl::string_view request) {
  const absl::StatusOr<DeviceName> device = ParseTensorFlowName(request);
  if (!device.ok() || device->ToString() != request) return Quote(request);
  const bool local = !device->job && !device->replica && !device->task;
  return local ? device->ShortName() : std::string(request);
}

// A device that the caller gave, such as an assigned one.
std::string DeviceText(const std::string& device) {
  const bool plain = std::all_of(device.begin(), device.end(), IsDeviceChar) && ParseDeviceName(device).ok();
  return plain ? device : Quote(device);
}

void AppendInputs(const Node& node, std::string& text) {
  const char* separator = "(";
  for (const Input& input : node.inputs()) {
    absl::StrAppend(&text, separator, input.is_control() ? "^" : "", node.graph().node(input.node).name());
    if (input.slot > 0) absl::StrAppend(&text, ":", input.slot);
    separator = ", ";
  }
  absl::StrAppend(&text, node.inputs().empty() ? "()" : ")");
}

void AppendAttrs(const Node& node, bool all_values, std::string& text) {
  const char* separator = " {";
  for (const NamedAttr& attr : node.attrs()) {
    absl::StrAppend(&text, separator, AttrNameText(attr.name), "=", attr.value->ToString(all_values));
    separator = ", ";
  }
  if (const OpDef* op = node.op_def()) {
    for (const AttrDef& def : op->attrs) {
      if (def.default_value || node.attr(def.name) != nullptr) continue;
      absl::StrAppend(&text, separator, AttrNameText(def.name), "=", kAbsentAttr);
      separator = ", ";
    }
  }
  if (separator[0] == ',') text += '}';
}

void AppendTags(const Node& node, std::string& text) {
  const char* separator = " <";
  for (const Tag& tag : node.tags()) {
    text += separator;
    AppendWord(tag.key, IsTagChar, text);
    text += '=';
    AppendWord(tag.value, IsTagChar, text);
    separator = ", ";
  }
  if (separator[0] == ',') text += '>';
}

void AppendOutputs(const Node& node, std::string& text) {
  const char* separator = " : ";
  for (int k = 0; k < node.num_outputs(); ++k) {
    const DType type = node.output_dtype(k);
    const PartialShape& shape = node.output_shape(k);
    absl::StrAppend(&text, separator, ShortDTypeName(type));
    if (type != DType::kInvalid || shape.has_rank()) text += shape.ToString();
    separator = ", ";
  }
}

}  // namespace

std::string PrintGraph(const Graph& graph, const TextOptions& options) {
  std::string text;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    absl::StrAppend(&text, node.name(), " = ");
    AppendWord(node.op(), IsOpChar, text);
    AppendInputs(node, text);
    AppendAttrs(node, options.all_values, text);
    AppendTags(node, text);
    AppendOutputs(node, text);
    const std::string device = options.device != nullptr ? options.device(node) : std::string(node.device());
    if (!device.empty()) {
      absl::StrAppend(&text, " @", options.device != nullptr ? DeviceText(device) : RequestText(device));
    }
    if (options.comment != nullptr) {
      std::string comment = options.comment(node);
      std::replace_if(comment.begin(), comment.end(), absl::ascii_iscntrl, ' ');
      if (!comment.empty()) absl::StrAppend(&text, "  # ", comment);
    }
    text += '\n';
  }
  return text;
}

}  // namespace berth
