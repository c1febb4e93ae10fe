#include "runtime/npy.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/read_file.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeader = 1 << 20;
constexpr size_t kMaxRank = 64;

struct TypeName {
  absl::string_view code;  // without byte order
  DType dtype;
};
constexpr TypeName kTypes[] = {{"b1", DType::kBool},    {"f2", DType::kFloat16}, {"f4", DType::kFloat32},
                               {"f8", DType::kFloat64}, {"i1", DType::kInt8},    {"i2", DType::kInt16},
                               {"i4", DType::kInt32},   {"i8", DType::kInt64},   {"u1", DType::kUint8},
                               {"u2", DType::kUint16},  {"u4", DType::kUint32},  {"u8", DType::kUint64},
                               {"V2", DType::kBfloat16}};

struct NpyHeader {
  DType dtype = DType::kInvalid;
  bool big_endian = false;
  bool fortran_order = false;
  char string_kind = 0;     // 'S' or 'U' for strings
  int64_t string_size = 0;  // characters of each
  Dims dims;
};

// Reads the dictionary: keys in any order, each once.
class HeaderReader {
 public:
  HeaderReader(absl::string_view text, absl::string_view file) : text_(text), file_(file) {}

  absl::StatusOr<NpyHeader> Read() {
    bool seen[3] = {false, false, false};
    BERTH_RETURN_IF_ERROR(Expect('{'));
    while (!Take('}')) {
      BERTH_ASSIGN_OR_RETURN(absl::string_view key, String());
      const int k = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (k < 0 || seen[k]) return Fault("each of descr, fortran_order and shape once", absl::StrCat("'", key, "'"));
      seen[k] = true;
      BERTH_RETURN_IF_ERROR(Expect(':'));
      BERTH_RETURN_IF_ERROR(k == 0 ? Descr() : k == 1 ? Order() : Shape());
      if (Take(',')) continue;
      BERTH_RETURN_IF_ERROR(Expect('}'));
      break;
    }
    if (!seen[0] || !seen[1] || !seen[2]) return Fault("descr, fortran_order and shape", "fewer keys");
    return header_;
  }

 private:
  absl::Status Fault(absl::string_view expected, absl::string_view got) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ": header column ", pos_ + 1, ": expected ", expected, ", got ", got.substr(0, 64)));
  }
  std::string Next() const {
    return pos_ < text_.size() ? absl::StrCat("'", text_.substr(pos_, 1), "'") : "the end of the header";
  }
  void SkipSpace() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\n' || text_[pos_] == '\t')) ++pos_;
  }
  bool Take(char c) {
    SkipSpace();
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  absl::Status Expect(char c) {
    if (Take(c)) return absl::OkStatus();
    return Fault(absl::StrCat("'", absl::string_view(&c, 1), "'"), Next());
  }
  absl::StatusOr<absl::string_view> String() {
    SkipSpace();
    const char quote = pos_ < text_.size() ? text_[pos_] : 0;
    if (quote != '\'' && quote != '"') return Fault("a string", Next());
    const size_t end = text_.find(quote, pos_ + 1);
    if (end == absl::string_view::npos) return Fault("the end of a string", "the end of the header");
    const absl::string_view value = text_.substr(pos_ + 1, end - pos_ - 1);
    pos_ = end + 1;
    return value;
  }
  absl::Status Descr() {
    SkipSpace();
    if (pos_ < text_.size() && text_[pos_] == '[') return Fault("one type", "a structured type");
    BERTH_ASSIGN_OR_RETURN(absl::string_view descr, String());
    absl::string_view code = descr;
    if (!code.empty() && absl::string_view("<>=|").find(code[0]) != absl::string_view::npos) {
      header_.big_endian = code[0] == '>';
      code.remove_prefix(1);
    }
    for (const TypeName& type : kTypes) {
      if (type.code == code) header_.dtype = type.dtype;
    }
    if (!code.empty() && (code[0] == 'S' || code[0] == 'U') && absl::SimpleAtoi(code.substr(1), &header_.string_size) &&
        header_.string_size >= 0 && header_.string_size <= (int64_t{1} << 40)) {
      header_.dtype = DType::kString;
      header_.string_kind = code[0];
    }
    if (header_.dtype != DType::kInvalid) return absl::OkStatus();
    return Fault("a type such as <f4, <i8, |b1 or |S5", absl::StrCat("'", descr, "'"));
  }
  absl::Status Order() {
    SkipSpace();
    for (absl::string_view word : {"True", "False"}) {
      if (text_.substr(pos_, word.size()) != word) continue;
      pos_ += word.size();
      header_.fortran_order = word == "True";
      return absl::OkStatus();
    }
    return Fault("True or False", Next());
  }
  absl::Status Shape() {
    BERTH_RETURN_IF_ERROR(Expect('('));
    while (!Take(')')) {
      SkipSpace();
      const size_t start = pos_;
      while (pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9') ++pos_;
      int64_t dim = 0;
      const absl::string_view digits = text_.substr(start, pos_ - start);
      if (digits.empty()) return Fault("a dimension of at least 0", Next());
      if (!absl::SimpleAtoi(digits, &dim)) return Fault("a dimension below 2^63", absl::StrCat("'", digits, "'"));
      if (header_.dims.size() == kMaxRank) return Fault(absl::StrCat("at most ", kMaxRank, " dimensions"), "more");
      header_.dims.push_back(dim);
      if (Take(',')) continue;
      BERTH_RETURN_IF_ERROR(Expect(')'));
      break;
    }
    return absl::OkStatus();
  }

  absl::string_view text_, file_;
  size_t pos_ = 0;
  NpyHeader header_;
};

// Where element i of C order stands in a file of Fortran order.
class FortranOrder {
 public:
  explicit FortranOrder(const Dims& dims) : dims_(dims), index_(dims.size()) {}
  int64_t Next() {
    int64_t at = 0, stride = 1;
    for (size_t d = 0; d < dims_.size(); ++d) {
      at += index_[d] * stride;
      stride *= dims_[d];
    }
    for (size_t d = dims_.size(); d-- > 0 && ++index_[d] == dims_[d];) index_[d] = 0;
    return at;
  }

 private:
  const Dims& dims_;
  Dims index_;
};

void AppendUtf8(uint32_t c, std::string& out) {
  if (c >= 0x110000 || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
            static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

// One element of a string array, without the zeros that fill it up.
std::string ReadString(absl::string_view bytes, const NpyHeader& header) {
  std::string text;
  if (header.string_kind == 'S') {
    text = std::string(bytes);
  } else {
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      unsigned char c[4];
      std::memcpy(c, bytes.data() + i, 4);
      if (header.big_endian) std::reverse(c, c + 4);
      AppendUtf8(c[0] | c[1] << 8 | c[2] << 16 | static_cast<uint32_t>(c[3]) << 24, text);
    }
  }
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

absl::StatusOr<Tensor> ReadValues(absl::string_view bytes, const NpyHeader& header, absl::string_view file) {
  const bool is_string = header.dtype == DType::kString;
  const size_t element = is_string ? static_cast<size_t>(header.string_size) * (header.string_kind == 'U' ? 4 : 1)
                                   : static_cast<size_t>(DTypeSize(header.dtype));
  size_t count = 1, size = element;
  bool overflow = false;
  for (int64_t d : header.dims) {
    overflow |= __builtin_mul_overflow(count, static_cast<size_t>(d), &count);
    overflow |= __builtin_mul_overflow(size, static_cast<size_t>(d), &size);
  }
  // Elements without bytes cost nothing in the file, but a string each in memory.
  const bool too_many = is_string && element == 0 && count > kMaxHeader;
  if (overflow || too_many || size != bytes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": expected ", overflow || too_many ? "a size that fits" : absl::StrCat(size, " bytes"), " for shape (",
        absl::StrJoin(header.dims, ", "), ") of ", DTypeName(header.dtype), ", got ", bytes.size(), " bytes"));
  }
  BERTH_ASSIGN_OR_RETURN(Tensor tensor, AllocateHostTensor(header.dtype, header.dims));
  if (size == 0 && !is_string) return tensor;
  if (!header.fortran_order && !header.big_endian && !is_string) {
    std::memcpy(tensor.data(), bytes.data(), size);
    return tensor;
  }
  FortranOrder fortran(header.dims);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = header.fortran_order ? static_cast<size_t>(fortran.Next()) : i;
    const absl::string_view value = bytes.substr(at * element, element);
    if (is_string) {
      (*tensor.strings())[i] = ReadString(value, header);
      continue;
    }
    char* out = tensor.kernel<char>() + i * element;
    std::memcpy(out, value.data(), element);
    if (header.big_endian) std::reverse(out, out + element);
  }
  return tensor;
}

}  // namespace

absl::StatusOr<Tensor> ReadNpy(absl::string_view bytes, absl::string_view file) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < kMagic.size() + 4) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": expected a .npy file, got other bytes"));
  }
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  const size_t version = byte(6);
  if (version < 1 || version > 3) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": expected .npy version 1, 2 or 3, got ", version));
  }
  const size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return absl::InvalidArgumentError(absl::StrCat(file, ": expected a header, got the end"));
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start || length > kMaxHeader) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": expected a header of at most ",
                                                   std::min(bytes.size() - start, kMaxHeader), " bytes, got ", length));
  }
  BERTH_ASSIGN_OR_RETURN(NpyHeader header, HeaderReader(bytes.substr(start, length), file).Read());
  return ReadValues(bytes.substr(start + length), header, file);
}

absl::StatusOr<Tensor> ReadNpyFile(const std::string& path) {
  BERTH_ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(path));
  return ReadNpy(bytes, path);
}

absl::StatusOr<std::string> WriteNpy(const Tensor& host) {
  std::string descr;
  size_t longest = 1;
  if (host.dtype() == DType::kString) {
    for (const std::string& s : *host.strings()) {
      if (!s.empty() && s.back() == '\0') {
        return absl::InvalidArgumentError("npy: expected strings that end in no zero byte, got one that does");
      }
      longest = std::max(longest, s.size());
    }
    descr = absl::StrCat("|S", longest);
  }
  for (const TypeName& type : kTypes) {
    if (type.dtype == host.dtype()) descr = absl::StrCat(DTypeSize(type.dtype) == 1 ? "|" : "<", type.code);
  }
  if (descr.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("npy: expected a type that .npy files hold, got ", DTypeName(host.dtype())));
  }
  std::string header = absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
                                    absl::StrJoin(host.dims(), ", "), host.rank() == 1 ? "," : "", "), }");
  // Filled up so that the values begin at a multiple of 64.
  const bool is_long = header.size() + 64 > UINT16_MAX;
  const size_t start = is_long ? 12 : 10;
  header.append((64 - (start + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += {static_cast<char>(is_long ? 2 : 1), 0};
  for (size_t i = 0; i < start - 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  out += header;
  if (host.dtype() == DType::kString) {
    for (const std::string& s : *host.strings()) out.append(s).append(longest - s.size(), '\0');
  } else if (host.num_bytes() > 0) {
    out.append(static_cast<const char*>(host.data()), host.num_bytes());
  }
  return out;
}

absl::Status WriteNpyFile(const std::string& path, const Tensor& host) {
  BERTH_ASSIGN_OR_RETURN(std::string bytes, WriteNpy(host));
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("file '", path, "': expected to write it, got an error"));
}

}  // namespace berth
