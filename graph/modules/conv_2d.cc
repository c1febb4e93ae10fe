#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/modules/module_checks.h"
#include "graph/modules/modules.h"

namespace berth {
namespace {

std::string Text(const Size2D& size) { return absl::StrCat(size.height, "x", size.width); }

// A constant int32 matrix [2,2].
Literal Pairs(const std::vector<std::pair<int64_t, int64_t>>& rows) {
  std::string bytes;
  for (const auto& [first, second] : rows) {
    for (const int64_t value : {first, second}) {
      const int32_t narrow = static_cast<int32_t>(value);
      bytes.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
    }
  }
  const int64_t dims[] = {static_cast<int64_t>(rows.size()), 2};
  return Literal::FromBytes(DType::kInt32, dims, std::move(bytes));
}

// What SAME or VALID adds before and after a side of `size`, and what is cut off at its end again, so that every
// rate-th sample makes a batch of its own.
struct SplitSide {
  SplitSide(int64_t size, int64_t kernel, int64_t rate, ConvPadding padding) {
    const int64_t extra = padding == ConvPadding::kSame ? (kernel - 1) * rate : 0;
    before = extra / 2;
    const int64_t over = (size + extra) % rate;
    cut = over == 0 ? 0 : rate - over;
    after = extra - before + cut;
  }
  int64_t before, after, cut;
};

Output Convolve(Connection& here, const Output& x, const Output& w, const Conv2DOptions& options) {
  const Scope convolution = here.SubScope("convolution");
  const bool split = options.rate.height > 1 || options.rate.width > 1;
  const char* padding = options.padding == ConvPadding::kSame && !split ? "SAME" : "VALID";
  const auto conv = [&](const Output& input) {
    return convolution.Itself().Op(
        "Conv2D", {input, w},
        {{"strides", AttrValue(AttrList{.i = {1, options.stride.height, options.stride.width, 1}})},
         {"padding", AttrValue(std::string(padding))}});
  };
  if (!split) return conv(x);
  const SplitSide rows(x.shape().dim(1), w.shape().dim(0), options.rate.height, options.padding);
  const SplitSide columns(x.shape().dim(2), w.shape().dim(1), options.rate.width, options.padding);
  const std::vector<int64_t> rate = {options.rate.height, options.rate.width};
  const Output batches =
      convolution.Op("SpaceToBatchND", {x, rate, Pairs({{rows.before, rows.after}, {columns.before, columns.after}})});
  return convolution.Op("BatchToSpaceND", {conv(batches), rate, Pairs({{0, rows.cut}, {0, columns.cut}})});
}

Output ConnectConv2D(Connection& here, const Output& x, int64_t channels, const Size2D& kernel,
                     const Conv2DOptions& options) {
  if (!HasRank(here, x, 4)) return Output();
  const bool split = options.rate.height > 1 || options.rate.width > 1;
  const int64_t width = x.shape().dim(3);
  if (width == kUnknownDim || (split && (x.shape().dim(1) == kUnknownDim || x.shape().dim(2) == kUnknownDim))) {
    here.Fail(absl::InvalidArgumentError(absl::StrCat("expected an input of known ",
                                                      split ? "height, width and channels" : "channels", ", got ",
                                                      x.shape().ToString())));
    return Output();
  }
  const DType dtype = BaseOf(x.dtype());
  const double fan_in = static_cast<double>(kernel.height) * kernel.width * width;
  const double stddev = fan_in == 0 ? 1.0 : 1.0 / std::sqrt(fan_in);
  const Output w =
      here.Variable("w", {kernel.height, kernel.width, width, channels}, dtype,
                    InitializerFor(options.initializers, "w", Initializer::TruncatedNormal({.stddev = stddev})));
  if (!w.valid()) return Output();
  const Output y = Convolve(here, x, w, options);
  if (!options.use_bias) return y;
  const Output b =
      here.Variable("b", {channels}, dtype, InitializerFor(options.initializers, "b", Initializer::Zeros()));
  return here.Op("BiasAdd", {y, b});
}

// What is wrong with the arguments, or "".
std::string Fault(int64_t channels, const Size2D& kernel, const Conv2DOptions& options) {
  const auto positive = [](const Size2D& size) { return size.height > 0 && size.width > 0; };
  if (channels < 0) return absl::StrCat("expected 0 output channels or more, got ", channels);
  if (!positive(kernel)) return absl::StrCat("expected a kernel of at least 1x1, got ", Text(kernel));
  if (!positive(options.stride)) return absl::StrCat("expected a stride of at least 1x1, got ", Text(options.stride));
  if (!positive(options.rate)) return absl::StrCat("expected a rate of at least 1x1, got ", Text(options.rate));
  if ((options.rate.height > 1 || options.rate.width > 1) && (options.stride.height > 1 || options.stride.width > 1)) {
    return absl::StrCat("expected a stride or a rate over 1, got stride ", Text(options.stride), " and rate ",
                        Text(options.rate));
  }
  return "";
}

}  // namespace

Module Conv2D(const Scope& scope, int64_t output_channels, const Size2D& kernel, const Conv2DOptions& options,
              CallSite at) {
  const std::string fault = Fault(output_channels, kernel, options);
  Module module(
      scope, options.name,
      Module::OneToOne([output_channels, kernel, options, ok = fault.empty()](Connection& here, const Output& x) {
        return ok ? ConnectConv2D(here, x, output_channels, kernel, options) : Output();
      }),
      {.lines_of_caller = true}, at);
  std::vector<std::string> keys = {"w"};
  if (options.use_bias) keys.push_back("b");
  CheckKeys(scope, module.name(), options.initializers, keys, at);
  if (!fault.empty()) {
    scope.Fail(absl::InvalidArgumentError(absl::StrCat("module '", module.name(), "': ", fault)), at);
  }
  return module;
}

}  // namespace berth
