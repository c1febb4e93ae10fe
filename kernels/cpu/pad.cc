// Borders around a tensor: of one value (Pad, PadV2) or mirrored (MirrorPad).
#include <algorithm>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

struct Borders {
  std::vector<int64_t> low, high;
  Dims out;
};

absl::StatusOr<Borders> BordersOf(KernelArgs& args) {
  const Tensor& x = args.input(0);
  const Tensor& paddings = args.input(1);
  Borders borders;
  BERTH_RETURN_IF_ERROR(ExpectDims(paddings, {x.rank(), 2}, "paddings"));
  for (int i = 0; i < x.rank(); ++i) {
    borders.low.push_back(IntAt(paddings, 2 * i));
    borders.high.push_back(IntAt(paddings, 2 * i + 1));
    int64_t size = 0;
    if (borders.low[i] < 0 || borders.high[i] < 0) {
      return Refuse("expected paddings of at least 0, got ", std::min(borders.low[i], borders.high[i]));
    }
    if (__builtin_add_overflow(x.dim(i), borders.low[i], &size) ||
        __builtin_add_overflow(size, borders.high[i], &size)) {
      return Refuse("expected paddings that fit, got ", borders.low[i], " and ", borders.high[i]);
    }
    borders.out.push_back(size);
  }
  return borders;
}

int64_t Offset(const std::vector<int64_t>& index, const Strides& strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    offset = static_cast<int64_t>(static_cast<uint64_t>(offset) + static_cast<uint64_t>(Product(index[i], strides[i])));
  }
  return offset;
}

absl::Status Pad(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const Borders borders, BordersOf(args));
  if (args.num_inputs() > 2) BERTH_RETURN_IF_ERROR(ExpectRank(args.input(2), 0, "constant_values"));
  if (borders.out == x.dims()) return args.SetOutput(0, x);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, borders.out));
  const Elements to = ElementsOf(*y);
  if (args.num_inputs() > 2) {
    Repeat(ElementsOf(args.input(2)), to, y->num_elements());
  } else {
    Clear(to, y->num_elements());
  }
  const Strides strides = RowMajor(borders.out);
  CopyStrided(args.threads(), x.dims(), ElementsOf(x), RowMajor(x.dims()), to.At(Offset(borders.low, strides)),
              strides);
  return absl::OkStatus();
}

// One axis after the other, each over the part that is already there: two reversed copies an axis.
absl::Status MirrorPad(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const Borders borders, BordersOf(args));
  const std::string mode = AttrOr<std::string>(args, "mode", "");
  if (mode != "REFLECT" && mode != "SYMMETRIC") return Refuse("expected mode REFLECT or SYMMETRIC, got '", mode, "'");
  const int64_t skip = mode == "REFLECT" ? 1 : 0;  // the edge itself is not repeated
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t most = x.dim(i) - skip;  // -1: an empty axis has no edge to reflect at
    if (borders.low[i] > most || borders.high[i] > most) {
      return Refuse("expected paddings below ", most + 1, " along axis ", i, ", got ",
                    std::max(borders.low[i], borders.high[i]));
    }
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, borders.out));
  if (y->num_elements() == 0) return absl::OkStatus();
  const Elements to = ElementsOf(*y);
  const Strides strides = RowMajor(borders.out);
  CopyStrided(args.threads(), x.dims(), ElementsOf(x), RowMajor(x.dims()), to.At(Offset(borders.low, strides)),
              strides);
  std::vector<int64_t> start = borders.low;
  Dims dims = x.dims();
  for (int i = 0; i < x.rank(); ++i) {
    Strides backwards = strides;
    backwards[i] = -strides[i];
    const int64_t base = Offset(start, strides);
    const int64_t last = base + (x.dim(i) - 1) * strides[i];
    Dims border = dims;
    border[i] = borders.low[i];
    CopyStrided(args.threads(), border, to.At(base + skip * strides[i]), strides, to.At(base - strides[i]), backwards);
    border[i] = borders.high[i];
    CopyStrided(args.threads(), border, to.At(last - skip * strides[i]), backwards, to.At(last + strides[i]), strides);
    start[i] = 0;
    dims[i] = borders.out[i];
  }
  return absl::OkStatus();
}

}  // namespace

void AddPadKernels(KernelTable& table) {
  const std::vector<TypeConstraint> all = {{"T", AllTypes()}};
  table.Add({.op = "MirrorPad", .types = all, .host_args = {"paddings"}, .run = MirrorPad});
  table.Add({.op = "Pad", .types = all, .host_args = {"paddings"}, .run = Pad});
  table.Add({.op = "PadV2", .types = all, .host_args = {"paddings", "constant_values"}, .run = Pad});
}

}  // namespace berth::cpu
