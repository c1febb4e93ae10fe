// Variables through their kernels: reading, assigning, updating, asking.
#include "kernels/kernels.h"
#include "runtime/kernel_runner.h"
#include "tests/testing.h"

namespace berth {
namespace {

Tensor Floats(std::vector<float> values) { return *HostTensorOf<float>({static_cast<int64_t>(values.size())}, values); }

std::vector<float> ValuesOf(const Tensor& t) {
  return std::vector<float>(t.kernel<float>(), t.kernel<float>() + t.num_elements());
}

TEST_CASE("updates change the variable and leave what was read before") {
  for (const char* op : {"AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"}) {
    CAPTURE(op);
    const Tensor before = Floats({1, 2, 3});
    const auto result = CallKernel(*CpuKernels(), {.op = op, .inputs = {before, Floats({10, 20, 30})}}, 2);
    REQUIRE(result.ok());
    const bool add = std::string(op).find("Add") != std::string::npos;
    CHECK(ValuesOf(result->variables[0]) == (add ? std::vector<float>{21, 42, 63} : std::vector<float>{-19, -38, -57}));
    CHECK(ValuesOf(before) == std::vector<float>{1, 2, 3});
  }
}

TEST_CASE("assigning sets the variable; asking tells whether it has a value") {
  for (const char* op : {"Assign", "AssignVariableOp"}) {
    CAPTURE(op);
    const auto result = CallKernel(*CpuKernels(), {.op = op, .inputs = {Floats({0, 0}), Floats({4, 5})}});
    REQUIRE(result.ok());
    CHECK(ValuesOf(result->variables[0]) == std::vector<float>{4, 5});
  }
  const auto set = RunKernel(*CpuKernels(), {.op = "IsVariableInitialized", .inputs = {Floats({1})}});
  REQUIRE(set.ok());
  CHECK(*(*set)[0].kernel<bool>());
}

TEST_CASE("variables refuse values of another shape, and updates before the first value") {
  const auto shape = CallKernel(*CpuKernels(), {.op = "Assign", .inputs = {Floats({0, 0}), Floats({4})}});
  REQUIRE(!shape.ok());
  CHECK(std::string(shape.status().message()) == "expected a value of shape [2], got [1]");
  const auto update = CallKernel(*CpuKernels(), {.op = "AssignAdd", .inputs = {Floats({0, 0}), Floats({4})}});
  REQUIRE(!update.ok());
  CHECK(std::string(update.status().message()) == "expected a value of shape [2], got [1]");
}

}  // namespace
}  // namespace berth
