// An estimate as text.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "placement/estimate.h"

namespace berth {
namespace {

std::string Count(int64_t n, absl::string_view one) { return absl::StrCat(n, " ", one, n == 1 ? "" : "s"); }

std::string Unknown(int64_t n) { return n == 0 ? "" : absl::StrCat(", ", n, " of unknown size"); }

std::string DeviceLine(const PlacementEstimate::Device& device) {
  std::string line = Count(device.nodes, "node");
  if (device.nodes == 0) return line;
  if (device.variable_bytes > 0) absl::StrAppend(&line, ", ", Count(device.variable_bytes, "byte"), " of variables");
  if (device.constant_bytes > 0) absl::StrAppend(&line, ", ", Count(device.constant_bytes, "byte"), " of constants");
  absl::StrAppend(&line, ", peak ", Count(device.peak_bytes, "byte"), Unknown(device.unknown_sizes), ", ",
                  absl::StrFormat("%.4g", device.flops), " flops, busy ", SecondsText(device.busy_seconds),
                  ", done at ", SecondsText(device.finish_seconds));
  return line;
}

}  // namespace

std::string SecondsText(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits = {Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "us"}};
  if (seconds <= 0) return "0 s";
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.size * 0.9995) return absl::StrFormat("%.3g %s", seconds / unit.size, unit.name);
  }
  return absl::StrFormat("%.3g ns", seconds / 1e-9);
}

std::string BytesText(double bytes, absl::string_view unit, double unit_bytes) {
  const std::string exact = absl::StrFormat("%.0f B", bytes);
  return unit_bytes == 1 ? exact : absl::StrFormat("%.4g %s (%s)", bytes / unit_bytes, unit, exact);
}

std::string BytesText(int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  double size = 1;
  while (unit + 1 < kUnits.size() && static_cast<double>(bytes) >= size * 1024) {
    ++unit;
    size *= 1024;
  }
  return BytesText(static_cast<double>(bytes), kUnits[unit], size);
}

std::string PrintEstimate(const Machine& machine, const PlacementEstimate& estimate) {
  std::string out;
  const auto name = [&machine](DeviceId d) { return machine.device(d).name.ShortName(); };
  for (DeviceId d = 0; d < machine.num_devices(); ++d) {
    absl::StrAppend(&out, "# ", name(d), ": ", DeviceLine(estimate.devices[d]), "\n");
  }
  for (const PlacementEstimate::Link& link : estimate.links) {
    absl::StrAppend(&out, "# ", name(link.from), " -> ", name(link.to), ": ");
    if (link.transfers > 0) {
      absl::StrAppend(&out, Count(link.transfers, "transfer"), ", ", Count(link.bytes, "byte"),
                      Unknown(link.unknown_sizes));
    }
    if (!link.via.empty()) {
      const auto append = [&name](std::string* text, DeviceId d) { text->append(name(d)); };
      absl::StrAppend(&out, ", through ", absl::StrJoin(link.via, " and ", append));
    }
    if (link.hops > 0) {
      absl::StrAppend(&out, link.transfers > 0 ? ", and " : "", link.hops, " passing between others, ",
                      Count(link.hop_bytes, "byte"));
    }
    if (link.busy_seconds > 0) absl::StrAppend(&out, ", busy ", SecondsText(link.busy_seconds));
    out.push_back('\n');
  }
  absl::StrAppend(&out, "# one run: ", SecondsText(estimate.total_seconds), "\n");
  return out;
}

}  // namespace berth
