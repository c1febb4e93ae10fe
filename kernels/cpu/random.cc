// Random ops with TensorFlow's own numbers. Elements come in groups, each from blocks of its own, so that the values do
// not depend on how the work is cut; every run starts where the run before it stopped.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/philox.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

constexpr uint64_t kBlocksPerElement = 256;  // reserved by a run, used or not
constexpr int kTruncatedBlocks = 64;         // reserved for an element of a truncated group

struct Generator final : KernelState {
  Generator(uint64_t seed, uint64_t seed2) : philox(seed, seed2) {}
  Philox philox;
};

// A copy of the node's generator, which moves `blocks` ahead for the next run.
Philox Reserve(KernelArgs& args, uint64_t blocks) {
  if (args.state() == nullptr) {
    auto seed = static_cast<uint64_t>(AttrOr<int64_t>(args, "seed", 0));
    auto seed2 = static_cast<uint64_t>(AttrOr<int64_t>(args, "seed2", 0));
    if (seed == 0 && seed2 == 0) {
      std::random_device device;
      seed = uint64_t{device()} << 32 | device();
      seed2 = uint64_t{device()} << 32 | device();
    }
    args.state() = std::make_unique<Generator>(seed, seed2);
  }
  Philox& philox = static_cast<Generator&>(*args.state()).philox;
  const Philox copy = philox;
  philox.Skip(blocks);
  return copy;
}

float UniformFloat(uint32_t x) { return std::bit_cast<float>((x & 0x7fffffu) | 127u << 23) - 1.0f; }
double UniformDouble(uint32_t x0, uint32_t x1) {
  const uint64_t mantissa = uint64_t{x0 & 0xfffffu} << 32 | x1;
  return std::bit_cast<double>(mantissa | uint64_t{1023} << 52) - 1.0;
}

// Box-Muller: two normal values from one pair of uniform ones.
void NormalPair(uint32_t x0, uint32_t x1, float* out) {
  const float u = std::max(UniformFloat(x0), 1.0e-7f);
  const auto v = static_cast<float>(2.0 * M_PI * UniformFloat(x1));
  const float r = std::sqrt(-2.0f * std::log(u));
  out[0] = std::sin(v) * r;
  out[1] = std::cos(v) * r;
}
void NormalPair(const Philox::Block& x, double* out) {
  const double u = std::max(UniformDouble(x[0], x[1]), 1.0e-7);
  const double v = 2.0 * M_PI * UniformDouble(x[2], x[3]);
  const double r = std::sqrt(-2.0 * std::log(u));
  out[0] = std::sin(v) * r;
  out[1] = std::cos(v) * r;
}

// What one block of four words makes of each distribution: a group of values.
struct Uniform {
  static void Group(const Philox::Block& x, float* out) {
    for (int i = 0; i < 4; ++i) out[i] = UniformFloat(x[i]);
  }
  static void Group(const Philox::Block& x, double* out) {
    for (int i = 0; i < 2; ++i) out[i] = UniformDouble(x[2 * i], x[2 * i + 1]);
  }
};

struct Normal {
  static void Group(const Philox::Block& x, float* out) {
    NormalPair(x[0], x[1], out);
    NormalPair(x[2], x[3], out + 2);
  }
  static void Group(const Philox::Block& x, double* out) { NormalPair(x, out); }
};

template <typename T>
constexpr int kGroup = 16 / sizeof(T);

template <typename T>
int64_t NumGroups(int64_t n) {
  return (n + kGroup<T> - 1) / kGroup<T>;
}

template <typename T, typename GroupFn>
void FillGroups(int threads, const Philox& start, T* out, int64_t n, GroupFn group) {
  ParallelFor(threads, NumGroups<T>(n), GrainFor(64), [&](int64_t begin, int64_t end) {
    Philox philox = start;
    philox.Skip(static_cast<uint64_t>(begin));
    for (int64_t i = begin * kGroup<T>; i < std::min<int64_t>(end * kGroup<T>, n); i += kGroup<T>) {
      T values[kGroup<T>];
      group(philox.Next(), values);
      std::copy_n(values, std::min<int64_t>(kGroup<T>, n - i), out + i);
    }
  });
}

void Candidates(PhiloxWords& words, float* out) {
  const uint32_t x0 = words.Next();
  NormalPair(x0, words.Next(), out);
}
void Candidates(PhiloxWords& words, double* out) {
  Philox::Block x;
  for (uint32_t& word : x) word = words.Next();
  NormalPair(x, out);
}

// Keeps what lies within two standard deviations; each group draws from blocks reserved for it.
template <typename T>
void FillTruncated(int threads, const Philox& start, T* out, int64_t n) {
  ParallelFor(threads, NumGroups<T>(n), GrainFor(256), [&](int64_t first, int64_t last) {
    for (int64_t group = first; group < last; ++group) {
      Philox philox = start;
      philox.Skip(static_cast<uint64_t>(group) * kGroup<T> * kTruncatedBlocks);
      PhiloxWords words(philox);
      const int64_t end = std::min<int64_t>((group + 1) * kGroup<T>, n);
      for (int64_t i = group * kGroup<T>; i < end;) {
        T candidates[2];
        Candidates(words, candidates);
        for (int k = 0; k < 2 && i < end; ++k) {
          if (std::abs(candidates[k]) < T{2}) out[i++] = candidates[k];
        }
      }
    }
  });
}

absl::StatusOr<Tensor*> AllocateShape(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, IntsOf(args.input(0), "shape"));
  BERTH_RETURN_IF_ERROR(ExpectRank(args.input(0), 1, "shape"));
  for (int64_t d : shape) {
    if (d < 0) return Refuse("expected a shape of sizes of at least 0, got ", d);
  }
  return args.Allocate(0, Dims(shape.begin(), shape.end()));
}

template <typename Distribution>
absl::Status Random(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, AllocateShape(args));
  const int64_t n = y->num_elements();
  const Philox philox = Reserve(args, kBlocksPerElement * n);
  if (y->dtype() == DType::kFloat32) {
    FillGroups(args.threads(), philox, y->kernel<float>(), n,
               [](const auto& x, float* out) { Distribution::Group(x, out); });
  } else {
    FillGroups(args.threads(), philox, y->kernel<double>(), n,
               [](const auto& x, double* out) { Distribution::Group(x, out); });
  }
  return absl::OkStatus();
}

absl::Status TruncatedNormal(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, AllocateShape(args));
  const int64_t n = y->num_elements();
  const Philox philox = Reserve(args, kBlocksPerElement * n);
  if (y->dtype() == DType::kFloat32) {
    FillTruncated(args.threads(), philox, y->kernel<float>(), n);
  } else {
    FillTruncated(args.threads(), philox, y->kernel<double>(), n);
  }
  return absl::OkStatus();
}

absl::Status UniformInt(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const int64_t low, IntOf(args.input(1), "minval"));
  BERTH_ASSIGN_OR_RETURN(const int64_t high, IntOf(args.input(2), "maxval"));
  if (low >= high) return Refuse("expected maxval above minval ", low, ", got ", high);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, AllocateShape(args));
  const int64_t n = y->num_elements();
  const Philox philox = Reserve(args, kBlocksPerElement * n);
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (y->dtype() == DType::kInt32) {
    FillGroups(args.threads(), philox, y->kernel<int32_t>(), n, [&](const auto& x, int32_t* out) {
      for (int i = 0; i < 4; ++i) out[i] = static_cast<int32_t>(low + static_cast<int64_t>(x[i] % span));
    });
  } else {
    FillGroups(args.threads(), philox, y->kernel<int64_t>(), n, [&](const auto& x, int64_t* out) {
      for (int i = 0; i < 2; ++i) {
        const uint64_t word = x[2 * i] | uint64_t{x[2 * i + 1]} << 32;
        out[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + word % span);
      }
    });
  }
  return absl::OkStatus();
}

// Uniform in [0, m) without bias: words of the incomplete last stretch are drawn again.
uint32_t Below(PhiloxWords& words, uint32_t m) {
  const uint32_t rest = UINT32_MAX % m + 1;
  uint32_t x = words.Next();
  while (rest != m && x > UINT32_MAX - rest) x = words.Next();
  return x % m;
}

absl::Status Shuffle(KernelArgs& args) {
  const Tensor& x = args.input(0);
  const int64_t rows = x.rank() == 0 ? 1 : x.dim(0);
  if (rows <= 1 || x.num_elements() == 0) return args.SetOutput(0, x);
  if (rows > int64_t{UINT32_MAX}) return Refuse("expected at most 2^32 rows, got ", rows);
  PhiloxWords words(Reserve(args, (rows + 3) / 4));
  std::vector<int64_t> order(rows);
  for (int64_t i = 0; i < rows; ++i) order[i] = i;
  for (int64_t i = 0; i + 1 < rows; ++i) {
    std::swap(order[i], order[i + Below(words, static_cast<uint32_t>(rows - i))]);
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, x.dims()));
  const int64_t row = x.num_elements() / rows;
  for (int64_t i = 0; i < rows; ++i) {
    CopyBlock(ElementsOf(x).At(order[i] * row), ElementsOf(*y).At(i * row), row);
  }
  return absl::OkStatus();
}

}  // namespace

void AddRandomKernels(KernelTable& table) {
  const TypeConstraint floats{"dtype", {DType::kFloat32, DType::kFloat64}};
  table.Add({.op = "RandomShuffle", .types = {{"T", AllTypes()}}, .run = Shuffle});
  table.Add({.op = "RandomStandardNormal", .types = {floats}, .host_args = {"shape"}, .run = Random<Normal>});
  table.Add({.op = "RandomUniform", .types = {floats}, .host_args = {"shape"}, .run = Random<Uniform>});
  table.Add({.op = "RandomUniformInt",
             .types = {{"Tout", IndexTypes()}},
             .host_args = {"shape", "minval", "maxval"},
             .run = UniformInt});
  table.Add({.op = "TruncatedNormal", .types = {floats}, .host_args = {"shape"}, .run = TruncatedNormal});
}

}  // namespace berth::cpu
