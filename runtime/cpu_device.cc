#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/device.h"

namespace berth {
namespace {

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(DeviceName name) : Device(std::move(name)), compute_(short_name()) {}

  bool shares_host_memory() const override { return true; }
  std::string description() const override { return "host memory"; }
  Stream& compute() override { return compute_; }

  absl::Status CopyFromHost(const void* host, const Buffer& block, size_t offset, size_t size) override {
    if (size > 0) std::memcpy(static_cast<char*>(block.data()) + offset, host, size);
    return absl::OkStatus();
  }
  absl::Status CopyToHost(const Buffer& block, size_t offset, void* host, size_t size) override {
    if (size > 0) std::memcpy(host, static_cast<const char*>(block.data()) + offset, size);
    return absl::OkStatus();
  }

 protected:
  absl::StatusOr<std::shared_ptr<Buffer>> AllocateBlock(size_t bytes) override {
    absl::StatusOr<std::shared_ptr<Buffer>> block = AllocateHostBuffer(bytes);
    if (block.ok()) return block;
    return absl::Status(block.status().code(), absl::StrCat("device '", short_name(), "': ", block.status().message()));
  }

 private:
  Stream compute_;
};

}  // namespace

std::unique_ptr<Device> MakeCpuDevice(DeviceName name) { return std::make_unique<CpuDevice>(std::move(name)); }

}  // namespace berth
