// Values that a plan may take for known before anything runs.
#ifndef BERTH_RUNTIME_STATIC_VALUE_H_
#define BERTH_RUNTIME_STATIC_VALUE_H_

#include "graph/graph.h"

namespace berth {

// Whether `in` follows from constants and static shapes alone, by ops that the graph layer evaluates, so that the shapes
// inferred from it hold in every run. False where finding out would look at more than a few hundred nodes.
bool IsStaticValue(const Graph& graph, const Input& in);

}  // namespace berth

#endif  // BERTH_RUNTIME_STATIC_VALUE_H_
