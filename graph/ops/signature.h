// An op's signature as one line of text, the form in which the op table is written.
//
//   Conv2D(input: T, filter: T) -> (output: T)
//       {T: type in [floating, i32]; strides: list(int); padding: string in [SAME, VALID, EXPLICIT];
//        use_cudnn_on_gpu: bool = true} stateful
//
// Arguments:   name: DTYPE           DTYPE is a dtype's name, or an attribute of type `type` or `list(type)`
//              name: N * DTYPE       N tensors, N an attribute of type `int`
//              name: DTYPE&          a reference
// Attributes:  name: TYPE [in [VALUE, ...] | in SET] [>= MINIMUM] [= DEFAULT], separated by `;`
//              strings stand in double or single quotes; in the list of a type attribute a name may stand for a set:
//              index floating inexact signed real number quantized
// Flags:       stateful aggregate commutative distributed uninitialized_input host_only deprecated VERSION
#ifndef BERTH_GRAPH_OPS_SIGNATURE_H_
#define BERTH_GRAPH_OPS_SIGNATURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/op_def.h"

namespace berth {

// Reads one line; the result has no shape function. Error: InvalidArgument
// `signature 'Conv2D(input' (column 13): expected ':', got ','`.
absl::StatusOr<OpDef> ParseSignature(absl::string_view text);

// The line that ParseSignature reads back into an equal definition: sets written out, allowed types
// by number.
std::string FormatSignature(const OpDef& op);

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_SIGNATURE_H_
