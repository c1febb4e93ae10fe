// C++ functions for ops, written from an op table: what graph/ops.h is made of.
//
//   MatMul(a: T, b: T) -> (product: T) {transpose_a: bool = false; ...; T: type}      becomes
//
//   struct MatMulAttrs { bool transpose_a = false; ... };
//   Output MatMul(const Scope& scope, const Operand& a, const Operand& b, const MatMulAttrs& attrs = {},
//                 CallSite at = CallSite::Here());
//
// An attribute that inputs tell (T, the N of a list) is no field. One without a default has to be given. An op with one output
// returns an Output, with several a vector of them, with none the Operation.
#ifndef BERTH_GRAPH_OPS_OP_FUNCTIONS_H_
#define BERTH_GRAPH_OPS_OP_FUNCTIONS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/op_def.h"

namespace berth {

struct OpFunctionsOptions {
  std::string header = "graph/ops.h";  // as the source includes it
  std::string name_space = "berth::ops";
};

// The header's and the source's text. Ops whose name begins with an underscore are left out, and Const, which scope.h has.
std::string OpFunctionsHeader(absl::Span<const OpDef* const> ops, const OpFunctionsOptions& options = {});
std::string OpFunctionsSource(absl::Span<const OpDef* const> ops, const OpFunctionsOptions& options = {});

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_OP_FUNCTIONS_H_
