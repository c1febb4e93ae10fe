#include "graph/device_name.h"

#include <limits>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace berth {
namespace {

// Reads both grammars; `relaxed_` is Berth's own.
class Parser {
 public:
  Parser(absl::string_view text, bool relaxed) : text_(text), rest_(text), relaxed_(relaxed) {}

  absl::StatusOr<DeviceName> Parse() {
    if (rest_ == "/") return name_;
    bool first = true;
    while (!rest_.empty()) {
      const bool slash = absl::ConsumePrefix(&rest_, "/");
      if (!slash && !(relaxed_ && first)) return Expected("'/'");
      first = false;
      if (!Field()) return error_;
    }
    return name_;
  }

 private:
  bool Field() {
    if (absl::ConsumePrefix(&rest_, "job:")) return WordOrStar(name_.job);
    if (absl::ConsumePrefix(&rest_, "replica:")) return NumberOrStar(name_.replica);
    if (absl::ConsumePrefix(&rest_, "task:")) return NumberOrStar(name_.task);
    if (absl::ConsumePrefix(&rest_, "device:")) {
      if (!WordOrStar(name_.type)) return false;
      if (relaxed_ && name_.type) UpperCaseKind(*name_.type);
      // TensorFlow's parser leaves the id of an earlier field alone when this one says none.
      return !absl::ConsumePrefix(&rest_, ":") ? NoId() : NumberOrStar(name_.id);
    }
    for (absl::string_view kind : {"cpu", "CPU", "gpu", "GPU"}) {
      absl::string_view after = rest_;
      if (!absl::ConsumePrefix(&after, kind)) continue;
      const bool colon = absl::ConsumePrefix(&after, ":");
      if (!colon && !(relaxed_ && (after.empty() || after[0] == '/'))) break;
      rest_ = after;
      name_.type = absl::AsciiStrToUpper(kind);
      return colon ? NumberOrStar(name_.id) : NoId();
    }
    return Fail("job:, replica:, task:, device:, cpu: or gpu:");
  }

  bool NoId() {
    name_.id.reset();
    return true;
  }

  bool WordOrStar(std::optional<std::string>& field) {
    if (absl::ConsumePrefix(&rest_, "*")) {
      field.reset();
      return true;
    }
    size_t n = 0;
    while (n < rest_.size() &&
           (absl::ascii_isalpha(rest_[n]) || (n > 0 && (absl::ascii_isdigit(rest_[n]) || rest_[n] == '_')))) {
      ++n;
    }
    if (n == 0) return Fail("a word that starts with a letter, or *");
    field = std::string(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return true;
  }

  bool NumberOrStar(std::optional<int>& field) {
    if (absl::ConsumePrefix(&rest_, "*")) {
      field.reset();
      return true;
    }
    uint64_t number = 0;
    size_t n = 0;
    bool overflow = false;
    for (; n < rest_.size() && absl::ascii_isdigit(rest_[n]); ++n) {
      const uint64_t digit = static_cast<uint64_t>(rest_[n] - '0');
      overflow |=
          __builtin_mul_overflow(number, uint64_t{10}, &number) || __builtin_add_overflow(number, digit, &number);
    }
    if (n == 0) return Fail("a number or *");
    // TensorFlow refuses what does not fit 64 bits and narrows the rest without a check.
    if (overflow || (relaxed_ && number > std::numeric_limits<int>::max())) {
      return Fail("a number of at most 2147483647");
    }
    field = static_cast<int>(static_cast<uint32_t>(number));
    rest_.remove_prefix(n);
    return true;
  }

  static void UpperCaseKind(std::string& type) {
    if (absl::EqualsIgnoreCase(type, "cpu") || absl::EqualsIgnoreCase(type, "gpu")) {
      absl::AsciiStrToUpper(&type);
    }
  }

  bool Fail(absl::string_view expected) {
    error_ = Expected(expected);
    return false;
  }

  absl::Status Expected(absl::string_view expected) const {
    const bool cut = text_.size() > 64;
    return absl::InvalidArgumentError(
        absl::StrCat("device '", absl::CHexEscape(text_.substr(0, 64)), cut ? "..." : "", "': column ",
                     text_.size() - rest_.size() + 1, ": expected ", expected, ", got ",
                     rest_.empty() ? "the end" : absl::StrCat("'", absl::CHexEscape(rest_.substr(0, 16)), "'"),
                     relaxed_ ? "; a device is written [/job:J][/replica:R][/task:T][/device:KIND[:N]], or short "
                                "as cpu:N or gpu:N, where * or nothing means any"
                              : "; a device in a graph is written [/job:J][/replica:R][/task:T][/device:KIND[:N]] "
                                "or /cpu:N or /gpu:N, where * means any"));
  }

  const absl::string_view text_;
  absl::string_view rest_;
  const bool relaxed_;
  DeviceName name_;
  absl::Status error_;
};

template <typename T>
bool FieldMatches(const std::optional<T>& pattern, const std::optional<T>& field) {
  return !pattern || pattern == field;
}

template <typename T>
bool FieldCompatible(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || a == b;
}

}  // namespace

std::string DeviceName::ToString() const {
  std::string text;
  if (job) absl::StrAppend(&text, "/job:", *job);
  if (replica) absl::StrAppend(&text, "/replica:", *replica);
  if (task) absl::StrAppend(&text, "/task:", *task);
  if (type || id) {
    absl::StrAppend(&text, "/device:", type ? *type : "*", ":", id ? absl::StrCat(*id) : "*");
  }
  return text;
}

std::string DeviceName::ShortName() const {
  const bool local = !job && !replica && !task;
  const bool localhost = job == "localhost" && replica == 0 && task == 0;
  if ((local || localhost) && id && (type == "CPU" || type == "GPU")) {
    return absl::StrCat(absl::AsciiStrToLower(*type), ":", *id);
  }
  return ToString();
}

bool operator<(const DeviceName& a, const DeviceName& b) {
  return std::tie(a.job, a.replica, a.task, a.type, a.id) < std::tie(b.job, b.replica, b.task, b.type, b.id);
}

absl::StatusOr<DeviceName> ParseTensorFlowName(absl::string_view text) {
  return Parser(text, /*relaxed=*/false).Parse();
}

absl::StatusOr<DeviceName> ParseDeviceName(absl::string_view text) { return Parser(text, /*relaxed=*/true).Parse(); }

bool Matches(const DeviceName& pattern, const DeviceName& name) {
  return FieldMatches(pattern.job, name.job) && FieldMatches(pattern.replica, name.replica) &&
         FieldMatches(pattern.task, name.task) && FieldMatches(pattern.type, name.type) &&
         FieldMatches(pattern.id, name.id);
}

bool Compatible(const DeviceName& a, const DeviceName& b) {
  return FieldCompatible(a.job, b.job) && FieldCompatible(a.replica, b.replica) && FieldCompatible(a.task, b.task) &&
         FieldCompatible(a.type, b.type) && FieldCompatible(a.id, b.id);
}

DeviceName Overlay(DeviceName under, const DeviceName& over) {
  if (over.job) under.job = over.job;
  if (over.replica) under.replica = over.replica;
  if (over.task) under.task = over.task;
  if (over.type) under.type = over.type;
  if (over.id) under.id = over.id;
  return under;
}

DeviceName MergeScopes(const DeviceName& outer, const DeviceName& inner) {
  DeviceName merged = outer;
  if (inner.type && outer.type && inner.type != outer.type) merged.id.reset();
  return Overlay(std::move(merged), inner);
}

}  // namespace berth
