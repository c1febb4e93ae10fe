// Early return on error, as Abseil 20220623 has none.
#ifndef BERTH_GRAPH_STATUS_MACROS_H_
#define BERTH_GRAPH_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define BERTH_RETURN_IF_ERROR(expr)                                 \
  do {                                                              \
    if (absl::Status berth_status_ = (expr); !berth_status_.ok()) { \
      return berth_status_;                                         \
    }                                                               \
  } while (false)

#define BERTH_CONCAT_INNER_(a, b) a##b
#define BERTH_CONCAT_(a, b) BERTH_CONCAT_INNER_(a, b)
#define BERTH_ASSIGN_OR_RETURN(lhs, expr) BERTH_ASSIGN_OR_RETURN_(BERTH_CONCAT_(berth_or_, __LINE__), lhs, expr)
#define BERTH_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                            \
  if (!tmp.ok()) return tmp.status();           \
  lhs = *std::move(tmp)

#endif  // BERTH_GRAPH_STATUS_MACROS_H_
