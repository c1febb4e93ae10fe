// Plain C++ numbers as constants of a graph: `x * 2` where x is float16.
#ifndef BERTH_GRAPH_PLAIN_NUMBER_H_
#define BERTH_GRAPH_PLAIN_NUMBER_H_

#include "absl/status/statusor.h"
#include "graph/dtype.h"
#include "graph/literal.h"

namespace berth {

// `wide`, an int64 or float64 literal, as `to`. Errors: InvalidArgument when `to` holds no numbers, or an element would
// change its value by more than rounding ("2.5 as i32", "300 as u8").
absl::StatusOr<Literal> NumbersAs(const Literal& wide, DType to);

}  // namespace berth

#endif  // BERTH_GRAPH_PLAIN_NUMBER_H_
