#include "placement/assertion.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "graph/spelling.h"
#include "graph/status_macros.h"
#include "placement/caret.h"

namespace berth {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxTerms = 10000;

struct Unit {
  const char* name;
  double size;
};
constexpr std::array<Unit, 9> kByteUnits = {Unit{"B", 1},         Unit{"KB", 1e3},      Unit{"MB", 1e6},
                                            Unit{"GB", 1e9},      Unit{"TB", 1e12},     Unit{"KiB", 1024},
                                            Unit{"MiB", 1 << 20}, Unit{"GiB", 1 << 30}, Unit{"TiB", 1099511627776.0}};
constexpr std::array<Unit, 4> kTimeUnits = {Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1}};

template <size_t kSize>
std::string Names(const std::array<Unit, kSize>& units) {
  return absl::StrJoin(units, ", ", [](std::string* out, const Unit& unit) { out->append(unit.name); });
}

template <size_t kSize>
double SizeOf(const std::array<Unit, kSize>& units, absl::string_view name) {
  for (const Unit& unit : units) {
    if (name == unit.name) return unit.size;
  }
  return 0;
}

}  // namespace

class Assertion::Reader {
 public:
  Reader(absl::string_view text, absl::string_view origin) : text_(text), origin_(origin) {}

  absl::StatusOr<Assertion> Read() {
    BERTH_RETURN_IF_ERROR(ReadOr(0));
    if (Peek() != '\0' || at_ < text_.size()) {
      return Error(at_, absl::StrCat("expected \"&\", \"|\" or the end, got ", Here()));
    }
    assertion_.text_ = std::string(text_);
    assertion_.origin_ = std::string(origin_);
    return std::move(assertion_);
  }

 private:
  struct Word {
    const char* name;
    Quantity quantity;
    size_t devices;
  };
  static constexpr std::array<Word, 6> kWords = {Word{"bytes", Quantity::kBytes, 1},
                                                 Word{"nodes", Quantity::kNodes, 1},
                                                 Word{"peak", Quantity::kPeak, 1},
                                                 Word{"time", Quantity::kTime, 0},
                                                 Word{"transfer-bytes", Quantity::kTransferBytes, 2},
                                                 Word{"transfers", Quantity::kTransfers, 2}};

  absl::Status ReadOr(int depth) {
    BERTH_RETURN_IF_ERROR(ReadAnd(depth));
    while (Take('|')) {
      BERTH_RETURN_IF_ERROR(ReadAnd(depth));
      Join(Term::Kind::kOr);
    }
    return absl::OkStatus();
  }

  absl::Status ReadAnd(int depth) {
    BERTH_RETURN_IF_ERROR(ReadOne(depth));
    while (Take('&')) {
      BERTH_RETURN_IF_ERROR(ReadOne(depth));
      Join(Term::Kind::kAnd);
    }
    return absl::OkStatus();
  }

  void Join(Term::Kind kind) {
    Term term;
    term.kind = kind;
    assertion_.terms_.push_back(std::move(term));
  }

  absl::Status ReadOne(int depth) {
    if (Peek() != '(') return ReadComparison();
    if (depth >= kMaxDepth)
      return Error(at_, absl::StrCat("expected at most ", kMaxDepth, " levels of \"(\", got more"));
    ++at_;
    BERTH_RETURN_IF_ERROR(ReadOr(depth + 1));
    return Expect(')');
  }

  // WORD(DEVICES) OPERATOR NUMBER UNIT
  absl::Status ReadComparison() {
    if (assertion_.terms_.size() >= kMaxTerms) {
      return Error(at_, absl::StrCat("expected at most ", kMaxTerms, " comparisons, got more"));
    }
    Term term;
    Peek();
    term.begin = at_;
    const absl::string_view name = Run([](char c) { return absl::ascii_isalpha(c) || c == '-'; });
    const auto word = std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return name == w.name; });
    if (word == kWords.end()) return UnknownWord(term.begin, name);
    term.quantity = word->quantity;
    BERTH_RETURN_IF_ERROR(Expect('('));
    for (size_t i = 0; i < word->devices; ++i) {
      if (i > 0) BERTH_RETURN_IF_ERROR(Expect(','));
      BERTH_RETURN_IF_ERROR(ReadDevice(term));
    }
    BERTH_RETURN_IF_ERROR(Expect(')'));
    BERTH_RETURN_IF_ERROR(ReadOperator(term));
    BERTH_RETURN_IF_ERROR(ReadNumber(term));
    term.end = at_;
    assertion_.terms_.push_back(std::move(term));
    return absl::OkStatus();
  }

  absl::Status UnknownWord(size_t at, absl::string_view name) {
    std::vector<std::string> words;
    for (const Word& word : kWords) words.emplace_back(word.name);
    const std::string nearest = NearestWord(name, words);
    at_ = at;
    return Error(at, absl::StrCat("expected ", absl::StrJoin(words, "(, "), "( or \"(\", got ",
                                  name.empty() ? Here() : Quoted(name),
                                  nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?")));
  }

  absl::Status ReadDevice(Term& term) {
    Peek();
    Pattern pattern;
    pattern.at = at_;
    absl::string_view text = Run([](char c) { return c != ',' && c != '(' && c != ')' && c != '&' && c != '|'; });
    text = absl::StripTrailingAsciiWhitespace(text);
    if (text != "*") {
      absl::StatusOr<DeviceName> name = ParseDeviceName(text);
      if (text.empty()) return Error(pattern.at, absl::StrCat("expected a device or *, got ", Here()));
      if (!name.ok()) return Error(pattern.at, absl::StrCat("expected a device or *: ", name.status().message()));
      pattern.name = *std::move(name);
    }
    term.devices.push_back(std::move(pattern));
    return absl::OkStatus();
  }

  absl::Status ReadOperator(Term& term) {
    constexpr std::array<std::pair<const char*, Operator>, 6> kOperators = {
        std::pair{"==", Operator::kEqual},     std::pair{"!=", Operator::kNotEqual},
        std::pair{"<=", Operator::kLessEqual}, std::pair{">=", Operator::kGreaterEqual},
        std::pair{"<", Operator::kLess},       std::pair{">", Operator::kGreater}};
    Peek();
    for (const auto& [text, op] : kOperators) {
      absl::string_view rest = text_.substr(at_);
      if (!absl::ConsumePrefix(&rest, text)) continue;
      at_ = text_.size() - rest.size();
      term.op = op;
      return absl::OkStatus();
    }
    return Error(at_, absl::StrCat("expected ==, !=, <, <=, > or >=, got ", Here()));
  }

  absl::Status ReadNumber(Term& term) {
    Peek();
    const size_t at = at_;
    const absl::string_view digits = Run([](char c) { return absl::ascii_isdigit(c) || c == '.'; });
    if (digits.empty() || !absl::SimpleAtod(digits, &term.number)) {
      return Error(at, absl::StrCat("expected a number, got ", digits.empty() ? Here() : Quoted(digits)));
    }
    const size_t after = at_;
    Peek();
    const size_t unit_at = at_;
    term.unit = std::string(Run([](char c) { return absl::ascii_isalpha(c); }));
    if (term.unit.empty()) at_ = after;
    const bool is_time = term.quantity == Quantity::kTime;
    if (term.quantity == Quantity::kNodes || term.quantity == Quantity::kTransfers) {
      if (term.unit.empty()) return absl::OkStatus();
      return Error(unit_at, absl::StrCat("expected a number without unit, got ", Quoted(term.unit)));
    }
    if (term.unit.empty() && term.number == 0) return absl::OkStatus();
    const double size = is_time ? SizeOf(kTimeUnits, term.unit) : SizeOf(kByteUnits, term.unit);
    if (size == 0) {
      return Error(unit_at, absl::StrCat("expected a unit of ", is_time ? Names(kTimeUnits) : Names(kByteUnits),
                                         ", got ", term.unit.empty() ? Here() : Quoted(term.unit)));
    }
    term.number *= size;
    return absl::OkStatus();
  }

  template <typename Belongs>
  absl::string_view Run(Belongs belongs) {
    const size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // The next character that is no space; '\0' at the end.
  char Peek() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  absl::Status Expect(char c) {
    if (Take(c)) return absl::OkStatus();
    return Error(at_, absl::StrCat("expected \"", std::string(1, c), "\", got ", Here()));
  }
  std::string Here() const { return at_ < text_.size() ? Quoted(text_.substr(at_, 1)) : "nothing"; }
  absl::Status Error(size_t at, absl::string_view message) const { return ErrorAt(origin_, text_, at, message); }

  const absl::string_view text_, origin_;
  size_t at_ = 0;
  Assertion assertion_;
};

absl::StatusOr<Assertion> Assertion::Parse(absl::string_view text, absl::string_view origin) {
  return Reader(text, origin).Read();
}

absl::StatusOr<std::vector<bool>> Assertion::Matching(const Pattern& pattern, const Machine& machine) const {
  std::vector<bool> matching(machine.num_devices());
  const std::vector<DeviceId> devices = machine.Matching(pattern.name);
  for (const DeviceId d : devices) matching[d] = true;
  if (devices.empty() && pattern.name.id) {
    return ErrorAt(origin_, text_, pattern.at,
                   absl::StrCat("expected one of ", machine.DeviceList(), ", got '", pattern.name.ShortName(), "'"));
  }
  return matching;
}

double Assertion::Actual(const Term& term, const std::vector<std::vector<bool>>& matching,
                         const PlacementEstimate& estimate) {
  if (term.quantity == Quantity::kTime) return estimate.total_seconds;
  double sum = 0;
  if (term.quantity == Quantity::kTransfers || term.quantity == Quantity::kTransferBytes) {
    for (const PlacementEstimate::Link& link : estimate.links) {
      if (!matching[0][link.from] || !matching[1][link.to]) continue;
      sum += static_cast<double>(term.quantity == Quantity::kTransfers ? link.transfers : link.bytes);
    }
    return sum;
  }
  for (size_t d = 0; d < estimate.devices.size(); ++d) {
    if (!matching[0][d]) continue;
    const PlacementEstimate::Device& device = estimate.devices[d];
    sum += static_cast<double>(term.quantity == Quantity::kNodes   ? device.nodes
                               : term.quantity == Quantity::kBytes ? device.parameter_bytes()
                                                                   : device.peak_bytes);
  }
  return sum;
}

bool Assertion::Holds(Operator op, double actual, double number) {
  switch (op) {
    case Operator::kEqual:
      return actual == number;
    case Operator::kNotEqual:
      return actual != number;
    case Operator::kLess:
      return actual < number;
    case Operator::kLessEqual:
      return actual <= number;
    case Operator::kGreater:
      return actual > number;
    case Operator::kGreaterEqual:
      return actual >= number;
  }
  return false;
}

std::string Assertion::GotText(const Term& term, double actual) {
  if (term.quantity == Quantity::kTime) return SecondsText(actual);
  if (term.quantity == Quantity::kNodes || term.quantity == Quantity::kTransfers)
    return absl::StrFormat("%.0f", actual);
  const std::string& unit = term.unit.empty() ? "B" : term.unit;
  return BytesText(actual, unit, SizeOf(kByteUnits, unit));
}

absl::StatusOr<Assertion::Verdict> Assertion::Check(const Machine& machine, const PlacementEstimate& estimate) const {
  std::vector<Verdict> stack;
  for (const Term& term : terms_) {
    if (term.kind == Term::Kind::kComparison) {
      std::vector<std::vector<bool>> matching;
      for (const Pattern& pattern : term.devices) {
        BERTH_ASSIGN_OR_RETURN(std::vector<bool> devices, Matching(pattern, machine));
        matching.push_back(std::move(devices));
      }
      const double actual = Actual(term, matching, estimate);
      Verdict verdict{Holds(term.op, actual, term.number), {}};
      if (!verdict.holds) {
        verdict.failed.push_back({text_.substr(term.begin, term.end - term.begin), actual, GotText(term, actual)});
      }
      stack.push_back(std::move(verdict));
      continue;
    }
    Verdict right = std::move(stack.back());
    stack.pop_back();
    Verdict& left = stack.back();
    left.holds = term.kind == Term::Kind::kAnd ? left.holds && right.holds : left.holds || right.holds;
    if (left.holds) left.failed.clear();
    if (!left.holds) std::move(right.failed.begin(), right.failed.end(), std::back_inserter(left.failed));
  }
  return std::move(stack.back());
}

}  // namespace berth
