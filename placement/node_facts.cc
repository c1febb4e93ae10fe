#include "placement/node_facts.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "graph/node_bytes.h"

namespace berth {
namespace {

constexpr absl::string_view kTowerTag = "tower";

}  // namespace

const NodeFacts& NodeFactsReader::Read(NodeId n) {
  const Node node = graph_.node(n);
  facts_.name = node.name();
  facts_.op = node.op();
  facts_.op_def = node.op_def();
  facts_.tags = node.tags();
  facts_.request = node.device();
  facts_.in_degree = static_cast<int>(node.data_inputs().size());
  if ((needs_ & Rule::kDTypes) != 0) {
    dtypes_.clear();
    for (int k = 0; k < node.num_outputs(); ++k) dtypes_.push_back(node.output_dtype(k));
    facts_.output_dtypes = dtypes_;
  }
  if ((needs_ & Rule::kInputs) != 0) {
    inputs_.clear();
    for (const Input& input : node.data_inputs()) inputs_.push_back(graph_.node(input.node).name());
    facts_.input_names = inputs_;
  }
  if ((needs_ & Rule::kBytes) != 0) facts_.bytes = NodeBytes(node);
  if (facts_.tags.empty()) {
    facts_.tower.reset();
  } else {
    facts_.tower = Tower(node);
  }
  return facts_;
}

const std::optional<int>& NodeFactsReader::Tower(const Node& node) {
  const Tag* const tags = facts_.tags.data();
  TowerOf& known = towers_[reinterpret_cast<uintptr_t>(tags) / sizeof(Tag) % kTowers];
  if (known.tags != tags) {
    known = {tags, std::nullopt};
    int tower = 0;
    const std::string* tag = node.tag(kTowerTag);
    if (tag != nullptr && absl::SimpleAtoi(*tag, &tower) && tower >= 0) known.tower = tower;
  }
  return known.tower;
}

}  // namespace berth
