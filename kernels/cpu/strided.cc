#include "kernels/cpu/strided.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/cpu/parallel.h"

namespace berth::cpu {
namespace {

struct Axis {
  int64_t size, from, to;
};

// Without axes of size 1, and with neighbours that step alike made one.
absl::InlinedVector<Axis, 6> Merged(const Dims& dims, const Strides& from, const Strides& to) {
  absl::InlinedVector<Axis, 6> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!axes.empty() && axes.back().from == from[i] * dims[i] && axes.back().to == to[i] * dims[i]) {
      axes.back() = {axes.back().size * dims[i], from[i], to[i]};
    } else {
      axes.push_back({dims[i], from[i], to[i]});
    }
  }
  return axes;
}

template <typename T>
void CopyRow(const T* from, int64_t from_step, T* to, int64_t to_step, int64_t n) {
  if (from_step == 1 && to_step == 1) {
    std::copy(from, from + n, to);
  } else if (from_step == 0 && to_step == 1) {
    std::fill(to, to + n, *from);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
  }
}

// Two innermost axes in square tiles, so that both sides stay in cache when one of them strides.
template <typename T>
void CopyPlane(const T* from, T* to, const Axis& outer, const Axis& inner) {
  constexpr int64_t kTile = 16;
  if (inner.to == 1 && (inner.from == 1 || inner.from == 0)) {
    for (int64_t i = 0; i < outer.size; ++i) {
      CopyRow(from + i * outer.from, inner.from, to + i * outer.to, 1, inner.size);
    }
    return;
  }
  for (int64_t i0 = 0; i0 < outer.size; i0 += kTile) {
    const int64_t i1 = std::min(i0 + kTile, outer.size);
    for (int64_t j0 = 0; j0 < inner.size; j0 += kTile) {
      const int64_t n = std::min(kTile, inner.size - j0);
      for (int64_t i = i0; i < i1; ++i) {
        CopyRow(from + i * outer.from + j0 * inner.from, inner.from, to + i * outer.to + j0 * inner.to, inner.to, n);
      }
    }
  }
}

template <typename T>
void CopyAxes(const T* from, T* to, const Axis* axes, size_t n) {
  if (n == 1) {
    CopyRow(from, axes->from, to, axes->to, axes->size);
  } else if (n == 2) {
    CopyPlane(from, to, axes[0], axes[1]);
  } else {
    for (int64_t i = 0; i < axes->size; ++i) {
      CopyAxes(from + i * axes->from, to + i * axes->to, axes + 1, n - 1);
    }
  }
}

}  // namespace

Elements ElementsOf(const Tensor& t) {
  if (t.dtype() == DType::kString) {
    return {reinterpret_cast<char*>(t.strings()->data()), sizeof(std::string), true};
  }
  return {static_cast<char*>(t.kernel_data()), DTypeSize(t.dtype()), false};
}

Strides RowMajor(const Dims& dims) {
  Strides strides(dims.size());
  uint64_t step = 1;  // wraps where the tensor is empty, and then nobody takes a step
  for (int i = static_cast<int>(dims.size()) - 1; i >= 0; --i) {
    strides[i] = static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(dims[i]);
  }
  return strides;
}

void CopyStrided(int threads, const Dims& dims, Elements from, const Strides& from_strides, Elements to,
                 const Strides& to_strides) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;
  const absl::InlinedVector<Axis, 6> axes = Merged(dims, from_strides, to_strides);
  WithElementType(to, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const T* x = reinterpret_cast<const T*>(from.base);
    T* y = reinterpret_cast<T*>(to.base);
    if (axes.empty()) {
      *y = *x;
      return;
    }
    // Cut along the outermost axis.
    int64_t inner = 1;
    for (size_t i = 1; i < axes.size(); ++i) inner *= axes[i].size;
    ParallelFor(threads, axes[0].size, GrainFor(inner), [&](int64_t begin, int64_t end) {
      absl::InlinedVector<Axis, 6> part = axes;
      part[0].size = end - begin;
      CopyAxes(x + begin * axes[0].from, y + begin * axes[0].to, part.data(), part.size());
    });
  });
}

void CopyBlock(Elements from, Elements to, int64_t n) {
  if (n <= 0) return;
  if (!to.strings) {
    std::memcpy(to.base, from.base, n * to.size);
    return;
  }
  const auto* strings = reinterpret_cast<const std::string*>(from.base);
  std::copy(strings, strings + n, reinterpret_cast<std::string*>(to.base));
}

void Repeat(Elements value, Elements to, int64_t n) {
  WithElementType(to, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    std::fill_n(reinterpret_cast<T*>(to.base), std::max<int64_t>(n, 0), *reinterpret_cast<const T*>(value.base));
  });
}

void Clear(Elements to, int64_t n) {
  if (n <= 0) return;
  if (!to.strings) {
    std::memset(to.base, 0, n * to.size);
    return;
  }
  auto* strings = reinterpret_cast<std::string*>(to.base);
  std::fill(strings, strings + n, std::string());
}

}  // namespace berth::cpu
