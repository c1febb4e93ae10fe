// A tensor at run time: dtype, shape, and a reference to a buffer in some device's memory.
//
// Two addresses, one memory: data() is the address the host holds, kernel_data() the one that kernels of the owning device
// use. On the cpu they are equal; on a virtual device touching data() faults, as on real hardware. Copying a Tensor copies
// the reference. Immutable by convention once a kernel has produced it; variables own their buffer and change it in place.
#ifndef BERTH_RUNTIME_TENSOR_H_
#define BERTH_RUNTIME_TENSOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/dtype.h"
#include "graph/literal.h"

namespace berth {

using Dims = absl::InlinedVector<int64_t, 6>;

// A block of memory of one device. Freed through `release` when the last reference goes.
class Buffer {
 public:
  virtual ~Buffer() = default;
  void* data() const { return data_; }
  void* kernel_data() const { return kernel_data_; }
  size_t size() const { return size_; }

 protected:
  Buffer(void* data, void* kernel_data, size_t size) : data_(data), kernel_data_(kernel_data), size_(size) {}

 private:
  void* data_;
  void* kernel_data_;
  size_t size_;
};

class Tensor {
 public:
  Tensor() = default;  // kInvalid: no value
  Tensor(DType dtype, Dims dims, std::shared_ptr<Buffer> buffer, size_t offset = 0)
      : dtype_(dtype), dims_(std::move(dims)), buffer_(std::move(buffer)), offset_(offset) {}
  // Strings live in host memory whatever the device.
  Tensor(Dims dims, std::shared_ptr<std::vector<std::string>> strings)
      : dtype_(DType::kString), dims_(std::move(dims)), strings_(std::move(strings)) {}

  bool has_value() const { return dtype_ != DType::kInvalid; }
  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[i]; }
  int64_t num_elements() const {
    int64_t n = 1;
    for (int64_t d : dims_) n *= d;
    return n;
  }
  size_t num_bytes() const { return static_cast<size_t>(num_elements()) * DTypeSize(dtype_); }
  std::string ShapeString() const;  // "[8,256]"

  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
  size_t offset() const { return offset_; }
  void* data() const { return buffer_ ? static_cast<char*>(buffer_->data()) + offset_ : nullptr; }
  void* kernel_data() const { return buffer_ ? static_cast<char*>(buffer_->kernel_data()) + offset_ : nullptr; }
  template <typename T>
  T* kernel() const {
    return static_cast<T*>(kernel_data());
  }
  std::vector<std::string>* strings() const { return strings_.get(); }

  // The same memory seen under other dimensions. REQUIRES: equal number of elements.
  Tensor WithDims(Dims dims) const {
    Tensor t = *this;
    t.dims_ = std::move(dims);
    return t;
  }

 private:
  DType dtype_ = DType::kInvalid;
  Dims dims_;
  std::shared_ptr<Buffer> buffer_;
  size_t offset_ = 0;
  std::shared_ptr<std::vector<std::string>> strings_;
};

// In host memory, 64-byte aligned. Errors: InvalidArgument for a negative dimension or a size that overflows,
// ResourceExhausted with the number of bytes asked for.
absl::StatusOr<Tensor> AllocateHostTensor(DType dtype, Dims dims);
absl::StatusOr<Tensor> HostTensorFrom(const Literal& literal);
// REQUIRES: a host tensor.
Literal LiteralFrom(const Tensor& host);
template <typename T>
absl::StatusOr<Tensor> HostTensorOf(Dims dims, absl::Span<const T> values) {
  absl::StatusOr<Tensor> t = AllocateHostTensor(DTypeOf<T>(), std::move(dims));
  if (t.ok()) std::copy(values.begin(), values.end(), t->template kernel<T>());
  return t;
}

}  // namespace berth

#endif  // BERTH_RUNTIME_TENSOR_H_
