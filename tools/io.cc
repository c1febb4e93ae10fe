#include "tools/io.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace berth {
namespace {

constexpr char kExitPayload[] = "berth/exit-code";

}  // namespace

absl::Status WithExit(absl::Status status, ExitCode code) {
  if (!status.ok() && !status.GetPayload(kExitPayload)) {
    status.SetPayload(kExitPayload, absl::Cord(absl::StrCat(static_cast<int>(code))));
  }
  return status;
}

ExitCode ExitOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kExitPayload);
  int code = 0;
  if (!payload || !absl::SimpleAtoi(std::string(*payload), &code)) return kExitRunFailed;
  return static_cast<ExitCode>(code);
}

absl::StatusOr<std::string> ReadInput(const std::string& file, Io& io) {
  if (file == "-") {
    return std::string(std::istreambuf_iterator<char>(io.in), std::istreambuf_iterator<char>());
  }
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return WithExit(absl::NotFoundError(absl::StrCat("file '", file, "': expected a file, got a directory")),
                    kExitUnreadable);
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return WithExit(absl::NotFoundError(absl::StrCat("file '", file, "': cannot be opened: ", std::strerror(errno))),
                    kExitUnreadable);
  }
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) {
    return WithExit(absl::UnavailableError(absl::StrCat("file '", file, "': reading failed")), kExitUnreadable);
  }
  return bytes;
}

absl::Status WriteOutput(const std::string& file, absl::string_view bytes, Io& io) {
  if (file.empty() || file == "-") {
    io.out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return absl::OkStatus();
  }
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    return WithExit(
        absl::UnavailableError(absl::StrCat("file '", file, "': cannot be written: ", std::strerror(errno))),
        kExitUnreadable);
  }
  return absl::OkStatus();
}

}  // namespace berth
