#include "runtime/device.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/device_name.h"
#include "placement/machine.h"
#include "runtime/available_memory.h"
#include "runtime/devices.h"
#include "runtime/tensor.h"
#include "tests/testing.h"

namespace berth {
namespace {

DeviceName Named(absl::string_view type, int id) {
  return {.job = "localhost", .replica = 0, .task = 0, .type = std::string(type), .id = id};
}

// Touches a byte in a child process; true when that ended by a fault.
bool Faults(volatile char* address, bool write) {
  const pid_t child = fork();
  if (child == 0) {
    // Whatever a sanitizer does with the fault, the child ends by it.
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    if (write) {
      *address = 1;
    } else {
      static_cast<void>(*address);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS);
}

TEST_CASE("the host cannot touch a virtual device's memory, its own kernels can") {
  std::unique_ptr<Device> gpu = MakeVirtualDevice(Named("GPU", 0));
  auto block = gpu->Allocate(1 << 16);
  REQUIRE(block.ok());
  auto* host = static_cast<volatile char*>((*block)->data());
  auto* own = static_cast<volatile char*>((*block)->kernel_data());
  CHECK(Faults(host, false));
  CHECK(Faults(host, true));
  CHECK(Faults(host + (1 << 16) - 1, true));
  CHECK_FALSE(Faults(own, true));

  std::unique_ptr<Device> cpu = MakeCpuDevice(Named("CPU", 0));
  auto plain = cpu->Allocate(64);
  REQUIRE(plain.ok());
  CHECK((*plain)->data() == (*plain)->kernel_data());
  CHECK_FALSE(Faults(static_cast<volatile char*>((*plain)->data()), true));
}

TEST_CASE("copies between the host and devices") {
  std::unique_ptr<Device> a = MakeVirtualDevice(Named("GPU", 0));
  std::unique_ptr<Device> b = MakeVirtualDevice(Named("GPU", 1));
  std::unique_ptr<Device> cpu = MakeCpuDevice(Named("CPU", 0));
  std::vector<char> sent(1000), got(1000);
  std::iota(sent.begin(), sent.end(), 0);
  auto on_a = a->Allocate(2000), on_b = b->Allocate(1000), on_cpu = cpu->Allocate(1000);
  REQUIRE((on_a.ok() && on_b.ok() && on_cpu.ok()));
  CHECK(a->CopyFromHost(sent.data(), **on_a, 500, 1000).ok());
  CHECK(b->CopyFromDevice(*a, **on_a, 500, **on_b, 0, 1000).ok());
  CHECK(cpu->CopyFromDevice(*b, **on_b, 0, **on_cpu, 0, 1000).ok());
  CHECK(cpu->CopyToHost(**on_cpu, 0, got.data(), 1000).ok());
  CHECK(got == sent);
  CHECK(a->CopyToHost(**on_a, 500, got.data(), 0).ok());
}

TEST_CASE("memory: alignment, reuse, capacity, injected failures") {
  std::unique_ptr<Device> gpu = MakeVirtualDevice(Named("GPU", 3), {.memory_bytes = 1 << 20});
  {
    std::vector<std::shared_ptr<Buffer>> blocks;
    for (size_t bytes : {0, 1, 63, 64, 65, 4097}) {
      auto block = gpu->Allocate(bytes);
      REQUIRE(block.ok());
      CHECK(reinterpret_cast<uintptr_t>((*block)->kernel_data()) % 64 == 0);
      CHECK((*block)->size() == bytes);
      blocks.push_back(*block);
    }
    std::swap(blocks[1], blocks[4]);
  }
  // All of it is free again and in one piece.
  CHECK(gpu->Allocate(1 << 20).ok());
  CHECK(gpu->Allocate((1 << 20) + 1).status().message() ==
        "device 'gpu:3': expected room for 1048577 bytes, got 1048576 free of 1048576");
  CHECK(gpu->Allocate(SIZE_MAX).status().code() == absl::StatusCode::kResourceExhausted);
  auto most = gpu->Allocate((1 << 20) - 64);
  REQUIRE(most.ok());
  CHECK(gpu->Allocate(65).status().message() == "device 'gpu:3': expected room for 65 bytes, got 64 free of 1048576");
  most->reset();

  gpu->FailAllocation(2);
  CHECK(gpu->Allocate(1).ok());
  CHECK(gpu->Allocate(1).status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(gpu->Allocate(1).ok());

  std::unique_ptr<Device> cpu = MakeCpuDevice(Named("CPU", 0));
  CHECK(cpu->Allocate(SIZE_MAX).status().message() ==
        "device 'cpu:0': host memory: expected room for 18446744073709551615 bytes, got none");
}

TEST_CASE("more host memory than there is to be had is an error, before any of it is used") {
  const size_t available = AvailableHostMemory();
  CHECK(available > size_t{1} << 20);
  REQUIRE(available < SIZE_MAX / 4);
  // What a system that grants everything would grant.
  const size_t more = available + (size_t{1} << 34);
  CHECK(AllocateHostBuffer(more).status().message() ==
        absl::StrCat("host memory: expected room for ", more, " bytes, got none"));
  constexpr size_t kStrings = size_t{1} << 31;
  if (available < kStrings * sizeof(std::string)) {
    CHECK(AllocateHostTensor(DType::kString, {kStrings}).status().message() ==
          absl::StrCat("host memory: expected room for ", kStrings * sizeof(std::string), " bytes, got none"));
  }
}

TEST_CASE("a block outlives its device") {
  std::shared_ptr<Buffer> block;
  {
    std::unique_ptr<Device> gpu = MakeVirtualDevice(Named("GPU", 0));
    block = *gpu->Allocate(100);
  }
  std::memset(block->kernel_data(), 1, 100);
}

TEST_CASE("streams: order, events, waiting for another stream") {
  std::string order;
  {
    Stream a("a"), b("b");
    Event gate;
    b.WaitFor(gate);
    b.Enqueue([&] { order += "b"; });
    a.Enqueue([&] { order += "1"; });
    a.Enqueue([&] { order += "2"; });
    Event done = a.Record();
    done.Wait();
    CHECK(order == "12");
    CHECK(done.done());
    gate.Set();
    b.Synchronize();
    CHECK(order == "12b");
    a.Enqueue([&] { order += "3"; });
  }
  CHECK(order == "12b3");  // the destructor finishes what was enqueued
}

TEST_CASE("an emulated link takes its time, on the stream for copies") {
  std::unique_ptr<Device> gpu =
      MakeVirtualDevice(Named("GPU", 0), {.link_bytes_per_second = 1e6, .link_latency_seconds = 0.01});
  std::vector<char> host(10000);
  auto block = gpu->Allocate(host.size());
  REQUIRE(block.ok());
  std::atomic<bool> copied{false};
  const auto start = std::chrono::steady_clock::now();
  gpu->transfer().Enqueue([&] { copied = gpu->CopyFromHost(host.data(), **block, 0, host.size()).ok(); });
  gpu->compute().Synchronize();
  CHECK_FALSE(copied.load());  // computing does not wait for the copy
  gpu->transfer().Synchronize();
  CHECK(copied.load());
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(19));
}

int Threads() {
  int count = 0;
  char line[256];
  FILE* f = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, f) != nullptr) sscanf(line, "Threads: %d", &count);
  fclose(f);
  return count;
}

TEST_CASE("R073: two sets of devices with different maps; listing has no side effect") {
  auto one = ParseMachine("cpu:1,gpu:2");
  auto two = ParseMachine("cpu:2,gpu:4");
  REQUIRE((one.ok() && two.ok()));
  const int threads = Threads();
  auto a = DevicesFor(*one), b = DevicesFor(*two);
  REQUIRE((a.ok() && b.ok()));
  CHECK(a->ToString() == a->ToString());
  CHECK(b->size() == 6);
  CHECK(Threads() == threads);
  for (int d = 0; d < b->size(); ++d) CHECK(b->device(d)->allocations() == 0);

  // gpu:0 of each is memory and a stream of its own.
  auto x = a->device(1)->Allocate(64), y = b->device(2)->Allocate(64);
  REQUIRE((x.ok() && y.ok()));
  CHECK(a->device(1)->short_name() == "gpu:0");
  CHECK(b->device(2)->short_name() == "gpu:0");
  CHECK((*x)->data() != (*y)->data());
  CHECK(a->device(1)->allocations() == 1);
  CHECK(a->device(2)->allocations() == 0);
  int ran = 0;
  a->device(1)->compute().Enqueue([&] { ++ran; });
  a->device(1)->compute().Synchronize();
  b->device(2)->compute().Enqueue([&] { ++ran; });
  b->device(2)->compute().Synchronize();
  CHECK(ran == 2);
}

TEST_CASE("a machine needs a cpu to be run on") {
  auto machine = ParseMachine("gpu:2");
  REQUIRE(machine.ok());
  CHECK(DevicesFor(*machine).status().message() ==
        "machine 'gpu:2': expected a cpu, where feeds come from and fetches go to, got none");
}

}  // namespace
}  // namespace berth
