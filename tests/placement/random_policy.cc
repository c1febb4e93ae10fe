#include "tests/placement/random_policy.h"

#include "absl/strings/str_join.h"

namespace berth {
namespace {

std::string DrawRule(const std::vector<PolicyExample>& words, Draw& draw) {
  static const auto& more = *new std::vector<std::string>{"match \"op=*a*\" prefer gpu:1",
                                                          "match \"name=*3\" forbid gpu:0",
                                                          "match \"name=scope/*\" on cpu:0",
                                                          "match \"op=Add | op=Mul\" on gpu:1",
                                                          "match \"!op=Const\" forbid cpu:0",
                                                          "match \"dtype=i32\" prefer cpu:0",
                                                          "variables-on cpu:0",
                                                          "match \"name=*\" prefer gpu:9"};
  if (draw.Chance(50)) return draw.Of(more);
  for (;;) {
    const PolicyExample& word = draw.Of(words);
    if (word.kind == "rule") return word.text;
  }
}

}  // namespace

std::string RandomPolicy(const std::vector<PolicyExample>& words, Draw& draw) {
  std::vector<std::string> parts;
  for (int i = draw.Below(4); i > 0; --i) parts.push_back(DrawRule(words, draw));
  if (draw.Chance(70)) {
    const PolicyExample* word = &draw.Of(words);
    while (word->kind != "solver") word = &draw.Of(words);
    parts.push_back(word->text);
  }
  return parts.empty() ? "default" : absl::StrJoin(parts, " | ");
}

}  // namespace berth
