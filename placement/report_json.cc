// PlacementDef in JSON, written piece by piece: what is held does not grow with the graph. Nodes, of which there are
// many, are written by hand; all else by protobuf, whose layout this keeps.
#include <google/protobuf/util/json_util.h>

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "placement/groups.h"
#include "placement/host_memory.h"
#include "placement/report.h"
#include "placement/report_parts.h"
#include "proto/placement.pb.h"

namespace berth {
namespace {

constexpr size_t kPiece = 1 << 16;  // bytes

std::string Json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  // Fails only for bytes that are no UTF-8, which strings of these messages replace.
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  return status.ok() ? json : "{}\n";
}

// What stands between the braces; "" for an empty message.
std::string Fields(const google::protobuf::Message& message) {
  const std::string json = Json(message);
  absl::string_view fields = json;
  if (!absl::ConsumePrefix(&fields, "{\n") || !absl::ConsumeSuffix(&fields, "\n}\n")) return "";
  return std::string(fields);
}

bool IsPlain(absl::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) return false;
  }
  return true;
}

// Of printable ASCII.
void AppendQuoted(absl::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '<') {
      out.append("\\u003c");
    } else if (c == '>') {
      out.append("\\u003e");
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

class Writer {
 public:
  explicit Writer(absl::FunctionRef<void(absl::string_view)> sink) : sink_(sink) {}
  ~Writer() { sink_(out_); }

  // `fields` of the whole, each on lines of its own.
  void Add(absl::string_view fields) {
    if (fields.empty()) return;
    absl::StrAppend(&out_, any_ ? ",\n" : "", fields);
    any_ = true;
    Flush();
  }

  // The repeated field `name`: item(i, out) appends one, without indent. Nothing for none.
  template <typename Item>
  void AddList(absl::string_view name, size_t count, Item item) {
    for (size_t i = 0; i < count; ++i) {
      if (i == 0) {
        absl::StrAppend(&out_, any_ ? ",\n" : "", " \"", name, "\": [\n");
      } else {
        out_.append(",\n");
      }
      item(i, out_);
      Flush();
    }
    if (count > 0) out_.append("\n ]");
    any_ = any_ || count > 0;
  }

  void Open() { out_.append("{\n"); }
  void Close() { out_.append("\n}\n"); }

 private:
  void Flush() {
    if (out_.size() < kPiece) return;
    sink_(out_);
    out_.clear();
  }

  absl::FunctionRef<void(absl::string_view)> sink_;
  std::string out_;
  bool any_ = false;
};

// A message as an item of a list.
void AppendItem(const google::protobuf::Message& message, std::string& out) {
  std::string json = Json(message);
  json.pop_back();
  absl::StrAppend(&out, "  ", absl::StrReplaceAll(json, {{"\n", "\n  "}}));
}

class NodeWriter {
 public:
  NodeWriter(const Graph& graph, const Machine& machine, const Placement& placement, const ReportNames& names)
      : graph_(graph), machine_(machine), placement_(placement), names_(names) {
    for (const std::string& text : placement.texts) quoted_texts_.push_back(Quoted(text));
    for (const std::string& device : names.devices) quoted_devices_.push_back(Quoted(device));
  }

  void Append(NodeId n, std::string& out) const {
    const Node node = graph_.node(n);
    const std::string source = node.source().ToString();
    bool plain = IsPlain(node.name()) && IsPlain(node.op()) && IsPlain(node.device()) && IsPlain(source);
    for (const Tag& tag : node.tags()) plain = plain && IsPlain(tag.key) && IsPlain(tag.value);
    const std::string& reason = quoted_texts_[placement_.reasons[n].reason];
    const std::string& author = quoted_texts_[placement_.reasons[n].author];
    if (!plain || reason.empty() || author.empty() || !HostMemoryOf(graph_, machine_, placement_, n).empty()) {
      pb::NodePlacement item;
      NodeToProto(graph_, machine_, placement_, names_, n, &item);
      return AppendItem(item, out);
    }
    bool any = false;
    const auto key = [&](absl::string_view name) {
      absl::StrAppend(&out, any ? ",\n" : "", "   \"", name, "\": ");
      any = true;
    };
    const auto text = [&](absl::string_view name, absl::string_view value) {
      if (value.empty()) return;
      key(name);
      AppendQuoted(value, out);
    };
    const auto quoted = [&](absl::string_view name, absl::string_view value) {
      if (value.size() <= 2) return;
      key(name);
      out.append(value.data(), value.size());
    };
    out.append("  {\n");
    text("name", node.name());
    text("op", node.op());
    quoted("device", quoted_devices_[placement_.device(n)]);
    text("requested", node.device());
    quoted("reason", reason);
    quoted("author", author);
    if (names_.groups[n] != 0) {
      key("group");
      absl::StrAppend(&out, names_.groups[n]);
    }
    text("source", source);
    if (!node.tags().empty()) {
      // As protobuf's map, which is in no order of its own.
      std::map<absl::string_view, absl::string_view> tags;
      for (const Tag& tag : node.tags()) tags[tag.key] = tag.value;
      key("tag");
      absl::string_view before = "{\n    ";
      for (const auto& [name, value] : tags) {
        out.append(before.data(), before.size());
        AppendQuoted(name, out);
        out.append(": ");
        AppendQuoted(value, out);
        before = ",\n    ";
      }
      out.append("\n   }");
    }
    out.append("\n  }");
  }

 private:
  // "" where protobuf has to write it.
  static std::string Quoted(const std::string& text) {
    std::string quoted;
    if (IsPlain(text)) AppendQuoted(text, quoted);
    return quoted;
  }

  const Graph& graph_;
  const Machine& machine_;
  const Placement& placement_;
  const ReportNames& names_;
  std::vector<std::string> quoted_texts_, quoted_devices_;
};

}  // namespace

void WritePlacementJson(const Graph& graph, const Machine& machine, const Placement& placement, Explainer* explainer,
                        absl::FunctionRef<void(absl::string_view)> sink) {
  const ReportNames names = NamesFor(graph, machine, placement);
  Writer writer(sink);
  writer.Open();
  pb::PlacementDef head;
  HeadToProto(placement, &head);
  writer.Add(Fields(head));
  const NodeWriter nodes(graph, machine, placement, names);
  writer.AddList("node", graph.num_nodes(),
                 [&](size_t n, std::string& out) { nodes.Append(static_cast<NodeId>(n), out); });
  std::vector<const Fallback*> relaxed, abstained;
  for (const Fallback& fallback : placement.fallbacks) {
    (fallback.dropped.empty() ? abstained : relaxed).push_back(&fallback);
  }
  writer.AddList("relaxation", relaxed.size(), [&](size_t i, std::string& out) {
    pb::Relaxation item;
    RelaxationToProto(graph, names, *relaxed[i], &item);
    AppendItem(item, out);
  });
  writer.AddList("fallback", abstained.size(), [&](size_t i, std::string& out) {
    pb::Fallback item;
    FallbackToProto(graph, *abstained[i], &item);
    AppendItem(item, out);
  });
  pb::PlacementDef tail;
  TailToProto(graph, machine, placement, &tail);
  writer.Add(Fields(tail));
  if (explainer != nullptr) {
    writer.AddList("choice", names.roots.size(), [&](size_t i, std::string& out) {
      pb::GroupChoice item;
      ChoiceToProto(graph, names, names.roots[i], explainer->Explain(names.roots[i]), &item);
      AppendItem(item, out);
    });
  }
  writer.AddList("tie", placement.ties.size(), [&](size_t i, std::string& out) {
    pb::RuleTie item;
    TieToProto(graph, placement.ties[i], &item);
    AppendItem(item, out);
  });
  writer.Close();
}

std::string PlacementToJson(const Graph& graph, const Machine& machine, const Placement& placement,
                            Explainer* explainer) {
  std::string json;
  WritePlacementJson(graph, machine, placement, explainer,
                     [&json](absl::string_view piece) { json.append(piece.data(), piece.size()); });
  return json;
}

}  // namespace berth
