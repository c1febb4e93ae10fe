// A tensor at run time: dtype, shape, and a reference to a buffer in some device's memory.
//
// Two addresses, one memory: data() is the address the host holds, kernel_data() the one that
// kernels of the owning device use. On the cpu they are equal; on a virtual device touching data()
// faults, as on real hardware. Copying a Tensor copies the reference. Immutable by convention once
// a kernel has produced it; assigning a variable gives it another buffer.
//
// Blocks that Berth allocates are 64-byte aligned. Other tensors (feeds, large constants that share
// a graph's own bytes) are aligned to their element at least: kernels load unaligned.
#ifndef BERTH_RUNTIME_TENSOR_H_
#define BERTH_RUNTIME_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
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
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;
  void* data() const { return data_; }
  void* kernel_data() const { return kernel_data_; }
  size_t size() const { return size_; }
  // True for memory that the executor uses again for other tensors: who keeps a tensor of it beyond the run copies it.
  bool transient() const { return transient_; }

 protected:
  Buffer(void* data, void* kernel_data, size_t size, bool transient = false)
      : data_(data), kernel_data_(kernel_data), size_(size), transient_(transient) {}

 private:
  void* data_;
  void* kernel_data_;
  size_t size_;
  bool transient_;
};

class Tensor {
 public:
  Tensor() = default;  // kInvalid: no value
  Tensor(DType dtype, Dims dims, std::shared_ptr<Buffer> buffer, size_t offset = 0)
      : dtype_(dtype),
        dims_(std::move(dims)),
        data_(buffer ? static_cast<char*>(buffer->data()) + offset : nullptr),
        kernel_data_(buffer ? static_cast<char*>(buffer->kernel_data()) + offset : nullptr),
        buffer_(std::move(buffer)) {}
  // Strings live in host memory whatever the device.
  Tensor(Dims dims, std::shared_ptr<std::vector<std::string>> strings)
      : dtype_(DType::kString), dims_(std::move(dims)), strings_(std::move(strings)) {}

  bool has_value() const { return dtype_ != DType::kInvalid; }
  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[i]; }
  int64_t num_elements() const {
    uint64_t n = 1;  // beside a dimension 0, others may multiply past any integer
    for (int64_t d : dims_) n *= static_cast<uint64_t>(d);
    return static_cast<int64_t>(n);
  }
  size_t num_bytes() const { return static_cast<size_t>(num_elements()) * DTypeSize(dtype_); }
  std::string ShapeString() const;  // "[8,256]"

  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
  // Of the tensor's first byte in its buffer.
  size_t offset() const { return buffer_ ? static_cast<size_t>(data_ - static_cast<char*>(buffer_->data())) : 0; }
  void* data() const { return data_; }
  void* kernel_data() const { return kernel_data_; }
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
  // Kept beside the buffer so that a kernel reaches its bytes by one load.
  char* data_ = nullptr;
  char* kernel_data_ = nullptr;
  std::shared_ptr<Buffer> buffer_;
  std::shared_ptr<std::vector<std::string>> strings_;
};

constexpr size_t kTensorAlignment = 64;

// Bytes that a tensor of fixed-size elements takes. Errors: InvalidArgument for a negative
// dimension, a size that overflows, or a dtype without fixed size.
absl::StatusOr<size_t> TensorBytes(DType dtype, absl::Span<const int64_t> dims);

// A block of host memory, 64-byte aligned, uninitialised. Error: ResourceExhausted with the number
// of bytes asked for.
absl::StatusOr<std::shared_ptr<Buffer>> AllocateHostBuffer(size_t bytes);

// In host memory, uninitialised; strings are empty. Errors: as TensorBytes and AllocateHostBuffer.
absl::StatusOr<Tensor> AllocateHostTensor(DType dtype, Dims dims);
// Large full literals share their bytes with the tensor, others are copied. Errors: as
// AllocateHostTensor; InvalidArgument for an opaque literal, which has no values that Berth can
// read.
absl::StatusOr<Tensor> HostTensorFrom(const Literal& literal);
// REQUIRES: a host tensor.
Literal LiteralFrom(const Tensor& host);
// A copy of a host tensor in memory of its own.
absl::StatusOr<Tensor> CopyHostTensor(const Tensor& host);
template <typename T>
absl::StatusOr<Tensor> HostTensorOf(Dims dims, absl::Span<const T> values) {
  absl::StatusOr<Tensor> t = AllocateHostTensor(DTypeOf<T>(), std::move(dims));
  if (t.ok()) std::copy(values.begin(), values.end(), t->template kernel<T>());
  return t;
}

}  // namespace berth

#endif  // BERTH_RUNTIME_TENSOR_H_
