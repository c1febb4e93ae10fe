#include "placement/apply_rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "placement/compound_rule.h"
#include "placement/node_facts.h"

namespace berth {
namespace {

constexpr size_t kSearched = 16;

// Asks a node rule about every node, and remembers what it was answered.
class RulePass {
 public:
  RulePass(const Rule& rule, PlacementState& state)
      : rule_(rule),
        compound_(dynamic_cast<const CompoundRule*>(&rule)),
        state_(state),
        facts_(state.graph(), rule.needs()) {}

  void Run() {
    const Graph& graph = state_.graph();
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      if (!state_.Selected(n)) continue;
      if (rule_.only_where_open() && !state_.LeftOpen(state_.group(n))) continue;
      const NodeFacts& facts = facts_.Read(n);
      Opinion opinion = rule_.Decide(facts);
      if (opinion.verb == Opinion::Verb::kAbstain) continue;
      const Opinion::Verb verb = opinion.verb;
      const double weight = opinion.weight;
      const AskId ask = AskFor(std::move(opinion), facts);
      if (verb == Opinion::Verb::kRequire) {
        state_.Require(n, ask);
      } else if (verb == Opinion::Verb::kForbid) {
        state_.Forbid(n, ask);
      } else {
        state_.Prefer(n, ask, weight);
      }
    }
  }

 private:
  struct Answer {
    Opinion opinion;
    std::optional<int> tower;
    const Rule* speaker;
    AskId ask;
  };

  // Few different answers are searched one by one, many by text.
  AskId AskFor(Opinion opinion, const NodeFacts& facts) {
    const Rule* speaker = compound_ == nullptr ? &rule_ : compound_->SpeakerFor(facts);
    const auto same = [&](const Answer& answer) {
      return answer.tower == facts.tower && answer.speaker == speaker && answer.opinion.verb == opinion.verb &&
             answer.opinion.nth == opinion.nth && answer.opinion.device == opinion.device;
    };
    if (last_ < answers_.size() && same(answers_[last_])) return answers_[last_].ask;
    for (last_ = 0; last_ < std::min(answers_.size(), kSearched); ++last_) {
      if (same(answers_[last_])) return answers_[last_].ask;
    }
    const std::string key =
        absl::StrCat(static_cast<int>(opinion.verb), " ", opinion.device.ToString(), " ", opinion.nth.value_or(-1), " ",
                     facts.tower.value_or(-1), " ", NumberOf(speaker));
    const auto [it, is_new] = by_text_.emplace(key, answers_.size());
    last_ = it->second;
    if (is_new) {
      const bool forbids = opinion.verb == Opinion::Verb::kForbid;
      const AskId ask = state_.AddAsk(opinion.device, opinion.nth, rule_.Reason(facts), "", forbids);
      answers_.push_back({std::move(opinion), facts.tower, speaker, ask});
    }
    return answers_[last_].ask;
  }

  // Of a compound rule's speakers, which are few, in order of speaking.
  size_t NumberOf(const Rule* speaker) {
    const size_t number = std::find(speakers_.begin(), speakers_.end(), speaker) - speakers_.begin();
    if (number == speakers_.size()) speakers_.push_back(speaker);
    return number;
  }

  const Rule& rule_;
  const CompoundRule* const compound_;
  std::vector<const Rule*> speakers_;
  PlacementState& state_;
  NodeFactsReader facts_;
  std::vector<Answer> answers_;
  absl::flat_hash_map<std::string, size_t> by_text_;
  size_t last_ = 0;
};

}  // namespace

void ApplyRule(const Rule& rule, PlacementState& state) { RulePass(rule, state).Run(); }

}  // namespace berth
