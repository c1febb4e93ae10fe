// Einsum of one or two operands, by its definition: a loop over the output's labels around a loop over the summed ones.
#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

// A label is a letter, or, for an axis that an ellipsis stands for, minus its distance from the ellipsis' right end.
using Label = int;

struct Subscripts {
  std::vector<Label> labels;
  bool has_ellipsis = false;
};

// Expands "b...ij" for an operand whose ellipsis stands for `dots` axes. Error: anything else than letters and one "...".
absl::StatusOr<Subscripts> ReadSubscripts(absl::string_view text, int dots) {
  Subscripts s;
  for (size_t i = 0; i < text.size(); ++i) {
    if (absl::ascii_isalpha(static_cast<unsigned char>(text[i]))) {
      s.labels.push_back(text[i]);
    } else if (text.substr(i, 3) == "..." && !s.has_ellipsis) {
      s.has_ellipsis = true;
      for (int d = dots; d > 0; --d) s.labels.push_back(-d);
      i += 2;
    } else if (text[i] != ' ') {
      return Refuse("expected subscripts of letters and at most one '...', got '", text, "'");
    }
  }
  return s;
}

int CountLetters(absl::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return absl::ascii_isalpha(c); }));
}

// Every label's size, and how far each operand and the output step along it.
struct Axis {
  int64_t size = 1;
  int64_t steps[2] = {0, 0};
};

struct Problem {
  std::vector<Axis> out, summed;
  Dims dims;
};

absl::Status AddOperand(const Tensor& x, const Subscripts& s, int operand, std::map<Label, Axis>& axes) {
  if (static_cast<int>(s.labels.size()) != x.rank()) {
    return Refuse("expected operand ", operand, " of rank ", s.labels.size(), ", got shape ", x.ShapeString());
  }
  const Strides strides = RowMajor(x.dims());
  for (int i = 0; i < x.rank(); ++i) {
    Axis& axis = axes[s.labels[i]];
    const bool broadcasts = s.labels[i] < 0 && x.dim(i) == 1;
    if (!broadcasts && axis.size != x.dim(i) && (axis.size != 1 || axis.steps[0] != 0 || axis.steps[1] != 0)) {
      return Refuse("expected one size for a label, got ", axis.size, " and ", x.dim(i));
    }
    if (broadcasts) continue;
    axis.size = x.dim(i);
    axis.steps[operand] += strides[i];
  }
  return absl::OkStatus();
}

absl::StatusOr<Problem> ProblemOf(KernelArgs& args) {
  const std::string equation = AttrOr<std::string>(args, "equation", "");
  const std::vector<std::string> sides = absl::StrSplit(equation, "->");
  const std::vector<std::string> ins = absl::StrSplit(sides[0], ',');
  if (sides.size() != 2 || static_cast<int>(ins.size()) != args.num_inputs() || ins.size() > 2) {
    return Refuse("expected an equation of ", args.num_inputs(), " operands (at most 2) and '->', got '", equation,
                  "'");
  }
  std::map<Label, Axis> axes;
  int most_dots = 0;
  for (int i = 0; i < args.num_inputs(); ++i) {
    const int dots = std::max(args.input(i).rank() - CountLetters(ins[i]), 0);
    BERTH_ASSIGN_OR_RETURN(const Subscripts s, ReadSubscripts(ins[i], dots));
    BERTH_RETURN_IF_ERROR(AddOperand(args.input(i), s, i, axes));
    if (s.has_ellipsis) most_dots = std::max(most_dots, dots);
  }
  BERTH_ASSIGN_OR_RETURN(const Subscripts out, ReadSubscripts(sides[1], most_dots));
  if (most_dots > 0 && !out.has_ellipsis) return Refuse("expected '...' in the output of '", equation, "', got none");
  Problem p;
  for (Label label : out.labels) {
    const auto it = axes.find(label);
    if (it == axes.end()) return Refuse("expected output labels that an operand has, once each, got '", equation, "'");
    p.out.push_back(it->second);
    p.dims.push_back(it->second.size);
    axes.erase(it);
  }
  for (const auto& [label, axis] : axes) p.summed.push_back(axis);
  return p;
}

template <typename T>
class Contraction {
 public:
  Contraction(const Problem& p, const T* a, const T* b, T* y) : p_(p), a_(a), b_(b), y_(y) {}
  void Run() { Output(0, 0, 0); }

 private:
  void Output(size_t axis, int64_t a, int64_t b) {
    if (axis == p_.out.size()) {
      *y_++ = static_cast<T>(Sum(0, a, b));
      return;
    }
    const Axis& x = p_.out[axis];
    for (int64_t i = 0; i < x.size; ++i) Output(axis + 1, a + i * x.steps[0], b + i * x.steps[1]);
  }
  double Sum(size_t axis, int64_t a, int64_t b) {
    if (axis == p_.summed.size())
      return static_cast<double>(a_[a]) * (b_ == nullptr ? 1.0 : static_cast<double>(b_[b]));
    const Axis& x = p_.summed[axis];
    double sum = 0;
    for (int64_t i = 0; i < x.size; ++i) sum += Sum(axis + 1, a + i * x.steps[0], b + i * x.steps[1]);
    return sum;
  }

  const Problem& p_;
  const T* a_;
  const T* b_;
  T* y_;
};

template <typename T>
void Contract(KernelArgs& args, const Problem& p, Tensor& y) {
  const T* b = args.num_inputs() > 1 ? args.input(1).kernel<T>() : nullptr;
  Contraction<T>(p, args.input(0).kernel<T>(), b, y.kernel<T>()).Run();
}

absl::Status Einsum(KernelArgs& args) {
  const DenormalsAreZero denormals;
  BERTH_ASSIGN_OR_RETURN(const Problem p, ProblemOf(args));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, p.dims));
  if (y->num_elements() == 0) return absl::OkStatus();
  y->dtype() == DType::kFloat64 ? Contract<double>(args, p, *y) : Contract<float>(args, p, *y);
  return absl::OkStatus();
}

}  // namespace

void AddEinsumKernels(KernelTable& table) {
  table.Add({.op = "Einsum", .types = {{"T", {DType::kFloat32, DType::kFloat64}}}, .run = Einsum});
}

}  // namespace berth::cpu
