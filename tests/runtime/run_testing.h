// What tests of runs share: sessions from text, results as text, and ops that fail, wait or count on purpose.
//
//   Fail(x) -> y           always an error
//   Wait(x) -> y {ms}      passes x on after that time
//   Tick() -> n: i64       stateful: 1 in its first run, 2 in its second
//   PlusHost(x, h) -> y    x + h[0]; h in host memory on every device
//   LengthOf(x) -> n: i32  the number of elements, in host memory
//   Trip(x, fault) -> y {id}
//       passes x on, but where fault (a scalar in host memory) is
//         id                 an error
//         id + kTripWaits    after 4 ms
//         id + kTripCancels  after cancelling what TripCancels() names
#ifndef BERTH_TESTS_RUNTIME_RUN_TESTING_H_
#define BERTH_TESTS_RUNTIME_RUN_TESTING_H_

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/op_table.h"
#include "runtime/cancellation.h"
#include "runtime/kernel.h"
#include "runtime/session.h"
#include "runtime/tensor.h"

namespace berth {

// Added to the id of a Trip node: what it does other than to fail.
constexpr int kTripWaits = 1000, kTripCancels = 2000;
// What Trip nodes cancel: one test at a time.
std::atomic<Cancellation*>& TripCancels();

std::shared_ptr<const OpTable> TestOps();          // the standard ones and those above
std::shared_ptr<const KernelTable> TestKernels();  // likewise
// Type attributes that follow from inputs may be left out.
absl::StatusOr<Graph> TestGraph(const std::string& text);

// Placed as the nodes ask, everything else on cpu:0.
absl::StatusOr<std::unique_ptr<Session>> TestSession(const std::string& text,
                                                     const std::string& machine = "cpu:1,gpu:2",
                                                     std::vector<std::string> fetches = {});

Tensor Floats(Dims dims, std::vector<float> values);

// "f32[2] 1.0,2.0; i64[] 3", or the error: "InvalidArgument: message".
std::string Show(const absl::StatusOr<std::vector<Tensor>>& values);
std::string Show(const absl::StatusOr<Tensor>& value);
std::string Show(const absl::Status& status);

}  // namespace berth

#endif  // BERTH_TESTS_RUNTIME_RUN_TESTING_H_
