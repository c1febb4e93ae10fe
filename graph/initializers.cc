#include "graph/initializers.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/plain_number.h"

namespace berth {
namespace {

// A constant called `name` of `dtype`, with one value for all elements.
Output FilledConst(const Scope& scope, absl::string_view name, double value, const Initializer::Wanted& wanted,
                   const PartialShape& shape) {
  const absl::StatusOr<Literal> scalar = NumbersAs(Literal::Scalar(value), wanted.dtype);
  if (!scalar.ok()) {
    scope.Fail(absl::InvalidArgumentError(
        absl::StrCat("initializer of variable '", wanted.variable, "': ", scalar.status().message())));
    return Output();
  }
  const Literal filled =
      Literal::FromBytes(wanted.dtype, shape.dims(), std::string(scalar->bytes().data(), scalar->bytes().size()));
  return Const(scope.WithName(name), filled);
}

Output ScalarConst(const Scope& scope, absl::string_view name, double value, const Initializer::Wanted& wanted) {
  return FilledConst(scope, name, value, wanted, PartialShape::Scalar());
}

Output ShapeConst(const Scope& scope, const PartialShape& shape) {
  const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  const bool wide = std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim > INT32_MAX; });
  const Scope named = scope.WithName("shape");
  return wide ? Const(named, Literal::Vector<int64_t>(dims)) : Const(named, dims);
}

Initializer Filled(absl::string_view name, double value) {
  return Initializer([name = std::string(name), value](const Scope& scope, const Initializer::Wanted& wanted) {
    return FilledConst(scope, name, value, wanted, wanted.shape);
  });
}

Output Draw(const Scope& scope, absl::string_view op, const Output& shape, const std::optional<Seeds>& given,
            const Initializer::Wanted& wanted) {
  const Seeds seeds = given ? *given : SeedsFor(scope.seed(), wanted.variable);
  return scope.Op(
      op, {shape},
      {{"dtype", AttrValue(wanted.dtype)}, {"seed", AttrValue(seeds.seed)}, {"seed2", AttrValue(seeds.seed2)}});
}

// NAME/{shape,mean,stddev,OP,mul}, NAME: as TensorFlow 1's random_ops write it.
Initializer DrawnNormal(absl::string_view name, absl::string_view op, const Initializer::Normal& options) {
  return Initializer([=, name = std::string(name), op = std::string(op)](const Scope& scope,
                                                                         const Initializer::Wanted& wanted) -> Output {
    const Scope inner = scope.SubScope(name);
    const Output shape = ShapeConst(inner, wanted.shape);
    const Output mean = ScalarConst(inner, "mean", options.mean, wanted);
    const Output stddev = ScalarConst(inner, "stddev", options.stddev, wanted);
    const Output drawn = Draw(inner, op, shape, options.seeds, wanted);
    const Output scaled = inner.NamedOp("mul", "Mul", {drawn, stddev});
    return inner.Itself().Op("Add", {scaled, mean});
  });
}

}  // namespace

Seeds SeedsFor(int64_t graph_seed, absl::string_view variable) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : variable) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  const int64_t seed2 = static_cast<int64_t>(hash & 0x3fffffffffffffffu);
  return {graph_seed, seed2 == 0 ? 1 : seed2};
}

Initializer Initializer::Zeros() { return Filled("zeros", 0.0); }
Initializer Initializer::Ones() { return Filled("ones", 1.0); }
Initializer Initializer::Constant(double value) { return Filled("Const", value); }

Initializer Initializer::TruncatedNormal(const Normal& options) {
  return DrawnNormal("truncated_normal", "TruncatedNormal", options);
}

Initializer Initializer::RandomNormal(const Normal& options) {
  return DrawnNormal("random_normal", "RandomStandardNormal", options);
}

// random_uniform/{shape,min,max,RandomUniform,sub,mul}, random_uniform.
Initializer Initializer::RandomUniform(const Uniform& options) {
  return Initializer([=](const Scope& scope, const Wanted& wanted) -> Output {
    const Scope inner = scope.SubScope("random_uniform");
    const Output shape = ShapeConst(inner, wanted.shape);
    const Output min = ScalarConst(inner, "min", options.min, wanted);
    const Output max = ScalarConst(inner, "max", options.max, wanted);
    const Output drawn = Draw(inner, "RandomUniform", shape, options.seeds, wanted);
    const Output range = inner.NamedOp("sub", "Sub", {max, min});
    const Output scaled = inner.NamedOp("mul", "Mul", {drawn, range});
    return inner.Itself().Op("Add", {scaled, min});
  });
}

}  // namespace berth
