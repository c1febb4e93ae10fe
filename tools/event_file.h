// TensorBoard's event files: framed records with masked CRC-32C sums.
#ifndef BERTH_TOOLS_EVENT_FILE_H_
#define BERTH_TOOLS_EVENT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace berth {

// The Castagnoli CRC of RFC 3720, and TensorFlow's masked form of it.
uint32_t Crc32c(absl::string_view bytes);
uint32_t MaskedCrc32c(absl::string_view bytes);

// One record: length, its sum, payload, its sum; little-endian.
std::string EventRecord(absl::string_view serialized_event);

// A whole file that shows one graph: the version record, then the graph, at wall time `seconds` (0: now).
std::string GraphEvents(absl::string_view serialized_graph_def, double seconds = 0);

// "events.out.tfevents.SECONDS.berth".
std::string EventFileName();

}  // namespace berth

#endif  // BERTH_TOOLS_EVENT_FILE_H_
