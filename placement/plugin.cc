// plugin:FILE.so [ARGUMENT...]: a policy of one's own from a shared object (policy_plugin.h): it is asked about every node
// and may require, forbid, prefer or abstain. What it costs is up to it, besides O(1) a node. Bad in a report that others
// shall repeat: they need the same file. Legion's mappers are the model: Bauer et al., "Legion", SC 2012, section 4.
#include <dlfcn.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/node_bytes.h"
#include "graph/read_file.h"
#include "graph/status_macros.h"
#include "placement/caret.h"
#include "placement/device_text.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"
#include "placement/policy_plugin.h"
#include "placement/policy_text.h"

struct BerthNode {
  berth::Node node;
  const std::vector<std::string>& devices;  // full names
};

namespace berth {
namespace {

constexpr size_t kErrorBytes = 512;

// Version 1 as plug-ins were built with it. What comes later comes after these, or with another version.
static_assert(sizeof(void*) != 8 || (sizeof(BerthText) == 16 && sizeof(BerthFacts) == 96 &&
                                     sizeof(BerthAnswer) == 400 && sizeof(BerthPolicyPlugin) == 40));
static_assert(offsetof(BerthFacts, name) == 8 && offsetof(BerthAnswer, device) == 4 &&
              offsetof(BerthAnswer, weight) == 264 && offsetof(BerthAnswer, reason) == 272);

// What the functions of BerthFacts answer.

BerthText TextOf(absl::string_view text) { return {text.data() == nullptr ? "" : text.data(), text.size()}; }

BerthText Tagged(const BerthNode* node, const char* key) {
  const std::string* value = key == nullptr ? nullptr : node->node.tag(key);
  return value == nullptr ? BerthText{nullptr, 0} : TextOf(*value);
}

BerthText InputName(const BerthNode* node, int32_t i) {
  const auto inputs = node->node.data_inputs();
  if (i < 0 || i >= static_cast<int64_t>(inputs.size())) return {nullptr, 0};
  return TextOf(node->node.graph().node(inputs[i].node).name());
}

int32_t OutputDType(const BerthNode* node, int32_t k) {
  return k < 0 || k >= node->node.num_outputs() ? -1 : static_cast<int32_t>(node->node.output_dtype(k));
}

BerthText DeviceAt(const BerthNode* node, int32_t i) {
  if (i < 0 || i >= static_cast<int64_t>(node->devices.size())) return {nullptr, 0};
  return TextOf(node->devices[i]);
}

constexpr BerthFacts kFacts = {
    BERTH_POLICY_PLUGIN_VERSION,
    sizeof(BerthFacts),
    [](const BerthNode* node) { return TextOf(node->node.name()); },
    [](const BerthNode* node) { return TextOf(node->node.op()); },
    [](const BerthNode* node) { return TextOf(node->node.device()); },
    Tagged,
    [](const BerthNode* node) { return static_cast<int32_t>(node->node.data_inputs().size()); },
    InputName,
    [](const BerthNode* node) { return static_cast<int32_t>(node->node.num_outputs()); },
    OutputDType,
    [](const BerthNode* node) { return NodeBytes(node->node).value_or(-1); },
    [](const BerthNode* node) { return static_cast<int32_t>(node->devices.size()); },
    DeviceAt,
};

// A shared object, open as long as something holds it.
class Library {
 public:
  static absl::StatusOr<std::shared_ptr<const Library>> Open(const std::string& file) {
    const std::string path = absl::StrContains(file, '/') ? file : absl::StrCat("./", file);
    struct stat about;
    if (stat(path.c_str(), &about) != 0) return Error("a shared object", SystemError(errno));
    if (S_ISDIR(about.st_mode)) return Error("a shared object", "a folder");
    const std::shared_ptr<Library> library(new Library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)));
    if (library->handle_ == nullptr) {
      absl::string_view why = dlerror();
      absl::ConsumePrefix(&why, absl::StrCat(path, ": "));
      return Error("a shared object", why);
    }
    void* const symbol = dlsym(library->handle_, "berth_policy_plugin");
    if (symbol == nullptr) return Error("the symbol berth_policy_plugin", "a shared object without it");
    BerthPolicyPluginFunction function = nullptr;
    std::memcpy(&function, &symbol, sizeof function);
    library->plugin_ = function();
    const BerthPolicyPlugin* plugin = library->plugin_;
    if (plugin == nullptr) return Error("a description from berth_policy_plugin()", "null");
    if (plugin->version != BERTH_POLICY_PLUGIN_VERSION) {
      return Error(absl::StrCat("version ", BERTH_POLICY_PLUGIN_VERSION, " of the interface"),
                   absl::StrCat(plugin->version, "; build it with placement/policy_plugin.h of this Berth"));
    }
    if (plugin->size < sizeof(BerthPolicyPlugin)) {
      return Error(absl::StrCat("a description of ", sizeof(BerthPolicyPlugin), " bytes"),
                   absl::StrCat("one of ", plugin->size));
    }
    if (plugin->name == nullptr || plugin->create == nullptr || plugin->decide == nullptr ||
        plugin->destroy == nullptr) {
      return Error("a name, create, decide and destroy", "a description without one of them");
    }
    return std::shared_ptr<const Library>(library);
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  const BerthPolicyPlugin& plugin() const { return *plugin_; }

 private:
  explicit Library(void* handle) : handle_(handle) {}
  static absl::Status Error(absl::string_view expected, absl::string_view got) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", expected, ", got ", got));
  }

  void* handle_;
  const BerthPolicyPlugin* plugin_ = nullptr;
};

// What a plug-in wrote as its error.
std::string Complaint(const std::array<char, kErrorBytes>& error) {
  const size_t size = strnlen(error.data(), error.size());
  return size == 0 ? "an error without a message" : absl::CHexEscape(absl::string_view(error.data(), size));
}

class Instance {
 public:
  static absl::StatusOr<std::unique_ptr<Instance>> Create(const BerthPolicyPlugin& plugin,
                                                          const std::vector<std::string>& arguments) {
    std::vector<const char*> words;
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    std::array<char, kErrorBytes> error = {};
    void* self = nullptr;
    if (plugin.create(static_cast<int32_t>(words.size()), words.data(), &self, error.data(), error.size()) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected arguments that '", plugin.name, "' takes, got its error: ", Complaint(error)));
    }
    return std::unique_ptr<Instance>(new Instance(plugin, self));
  }
  ~Instance() { plugin_.destroy(self_); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Error: "expected ..., got ...".
  absl::StatusOr<BerthAnswer> Ask(const BerthNode& node) {
    BerthAnswer answer = {};
    answer.weight = 1;
    std::array<char, kErrorBytes> error = {};
    if (plugin_.decide(self_, &kFacts, &node, &answer, error.data(), error.size()) != 0) {
      return absl::InvalidArgumentError(absl::StrCat("expected an answer, got its error: ", Complaint(error)));
    }
    const auto ended = [](const auto& text) { return strnlen(text, sizeof text) < sizeof text; };
    if (answer.verb < BERTH_ABSTAIN || answer.verb > BERTH_PREFER) {
      return absl::InvalidArgumentError(absl::StrCat("expected a verb from 0 to 3, got ", answer.verb));
    }
    if (!ended(answer.device)) return absl::InvalidArgumentError("expected a device that ends, got 256 bytes");
    if (!ended(answer.reason)) return absl::InvalidArgumentError("expected a reason that ends, got 128 bytes");
    if (!std::isfinite(answer.weight)) return absl::InvalidArgumentError("expected a finite weight, got another");
    return answer;
  }

 private:
  Instance(const BerthPolicyPlugin& plugin, void* self) : plugin_(plugin), self_(self) {}
  const BerthPolicyPlugin& plugin_;
  void* const self_;
};

class PluginRule : public GraphRule {
 public:
  PluginRule(std::string file, std::vector<std::string> arguments, std::shared_ptr<const Library> library)
      : file_(std::move(file)), arguments_(std::move(arguments)), library_(std::move(library)) {}

  std::string text() const override {
    std::string text = absl::StrCat("plugin:", PolicyWordText(file_));
    for (const std::string& argument : arguments_) absl::StrAppend(&text, " ", PolicyWordText(argument));
    return text;
  }

  absl::Status Apply(PlacementState& state) const override {
    absl::StatusOr<std::unique_ptr<Instance>> instance = Instance::Create(library_->plugin(), arguments_);
    if (!instance.ok()) return Blame("", instance.status());
    std::vector<std::string> devices;
    for (const MachineDevice& device : state.machine().devices()) devices.push_back(device.name.ToString());
    absl::flat_hash_map<std::string, AskId> asks;
    const Graph& graph = state.graph();
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      if (!state.Selected(n)) continue;
      const absl::StatusOr<BerthAnswer> answer = (*instance)->Ask(BerthNode{graph.node(n), devices});
      if (!answer.ok()) return Blame(state.Describe(n), answer.status());
      if (answer->verb == BERTH_ABSTAIN) continue;
      const auto [ask, is_new] =
          asks.emplace(absl::StrCat(answer->verb, " ", answer->device, "\n", answer->reason), -1);
      if (is_new) {
        const DevicePattern device(answer->device);
        if (!device.status().ok()) return Blame(state.Describe(n), device.status());
        ask->second = state.AddAsk(device.name(), std::nullopt, ReasonOf(*answer), "", answer->verb == BERTH_FORBID);
      }
      if (answer->verb == BERTH_REQUIRE) state.Require(n, ask->second);
      if (answer->verb == BERTH_FORBID) state.Forbid(n, ask->second);
      if (answer->verb == BERTH_PREFER) state.Prefer(n, ask->second, answer->weight);
    }
    return absl::OkStatus();
  }

 private:
  std::string ReasonOf(const BerthAnswer& answer) const {
    return answer.reason[0] == '\0' ? library_->plugin().name : absl::CHexEscape(answer.reason);
  }
  absl::Status Blame(const std::string& node, const absl::Status& status) const {
    return absl::InvalidArgumentError(absl::StrCat("plug-in '", file_, "' (", library_->plugin().name, "): ", node,
                                                   node.empty() ? "" : ": ", status.message()));
  }

  const std::string file_;
  const std::vector<std::string> arguments_;
  const std::shared_ptr<const Library> library_;
};

}  // namespace

absl::StatusOr<Policy> LoadPlugin(std::string file, std::vector<std::string> arguments) {
  const auto blame = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat("plug-in '", file, "': ", status.message()));
  };
  absl::StatusOr<std::shared_ptr<const Library>> library = Library::Open(file);
  if (!library.ok()) return blame(library.status());
  const auto instance = Instance::Create((*library)->plugin(), arguments);
  if (!instance.ok()) return blame(instance.status());
  PolicyPart part;
  part.graph_rule = std::make_shared<PluginRule>(std::move(file), std::move(arguments), *std::move(library));
  return Policy(std::move(part));
}

}  // namespace berth
