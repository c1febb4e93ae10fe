#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/attr_text.h"
#include "graph/device_name.h"
#include "graph/graph_builder.h"
#include "graph/op_table.h"
#include "graph/status_macros.h"
#include "graph/text.h"
#include "graph/text_attrs.h"
#include "graph/text_scanner.h"
#include "graph/text_words.h"

namespace berth {
namespace {

// An input whose node stands on a later line.
struct Pending {
  NodeId node;
  int index;
  absl::string_view name;
  int slot;
  TextScanner scanner;  // at the input
};

// What a line says after its ":".
struct OutputText {
  DType type;
  PartialShape shape;
};

class TextParser {
 public:
  TextParser(std::shared_ptr<const OpTable> ops, absl::string_view file) : ops_(ops), builder_(ops), file_(file) {}

  absl::StatusOr<Graph> Parse(absl::string_view text) {
    int line_number = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      BERTH_RETURN_IF_ERROR(ParseLine(text.substr(begin, end - begin), ++line_number));
      begin = end + 1;
    }
    for (const Pending& pending : pending_) {
      const NodeId id = builder_.FindName(pending.name);
      if (id == kNoNode) {
        return pending.scanner.ErrorAt(pending.scanner.at(), absl::StrCat("expected a node of the graph, got '",
                                                                          pending.name.substr(0, 256), "'"));
      }
      BERTH_RETURN_IF_ERROR(builder_.SetInput(pending.node, pending.index, {id, pending.slot}));
    }
    return std::move(builder_).Build();
  }

 private:
  absl::Status ParseLine(absl::string_view line, int number) {
    TextScanner scanner(line, file_, number);
    scanner.SkipSpace();
    if (scanner.AtEnd() || scanner.Peek() == '#') return absl::OkStatus();
    NodeSpec spec;
    spec.source = {file_, number};
    spec.name = scanner.TakeWhile(IsNodeNameChar);
    if (spec.name.empty()) return scanner.Expected("the name of a node");
    if (!scanner.Take("=")) return scanner.Expected("'='");
    BERTH_ASSIGN_OR_RETURN(const std::string op, TakeWord(scanner, IsOpChar, "an op"));
    spec.op = op;
    BERTH_RETURN_IF_ERROR(TakeInputs(scanner, spec.name));
    spec.inputs = inputs_;
    BERTH_RETURN_IF_ERROR(TakeAttrs(scanner));
    BERTH_RETURN_IF_ERROR(TakeTags(scanner));
    spec.tags = tags_;
    const size_t outputs_at = scanner.at();
    BERTH_RETURN_IF_ERROR(TakeOutputs(scanner));
    std::vector<DType> types;
    for (const OutputText& output : outputs_) types.push_back(output.type);
    spec.opaque_dtypes = types;
    spec.opaque_outputs = outputs_.empty() ? -1 : static_cast<int>(outputs_.size());
    if (const OpDef* def = ops_->Find(op); def != nullptr) CompleteAttrs(*def, InputTypes(), types, attrs_);
    for (; !absent_.empty(); absent_.pop_back()) attrs_.erase(attrs_.begin() + absent_.back());
    const std::vector<std::pair<absl::string_view, AttrValue>> attrs(attrs_.begin(), attrs_.end());
    spec.attrs = attrs;
    BERTH_ASSIGN_OR_RETURN(const std::string device, TakeDevice(scanner));
    spec.device = device;
    scanner.SkipSpace();
    if (!scanner.AtEnd() && scanner.Peek() != '#') return scanner.Expected("the end of the line");
    BERTH_ASSIGN_OR_RETURN(const NodeId id, builder_.AddNode(spec));
    scanner.set_at(outputs_at);
    return SetShapes(scanner, id);
  }

  static absl::StatusOr<std::string> TakeWord(TextScanner& scanner, bool (*is_char)(char), absl::string_view what) {
    scanner.SkipSpace();
    if (scanner.Peek() == '"') return scanner.TakeQuoted();
    const absl::string_view word = scanner.TakeWhile(is_char);
    if (word.empty()) return scanner.Expected(what);
    return std::string(word);
  }

  absl::Status TakeInputs(TextScanner& scanner, absl::string_view self) {
    inputs_.clear();
    if (!scanner.Take("(")) return scanner.Expected("'('");
    if (scanner.Take(")")) return absl::OkStatus();
    do {
      scanner.SkipSpace();
      const TextScanner here = scanner;
      int slot = scanner.Take("^") ? kControlSlot : 0;
      const absl::string_view name = scanner.TakeWhile(IsNodeNameChar);
      if (name.empty()) return scanner.Expected("an input");
      if (slot == 0 && scanner.Peek() == ':') {
        scanner.Take(":");
        const size_t at = scanner.at();
        if (!absl::SimpleAtoi(scanner.TakeWhile([](char c) { return absl::ascii_isdigit(c); }), &slot)) {
          return scanner.ExpectedAt(at, "the number of an output");
        }
      }
      const NodeId id = name == self ? builder_.num_nodes() : builder_.FindName(name);
      if (id == kNoNode) {
        pending_.push_back({builder_.num_nodes(), static_cast<int>(inputs_.size()), name, slot, here});
      }
      inputs_.push_back({id, slot});
    } while (scanner.Take(","));
    return scanner.Take(")") ? absl::OkStatus() : scanner.Expected("',' or ')'");
  }

  // Of the data inputs, as far as their nodes stand above.
  std::vector<DType> InputTypes() const {
    std::vector<DType> types;
    for (const Input& input : inputs_) {
      if (input.is_control()) continue;
      const bool known =
          input.node >= 0 && input.node < builder_.num_nodes() && input.slot < builder_.num_outputs(input.node);
      types.push_back(known ? builder_.output_dtype(input.node, input.slot) : DType::kInvalid);
    }
    return types;
  }

  absl::Status TakeAttrs(TextScanner& scanner) {
    attrs_.clear();
    absent_.clear();
    if (!scanner.Take("{") || scanner.Take("}")) return absl::OkStatus();
    do {
      BERTH_ASSIGN_OR_RETURN(std::string name, TakeAttrName(scanner));
      AttrValue value;
      if (scanner.Take(kAbsentAttr)) {
        absent_.push_back(static_cast<int>(attrs_.size()));
      } else {
        BERTH_ASSIGN_OR_RETURN(value, TakeAttrValue(scanner));
      }
      attrs_.emplace_back(std::move(name), std::move(value));
    } while (scanner.Take(","));
    return scanner.Take("}") ? absl::OkStatus() : scanner.Expected("',' or '}'");
  }

  absl::Status TakeTags(TextScanner& scanner) {
    tags_.clear();
    if (!scanner.Take("<")) return absl::OkStatus();
    do {
      Tag tag;
      BERTH_ASSIGN_OR_RETURN(tag.key, TakeWord(scanner, IsTagChar, "a tag"));
      if (!scanner.Take("=")) return scanner.Expected("'='");
      BERTH_ASSIGN_OR_RETURN(tag.value, TakeWord(scanner, IsTagChar, "the value of a tag"));
      tags_.push_back(std::move(tag));
    } while (scanner.Take(","));
    return scanner.Take(">") ? absl::OkStatus() : scanner.Expected("',' or '>'");
  }

  absl::Status TakeOutputs(TextScanner& scanner) {
    outputs_.clear();
    if (!scanner.Take(":")) return absl::OkStatus();
    do {
      OutputText output;
      BERTH_ASSIGN_OR_RETURN(output.type, TakeDType(scanner));
      if (scanner.Peek() == '[' || scanner.Peek() == '?') {
        BERTH_ASSIGN_OR_RETURN(output.shape, TakeShape(scanner));
      }
      outputs_.push_back(std::move(output));
    } while (scanner.Take(","));
    return absl::OkStatus();
  }

  // In quotes: byte for byte; else any spelling, kept in the canonical one.
  static absl::StatusOr<std::string> TakeDevice(TextScanner& scanner) {
    if (!scanner.Take("@")) return std::string();
    const size_t at = scanner.at();
    if (scanner.Peek() == '"') return scanner.TakeQuoted();
    const absl::StatusOr<DeviceName> device =
        ParseDeviceName(scanner.TakeWhile([](char c) { return !absl::ascii_isspace(c); }));
    if (!device.ok()) return scanner.ErrorAt(at, device.status().message());
    if (device->empty()) return scanner.ExpectedAt(at, "a device");
    return device->ToString();
  }

  absl::Status SetShapes(const TextScanner& scanner, NodeId id) {
    if (outputs_.empty()) return absl::OkStatus();
    if (static_cast<int>(outputs_.size()) != builder_.num_outputs(id)) {
      return scanner.ErrorAt(scanner.at(), absl::StrCat("expected the ", builder_.num_outputs(id), " outputs of ",
                                                        builder_.op(id), ", got ", outputs_.size()));
    }
    for (int k = 0; k < builder_.num_outputs(id); ++k) {
      OutputText& output = outputs_[k];
      const DType type = builder_.output_dtype(id, k);
      if (type != DType::kInvalid && output.type != DType::kInvalid && type != output.type) {
        return scanner.ErrorAt(scanner.at(), absl::StrCat("expected ", ShortDTypeName(type), " as output ", k, " of ",
                                                          builder_.op(id), ", got ", ShortDTypeName(output.type)));
      }
      if (output.shape.has_rank()) builder_.set_output_shape(id, k, std::move(output.shape));
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<const OpTable> ops_;
  GraphBuilder builder_;
  const absl::string_view file_;
  std::vector<Pending> pending_;
  // Of the line at hand.
  std::vector<Input> inputs_;
  std::vector<std::pair<std::string, AttrValue>> attrs_;
  std::vector<int> absent_;  // indices: they stand in attrs_ while types are completed
  std::vector<Tag> tags_;
  std::vector<OutputText> outputs_;
};

}  // namespace

absl::StatusOr<Graph> ParseGraphText(absl::string_view text, std::shared_ptr<const OpTable> ops,
                                     absl::string_view file) {
  return TextParser(std::move(ops), file).Parse(text);
}

}  // namespace berth
