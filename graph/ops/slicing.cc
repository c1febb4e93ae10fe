#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"ConcatOffset(concat_dim: i32, shape: N * shape_type) -> (offset: N * shape_type) {N: int >= 2; shape_type: type "
     "in index = i32}"},
    {"ConcatV2(values: N * T, axis: Tidx) -> (output: T) {N: int >= 2; T: type; Tidx: type in index = i32}"},
    {"Gather(params: Tparams, indices: Tindices) -> (output: Tparams) {validate_indices: bool = true; Tparams: type; "
     "Tindices: type in index}"},
    {"GatherNd(params: Tparams, indices: Tindices) -> (output: Tparams) {Tparams: type; Tindices: type in [index, "
     "i16]; bad_indices_policy: string = ''}"},
    {"GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> (output: Tparams) {batch_dims: int = 0; Tparams: "
     "type; Tindices: type in [index, i16]; Taxis: type in index}"},
    {"MirrorPad(input: T, paddings: Tpaddings) -> (output: T) {T: type; Tpaddings: type in index = i32; mode: string "
     "in [REFLECT, SYMMETRIC]}"},
    {"Pack(values: N * T) -> (output: T) {N: int >= 1; T: type; axis: int = 0}"},
    {"Pad(input: T, paddings: Tpaddings) -> (output: T) {T: type; Tpaddings: type in index = i32}"},
    {"PadV2(input: T, paddings: Tpaddings, constant_values: T) -> (output: T) {T: type; Tpaddings: type in index = "
     "i32}"},
    {"ScatterNd(indices: Tindices, updates: T, shape: Tindices) -> (output: T) {T: type; Tindices: type in [index, "
     "i16]; bad_indices_policy: string = ''}"},
    {"Slice(input: T, begin: Index, size: Index) -> (output: T) {T: type; Index: type in index}"},
    {"SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T) -> (dense: "
     "T) {validate_indices: bool = true; T: type; Tindices: type in index}"},
    {"Split(split_dim: i32, value: T) -> (output: num_split * T) {num_split: int >= 1; T: type}"},
    {"SplitV(value: T, size_splits: Tlen, split_dim: i32) -> (output: num_split * T) {num_split: int >= 1; T: type; "
     "Tlen: type in [index, i8] = i64}"},
    {"StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> (output: T) {T: type; Index: type in [index, "
     "i16]; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: "
     "int = 0}"},
    {"Tile(input: T, multiples: Tmultiples) -> (output: T) {T: type; Tmultiples: type in index = i32}"},
    {"Unpack(value: T) -> (output: num * T) {num: int >= 0; T: type; axis: int = 0}"},
};

}  // namespace

absl::Span<const OpRow> SlicingOps() { return kRows; }

}  // namespace berth
