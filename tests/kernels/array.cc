#include "tests/kernels/array.h"

#include <cmath>
#include <random>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "kernels/cpu/float16.h"
#include "kernels/kernels.h"
#include "tests/testing.h"

namespace berth {
namespace {

using cpu::BFloat16;
using cpu::Half;

int64_t CountOf(const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

// Calls fn with a null pointer of the dtype's C++ type.
template <typename Fn>
void WithType(DType dtype, Fn fn) {
  switch (dtype) {
    case DType::kFloat32:
      return fn(static_cast<float*>(nullptr));
    case DType::kFloat64:
      return fn(static_cast<double*>(nullptr));
    case DType::kFloat16:
      return fn(static_cast<Half*>(nullptr));
    case DType::kBfloat16:
      return fn(static_cast<BFloat16*>(nullptr));
    case DType::kInt8:
      return fn(static_cast<int8_t*>(nullptr));
    case DType::kInt16:
      return fn(static_cast<int16_t*>(nullptr));
    case DType::kInt32:
      return fn(static_cast<int32_t*>(nullptr));
    case DType::kInt64:
      return fn(static_cast<int64_t*>(nullptr));
    case DType::kUint8:
      return fn(static_cast<uint8_t*>(nullptr));
    case DType::kUint16:
      return fn(static_cast<uint16_t*>(nullptr));
    case DType::kUint32:
      return fn(static_cast<uint32_t*>(nullptr));
    case DType::kUint64:
      return fn(static_cast<uint64_t*>(nullptr));
    case DType::kBool:
      return fn(static_cast<bool*>(nullptr));
    default:
      FAIL("no test values of " << std::string(DTypeName(dtype)));
  }
}

template <typename T>
T FromDouble(double value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
double ToDouble(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(value);
  } else {
    return static_cast<double>(value);
  }
}

bool Near(double got, double want, double tolerance) {
  if (std::isnan(want)) return std::isnan(got);
  if (got == want) return true;
  return std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want));
}

}  // namespace

double Array::At(const Index& index) const {
  int64_t at = 0;
  for (size_t i = 0; i < dims.size(); ++i) at = at * dims[i] + index[i];
  return values[at];
}

Tensor Array::As(DType dtype) const {
  Tensor t = *AllocateHostTensor(dtype, dims);
  if (dtype == DType::kString) {
    for (size_t i = 0; i < values.size(); ++i) (*t.strings())[i] = absl::StrCat(values[i]);
    return t;
  }
  WithType(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (size_t i = 0; i < values.size(); ++i) t.kernel<T>()[i] = FromDouble<T>(values[i]);
  });
  return t;
}

Array Counting(Dims dims) {
  Array a{dims, std::vector<double>(CountOf(dims))};
  for (size_t i = 0; i < a.values.size(); ++i) a.values[i] = static_cast<double>(i % 250 + 1);
  return a;
}

Array Random(Dims dims, int seed) {
  Array a{dims, std::vector<double>(CountOf(dims))};
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  for (double& value : a.values) value = normal(engine);
  return a;
}

Array Generate(Dims dims, const std::function<double(const Index&)>& value) {
  Array a{dims, {}};
  Index index(dims.size(), 0);
  for (int64_t i = 0; i < CountOf(dims); ++i) {
    int64_t rest = i;
    for (size_t k = dims.size(); k-- > 0;) {
      index[k] = rest % dims[k];
      rest /= dims[k];
    }
    a.values.push_back(value(index));
  }
  return a;
}

Array ArrayOf(const Tensor& t) {
  Array a{t.dims(), {}};
  if (t.dtype() == DType::kString) {
    for (const std::string& text : *t.strings()) {
      double value = 0;
      CHECK(absl::SimpleAtod(text, &value));
      a.values.push_back(value);
    }
    return a;
  }
  WithType(t.dtype(), [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (int64_t i = 0; i < t.num_elements(); ++i) a.values.push_back(ToDouble(t.kernel<T>()[i]));
  });
  return a;
}

Tensor Ints(std::vector<int32_t> values) {
  return *HostTensorOf<int32_t>({static_cast<int64_t>(values.size())}, values);
}

Tensor Int(int32_t value) { return *HostTensorOf<int32_t>({}, {value}); }

AttrValue List(std::vector<int64_t> values) {
  AttrList list;
  list.i = std::move(values);
  return AttrValue(list);
}

AttrValue Text(const std::string& text) { return AttrValue(text); }

void CheckCall(const KernelCall& call, const std::vector<Array>& expected, double tolerance) {
  const auto got = RunKernel(*CpuKernels(), call);
  const Tensor none;
  const Tensor& first = call.inputs.empty() ? none : call.inputs[0];
  INFO(call.op << " of " << std::string(DTypeName(first.dtype())) << first.ShapeString() << ": "
               << got.status().ToString());
  REQUIRE(got.ok());
  REQUIRE(got->size() >= expected.size());
  for (size_t k = 0; k < expected.size(); ++k) {
    const Array array = ArrayOf((*got)[k]);
    INFO("output " << k << " of shape " << (*got)[k].ShapeString());
    REQUIRE(array.dims == expected[k].dims);
    for (size_t i = 0; i < array.values.size(); ++i) {
      INFO("element " << i << ": got " << array.values[i] << ", expected " << expected[k].values[i]);
      CHECK(Near(array.values[i], expected[k].values[i], tolerance));
    }
  }
}

void CheckRefusals(const std::vector<Refusal>& table) {
  for (const Refusal& row : table) {
    const auto got = RunKernel(*CpuKernels(), row.call);
    INFO(row.call.op << ": " << row.text);
    REQUIRE(!got.ok());
    CHECK(got.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK(std::string(got.status().message()) == row.text);
  }
}

}  // namespace berth
