#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"All(input: bool, reduction_indices: Tidx) -> (output: bool) {keep_dims: bool = false; Tidx: type in index = "
     "i32}"},
    {"Any(input: bool, reduction_indices: Tidx) -> (output: bool) {keep_dims: bool = false; Tidx: type in index = "
     "i32}"},
    {"ArgMax(input: T, dimension: Tidx) -> (output: output_type) {T: type in [real, quantized, bool]; Tidx: type in "
     "[index, i16] = i32; output_type: type in [index, i16, u16] = i64}"},
    {"ArgMin(input: T, dimension: Tidx) -> (output: output_type) {T: type in [real, quantized, bool]; Tidx: type in "
     "index = i32; output_type: type in index = i64}"},
    {"Cumsum(x: T, axis: Tidx) -> (out: T) {exclusive: bool = false; reverse: bool = false; T: type in number; Tidx: "
     "type in index = i32}"},
    {"Max(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [real, quantized]; "
     "Tidx: type in index = i32}"},
    {"Mean(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in number; Tidx: type "
     "in index = i32}"},
    {"Min(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [real, quantized]; "
     "Tidx: type in index = i32}"},
    {"Prod(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in number; Tidx: type "
     "in index = i32}"},
    {"Range(start: Tidx, limit: Tidx, delta: Tidx) -> (output: Tidx) {Tidx: type in [signed, u16, u32, u64] = i32}"},
    {"Sum(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in number; Tidx: type in "
     "index = i32}"},
    {"TopKV2(input: T, k: Tk) -> (values: T, indices: index_type) {sorted: bool = true; T: type in real; Tk: type in "
     "[index, i16] = i32; index_type: type in [index, i16] = i32}"},
    {"UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in "
     "number; Tindices: type in [index, i16]; Tnumsegments: type in index = i32}"},
};

}  // namespace

absl::Span<const OpRow> ReductionOps() { return kRows; }

}  // namespace berth
