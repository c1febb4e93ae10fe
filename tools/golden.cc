#include "tools/golden.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/status_macros.h"
#include "runtime/npy.h"

namespace berth {
namespace {

absl::Status Malformed(const std::string& file, int line, absl::string_view what) {
  return WithExit(absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": ", what)), kExitUnreadable);
}

template <typename T>
void Measure(const Tensor& want, const Tensor& got, double spread, GoldenVerdict& verdict) {
  const T* w = want.kernel<T>();
  const T* g = got.kernel<T>();
  double largest = 0;
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    const double expected = static_cast<double>(w[i]);
    const double found = static_cast<double>(g[i]);
    if (std::isnan(expected) != std::isnan(found)) {
      verdict.fault = absl::StrCat("element ", i, ": expected ", expected, ", got ", found);
      return;
    }
    if (std::isnan(expected) || expected == found) {
      if (std::isfinite(expected)) largest = std::max(largest, std::abs(expected));
      continue;
    }
    if (!std::isfinite(expected) || !std::isfinite(found)) {
      verdict.fault = absl::StrCat("element ", i, ": expected ", expected, ", got ", found);
      return;
    }
    largest = std::max(largest, std::abs(expected));
    verdict.error = std::max(verdict.error, std::abs(expected - found));
  }
  verdict.allowed = std::max({1e-4 * largest, 4 * spread * largest, 1e-6});
  verdict.right = verdict.error <= verdict.allowed;
}

}  // namespace

absl::StatusOr<Golden> LoadGolden(const std::string& folder, Io& io) {
  const std::string file = absl::StrCat(folder, "/golden.tsv");
  BERTH_ASSIGN_OR_RETURN(const std::string text, ReadInput(file, io));
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  std::map<std::string, size_t> column;
  for (const absl::string_view name : absl::StrSplit(absl::StripAsciiWhitespace(lines[0]), '\t')) {
    if (!column.emplace(std::string(name), column.size()).second) {
      return Malformed(file, 1, absl::StrCat("expected each column once, got '", name, "' twice"));
    }
  }
  for (const char* name : {"role", "tensor", "file", "spread"}) {
    if (column.count(name) == 0) return Malformed(file, 1, absl::StrCat("expected a column '", name, "', got none"));
  }
  Golden golden;
  for (size_t i = 1; i < lines.size(); ++i) {
    const int line = static_cast<int>(i) + 1;
    if (absl::StripAsciiWhitespace(lines[i]).empty()) continue;
    std::vector<std::string> cells = absl::StrSplit(absl::StripSuffix(lines[i], "\r"), '\t');
    if (cells.size() < column.size()) {
      return Malformed(file, line, absl::StrCat("expected ", column.size(), " columns, got ", cells.size()));
    }
    const std::string npy = absl::StrCat(folder, "/", cells[column["file"]]);
    BERTH_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(npy, io));
    absl::StatusOr<Tensor> tensor = ReadNpy(bytes, npy);
    if (!tensor.ok()) return WithExit(tensor.status(), kExitUnreadable);
    const std::string& role = cells[column["role"]];
    const std::string& spread = cells[column["spread"]];
    double value = 0;
    if (!spread.empty() && (!absl::SimpleAtod(spread, &value) || !std::isfinite(value) || value < 0)) {
      return Malformed(file, line,
                       absl::StrCat("column 'spread': expected a number of at least 0, got '", spread, "'"));
    }
    if (role == "input") {
      golden.inputs.emplace_back(cells[column["tensor"]], *std::move(tensor));
    } else if (role == "output") {
      golden.outputs.push_back({cells[column["tensor"]], *std::move(tensor), value});
    } else {
      return Malformed(file, line, absl::StrCat("column 'role': expected input or output, got '", role, "'"));
    }
  }
  if (golden.outputs.empty()) return Malformed(file, 1, "expected a row whose role is output, got none");
  return golden;
}

GoldenVerdict CompareGolden(const Golden::Output& output, const Tensor& got) {
  const Tensor& want = output.want;
  GoldenVerdict verdict;
  if (got.dtype() != want.dtype() || got.dims() != want.dims()) {
    verdict.fault = absl::StrCat("expected ", DTypeName(want.dtype()), want.ShapeString(), ", got ",
                                 DTypeName(got.dtype()), got.ShapeString());
    return verdict;
  }
  if (want.dtype() == DType::kFloat32) {
    Measure<float>(want, got, output.spread, verdict);
  } else if (want.dtype() == DType::kFloat64) {
    Measure<double>(want, got, output.spread, verdict);
  } else if (want.dtype() == DType::kString) {
    verdict.right = *want.strings() == *got.strings();
  } else {
    verdict.right = std::memcmp(want.kernel_data(), got.kernel_data(), want.num_bytes()) == 0;
    if (!verdict.right) verdict.fault = "values differ";
  }
  return verdict;
}

}  // namespace berth
