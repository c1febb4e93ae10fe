#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/spelling.h"
#include "tools/check.h"
#include "tools/devices.h"
#include "tools/diff.h"
#include "tools/explain.h"
#include "tools/ops.h"
#include "tools/partition.h"
#include "tools/place.h"
#include "tools/policies.h"
#include "tools/rules.h"
#include "tools/run.h"
#include "tools/show.h"
#include "tools/sweep.h"

namespace berth {
namespace {

constexpr char kVersion[] = "berth 0.1.0";
constexpr int kMaxRepeat = 10'000'000;  // whose times are kept

// One verb: its parser, and what to call when it was chosen.
struct Verb {
  CLI::App* app;
  std::function<absl::Status(Io&)> run;
};

using Formats = std::vector<std::string>;

// Like CLI::IsMember and CLI::Range, with messages in the words of all others.
CLI::Validator OneOf(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    return absl::StrCat("expected one of ", absl::StrJoin(words, ", "), ", got '", text, "'");
  };
  return CLI::Validator(check, absl::StrCat("{", absl::StrJoin(words, ","), "}"));
}

CLI::Validator Between(int least, int most) {
  const auto check = [least, most](const std::string& text) {
    int number = 0;
    if (absl::SimpleAtoi(text, &number) && least <= number && number <= most) return std::string();
    return absl::StrCat("expected a number from ", least, " to ", most, ", got '", text, "'");
  };
  return CLI::Validator(check, absl::StrCat(least, " to ", most));
}

// Refuses '', where an empty value would be the same as none.
CLI::Validator NotEmpty() {
  const auto check = [](const std::string& text) {
    return text.empty() ? std::string("expected a value, got ''") : std::string();
  };
  return CLI::Validator(check, "");
}

// Returns --format; --json beside another one is refused, as it could only win in silence.
CLI::Option* AddFormat(CLI::App* app, std::string& format, const Formats& formats) {
  CLI::Option* option = app->add_option("--format", format, absl::StrCat("one of ", absl::StrJoin(formats, ", ")))
                            ->check(OneOf(formats))
                            ->capture_default_str();
  const auto set_json = [option, &format] {
    if (option->count() > 0 && format != "json") {
      throw CLI::ValidationError(
          "--json", absl::StrCat("expected no other --format beside it, got '", format, "'; leave one of them out"));
    }
    format = "json";
  };
  app->add_flag_callback("--json", set_json, "the same as --format json");
  return option;
}

absl::Status Refusal(absl::string_view message) { return WithExit(absl::InvalidArgumentError(message), kExitUsage); }

void AddSource(CLI::App* app, GraphSource& source) {
  app->add_option("FILE", source.file, "a GraphDef (binary or text) or Berth's text form; - reads standard input")
      ->required();
  app->add_option("--import", source.import, "devices found in the file: keep, hint, clear, or map=FILE")
      ->capture_default_str();
  app->add_option("--ties", source.ties,
                  "_class attributes that name nodes the file does not have: strict refuses, drop does without")
      ->check(OneOf({"strict", "drop"}))
      ->capture_default_str();
}

void AddPlace(CLI::App* app, PlaceFlags& flags) {
  AddSource(app, flags.source);
  app->add_option("--machine", flags.machine, "cpu:1,gpu:2 or ps*2(cpu:1),worker*2(cpu:1,gpu:2) or a MachineDef file")
      ->capture_default_str();
  app->add_option("--policy", flags.policy, "policy text, a file, or a name; see berth policies")
      ->capture_default_str();
  app->add_flag("--soft", flags.soft, "relax demands that cannot be met, and say which");
  app->add_flag("--forbid-fallback", flags.forbid_fallback,
                "exit 1 and list them where a demand was relaxed or a rule had no device");
  app->add_option("--session", flags.session, "the task that feeds and fetches, /job:worker/task:0")->check(NotEmpty());
  const auto add_list = [app](const char* name, std::vector<std::string>& list, const char* help) {
    app->add_option(name, list, help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add_list("--feed", flags.feeds,
           "NAME, NAME=VALUE or NAME=@FILE.npy: a tensor given from outside; repeat it for more");
  add_list("--fetch", flags.fetches, "a tensor wanted, or an op to run; repeat it for more");
  add_list("--target", flags.targets, "an op run for its effect, such as an initialiser; repeat it for more");
}

std::string Examples(const std::vector<std::string>& lines) {
  return absl::StrCat("Examples:\n  ", absl::StrJoin(lines, "\n  "));
}

Verb AddCheck(CLI::App& top) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* app = top.add_subcommand("check", "Verify a graph, its shapes, and what its placement costs");
  AddPlace(app, flags->place);
  app->add_flag("--shapes", flags->shapes, "print tensor, dtype and shape of every output");
  AddFormat(app, flags->format, {"text", "tsv", "json"});
  CLI::Option* assertion =
      app->add_option(
             "--assert", flags->asserts,
             "place, and check nodes(D) bytes(D) peak(D) transfers(A,B) transfer-bytes(A,B) time() against numbers; "
             "repeat it for more")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->allow_extra_args(false);
  // Nothing is placed without assertions, and so these would not even be read.
  for (const char* of_placing :
       {"--machine", "--policy", "--soft", "--forbid-fallback", "--session", "--feed", "--fetch", "--target"}) {
    app->get_option(of_placing)->needs(assertion);
  }
  app->footer(
      "transfers(A,B) and transfer-bytes(A,B) count values, not control edges, before constants are replicated; "
      "partition --transfers lists what is sent.\n\n" +
      Examples({"berth check model.pb", "berth place model.pb --format pbtxt | berth check - --shapes --format tsv",
                "berth check model.pb --machine cpu:1,gpu:2 --assert 'peak(gpu:0) < 16 GiB & transfers(*,*) <= 4'"}));
  return {app, [flags](Io& io) { return Check(*flags, io); }};
}

Verb AddPlaceVerb(CLI::App& top) {
  auto flags = std::make_shared<PlaceVerbFlags>();
  CLI::App* app = top.add_subcommand("place", "Decide where every node runs, and say why");
  AddPlace(app, flags->place);
  AddFormat(app, flags->format, {"text", "tsv", "json", "pbtxt", "pb"});
  app->add_flag("--reasons", flags->reasons,
                "pbtxt and pb: add author, reason, request and source as _berth_* attributes; tsv: name, op, "
                "requested, assigned, rule, reason, origin, bytes_out");
  app->add_flag("--explain", flags->explain, "text and json: candidates, vetoes, scores, winner and runner-up");
  app->add_flag("--values", flags->values, "text: print constants over 1 KB in full");
  app->add_option("--out", flags->out, "write to this file")->check(NotEmpty());
  app->footer(
      "json is a PlacementDef (proto/placement.proto), or, where the graph cannot be placed, a RefusalDef: the "
      "conflicts,\n"
      "each the fewest parties that contradict, and fixes; the message goes to standard error as always, exit code "
      "4.\n\n" +
      Examples({"berth place model.pb --machine cpu:1,gpu:2",
                "berth place model.pb --machine cpu:1,gpu:2 --policy 'variables-on cpu:0 | else gpu:0' --format tsv",
                "berth place model.pb --policy tensorflow --soft --format pbtxt --reasons --out placed.pbtxt"}));
  return {app, [flags](Io& io) { return Place(*flags, io); }};
}

Verb AddPartition(CLI::App& top) {
  auto flags = std::make_shared<PartitionFlags>();
  CLI::App* app = top.add_subcommand("partition", "Cut the placed graph into one graph a device");
  AddPlace(app, flags->place);
  const CLI::Option* format = AddFormat(app, flags->format, {"text", "tsv", "pbtxt", "json"});
  app->add_flag("--transfers", flags->transfers, "print the table of transfers in place of the graphs");
  app->add_option("--replicate-constants", flags->replicate_constants,
                  "copy constants to their consumers' devices: on, off")
      ->check(OneOf({"on", "off"}))
      ->capture_default_str();
  app->add_option("--out", flags->out, "write one DEVICE.pbtxt a device into this folder")->check(NotEmpty());
  app->footer(
      "--transfers lists what is sent: control edges too, constants replicated unless that is off; transfers(A,B) of "
      "check counts otherwise.\n\n" +
      Examples({"berth partition model.pb --machine cpu:1,gpu:2 --fetch y:0",
                "berth partition model.pb --machine cpu:1,gpu:2 --fetch y:0 --transfers --format tsv",
                "berth partition model.pb --policy 'random:7' --machine cpu:1,gpu:2 --fetch y:0 --out parts"}));
  return {app, [flags, format](Io& io) {
            if (!flags->out.empty() && format->count() > 0 && flags->format == "text") {
              return Refusal("flag --out: expected --format pbtxt, which it writes, got 'text'");
            }
            return PartitionVerb(*flags, io);
          }};
}

Verb AddExplain(CLI::App& top) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* app = top.add_subcommand("explain", "Say why a node is where it is, and why not elsewhere");
  AddPlace(app, flags->place);
  app->add_option("NODE", flags->node, "the node's name; FUNCTION/NODE of one in a function's body")->required();
  app->add_option("--device", flags->device, "why not there: who excluded it, or what it would cost")
      ->check(NotEmpty());
  AddFormat(app, flags->format, {"text", "json"});
  app->footer(Examples({"berth explain model.pb conv1/Conv2D --machine cpu:1,gpu:2",
                        "berth explain model.pb conv1/Conv2D --machine cpu:1,gpu:2 --device gpu:1",
                        "berth explain model.pb conv1/w --policy 'variables-on cpu:0 | else gpu:0' "
                        "--machine cpu:1,gpu:1 --device gpu:0 --json"}));
  return {app, [flags](Io& io) { return Explain(*flags, io); }};
}

Verb AddShow(CLI::App& top) {
  auto flags = std::make_shared<ShowFlags>();
  CLI::App* app = top.add_subcommand("show", "Write a graph in another form");
  AddSource(app, flags->source);
  app->add_option("--format", flags->format, "one of text, pbtxt, pb, dot, events (TensorBoard)")
      ->check(OneOf({"text", "pbtxt", "pb", "dot", "events"}))
      ->capture_default_str();
  app->add_flag("--values", flags->values, "text and --per-scope: print constants over 1 KB in full");
  app->add_option("--collapse", flags->collapse, "fold to name scopes, this many names deep: a table of nodes a device")
      ->check(Between(1, 1 << 30));
  app->add_flag("--json", flags->json, "the table of --collapse as JSON");
  app->add_flag("--per-scope", flags->per_scope, "with --collapse: the nodes as text, one file a scope");
  app->add_option("--out", flags->out, "write to this file; events and --per-scope: into this folder")
      ->check(NotEmpty());
  app->footer(Examples({"berth show model.pb --format dot | dot -Tsvg > model.svg",
                        "berth place model.pb --format pbtxt | berth show - --collapse 2",
                        "berth place model.pb --format pbtxt | berth show - --format events --out logs"}));
  return {app, [flags](Io& io) { return Show(*flags, io); }};
}

Verb AddRun(CLI::App& top) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* app = top.add_subcommand("run", "Place a graph and run it");
  AddPlace(app, flags->place);
  app->add_option("--set", flags->sets,
                  "VAR=VALUE or VAR=@FILE.npy: a variable's value, after the targets; repeat it for more")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app->add_option("--steps", flags->steps, "how often to run the fetches")
      ->check(Between(1, 1 << 30))
      ->capture_default_str();
  app->add_option("--repeat", flags->repeat, "time this many further runs: minimum and median")
      ->check(Between(0, kMaxRepeat));
  app->add_option("--threads", flags->threads, "threads that share one cpu kernel's work; results stay the same")
      ->check(Between(1, 1024))
      ->capture_default_str();
  app->add_option("--deadline", flags->deadline_ms, "milliseconds a run may take")->check(Between(1, 1 << 30));
  app->add_option("--replicate-constants", flags->replicate_constants,
                  "copy constants to their consumers' devices: on, off")
      ->check(OneOf({"on", "off"}))
      ->capture_default_str();
  app->add_option("--report", flags->report,
                  "write the placement, reasons and costs as JSON to this file, and the plan's hash to standard error")
      ->check(NotEmpty());
  app->add_flag("--placement", flags->placement, "print where every node went, and why");
  app->add_option("--trace", flags->trace, "write a Chrome trace of the steps to this file")->check(NotEmpty());
  app->add_option("--out", flags->out, "write values as .npy into this folder")->check(NotEmpty());
  app->add_option("--golden", flags->golden, "feed and compare as this folder's golden.tsv says")->check(NotEmpty());
  app->add_flag("--json", flags->json, "results as JSON");
  app->footer(Examples({"berth run model.pb --feed x=@x.npy --fetch y:0 --out results",
                        "berth run train.pbtxt --target init --fetch loss:0 --steps 5 --machine cpu:1,gpu:2 --soft",
                        "berth run model.pb --golden golden/image --repeat 20 --trace trace.json"}));
  return {app, [flags](Io& io) { return Run(*flags, io); }};
}

Verb AddDevices(CLI::App& top) {
  auto flags = std::make_shared<DevicesFlags>();
  CLI::App* app = top.add_subcommand("devices", "List the devices of a machine, or of this computer");
  app->add_option("--machine", flags->machine, "as for place; default: what was found here")->check(NotEmpty());
  app->add_flag("--json", flags->json, "as JSON");
  app->footer(Examples({"berth devices", "berth devices --machine cpu:1,gpu:2",
                        "berth devices --machine 'ps*2(cpu:1),worker*2(cpu:1,gpu:2)' --json"}));
  return {app, [flags](Io& io) { return Devices(*flags, io); }};
}

Verb AddDiff(CLI::App& top) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App* app = top.add_subcommand("diff", "Compare two placements: what moved, what crosses, what it costs");
  app->add_option("A", flags->a, "a placement: json, text, pbtxt, pb or tsv of berth place; - reads standard input")
      ->required();
  app->add_option("B", flags->b, "another")->required();
  app->add_option("--graph", flags->graph, "the graph, for bytes that cross, where neither dump holds it")
      ->check(NotEmpty());
  const CLI::Option* names =
      app->add_option("--names", flags->names, "text: how many nodes to name of each group; 0: all")
          ->check(Between(0, 1 << 30))
          ->capture_default_str();
  AddFormat(app, flags->format, {"text", "json"});
  app->footer(Examples({"berth diff before.json after.json --graph model.pb",
                        "berth place model.pb --policy round-robin --machine cpu:1,gpu:2 | berth diff before.txt -",
                        "berth diff before.pbtxt after.pbtxt --json"}));
  return {app, [flags, names](Io& io) {
            if (names->count() > 0 && flags->format != "text") {
              return Refusal("flag --names: expected --format text, got 'json', which names all");
            }
            return Diff(*flags, io);
          }};
}

Verb AddOps(CLI::App& top) {
  auto flags = std::make_shared<OpsFlags>();
  CLI::App* app = top.add_subcommand("ops", "List the ops, their signatures and kernels");
  CLI::Option* name = app->add_option("NAME", flags->name, "one op")->check(NotEmpty());
  app->add_option("--missing", flags->missing, "a graph: list what it needs that cannot run")
      ->check(NotEmpty())
      ->excludes(name);
  app->add_flag("--json", flags->json, "as JSON");
  app->footer(Examples({"berth ops", "berth ops Conv2D", "berth ops --missing model.pb"}));
  return {app, [flags](Io& io) { return Ops(*flags, io); }};
}

Verb AddPolicies(CLI::App& top) {
  auto flags = std::make_shared<PoliciesFlags>();
  CLI::App* app = top.add_subcommand("policies", "List the words policies are made of");
  app->add_option("NAME", flags->name, "one word")->check(NotEmpty());
  app->add_flag("--json", flags->json, "as JSON");
  app->footer(Examples({"berth policies", "berth policies towers-on", "berth policies --json"}));
  return {app, [flags](Io& io) { return Policies(*flags, io); }};
}

Verb AddRules(CLI::App& top) {
  auto flags = std::make_shared<RulesFlags>();
  CLI::App* app = top.add_subcommand("rules", "Say what each part of a policy matches, shadows and misses");
  AddPlace(app, flags->place);
  AddFormat(app, flags->format, {"text", "json"});
  app->footer(
      Examples({"berth rules model.pb --policy model.policy --machine cpu:1,gpu:2",
                "berth rules model.pb --policy 'match \"op=Conv2D\" on gpu:0 | else cpu:0' --machine cpu:1,gpu:1",
                "berth rules model.pb --policy 'towers-on gpu:* | default' --json"}));
  return {app, [flags](Io& io) { return ShowRules(*flags, io); }};
}

Verb AddSweep(CLI::App& top) {
  auto flags = std::make_shared<SweepFlags>();
  CLI::App* app = top.add_subcommand("sweep", "Place a graph by several policies on several machines: one table");
  AddPlace(app, flags->place);
  app->add_option("--policies", flags->policies, "policies as for --policy, separated by ;")
      ->check(NotEmpty())
      ->excludes(app->get_option("--policy"));
  app->add_option("--machines", flags->machines, "machines as for --machine, separated by ;")
      ->check(NotEmpty())
      ->excludes(app->get_option("--machine"));
  app->add_flag("--links", flags->links, "the table of transfers and bytes between devices in place of the summary");
  AddFormat(app, flags->format, {"text", "csv", "json"});
  app->footer(
      Examples({"berth sweep model.pb --policies 'default;round-robin;else cpu:0' --machines 'cpu:1;cpu:1,gpu:2'",
                "berth sweep model.pb --policies 'variables-on cpu:0;variables-on gpu:0' --machine cpu:1,gpu:1 --links",
                "berth sweep model.pb --policies 'default;heft' --machine cpu:1,gpu:8 --soft --format csv"}));
  return {app, [flags](Io& io) { return Sweep(*flags, io); }};
}

std::vector<std::string> VerbNames(const CLI::App& top) {
  std::vector<std::string> names;
  for (const CLI::App* verb : top.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

// What is wrong with the first word that `app` did not understand; a flag goes before other words.
std::string UnknownWord(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  const auto is_flag = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto found = std::find_if(words.begin(), words.end(), is_flag);
  const std::vector<std::string> verbs = VerbNames(app);
  if (found == words.end() && verbs.empty()) {
    return absl::StrCat("argument '", words.empty() ? "" : words.front(), "': expected no more arguments, got one");
  }
  if (found == words.end()) {
    const std::string list = absl::StrJoin(verbs, ", ");
    if (words.empty()) return absl::StrCat("expected a verb, got nothing; the verbs are ", list);
    const std::string nearest = NearestWord(words.front(), verbs);
    return absl::StrCat("verb '", words.front(), "': expected one of ", list, ", got no match",
                        nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?"));
  }
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back(absl::StrCat("--", name));
  }
  const std::string word = found->substr(0, found->find('='));
  const std::string nearest = NearestWord(word, flags);
  return absl::StrCat("flag '", word, "': expected a known flag, got no match",
                      nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?"));
}

// Of two flags that need or exclude each other: "--machine requires --assert".
std::string UnfitPair(const std::string& text) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  const std::string& given = words.front();
  const std::string what = absl::StrCat(given[0] == '-' ? "flag " : "argument ", given, ": expected ");
  if (words.size() > 1 && words[1] == "requires") {
    return absl::StrCat(what, words.back(), " with it, got none; give one, or leave ", given, " out");
  }
  return absl::StrCat(what, "no ", words.back(), " beside it, got one; leave one of them out");
}

// CLI11's errors in the form of all others.
std::string UsageMessage(const CLI::App& app, const CLI::Error& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || !VerbNames(app).empty()) return UnknownWord(app);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return absl::StrCat("argument ", text.substr(0, text.find(' ')), ": expected a value, got none");
  }
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) return UnfitPair(text);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return UnfitPair(text);
  const std::string flag = absl::StrCat(text[0] == '-' ? "flag " : "", text.substr(0, text.find(':')));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool none = text.find("missing") != std::string::npos;
    return absl::StrCat(flag, ": expected one value, got ", none ? "none" : "several");
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {  // "Could not convert: shapes = maybe"
    const std::string given = text.substr(std::min(text.find(": ") + 2, text.size()));
    return absl::StrCat("flag ", given.substr(0, given.find(' ')), ": expected no value, got one");
  }
  return absl::StrCat(text[0] == '-' ? "flag " : "argument ", text);
}

int Usage(const CLI::App& app, const CLI::Error& error, Io& io) {
  const std::string verb = VerbNames(app).empty() ? absl::StrCat(" ", app.get_name()) : "";
  io.err << "berth" << verb << ": " << UsageMessage(app, error) << "\nberth" << verb
         << " --help lists flags and examples\n";
  return kExitUsage;
}

// Results first, then the error; a result that could not be written is an error too.
int Report(const std::string& verb, absl::Status status, Io& io) {
  const absl::Status flushed = FlushOutput(io);
  if (status.ok()) status = flushed;
  if (status.ok()) return kExitOk;
  io.err << "berth " << verb << ": " << std::string(status.message()) << "\n";
  return ExitOf(status);
}

}  // namespace

int RunCommandLine(const std::vector<std::string>& args, Io& io) {
  CLI::App top("Builds, places, partitions and runs dataflow graphs.", "berth");
  top.set_version_flag("--version", kVersion);
  top.require_subcommand(1);
  top.footer(
      Examples({"berth check model.pb", "berth place model.pb --machine cpu:1,gpu:2",
                "berth run model.pb --feed x=@x.npy --fetch y:0"}) +
      "\nSix questions:\n"
      "  where?          berth place model.pb --machine cpu:1,gpu:2\n"
      "  why?            berth explain model.pb NODE --machine cpu:1,gpu:2\n"
      "  why not there?  berth explain model.pb NODE --machine cpu:1,gpu:2 --device gpu:1\n"
      "  what if?        berth sweep model.pb --policies 'default;round-robin' --machines 'cpu:1;cpu:1,gpu:2'\n"
      "  what cost?      berth check model.pb --machine cpu:1,gpu:2 --assert 'time() < 2 ms & peak(gpu:*) < 1 GiB'\n"
      "  what changed?   berth diff a.pbtxt b.pbtxt\n"
      "Exit codes: 0 ok, 1 negative answer, 2 usage, 3 unreadable input, 4 unplaceable, 5 run failed.");
  std::vector<Verb> verbs;
  for (const auto add : {AddCheck, AddDevices, AddDiff, AddExplain, AddOps, AddPartition, AddPlaceVerb, AddPolicies,
                         AddRules, AddRun, AddShow, AddSweep}) {
    verbs.push_back(add(top));
  }
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    top.parse(reversed);
  } catch (const CLI::CallForVersion&) {
    io.out << kVersion << "\n";
    return Report("--version", absl::OkStatus(), io);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = top.get_subcommands();
    io.out << (chosen.empty() ? top.help() : chosen.front()->help("berth"));
    return Report("--help", absl::OkStatus(), io);
  } catch (const CLI::Error& error) {
    const auto chosen = top.get_subcommands();
    return Usage(chosen.empty() ? top : *chosen.front(), error, io);
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return Report(verb.app->get_name(), verb.run(io), io);
  }
  return kExitUsage;
}

}  // namespace berth
