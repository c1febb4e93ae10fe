#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "graph/spelling.h"
#include "tools/check.h"
#include "tools/devices.h"
#include "tools/ops.h"
#include "tools/partition.h"
#include "tools/place.h"
#include "tools/policies.h"
#include "tools/run.h"
#include "tools/show.h"

namespace berth {
namespace {

constexpr char kVersion[] = "berth 0.1.0";

// One verb: its parser, and what to call when it was chosen.
struct Verb {
  CLI::App* app;
  std::function<absl::Status(Io&)> run;
};

using Formats = std::vector<std::string>;

void AddFormat(CLI::App* app, std::string& format, const Formats& formats) {
  app->add_option("--format", format, absl::StrCat("one of ", absl::StrJoin(formats, ", ")))
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  app->add_flag_callback(
      "--json", [&format] { format = "json"; }, "the same as --format json");
}

void AddSource(CLI::App* app, GraphSource& source) {
  app->add_option("FILE", source.file, "a GraphDef (binary or text) or Berth's text form; - reads standard input")
      ->required();
  app->add_option("--import", source.import, "devices found in the file: keep, hint, clear, or map=FILE")
      ->capture_default_str();
}

void AddPlace(CLI::App* app, PlaceFlags& flags) {
  AddSource(app, flags.source);
  app->add_option("--machine", flags.machine, "cpu:1,gpu:2 or ps*2(cpu:1),worker*2(cpu:1,gpu:2) or a MachineDef file")
      ->capture_default_str();
  app->add_option("--policy", flags.policy, "policy text, a file, or a name; see berth policies")
      ->capture_default_str();
  app->add_flag("--soft", flags.soft, "relax demands that cannot be met, and say which");
  app->add_option("--session", flags.session, "the task that feeds and fetches, /job:worker/task:0");
  const auto add_list = [app](const char* name, std::vector<std::string>& list, const char* help) {
    app->add_option(name, list, help)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
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
  CLI::App* app = top.add_subcommand("check", "Verify a graph and infer dtypes and shapes");
  AddSource(app, flags->source);
  app->add_flag("--shapes", flags->shapes, "print tensor, dtype and shape of every output");
  AddFormat(app, flags->format, {"text", "tsv", "json"});
  app->footer(Examples({"berth check model.pb", "berth check model.pb --shapes --format tsv",
                        "berth place model.pb --format pbtxt | berth check -"}));
  return {app, [flags](Io& io) { return Check(*flags, io); }};
}

Verb AddPlaceVerb(CLI::App& top) {
  auto flags = std::make_shared<PlaceVerbFlags>();
  CLI::App* app = top.add_subcommand("place", "Decide where every node runs, and say why");
  AddPlace(app, flags->place);
  AddFormat(app, flags->format, {"text", "tsv", "json", "pbtxt", "pb"});
  app->add_flag("--reasons", flags->reasons,
                "pbtxt and pb: add author, reason, request and source as _berth_* attributes");
  app->add_flag("--values", flags->values, "text: print constants over 1 KB in full");
  app->add_option("--out", flags->out, "write to this file");
  app->footer(
      Examples({"berth place model.pb --machine cpu:1,gpu:2",
                "berth place model.pb --machine cpu:1,gpu:2 --policy 'variables-on cpu:0 | else gpu:0' --format tsv",
                "berth place model.pb --policy tensorflow --soft --format pbtxt --reasons --out placed.pbtxt"}));
  return {app, [flags](Io& io) { return Place(*flags, io); }};
}

Verb AddPartition(CLI::App& top) {
  auto flags = std::make_shared<PartitionFlags>();
  CLI::App* app = top.add_subcommand("partition", "Cut the placed graph into one graph a device");
  AddPlace(app, flags->place);
  AddFormat(app, flags->format, {"text", "tsv", "pbtxt", "json"});
  app->add_flag("--transfers", flags->transfers, "print the table of transfers in place of the graphs");
  app->add_option("--replicate-constants", flags->replicate_constants,
                  "copy constants to their consumers' devices: on, off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app->add_option("--out", flags->out, "write one DEVICE.pbtxt a device into this folder");
  app->footer(Examples({"berth partition model.pb --machine cpu:1,gpu:2 --fetch y:0",
                        "berth partition model.pb --machine cpu:1,gpu:2 --fetch y:0 --transfers --format tsv",
                        "berth partition model.pb --policy 'random:7' --machine cpu:1,gpu:2 --fetch y:0 --out parts"}));
  return {app, [flags](Io& io) { return PartitionVerb(*flags, io); }};
}

Verb AddShow(CLI::App& top) {
  auto flags = std::make_shared<ShowFlags>();
  CLI::App* app = top.add_subcommand("show", "Write a graph in another form");
  AddSource(app, flags->source);
  app->add_option("--format", flags->format, "one of text, pbtxt, pb, dot, events (TensorBoard)")
      ->check(CLI::IsMember({"text", "pbtxt", "pb", "dot", "events"}))
      ->capture_default_str();
  app->add_flag("--values", flags->values, "text: print constants over 1 KB in full");
  app->add_option("--out", flags->out, "write to this file; events: into this folder");
  app->footer(Examples({"berth show model.pb", "berth show model.pb --format dot | dot -Tsvg > model.svg",
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
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--steps", flags->steps, "how often to run the fetches")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app->add_option("--repeat", flags->repeat, "time this many further runs: minimum and median")
      ->check(CLI::Range(0, 1 << 30));
  app->add_option("--threads", flags->threads, "threads for one device's work")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--deadline", flags->deadline_ms, "milliseconds a run may take")->check(CLI::Range(1, 1 << 30));
  app->add_option("--replicate-constants", flags->replicate_constants,
                  "copy constants to their consumers' devices: on, off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app->add_flag("--placement", flags->placement, "print where every node went, and why");
  app->add_option("--trace", flags->trace, "write a Chrome trace of the steps to this file");
  app->add_option("--out", flags->out, "write values as .npy into this folder");
  app->add_option("--golden", flags->golden, "feed and compare as this folder's golden.tsv says");
  app->add_flag("--json", flags->json, "results as JSON");
  app->footer(Examples({"berth run model.pb --feed x=@x.npy --fetch y:0 --out results",
                        "berth run train.pbtxt --target init --fetch loss:0 --steps 5 --machine cpu:1,gpu:2 --soft",
                        "berth run model.pb --golden golden/image --repeat 20 --trace trace.json"}));
  return {app, [flags](Io& io) { return Run(*flags, io); }};
}

Verb AddDevices(CLI::App& top) {
  auto flags = std::make_shared<DevicesFlags>();
  CLI::App* app = top.add_subcommand("devices", "List the devices of a machine, or of this computer");
  app->add_option("--machine", flags->machine, "as for place; default: what was found here");
  app->add_flag("--json", flags->json, "as JSON");
  app->footer(Examples({"berth devices", "berth devices --machine cpu:1,gpu:2",
                        "berth devices --machine 'ps*2(cpu:1),worker*2(cpu:1,gpu:2)' --json"}));
  return {app, [flags](Io& io) { return Devices(*flags, io); }};
}

Verb AddOps(CLI::App& top) {
  auto flags = std::make_shared<OpsFlags>();
  CLI::App* app = top.add_subcommand("ops", "List the ops, their signatures and kernels");
  app->add_option("NAME", flags->name, "one op");
  app->add_option("--missing", flags->missing, "a graph: list what it needs that cannot run");
  app->add_flag("--json", flags->json, "as JSON");
  app->footer(Examples({"berth ops", "berth ops Conv2D", "berth ops --missing model.pb"}));
  return {app, [flags](Io& io) { return Ops(*flags, io); }};
}

Verb AddPolicies(CLI::App& top) {
  auto flags = std::make_shared<PoliciesFlags>();
  CLI::App* app = top.add_subcommand("policies", "List the words policies are made of");
  app->add_option("NAME", flags->name, "one word");
  app->add_flag("--json", flags->json, "as JSON");
  app->footer(Examples({"berth policies", "berth policies towers-on", "berth policies --json"}));
  return {app, [flags](Io& io) { return Policies(*flags, io); }};
}

// "; nearest: '--policy'" for the first word that no option of `app` (or no verb) is called.
std::string Suggestion(const CLI::App& app, const std::vector<std::string>& args) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(absl::StrCat("--", name));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  for (const std::string& arg : args) {
    const std::string word = arg.substr(0, arg.find('='));
    const bool flag = word.rfind("--", 0) == 0;
    if (!flag && app.get_subcommands([](const CLI::App*) { return true; }).empty()) continue;
    if (std::find(names.begin(), names.end(), word) != names.end()) continue;
    return absl::StrCat("; nearest: '", NearestWord(word, names), "'");
  }
  return "";
}

int Usage(const CLI::App& app, const CLI::Error& error, const std::vector<std::string>& args, Io& io) {
  std::string message = error.what();
  while (!message.empty() && message.back() == '\n') message.pop_back();
  const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  io.err << "berth" << (app.get_name().empty() || app.get_name() == "berth" ? "" : absl::StrCat(" ", app.get_name()))
         << ": " << message << (unknown ? Suggestion(app, args) : "") << "\nrun with --help for flags and examples\n";
  return kExitUsage;
}

int Report(const std::string& verb, const absl::Status& status, Io& io) {
  if (status.ok()) return kExitOk;
  io.err << "berth " << verb << ": " << std::string(status.message()) << "\n";
  return ExitOf(status);
}

}  // namespace

int RunCommandLine(const std::vector<std::string>& args, Io& io) {
  CLI::App top("Builds, places, partitions and runs dataflow graphs.", "berth");
  top.set_version_flag("--version", kVersion);
  top.require_subcommand(1);
  top.footer(Examples({"berth check model.pb", "berth place model.pb --machine cpu:1,gpu:2",
                       "berth run model.pb --feed x=@x.npy --fetch y:0"}) +
             "\nExit codes: 0 ok, 1 negative answer, 2 usage, 3 unreadable input, 4 unplaceable, 5 run failed.");
  std::vector<Verb> verbs;
  for (const auto add : {AddCheck, AddDevices, AddOps, AddPartition, AddPlaceVerb, AddPolicies, AddRun, AddShow}) {
    verbs.push_back(add(top));
  }
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    top.parse(reversed);
  } catch (const CLI::CallForVersion&) {
    io.out << kVersion << "\n";
    return kExitOk;
  } catch (const CLI::CallForHelp&) {
    const auto chosen = top.get_subcommands();
    io.out << (chosen.empty() ? top : *chosen.front()).help();
    return kExitOk;
  } catch (const CLI::Error& error) {
    const auto chosen = top.get_subcommands();
    return Usage(chosen.empty() ? top : *chosen.front(), error, args, io);
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return Report(verb.app->get_name(), verb.run(io), io);
  }
  return kExitUsage;
}

}  // namespace berth
