// Policies that lie in files: policies that include others, and plug-ins.
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/placement/every_policy.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// Writes files of the test's own folder.
void Write(const std::vector<std::pair<const char*, std::string>>& files) {
  for (const auto& [name, text] : files) std::ofstream(TestFile(name)) << text;
}

// The policy's text, or its error, with the test's folder as DIR.
std::string Loaded(const std::string& file) {
  const absl::StatusOr<Policy> policy = LoadPolicy(TestFile(file));
  const std::string text = policy.ok() ? policy->text() : policy.status().ToString();
  return absl::StrReplaceAll(text, {{TestFile(""), "DIR/"}});
}

std::string OriginsOf(const std::string& file) {
  const absl::StatusOr<Policy> policy = LoadPolicy(TestFile(file));
  if (!policy.ok()) return policy.status().ToString();
  std::string origins;
  for (const PolicyPart& part : policy->parts()) absl::StrAppend(&origins, part.text(), " at ", part.origin, "\n");
  return absl::StrReplaceAll(origins, {{TestFile(""), "DIR/"}});
}

TEST_CASE("a policy file includes others, found beside it, and parts remember where they stand") {
  Write({{"main.policy", "# all\ninclude base.policy\ninclude ./tail.policy where \"op=a\"\nelse cpu:0\n"},
         {"base.policy", "pins   # first\nvariables-on cpu:0\n"},
         {"tail.policy", "match \"op=a\" on gpu:0"}});
  CHECK(OriginsOf("main.policy") ==
        "pins at DIR/base.policy:1\nvariables-on cpu:0 at DIR/base.policy:2\n"
        "match \"op=a\" on gpu:0 where \"op=a\" at DIR/./tail.policy\nelse cpu:0 at DIR/main.policy:4\n");
  // The same file twice, one after the other, is no cycle.
  Write({{"twice.policy", "include base.policy\ninclude base.policy\n"}});
  CHECK(Loaded("twice.policy") == "pins | variables-on cpu:0 | pins | variables-on cpu:0");
  CHECK(ParsePolicy("include " + TestFile("base.policy") + " | else cpu:0")->text() ==
        "pins | variables-on cpu:0 | else cpu:0");
}

TEST_CASE("the files that a policy file names are found beside it") {
  Write({{"outer.policy", "include beside.policy\nelse cpu:0\n"},
         {"beside.policy", "replay:pins.tsv"},
         {"pins.tsv", "node\tdevice\na\t/job:localhost/replica:0/task:0/device:GPU:1\n"},
         {"lost.policy", "plugin:nowhere.so"}});
  CHECK(Loaded("outer.policy") == "replay:DIR/pins.tsv | else cpu:0");
  CHECK(absl::StartsWith(Devices({"a = Foo()\nb = Foo()", "cpu:1,gpu:2", "include " + TestFile("outer.policy")}),
                         "a gpu:1\nb cpu:0\n"));
  CHECK(ParsePolicy("replay:pins.tsv")->text() == "replay:pins.tsv");
  CHECK(ParsePolicy("replay:" + TestFile("pins.tsv"))->text() == "replay:" + TestFile("pins.tsv"));
  CHECK(absl::StrContains(Loaded("lost.policy"), "'DIR/nowhere.so'"));
}

TEST_CASE("a file that includes itself is refused with the whole chain") {
  Write({{"a.policy", "pins\n\ninclude b.policy\n"},
         {"b.policy", "include ./c.policy"},
         {"c.policy", "include a.policy | else cpu:0\n"},
         {"self.policy", "include self.policy\n"}});
  CHECK("\n" + Loaded("a.policy") == R"(
INVALID_ARGUMENT: DIR/./c.policy:1:9: expected a file that is not being read, got a cycle: DIR/a.policy -> DIR/b.policy -> DIR/./c.policy -> DIR/./a.policy
  include a.policy | else cpu:0
          ^
  included at DIR/b.policy:1:9
  included at DIR/a.policy:3:9)");
  CHECK("\n" + Loaded("self.policy") == R"(
INVALID_ARGUMENT: DIR/self.policy:1:9: expected a file that is not being read, got a cycle: DIR/self.policy -> DIR/self.policy
  include self.policy
          ^)");
}

TEST_CASE("mistakes in included files point there, and say how one came there") {
  Write({{"outer.policy", "pins\ninclude inner.policy\n"},
         {"inner.policy", "\n  esle cpu:0\n"},
         {"lost.policy", "pins | include nowhere.policy\n"},
         {"empty.policy", "include blank.policy\n"},
         {"blank.policy", "# nothing\n"}});
  CHECK(absl::StartsWith(
      Loaded("outer.policy"),
      "INVALID_ARGUMENT: DIR/inner.policy:2:3: expected a policy word, got \"esle\"; did you mean 'else'?; the "));
  const std::string outer = Loaded("outer.policy");
  CHECK(outer.substr(outer.find("\n    esle")) == "\n    esle cpu:0\n    ^\n  included at DIR/outer.policy:2:9");
  CHECK("\n" + Loaded("lost.policy") == R"(
INVALID_ARGUMENT: DIR/lost.policy:1:16: file 'DIR/nowhere.policy': expected a file that can be read, got no such file or directory
  pins | include nowhere.policy
                 ^)");
  CHECK(Loaded("empty.policy").substr(0, 75) ==
        "INVALID_ARGUMENT: DIR/blank.policy:2:1: expected a policy, got nothing; the");
}

TEST_CASE("includes are bounded in depth, files and parts") {
  for (int i = 0; i < 40; ++i) {
    std::ofstream(TestFile(absl::StrCat("deep", i, ".policy"))) << "include deep" << i + 1 << ".policy\n";
  }
  CHECK(absl::StartsWith(
      Loaded("deep0.policy"),
      "INVALID_ARGUMENT: DIR/deep15.policy:1:9: expected at most 16 files inside each other, got more\n  "));
  // Each level includes the next ten times: 10^5 files, were there no bound.
  for (int i = 0; i < 6; ++i) {
    std::ofstream file(TestFile(absl::StrCat("wide", i, ".policy")));
    for (int k = 0; k < 10; ++k) file << (i == 5 ? "pins\n" : absl::StrCat("include wide", i + 1, ".policy\n"));
  }
  CHECK(Loaded("wide0.policy").find("expected at most 1000 parts, got more") != std::string::npos);
}

constexpr char kExample[] = "plugin:tools/examples/scope_hash.so";
constexpr char kOdd[] = "plugin:tests/placement/plugins/odd.so";

TEST_CASE("the example plug-in keeps scopes together and has its reasons in the report") {
  const char graph[] = "a/x = Foo()\na/y = Foo()\nb/x = Foo()\nfree = Foo()\n";
  CHECK(Reasons({graph, "cpu:1,gpu:2", absl::StrCat(kExample, " GPU | else cpu:0")}) ==
        "a/x gpu:0 plugin:tools/examples/scope_hash.so GPU: scope a -> gpu:0\n"
        "a/y gpu:0 plugin:tools/examples/scope_hash.so GPU: scope a -> gpu:0\n"
        "b/x gpu:1 plugin:tools/examples/scope_hash.so GPU: scope b -> gpu:1\n"
        "free cpu:0 else cpu:0: still open -> cpu:0\n");
  CHECK(Devices({graph, "cpu:1", absl::StrCat(kExample, " GPU | else cpu:0")}) ==
        "a/x cpu:0\na/y cpu:0\nb/x cpu:0\nfree cpu:0\n");
  CHECK(Devices({graph, "cpu:1,gpu:2", absl::StrCat(kExample, " GPU where \"name=a/x\" | else cpu:0")}) ==
        "a/x gpu:0\na/y cpu:0\nb/x cpu:0\nfree cpu:0\n");
  const auto flag = LoadPolicy("tests/placement/plugins/odd.so");
  REQUIRE(flag.ok());
  CHECK(flag->text() == kOdd);
  const auto cpp = LoadPlugin("tools/examples/scope_hash.so", {"GPU"});
  REQUIRE(cpp.ok());
  CHECK(cpp->text() == absl::StrCat(kExample, " GPU"));
}

TEST_CASE("a plug-in is told what Berth knows of a node, and lives as long as a placing") {
  const char graph[] = "a = Foo() <k=v> : f32[4] @\"/job:localhost\"\nb = Bar(a) : f32[?]\n";
  CHECK(Reasons({graph, "cpu:1,gpu:1", absl::StrCat(kOdd, " ask")}) ==
        "a gpu:0 plugin:tests/placement/plugins/odd.so ask: 1 1 Foo v in0: out1:1,-1 16B /job:localhost "
        "dev2:/job:localhost/replica:0/task:0/device:GPU:0 111 -> gpu:0\n"
        "b gpu:0 plugin:tests/placement/plugins/odd.so ask: 1 1 Bar  in1:a out1:1,-1 -1B  "
        "dev2:/job:localhost/replica:0/task:0/device:GPU:0 111 -> gpu:0\n");
  for (int i = 0; i < 3; ++i) {
    CHECK(Reasons({"a = Foo()\n", "cpu:1,gpu:1", absl::StrCat(kOdd, " alive")}) ==
          "a gpu:0 plugin:tests/placement/plugins/odd.so alive: 1 alive -> gpu:0\n");
  }
  CHECK(Reasons({"a = Foo()\n", "cpu:1,gpu:1", absl::StrCat(kOdd, " bytes")}) ==
        "a gpu:0 plugin:tests/placement/plugins/odd.so bytes: \\x01\\xff -> gpu:0\n");
  // A demand that cannot be met is no other one's than a rule's.
  CHECK(Devices({"a = Foo()\n", "cpu:1", absl::StrCat(kOdd, " x"), PlacementMode::kSoft}) ==
        "a cpu:0\nfallback a gpu:0 (plugin:tests/placement/plugins/odd.so x): no such device on cpu:1\n");
}

TEST_CASE("a plug-in that answers nonsense, or an error, is blamed with the node") {
  const struct {
    const char* mode;
    const char* expected;
  } rows[] = {
      {"verb", "node 'a' (Foo at g:1): expected a verb from 0 to 3, got 4"},
      {"device",
       "node 'a' (Foo at g:1): device 'gpu:zero': column 5: expected a number or *, got 'zero'; a device is written "
       "[/job:J][/replica:R][/task:T][/device:KIND[:N]], or short as cpu:N or gpu:N, where * or nothing means any"},
      {"no-device", "node 'a' (Foo at g:1): expected a device, got '', which is any"},
      {"endless", "node 'a' (Foo at g:1): expected a device that ends, got 256 bytes"},
      {"endless-reason", "node 'a' (Foo at g:1): expected a reason that ends, got 128 bytes"},
      {"weight", "node 'a' (Foo at g:1): expected a finite weight, got another"},
      {"error", "node 'b' (Foo at g:2): expected an answer, got its error: no idea about b"},
  };
  for (const auto& row : rows) {
    for (const PlacementMode mode : {PlacementMode::kStrict, PlacementMode::kSoft}) {
      CHECK(Devices({"a = Foo()\nb = Foo()\n", "cpu:1,gpu:1", absl::StrCat(kOdd, " ", row.mode), mode}) ==
            absl::StrCat("INVALID_ARGUMENT: plug-in 'tests/placement/plugins/odd.so' (odd): ", row.expected));
    }
  }
}

TEST_CASE("a plug-in that cannot be loaded is a mistake of the policy's text") {
  std::ofstream(TestFile("text.so")) << "no shared object, but a text that is longer than a header of one would be\n";
  const struct {
    std::string file;
    std::string expected;
  } rows[] = {
      {"nowhere.so", "expected a shared object, got no such file or directory"},
      {TestFile(""), "expected a shared object, got a folder"},
      {TestFile("text.so"), "expected a shared object, got "},
      {"tests/placement/plugins/nameless.so",
       "expected the symbol berth_policy_plugin, got a shared object without it"},
      {"tests/placement/plugins/newer.so",
       "expected version 1 of the interface, got 2; build it with placement/policy_plugin.h of this Berth"},
      {"tests/placement/plugins/odd.so refuse",
       "expected arguments that 'odd' takes, got its error: expected nothing of the kind"},
      {"tests/placement/plugins/odd.so refuse-silently",
       "expected arguments that 'odd' takes, got its error: an error without a message"},
      {"tools/examples/scope_hash.so",
       "expected arguments that 'scope-hash' takes, got its error: expected one kind of device, got 0 arguments"},
  };
  for (const auto& row : rows) {
    const std::string file = row.file.substr(0, row.file.find(' '));
    const std::string expected = absl::StrCat("policy:1:8: plug-in '", file, "': ", row.expected);
    const absl::StatusOr<Policy> policy = ParsePolicy("plugin:" + row.file);
    INFO(policy.status().ToString());
    CHECK(policy.status().message().substr(0, expected.size()) == expected);
  }
}

TEST_CASE("the examples of words with files parse") {
  for (const PolicyExample& example : EveryPolicy(TestFile("example.tsv"))) {
    INFO(example.text);
    CHECK(ParsePolicy(example.text).status().ToString() == "OK");
  }
}

}  // namespace
}  // namespace berth
