#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// A scalar pattern, or several.
absl::Status MatchingFilesShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.WithRankAtMost(0, 1).status());
  return args.set_output(0, {kUnknownDim});
}

absl::Status RestoreShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(0, 0));
  for (int i = 1; i < 3; ++i) {
    BERTH_ASSIGN_OR_RETURN(const PartialShape list, args.WithRank(i, 1));
    if (!MergeDims(list.dim(0), args.num_outputs()).ok()) {
      return ShapeError("input '", args.InputName(i), "' must have one element an output, ", args.num_outputs(),
                        ", got ", list.ToString());
    }
  }
  return UnknownShape(args);
}

// Scalars go with every shape.
absl::Status StringJoinShape(ShapeArgs& args) {
  PartialShape shape = PartialShape::Scalar();
  bool scalars = true, unknown = false;
  for (int i = 0; i < args.num_inputs(); ++i) {
    const PartialShape& input = args.input(i);
    if (!input.has_rank()) {
      unknown = true;
    } else if (input.rank() > 0) {
      if (scalars) shape = PartialShape::Unknown();
      scalars = false;
      BERTH_RETURN_IF_ERROR(MergeInto(&shape, input, "inputs must be scalars or of one shape"));
    }
  }
  return args.set_output(0, unknown && scalars ? PartialShape::Unknown() : std::move(shape));
}

constexpr OpTableRow kRows[] = {
    {"Assert(condition: bool, data: T) -> () {T: list(type) >= 1; summarize: int = 3} stateful host_only"},
    {"HistogramSummary(tag: string, values: T) -> (summary: string) {T: type in real = f32}", ScalarShape},
    {"MatchingFiles(pattern: string) -> (filenames: string) host_only", MatchingFilesShape},
    {"MergeSummary(inputs: N * string) -> (summary: string) {N: int >= 1}", ScalarShape},
    {"MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string) -> () {delete_old_dirs: bool = true; "
     "allow_missing_files: bool = false} stateful host_only"},
    {"Print(input: T, data: U) -> (output: T) {T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; "
     "summarize: int = 3} stateful host_only",
     UnchangedShape},
    {"PrintV2(input: string) -> () {output_stream: string = 'stderr'; end: string = '\\n'} stateful host_only"},
    {"ReadFile(filename: string) -> (contents: string) host_only", ScalarShape},
    {"RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) -> (tensors: dtypes) {dtypes: "
     "list(type) >= 1} stateful host_only",
     RestoreShape},
    {"SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes) -> () {dtypes: "
     "list(type) >= 1} stateful host_only"},
    {"ScalarSummary(tags: string, values: T) -> (summary: string) {T: type in real}", ScalarShape},
    {"ShardedFilename(basename: string, shard: i32, num_shards: i32) -> (filename: string)", ScalarShape},
    {"StringJoin(inputs: N * string) -> (output: string) {N: int >= 0; separator: string = ''}", StringJoinShape},
    {"WriteFile(filename: string, contents: string) -> () stateful host_only"},
};

}  // namespace

absl::Span<const OpTableRow> IoOps() { return kRows; }

}  // namespace berth
