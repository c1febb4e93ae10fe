// `berth rules`: what each part of a policy did to a graph, without refusing anything: matched, shadowed, missed, dead.
#ifndef BERTH_TOOLS_RULES_H_
#define BERTH_TOOLS_RULES_H_

#include <string>

#include "absl/status/status.h"
#include "tools/io.h"
#include "tools/placed_graph.h"

namespace berth {

struct RulesFlags {
  PlaceFlags place;             // always soft
  std::string format = "text";  // text | json
};

absl::Status ShowRules(const RulesFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_RULES_H_
