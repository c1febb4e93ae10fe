#include "runtime/tensor.h"

#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/status_macros.h"
#include "runtime/available_memory.h"

namespace berth {
namespace {

// Literals up to this size are copied, so that small constants are aligned.
constexpr size_t kShareLiteralBytes = 64 << 10;

// From here on it is asked first whether there is room: the system may grant what it does not have, and end the process
// when that is used.
constexpr size_t kLargeBlock = size_t{1} << 28;

bool HasRoomFor(size_t bytes) { return bytes < kLargeBlock || bytes <= AvailableHostMemory(); }

absl::Status NoRoomFor(size_t bytes) {
  return absl::ResourceExhaustedError(absl::StrCat("host memory: expected room for ", bytes, " bytes, got none"));
}

class HostBuffer final : public Buffer {
 public:
  HostBuffer(void* data, size_t size) : Buffer(data, data, size) {}
  ~HostBuffer() override { std::free(data()); }
};

// The bytes of a literal, kept alive by a copy of it. Nobody writes to a constant's memory: see
// ForwardOrAllocate.
class LiteralBuffer final : public Buffer {
 public:
  explicit LiteralBuffer(const Literal& literal)
      : Buffer(const_cast<char*>(literal.bytes().data()), const_cast<char*>(literal.bytes().data()),
               literal.bytes().size()),
        literal_(literal) {}

 private:
  Literal literal_;
};

}  // namespace

std::string Tensor::ShapeString() const { return absl::StrCat("[", absl::StrJoin(dims_, ","), "]"); }

absl::StatusOr<size_t> TensorBytes(DType dtype, absl::Span<const int64_t> dims) {
  const int element = DTypeSize(dtype);
  if (element <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("tensor of ", DTypeName(dtype), ": expected a type of fixed size"));
  }
  size_t bytes = static_cast<size_t>(element);
  bool overflow = false, empty = false;
  for (int64_t d : dims) {
    if (d < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor of shape [", absl::StrJoin(dims, ","), "]: expected dimensions of at least 0, got ", d));
    }
    if (d == 0) empty = true;
    overflow |= __builtin_mul_overflow(bytes, static_cast<size_t>(d), &bytes);
  }
  if (empty) return 0;
  if (overflow || bytes > static_cast<size_t>(INT64_MAX)) {
    return absl::InvalidArgumentError(absl::StrCat("tensor of shape [", absl::StrJoin(dims, ","), "] and type ",
                                                   DTypeName(dtype), ": expected at most 2^63 bytes, got more"));
  }
  return bytes;
}

absl::StatusOr<std::shared_ptr<Buffer>> AllocateHostBuffer(size_t bytes) {
  size_t rounded = 0;
  void* data = nullptr;
  if (!__builtin_add_overflow(bytes, kTensorAlignment - 1, &rounded) && HasRoomFor(bytes)) {
    rounded = std::max(rounded / kTensorAlignment, size_t{1}) * kTensorAlignment;
    data = std::aligned_alloc(kTensorAlignment, rounded);
  }
  if (data == nullptr) return NoRoomFor(bytes);
  return std::shared_ptr<Buffer>(std::make_shared<HostBuffer>(data, bytes));
}

absl::StatusOr<Tensor> AllocateHostTensor(DType dtype, Dims dims) {
  if (dtype == DType::kString) {
    // Counted as pointers, to refuse shapes that no memory holds.
    BERTH_ASSIGN_OR_RETURN(size_t bytes, TensorBytes(DType::kInt64, dims));
    if (bytes / sizeof(int64_t) > (size_t{1} << 31)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("host memory: expected at most 2^31 strings, got ", bytes / sizeof(int64_t)));
    }
    const size_t needed = bytes / sizeof(int64_t) * sizeof(std::string);
    if (!HasRoomFor(needed)) return NoRoomFor(needed);
    return Tensor(std::move(dims), std::make_shared<std::vector<std::string>>(bytes / sizeof(int64_t)));
  }
  BERTH_ASSIGN_OR_RETURN(size_t bytes, TensorBytes(dtype, dims));
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, AllocateHostBuffer(bytes));
  return Tensor(dtype, std::move(dims), std::move(buffer));
}

absl::StatusOr<Tensor> HostTensorFrom(const Literal& literal) {
  if (literal.is_opaque() || !literal.shape().has_rank()) {
    return absl::InvalidArgumentError(absl::StrCat("constant of ", DTypeName(literal.dtype()),
                                                   ": expected a type whose values can be read, got only its bytes"));
  }
  if (literal.is_elided()) return absl::InvalidArgumentError("constant: expected its values, got only size and hash");
  Dims dims(literal.shape().dims().begin(), literal.shape().dims().end());
  if (literal.dtype() == DType::kString) {
    BERTH_ASSIGN_OR_RETURN(Tensor t, AllocateHostTensor(DType::kString, std::move(dims)));
    const absl::Span<const std::string> strings = literal.strings();
    for (size_t i = 0; i < t.strings()->size() && !strings.empty(); ++i) {
      (*t.strings())[i] = strings[std::min(i, strings.size() - 1)];
    }
    return t;
  }
  BERTH_ASSIGN_OR_RETURN(size_t bytes, TensorBytes(literal.dtype(), dims));
  if (bytes >= kShareLiteralBytes && literal.is_full() && literal.bytes().size() == bytes) {
    return Tensor(literal.dtype(), std::move(dims), std::make_shared<LiteralBuffer>(literal));
  }
  BERTH_ASSIGN_OR_RETURN(Tensor t, AllocateHostTensor(literal.dtype(), std::move(dims)));
  if (bytes > 0) literal.ExpandTo(t.kernel<char>());
  return t;
}

Literal LiteralFrom(const Tensor& host) {
  if (host.dtype() == DType::kString) return Literal::FromStrings(host.dims(), *host.strings());
  return Literal::FromBytes(host.dtype(), host.dims(), std::string(host.kernel<char>(), host.num_bytes()));
}

absl::StatusOr<Tensor> CopyHostTensor(const Tensor& host) {
  BERTH_ASSIGN_OR_RETURN(Tensor copy, AllocateHostTensor(host.dtype(), host.dims()));
  if (host.dtype() == DType::kString) {
    *copy.strings() = *host.strings();
  } else if (host.num_bytes() > 0) {
    std::memcpy(copy.kernel_data(), host.kernel_data(), host.num_bytes());
  }
  return copy;
}

}  // namespace berth
