#include "runtime/device.h"

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"

namespace berth {

absl::StatusOr<std::shared_ptr<Buffer>> Device::Allocate(size_t bytes) {
  const int64_t count = allocations_.fetch_add(1) + 1;
  if (count == fail_at_.load()) {
    return absl::ResourceExhaustedError(absl::StrCat("device '", short_name_, "': expected room for ", bytes,
                                                     " bytes, got an injected failure of allocation ", count));
  }
  return AllocateBlock(bytes);
}

absl::Status Device::CopyFromDevice(Device& from, const Buffer& source, size_t source_offset, const Buffer& block,
                                    size_t offset, size_t size) {
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> bounce, AllocateHostBuffer(size));
  BERTH_RETURN_IF_ERROR(from.CopyToHost(source, source_offset, bounce->data(), size));
  return CopyFromHost(bounce->data(), block, offset, size);
}

}  // namespace berth
