#include <cmath>

#include "absl/strings/str_cat.h"
#include "graph/modules/module_checks.h"
#include "graph/modules/modules.h"

namespace berth {
namespace {

Output ConnectEmbed(Connection& here, const Output& ids, int64_t vocabulary, int64_t width,
                    const EmbedOptions& options) {
  const DType dtype = BaseOf(ids.dtype());
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    here.Fail(absl::InvalidArgumentError(absl::StrCat("expected ids of int32 or int64, got ", DTypeName(dtype))));
    return Output();
  }
  const Output table = here.Variable("embeddings", {vocabulary, width}, DType::kFloat32,
                                     InitializerFor(options.initializers, "embeddings", Initializer::RandomNormal({})));
  const Scope lookup = here.SubScope("embedding_lookup");
  const Output axis = Const(lookup.WithName("axis"), 0);
  const Output rows = lookup.Itself().Op("GatherV2", {table, ids, axis});
  return Output(lookup.Op("Identity", {rows})).In(here);
}

}  // namespace

Module Embed(const Scope& scope, int64_t vocabulary, const EmbedOptions& options, CallSite at) {
  const int64_t width = options.width.value_or(std::llround(6 * std::pow(static_cast<double>(vocabulary), 0.25)));
  const bool ok = vocabulary > 0 && width > 0;
  Module module(scope, options.name,
                Module::OneToOne([vocabulary, width, options, ok](Connection& here, const Output& ids) {
                  return ok ? ConnectEmbed(here, ids, vocabulary, width, options) : Output();
                }),
                {.lines_of_caller = true}, at);
  CheckKeys(scope, module.name(), options.initializers, {"embeddings"}, at);
  if (!ok) {
    scope.Fail(absl::InvalidArgumentError(absl::StrCat("module '", module.name(),
                                                       "': expected a vocabulary and a width of at least 1, got ",
                                                       vocabulary, " and ", width)),
               at);
  }
  return module;
}

}  // namespace berth
