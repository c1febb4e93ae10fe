#include "graph/literal.h"

#include <cstring>
#include <limits>
#include <vector>

#include "graph/attr_proto.h"
#include "tests/testing.h"

namespace berth {
namespace {

Literal Ints(absl::Span<const int64_t> dims, const std::vector<int32_t>& values) {
  std::string bytes(values.size() * 4, '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return Literal::FromBytes(DType::kInt32, dims, bytes);
}

std::vector<int32_t> Expanded(const Literal& literal) {
  std::vector<int32_t> values(literal.num_elements());
  literal.ExpandTo(reinterpret_cast<char*>(values.data()));
  return values;
}

TEST_CASE("the last value repeats, and none reads as zeros") {
  CHECK(Expanded(Ints({4}, {1, 2})) == std::vector<int32_t>{1, 2, 2, 2});
  CHECK(Expanded(Ints({2, 2}, {})) == std::vector<int32_t>{0, 0, 0, 0});
  CHECK(Expanded(Ints({}, {7})) == std::vector<int32_t>{7});
  CHECK(Expanded(Ints({0}, {})).empty());
  CHECK(Ints({4}, {1, 2}).IntAt(3) == 2);
  CHECK(Ints({4}, {}).IntAt(3) == 0);
  CHECK_FALSE(Ints({4}, {}).IntAt(4).has_value());
  CHECK_FALSE(Ints({4}, {}).IntAt(-1).has_value());
  CHECK(Ints({3}, {5}).Ints() == std::vector<int64_t>{5, 5, 5});
  CHECK_FALSE(Ints({5000}, {5}).Ints().has_value());
  CHECK(Ints({4}, {1, 2, 3, 4}).is_full());
  CHECK_FALSE(Ints({4}, {1, 2}).is_full());
}

TEST_CASE("values are equal when they expand to equal ones") {
  CHECK(Ints({4}, {1, 2}) == Ints({4}, {1, 2, 2, 2}));
  CHECK(Ints({4}, {1, 2, 2, 2}) == Ints({4}, {1, 2}));
  CHECK(Ints({4}, {1, 2}) != Ints({4}, {1, 2, 2, 3}));
  CHECK(Ints({4}, {1, 2}) != Ints({4}, {2, 2, 2, 2}));
  CHECK(Ints({4}, {}) == Ints({4}, {0}));
  CHECK(Ints({4}, {}) != Ints({4}, {1}));
  CHECK(Ints({4}, {1}) != Ints({2, 2}, {1}));
  CHECK(Literal::FromStrings({3}, {"a", "b"}) == Literal::FromStrings({3}, {"a", "b", "b"}));
  CHECK(Literal::FromStrings({2}, {}) == Literal::FromStrings({2}, {""}));
  CHECK(Literal::Scalar(1.0f) != Literal::Scalar(1.0));
  CHECK(Literal::Scalar(0.0f) != Literal::Scalar(-0.0f));
  CHECK(Literal::Scalar<uint8_t>(200).IntAt(0) == 200);
  CHECK(Literal::Scalar<int8_t>(-3).IntAt(0) == -3);
}

TEST_CASE("huge shapes cost nothing and are counted with care") {
  const Literal fill = Ints({1 << 20, 1 << 20, 1 << 20}, {1});
  CHECK(fill.num_elements() == int64_t{1} << 60);
  CHECK(fill.num_bytes() == int64_t{1} << 62);
  const Literal more = Literal::FromBytes(DType::kFloat64, {int64_t{1} << 60}, "");
  CHECK(more.num_elements() == int64_t{1} << 60);
  CHECK(more.num_bytes() == -1);
  CHECK(Ints({int64_t{1} << 62, 4}, {}).num_elements() == -1);
}

TEST_CASE("an elided literal keeps the fingerprint, and equals only its like") {
  const Literal full = Ints({3}, {1, 2, 3});
  const Literal elided = Literal::Elided(DType::kInt32, full.shape(), 12, full.Fingerprint());
  CHECK(elided.is_elided());
  CHECK(elided.Fingerprint() == full.Fingerprint());
  CHECK(elided.stored_bytes() == 12);
  CHECK(elided != full);
  CHECK(elided == Literal::Elided(DType::kInt32, full.shape(), 12, full.Fingerprint()));
  CHECK_FALSE(elided.IntAt(0).has_value());
  CHECK_FALSE(elided.is_full());
}

TEST_CASE("fingerprints tell type, shape and values apart, and never change") {
  CHECK(Ints({4}, {1}).Fingerprint() != Ints({4}, {2}).Fingerprint());
  CHECK(Ints({4}, {1}).Fingerprint() != Ints({2, 2}, {1}).Fingerprint());
  CHECK(Literal::FromStrings({2}, {"ab", "c"}).Fingerprint() != Literal::FromStrings({2}, {"a", "bc"}).Fingerprint());
  CHECK(Ints({3}, {1, 2, 3}).Fingerprint() == 0x461d91a587d2883f);
}

// A TensorProto, its literal's expanded values as integers or strings, and back.
TEST_CASE("typed lists of every dtype read as their values and write as what reads equal") {
  struct Row {
    pb::DataType type;
    void (*fill)(pb::TensorProto&);
    std::vector<int64_t> want;  // empty: not integers
  };
  const std::vector<Row> rows = {
      {pb::DT_INT32, [](pb::TensorProto& t) { t.add_int_val(-5); }, {-5, -5, -5}},
      {pb::DT_INT8, [](pb::TensorProto& t) { t.add_int_val(-5); }, {-5, -5, -5}},
      {pb::DT_UINT8, [](pb::TensorProto& t) { t.add_int_val(200); }, {200, 200, 200}},
      {pb::DT_INT16, [](pb::TensorProto& t) { t.add_int_val(-300); }, {-300, -300, -300}},
      {pb::DT_UINT16, [](pb::TensorProto& t) { t.add_int_val(65535); }, {65535, 65535, 65535}},
      {pb::DT_INT64, [](pb::TensorProto& t) { t.add_int64_val(1), t.add_int64_val(-2); }, {1, -2, -2}},
      {pb::DT_UINT32, [](pb::TensorProto& t) { t.add_uint32_val(4000000000u); }, {4000000000, 4000000000, 4000000000}},
      {pb::DT_UINT64, [](pb::TensorProto& t) { t.add_uint64_val(9); }, {9, 9, 9}},
      {pb::DT_INT32, [](pb::TensorProto&) {}, {0, 0, 0}},
      // More than fit are left out, as TensorFlow does.
      {pb::DT_INT32,
       [](pb::TensorProto& t) {
         for (int i = 0; i < 5; ++i) t.add_int_val(i);
       },
       {0, 1, 2}},
      {pb::DT_INT32,
       [](pb::TensorProto& t) { t.set_tensor_content(std::string("\1\0\0\0\2\0\0\0\3\0\0\0", 12)); },
       {1, 2, 3}},
      {pb::DT_FLOAT, [](pb::TensorProto& t) { t.add_float_val(0.5f); }, {}},
      {pb::DT_DOUBLE, [](pb::TensorProto& t) { t.add_double_val(0.5); }, {}},
      {pb::DT_HALF, [](pb::TensorProto& t) { t.add_half_val(0x3c00); }, {}},
      {pb::DT_BFLOAT16, [](pb::TensorProto& t) { t.add_half_val(0x3f80); }, {}},
      {pb::DT_BOOL, [](pb::TensorProto& t) { t.add_bool_val(true); }, {}},
      {pb::DT_COMPLEX64, [](pb::TensorProto& t) { t.add_scomplex_val(1), t.add_scomplex_val(2); }, {}},
      {pb::DT_COMPLEX128, [](pb::TensorProto& t) { t.add_dcomplex_val(1), t.add_dcomplex_val(2); }, {}},
      {pb::DT_QINT8, [](pb::TensorProto& t) { t.add_int_val(-1); }, {}},
      {pb::DT_FLOAT8_E5M2, [](pb::TensorProto& t) { t.set_float8_val("\x3c"); }, {}},
      {pb::DT_STRING, [](pb::TensorProto& t) { t.add_string_val(std::string("a")); }, {}},
      {pb::DT_VARIANT, [](pb::TensorProto& t) { t.add_variant_val()->set_type_name(std::string("list")); }, {}},
      {pb::DT_RESOURCE, [](pb::TensorProto& t) { t.add_resource_handle_val()->set_name(std::string("v")); }, {}},
      {pb::DT_INT4, [](pb::TensorProto& t) { t.add_int_val(3); }, {}},
  };
  for (const Row& row : rows) {
    INFO(pb::DataType_Name(row.type));
    pb::TensorProto proto;
    proto.set_dtype(row.type);
    proto.mutable_tensor_shape()->add_dim()->set_size(3);
    row.fill(proto);
    const pb::TensorProto original = proto;
    const absl::StatusOr<Literal> literal = LiteralFromProto(proto);
    REQUIRE(literal.ok());
    CHECK(literal->dtype() == static_cast<DType>(row.type));
    if (!row.want.empty()) CHECK(literal->Ints() == row.want);
    pb::TensorProto back;
    LiteralToProto(*literal, &back);
    if (original.tensor_content().empty() && original.int_val_size() < 2 && original.int64_val_size() < 2) {
      CHECK(back.SerializeAsString() == original.SerializeAsString());
    }
    CHECK(*LiteralFromProto(back) == *literal);
  }
}

TEST_CASE("bad tensors are refused") {
  const auto message = [](auto fill) {
    pb::TensorProto proto;
    proto.set_dtype(pb::DT_FLOAT);
    fill(proto);
    const absl::StatusOr<Literal> literal = LiteralFromProto(proto);
    return literal.ok() ? "ok" : std::string(literal.status().message());
  };
  CHECK(message([](pb::TensorProto& t) { t.mutable_tensor_shape()->add_dim()->set_size(-2); }) ==
        "expected dimensions of at least 0, or -1 for unknown, got -2");
  CHECK(message([](pb::TensorProto& t) { t.mutable_tensor_shape()->add_dim()->set_size(-1); }) ==
        "expected a tensor of a known shape whose elements can be counted, got [?]");
  CHECK(message([](pb::TensorProto& t) { t.mutable_tensor_shape()->set_unknown_rank(true); }) ==
        "expected a tensor of a known shape whose elements can be counted, got ?");
  CHECK(message([](pb::TensorProto& t) {
          for (int i = 0; i < 3; ++i) t.mutable_tensor_shape()->add_dim()->set_size(int64_t{1} << 40);
        }) == "expected a shape of fewer than 2^63 elements, got more by dimension 1");
  CHECK(message([](pb::TensorProto& t) { t.set_tensor_content("abc"); }) ==
        "expected 4 bytes for each element of f32[] in tensor_content, got 3");
  CHECK(message([](pb::TensorProto& t) { t.set_dtype(static_cast<pb::DataType>(1000)); }) ==
        "expected the number of a dtype, got 1000");
  CHECK(message([](pb::TensorProto& t) {
          for (int i = 0; i < 300; ++i) t.mutable_tensor_shape()->add_dim()->set_size(1);
        }) == "expected a shape of at most 254 dimensions, got 300");
}

}  // namespace
}  // namespace berth
