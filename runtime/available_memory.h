// How much memory this process can still take, so that asking for more ends in an error rather than in a killed process.
#ifndef BERTH_RUNTIME_AVAILABLE_MEMORY_H_
#define BERTH_RUNTIME_AVAILABLE_MEMORY_H_

#include <cstddef>

namespace berth {

// Bytes: what the kernel estimates to be available without swapping (MemAvailable of proc(5)), or what is left of the
// control group's limit (memory.max of cgroup v2) where that is less. SIZE_MAX where neither can be read. Reads two or
// three small files; thread-safe.
size_t AvailableHostMemory();

}  // namespace berth

#endif  // BERTH_RUNTIME_AVAILABLE_MEMORY_H_
