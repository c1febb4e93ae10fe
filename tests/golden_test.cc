// Runs golden text files: a command, its input, and what it must print.
//
//   # RUN: berth place - --policy "else cpu:0"    the command; `a | b` runs two, in a row
//   # EXIT: 2                                     optional: the exit code, else 0
//   # NEEDS: shared                               optional: skipped without the shared data; $SHARED in RUN is its folder
//   x = Const() : f32[2]                          the input
//   # FILE: machine.txt                           optional: the lines up to the next go to this file of the command's own
//   device { name: "cpu:0" }                      empty folder
//   ----
//   expected standard output
//   ---- stderr                                   optional: unchecked if it is not there
//   expected standard error
//
// golden_test BERTH [--rebase] [SUBSTRING]: runs tests/golden/VERB/*.txt whose path contains SUBSTRING. A command that is not
// named bad-* must use its folder's name as a verb; bad-* ones must fail.
// --rebase rewrites the expectations in the source tree (under `bazel run`) instead of comparing.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace {

namespace fs = std::filesystem;

constexpr int kTimeoutSeconds = 60;

struct Golden {
  std::string run;
  int exit = 0;
  bool needs_shared = false;
  std::string input;
  std::vector<std::pair<std::string, std::string>> files;  // name, text
  std::string out;
  bool has_err = false;
  std::string err;
};

struct Result {
  int exit = 0;
  std::string out;
  std::string err;
  std::string fault;  // why it did not run to its end, or empty
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteFile(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

bool Header(const std::string& line, const std::string& key, std::string* value) {
  const std::string prefix = "# " + key + ": ";
  if (line.compare(0, prefix.size(), prefix) != 0) return false;
  *value = line.substr(prefix.size());
  return true;
}

Golden Parse(const std::string& text) {
  Golden golden;
  std::istringstream lines(text);
  std::string* part = &golden.input;
  bool in_header = true;
  bool in_input = true;
  std::string value;
  for (std::string line; std::getline(lines, line);) {
    if (in_header && Header(line, "RUN", &golden.run)) continue;
    if (in_header && Header(line, "EXIT", &value)) {
      golden.exit = std::atoi(value.c_str());
      continue;
    }
    if (in_header && Header(line, "NEEDS", &value)) {
      golden.needs_shared = value == "shared";
      continue;
    }
    in_header = false;
    if (in_input && Header(line, "FILE", &value)) {
      golden.files.emplace_back(value, "");
      part = &golden.files.back().second;
    } else if (in_input && line == "----") {
      in_input = false;
      part = &golden.out;
    } else if (line == "---- stderr" && !golden.has_err) {
      in_input = false;
      golden.has_err = true;
      part = &golden.err;
    } else {
      *part += line + "\n";
    }
  }
  return golden;
}

std::string Print(const Golden& golden) {
  std::string text = "# RUN: " + golden.run + "\n";
  if (golden.exit != 0) text += "# EXIT: " + std::to_string(golden.exit) + "\n";
  if (golden.needs_shared) text += "# NEEDS: shared\n";
  text += golden.input;
  for (const auto& [name, contents] : golden.files) text += "# FILE: " + name + "\n" + contents;
  text += "----\n" + golden.out;
  if (golden.has_err) text += "---- stderr\n" + golden.err;
  return text;
}

// Words as a shell would split them: quotes '...' and "...", backslash outside '...'. No expansion
// but $SHARED, which is not expanded in '...'. A bare | ends a command.
std::vector<std::vector<std::string>> SplitCommands(const std::string& run, const std::string& shared) {
  std::vector<std::vector<std::string>> commands(1);
  std::string word;
  bool open = false;
  char quote = 0;
  const auto end_word = [&] {
    if (open) commands.back().push_back(word);
    word.clear();
    open = false;
  };
  for (size_t i = 0; i < run.size(); ++i) {
    const char c = run[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      open = true;
    } else if (quote == 0 && c == ' ') {
      end_word();
    } else if (quote == 0 && c == '|') {
      end_word();
      commands.emplace_back();
    } else if (quote != '\'' && c == '\\' && i + 1 < run.size()) {
      word += run[++i];
      open = true;
    } else if (quote != '\'' && run.compare(i, 7, "$SHARED") == 0) {
      word += shared;
      i += 6;
      open = true;
    } else {
      word += c;
      open = true;
    }
  }
  end_word();
  return commands;
}

// Feeds `input` to one program in `folder` and collects what it prints, at most kTimeoutSeconds
// long.
Result RunOne(const std::string& program, std::vector<std::string> words, const fs::path& folder,
              const std::string& input) {
  Result result;
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    result.fault = "no pipes";
    return result;
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  if (error != 0) {
    result.fault = "cannot start " + program;
    close(in[1]);
    close(out[0]);
    close(err[0]);
    return result;
  }
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(kTimeoutSeconds);
  pollfd fds[3] = {{in[1], POLLOUT, 0}, {out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  std::string* const texts[3] = {nullptr, &result.out, &result.err};
  size_t written = 0;
  const auto close_end = [&](pollfd& fd) {
    close(fd.fd);
    fd.fd = -1;
  };
  if (input.empty()) close_end(fds[0]);
  while (fds[1].fd >= 0 || fds[2].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || poll(fds, 3, static_cast<int>(left.count())) == 0) {
      result.fault = "still running after " + std::to_string(kTimeoutSeconds) + " s";
      kill(pid, SIGKILL);
      break;
    }
    if (fds[0].fd >= 0 && fds[0].revents != 0) {
      const ssize_t n = write(in[1], input.data() + written, input.size() - written);
      if (n > 0) written += static_cast<size_t>(n);
      if (n < 0 || written == input.size()) close_end(fds[0]);
    }
    for (int i = 1; i < 3; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      char buffer[1 << 16];
      const ssize_t n = read(fds[i].fd, buffer, sizeof buffer);
      if (n > 0) {
        texts[i]->append(buffer, static_cast<size_t>(n));
      } else {
        close_end(fds[i]);
      }
    }
  }
  for (pollfd& fd : fds) {
    if (fd.fd >= 0) close_end(fd);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status)) {
    result.exit = WEXITSTATUS(status);
  } else if (result.fault.empty()) {
    result.fault = "killed by signal " + std::to_string(WTERMSIG(status));
  }
  return result;
}

// Runs the commands of a golden in a row, each fed with what the one before printed. The first that
// fails is the last.
Result Run(const std::string& berth, const Golden& golden, const fs::path& folder, const std::string& shared) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [name, text] : golden.files) WriteFile(folder / name, text);
  Result result;
  result.out = golden.input;
  std::string err;
  for (const std::vector<std::string>& words : SplitCommands(golden.run, shared)) {
    if (words.empty() || words[0] != "berth") {
      result.fault = "# RUN: expected commands that start with berth, got '" + golden.run + "'";
      break;
    }
    result = RunOne(berth, words, folder, result.out);
    err += result.err;
    if (!result.fault.empty() || result.exit != 0) break;
  }
  result.err = err;
  if (!result.out.empty() && result.out.back() != '\n') result.out += '\n';
  if (!result.err.empty() && result.err.back() != '\n') result.err += '\n';
  return result;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A line diff over the longest common subsequence: `-` expected, `+` got. Quadratic, so long texts
// are cut.
std::string Diff(const std::string& want_text, const std::string& got_text) {
  std::vector<std::string> want = Lines(want_text);
  std::vector<std::string> got = Lines(got_text);
  constexpr size_t kMaxLines = 500;
  want.resize(std::min(want.size(), kMaxLines));
  got.resize(std::min(got.size(), kMaxLines));
  std::vector<std::vector<int>> common(want.size() + 1, std::vector<int>(got.size() + 1, 0));
  for (size_t i = want.size(); i-- > 0;) {
    for (size_t j = got.size(); j-- > 0;) {
      common[i][j] = want[i] == got[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::string diff;
  size_t i = 0, j = 0;
  while (i < want.size() || j < got.size()) {
    if (i < want.size() && j < got.size() && want[i] == got[j]) {
      diff += "    " + want[i] + "\n";
      ++i;
      ++j;
    } else if (i < want.size() && (j == got.size() || common[i + 1][j] >= common[i][j + 1])) {
      diff += "  - " + want[i++] + "\n";
    } else {
      diff += "  + " + got[j++] + "\n";
    }
  }
  return diff;
}

// What is wrong with the file itself, or empty.
std::string Misuse(const fs::path& path, const Golden& golden) {
  if (golden.run.empty()) return "expected `# RUN: berth ...` in the first lines\n";
  const bool bad = path.filename().string().starts_with("bad-");
  if (bad && golden.exit == 0) return "a bad-* file expects `# EXIT:` other than 0\n";
  const std::string verb = path.parent_path().filename();
  if (golden.run.find("berth " + verb) == std::string::npos &&
      golden.run.find("berth --" + verb) == std::string::npos && !bad) {
    return "expected the verb '" + verb + "', which is the folder's name, in '" + golden.run + "'\n";
  }
  return "";
}

// What differs, or empty.
std::string Compare(const Golden& golden, const Result& result) {
  if (!result.fault.empty()) return result.fault + "\n" + result.err;
  std::string text;
  if (result.exit != golden.exit) {
    text += "exit code: expected " + std::to_string(golden.exit) + ", got " + std::to_string(result.exit) + "\n";
    if (!golden.has_err) text += result.err;
  }
  if (result.out != golden.out) text += "standard output:\n" + Diff(golden.out, result.out);
  if (golden.has_err && result.err != golden.err) {
    text += "standard error:\n" + Diff(golden.err, result.err);
  }
  return text;
}

std::string Env(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  std::string berth, filter;
  bool rebase = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--rebase") {
      rebase = true;
    } else if (berth.empty()) {
      berth = fs::absolute(arg);
    } else {
      filter = arg;
    }
  }
  fs::path root = fs::path("tests") / "golden";
  if (rebase && !Env("BUILD_WORKSPACE_DIRECTORY").empty()) {
    root = fs::path(Env("BUILD_WORKSPACE_DIRECTORY")) / root;
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = entry.path();
    if (path.ends_with(".txt") && path.find(filter) != std::string::npos) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  const fs::path tmp = Env("TEST_TMPDIR").empty() ? "/tmp" : Env("TEST_TMPDIR");
  const fs::path folder = tmp / ("golden-" + std::to_string(getpid()));
  const std::string shared = Env("BERTH_SHARED");
  int passed = 0, failed = 0, skipped = 0;
  for (const fs::path& path : paths) {
    const std::string before = ReadFile(path);
    Golden golden = Parse(before);
    if (golden.needs_shared && (shared.empty() || !fs::is_directory(shared))) {
      std::printf("SKIPPED %s: no shared data\n", path.c_str());
      ++skipped;
      continue;
    }
    const Result result = Run(berth, golden, folder, shared);
    if (rebase && result.fault.empty()) {
      golden.exit = result.exit;
      golden.out = result.out;
      golden.err = result.err;
      golden.has_err = golden.has_err || (result.exit != 0 && !result.err.empty());
      const std::string after = Print(golden);
      if (after != before) {
        WriteFile(path, after);
        std::printf("rewrote %s\n", path.c_str());
      }
    }
    const std::string fault = Misuse(path, golden) + Compare(golden, result);
    if (fault.empty()) {
      ++passed;
    } else {
      ++failed;
      std::printf("FAILED %s\n  # RUN: %s\n%s", path.c_str(), golden.run.c_str(), fault.c_str());
    }
  }
  fs::remove_all(folder);
  if (passed + failed + skipped == 0) {
    std::printf("FAILED no golden file matches '%s'\n", filter.c_str());
    ++failed;
  }
  std::printf("berth-test: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 ? 0 : 1;
}
