#include "graph/device_map.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/device_name.h"

namespace berth {

absl::StatusOr<DeviceMap> ParseDeviceMap(absl::string_view text, absl::string_view file) {
  DeviceMap map;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    const auto fail = [&](absl::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ":", line_number, ":1: ", what, ", got '", absl::CHexEscape(line.substr(0, 200)), "'"));
    };
    if (words.size() != 2) return fail("expected two devices, FROM and TO, with - for none");
    const std::string from(words[0] == "-" ? "" : words[0]);
    std::string to(words[1] == "-" ? "" : words[1]);
    if (!to.empty()) {
      absl::StatusOr<DeviceName> device = ParseDeviceName(to);
      if (!device.ok())
        return absl::InvalidArgumentError(absl::StrCat(file, ":", line_number, ":1: ", device.status().message()));
      to = device->ToString();
    }
    if (!map.emplace(from, to).second) return fail("expected each device once");
  }
  return map;
}

}  // namespace berth
