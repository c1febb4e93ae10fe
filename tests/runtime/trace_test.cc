#include "runtime/trace.h"

#include <nlohmann/json.hpp>

#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("traces are Chrome's JSON: a process a device, a row for kernels and one for transfers") {
  Trace trace;
  trace.Add({"gpu:0", false, "y", "Relu", 2500, 1001, 0});
  trace.Add({"cpu:0", true, "x:0", "cpu:0 -> gpu:0", 1000, 500, 64});
  trace.Add({"cpu:0", false, "a \"b\"\n\\", "Add", 2000, 3, 0});
  const nlohmann::json json = nlohmann::json::parse(trace.ToChromeJson());
  std::string text;
  for (const auto& e : json["traceEvents"]) {
    if (e["ph"] == "M") {
      text += e["args"]["name"].get<std::string>() + ";";
    } else {
      text += e["name"].get<std::string>() + " " + std::to_string(e["pid"].get<int>()) +
              std::to_string(e["tid"].get<int>()) + " " + e["ts"].dump() + "+" + e["dur"].dump() + ";";
    }
  }
  CHECK(text ==
        "cpu:0;kernels;transfers;gpu:0;kernels;transfers;"
        "x:0 01 0.0+0.5;a \"b\"\n\\ 00 1.0+0.003;y 10 1.5+1.001;");
  CHECK(json["traceEvents"][6]["args"].dump() == "{\"bytes\":64,\"link\":\"cpu:0 -> gpu:0\"}");
  CHECK(nlohmann::json::parse(Trace().ToChromeJson())["traceEvents"].empty());
}

}  // namespace
}  // namespace berth
