#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/arena.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/wire_format_lite.h"
#include "graph/attr_proto.h"
#include "graph/graph_builder.h"
#include "graph/graphdef.h"
#include "graph/import_devices.h"
#include "graph/ops/known_signatures.h"
#include "graph/output_shapes.h"
#include "graph/signature.h"
#include "graph/status_macros.h"
#include "proto/graph.pb.h"

namespace berth {
namespace {

using google::protobuf::Arena;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Messages inside messages, such as functions in attributes.
constexpr int kMaxDepth = 100;
// Nodes are parsed one at a time into an arena that is emptied when so many bytes of the file went into it; most fit its
// first block.
constexpr size_t kBytesAtOnce = size_t{1} << 13;
constexpr size_t kFirstBlock = size_t{1} << 17;

// A field of the GraphDef, or one of its nodes, as it lies in the file.
struct Chunk {
  absl::string_view bytes;
  int line = 0;  // of a text file
};

// The file by its top-level fields.
struct Sections {
  std::vector<Chunk> nodes;
  std::vector<absl::string_view> libraries;
  std::string extras;  // all but the nodes, as they came
};

absl::Status InFile(const ImportOptions& options, absl::string_view text) {
  const bool has_file = absl::StartsWith(text, options.file + ":");
  return absl::InvalidArgumentError(has_file ? std::string(text) : absl::StrCat(options.file, ": ", text));
}

// True when exporting can read the bytes again.
bool ExtrasAreReadable(absl::string_view bytes) {
  Arena arena;
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  in.SetRecursionLimit(kMaxDepth);
  return Arena::CreateMessage<pb::GraphDef>(&arena)->MergeFromCodedStream(&in) && in.ConsumedEntireMessage();
}

// The name in a NodeDef whose parse failed, as far as it can be read.
std::string NameOfBroken(absl::string_view bytes) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  std::string name;
  int size;
  if (in.ReadTag() != 0x0a || !in.ReadVarintSizeAsInt(&size) || !in.ReadString(&name, std::min(size, 256))) return "?";
  return absl::CHexEscape(name);
}

// Splits binary bytes without reading into the nodes.
absl::StatusOr<Sections> Split(absl::string_view bytes) {
  Sections sections;
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  in.SetTotalBytesLimit(std::numeric_limits<int>::max());
  while (true) {
    const int begin = in.CurrentPosition();
    const uint32_t tag = in.ReadTag();
    if (tag == 0 && begin == static_cast<int>(bytes.size())) return sections;
    const auto broken = [&](absl::string_view got) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected a GraphDef, got ", got, " at byte ", begin, ", after ", sections.nodes.size(), " nodes",
          sections.nodes.empty() ? "" : ", the last one '",
          sections.nodes.empty() ? "" : NameOfBroken(sections.nodes.back().bytes), sections.nodes.empty() ? "" : "'"));
    };
    if (tag == 0) return broken("no field");
    if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      uint32_t size;
      if (!in.ReadVarint32(&size)) return broken("a field without its length");
      const int at = in.CurrentPosition();
      if (size > bytes.size() - static_cast<size_t>(at)) {
        return broken(absl::StrCat("a field of ", size, " bytes of which ", bytes.size() - at, " are there"));
      }
      const absl::string_view field = bytes.substr(at, size);
      in.Skip(static_cast<int>(size));
      const int number = WireFormatLite::GetTagFieldNumber(tag);
      if (number == pb::GraphDef::kNodeFieldNumber) {
        sections.nodes.push_back({field});
        continue;
      }
      if (number == pb::GraphDef::kLibraryFieldNumber) sections.libraries.push_back(field);
    } else if (!WireFormatLite::SkipField(&in, tag)) {
      return broken("a broken field");
    }
    absl::StrAppend(&sections.extras, bytes.substr(begin, in.CurrentPosition() - begin));
  }
}

// Text never has control characters but white space, nor bytes that UTF-8 never has; a binary GraphDef has the former in
// its first node, though perhaps after a long name: where the first byte is that of a node, all of it is looked at.
bool LooksLikeText(absl::string_view bytes) {
  for (unsigned char c : absl::StartsWith(bytes, "\n") ? bytes : bytes.substr(0, 4096)) {
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v') || c == 0x7f || c >= 0xf8)
      return false;
  }
  return !bytes.empty();
}

// Keeps the first error of the text parser, with the line and a caret.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  TextErrors(absl::string_view text, absl::string_view file) : text_(text), file_(file) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!status_.ok()) return;
    std::string lower = message;
    if (!lower.empty()) lower[0] = absl::ascii_tolower(lower[0]);
    while (absl::EndsWith(lower, ".")) lower.pop_back();
    if (absl::EndsWith(lower, "got: ")) lower += "the end of the file";
    status_ = absl::InvalidArgumentError(absl::StrCat(file_, ":", line + 1, ":", column + 1,
                                                      ": expected a GraphDef, got an error: ", lower.substr(0, 512),
                                                      Excerpt(line, column)));
  }
  const absl::Status& status() const { return status_; }

 private:
  std::string Excerpt(int line, int column) const {
    size_t begin = 0;
    for (int i = 0; i < line && begin != absl::string_view::npos; ++i) {
      begin = text_.find('\n', begin);
      if (begin != absl::string_view::npos) ++begin;
    }
    if (line < 0 || column < 0 || begin == absl::string_view::npos) return "";
    const absl::string_view row = text_.substr(begin, text_.find('\n', begin) - begin);
    if (row.size() > 200 || static_cast<size_t>(column) > row.size()) return "";
    return absl::StrCat("\n", row, "\n", std::string(column, ' '), "^");
  }

  absl::string_view text_;
  absl::string_view file_;
  absl::Status status_;
};

// The text form as binary sections; `storage` holds their bytes.
absl::StatusOr<Sections> ReadText(absl::string_view text, const ImportOptions& options, std::string* storage) {
  Arena arena;
  pb::GraphDef* graph = Arena::CreateMessage<pb::GraphDef>(&arena);
  google::protobuf::TextFormat::Parser parser;
  google::protobuf::TextFormat::ParseInfoTree places;
  TextErrors errors(text, options.file);
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&places);
  parser.SetRecursionLimit(kMaxDepth);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, graph)) {
    return errors.status().ok() ? InFile(options, "expected a GraphDef in text form, got something else")
                                : errors.status();
  }
  if (!graph->SerializeToString(storage)) {
    return InFile(options, "expected a GraphDef of less than 2 GiB, got a larger one");
  }
  absl::StatusOr<Sections> sections = Split(*storage);
  if (!sections.ok()) return InFile(options, sections.status().message());
  const auto* field = pb::GraphDef::descriptor()->FindFieldByNumber(pb::GraphDef::kNodeFieldNumber);
  for (size_t i = 0; i < sections->nodes.size(); ++i) {
    sections->nodes[i].line = places.GetLocation(field, static_cast<int>(i)).line + 1;
  }
  return sections;
}

// Calls of functions are opaque nodes with the outputs that the function's signature says.
class Functions {
 public:
  absl::Status Read(absl::string_view library) {
    pb::FunctionDefLibrary proto;
    if (!proto.ParseFromArray(library.data(), static_cast<int>(library.size()))) {
      return absl::InvalidArgumentError("expected a function library, got bytes that are none");
    }
    for (const pb::FunctionDef& function : proto.function()) {
      const pb::OpDef& signature = function.signature();
      if (signature.name().empty()) return absl::InvalidArgumentError("expected a name for every function, got none");
      OpDef op;
      op.name = signature.name();
      for (const pb::OpDef::ArgDef& arg : signature.input_arg()) {
        BERTH_ASSIGN_OR_RETURN(ArgDef converted, Arg(arg));
        op.inputs.push_back(std::move(converted));
      }
      for (const pb::OpDef::ArgDef& arg : signature.output_arg()) {
        BERTH_ASSIGN_OR_RETURN(ArgDef converted, Arg(arg));
        op.outputs.push_back(std::move(converted));
      }
      by_name_.emplace(op.name, std::move(op));
    }
    return absl::OkStatus();
  }

  const OpDef* Find(absl::string_view name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : &it->second;
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, op] : by_name_) names.push_back(name);
    return names;
  }

 private:
  static absl::StatusOr<ArgDef> Arg(const pb::OpDef::ArgDef& proto) {
    ArgDef arg;
    arg.name = proto.name();
    BERTH_ASSIGN_OR_RETURN(arg.type, DTypeFromProto(proto.type()));
    arg.type_attr = proto.type_attr();
    arg.number_attr = proto.number_attr();
    arg.type_list_attr = proto.type_list_attr();
    arg.is_ref = proto.is_ref();
    return arg;
  }

  std::map<std::string, OpDef, std::less<>> by_name_;
};

// An input whose producer comes later in the file.
struct Pending {
  NodeId node;
  int index;
  std::string name;
  int slot;
};

class Importer {
 public:
  Importer(std::shared_ptr<const OpTable> ops, const ImportOptions& options)
      : ops_(std::move(ops)), options_(options), builder_(ops_) {}

  absl::StatusOr<Graph> Import(const Sections& sections, ImportCounts* counts) {
    if (!ExtrasAreReadable(sections.extras)) {
      return InFile(options_, absl::StrCat("expected versions, functions and debug information in UTF-8, at most ",
                                           kMaxDepth, " levels deep, got bytes that are none"));
    }
    for (absl::string_view library : sections.libraries) {
      if (absl::Status status = functions_.Read(library); !status.ok()) return InFile(options_, status.message());
    }
    const std::unique_ptr<char[]> block = std::make_unique_for_overwrite<char[]>(kFirstBlock);
    Arena arena(block.get(), kFirstBlock);
    size_t taken = 0;
    for (const Chunk& chunk : sections.nodes) {
      if (taken > kBytesAtOnce) {
        arena.Reset();
        taken = 0;
      }
      taken += chunk.bytes.size();
      pb::NodeDef* proto = Arena::CreateMessage<pb::NodeDef>(&arena);
      CodedInputStream in(reinterpret_cast<const uint8_t*>(chunk.bytes.data()), static_cast<int>(chunk.bytes.size()));
      in.SetRecursionLimit(kMaxDepth);
      if (!proto->MergeFromCodedStream(&in) || !in.ConsumedEntireMessage()) return Unreadable(chunk);
      BERTH_RETURN_IF_ERROR(Add(*proto, chunk));
    }
    for (const Pending& pending : pending_) BERTH_RETURN_IF_ERROR(Resolve(pending));
    builder_.SetExtras(sections.extras, functions_.Names());
    absl::StatusOr<Graph> graph = std::move(builder_).Build();
    if (!graph.ok()) return InFile(options_, graph.status().message());
    counts_.nodes = graph->num_nodes();
    if (counts != nullptr) *counts = counts_;
    return graph;
  }

 private:
  absl::Status Unreadable(const Chunk& chunk) const {
    return InFile(options_, absl::StrCat("node '", NameOfBroken(chunk.bytes), "' (number ", builder_.num_nodes(),
                                         "): expected a NodeDef in UTF-8, at most ", kMaxDepth,
                                         " levels deep, got bytes that are none"));
  }

  absl::Status Fail(const pb::NodeDef& proto, const Chunk& chunk, absl::string_view text) const {
    const std::string line = chunk.line > 0 ? absl::StrCat(options_.file, ":", chunk.line) : options_.file;
    return absl::InvalidArgumentError(absl::StrCat(line, ": ", NodeLabel(proto.name(), proto.op()), ": ", text));
  }

  // What has no name is told by its place, op and inputs.
  absl::Status Nameless(const pb::NodeDef& proto, const Chunk& chunk) const {
    constexpr int kShownInputs = 8;
    std::string inputs;
    for (int i = 0; i < std::min(proto.input_size(), kShownInputs); ++i) {
      absl::StrAppend(&inputs, i == 0 ? " with inputs '" : ", '", absl::CHexEscape(proto.input(i).substr(0, 256)), "'");
    }
    if (proto.input_size() > kShownInputs) absl::StrAppend(&inputs, ", ...");
    const std::string line = chunk.line > 0 ? absl::StrCat(options_.file, ":", chunk.line) : options_.file;
    return absl::InvalidArgumentError(absl::StrCat(line, ": node number ", builder_.num_nodes(), " (",
                                                   absl::CHexEscape(proto.op().substr(0, 256)), ")", inputs,
                                                   ": expected a name, got none"));
  }

  absl::Status Add(pb::NodeDef& proto, const Chunk& chunk) {
    if (proto.name().empty()) return Nameless(proto, chunk);
    attrs_.clear();
    for (auto& [name, value] : *proto.mutable_attr()) {
      absl::StatusOr<AttrValue> converted = AttrFromProto(value);
      if (!converted.ok()) {
        return Fail(
            proto, chunk,
            absl::StrCat("attribute '", absl::string_view(name).substr(0, 64), "': ", converted.status().message()));
      }
      attrs_.emplace_back(name, *std::move(converted));
    }
    std::sort(attrs_.begin(), attrs_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

    NodeSpec spec;
    spec.name = proto.name();
    spec.op = proto.op();
    spec.attrs = attrs_;
    if (chunk.line > 0) spec.source = {options_.file, chunk.line};
    BERTH_RETURN_IF_ERROR(SetDevice(proto, chunk, spec));
    BERTH_RETURN_IF_ERROR(SetInputs(proto, chunk, spec));
    BERTH_RETURN_IF_ERROR(SetOutputs(proto, chunk, spec));
    const std::string extras = ExtrasOf(proto);
    spec.extras = extras;
    const std::vector<PartialShape> declared = DeclaredShapes(spec);
    // At least so many outputs; consumers may know of more.
    if (spec.opaque_outputs < 0 && !declared.empty() && KnownSignature(spec.op) == nullptr) {
      outputs_.assign(declared.size(), DType::kInvalid);
      spec.opaque_dtypes = outputs_;
    }
    const absl::StatusOr<NodeId> id = builder_.AddNode(spec);
    if (!id.ok()) return InFile(options_, id.status().message());
    for (size_t k = 0; k < declared.size(); ++k) builder_.set_output_shape(*id, static_cast<int>(k), declared[k]);
    return absl::OkStatus();
  }

  absl::Status SetDevice(const pb::NodeDef& proto, const Chunk& chunk, NodeSpec& spec) {
    absl::StatusOr<ImportedDevice> imported = ImportDevice(proto.device(), options_, counts_);
    if (!imported.ok()) return Fail(proto, chunk, imported.status().message());
    device_ = std::move(imported->request);
    spec.device = device_;
    if (!imported->hint.has_value()) return absl::OkStatus();
    hint_ = RequestNote();
    AddHint(*imported->hint, options_, hint_);
    spec.note = &hint_;
    return absl::OkStatus();
  }

  absl::Status SetInputs(const pb::NodeDef& proto, const Chunk& chunk, NodeSpec& spec) {
    inputs_.clear();
    const NodeId self = builder_.num_nodes();
    for (const std::string& text : proto.input()) {
      absl::string_view name = text;
      int slot = 0;
      if (absl::ConsumePrefix(&name, "^")) {
        slot = kControlSlot;
      } else if (const size_t colon = name.rfind(':'); colon != absl::string_view::npos) {
        const absl::string_view digits = name.substr(colon + 1);
        if (digits.empty() || !absl::ascii_isdigit(digits[0]) || !absl::SimpleAtoi(digits, &slot)) {
          return BadInput(proto, chunk, "expected NODE, NODE:OUTPUT or ^NODE for input ");
        }
        name = name.substr(0, colon);
      }
      const NodeId id = name == proto.name() ? self : builder_.FindName(name);
      if (id == kNoNode) pending_.push_back({self, static_cast<int>(inputs_.size()), std::string(name), slot});
      inputs_.push_back({id, slot});
    }
    spec.inputs = inputs_;
    return absl::OkStatus();
  }

  absl::Status BadInput(const pb::NodeDef& proto, const Chunk& chunk, absl::string_view text) const {
    const std::string& input = proto.input(static_cast<int>(inputs_.size()));
    return Fail(proto, chunk,
                absl::StrCat(text, inputs_.size(), ", got '", absl::CHexEscape(input.substr(0, 256)), "'"));
  }

  absl::Status SetOutputs(const pb::NodeDef& proto, const Chunk& chunk, NodeSpec& spec) {
    if (ops_->Find(proto.op()) != nullptr) return absl::OkStatus();
    const OpDef* function = functions_.Find(proto.op());
    if (function == nullptr) {
      ++counts_.opaque;
      return absl::OkStatus();
    }
    int64_t num_data = 0;
    for (const Input& input : inputs_) num_data += !input.is_control();
    const auto attr = [&](absl::string_view name) -> const AttrValue* {
      for (const auto& [key, value] : attrs_) {
        if (key == name) return &value;
      }
      return nullptr;
    };
    absl::StatusOr<Signature> signature = ResolveSignature(*function, attr, num_data);
    if (!signature.ok()) return Fail(proto, chunk, signature.status().message());
    outputs_ = std::move(signature->outputs);
    spec.opaque_outputs = static_cast<int>(outputs_.size());
    spec.opaque_dtypes = outputs_;
    return absl::OkStatus();
  }

  // `_output_shapes` of a node whose shapes nothing else may tell.
  std::vector<PartialShape> DeclaredShapes(const NodeSpec& spec) const {
    if (ops_->Find(spec.op) != nullptr && spec.op != "Placeholder") return {};
    for (const auto& [name, value] : attrs_) {
      const AttrList* list = name == kOutputShapes ? value.get<AttrList>() : nullptr;
      if (list != nullptr) return list->shape;
    }
    return {};
  }

  // Fields that nothing here reads: left in a NodeDef of their own.
  static std::string ExtrasOf(pb::NodeDef& proto) {
    const bool unknown = !proto.GetReflection()->GetUnknownFields(proto).empty();
    if (!proto.has_experimental_debug_info() && !proto.has_experimental_type() && !unknown) return "";
    pb::NodeDef extras = proto;
    extras.clear_name();
    extras.clear_op();
    extras.clear_input();
    extras.clear_device();
    extras.clear_attr();
    return extras.SerializeAsString();
  }

  absl::Status Resolve(const Pending& pending) {
    const NodeId id = builder_.FindName(pending.name);
    if (id == kNoNode) {
      return InFile(options_, absl::StrCat(NodeLabel(builder_.name(pending.node), builder_.op(pending.node)),
                                           ": expected a node of the graph for input ", pending.index, ", got '",
                                           absl::CHexEscape(pending.name.substr(0, 256)), "'"));
    }
    return builder_.SetInput(pending.node, pending.index, {id, pending.slot});
  }

  const std::shared_ptr<const OpTable> ops_;
  const ImportOptions& options_;
  GraphBuilder builder_;
  Functions functions_;
  ImportCounts counts_;
  std::vector<Pending> pending_;
  // Of the node at hand.
  std::vector<std::pair<absl::string_view, AttrValue>> attrs_;
  std::vector<Input> inputs_;
  std::vector<DType> outputs_;
  std::string device_;
  RequestNote hint_;
};

}  // namespace

absl::StatusOr<Graph> ImportGraphDef(absl::string_view bytes, std::shared_ptr<const OpTable> ops,
                                     const ImportOptions& options, ImportCounts* counts) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return InFile(options, absl::StrCat("expected a GraphDef of less than 2 GiB, got ", bytes.size(), " bytes"));
  }
  // Protobuf would print what it finds wrong on stderr; the status says it.
  const google::protobuf::LogSilencer silencer;
  std::string storage;
  absl::StatusOr<Sections> sections = LooksLikeText(bytes) ? ReadText(bytes, options, &storage) : Split(bytes);
  if (!sections.ok()) return InFile(options, sections.status().message());
  return Importer(std::move(ops), options).Import(*sections, counts);
}

}  // namespace berth
