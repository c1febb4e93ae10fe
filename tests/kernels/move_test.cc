// Ops that only move elements, against index by index references, for dtypes of every size and for strings: empty tensors,
// scalars, axes of size 1, odd sizes.
#include "tests/kernels/array.h"
#include "tests/testing.h"

namespace berth {
namespace {

const DType kTypes[] = {DType::kUint8, DType::kUint16, DType::kFloat32, DType::kUint32, DType::kUint64, DType::kString};

// The call with `x` as input `at`, for every dtype.
void CheckMove(KernelCall call, size_t at, const Array& x, const std::vector<Array>& expected) {
  for (DType dtype : kTypes) {
    call.inputs[at] = x.As(dtype);
    CheckCall(call, expected);
  }
}

TEST_CASE("transposing") {
  const struct {
    Dims dims;
    std::vector<int32_t> perm;
  } table[] = {{{}, {}},
               {{7}, {0}},
               {{3, 5}, {1, 0}},
               {{17, 33}, {1, 0}},
               {{2, 1, 9}, {2, 0, 1}},
               {{0, 4}, {1, 0}},
               {{4, 3, 2}, {0, 2, 1}},
               {{2, 3, 5, 7}, {3, 1, 0, 2}},
               {{2, 3, 1, 4}, {-1, 1, 2, 0}}};
  for (const auto& row : table) {
    const Array x = Counting(row.dims);
    Dims out;
    for (int32_t axis : row.perm) out.push_back(x.dims[axis < 0 ? axis + x.dims.size() : axis]);
    CheckMove({.op = "Transpose", .inputs = {{}, Ints(row.perm)}}, 0, x, {Generate(out, [&](const Index& i) {
                Index from(i.size());
                for (size_t k = 0; k < i.size(); ++k) {
                  from[row.perm[k] < 0 ? row.perm[k] + i.size() : row.perm[k]] = i[k];
                }
                return x.At(from);
              })});
  }
}

TEST_CASE("tiling and reversing") {
  const Array x = Counting({2, 3, 1});
  CheckMove({.op = "Tile", .inputs = {{}, Ints({3, 1, 2})}}, 0, x, {Generate({6, 3, 2}, [&](const Index& i) {
              return x.At({i[0] % 2, i[1], 0});
            })});
  CheckMove({.op = "Tile", .inputs = {{}, Ints({1, 0, 2})}}, 0, x, {{{2, 0, 2}, {}}});
  CheckMove({.op = "Tile", .inputs = {{}, Ints({})}}, 0, Counting({}), {Counting({})});
  CheckMove({.op = "ReverseV2", .inputs = {{}, Ints({1, 0})}}, 0, x, {Generate({2, 3, 1}, [&](const Index& i) {
              return x.At({1 - i[0], 2 - i[1], 0});
            })});
  CheckMove({.op = "ReverseV2", .inputs = {{}, Ints({-1})}}, 0, Counting({3, 0}), {Counting({3, 0})});
}

TEST_CASE("joining and taking apart") {
  const Array x = Counting({2, 3, 2});
  for (int axis = 0; axis < 3; ++axis) {
    Dims twice = x.dims, half = x.dims;
    twice[axis] *= 2;
    const Array joined = Generate(twice, [&](Index i) {
      i[axis] %= x.dims[axis];
      return x.At(i);
    });
    half.erase(half.begin() + axis);
    std::vector<Array> slices;
    for (int64_t k = 0; k < x.dims[axis]; ++k) {
      slices.push_back(Generate(half, [&](Index i) {
        i.insert(i.begin() + axis, k);
        return x.At(i);
      }));
    }
    for (DType dtype : kTypes) {
      const Tensor t = x.As(dtype);
      CAPTURE(axis);
      CheckCall({.op = "ConcatV2", .inputs = {t, t, Int(axis - 3)}}, {joined});
      CheckCall(
          {.op = "Split", .inputs = {Int(axis), joined.As(dtype)}, .attrs = {{"num_split", AttrValue(int64_t{2})}}},
          {x, x});
      const AttrValue at(int64_t{axis}), count(x.dims[axis]);
      CheckCall({.op = "Unpack", .inputs = {t}, .attrs = {{"axis", at}, {"num", count}}}, slices);
      KernelCall pack{.op = "Pack", .attrs = {{"axis", at}}};
      for (const Array& slice : slices) pack.inputs.push_back(slice.As(dtype));
      CheckCall(pack, {x});
    }
  }
  const Array v = Counting({7});
  CheckCall({.op = "SplitV",
             .inputs = {v.As(DType::kString), Ints({2, -1, 0}), Int(0)},
             .attrs = {{"num_split", AttrValue(int64_t{3})}}},
            {{{2}, {1, 2}}, {{5}, {3, 4, 5, 6, 7}}, {{0}, {}}});
}

TEST_CASE("slicing") {
  const Array x = Counting({4, 5});
  CheckMove({.op = "Slice", .inputs = {{}, Ints({1, 2}), Ints({-1, 2})}}, 0, x, {Generate({3, 2}, [&](const Index& i) {
              return x.At({i[0] + 1, i[1] + 2});
            })});
  CheckMove({.op = "Slice", .inputs = {{}, Ints({4, 0}), Ints({0, 5})}}, 0, x, {{{0, 5}, {}}});
  CheckMove({.op = "Slice", .inputs = {{}, Ints({}), Ints({})}}, 0, Counting({}), {Counting({})});
  const struct {
    std::vector<int32_t> begin, end, step;
    int64_t begin_mask, end_mask, ellipsis, new_axis, shrink;
    Array expected;
  } table[] = {
      {{1, -1},
       {4, 0},
       {2, -2},
       0,
       0,
       0,
       0,
       0,
       Generate({2, 2},
                [&](const Index& i) {
                  return x.At({1 + 2 * i[0], 4 - 2 * i[1]});
                })},
      {{0, 0},
       {0, 0},
       {1, -1},
       3,
       3,
       0,
       0,
       0,
       Generate({4, 5},
                [&](const Index& i) {
                  return x.At({i[0], 4 - i[1]});
                })},
      {{-1},
       {0},
       {1},
       0,
       0,
       0,
       0,
       1,
       Generate({5},
                [&](const Index& i) {
                  return x.At({3, i[0]});
                })},
      {{0, 2},
       {0, 3},
       {1, 1},
       0,
       0,
       1,
       0,
       2,
       Generate({4},
                [&](const Index& i) {
                  return x.At({i[0], 2});
                })},
      {{0, 1},
       {0, 3},
       {1, 1},
       0,
       0,
       0,
       1,
       0,
       Generate({1, 2, 5},
                [&](const Index& i) {
                  return x.At({i[1] + 1, i[2]});
                })},
      {{3}, {1}, {1}, 0, 0, 0, 0, 0, {{0, 5}, {}}},
      {{-100},
       {100},
       {3},
       0,
       0,
       0,
       0,
       0,
       Generate({2, 5},
                [&](const Index& i) {
                  return x.At({3 * i[0], i[1]});
                })},
  };
  for (const auto& row : table) {
    CheckMove({.op = "StridedSlice",
               .inputs = {{}, Ints(row.begin), Ints(row.end), Ints(row.step)},
               .attrs = {{"begin_mask", AttrValue(row.begin_mask)},
                         {"end_mask", AttrValue(row.end_mask)},
                         {"ellipsis_mask", AttrValue(row.ellipsis)},
                         {"new_axis_mask", AttrValue(row.new_axis)},
                         {"shrink_axis_mask", AttrValue(row.shrink)}}},
              0, x, {row.expected});
  }
}

TEST_CASE("padding") {
  const Array x = Counting({2, 3});
  const Tensor paddings = *HostTensorOf<int32_t>({2, 2}, {1, 0, 2, 1});
  const auto inside = [&](int64_t i, int64_t j) { return i >= 0 && i < 2 && j >= 0 && j < 3; };
  for (DType dtype : {DType::kUint8, DType::kUint16, DType::kFloat32, DType::kUint64}) {
    CheckCall({.op = "Pad", .inputs = {x.As(dtype), paddings}}, {Generate({3, 6}, [&](const Index& i) {
                return inside(i[0] - 1, i[1] - 2) ? x.At({i[0] - 1, i[1] - 2}) : 0;
              })});
  }
  for (DType dtype : kTypes) {
    CheckCall({.op = "PadV2", .inputs = {x.As(dtype), paddings, Array{{}, {9}}.As(dtype)}},
              {Generate({3, 6}, [&](const Index& i) {
                return inside(i[0] - 1, i[1] - 2) ? x.At({i[0] - 1, i[1] - 2}) : 9;
              })});
    for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
      const int64_t skip = mode == std::string("REFLECT") ? 1 : 0;
      const auto mirrored = [&](int64_t i, int64_t n) {
        if (i < 0) return -i - 1 + skip;
        return i >= n ? 2 * n - 1 - i - skip : i;
      };
      CheckCall({.op = "MirrorPad", .inputs = {x.As(dtype), paddings}, .attrs = {{"mode", Text(mode)}}},
                {Generate({3, 6}, [&](const Index& i) {
                  return x.At({mirrored(i[0] - 1, 2), mirrored(i[1] - 2, 3)});
                })});
    }
  }
}

TEST_CASE("gathering and scattering") {
  const Array x = Counting({3, 4, 2});
  const Array picks{{2, 2}, {2, 0, 1, 1}};
  for (DType index : {DType::kInt32, DType::kInt64}) {
    const Tensor at = picks.As(index);
    CheckMove({.op = "GatherV2", .inputs = {{}, at, Int(1)}}, 0, x, {Generate({3, 2, 2, 2}, [&](const Index& i) {
                return x.At({i[0], static_cast<int64_t>(picks.At({i[1], i[2]})), i[3]});
              })});
    CheckMove({.op = "Gather", .inputs = {{}, at}}, 0, x, {Generate({2, 2, 4, 2}, [&](const Index& i) {
                return x.At({static_cast<int64_t>(picks.At({i[0], i[1]})), i[2], i[3]});
              })});
    CheckMove(
        {.op = "GatherNd", .inputs = {{}, at}}, 0, x, {Generate({2, 2}, [&](const Index& i) {
          return x.At({static_cast<int64_t>(picks.At({i[0], 0})), static_cast<int64_t>(picks.At({i[0], 1})), i[1]});
        })});
  }
  CheckMove({.op = "GatherV2", .inputs = {{}, Ints({}), Int(0)}}, 0, x, {{{0, 4, 2}, {}}});
  CheckMove({.op = "GatherV2", .inputs = {{}, Int(1), Int(-1)}}, 0, x, {Generate({3, 4}, [&](const Index& i) {
              return x.At({i[0], i[1], 1});
            })});
  // What goes to one place adds up.
  CheckCall({.op = "ScatterNd",
             .inputs = {*HostTensorOf<int32_t>({3, 1}, {1, 3, 1}), Counting({3, 2}).As(DType::kFloat32), Ints({4, 2})}},
            {{{4, 2}, {0, 0, 6, 8, 0, 0, 3, 4}}});
  for (DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
                      DType::kInt64, DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64}) {
    CheckCall(
        {.op = "ScatterNd", .inputs = {*HostTensorOf<int32_t>({3, 1}, {1, 3, 1}), Counting({3}).As(dtype), Ints({4})}},
        {{{4}, {0, 4, 0, 2}}});
  }
  CheckCall({.op = "ScatterNd",
             .inputs = {*HostTensorOf<int32_t>({3, 1}, {1, 2, 1}), Array{{3}, {1, 0, 1}}.As(DType::kBool), Ints({3})}},
            {{{3}, {0, 1, 0}}});
  // A vector of indices is a column.
  CheckCall({.op = "ScatterNd", .inputs = {Ints({2, 0}), Array{{2}, {5, 6}}.As(DType::kInt32), Ints({3})}},
            {{{3}, {6, 0, 5}}});
  // Nothing is picked: the indices do not matter.
  CheckMove({.op = "GatherV2", .inputs = {{}, Ints({7, -1}), Int(0)}}, 0, Counting({3, 0}), {Counting({2, 0})});
}

TEST_CASE("reshaping, the open size beside a zero") {
  const struct {
    Dims dims;
    std::vector<int32_t> shape;
    Dims want;
  } table[] = {{{2, 3}, {3, -1}, {3, 2}},       {{0, 5}, {5, -1}, {5, 0}},
               {{0, 1, 5}, {0, -1}, {0, 5}},    {{0, 5, 5, 3}, {1, -1, 0}, {1, 75, 0}},
               {{0, 0}, {0, -1, 0}, {0, 1, 0}}, {{0, 7}, {0, -1, 2}, {0, 3, 2}}};
  for (const auto& row : table) {
    Array want = Counting(row.dims);
    want.dims = row.want;
    CheckMove({.op = "Reshape", .inputs = {{}, Ints(row.shape)}}, 0, Counting(row.dims), {want});
  }
}

TEST_CASE("selecting") {
  const Array c{{2, 1}, {1, 0}}, a = Counting({2, 3}), b{{3}, {-1, -2, -3}};
  for (DType dtype : {DType::kFloat32, DType::kInt16, DType::kUint64, DType::kString}) {
    if (dtype == DType::kUint64) continue;  // no negative values
    CheckCall({.op = "SelectV2", .inputs = {c.As(DType::kBool), a.As(dtype), b.As(dtype)}},
              {{{2, 3}, {1, 2, 3, -1, -2, -3}}});
    CheckCall({.op = "Select", .inputs = {Array{{2}, {0, 1}}.As(DType::kBool), a.As(dtype), a.As(dtype)}}, {a});
  }
}

TEST_CASE("moving ops refuse what does not fit") {
  const Tensor x = Counting({2, 3}).As(DType::kFloat32), bad = Counting({2, 2}).As(DType::kFloat32);
  const AttrValue three(int64_t{3});
  CheckRefusals({
      {{.op = "Transpose", .inputs = {x, Ints({0})}}, "expected perm of 2 values, got 1"},
      {{.op = "Transpose", .inputs = {x, Ints({1, 1})}}, "expected perm to name each axis once, got 1 again"},
      {{.op = "Tile", .inputs = {x, Ints({1, -1})}}, "expected multiples of at least 0, got -1"},
      {{.op = "ConcatV2", .inputs = {x, bad, Int(0)}},
       "expected input 1 to have the shape of input 0, [2,3], but along axis 0, got [2,2]"},
      {{.op = "ConcatV2", .inputs = {x, x, Int(2)}}, "expected axis in [-2,2), got 2"},
      {{.op = "Split", .inputs = {Int(0), x}, .attrs = {{"num_split", three}}},
       "expected dimension 0 to be divisible by 3, got 2"},
      {{.op = "Pack", .inputs = {x, bad}}, "expected inputs of one shape, got [2,3] and [2,2]"},
      {{.op = "Slice", .inputs = {x, Ints({0, 4}), Ints({1, 1})}}, "expected begin 1 in [0,3], got 4"},
      {{.op = "StridedSlice", .inputs = {x, Ints({0}), Ints({1}), Ints({0})}},
       "expected strides other than 0, got 0 for axis 0"},
      {{.op = "Pad", .inputs = {x, Ints({1, 1})}}, "expected paddings of shape [2,2], got [2]"},
      {{.op = "Pad", .inputs = {x, *HostTensorOf<int32_t>({2, 2}, {0, 0, -1, 0})}},
       "expected paddings of at least 0, got -1"},
      {{.op = "MirrorPad",
        .inputs = {Counting({0}).As(DType::kFloat32), *HostTensorOf<int32_t>({1, 2}, {0, 0})},
        .attrs = {{"mode", Text("REFLECT")}}},
       "expected paddings below 0 along axis 0, got 0"},
      {{.op = "GatherNd", .inputs = {Counting({0, 2}).As(DType::kFloat32), Counting({3, 0}).As(DType::kInt32)}},
       "expected no indices into an empty tensor of shape [0,2], got 3"},
      {{.op = "GatherV2", .inputs = {x, Ints({0, 2}), Int(0)}}, "expected indices in [0,2), got 2 at 1"},
      {{.op = "GatherNd", .inputs = {x, Ints({0, 3})}}, "expected indices in [0,3) for axis 1, got 3 at 0"},
      {{.op = "ScatterNd", .inputs = {Ints({3}), x, Ints({4, 3})}}, "expected updates of shape [1,3], got [2,3]"},
  });
}

// Beside a dimension 0, the others may multiply past any integer.
TEST_CASE("empty tensors of enormous dimensions") {
  const int64_t huge = int64_t{1} << 62;
  const Array x{{0, huge, 8}, {}};
  for (DType dtype : {DType::kFloat32, DType::kString}) {
    const Tensor t = x.As(dtype);
    CheckCall({.op = "Transpose", .inputs = {t, Ints({1, 2, 0})}}, {{{huge, 8, 0}, {}}});
    CheckCall({.op = "ReverseV2", .inputs = {t, Ints({1})}}, {x});
    CheckCall({.op = "Slice", .inputs = {t, Ints({0, 7, 1}), Ints({0, 9, 2})}}, {{{0, 9, 2}, {}}});
    CheckCall({.op = "StridedSlice", .inputs = {t, Ints({0, 9, 7}), Ints({0, 3, 0}), Ints({1, -2, -3})}},
              {{{0, 3, 3}, {}}});
    CheckCall({.op = "GatherV2", .inputs = {t, Ints({1, 5}), Int(1)}}, {{{0, 2, 8}, {}}});
    CheckCall({.op = "Unpack",
               .inputs = {Array{{0, huge, 1}, {}}.As(dtype)},
               .attrs = {{"axis", AttrValue(int64_t{2})}, {"num", AttrValue(int64_t{1})}}},
              {{{0, huge}, {}}});
  }
  const Tensor t = x.As(DType::kFloat32);
  CheckCall({.op = "Exp", .inputs = {t}}, {x});
  CheckCall({.op = "AddV2", .inputs = {t, t}}, {x});
  CheckCall({.op = "Sum", .inputs = {t, Ints({1, 2})}}, {{{0}, {}}});
  CheckRefusals({{{.op = "ConcatV2", .inputs = {t, t, Int(1)}},
                  "expected sizes along axis 1 that add up to an integer, got more"}});
}

}  // namespace
}  // namespace berth
