// The words of policy text and what each makes: the one list that a new rule or solver is added to.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/status_macros.h"
#include "placement/caret.h"
#include "placement/policy.h"
#include "placement/policy_text.h"

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
template <NodeRules (*kMake)(absl::string_view)>
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

struct SpreadText {
  std::vector<std::string> devices;
  SpreadOptions options;
};

// D... [by=...] [order=...], from argument `first` on.
absl::StatusOr<SpreadText> ReadSpread(const PartText& part, size_t first) {
  SpreadText text;
  for (size_t i = first; i < part.arguments.size(); ++i) {
    const std::string& argument = part.arguments[i].text;
    if (!absl::StrContains(argument, '=')) {
      BERTH_ASSIGN_OR_RETURN(std::string device, part.Device(i));
      text.devices.push_back(std::move(device));
      continue;
    }
    BERTH_RETURN_IF_ERROR(part.CheckOneOf(i, {"by=bytes", "by=count", "order=largest", "order=graph"}));
    if (argument == "by=bytes") text.options.by = SpreadOptions::By::kBytes;
    if (argument == "by=count") text.options.by = SpreadOptions::By::kCount;
    if (argument == "order=largest") text.options.order = SpreadOptions::Order::kLargestFirst;
    if (argument == "order=graph") text.options.order = SpreadOptions::Order::kGraph;
  }
  if (text.devices.empty()) return part.Error(part.end, "expected devices to spread over, got none");
  return text;
}

absl::StatusOr<Policy> MakeStateBalanced(const PartText& part) {
  BERTH_ASSIGN_OR_RETURN(SpreadText text, ReadSpread(part, 0));
  return StateBalanced(std::move(text.devices), text.options);
}

// [weight=W] as argument i, the last.
absl::StatusOr<double> ReadWeight(const PartText& part, size_t i) {
  double weight = 1;
  if (part.arguments.size() <= i) return weight;
  const PolicyArgument& last = part.arguments[i];
  if (!absl::StartsWith(last.text, "weight=") || !absl::SimpleAtod(absl::string_view(last.text).substr(7), &weight) ||
      !(weight > -1e12 && weight < 1e12)) {
    return part.Error(last.at, absl::StrCat("expected weight=NUMBER, \"|\" or the end, got ", Quoted(last.text)));
  }
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, i + 1, ""));
  return weight;
}

// together, or together-with X, from argument i on; the first argument after it is number *next.
absl::StatusOr<Match::Companion> ReadCompanion(const PartText& part, size_t i, size_t* next) {
  Match::Companion with;
  *next = i + 1;
  if (part.arguments[i].text == "together") return with;
  if (part.arguments.size() <= *next)
    return part.Error(part.end, "expected a node's name or a selector in quotes after 'together-with', got none");
  const PolicyArgument& argument = part.arguments[(*next)++];
  if (argument.quoted) {
    BERTH_RETURN_IF_ERROR(part.CheckSelector(argument));
    with.selector = argument.text;
  } else {
    with.node = argument.text;
  }
  return with;
}

bool IsTogether(const PolicyArgument& argument) {
  return argument.text == "together" || argument.text == "together-with";
}

absl::StatusOr<Policy> MakeMatch(const PartText& part) {
  constexpr absl::string_view kActions =
      "\"SELECTOR\" and on D, prefer D, forbid D, together, together-with X, prefer together or spread D...";
  BERTH_RETURN_IF_ERROR(part.CheckCount(2, kMany, kActions));
  BERTH_RETURN_IF_ERROR(part.CheckSelector(part.arguments[0]));
  BERTH_RETURN_IF_ERROR(part.CheckOneOf(1, {"on", "prefer", "forbid", "together", "together-with", "spread"}));
  const Match match(part.arguments[0].text);
  const std::string& verb = part.arguments[1].text;
  if (verb == "spread") {
    BERTH_ASSIGN_OR_RETURN(SpreadText text, ReadSpread(part, 2));
    return match.Spread(std::move(text.devices), text.options);
  }
  size_t next = 0;
  if (IsTogether(part.arguments[1])) {
    BERTH_ASSIGN_OR_RETURN(const Match::Companion with, ReadCompanion(part, 1, &next));
    BERTH_RETURN_IF_ERROR(part.CheckCount(0, next, ""));
    return match.TogetherWith(with);
  }
  BERTH_RETURN_IF_ERROR(part.CheckCount(3, kMany, kActions));
  if (verb == "prefer" && IsTogether(part.arguments[2])) {
    BERTH_ASSIGN_OR_RETURN(const Match::Companion with, ReadCompanion(part, 2, &next));
    BERTH_ASSIGN_OR_RETURN(const double weight, ReadWeight(part, next));
    return match.PreferTogetherWith(with, weight);
  }
  BERTH_ASSIGN_OR_RETURN(const std::string device, part.Device(2));
  if (verb == "prefer") {
    BERTH_ASSIGN_OR_RETURN(const double weight, ReadWeight(part, 3));
    return Policy(match.Prefer(device, weight));
  }
  BERTH_RETURN_IF_ERROR(part.CheckCount(3, 3, ""));
  return Policy(verb == "on" ? match.On(device) : match.Forbid(device));
}

// A number that seeds chance, at byte `at`.
absl::StatusOr<uint64_t> ReadSeed(const PartText& part, absl::string_view text, size_t at) {
  uint64_t seed = 0;
  if (absl::SimpleAtoi(text, &seed)) return seed;
  return part.Error(at, absl::StrCat("expected a seed, a number from 0 to 18446744073709551615, got ", Quoted(text)));
}

absl::StatusOr<Policy> MakeRandom(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, 0, ""));
  BERTH_ASSIGN_OR_RETURN(const uint64_t seed, ReadSeed(part, part.colon.text, part.colon.at));
  return RandomPlacement(seed);
}

absl::StatusOr<Policy> MakeReplicaSetter(const PartText& part) {
  ReplicaSetterOptions options;
  for (size_t i = 0; i < part.arguments.size(); ++i) {
    const PolicyArgument& argument = part.arguments[i];
    absl::string_view text = argument.text;
    const size_t value_at = argument.at + text.find('=') + 1;
    if (absl::ConsumePrefix(&text, "ps=")) {
      BERTH_ASSIGN_OR_RETURN(options.ps, part.DeviceAt(text, value_at));
    } else if (absl::ConsumePrefix(&text, "worker=")) {
      BERTH_ASSIGN_OR_RETURN(options.worker, part.DeviceAt(text, value_at));
    } else if (absl::ConsumePrefix(&text, "by=random:")) {
      options.by = ReplicaSetterOptions::By::kRandom;
      BERTH_ASSIGN_OR_RETURN(options.seed, ReadSeed(part, text, value_at + 7));
    } else {
      BERTH_RETURN_IF_ERROR(part.CheckOneOf(
          i, {"ps=D", "worker=D", "by=round-robin", "by=bytes", "by=random:SEED", "merge=on", "merge=off"}));
      if (text == "by=bytes") options.by = ReplicaSetterOptions::By::kBytes;
      if (text == "by=round-robin") options.by = ReplicaSetterOptions::By::kRoundRobin;
      if (absl::StartsWith(text, "merge=")) options.merge = text == "merge=on";
    }
  }
  return ReplicaSetter(std::move(options));
}

absl::StatusOr<Policy> MakePlugin(const PartText& part) {
  if (part.colon.text.empty()) return part.Error(part.colon.at, "expected a file, got none");
  std::vector<std::string> arguments;
  for (const PolicyArgument& argument : part.arguments) arguments.push_back(argument.text);
  absl::StatusOr<Policy> policy = LoadPlugin(part.FileNamed(part.colon.text), std::move(arguments));
  return policy.ok() ? policy : part.Error(part.colon.at, policy.status().message());
}

absl::StatusOr<Policy> MakeReplay(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, 0, ""));
  if (part.colon.text.empty()) return part.Error(part.colon.at, "expected a file, got none");
  return Replay(part.FileNamed(part.colon.text));
}

absl::StatusOr<Policy> MakeTensorFlow(const PartText& part) {
  BERTH_RETURN_IF_ERROR(part.CheckCount(0, 1, "order=name"));
  if (!part.arguments.empty()) BERTH_RETURN_IF_ERROR(part.CheckOneOf(0, {"order=name"}));
  return TensorFlowPlacer(!part.arguments.empty());
}

std::vector<PolicyWordEntry> MakeList() {
  return {
      {{"constants-with-consumer",
        "",
        "rule",
        "an open constant goes where the first node that reads it goes",
        "",
        "O(nodes + edges of constants)",
        "a large constant whose first reader sits on a small device",
        {"pins | constants-with-consumer | greedy-locality"}},
       Plain<ConstantsWithConsumer>},
      {{"default",
        "",
        "policy",
        "pins | constants-with-consumer | shapes-with-input | greedy-locality",
        "",
        "O(nodes log nodes + edges)",
        "wide graphs without pins: see greedy-locality",
        {"default"}},
       Plain<DefaultPolicy>},
      {{"else",
        "D",
        "rule",
        "what is still open goes to D",
        "D: a device or a pattern, such as cpu:0, gpu:* or /job:worker/task:1/gpu:0. Inside a part, `A else B` asks "
        "rule B about what rule A says nothing of.",
        "O(1) a node",
        "the only rule on a machine of several devices: all of it lands on one",
        {"variables-on cpu:0 | else gpu:0", "towers-on gpu:* else match \"op=Const\" on cpu:0"}},
       OnDevice<Else>},
      {{"first-fit",
        "[D...]",
        "solver",
        "the first candidate: of the list, else in machine order",
        "D...: devices or patterns, the most wanted first.",
        "O(groups x list)",
        "load: everything piles up on the first device",
        {"pins | first-fit gpu:1 gpu:0", "first-fit"}},
       MakeFirstFit},
      {{"gradients-with-forward",
        "",
        "rule",
        "an open gradient goes where the node it is the gradient of goes",
        "A gradient is known by the label gradient-of=NAME, else by TensorFlow's names gradients/NAME_grad/...",
        "O(nodes x name)",
        "a forward part bound by memory: its activations stay",
        {"towers-on gpu:* | gradients-with-forward | else cpu:0"}},
       Plain<GradientsWithForward>},
      {{"greedy-locality",
        "",
        "solver",
        "the candidate that holds most of the input bytes; gpu before cpu without inputs",
        "",
        "O(nodes log nodes + edges)",
        "wide graphs without pins: all of it follows the first node, whatever the load",
        {"pins | greedy-locality"}},
       Plain<GreedyLocality>},
      {{"include",
        "FILE",
        "policy",
        "the parts of another file stand here",
        "FILE: relative to the file that includes it, else to the working directory. A file that includes itself, "
        "however far round, is an error, and so are more than 16 files inside each other.",
        "that of its parts",
        "a policy that is sent to others: they need the file as well",
        {"include FILE | else cpu:0"}},
       nullptr},
      {{"match",
        "\"SELECTOR\" ACTION",
        "rule",
        "nodes that the selector picks must, should or must not go somewhere",
        "SELECTOR: name=GLOB, op=GLOB, dtype=T, tag=K[:GLOB], scope=GLOB, device=GLOB (the request), bytes>SIZE, "
        "in-degree=N, joined by !, &, |, ().\n"
        "on D: must go to D. prefer D [weight=W]: should; weights add up. forbid D: must not.\n"
        "together: one device for all. together-with X: the device of X, a node's name, or in quotes a selector, whose "
        "first node is meant.\n"
        "prefer together[-with X] [weight=W]: the same where they can; a tie that cannot be is noted.\n"
        "spread D... [by=bytes|count] [order=largest|graph]: dealt over the devices, as by state-balanced.",
        "O(selector x name) a node",
        "names that change: a glob that matches nothing is only seen in the report",
        {"match \"name=encoder/* & bytes>1MiB\" on gpu:0 | else cpu:0", "match \"op=Conv2D\" prefer gpu:1 weight=2",
         "match \"name=*1* | op=Const\" forbid gpu:0", "match \"scope=head\" together",
         "match \"op=Assign* & in-degree=2\" together-with \"op=Variable*\"", "match \"tag=part:head\" prefer together",
         "match \"op=Const | op=Identity\" spread gpu:0 gpu:1 cpu:0 by=count"}},
       MakeMatch},
      {{"pins",
        "",
        "rule",
        "a node goes where it asks to: the only part through which requests act",
        "",
        "O(1) a node",
        "graphs written for another machine: their device ids mean nothing here",
        {"pins | greedy-locality", "pins where \"!scope=decoder\" | else cpu:0"}},
       Plain<Pins>},
      {{"plugin",
        ":FILE.so [ARGUMENT...]",
        "rule",
        "a policy of one's own from a shared object",
        "FILE.so exports berth_policy_plugin, as placement/policy_plugin.h says; in a policy file it is found beside "
        "that "
        "file. The words after it are its own.",
        "the plug-in's",
        "a report that others shall repeat: they need the same file",
        {"plugin:FILE.so GPU | else cpu:0"}},
       MakePlugin},
      {{"random",
        ":SEED",
        "solver",
        "a candidate by chance, the same for the same seed and name",
        "",
        "O(groups)",
        "anything but tests and baselines",
        {"pins | random:7"}},
       MakeRandom},
      {{"replay",
        ":FILE",
        "rule",
        "nodes of a dump (json, pbtxt, text, or lines of node and device, edited or some only) go where it says",
        "In a policy file FILE is found beside that file. What the dump lacks stays open for later parts; nodes that "
        "it "
        "has more than the graph are noted.",
        "O(nodes + dump)",
        "a graph that has changed much since: most of it is then open",
        {"replay:FILE | greedy-locality", "replay:FILE where \"!op=Const\" | else cpu:0"}},
       MakeReplay},
      {{"replica-setter",
        "[ps=D] [worker=D] [by=round-robin|bytes|random:SEED] [merge=off]",
        "rule",
        "parameter-server style: state is dealt over the tasks of ps, the rest goes to worker",
        "ps: /job:ps unless given; worker: /job:worker. by: whose turn it is, who has fewest bytes, or by chance. Put "
        "`pins` before it to let requests act; merge=off leaves nodes that have one alone.",
        "O(nodes + variables x tasks)",
        "few large variables in turns: use by=bytes or state-balanced",
        {"pins | replica-setter ps=/job:ps/cpu:0 worker=/job:worker/task:0 by=bytes | first-fit", "replica-setter"}},
       MakeReplicaSetter},
      {{"round-robin",
        "",
        "solver",
        "open groups take turns around the devices",
        "",
        "O(groups x devices) at worst",
        "chains, which cross a link at every step",
        {"pins | round-robin"}},
       Plain<RoundRobin>},
      {{"shapes-with-input",
        "",
        "rule",
        "an open Shape, ShapeN, Size or Rank goes where its input is",
        "",
        "O(nodes)",
        "a shape that feeds work on another device: the result, some bytes, is then sent",
        {"pins | shapes-with-input | greedy-locality"}},
       Plain<ShapesWithInput>},
      {{"state-balanced",
        "D... [by=bytes|count] [order=largest|graph]",
        "rule",
        "variables are dealt over the devices, each to the one with least so far",
        "D...: devices or patterns. by: bytes unless given; an unknown size counts as none. order: the largest first, "
        "or as "
        "the graph lists them. No device gets more than the mean and one variable.",
        "O(nodes + variables x devices)",
        "variables that are read together: reads then come from many devices",
        {"state-balanced /job:ps/cpu:* by=bytes | first-fit", "state-balanced gpu:0 gpu:1 by=count order=graph"}},
       MakeStateBalanced},
      {{"tensorflow",
        "[order=name]",
        "policy",
        "TensorFlow 2.21's own placer, or 1.15's order of devices",
        "order=name: devices in the order of their names as text, and no preference for the session's task.",
        "O(nodes + edges)",
        "anything but comparing: it knows no costs",
        {"tensorflow", "tensorflow order=name"}},
       MakeTensorFlow},
      {{"towers-on",
        "D...",
        "rule",
        "tower i goes to the i-th device that matches D, or to the i-th of a list",
        "A tower is the label that Scope::Tower(i) gives. More towers than devices are never folded: strict mode "
        "refuses, "
        "soft mode abstains for those without.",
        "O(1) a node",
        "towers of unequal size",
        {"variables-on cpu:0 | towers-on gpu:* | else cpu:0", "towers-on gpu:1 gpu:0"}},
       MakeTowersOn},
      {{"variables-on",
        "D",
        "rule",
        "variables go to D",
        "D: a device or a pattern.",
        "O(1) a node",
        "a variable that one tower alone uses: it crosses a link in every step",
        {"variables-on cpu:0 | else gpu:0", "variables-on cpu:0 where \"name=enc/*\" | else gpu:0"}},
       OnDevice<VariablesOn>},
  };
}

}  // namespace

Policy DefaultPolicy() { return Pins() | ConstantsWithConsumer() | ShapesWithInput() | GreedyLocality(); }

const std::vector<PolicyWordEntry>& PolicyWordList() {
  static const auto& list = *new std::vector<PolicyWordEntry>(MakeList());
  return list;
}

}  // namespace berth
