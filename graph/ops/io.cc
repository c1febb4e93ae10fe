#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"Assert(condition: bool, data: T) -> () {T: list(type) >= 1; summarize: int = 3} stateful host_only"},
    {"HistogramSummary(tag: string, values: T) -> (summary: string) {T: type in real = f32}"},
    {"MatchingFiles(pattern: string) -> (filenames: string) host_only"},
    {"MergeSummary(inputs: N * string) -> (summary: string) {N: int >= 1}"},
    {"MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string) -> () {delete_old_dirs: bool = true; "
     "allow_missing_files: bool = false} stateful host_only"},
    {"Print(input: T, data: U) -> (output: T) {T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; "
     "summarize: int = 3} stateful host_only"},
    {"PrintV2(input: string) -> () {output_stream: string = 'stderr'; end: string = '\\n'} stateful host_only"},
    {"ReadFile(filename: string) -> (contents: string) host_only"},
    {"RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) -> (tensors: dtypes) {dtypes: "
     "list(type) >= 1} stateful host_only"},
    {"SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes) -> () {dtypes: "
     "list(type) >= 1} stateful host_only"},
    {"ScalarSummary(tags: string, values: T) -> (summary: string) {T: type in real}"},
    {"ShardedFilename(basename: string, shard: i32, num_shards: i32) -> (filename: string)"},
    {"StringJoin(inputs: N * string) -> (output: string) {N: int >= 0; separator: string = ''}"},
    {"WriteFile(filename: string, contents: string) -> () stateful host_only"},
};

}  // namespace

absl::Span<const OpRow> IoOps() { return kRows; }

}  // namespace berth
