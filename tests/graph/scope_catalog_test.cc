// TensorFlow's own tests of device and colocation scopes, restated for Berth's: rows D34 to D65 of the catalog, by id.
//
// Where Berth decided otherwise the line above the case says what, and why. The common reason: a scope is a value that is held,
// not a stack that is entered and left, and a nearer scope wins over a farther one, whatever the two are made of.
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "graph/graphdef.h"
#include "graph/scope.h"
#include "graph/variable.h"
#include "tests/graph/building.h"
#include "tests/testing.h"

namespace berth {
namespace {

// Requires a device of the ops in `op`, "" for every op.
class OpRule : public Rule {
 public:
  OpRule(std::string op, std::string device) : op_(std::move(op)), device_(std::move(device)) {}
  std::string text() const override { return absl::StrCat("op ", op_, " on ", device_); }
  Opinion Decide(const NodeFacts& node) const override {
    if (!op_.empty() && node.op != op_) return Opinion::Abstain();
    return Opinion::Require(*ParseDeviceName(device_));
  }

 private:
  std::string op_, device_;
};

Rules On(std::string op, std::string device) { return Rules(std::make_shared<OpRule>(op, device)); }

// A node called `name`.
Operation Make(const Scope& scope, const std::string& name) { return scope.WithName(name).Op("NoOp", {}); }

Graph Finished(const Scope& root) {
  absl::StatusOr<Graph> graph = root.Finish();
  INFO(graph.status());
  REQUIRE(graph.ok());
  return *std::move(graph);
}

// "b: a, c", the names in `_class`; "" behind the colon without any.
std::string Groups(const Graph& graph, const std::string& name) {
  std::string text = name + ":";
  for (const absl::string_view with : graph.Find(name)->colocation()) absl::StrAppend(&text, " ", with);
  return text;
}

TEST_CASE("D34 no scope: no request, and no field in the NodeDef") {
  const Scope root = Scope::Root();
  Make(root, "a");
  const Graph graph = Finished(root);
  CHECK(graph.node(0).device().empty());
  CHECK_FALSE(absl::StrContains(ExportGraphDefText(graph), "device"));
}

TEST_CASE("D35 a partial name is kept as it is") {
  const Scope root = Scope::Root();
  Make(root.WithDevice("/job:worker/replica:2"), "a");
  CHECK(Finished(root).node(0).device() == "/job:worker/replica:2");
}

TEST_CASE("D37 the nearer scope wins by fields, and the farther holds again after it") {
  const Scope root = Scope::Root();
  const Scope outer = root.WithDevice("/job:worker/replica:2");
  Make(outer, "before");
  Make(outer.WithDevice("/job:worker/replica:3/task:0"), "inside");
  Make(outer, "after");
  CHECK(Requests(Finished(root)) ==
        "before /job:worker/replica:2\ninside /job:worker/replica:3/task:0\nafter /job:worker/replica:2\n");
}

TEST_CASE("D38 a gpu inside a cpu") {
  const Scope root = Scope::Root();
  const Scope outer = root.WithDevice("/device:CPU:1");
  Make(outer, "before");
  Make(outer.WithDevice("/device:GPU:2"), "inside");
  Make(outer, "after");
  CHECK(Requests(Finished(root)) == "before cpu:1\ninside gpu:2\nafter cpu:1\n");
}

TEST_CASE("D39 a row of scopes, each of which says something else") {
  const Scope root = Scope::Root();
  Scope scope = root;
  int i = 0;
  for (const char* device : {"/device:GPU:0", "/job:worker", "/device:CPU:0", "/job:ps", ""}) {
    scope = scope.WithDevice(device);
    Make(scope, absl::StrCat("n", i++));
  }
  CHECK(Requests(Finished(root)) ==
        "n0 gpu:0\nn1 /job:worker/device:GPU:0\nn2 /job:worker/device:CPU:0\nn3 /job:ps/device:CPU:0\n"
        "n4 /job:ps/device:CPU:0\n");
}

TEST_CASE("D41 a kind without a number keeps the outer number, and takes the inner one") {
  const Scope root = Scope::Root();
  Make(root.WithDevice("/device:GPU:7").WithDevice("/device:GPU:*"), "a");
  Make(root.WithDevice("/device:CPU:*").WithDevice("/device:CPU:5"), "b");
  Make(root.WithDevice("/device:CPU:*"), "c");
  CHECK(Requests(Finished(root)) == "a gpu:7\nb cpu:5\nc /device:CPU:*\n");
}

// Decided: nothing clears what a farther scope says; the scope from outside, held, is the way out.
TEST_CASE("D43 a scope from farther out asks for nothing, and the inner one goes on as before") {
  const Scope root = Scope::Root();
  const Scope inner = root.WithDevice("/job:worker/replica:2/task:0/device:CPU:1");
  Make(root, "free");
  Make(inner, "after");
  CHECK(Requests(Finished(root)) == "free -\nafter /job:worker/replica:2/task:0/device:CPU:1\n");
}

// Decided: no rule overwrites what a nearer scope says, whether it is asked after it or not (pain J1 of DESIGN).
TEST_CASE("D45 a farther rule does not overwrite a nearer device") {
  const Scope root = Scope::Root();
  const Scope outside = root.WithRules(On("", "/device:CPU:0"));
  Make(outside.WithDevice("/device:GPU:2"), "named");
  Make(outside.WithDevice("/job:ps"), "partial");
  Make(outside, "alone");
  CHECK(Requests(Finished(root)) == "named gpu:2\npartial /job:ps/device:CPU:0\nalone cpu:0\n");
}

TEST_CASE("D46 threads with a scope each") {
  const Scope root = Scope::Root({.device = "/job:worker"});
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&root, t] { Make(root.WithDevice(absl::StrCat("/replica:", t)), absl::StrCat("n", t)); });
  }
  for (std::thread& thread : threads) thread.join();
  const Graph graph = Finished(root);
  for (int t = 0; t < 3; ++t) {
    CHECK(graph.Find(absl::StrCat("n", t))->device() == absl::StrCat("/job:worker/replica:", t));
  }
}

TEST_CASE("D47 threads that colocate with a node each") {
  const Scope root = Scope::Root();
  std::vector<Operation> targets;
  for (int t = 0; t < 3; ++t) {
    targets.push_back(Make(root.WithDevice(absl::StrCat("/replica:", t)), absl::StrCat("op", t)));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] { Make(root.WithColocation(targets[t]), absl::StrCat("n", t)); });
  }
  for (std::thread& thread : threads) thread.join();
  const Graph graph = Finished(root);
  for (int t = 0; t < 3; ++t) {
    CHECK(graph.Find(absl::StrCat("n", t))->device() == absl::StrCat("/replica:", t));
    CHECK(Groups(graph, absl::StrCat("n", t)) == absl::StrCat("n", t, ": op", t));
  }
}

TEST_CASE("D49 a request remembers the lines of the scopes it is from, rules included") {
  const Scope root = Scope::Root();
  Make(root.WithDevice("/device:CPU:0", {"m.cc", 5}), "a");
  Make(root.WithRules(On("NoOp", "/device:GPU:0"), {"m.cc", 9}), "b");
  const Graph graph = Finished(root);
  CHECK(graph.node(0).note().origin == "scope at m.cc:5");
  CHECK(graph.node(1).note().origin == "rule 'op NoOp on /device:GPU:0' of scope at m.cc:9");
}

// Decided: no scope is ambient, so that another graph's scopes know nothing of this one's.
TEST_CASE("D50 scopes of two graphs keep their own devices") {
  const Scope outer = Scope::Root().WithDevice("/device:CPU:0");
  const Scope inner = Scope::Root().WithDevice("/device:GPU:0");
  Make(inner, "in");
  Make(outer, "out");
  CHECK(Requests(Finished(inner)) == "in gpu:0\n");
  CHECK(Requests(Finished(outer)) == "out cpu:0\n");
}

TEST_CASE("D51 groups of a colocated node, its target and a free one") {
  const Scope root = Scope::Root();
  const Operation a = Make(root, "a");
  Make(root.WithColocation(a), "b");
  Make(root, "c");
  const Graph graph = Finished(root);
  CHECK(Groups(graph, "a") == "a:");
  CHECK(Groups(graph, "b") == "b: a");
  CHECK(graph.Find("c")->attr("_class") == nullptr);
}

TEST_CASE("D53 colocation nearer than a device takes the target's") {
  const Scope root = Scope::Root();
  const Operation a = Make(root.WithDevice("/device:GPU:0"), "a");
  Make(root.WithDevice("/device:CPU:0").WithColocation(a), "b");
  CHECK(Requests(Finished(root)) == "a gpu:0\nb gpu:0\n");
}

TEST_CASE("D54 the target's device from a rule, and the same one nearer") {
  const Scope root = Scope::Root();
  const Operation a = Make(root.WithRules(On("", "/gpu:0")), "a");
  Make(root.WithColocation(a).WithDevice("/device:GPU:0"), "b");
  const Graph graph = Finished(root);
  CHECK(graph.node(0).device() == graph.node(1).device());
  CHECK(Groups(graph, "b") == "b: a");
}

TEST_CASE("D55 colocation that says nothing new, and the scope outside it") {
  const Scope root = Scope::Root();
  const Scope gpu = root.WithDevice("/device:GPU:0");
  const Operation a = Make(gpu, "a");
  Make(gpu.WithColocation(a), "b");
  Make(gpu, "c");
  Make(root, "d");
  const Graph graph = Finished(root);
  CHECK(Requests(graph) == "a gpu:0\nb gpu:0\nc gpu:0\nd -\n");
  CHECK(Groups(graph, "b") == "b: a");
  CHECK(Groups(graph, "c") == "c:");
}

TEST_CASE("D57 two independent groups, one in the other") {
  const Scope root = Scope::Root();
  const Operation a = Make(root, "a"), b = Make(root, "b");
  Make(root.WithColocation(a).WithColocation(b), "c");
  CHECK(Groups(Finished(root), "c") == "c: a b");
}

// Decided: no flag ignores what is around; the scope from outside, held, has no colocation.
TEST_CASE("D58 colocation with b alone, beside a scope that is colocated with a") {
  const Scope root = Scope::Root();
  const Operation a = Make(root, "a"), b = Make(root, "b");
  const Scope with_a = root.WithColocation(a);
  Make(with_a, "c");
  Make(root.WithColocation(b), "d");
  const Graph graph = Finished(root);
  CHECK(Groups(graph, "c") == "c: a");
  CHECK(Groups(graph, "d") == "d: b");
}

// Decided: as D58; there is no colocation with nothing.
TEST_CASE("D59 a node out of a colocated scope's reach") {
  const Scope root = Scope::Root();
  const Operation a = Make(root, "a");
  const Scope with_a = root.WithColocation(a);
  Make(with_a, "b");
  Make(root, "c");
  CHECK(Finished(root).Find("c")->attr("_class") == nullptr);
}

// Every variable is of a class of its own besides, for its parts.
TEST_CASE("D61 a variable colocated with a variable") {
  const Scope root = Scope::Root();
  const Variable a = MakeVariable(root, "a", PartialShape::Scalar(), DType::kFloat32, Initializer::Zeros());
  MakeVariable(root.WithColocation(a.state), "b", PartialShape::Scalar(), DType::kFloat32, Initializer::Zeros());
  CHECK(Groups(Finished(root), "b") == "b: a b");
}

}  // namespace
}  // namespace berth
