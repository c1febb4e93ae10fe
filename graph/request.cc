#include "graph/request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"

namespace berth {
namespace {

// One device that a layer, or a rule of it, asks for.
struct Voice {
  DeviceName device;
  const RequestLayer* layer;
  const Rule* rule;  // null: the layer's own device

  std::string origin() const {
    return rule == nullptr ? layer->origin : absl::StrCat("rule '", rule->text(), "' of ", layer->origin);
  }
};
using Voices = absl::InlinedVector<Voice, 4>;

// Rules see no machine: the nth of what matches is taken by its number.
DeviceName DeviceOf(const Opinion& opinion) {
  DeviceName device = opinion.device;
  if (opinion.nth && !device.id) device.id = opinion.nth;
  return device;
}

// Strongest first. Opinions that are no demands go to the note's wishes.
Voices Ask(const RequestLayer* nearest, const NodeFacts& facts, Request* request) {
  Voices voices;
  for (const RequestLayer* layer = nearest; layer != nullptr; layer = layer->outer.get()) {
    if (!layer->device.empty()) voices.push_back({layer->device, layer, nullptr});
    for (const std::shared_ptr<const Rule>& rule : layer->rules.list()) {
      if (rule->only_where_open() && !voices.empty()) continue;
      Opinion opinion = rule->Decide(facts);
      if (opinion.verb == Opinion::Verb::kAbstain) continue;
      if (opinion.verb != Opinion::Verb::kRequire) {
        request->note.wishes.push_back(std::move(opinion));
      } else if (opinion.nth == Opinion::kTooFew) {
        const Voice mute{{}, layer, rule.get()};
        if (request->too_few.empty()) request->too_few = mute.origin();
      } else {
        voices.push_back({DeviceOf(opinion), layer, rule.get()});
      }
    }
    if (layer->stops) break;
  }
  return voices;
}

// What the layers ask for, their rules aside.
DeviceName DevicesAlone(const RequestLayer* nearest) {
  absl::InlinedVector<const RequestLayer*, 8> layers;
  for (const RequestLayer* layer = nearest; layer != nullptr; layer = layer->outer.get()) {
    layers.push_back(layer);
    if (layer->stops) break;
  }
  DeviceName device;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) device = MergeScopes(device, (*layer)->device);
  return device;
}

constexpr int kFields = 5;
using Owners = std::array<const Voice*, kFields>;

// Calls fn(field number, field of a, field of b) for each field.
template <typename Fn>
void ForEachField(const DeviceName& a, const DeviceName& b, Fn fn) {
  fn(0, a.job, b.job);
  fn(1, a.replica, b.replica);
  fn(2, a.task, b.task);
  fn(3, a.type, b.type);
  fn(4, a.id, b.id);
}

// A rule that yields to an earlier one beside it is how a list of rules works, and no news.
bool IsNews(const Voice& loser, const Voice& winner) { return loser.layer != winner.layer || winner.rule == nullptr; }

std::string OverruledLine(const Voice& loser, const Voice& winner) {
  return absl::StrCat(loser.origin(), " asked for ", loser.device.ShortName(), ", overruled by ", winner.origin(), ": ",
                      winner.device.ShortName());
}

// Lays `voice` over what weaker ones asked for.
void Overrule(const Voice& voice, DeviceName* merged, Owners* owners, std::vector<std::string>* overruled) {
  const DeviceName before = *merged;
  *merged = MergeScopes(before, voice.device);
  absl::InlinedVector<const Voice*, kFields> losers;
  const auto visit = [&](int field, const auto& old_value, const auto& value) {
    const Voice*& owner = (*owners)[field];
    if (owner != nullptr && old_value != value && IsNews(*owner, voice) &&
        std::find(losers.begin(), losers.end(), owner) == losers.end()) {
      losers.push_back(owner);
    }
    if (old_value != value) owner = value ? &voice : nullptr;
  };
  ForEachField(before, *merged, visit);
  // Who repeats a farther wish owns it: the nearest is the one to change.
  ForEachField(voice.device, *merged, [&](int field, const auto& said, const auto&) {
    if (said) (*owners)[field] = &voice;
  });
  for (const Voice* loser : losers) overruled->push_back(OverruledLine(*loser, voice));
}

std::string OriginOf(const Owners& owners) {
  std::string origin;
  for (size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == nullptr) continue;
    if (std::find(owners.begin(), owners.begin() + i, owners[i]) != owners.begin() + i) continue;
    absl::StrAppend(&origin, origin.empty() ? "" : " and ", owners[i]->origin());
  }
  return origin;
}

}  // namespace

bool HasRules(const RequestLayer* nearest) {
  for (const RequestLayer* layer = nearest; layer != nullptr; layer = layer->outer.get()) {
    if (!layer->rules.list().empty()) return true;
    if (layer->stops) break;
  }
  return false;
}

unsigned NeedsOf(const RequestLayer* nearest) {
  unsigned needs = 0;
  for (const RequestLayer* layer = nearest; layer != nullptr; layer = layer->outer.get()) {
    for (const std::shared_ptr<const Rule>& rule : layer->rules.list()) needs |= rule->needs();
    if (layer->stops) break;
  }
  return needs;
}

Request MergeRequest(const RequestLayer* nearest, const NodeFacts& facts) {
  Request request;
  Voices voices;
  if ((NeedsOf(nearest) & Rule::kRequest) != 0) {
    const std::string devices = DevicesAlone(nearest).ToString();
    NodeFacts with_request = facts;
    with_request.request = devices;
    voices = Ask(nearest, with_request, &request);
  } else {
    voices = Ask(nearest, facts, &request);
  }
  Owners owners{};
  for (auto voice = voices.rbegin(); voice != voices.rend(); ++voice) {
    Overrule(*voice, &request.device, &owners, &request.note.overruled);
  }
  request.note.origin = OriginOf(owners);
  return request;
}

}  // namespace berth
