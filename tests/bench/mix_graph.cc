#include "tests/bench/mix_graph.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "graph/status_macros.h"

namespace berth {

std::vector<std::string> MixNames(int nodes) {
  std::vector<std::string> names;
  names.reserve(nodes);
  for (int i = 0; i < nodes; ++i) names.push_back(absl::StrCat("tower_", i % 8, "/layer_", i / 100, "/node_", i));
  return names;
}

std::shared_ptr<const OpTable> MixOps() {
  ArgDef arg;
  arg.name = "y";
  arg.type = DType::kFloat32;
  OpDef source;
  source.name = "Source";
  source.outputs = {arg};
  arg.type = DType::kInvalid;
  arg.type_attr = "T";
  OpDef mix;
  mix.name = "Mix";
  mix.outputs = {arg};
  for (const char* name : {"a", "b"}) {
    arg.name = name;
    mix.inputs.push_back(arg);
  }
  mix.attrs = {{.name = "T", .type = "type"},
               {.name = "mode", .type = "string"},
               {.name = "sizes", .type = "list(int)"},
               {.name = "width", .type = "int"}};
  OpTable table;
  if (!table.Add(std::move(source)).ok() || !table.Add(std::move(mix)).ok()) return nullptr;
  return std::make_shared<const OpTable>(std::move(table));
}

absl::StatusOr<Graph> BuildMix(const std::vector<std::string>& names, std::shared_ptr<const OpTable> ops) {
  AttrList sizes;
  sizes.i = {1, 2, 2, 1};
  std::vector<std::pair<absl::string_view, AttrValue>> attrs = {{"T", AttrValue(DType::kFloat32)},
                                                                {"mode", AttrValue(std::string("SAME"))},
                                                                {"sizes", AttrValue(sizes)},
                                                                {"width", AttrValue(int64_t{3})}};
  GraphBuilder builder(std::move(ops));
  BERTH_RETURN_IF_ERROR(builder.AddNode({.name = names[0], .op = "Source"}).status());
  for (int i = 1; i < static_cast<int>(names.size()); ++i) {
    const Input inputs[] = {{i - 1, 0}, {i / 2, 0}};
    attrs[3].second = AttrValue(static_cast<int64_t>(i % 64));
    BERTH_RETURN_IF_ERROR(builder.AddNode({.name = names[i], .op = "Mix", .inputs = inputs, .attrs = attrs}).status());
  }
  return std::move(builder).Build();
}

void BuildMixProto(const std::vector<std::string>& names, pb::GraphDef& graph) {
  pb::NodeDef* source = graph.add_node();
  source->set_name(names[0]);
  source->set_op("Source");
  for (size_t i = 1; i < names.size(); ++i) {
    pb::NodeDef* node = graph.add_node();
    node->set_name(names[i]);
    node->set_op("Mix");
    node->add_input(names[i - 1]);
    node->add_input(names[i / 2]);
    auto& attrs = *node->mutable_attr();
    attrs["T"].set_type(pb::DT_FLOAT);
    attrs["mode"].set_s("SAME");
    auto* sizes = attrs["sizes"].mutable_list();
    for (int size : {1, 2, 2, 1}) sizes->add_i(size);
    attrs["width"].set_i(static_cast<int64_t>(i % 64));
  }
}

}  // namespace berth
