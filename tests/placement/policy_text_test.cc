// The text of policies: what parts print as, and every kind of mistake with its whole message.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "graph/graph.h"
#include "placement/policy.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct Row {
  std::string text;
  std::string expected;
};

std::string Words() {
  std::string words;
  for (const PolicyWord& word : PolicyWords()) absl::StrAppend(&words, words.empty() ? "" : ", ", word.word);
  return words;
}

std::string Show(const absl::StatusOr<Policy>& policy) {
  if (policy.ok()) return policy->text();
  return absl::StrReplaceAll(policy.status().ToString(), {{Words(), "WORDS"}, {"INVALID_ARGUMENT: ", ""}});
}

TEST_CASE("policies print as they are read, in canonical spelling") {
  const Row rows[] = {
      {"pins", "pins"},
      {"variables-on /cpu:0 | towers-on /gpu:* | else CPU:0", "variables-on cpu:0 | towers-on gpu:* | else cpu:0"},
      {"variables-on /job:ps/cpu:*|first-fit gpu:1   gpu:0",
       "variables-on /job:ps/device:CPU:* | first-fit gpu:1 gpu:0"},
      {"match \"name=a & tag=k:\\\"v\" on gpu:1", "match \"name=a & tag=k:\\\"v\" on gpu:1"},
      {"match \"op=Foo\" prefer gpu:1 weight=0.5", "match \"op=Foo\" prefer gpu:1 weight=0.5"},
      {"# all of it\nvariables-on cpu:0   # here\n\n | else gpu:0\n", "variables-on cpu:0 | else gpu:0"},
      {"pins\nround-robin", "pins | round-robin"},
      {"default", "pins | constants-with-consumer | shapes-with-input | greedy-locality"},
      {"random:18446744073709551615", "random:18446744073709551615"},
      {"replay:\"a b.json\"", "replay:\"a b.json\""},
      {"tensorflow order=name", "tensorflow order=name"},
      {"match \"op=Foo\" together", "match \"op=Foo\" together"},
      {"match \"op=Foo\" together-with a/b", "match \"op=Foo\" together-with a/b"},
      {"match \"op=Foo\" prefer together-with \"op=Bar\" weight=2",
       "match \"op=Foo\" prefer together-with \"op=Bar\" weight=2"},
      {"match \"op=Foo\" spread gpu:0 by=count CPU:0 order=graph",
       "match \"op=Foo\" spread gpu:0 cpu:0 by=count order=graph"},
      {"state-balanced /job:ps/cpu:*", "state-balanced /job:ps/device:CPU:* by=bytes"},
      {"replica-setter", "replica-setter ps=/job:ps worker=/job:worker by=round-robin"},
      {"replica-setter by=random:7 merge=off worker=gpu:0",
       "replica-setter ps=/job:ps worker=gpu:0 by=random:7 merge=off"},
      {"gradients-with-forward", "gradients-with-forward"},
      {"variables-on cpu:0 where \"name=enc/*\"", "variables-on cpu:0 where \"name=enc/*\""},
      {"pins where \"device=\\\"\\\"\" where \"op=a\"", "pins where \"device=\\\"\\\"\" where \"op=a\""},
      {"towers-on gpu:* else variables-on cpu:0 where \"op=a\" | pins",
       "towers-on gpu:* else variables-on cpu:0 where \"op=a\" | pins"},
      {"variables-on cpu:0 else towers-on gpu:* else match \"op=a\" on gpu:1",
       "variables-on cpu:0 else towers-on gpu:* else match \"op=a\" on gpu:1"},
      {"else cpu:0 where \"op=a\" else else gpu:0", "else cpu:0 where \"op=a\" else else gpu:0"},
  };
  for (const Row& row : rows) {
    CHECK(Show(ParsePolicy(row.text)) == row.expected);
    CHECK(Show(ParsePolicy(row.expected)) == row.expected);
  }
}

TEST_CASE("the list of words is alphabetical and complete") {
  CHECK(Words() ==
        "constants-with-consumer, default, else, first-fit, gradients-with-forward, greedy-locality, include, match, "
        "pins, plugin, random, replay, replica-setter, round-robin, shapes-with-input, state-balanced, tensorflow, "
        "towers-on, variables-on");
}

TEST_CASE("every word says what it does, what it costs, when it is bad, and shows it in text that parses") {
  for (const PolicyWord& word : PolicyWords()) {
    INFO(word.word);
    CHECK((word.kind == "rule" || word.kind == "solver" || word.kind == "policy"));
    CHECK(!word.summary.empty());
    CHECK(!word.complexity.empty());
    CHECK(!word.bad.empty());
    CHECK(!word.examples.empty());
    CHECK((word.arguments.empty() || word.arguments == ":SEED" || word.arguments == ":FILE" || !word.details.empty()));
    for (const std::string& example : word.examples) {
      INFO(example);
      CHECK(absl::StrContains(example, word.word));
      if (absl::StrContains(example, "include") || absl::StrContains(example, "plugin")) continue;  // files_test
      const absl::StatusOr<Policy> policy = ParsePolicy(example);
      CHECK(policy.status().ToString() == "OK");
      if (!policy.ok()) continue;
      CHECK(Show(ParsePolicy(policy->text())) == policy->text());
    }
  }
}

TEST_CASE("what is said in C++ is what the text says") {
  const struct {
    Policy policy;
    const char* text;
  } rows[] = {
      {VariablesOn("/cpu:0").Where("name=a*") | Pins(), "variables-on cpu:0 where \"name=a*\" | pins"},
      {(VariablesOn("/cpu:0") | TowersOn("/gpu:*")).Where("op=a"),
       "variables-on cpu:0 where \"op=a\" | towers-on gpu:* where \"op=a\""},
      {VariablesOn("/cpu:0").Else(TowersOn("/gpu:*")).Where("op=a"),
       "variables-on cpu:0 where \"op=a\" else towers-on gpu:* where \"op=a\""},
      {(Pins() | ConstantsWithConsumer()).Where("op=a"),
       "pins where \"op=a\" | constants-with-consumer where \"op=a\""},
      {Match("op=a").Together() | Match("op=a").PreferTogetherWith({.node = "b"}, 3),
       "match \"op=a\" together | match \"op=a\" prefer together-with b weight=3"},
      {Match("op=a").TogetherWith({.selector = "op=b"}) | Match("op=a").PreferTogether(),
       "match \"op=a\" together-with \"op=b\" | match \"op=a\" prefer together"},
      {Match("op=a").Spread({"/gpu:0", "/gpu:1"}, {.by = SpreadOptions::By::kCount}),
       "match \"op=a\" spread gpu:0 gpu:1 by=count"},
      {StateBalanced({"/cpu:*"}) | ReplicaSetter({.ps = "/job:a", .by = ReplicaSetterOptions::By::kBytes}),
       "state-balanced cpu:* by=bytes | replica-setter ps=/job:a worker=/job:worker by=bytes"},
      {GradientsWithForward() | RandomPlacement(7), "gradients-with-forward | random:7"},
  };
  for (const auto& row : rows) {
    CHECK(row.policy.text() == row.text);
    CHECK(Show(ParsePolicy(row.text)) == row.text);
  }
}

TEST_CASE("bad policies, R121") {
  const Row rows[] = {
      {"", R"~(
policy:1:1: expected a policy, got nothing; the words are WORDS
  
  ^
)~"},
      {"  # nothing\n", R"~(
policy:2:1: expected a policy, got nothing; the words are WORDS
  
  ^
)~"},
      {"variable-on cpu:0", R"~(
policy:1:1: expected a policy word, got "variable-on"; did you mean 'variables-on'?; the words are WORDS
  variable-on cpu:0
  ^
)~"},
      {"pins | frist-fit", R"~(
policy:1:8: expected a policy word, got "frist-fit"; did you mean 'first-fit'?; the words are WORDS
  pins | frist-fit
         ^
)~"},
      {"pins\n\nelse cpu:0\nrobin", R"~(
policy:4:1: expected a policy word, got "robin"; the words are WORDS
  robin
  ^
)~"},
      {"zzz", R"~(
policy:1:1: expected a policy word, got "zzz"; the words are WORDS
  zzz
  ^
)~"},
      {"pins |", R"~(
policy:1:6: expected a policy part after "|", got the end
  pins |
       ^
)~"},
      {"pins || else cpu:0", R"~(
policy:1:7: expected a policy part, got "|"
  pins || else cpu:0
        ^
)~"},
      {"| pins", R"~(
policy:1:1: expected a policy part, got "|"
  | pins
  ^
)~"},
      {"pins now", R"~(
policy:1:6: expected "|" or the end, got "now"
  pins now
       ^
)~"},
      {"else", R"~(
policy:1:5: expected a device after 'else', got none
  else
      ^
)~"},
      {"else cpu:0 gpu:0", R"~(
policy:1:12: expected "|" or the end, got "gpu:0"
  else cpu:0 gpu:0
             ^
)~"},
      {"else gpu:one", R"~(
policy:1:6: expected a device: device 'gpu:one': column 5: expected a number or *, got 'one'; a device is written [/job:J][/replica:R][/task:T][/device:KIND[:N]], or short as cpu:N or gpu:N, where * or nothing means any
  else gpu:one
       ^
)~"},
      {"else *", R"~(
policy:1:6: expected a device: device '*': column 1: expected job:, replica:, task:, device:, cpu: or gpu:, got '*'; a device is written [/job:J][/replica:R][/task:T][/device:KIND[:N]], or short as cpu:N or gpu:N, where * or nothing means any
  else *
       ^
)~"},
      {"random", R"~(
policy:1:7: expected random:SEED, got "random"
  random
        ^
)~"},
      {"random:seven", R"~(
policy:1:8: expected a seed, a number from 0 to 18446744073709551615, got "seven"
  random:seven
         ^
)~"},
      {"random:-1", R"~(
policy:1:8: expected a seed, a number from 0 to 18446744073709551615, got "-1"
  random:-1
         ^
)~"},
      {"pins:7", R"~(
policy:1:5: expected pins, got "pins:"
  pins:7
      ^
)~"},
      {"replay:", R"~(
policy:1:8: expected a file, got none
  replay:
         ^
)~"},
      {"tensorflow oder=name", R"~(
policy:1:12: expected order=name, got "oder=name"; did you mean 'order=name'?
  tensorflow oder=name
             ^
)~"},
      {"match name=a on gpu:0", R"~(
policy:1:7: expected a selector in double quotes, got "name=a"
  match name=a on gpu:0
        ^
)~"},
      {"match \"name=a\" onn gpu:0", R"~(
policy:1:16: expected on or prefer or forbid or together or together-with or spread, got "onn"; did you mean 'on'?
  match "name=a" onn gpu:0
                 ^
)~"},
      {"match \"name=a\" on", R"~(
policy:1:18: expected "SELECTOR" and on D, prefer D, forbid D, together, together-with X, prefer together or spread D... after 'match', got none
  match "name=a" on
                   ^
)~"},
      {"match \"name=a on gpu:0", R"~(
policy:1:7: expected a closing quote, got the end of the line
  match "name=a on gpu:0
        ^
)~"},
      {"match \"nam=a\" on gpu:0", R"~(
policy:1:8: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got "nam"; did you mean 'name'?
  match "nam=a" on gpu:0
         ^
)~"},
      {"match \"name=a\" on gpu:0 weight=2", R"~(
policy:1:25: expected "|" or the end, got "weight=2"
  match "name=a" on gpu:0 weight=2
                          ^
)~"},
      {"match \"name=a\" prefer gpu:0 weight=much", R"~(
policy:1:29: expected weight=NUMBER, "|" or the end, got "weight=much"
  match "name=a" prefer gpu:0 weight=much
                              ^
)~"},
      {"match \"name=a & device=\\\"\\\" & nam=b\" on gpu:0", R"~(
policy:1:31: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got "nam"; did you mean 'name'?
  match "name=a & device=\"\" & nam=b" on gpu:0
                                ^
)~"},
      {"match \"name=a\" together-with", R"~(
policy:1:29: expected a node's name or a selector in quotes after 'together-with', got none
  match "name=a" together-with
                              ^
)~"},
      {"match \"name=a\" together-with \"b\"", R"~(
policy:1:31: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got "b"
  match "name=a" together-with "b"
                                ^
)~"},
      {"match \"name=a\" together with b", R"~(
policy:1:25: expected "|" or the end, got "with"
  match "name=a" together with b
                          ^
)~"},
      {"match \"name=a\" spread", R"~(
policy:1:22: expected devices to spread over, got none
  match "name=a" spread
                       ^
)~"},
      {"state-balanced by=bytes", R"~(
policy:1:24: expected devices to spread over, got none
  state-balanced by=bytes
                         ^
)~"},
      {"state-balanced gpu:0 by=byte", R"~(
policy:1:22: expected by=bytes or by=count or order=largest or order=graph, got "by=byte"; did you mean 'by=bytes'?
  state-balanced gpu:0 by=byte
                       ^
)~"},
      {"replica-setter by=load", R"~(
policy:1:16: expected ps=D or worker=D or by=round-robin or by=bytes or by=random:SEED or merge=on or merge=off, got "by=load"
  replica-setter by=load
                 ^
)~"},
      {"replica-setter ps=gpu:x", R"~(
policy:1:19: expected a device: device 'gpu:x': column 5: expected a number or *, got 'x'; a device is written [/job:J][/replica:R][/task:T][/device:KIND[:N]], or short as cpu:N or gpu:N, where * or nothing means any
  replica-setter ps=gpu:x
                    ^
)~"},
      {"replica-setter by=random:x", R"~(
policy:1:26: expected a seed, a number from 0 to 18446744073709551615, got "x"
  replica-setter by=random:x
                           ^
)~"},
      {"pins where", R"~(
policy:1:11: expected a selector in double quotes after 'where', got none
  pins where
            ^
)~"},
      {"pins where op=a", R"~(
policy:1:12: expected a selector in double quotes, got "op=a"
  pins where op=a
             ^
)~"},
      {"pins where \"opp=a\"", R"~(
policy:1:13: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got "opp"; did you mean 'op'?
  pins where "opp=a"
              ^
)~"},
      {"pins where \"op=a\" now", R"~(
policy:1:19: expected "|", where, else or the end, got "now"
  pins where "op=a" now
                    ^
)~"},
      {"pins | first-fit where \"op=a\"", R"~(
policy:1:18: expected a rule before 'where', got the solver 'first-fit'
  pins | first-fit where "op=a"
                   ^
)~"},
      {"tensorflow where \"op=a\"", R"~(
policy:1:12: expected a rule before 'where', got the policy 'tensorflow'
  tensorflow where "op=a"
             ^
)~"},
      {"variables-on cpu:0 else", R"~(
policy:1:24: expected a rule after 'else', got none
  variables-on cpu:0 else
                         ^
)~"},
      {"variables-on cpu:0 else gpu:0", R"~(
policy:1:25: expected a rule after 'else', got the device "gpu:0"; write | else gpu:0 for what is still open
  variables-on cpu:0 else gpu:0
                          ^
)~"},
      {"variables-on cpu:0 else random:7", R"~(
policy:1:25: expected one rule on either side of 'else', got 'random:7'
  variables-on cpu:0 else random:7
                          ^
)~"},
      {"first-fit else variables-on cpu:0", R"~(
policy:1:1: expected one rule on either side of 'else', got 'first-fit'
  first-fit else variables-on cpu:0
  ^
)~"},
      {"variables-on cpu:0 else else gpu:0", R"~(
policy:1:20: expected rules that are both asked about every node, or both about what is open, before and after else; write | else D for what is open
  variables-on cpu:0 else else gpu:0
                     ^
)~"},
      {"plugin:", R"~(
policy:1:8: expected a file, got none
  plugin:
         ^
)~"},
      {"plugin x.so", R"~(
policy:1:7: expected plugin:FILE.so [ARGUMENT...], got "plugin"
  plugin x.so
        ^
)~"},
      {"include", R"~(
policy:1:8: expected a file after 'include', got none
  include
         ^
)~"},
      {"towers-on", R"~(
policy:1:10: expected devices after 'towers-on', got none
  towers-on
           ^
)~"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK("\n" + Show(ParsePolicy(row.text)) + "\n" == row.expected);
  }
}

}  // namespace
}  // namespace berth
