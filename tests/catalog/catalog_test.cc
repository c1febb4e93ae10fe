// Every row that must be tested has a test of its name: the rows of TensorFlow's own tests (tests/catalog/rows.txt, or the facts
// themselves where the shared folder is there), but those that Berth decided otherwise (tests/catalog/decisions.txt), and the
// cases of placement in practice.
//
// A test has a row's name when the name of a test case says the id ("D18 D19 D21 names merge ..."), or a table in it has a
// row whose first text begins with ids ({"P45 soft", ...}). In golden files, `# CASE: R020` says it, in scripts a
// comment that begins with ids.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/shared_data.h"
#include "tests/testing.h"

namespace berth {
namespace {

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// "P26", "P117b", "R049": a letter, digits, and perhaps a letter.
bool IsId(absl::string_view word) {
  if (word.size() < 2 || !absl::StrContains("PDGR", word.substr(0, 1))) return false;
  if (absl::ascii_islower(word.back())) word.remove_suffix(1);
  return word.size() >= 2 && word.substr(1).find_first_not_of("0123456789") == absl::string_view::npos;
}

std::vector<std::string> IdsOf(absl::string_view text) {
  std::vector<std::string> ids;
  for (const absl::string_view word : absl::StrSplit(text, absl::ByAnyChar(" ,:;.()-/\n\t"), absl::SkipEmpty())) {
    if (IsId(word)) ids.emplace_back(word);
  }
  return ids;
}

// The ids that tests of this source file have.
void AddTested(const std::string& source, std::set<std::string>* tested) {
  static const auto& names = *new std::regex("(?:TEST_CASE\\(|\\{)\\s*\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  for (std::sregex_iterator it(source.begin(), source.end(), names), end; it != end; ++it) {
    const std::string name = (*it)[1];
    const bool is_test = (*it)[0].str()[0] == 'T';
    for (const std::string& id : IdsOf(is_test ? name : name.substr(0, name.find_first_not_of("PDGR0123456789bc ")))) {
      tested->insert(id);
    }
  }
}

std::set<std::string> Tested() {
  std::set<std::string> tested;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests")) {
    const std::string path = entry.path();
    if (absl::EndsWith(path, "_test.cc")) AddTested(Read(entry.path()), &tested);
    const bool is_golden = absl::StrContains(path, "golden/") && absl::EndsWith(path, ".txt");
    const bool is_script = absl::EndsWith(path, "_test.sh");
    if (!is_golden && !is_script) continue;
    for (const absl::string_view line : absl::StrSplit(Read(entry.path()), '\n')) {
      if (!absl::StartsWith(line, is_golden ? "# CASE:" : "# R")) continue;
      for (const std::string& id : IdsOf(line)) tested.insert(id);
    }
  }
  return tested;
}

std::map<std::string, std::string> Decisions() {
  std::map<std::string, std::string> decisions;
  for (const absl::string_view line : absl::StrSplit(Read("tests/catalog/decisions.txt"), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits(' ', 1));
    INFO(line);
    CHECK(IsId(parts.first));
    CHECK(parts.second.size() > 10);
    CHECK(decisions.insert(parts).second);
  }
  return decisions;
}

std::set<std::string> RowsOf(const char* file) {
  std::set<std::string> rows;
  for (const absl::string_view line : absl::StrSplit(Read(file), '\n')) {
    if (absl::StartsWith(line, "#")) continue;
    for (const std::string& id : IdsOf(line)) rows.insert(id);
  }
  return rows;
}

std::set<std::string> Rows() { return RowsOf("tests/catalog/rows.txt"); }

bool IsBetween(const std::string& id, char letter, int from, int to) {
  const int number = std::atoi(id.c_str() + 1);
  return id[0] == letter && number >= from && number <= to;
}

// The rows as the shared folder has them: of the catalog but those of function bodies and gradients; cases of the issues done.
std::set<std::string> SharedRows() {
  std::set<std::string> rows;
  static const auto& row = *new std::regex("\\| ([PDG][0-9]+[bc]?)\\*? \\|.*");
  static const auto& case_row = *new std::regex("- \\*\\*(R[0-9]+)\\*\\* \\[(A1|A2|B)\\].*");
  std::smatch match;
  for (const std::string& line : SharedLines("facts/tensorflow.md")) {
    if (!std::regex_match(line, match, row)) continue;
    const std::string id = match[1];
    if (IsBetween(id, 'P', 72, 96) || IsBetween(id, 'P', 101, 105) || IsBetween(id, 'D', 87, 89)) continue;
    rows.insert(id);
  }
  for (const std::string& line : SharedLines("cases/placement-cases.md")) {
    if (std::regex_match(line, match, case_row)) rows.insert(match[1]);
  }
  return rows;
}

std::string Without(const std::set<std::string>& rows, const std::set<std::string>& tested,
                    const std::map<std::string, std::string>& decisions) {
  std::vector<std::string> missing;
  for (const std::string& id : rows) {
    if (tested.find(id) == tested.end() && decisions.find(id) == decisions.end()) missing.push_back(id);
  }
  return absl::StrJoin(missing, " ");
}

TEST_CASE("ids in names of tests and in tables") {
  std::set<std::string> tested;
  AddTested("TEST_CASE(\"D1 and P117b: something, R049\") {\n {\"P45 soft\", x}, {\"Px\", x}, { \"G7 P2\", \"R020\"}",
            &tested);
  CHECK(absl::StrJoin(tested, " ") == "D1 G7 P117b P2 P45 R049");
}

TEST_CASE("every row has a test of its name, or a decision") {
  const std::set<std::string> tested = Tested();
  const std::map<std::string, std::string> decisions = Decisions();
  CHECK(tested.size() > 100);
  const std::set<std::string> rows = Rows();
  CHECK(rows.size() > 250);
  CHECK(Without(rows, tested, decisions) == "");
  for (const auto& [id, reason] : decisions) {
    INFO(id << " is decided otherwise, and tested or no row");
    CHECK(tested.count(id) == 0);
    CHECK(rows.count(id) == 1);
  }
}

TEST_CASE("the list of rows is that of the shared folder") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  CHECK(Rows() == SharedRows());
}

}  // namespace
}  // namespace berth
