// A device: a memory space, ordered streams of work, and copies between its memory and the host's.
//
//   Device& gpu = *devices.device(1);
//   BERTH_ASSIGN_OR_RETURN(auto block, gpu.Allocate(1 << 20));
//   gpu.compute().Enqueue([&] { ...kernels on block->kernel_data()... });
//   BERTH_RETURN_IF_ERROR(gpu.CopyToHost(*block, 0, host, 1 << 20));
//
// Three kinds: the cpu, whose memory is the host's; virtual devices, which stand for any other kind on a machine
// without the hardware; real ones. Making a Device takes no memory and starts no thread: both come with first use.
// Thread-safe.
#ifndef BERTH_RUNTIME_DEVICE_H_
#define BERTH_RUNTIME_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/device_name.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"

namespace berth {

class Device {
 public:
  explicit Device(DeviceName name) : name_(std::move(name)), short_name_(name_.ShortName()) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  const DeviceName& name() const { return name_; }               // full
  const std::string& short_name() const { return short_name_; }  // for messages: "gpu:1"
  const std::string& kind() const { return *name_.type; }        // "CPU", "GPU"

  // (optional) default: false. True where the cpu's kernels serve this device.
  virtual bool is_virtual() const { return false; }
  // (optional) default: false. True where blocks are host memory, so that a pointer needs no copy.
  virtual bool shares_host_memory() const { return false; }
  // (optional) default: the kind. What stands behind the name, for lists: "virtual, 16 GiB", "NVIDIA H200, physical 5".
  virtual std::string description() const { return kind(); }

  // Required. The stream that kernels run on.
  virtual Stream& compute() = 0;
  // (optional) default: compute(). The stream that copies run on.
  virtual Stream& transfer() { return compute(); }

  // A block of this device's memory, 64-byte aligned, uninitialised. Error: ResourceExhausted with device and bytes.
  absl::StatusOr<std::shared_ptr<Buffer>> Allocate(size_t bytes);

  // Required. Copies between `size` bytes at `offset` of a block of this device and host memory. They return when done:
  // to overlap one with other work, call it on transfer(). REQUIRES: offset + size <= block.size().
  virtual absl::Status CopyFromHost(const void* host, const Buffer& block, size_t offset, size_t size) = 0;
  virtual absl::Status CopyToHost(const Buffer& block, size_t offset, void* host, size_t size) = 0;
  // (optional) default: by way of host memory. Copies from a block of another device.
  virtual absl::Status CopyFromDevice(Device& from, const Buffer& source, size_t source_offset, const Buffer& block,
                                      size_t offset, size_t size);
  // (optional) default: true. False: a copy is worth its own stream whatever its size (an emulated or a real link).
  virtual bool copies_at_memory_speed() const { return true; }

  // For tests: the n-th allocation from now fails as if memory had run out (1: the next one; 0: none does).
  void FailAllocation(int64_t n) { fail_at_.store(n == 0 ? -1 : allocations_.load() + n); }
  // (optional) default: 0, not counted. Bytes of this device's memory that blocks take now.
  virtual int64_t bytes_in_use() const { return 0; }
  // Allocations asked for so far.
  int64_t allocations() const { return allocations_.load(); }

 protected:
  // Required. What Allocate() does when no failure is injected.
  virtual absl::StatusOr<std::shared_ptr<Buffer>> AllocateBlock(size_t bytes) = 0;

 private:
  const DeviceName name_;
  const std::string short_name_;
  std::atomic<int64_t> allocations_{0};
  std::atomic<int64_t> fail_at_{-1};
};

// Host memory; kernels run on the caller's thread or on the stream's.
std::unique_ptr<Device> MakeCpuDevice(DeviceName name);

struct VirtualDeviceOptions {
  int64_t memory_bytes = 0;          // capacity; 0: 64 GiB, of which only what is touched takes memory
  double link_bytes_per_second = 0;  // copies take at least bytes / rate; 0: as fast as memory
  double link_latency_seconds = 0;   // and this much on top
};
// A device of its own address space on this machine: the host's address of its memory faults when touched.
std::unique_ptr<Device> MakeVirtualDevice(DeviceName name, VirtualDeviceOptions options = {});

}  // namespace berth

#endif  // BERTH_RUNTIME_DEVICE_H_
