#include "runtime/available_memory.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace berth {
namespace {

// The number that follows the word `key` of the file, or that it starts with; none where there is no such number ("max").
std::optional<size_t> NumberIn(const char* file, const std::string& key) {
  std::ifstream in(file);
  std::string word;
  if (!key.empty()) {
    while (in >> word && word != key) {
    }
  }
  size_t number = 0;
  return in >> number ? std::optional<size_t>(number) : std::nullopt;
}

}  // namespace

size_t AvailableHostMemory() {
  const std::optional<size_t> kib = NumberIn("/proc/meminfo", "MemAvailable:");
  size_t available = kib ? *kib * 1024 : SIZE_MAX;
  const std::optional<size_t> limit = NumberIn("/sys/fs/cgroup/memory.max", "");
  const std::optional<size_t> taken = NumberIn("/sys/fs/cgroup/memory.current", "");
  if (limit && taken) available = std::min(available, *limit - std::min(*limit, *taken));
  return available;
}

}  // namespace berth
