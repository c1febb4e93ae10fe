#include "runtime/npy.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/literal.h"
#include "tests/testing.h"

namespace berth {
namespace {

std::string File(int version, const std::string& header, const std::string& values) {
  std::string bytes("\x93NUMPY", 6);
  bytes += {static_cast<char>(version), 0};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes + header + values;
}

std::string Header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return absl::StrCat("{'descr': '", descr, "', 'fortran_order': ", fortran, ", 'shape': ", shape, ", }\n");
}

// "float32 [2,3] 0 1 2 3 4 5", values of integer types and strings.
std::string Show(const absl::StatusOr<Tensor>& t) {
  if (!t.ok()) return std::string(t.status().message());
  std::string text = absl::StrCat(DTypeName(t->dtype()), " ", t->ShapeString());
  if (t->strings() != nullptr) return absl::StrCat(text, " ", absl::StrJoin(*t->strings(), "|"));
  const Literal literal = LiteralFrom(*t);
  for (int64_t i = 0; i < t->num_elements(); ++i) {
    if (auto value = literal.IntAt(i)) absl::StrAppend(&text, " ", *value);
  }
  return text;
}

TEST_CASE("npy: what is read") {
  const std::string six("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  const struct {
    std::string bytes, expected;
  } cases[] = {
      {File(1, Header("<i2", "(2, 3)"), six), "int16 [2,3] 1 2 3 4 5 6"},
      {File(2, Header("<i2", "(2, 3)"), six), "int16 [2,3] 1 2 3 4 5 6"},
      {File(3, Header("<i2", "(6,)"), six), "int16 [6] 1 2 3 4 5 6"},
      {File(1, Header("=u2", "(6,)"), six), "uint16 [6] 1 2 3 4 5 6"},
      {File(1, Header(">i2", "(6,)"), six), "int16 [6] 256 512 768 1024 1280 1536"},
      {File(1, Header("<i2", "(2, 3)", "True"), six), "int16 [2,3] 1 3 5 2 4 6"},
      {File(1, Header("|u1", "()"), "\7"), "uint8 [] 7"},
      {File(1, Header("|b1", "(1,)"), "\1"), "bool [1]"},
      {File(1, Header("<f4", "(0, 5)"), ""), "float32 [0,5]"},
      {File(1, Header("<V2", "(1,)"), "\1\2"), "bfloat16 [1]"},
      {File(1, "{\"shape\":(1,),'fortran_order':False,\"descr\":\"|i1\"}", "\xff"), "int8 [1] -1"},
      {File(1, Header("|S3", "(2,)"), std::string("abcd\0\0", 6)), "string [2] abc|d"},
      {File(1, Header("<U2", "(1,)"), std::string("\xe9\0\0\0\xac\x20\0\0", 8)), "string [1] \xc3\xa9\xe2\x82\xac"},
  };
  for (const auto& c : cases) CHECK(Show(ReadNpy(c.bytes)) == c.expected);
}

TEST_CASE("npy: what is refused") {
  const std::string magic("\x93NUMPY", 6);
  const struct {
    std::string bytes, expected;
  } cases[] = {
      {"", "x.npy: expected a .npy file, got other bytes"},
      {"PK\3\4 and so on", "x.npy: expected a .npy file, got other bytes"},
      {magic + std::string("\4\0\0\0", 4), "x.npy: expected .npy version 1, 2 or 3, got 4"},
      {magic + std::string("\2\0\0\0", 4), "x.npy: expected a header, got the end"},
      {magic + std::string("\1\0\xff\xff", 4), "x.npy: expected a header of at most 0 bytes, got 65535"},
      {magic + std::string("\2\0\xff\xff\xff\xff{}", 8), "x.npy: expected a header of at most 2 bytes, got 4294967295"},
      {File(1, "", ""), "x.npy: header column 1: expected '{', got the end of the header"},
      {File(1, "{}", ""), "x.npy: header column 3: expected descr, fortran_order and shape, got fewer keys"},
      {File(1, "{'colour': 1}", ""),
       "x.npy: header column 10: expected each of descr, fortran_order and shape once, got 'colour'"},
      {File(1, "{'descr': '<f4', 'descr': '<f4'}", ""),
       "x.npy: header column 25: expected each of descr, fortran_order and shape once, got 'descr'"},
      {File(1, "{'descr: }", ""), "x.npy: header column 2: expected the end of a string, got the end of the header"},
      {File(1, Header("<c8", "(1,)"), "12345678"),
       "x.npy: header column 16: expected a type such as <f4, <i8, |b1 or |S5, got '<c8'"},
      {File(1, Header("|O", "(1,)"), "12345678"),
       "x.npy: header column 15: expected a type such as <f4, <i8, |b1 or |S5, got '|O'"},
      {File(1, "{'descr': [('a', '<f4')]}", ""), "x.npy: header column 11: expected one type, got a structured type"},
      {File(1, Header("<f4", "(1,)", "maybe"), ""), "x.npy: header column 35: expected True or False, got 'm'"},
      {File(1, Header("<f4", "(-1,)"), ""), "x.npy: header column 52: expected a dimension of at least 0, got '-'"},
      {File(1, Header("<f4", "(99999999999999999999,)"), ""),
       "x.npy: header column 72: expected a dimension below 2^63, got '99999999999999999999'"},
      {File(1, Header("<f4", "(9223372036854775807, 2)"), ""),
       "x.npy: expected a size that fits for shape (9223372036854775807, 2) of float32, got 0 bytes"},
      {File(1, Header("<f4", "(1000000000,)"), "1234"),
       "x.npy: expected 4000000000 bytes for shape (1000000000) of float32, got 4 bytes"},
      {File(1, Header("<f4", "(1,)"), "12345"), "x.npy: expected 4 bytes for shape (1) of float32, got 5 bytes"},
      {File(1, Header("|S0", "(1000000000000,)"), ""),
       "x.npy: expected a size that fits for shape (1000000000000) of string, got 0 bytes"},
  };
  for (const auto& c : cases) CHECK(Show(ReadNpy(c.bytes, "x.npy")) == c.expected);
  CHECK(Show(ReadNpyFile("/nowhere/x.npy")) ==
        "file '/nowhere/x.npy': expected a file that can be read, got no such file or directory");
}

TEST_CASE("npy: what is written reads back, for every type carried") {
  std::mt19937 random(1);
  for (int number = 0; number < 40; ++number) {
    const DType dtype = static_cast<DType>(number);
    if (!HasValues(dtype) || dtype == DType::kResource || dtype == DType::kString) continue;
    for (const Dims& dims : {Dims{}, Dims{0}, Dims{7}, Dims{2, 3, 4}}) {
      auto t = AllocateHostTensor(dtype, dims);
      REQUIRE(t.ok());
      for (size_t i = 0; i < t->num_bytes(); ++i) t->kernel<unsigned char>()[i] = random() % 2;
      auto bytes = WriteNpy(*t);
      REQUIRE(bytes.ok());
      auto back = ReadNpy(*bytes);
      INFO(DTypeName(dtype) << " " << t->ShapeString());
      REQUIRE(back.ok());
      CHECK(back->dtype() == dtype);
      CHECK(back->dims() == dims);
      CHECK((t->num_bytes() == 0 || std::memcmp(back->data(), t->data(), t->num_bytes()) == 0));
      CHECK((bytes->size() - t->num_bytes()) % 64 == 0);
    }
  }
  Tensor strings({2}, std::make_shared<std::vector<std::string>>(std::vector<std::string>{"a", "bcd"}));
  CHECK(Show(ReadNpy(*WriteNpy(strings))) == "string [2] a|bcd");
  Tensor zero({1}, std::make_shared<std::vector<std::string>>(std::vector<std::string>{std::string("a\0", 2)}));
  CHECK(WriteNpy(zero).status().message() == "npy: expected strings that end in no zero byte, got one that does");
  CHECK(WriteNpy(Tensor()).status().message() == "npy: expected a type that .npy files hold, got ?");
}

TEST_CASE("npy: NumPy's own bytes") {
  const std::string expected =
      File(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" + std::string(128 - 10 - 57 - 1, ' ') + "\n",
           std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  auto t = HostTensorOf<float>({2}, {1.0f, 2.0f});
  REQUIRE(t.ok());
  CHECK(*WriteNpy(*t) == expected);
}

}  // namespace
}  // namespace berth
