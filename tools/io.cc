#include "tools/io.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/read_file.h"

namespace berth {
namespace {

constexpr char kExitPayload[] = "berth/exit-code";

// istream::read turns the stream buffer's exceptions into badbit; iterators would throw them.
absl::StatusOr<std::string> ReadStream(std::istream& in) {
  constexpr size_t kChunk = size_t{1} << 20;
  std::string bytes;
  for (size_t size = 0;;) {
    bytes.resize(std::max(bytes.capacity(), size + kChunk));
    in.read(bytes.data() + size, static_cast<std::streamsize>(bytes.size() - size));
    size += static_cast<size_t>(in.gcount());
    if (in.bad()) return absl::UnavailableError("file 'stdin': expected a file that can be read, got an error");
    if (size > kMaxFileBytes) {
      return absl::UnavailableError(absl::StrCat("file 'stdin': expected at most ", kMaxFileBytes, " bytes, got more"));
    }
    if (in) continue;
    bytes.resize(size);
    return bytes;
  }
}

absl::Status Unwritten(absl::string_view file) {
  return WithExit(absl::UnavailableError(
                      absl::StrCat("file '", file, "': expected a file that can be written, got ", SystemError(errno))),
                  kExitUnreadable);
}

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
  absl::StatusOr<std::string> bytes = file == "-" ? ReadStream(io.in) : ReadWholeFile(file);
  if (!bytes.ok()) return WithExit(bytes.status(), kExitUnreadable);
  return bytes;
}

absl::Status WriteOutput(const std::string& file, absl::string_view bytes, Io& io) {
  return WriteInPieces(
      file, [bytes](Sink sink) { sink(bytes); }, io);
}

absl::Status WriteInPieces(const std::string& file, absl::FunctionRef<void(Sink)> write, Io& io) {
  const bool to_file = !file.empty() && file != "-";
  std::ofstream out;
  if (to_file) out.open(file, std::ios::binary | std::ios::trunc);
  std::ostream& stream = to_file ? out : io.out;
  write([&stream](absl::string_view piece) { stream.write(piece.data(), static_cast<std::streamsize>(piece.size())); });
  if (!to_file) return absl::OkStatus();
  out.close();
  return out ? absl::OkStatus() : Unwritten(file);
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder)) return absl::OkStatus();
  return WithExit(absl::UnavailableError(absl::StrCat("folder '", folder, "': expected a folder that can be made, got ",
                                                      error ? SystemError(error.value()) : "a file")),
                  kExitUnreadable);
}

absl::Status FlushOutput(Io& io) {
  io.out.flush();
  return io.out ? absl::OkStatus() : Unwritten("stdout");
}

}  // namespace berth
