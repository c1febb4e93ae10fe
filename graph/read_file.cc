#include "graph/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace berth {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

absl::Status Unread(const std::string& path, absl::string_view expected, absl::string_view got) {
  return absl::UnavailableError(absl::StrCat("file '", path, "': expected ", expected, ", got ", got));
}

absl::StatusOr<std::string> ReadAll(const std::string& path, int fd, size_t most) {
  struct stat about;
  std::string bytes;
  if (fstat(fd, &about) == 0) {
    if (S_ISDIR(about.st_mode)) return Unread(path, "a file that can be read", "a directory");
    if (S_ISREG(about.st_mode)) {
      if (static_cast<uint64_t>(about.st_size) > most) {
        return Unread(path, absl::StrCat("at most ", most, " bytes"), absl::StrCat(about.st_size));
      }
      bytes.reserve(static_cast<size_t>(about.st_size) + 1);
    }
  }
  for (size_t size = 0;;) {
    bytes.resize(std::max(bytes.capacity(), size + kChunk));
    const ssize_t n = read(fd, bytes.data() + size, bytes.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Unread(path, "a file that can be read", SystemError(errno));
    size += static_cast<size_t>(n);
    if (size > most) return Unread(path, absl::StrCat("at most ", most, " bytes"), "more");
    if (n > 0) continue;
    bytes.resize(size);
    return bytes;
  }
}

}  // namespace

std::string SystemError(int number) {
  std::string text = std::strerror(number);
  if (!text.empty()) text[0] = absl::ascii_tolower(text[0]);
  return text;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t most) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return absl::NotFoundError(
        absl::StrCat("file '", path, "': expected a file that can be read, got ", SystemError(errno)));
  }
  absl::StatusOr<std::string> bytes = ReadAll(path, fd, most);
  close(fd);
  return bytes;
}

bool NamesFile(absl::string_view flag) {
  if (flag.find_first_of("./") == absl::string_view::npos) return false;
  if (flag.find_first_of(" \t\n:|\"") == absl::string_view::npos) return true;
  struct stat about;
  return stat(std::string(flag).c_str(), &about) == 0 && !S_ISDIR(about.st_mode);
}

}  // namespace berth
