// The words of policy text and what each makes: the one list that a new rule or solver is added to.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "placement/caret.h"
#include "placement/policy.h"
#include "placement/policy_text.h"
#include "placement/selector.h"

namespace berth {
namespace {

constexpr size_t kMany = 65536;

// A word without arguments.
template <Policy (*kMake)()>
absl::StatusOr<Policy> Plain(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, 0, ""));
  return kMake();
}

// A rule with one device.
template <Rules (*kMake)(absl::string_view)>
absl::StatusOr<Policy> OnDevice(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(1, 1, "a device"));
  BERTH_ASSIGN_OR_RETURN(const std::string device, part.Device(0));
  return Policy(kMake(device));
}

absl::StatusOr<std::vector<std::string>> Devices(const PartText& part) {
  std::vector<std::string> devices;
  for (size_t i = 0; i < part.arguments.size(); ++i) {
    BERTH_ASSIGN_OR_RETURN(std::string device, part.Device(i));
    devices.push_back(std::move(device));
  }
  return devices;
}

absl::StatusOr<Policy> MakeTowersOn(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(1, kMany, "devices"));
  BERTH_ASSIGN_OR_RETURN(std::vector<std::string> devices, Devices(part));
  return Policy(TowersOn(std::move(devices)));
}

absl::StatusOr<Policy> MakeFirstFit(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, kMany, "devices"));
  BERTH_ASSIGN_OR_RETURN(std::vector<std::string> devices, Devices(part));
  return FirstFit(std::move(devices));
}

absl::StatusOr<Policy> MakeMatch(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(3, 4, "\"SELECTOR\" on|prefer|forbid D"));
  const PolicyArgument& selector = part.arguments[0];
  if (!selector.quoted)
    return part.Error(selector.at, absl::StrCat("expected a selector in double quotes, got ", Quoted(selector.text)));
  if (const auto fault = Selector::FindFault(selector.text)) {
    return part.Error(selector.at + 1 + fault->at, fault->message);
  }
  BERTH_RETURN_IF_ERROR(part.CheckOneOf(1, {"on", "prefer", "forbid"}));
  BERTH_ASSIGN_OR_RETURN(const std::string device, part.Device(2));
  const std::string& verb = part.arguments[1].text;
  const Match match(selector.text);
  if (part.arguments.size() == 3) {
    return Policy(verb == "on" ? match.On(device) : verb == "prefer" ? match.Prefer(device) : match.Forbid(device));
  }
  double weight = 0;
  const PolicyArgument& last = part.arguments[3];
  if (verb != "prefer" || !absl::StartsWith(last.text, "weight=") ||
      !absl::SimpleAtod(absl::string_view(last.text).substr(7), &weight) || !(weight > -1e12 && weight < 1e12)) {
    return part.Error(last.at, absl::StrCat("expected ", verb == "prefer" ? "weight=NUMBER, " : "",
                                            "\"|\" or the end, got ", Quoted(last.text)));
  }
  return Policy(match.Prefer(device, weight));
}

absl::StatusOr<Policy> MakeRandom(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, 0, ""));
  uint64_t seed = 0;
  if (!absl::SimpleAtoi(part.colon.text, &seed)) {
    return part.Error(part.colon.at, absl::StrCat("expected a seed, a number from 0 to 18446744073709551615, got ",
                                                  Quoted(part.colon.text)));
  }
  return RandomPlacement(seed);
}

absl::StatusOr<Policy> MakeReplay(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, 0, ""));
  if (part.colon.text.empty()) return part.Error(part.colon.at, "expected a file, got none");
  return Replay(part.colon.text);
}

absl::StatusOr<Policy> MakeTensorFlow(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, 1, "order=name"));
  if (!part.arguments.empty()) BERTH_RETURN_IF_ERROR(part.CheckOneOf(0, {"order=name"}));
  return TensorFlowPlacer(!part.arguments.empty());
}

std::vector<PolicyWordEntry> MakeList() {
  return {
      {{"constants-with-consumer", "", "rule", "an open constant goes where the first node that reads it goes"},
       Plain<ConstantsWithConsumer>},
      {{"default", "", "policy", "pins | constants-with-consumer | shapes-with-input | greedy-locality"},
       Plain<DefaultPolicy>},
      {{"else", "D", "rule", "what is still open goes to D"}, OnDevice<Else>},
      {{"first-fit", "[D...]", "solver", "the first candidate: of the list, else in machine order"}, MakeFirstFit},
      {{"greedy-locality", "", "solver",
        "the candidate that holds most of the input bytes; gpu before cpu without inputs"},
       Plain<GreedyLocality>},
      {{"match", "\"SELECTOR\" on|prefer|forbid D [weight=W]", "rule",
        "nodes picked by name=GLOB, op=GLOB, dtype=T, tag=K:V, !, &, |, () must, should or must not go to D"},
       MakeMatch},
      {{"pins", "", "rule", "a node goes where it asks to: the only part through which requests act"}, Plain<Pins>},
      {{"random", ":SEED", "solver", "a candidate by chance, the same for the same seed and name"}, MakeRandom},
      {{"replay", ":FILE", "rule",
        "nodes of a dump (json, pbtxt, text, or lines of node and device, edited or some only) go where it says"},
       MakeReplay},
      {{"round-robin", "", "solver", "open groups take turns around the devices"}, Plain<RoundRobin>},
      {{"shapes-with-input", "", "rule", "an open Shape, ShapeN, Size or Rank goes where its input is"},
       Plain<ShapesWithInput>},
      {{"tensorflow", "[order=name]", "policy", "TensorFlow 2.21's own placer, or 1.15's order of devices"},
       MakeTensorFlow},
      {{"towers-on", "D...", "rule", "tower i goes to the i-th device that matches D, or to the i-th of a list"},
       MakeTowersOn},
      {{"variables-on", "D", "rule", "variables go to D"}, OnDevice<VariablesOn>},
  };
}

}  // namespace

Policy DefaultPolicy() { return Pins() | ConstantsWithConsumer() | ShapesWithInput() | GreedyLocality(); }

const std::vector<PolicyWordEntry>& PolicyWordList() {
  static const auto& list = *new std::vector<PolicyWordEntry>(MakeList());
  return list;
}

}  // namespace berth
