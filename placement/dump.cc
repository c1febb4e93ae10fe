#include "placement/dump.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/status_macros.h"
#include "placement/caret.h"
#include "proto/graph.pb.h"
#include "proto/placement.pb.h"

namespace berth {
namespace {

using Nodes = std::vector<DumpedNode>;

// Protobuf's message in the form of ours.
std::string FirstLine(absl::string_view message) {
  std::string line(message.substr(0, message.find('\n')));
  if (!line.empty()) line[0] = absl::ascii_tolower(line[0]);
  while (absl::EndsWith(line, ".")) line.pop_back();
  return line;
}

absl::StatusOr<Nodes> FromJson(absl::string_view bytes, absl::string_view file) {
  pb::PlacementDef def;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage({bytes.data(), bytes.size()}, &def, options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": expected a PlacementDef in JSON, got an error: ", FirstLine(std::string(status.message()))));
  }
  pb::RefusalDef refusal;
  if (def.node().empty() &&
      google::protobuf::util::JsonStringToMessage({bytes.data(), bytes.size()}, &refusal, options).ok() &&
      !refusal.error().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": expected a placement, got a refusal: ", FirstLine(refusal.error())));
  }
  if (def.version() != 0 && def.version() != kPlacementDefVersion) {  // 0: written by hand
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": expected a PlacementDef of version ", kPlacementDefVersion, ", got ", def.version()));
  }
  Nodes nodes;
  for (const pb::NodePlacement& node : def.node()) {
    const bool both = !node.author().empty() && !node.reason().empty();
    nodes.push_back({node.name(), node.device(), absl::StrCat(node.author(), both ? ": " : "", node.reason())});
  }
  return nodes;
}

std::string TextAttr(const pb::NodeDef& node, const char* name) {
  const auto found = node.attr().find(name);
  return found == node.attr().end() ? "" : found->second.s();
}

Nodes FromGraphDef(const pb::GraphDef& def) {
  Nodes nodes;
  for (const pb::NodeDef& node : def.node()) {
    const std::string author = TextAttr(node, "_berth_author");
    nodes.push_back({node.name(), node.device(),
                     author.empty() ? "" : absl::StrCat(author, ": ", TextAttr(node, "_berth_reason"))});
  }
  // Bodies that were placed say so (graph/function_library.h).
  for (const pb::FunctionDef& function : def.library().function()) {
    const auto places = function.attr().find("_berth_places");
    if (places == function.attr().end()) continue;
    for (const std::string& place : places->second.list().s()) {
      const std::pair<std::string, std::string> parts = absl::StrSplit(place, absl::MaxSplits(' ', 1));
      nodes.push_back({parts.first, parts.second, ""});
    }
  }
  return nodes;
}

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (text_.empty())
      text_ = absl::StrCat(line + 1, ":", column + 1, ": expected a GraphDef, got an error: ", FirstLine(message));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::StatusOr<Nodes> FromGraphDefText(absl::string_view bytes, absl::string_view file) {
  pb::GraphDef def;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(100);
  if (!parser.ParseFromString(std::string(bytes), &def)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", error.text()));
  }
  return FromGraphDef(def);
}

// Of the rest of a graph's line after `name = `.
struct GraphLineEnd {
  absl::string_view device;   // after an @ outside of quotes, before any comment
  absl::string_view comment;  // without the #
};

GraphLineEnd EndOfGraphLine(absl::string_view rest) {
  GraphLineEnd line;
  size_t at = absl::string_view::npos;
  bool quoted = false;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (quoted && rest[i] == '\\') {
      ++i;
    } else if (rest[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && rest[i] == '@' && i > 0 && rest[i - 1] == ' ') {
      at = i + 1;
    } else if (!quoted && rest[i] == '#' && (i + 1 == rest.size() || rest[i + 1] == ' ')) {  // not the hash of a value
      line.comment = absl::StripAsciiWhitespace(rest.substr(i + 1));
      rest = rest.substr(0, i);
      break;
    }
  }
  if (at == absl::string_view::npos) return line;
  rest.remove_prefix(std::min(at, rest.size()));
  line.device = absl::ConsumePrefix(&rest, "\"") ? rest.substr(0, rest.find('"')) : rest.substr(0, rest.find(' '));
  return line;
}

absl::StatusOr<Nodes> FromLines(absl::string_view bytes, absl::string_view file) {
  Nodes nodes;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(bytes, '\n')) {
    ++number;
    absl::ConsumeSuffix(&line, "\r");
    if (line.empty() || line[0] == '#' || (number == 1 && line == "node\tdevice")) continue;
    const size_t end = line.find_first_of(" \t");
    const absl::string_view name = line.substr(0, end);
    absl::string_view rest = end == absl::string_view::npos ? "" : line.substr(end);
    absl::string_view device, why;
    if (absl::ConsumePrefix(&rest, " = ")) {
      const GraphLineEnd line_end = EndOfGraphLine(rest);
      device = line_end.device;
      why = line_end.comment;
    } else {
      rest = absl::StripLeadingAsciiWhitespace(rest);
      device = rest.substr(0, rest.find_first_of(" \t"));
      if (name.empty() || device.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat(file, ":", number, ": expected a node and its device, got ", Quoted(line)));
      }
      why = absl::StripAsciiWhitespace(rest.substr(device.size()));
    }
    nodes.push_back({std::string(name), std::string(device), std::string(why)});
  }
  return nodes;
}

bool IsGraphDefText(absl::string_view bytes) {
  for (absl::string_view line : absl::StrSplit(bytes, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    for (const absl::string_view field : {"node", "versions", "library", "version", "debug_info"}) {
      absl::string_view rest = line;
      if (!absl::ConsumePrefix(&rest, field)) continue;
      rest = absl::StripLeadingAsciiWhitespace(rest);
      if (!rest.empty() && (rest[0] == '{' || rest[0] == '<' || rest[0] == ':')) return true;
    }
    return false;
  }
  return false;
}

// A serialized GraphDef starts with the tag of one of its fields, all of which are control characters or no text.
bool IsBinary(absl::string_view bytes) {
  // After the tag of a node may come a name as long as it likes.
  const absl::string_view head = absl::StartsWith(bytes, "\n") ? bytes : bytes.substr(0, 512);
  return std::any_of(head.begin(), head.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t' && c != '\r'; });
}

absl::StatusOr<Nodes> ReadAny(absl::string_view bytes, absl::string_view file) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
  if (IsBinary(bytes)) {
    pb::GraphDef def;
    if (bytes.size() > INT32_MAX || !def.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return absl::InvalidArgumentError(absl::StrCat(file, ": expected a GraphDef, got other bytes"));
    }
    return FromGraphDef(def);
  }
  if (absl::StartsWith(text, "{")) return FromJson(text, file);
  if (IsGraphDefText(bytes)) return FromGraphDefText(bytes, file);
  return FromLines(bytes, file);
}

}  // namespace

bool DumpHoldsGraph(absl::string_view bytes) {
  if (IsBinary(bytes)) return true;
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(bytes), "{")) return false;
  if (IsGraphDefText(bytes)) return true;
  for (const absl::string_view line : absl::StrSplit(bytes, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const size_t end = line.find_first_of(" \t");
    return end != absl::string_view::npos && absl::StartsWith(line.substr(end), " = ");
  }
  return false;
}

absl::StatusOr<Nodes> ReadDump(absl::string_view bytes, absl::string_view file) {
  BERTH_ASSIGN_OR_RETURN(Nodes nodes, ReadAny(bytes, file));
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), [](const DumpedNode& node) { return node.device.empty(); }),
              nodes.end());
  absl::flat_hash_set<absl::string_view> names;
  for (const DumpedNode& node : nodes) {
    if (!names.insert(node.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": node ", Quoted(node.name), ": expected it once, got it twice"));
    }
  }
  return nodes;
}

}  // namespace berth
