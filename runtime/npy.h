// NumPy's .npy files: one array, its type and shape in a header that is a Python dictionary.
//
//   \x93NUMPY 1 0 <length> {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n  <24 bytes>
//
// Versions 1 to 3 are read, version 1 is written (2 where the header is too long for it), in C order and little-endian.
// Big-endian and Fortran-ordered files are converted. bfloat16, which NumPy has no name for, is `<V2`, as ml_dtypes
// writes it. Strings are read from `S` and `U`, and written as `S`.
#ifndef BERTH_RUNTIME_NPY_H_
#define BERTH_RUNTIME_NPY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/tensor.h"

namespace berth {

// A host tensor. `file` is for messages. Errors: InvalidArgument naming the file, the place in the header, what was
// expected and got; nothing larger than the bytes given is allocated.
absl::StatusOr<Tensor> ReadNpy(absl::string_view bytes, absl::string_view file = "npy");
// Error: NotFound naming a file that cannot be opened, else as ReadNpy.
absl::StatusOr<Tensor> ReadNpyFile(const std::string& path);

// REQUIRES: a host tensor. Error: InvalidArgument for types that no .npy file holds, and strings that end in a zero
// byte.
absl::StatusOr<std::string> WriteNpy(const Tensor& host);
absl::Status WriteNpyFile(const std::string& path, const Tensor& host);

}  // namespace berth

#endif  // BERTH_RUNTIME_NPY_H_
