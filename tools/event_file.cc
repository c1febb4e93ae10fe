#include "tools/event_file.h"

#include <array>
#include <chrono>
#include <cstring>

#include "absl/strings/str_format.h"
#include "proto/event.pb.h"

namespace berth {
namespace {

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    table[i] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = MakeTable();

template <typename T>
std::string LittleEndian(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

double Now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

}  // namespace

uint32_t Crc32c(absl::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(c)) & 255];
  return ~crc;
}

uint32_t MaskedCrc32c(absl::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

std::string EventRecord(absl::string_view serialized_event) {
  const std::string length = LittleEndian(static_cast<uint64_t>(serialized_event.size()));
  std::string record = length + LittleEndian(MaskedCrc32c(length));
  record.append(serialized_event.data(), serialized_event.size());
  return record + LittleEndian(MaskedCrc32c(serialized_event));
}

std::string GraphEvents(absl::string_view serialized_graph_def, double seconds) {
  if (seconds == 0) seconds = Now();
  pb::Event version;
  version.set_wall_time(seconds);
  version.set_file_version("brain.Event:2");
  pb::Event graph;
  graph.set_wall_time(seconds);
  graph.set_graph_def(std::string(serialized_graph_def));
  return EventRecord(version.SerializeAsString()) + EventRecord(graph.SerializeAsString());
}

std::string EventFileName() { return absl::StrFormat("events.out.tfevents.%010d.berth", static_cast<int64_t>(Now())); }

}  // namespace berth
