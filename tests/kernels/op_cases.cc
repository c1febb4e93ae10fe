// Holds every kernel against TensorFlow's own results.
//
//   op_cases [OP...]
//
// Reads $BERTH_OP_CASES (default $BERTH_SHARED/data/ops), runs the cases of all ops that have a kernel on each kind of device
// of $BERTH_MACHINE (default cpu), prints one line an op and the totals, and exits 1 when any case is wrong. With
// $BERTH_OP_CASES_ALL set, also every wrong and every refused case with its message.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "kernels/kernels.h"
#include "tests/kernels/op_case.h"

namespace berth {
namespace {

struct Counts {
  int cases = 0, right = 0, refused = 0, wrong = 0, without_kernel = 0;
  std::string first_wrong;

  void Add(const OpCase& c, const std::string& kind, const Judgement& judgement) {
    ++cases;
    right += judgement.verdict == Verdict::kRight;
    refused += judgement.verdict == Verdict::kRefused;
    without_kernel += judgement.verdict == Verdict::kNoKernel;
    if (judgement.verdict != Verdict::kWrong) return;
    if (wrong++ == 0) first_wrong = "case " + c.name + " on " + kind + ": " + judgement.text;
  }
};

std::string Env(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? fallback : value;
}

// The kinds of devices in a machine's shorthand: "cpu:1,gpu:2" -> CPU, GPU.
std::set<std::string> KindsOf(const std::string& machine) {
  std::set<std::string> kinds;
  for (absl::string_view part : absl::StrSplit(machine, ',')) {
    const std::vector<std::string> fields = absl::StrSplit(part, ':');
    kinds.insert(absl::AsciiStrToUpper(fields[0]));
  }
  return kinds;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

Counts JudgeFile(const std::filesystem::path& path, const std::set<std::string>& kinds,
                 const std::shared_ptr<const OpTable>& ops, const std::shared_ptr<const KernelTable>& kernels) {
  Counts counts;
  absl::StatusOr<std::vector<OpCase>> cases = ReadOpCases(ReadFile(path));
  if (!cases.ok()) {
    counts.wrong = 1;
    counts.first_wrong = std::string(cases.status().message());
    return counts;
  }
  const bool all = std::getenv("BERTH_OP_CASES_ALL") != nullptr;
  for (const OpCase& c : *cases) {
    for (const std::string& kind : kinds) {
      const Judgement judgement = JudgeOpCase(c, kind, ops, kernels);
      counts.Add(c, kind, judgement);
      if (all && (judgement.verdict == Verdict::kWrong || judgement.verdict == Verdict::kRefused)) {
        std::printf("  %s %s %s\n", judgement.verdict == Verdict::kWrong ? "WRONG" : "refused", c.name.c_str(),
                    judgement.text.c_str());
      }
    }
  }
  return counts;
}

int Main(int argc, char** argv) {
  const std::string folder = Env("BERTH_OP_CASES", Env("BERTH_SHARED", "") + "/data/ops");
  if (!std::filesystem::is_directory(folder)) {
    std::printf("SKIPPED op_cases: no folder %s\nberth-test: 0 passed, 0 failed, 1 skipped\n", folder.c_str());
    return 0;
  }
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".pb") files.insert(entry.path());
  }
  const std::set<std::string> wanted(argv + 1, argv + argc);
  const std::set<std::string> kinds = KindsOf(Env("BERTH_MACHINE", "cpu"));
  const auto ops = StandardOps();
  const auto kernels = CpuKernels();
  Counts totals;
  int judged = 0;
  for (const std::filesystem::path& file : files) {
    const std::string op = file.stem();
    if (!wanted.empty() && wanted.count(op) == 0) continue;
    const Counts counts = JudgeFile(file, kinds, ops, kernels);
    if (counts.without_kernel > 0 && counts.right == 0) {
      std::printf("%-36s no kernel\n", op.c_str());
      continue;
    }
    std::printf("%-36s %4d cases %4d right %3d refused %3d wrong%s%s\n", op.c_str(), counts.cases, counts.right,
                counts.refused, counts.wrong, counts.wrong > 0 ? "; " : "", counts.first_wrong.c_str());
    ++judged;
    totals.cases += counts.cases;
    totals.right += counts.right;
    totals.refused += counts.refused;
    totals.wrong += counts.wrong;
  }
  std::printf("berth-test: %d passed, %d failed, 0 skipped\n", totals.right + totals.refused, totals.wrong);
  std::printf("%d ops: %d cases, %d right, %d refused, %d wrong\n", judged, totals.cases, totals.right, totals.refused,
              totals.wrong);
  return totals.wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) { return berth::Main(argc, argv); }
