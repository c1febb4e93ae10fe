// One copy for every op that only moves elements: transposing, slicing, joining, tiling, padding,
// reversing.
//
// A view is an address, dimensions and strides counted in elements; a stride may be 0 (repeat) or
// negative (reverse).
//
//   transpose of [2,3]:  CopyStrided(1, {3,2}, from, {1,3}, to, {2,1})
//   reverse of [4]:      CopyStrided(1, {4}, from.At(3), {-1}, to, {1})
#ifndef BERTH_KERNELS_CPU_STRIDED_H_
#define BERTH_KERNELS_CPU_STRIDED_H_

#include <cstdint>
#include <string>

#include "runtime/tensor.h"

namespace berth::cpu {

using Strides = Dims;

// Where elements lie, whatever their dtype. Strings are elements like others.
struct Elements {
  char* base = nullptr;
  int size = 0;  // bytes of one element
  bool strings = false;

  // Of an empty tensor: any address, which nobody reads.
  Elements At(int64_t element) const {
    const uintptr_t at = reinterpret_cast<uintptr_t>(base) + static_cast<uintptr_t>(element) * size;
    return {reinterpret_cast<char*>(at), size, strings};
  }
};

Elements ElementsOf(const Tensor& t);
Strides RowMajor(const Dims& dims);

// to[i,j,...] = from[i,j,...] for every index under `dims`, on at most `threads` threads. REQUIRES: equal element types;
// no overlap; both in range.
void CopyStrided(int threads, const Dims& dims, Elements from, const Strides& from_strides, Elements to,
                 const Strides& to_strides);
// n elements in a row. REQUIRES: no overlap.
void CopyBlock(Elements from, Elements to, int64_t n);
// n copies of the one element at `value`.
void Repeat(Elements value, Elements to, int64_t n);
// n zeros (empty strings).
void Clear(Elements to, int64_t n);

// Calls fn with a null pointer of a type that has the elements' size, for loops that only move them.
template <typename Fn>
void WithElementType(Elements e, Fn fn) {
  if (e.strings) {
    fn(static_cast<std::string*>(nullptr));
  } else if (e.size == 1) {
    fn(static_cast<uint8_t*>(nullptr));
  } else if (e.size == 2) {
    fn(static_cast<uint16_t*>(nullptr));
  } else if (e.size == 4) {
    fn(static_cast<uint32_t*>(nullptr));
  } else if (e.size == 8) {
    fn(static_cast<uint64_t*>(nullptr));
  }
}

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_STRIDED_H_
