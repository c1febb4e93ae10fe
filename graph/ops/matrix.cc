#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

std::string Operand(const PartialShape& shape, bool transposed) {
  return absl::StrCat(shape.ToString(), transposed ? " transposed" : "");
}

// The last two dimensions of a matrix product; `a` and `b` have rank 2 or more.
absl::StatusOr<PartialShape> ProductShape(const PartialShape& a, bool flip_a, const PartialShape& b, bool flip_b) {
  const int ra = a.rank(), rb = b.rank();
  const int64_t inner_a = a.dim(flip_a ? ra - 2 : ra - 1), inner_b = b.dim(flip_b ? rb - 1 : rb - 2);
  if (!MergeDims(inner_a, inner_b).ok()) {
    return ShapeError("inner dimensions must agree, got ", Operand(a, flip_a), " x ", Operand(b, flip_b));
  }
  return PartialShape({a.dim(flip_a ? ra - 1 : ra - 2), b.dim(flip_b ? rb - 2 : rb - 1)});
}

absl::Status MatMulShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape a, args.WithRank(0, 2));
  BERTH_ASSIGN_OR_RETURN(const PartialShape b, args.WithRank(1, 2));
  BERTH_ASSIGN_OR_RETURN(PartialShape shape,
                         ProductShape(a, args.Attr<bool>("transpose_a"), b, args.Attr<bool>("transpose_b")));
  return args.set_output(0, std::move(shape));
}

absl::Status BatchMatMulOf(ShapeArgs& args, bool broadcast) {
  BERTH_ASSIGN_OR_RETURN(PartialShape a, args.WithRankAtLeast(0, 2));
  BERTH_ASSIGN_OR_RETURN(PartialShape b, args.WithRankAtLeast(1, 2));
  if (!broadcast) {
    if (!a.has_rank() && b.has_rank()) a = PartialShape::OfRank(b.rank());
    if (!b.has_rank() && a.has_rank()) b = PartialShape::OfRank(a.rank());
  }
  if (!a.has_rank() || !b.has_rank()) return args.set_output(0, PartialShape::Unknown());
  PartialShape batch = SubShape(a, 0, -2);
  if (broadcast) {
    absl::StatusOr<PartialShape> both = BroadcastShapes(batch, SubShape(b, 0, -2));
    if (!both.ok()) return ShapeError("batch dimensions must broadcast, got ", a.ToString(), " x ", b.ToString());
    batch = *std::move(both);
  } else {
    BERTH_RETURN_IF_ERROR(MergeInto(&batch, SubShape(b, 0, -2), "batch dimensions must agree"));
  }
  BERTH_ASSIGN_OR_RETURN(const PartialShape matrix,
                         ProductShape(a, args.Attr<bool>("adj_x"), b, args.Attr<bool>("adj_y")));
  return args.set_output(0, ConcatShapes(batch, matrix));
}
absl::Status BatchMatMulShape(ShapeArgs& args) { return BatchMatMulOf(args, false); }
absl::Status BatchMatMulV2Shape(ShapeArgs& args) { return BatchMatMulOf(args, true); }

// One term of an equation: labels before and after an ellipsis.
struct Subscript {
  std::string before, after;
  bool ellipsis = false;
};

absl::StatusOr<Subscript> ParseSubscript(absl::string_view text) {
  Subscript subscript;
  while (!text.empty()) {
    if (absl::ConsumePrefix(&text, "...")) {
      if (subscript.ellipsis) return ShapeError("an equation's term must have at most one ellipsis, got two");
      subscript.ellipsis = true;
    } else if (absl::ascii_isalpha(text[0])) {
      (subscript.ellipsis ? subscript.after : subscript.before) += text[0];
      text.remove_prefix(1);
    } else {
      return ShapeError("an equation must hold letters and '...', got '", text.substr(0, 1), "'");
    }
  }
  return subscript;
}

// What is known of an equation's labels while its inputs are read.
struct EinsumDims {
  std::map<char, int64_t> sizes;
  PartialShape ellipsis = PartialShape::Scalar();  // broadcast of all that ellipses stand for
};

absl::Status BindInput(ShapeArgs& args, int i, const Subscript& subscript, EinsumDims* dims) {
  const int named = static_cast<int>(subscript.before.size() + subscript.after.size());
  BERTH_ASSIGN_OR_RETURN(const PartialShape shape,
                         subscript.ellipsis ? args.WithRankAtLeast(i, named) : args.WithRank(i, named));
  const auto bind = [&](char label, int64_t size) -> absl::Status {
    int64_t& known = dims->sizes.try_emplace(label, kUnknownDim).first->second;
    absl::StatusOr<int64_t> merged = MergeDims(known, size);
    if (!merged.ok())
      return ShapeError("label '", std::string(1, label), "' must have one size, got ", known, " and ", size);
    known = *merged;
    return absl::OkStatus();
  };
  const int after = static_cast<int>(subscript.after.size());
  for (size_t k = 0; k < subscript.before.size(); ++k) {
    BERTH_RETURN_IF_ERROR(bind(subscript.before[k], shape.has_rank() ? shape.dim(static_cast<int>(k)) : kUnknownDim));
  }
  for (int k = 0; k < after; ++k) {
    BERTH_RETURN_IF_ERROR(
        bind(subscript.after[k], shape.has_rank() ? shape.dim(shape.rank() - after + k) : kUnknownDim));
  }
  if (!subscript.ellipsis) return absl::OkStatus();
  const PartialShape middle = shape.has_rank()
                                  ? SubShape(shape, static_cast<int>(subscript.before.size()), shape.rank() - after)
                                  : PartialShape::Unknown();
  BERTH_ASSIGN_OR_RETURN(dims->ellipsis, BroadcastShapes(dims->ellipsis, middle));
  return absl::OkStatus();
}

absl::Status EinsumShape(ShapeArgs& args) {
  std::string equation = args.Attr<std::string>("equation");
  absl::RemoveExtraAsciiWhitespace(&equation);
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const std::vector<std::string> sides = absl::StrSplit(equation, "->");
  if (sides.size() != 2) return ShapeError("an equation must have one '->', got '", equation, "'");
  const std::vector<std::string> terms = absl::StrSplit(sides[0], ',');
  if (static_cast<int>(terms.size()) != args.num_inputs()) {
    return ShapeError("equation '", equation, "' has ", terms.size(), " terms, got ", args.num_inputs(), " inputs");
  }
  EinsumDims dims;
  for (int i = 0; i < args.num_inputs(); ++i) {
    BERTH_ASSIGN_OR_RETURN(const Subscript subscript, ParseSubscript(terms[i]));
    BERTH_RETURN_IF_ERROR(BindInput(args, i, subscript, &dims));
  }
  BERTH_ASSIGN_OR_RETURN(const Subscript result, ParseSubscript(sides[1]));
  const auto sizes = [&](const std::string& labels) -> absl::StatusOr<PartialShape> {
    std::vector<int64_t> out;
    for (const char label : labels) {
      const auto known = dims.sizes.find(label);
      if (known == dims.sizes.end()) {
        return ShapeError("label '", std::string(1, label), "' of the output must occur in an input of '", equation,
                          "'");
      }
      out.push_back(known->second);
    }
    return PartialShape(absl::MakeConstSpan(out));
  };
  BERTH_ASSIGN_OR_RETURN(const PartialShape before, sizes(result.before));
  BERTH_ASSIGN_OR_RETURN(const PartialShape after, sizes(result.after));
  return args.set_output(0, result.ellipsis ? ConcatShapes(ConcatShapes(before, dims.ellipsis), after) : before);
}

absl::Status FftShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRankAtLeast(0, 1));
  return args.set_output(0, std::move(shape));
}

absl::Status RealFftShape(ShapeArgs& args, bool forward) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRankAtLeast(0, 1));
  BERTH_ASSIGN_OR_RETURN(const PartialShape lengths, args.WithRank(1, 1));
  if (!MergeDims(lengths.dim(0), 1).ok()) {
    return ShapeError("input 'fft_length' must have one element, got ", lengths.ToString());
  }
  if (!shape.has_rank()) return args.set_output(0, std::move(shape));
  const std::optional<int64_t> length = args.ScalarValue(1);
  if (length.has_value() && *length < 0) return ShapeError("fft_length must be at least 0, got ", *length);
  const bool halved = forward && length.value_or(0) != 0;
  shape.set_dim(shape.rank() - 1, halved ? *length / 2 + 1 : length.value_or(kUnknownDim));
  return args.set_output(0, std::move(shape));
}
absl::Status RfftShape(ShapeArgs& args) { return RealFftShape(args, true); }
absl::Status IrfftShape(ShapeArgs& args) { return RealFftShape(args, false); }

absl::Status BandPartShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRankAtLeast(0, 2));
  return args.set_output(0, std::move(shape));
}

absl::Status MatrixDiagShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape diagonal, args.WithRankAtLeast(0, 1));
  if (!diagonal.has_rank()) return args.set_output(0, diagonal);
  return args.set_output(0, ConcatShapes(diagonal, SubShape(diagonal, -1)));
}

absl::Status DiagShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape diagonal, args.WithRankAtLeast(0, 1));
  return args.set_output(0, ConcatShapes(diagonal, diagonal));
}

constexpr OpTableRow kRows[] = {
    {"BatchMatMul(x: T, y: T) -> (output: T) {T: type in [inexact, index]; adj_x: bool = false; adj_y: bool = false; "
     "grad_x: bool = false; grad_y: bool = false}",
     BatchMatMulShape},
    {"BatchMatMulV2(x: T, y: T) -> (output: T) {T: type in [inexact, index, i16, u8, u16, u32, u64]; adj_x: bool = "
     "false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false}",
     BatchMatMulV2Shape},
    {"BatchMatMulV3(x: Ta, y: Tb) -> (output: Tout) {Ta: type in [inexact, index, i8, u8, i16, u16, u32, u64]; Tb: "
     "type in [inexact, index, i8, u8, i16, u16, u32, u64]; Tout: type in [inexact, index, i16, u16, u32, u64]; adj_x: "
     "bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false}",
     BatchMatMulV2Shape},
    {"Diag(diagonal: T) -> (output: T) {T: type in [inexact, index]}", DiagShape},
    {"Einsum(inputs: N * T) -> (output: T) {equation: string; N: int >= 1; T: type}", EinsumShape},
    {"FFT(input: Tcomplex) -> (output: Tcomplex) {Tcomplex: type in [complex64, complex128] = complex64}", FftShape},
    {"IFFT(input: Tcomplex) -> (output: Tcomplex) {Tcomplex: type in [complex64, complex128] = complex64}", FftShape},
    {"IRFFT(input: Tcomplex, fft_length: i32) -> (output: Treal) {Treal: type in [f32, f64] = f32; Tcomplex: type in "
     "[complex64, complex128] = complex64}",
     IrfftShape},
    {"MatMul(a: T, b: T) -> (product: T) {transpose_a: bool = false; transpose_b: bool = false; T: type in [inexact, "
     "index, u8, u16, u32, u64]; grad_a: bool = false; grad_b: bool = false}",
     MatMulShape},
    {"MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> (band: T) {T: type; Tindex: type in index = "
     "i64}",
     BandPartShape},
    {"MatrixDiag(diagonal: T) -> (output: T) {T: type}", MatrixDiagShape},
    {"RFFT(input: Treal, fft_length: i32) -> (output: Tcomplex) {Treal: type in [f32, f64] = f32; Tcomplex: type in "
     "[complex64, complex128] = complex64}",
     RfftShape},
};

}  // namespace

absl::Span<const OpTableRow> MatrixOps() { return kRows; }

}  // namespace berth
