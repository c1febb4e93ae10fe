// The pieces of a PlacementDef, which is made as one message or written piece by piece.
#ifndef BERTH_PLACEMENT_REPORT_PARTS_H_
#define BERTH_PLACEMENT_REPORT_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/choice.h"
#include "placement/machine.h"
#include "placement/placement.h"
#include "proto/placement.pb.h"

namespace berth {

struct ReportNames {
  std::vector<std::string> devices;  // full names, by device
  std::vector<int32_t> groups;       // by node: the group's number
  std::vector<NodeId> roots;         // by number
};
ReportNames NamesFor(const Graph& graph, const Machine& machine, const Placement& placement);

// Up to `seed`; from `rule` on, without choices.
void HeadToProto(const Placement& placement, pb::PlacementDef* def);
void TailToProto(const Graph& graph, const Machine& machine, const Placement& placement, pb::PlacementDef* def);

void NodeToProto(const Graph& graph, const Machine& machine, const Placement& placement, const ReportNames& names,
                 NodeId n, pb::NodePlacement* out);
// REQUIRES: fallback.dropped is not empty.
void RelaxationToProto(const Graph& graph, const ReportNames& names, const Fallback& fallback, pb::Relaxation* out);
// REQUIRES: fallback.dropped is empty.
void FallbackToProto(const Graph& graph, const Fallback& fallback, pb::Fallback* out);
// Of the group whose root is `n`.
void ChoiceToProto(const Graph& graph, const ReportNames& names, NodeId n, const Choice& choice, pb::GroupChoice* out);
void TieToProto(const Graph& graph, const RuleTie& tie, pb::RuleTie* out);

}  // namespace berth

#endif  // BERTH_PLACEMENT_REPORT_PARTS_H_
