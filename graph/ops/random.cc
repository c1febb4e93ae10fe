#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"RandomShuffle(value: T) -> (output: T) {seed: int = 0; seed2: int = 0; T: type} stateful"},
    {"RandomStandardNormal(shape: T) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in floating; T: "
     "type in index} stateful"},
    {"RandomUniform(shape: T) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in floating; T: type in "
     "index} stateful"},
    {"RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> (output: Tout) {seed: int = 0; seed2: int = 0; Tout: "
     "type in index; T: type in index} stateful"},
    {"TruncatedNormal(shape: T) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in floating; T: type in "
     "index} stateful"},
};

}  // namespace

absl::Span<const OpRow> RandomOps() { return kRows; }

}  // namespace berth
