#include "graph/function_library.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/attr_proto.h"
#include "graph/graphdef.h"
#include "graph/status_macros.h"
#include "proto/graph.pb.h"

namespace berth {

struct FunctionLibrary::Rep {
  pb::FunctionDefLibrary library;
  int producer = 0;
  std::map<std::string, const pb::FunctionDef*, std::less<>> by_name;
};

namespace {

using ByName = std::map<std::string, const pb::FunctionDef*, std::less<>>;

// More tensors than this one argument never stands for.
constexpr int64_t kMaxArity = 65536;

// Writes one body out as a GraphDef.
class Instance {
 public:
  Instance(const pb::FunctionDef& function, const ByName& functions, const OpTable& ops, AttrLookup attrs)
      : function_(function), functions_(functions), ops_(ops), attrs_(attrs) {}

  absl::StatusOr<pb::GraphDef> Write() {
    BERTH_RETURN_IF_ERROR(AddArguments());
    for (const pb::NodeDef& node : function_.node_def()) BERTH_RETURN_IF_ERROR(AddNode(node));
    for (int i = 0; i < num_body_; ++i) BERTH_RETURN_IF_ERROR(Connect(graph_.mutable_node(first_body_ + i)));
    BERTH_RETURN_IF_ERROR(AddResults());
    return std::move(graph_);
  }

 private:
  absl::Status Fail(absl::string_view text) const {
    return absl::InvalidArgumentError(absl::StrCat("function '", function_.signature().name(), "': ", text));
  }

  // What the call gives for an attribute of the function; null when it gives nothing.
  absl::StatusOr<pb::AttrValue> Given(const std::string& name) const {
    const AttrValue* value = attrs_(name);
    if (value == nullptr) return Fail(absl::StrCat("expected the call to give attribute '", name, "', got none"));
    pb::AttrValue proto;
    AttrToProto(*value, &proto);
    return proto;
  }

  // The dtypes of one formal argument or result, which the function's own attributes may say.
  absl::StatusOr<std::vector<pb::DataType>> TypesOf(const pb::OpDef::ArgDef& arg) const {
    if (!arg.type_list_attr().empty()) {
      BERTH_ASSIGN_OR_RETURN(const pb::AttrValue types, Given(arg.type_list_attr()));
      std::vector<pb::DataType> list;
      for (const int type : types.list().type()) list.push_back(static_cast<pb::DataType>(type));
      return list;
    }
    pb::DataType type = arg.type();
    if (!arg.type_attr().empty()) {
      BERTH_ASSIGN_OR_RETURN(const pb::AttrValue given, Given(arg.type_attr()));
      type = given.type();
    }
    int64_t count = 1;
    if (!arg.number_attr().empty()) {
      BERTH_ASSIGN_OR_RETURN(const pb::AttrValue given, Given(arg.number_attr()));
      count = given.i();
    }
    if (count < 0 || count > kMaxArity)
      return Fail(absl::StrCat("expected at most ", kMaxArity, " tensors, got ", count));
    return std::vector<pb::DataType>(static_cast<size_t>(count), type);
  }

  absl::Status AddArguments() {
    for (const pb::OpDef::ArgDef& arg : function_.signature().input_arg()) {
      BERTH_ASSIGN_OR_RETURN(const std::vector<pb::DataType> types, TypesOf(arg));
      for (size_t i = 0; i < types.size(); ++i) {
        pb::NodeDef* node = graph_.add_node();
        node->set_name(types.size() == 1 ? arg.name() : absl::StrCat(arg.name(), "_", i));
        node->set_op("_Arg");
        (*node->mutable_attr())["T"].set_type(types[i]);
        (*node->mutable_attr())["index"].set_i(first_body_++);
        tensors_[arg.name()].push_back(node->name());
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddNode(const pb::NodeDef& node) {
    pb::NodeDef* copy = graph_.add_node();
    *copy = node;
    for (auto& [key, value] : *copy->mutable_attr()) {
      if (value.placeholder().empty()) continue;
      BERTH_ASSIGN_OR_RETURN(value, Given(std::string(value.placeholder())));
    }
    ++num_body_;
    if (const OpDef* def = ops_.Find(node.op())) {
      int slot = 0;
      for (const ArgDef& arg : def->outputs) {
        AddOutputs(*copy, arg.name, arg.number_attr, arg.type_list_attr, &slot);
      }
    } else if (const auto called = functions_.find(node.op()); called != functions_.end()) {
      if (called_.emplace(node.op(), true).second) {
        *graph_.mutable_library()->add_function()->mutable_signature() = called->second->signature();
      }
      int slot = 0;
      for (const pb::OpDef::ArgDef& arg : called->second->signature().output_arg()) {
        AddOutputs(*copy, arg.name(), arg.number_attr(), arg.type_list_attr(), &slot);
      }
    }
    return absl::OkStatus();
  }

  // Outputs `slot` and on of the node are called node:arg:0 and on.
  void AddOutputs(const pb::NodeDef& node, const std::string& arg, const std::string& number, const std::string& types,
                  int* slot) {
    int64_t count = 1;
    if (const auto n = node.attr().find(number); n != node.attr().end()) count = n->second.i();
    if (const auto list = node.attr().find(types); list != node.attr().end()) count = list->second.list().type_size();
    std::vector<std::string>& tensors = tensors_[absl::StrCat(node.name(), ":", arg)];
    for (int64_t i = 0; i < count && i < kMaxArity; ++i) tensors.push_back(absl::StrCat(node.name(), ":", (*slot)++));
  }

  // The tensors that an input of the body names: an argument, an argument's i-th tensor, a node's output or i-th of them.
  absl::StatusOr<std::vector<std::string>> Resolve(const std::string& input) const {
    if (const auto all = tensors_.find(input); all != tensors_.end()) return all->second;
    const size_t colon = input.rfind(':');
    int index = 0;
    if (colon != std::string::npos && absl::SimpleAtoi(input.substr(colon + 1), &index)) {
      const auto list = tensors_.find(input.substr(0, colon));
      if (list != tensors_.end() && index >= 0 && index < static_cast<int>(list->second.size())) {
        return std::vector<std::string>{list->second[index]};
      }
    }
    return Fail(
        absl::StrCat("expected the name of an argument or of a node's output, got '", input.substr(0, 256), "'"));
  }

  absl::Status Connect(pb::NodeDef* node) {
    std::vector<std::string> inputs;
    for (const std::string& input : node->input()) {
      if (!input.empty() && input[0] == '^') {
        inputs.push_back(input);
        continue;
      }
      BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> tensors, Resolve(input));
      inputs.insert(inputs.end(), tensors.begin(), tensors.end());
    }
    node->clear_input();
    for (std::string& input : inputs) node->add_input(std::move(input));
    return absl::OkStatus();
  }

  absl::Status AddResults() {
    int index = 0;
    for (const pb::OpDef::ArgDef& arg : function_.signature().output_arg()) {
      const auto from = function_.ret().find(arg.name());
      if (from == function_.ret().end())
        return Fail(absl::StrCat("expected a result for '", arg.name(), "', got none"));
      BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> tensors, Resolve(from->second));
      BERTH_ASSIGN_OR_RETURN(const std::vector<pb::DataType> types, TypesOf(arg));
      for (size_t i = 0; i < tensors.size() && i < types.size(); ++i) {
        pb::NodeDef* node = graph_.add_node();
        node->set_name(absl::StrCat(arg.name(), "_RetVal", index == 0 ? "" : absl::StrCat("_", index)));
        node->set_op("_Retval");
        node->add_input(tensors[i]);
        (*node->mutable_attr())["T"].set_type(types[i]);
        (*node->mutable_attr())["index"].set_i(index++);
      }
    }
    return absl::OkStatus();
  }

  const pb::FunctionDef& function_;
  const ByName& functions_;
  const OpTable& ops_;
  AttrLookup attrs_;
  pb::GraphDef graph_;
  int first_body_ = 0, num_body_ = 0;
  std::map<std::string, std::vector<std::string>> tensors_;
  std::map<std::string, bool> called_;
};

}  // namespace

FunctionLibrary::FunctionLibrary(std::unique_ptr<const Rep> rep) : rep_(std::move(rep)) {}
FunctionLibrary::~FunctionLibrary() = default;

absl::StatusOr<std::shared_ptr<const FunctionLibrary>> FunctionLibrary::Parse(absl::string_view extras) {
  pb::GraphDef graph;
  if (!graph.ParseFromArray(extras.data(), static_cast<int>(extras.size()))) {
    return absl::InvalidArgumentError("expected a function library, got bytes that are none");
  }
  auto rep = std::make_unique<Rep>();
  rep->library = std::move(*graph.mutable_library());
  rep->producer = graph.versions().producer();
  for (const pb::FunctionDef& function : rep->library.function()) {
    rep->by_name.emplace(function.signature().name(), &function);
  }
  return std::shared_ptr<const FunctionLibrary>(new FunctionLibrary(std::move(rep)));
}

bool FunctionLibrary::Has(absl::string_view name) const { return rep_->by_name.find(name) != rep_->by_name.end(); }

int FunctionLibrary::producer() const { return rep_->producer; }

absl::StatusOr<Graph> FunctionLibrary::Instantiate(absl::string_view name, AttrLookup attrs,
                                                   std::shared_ptr<const OpTable> ops) const {
  const auto function = rep_->by_name.find(name);
  if (function == rep_->by_name.end()) {
    return absl::NotFoundError(
        absl::StrCat("function '", name.substr(0, 256), "': expected one of the library, got none such"));
  }
  BERTH_ASSIGN_OR_RETURN(const pb::GraphDef graph, Instance(*function->second, rep_->by_name, *ops, attrs).Write());
  ImportOptions options;
  options.file = absl::StrCat("function ", name);
  return ImportGraphDef(graph.SerializeAsString(), std::move(ops), options);
}

std::string FunctionLibrary::PlaceOfEnd(absl::string_view function, absl::string_view end) const {
  const auto found = rep_->by_name.find(function);
  if (found == rep_->by_name.end()) return "";
  const auto places = found->second->attr().find(kPlacesAttr);
  if (places == found->second->attr().end()) return "";
  for (const std::string& place : places->second.list().s()) {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(place, absl::MaxSplits(' ', 1));
    if (absl::EndsWith(parts.first, absl::StrCat("/", end))) return std::string(parts.second);
  }
  return "";
}

std::string WithPlacesInLibrary(absl::string_view extras, const BodyPlaces& places) {
  pb::GraphDef graph;
  if (!graph.ParseFromArray(extras.data(), static_cast<int>(extras.size()))) return std::string(extras);
  for (pb::FunctionDef& function : *graph.mutable_library()->mutable_function()) {
    const auto placed = places.find(function.signature().name());
    if (placed == places.end()) continue;
    std::map<absl::string_view, pb::NodeDef*> nodes;
    for (pb::NodeDef& node : *function.mutable_node_def()) nodes[node.name()] = &node;
    pb::AttrValue::ListValue* list = (*function.mutable_attr())[kPlacesAttr].mutable_list();
    list->clear_s();
    for (const auto& [name, device] : placed->second) {
      list->add_s(absl::StrCat(name, " ", device));
      // Behind the function's name, or what stands for it where that is taken.
      const size_t slash = name.find('/', placed->first.size());
      const auto node = nodes.find(absl::string_view(name).substr(slash == std::string::npos ? 0 : slash + 1));
      if (node != nodes.end()) node->second->set_device(device);
    }
  }
  return graph.SerializeAsString();
}

}  // namespace berth
