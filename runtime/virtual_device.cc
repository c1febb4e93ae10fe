// One memfd a device, mapped twice: the address that the host holds may not be touched, the device's own kernels use
// the other one. So code that forgets a copy faults here as it would on real hardware, at no cost for code that does
// not.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "runtime/device.h"

namespace berth {
namespace {

constexpr size_t kDefaultCapacity = size_t{64} << 30;
constexpr size_t kPage = 4096;

// The device's memory: the two mappings and what is free of them. Best fit, neighbours joined. Outlives the device
// while blocks of it do.
class Arena : public std::enable_shared_from_this<Arena> {
 public:
  static absl::StatusOr<std::shared_ptr<Arena>> Create(const std::string& device, size_t capacity);
  ~Arena() {
    munmap(host_, capacity_);
    munmap(own_, capacity_);
  }
  absl::StatusOr<std::shared_ptr<Buffer>> Allocate(size_t bytes);
  void Free(size_t offset, size_t size);
  size_t used() const {
    std::lock_guard<std::mutex> lock(mu_);
    return used_;
  }

 private:
  Arena(std::string device, char* host, char* own, size_t capacity)
      : device_(std::move(device)), host_(host), own_(own), capacity_(capacity) {
    free_[0] = capacity;
    by_size_.insert({capacity, 0});
  }

  const std::string device_;
  char* const host_;
  char* const own_;
  const size_t capacity_;
  mutable std::mutex mu_;
  size_t used_ = 0;
  std::map<size_t, size_t> free_;                // offset -> size
  std::set<std::pair<size_t, size_t>> by_size_;  // (size, offset)
};

class ArenaBuffer final : public Buffer {
 public:
  ArenaBuffer(std::shared_ptr<Arena> arena, char* host, char* own, size_t size, size_t offset, size_t taken)
      : Buffer(host, own, size), arena_(std::move(arena)), offset_(offset), taken_(taken) {}
  ~ArenaBuffer() override { arena_->Free(offset_, taken_); }

 private:
  std::shared_ptr<Arena> arena_;
  size_t offset_, taken_;
};

absl::StatusOr<std::shared_ptr<Arena>> Arena::Create(const std::string& device, size_t capacity) {
  const int fd = memfd_create("berth-device", MFD_CLOEXEC);
  void* host = MAP_FAILED;
  void* own = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(capacity)) == 0) {
    host = mmap(nullptr, capacity, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    own = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  }
  if (fd >= 0) close(fd);
  if (host == MAP_FAILED || own == MAP_FAILED) {
    const int error = errno;
    if (host != MAP_FAILED) munmap(host, capacity);
    if (own != MAP_FAILED) munmap(own, capacity);
    return absl::ResourceExhaustedError(absl::StrCat("device '", device, "': expected an address space of ", capacity,
                                                     " bytes, got ", std::strerror(error)));
  }
  return std::shared_ptr<Arena>(new Arena(device, static_cast<char*>(host), static_cast<char*>(own), capacity));
}

absl::StatusOr<std::shared_ptr<Buffer>> Arena::Allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mu_);
  // A size that rounding would overflow is more than any arena has.
  const size_t taken = bytes > capacity_
                           ? bytes
                           : std::max((bytes + kTensorAlignment - 1) / kTensorAlignment, size_t{1}) * kTensorAlignment;
  const auto fit = by_size_.lower_bound({taken, 0});
  if (fit == by_size_.end()) {
    size_t free_bytes = 0;
    for (const auto& [offset, size] : free_) free_bytes += size;
    return absl::ResourceExhaustedError(absl::StrCat("device '", device_, "': expected room for ", bytes,
                                                     " bytes, got ", free_bytes, " free of ", capacity_));
  }
  const auto [size, offset] = *fit;
  by_size_.erase(fit);
  free_.erase(offset);
  if (size > taken) {
    free_[offset + taken] = size - taken;
    by_size_.insert({size - taken, offset + taken});
  }
  used_ += taken;
  return std::shared_ptr<Buffer>(
      std::make_shared<ArenaBuffer>(shared_from_this(), host_ + offset, own_ + offset, bytes, offset, taken));
}

void Arena::Free(size_t offset, size_t size) {
  std::lock_guard<std::mutex> lock(mu_);
  used_ -= size;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + size == next->first) {
    size += next->second;
    by_size_.erase({next->second, next->first});
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      by_size_.erase({before->second, before->first});
      before->second += size;
      by_size_.insert({before->second, before->first});
      return;
    }
  }
  free_[offset] = size;
  by_size_.insert({size, offset});
}

class VirtualDevice final : public Device {
 public:
  VirtualDevice(DeviceName name, VirtualDeviceOptions options)
      : Device(std::move(name)),
        options_(options),
        compute_(short_name()),
        transfer_(absl::StrCat(short_name(), " copies")) {}

  bool is_virtual() const override { return true; }
  std::string description() const override {
    return options_.memory_bytes > 0 ? absl::StrCat("virtual, ", options_.memory_bytes >> 20, " MiB") : "virtual";
  }
  int64_t bytes_in_use() const override {
    std::lock_guard<std::mutex> lock(mu_);
    return arena_ == nullptr ? 0 : static_cast<int64_t>(arena_->used());
  }
  Stream& compute() override { return compute_; }
  Stream& transfer() override { return transfer_; }
  bool copies_at_memory_speed() const override {
    return options_.link_bytes_per_second <= 0 && options_.link_latency_seconds <= 0;
  }

  absl::Status CopyFromHost(const void* host, const Buffer& block, size_t offset, size_t size) override {
    return Copy(Own(block, offset), host, size);
  }
  absl::Status CopyToHost(const Buffer& block, size_t offset, void* host, size_t size) override {
    return Copy(host, Own(block, offset), size);
  }
  absl::Status CopyFromDevice(Device& from, const Buffer& source, size_t source_offset, const Buffer& block,
                              size_t offset, size_t size) override {
    if (!from.is_virtual()) return Device::CopyFromDevice(from, source, source_offset, block, offset, size);
    if (&from != this) return Copy(Own(block, offset), Own(source, source_offset), size);
    if (size > 0) std::memcpy(Own(block, offset), Own(source, source_offset), size);
    return absl::OkStatus();
  }

 protected:
  absl::StatusOr<std::shared_ptr<Buffer>> AllocateBlock(size_t bytes) override {
    {
      std::lock_guard<std::mutex> lock(mu_);
      if (arena_ == nullptr) {
        const size_t capacity =
            options_.memory_bytes > 0 ? static_cast<size_t>(options_.memory_bytes) : kDefaultCapacity;
        BERTH_ASSIGN_OR_RETURN(arena_, Arena::Create(short_name(), (capacity + kPage - 1) / kPage * kPage));
      }
    }
    return arena_->Allocate(bytes);
  }

 private:
  static char* Own(const Buffer& block, size_t offset) { return static_cast<char*>(block.kernel_data()) + offset; }

  absl::Status Copy(void* to, const void* from, size_t size) {
    const auto start = std::chrono::steady_clock::now();
    if (size > 0) std::memcpy(to, from, size);
    if (!copies_at_memory_speed()) {
      double seconds = options_.link_latency_seconds;
      if (options_.link_bytes_per_second > 0) seconds += static_cast<double>(size) / options_.link_bytes_per_second;
      std::this_thread::sleep_until(start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(seconds)));
    }
    return absl::OkStatus();
  }

  const VirtualDeviceOptions options_;
  mutable std::mutex mu_;
  std::shared_ptr<Arena> arena_;
  // Last: their threads end before what they use goes.
  Stream compute_;
  Stream transfer_;
};

}  // namespace

std::unique_ptr<Device> MakeVirtualDevice(DeviceName name, VirtualDeviceOptions options) {
  return std::make_unique<VirtualDevice>(std::move(name), options);
}

}  // namespace berth
