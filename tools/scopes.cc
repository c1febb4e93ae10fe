#include "tools/scopes.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "graph/device_name.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// "a/b/" of "a/b/c/node" at depth 2.
absl::string_view ScopeOf(absl::string_view name, int depth) {
  size_t end = 0;
  for (int i = 0; i < depth; ++i) {
    const size_t slash = name.find('/', end);
    if (slash == absl::string_view::npos) break;
    end = slash + 1;
  }
  return name.substr(0, end);
}

std::string Short(absl::string_view device) {
  if (device.empty()) return "none";
  const absl::StatusOr<DeviceName> name = ParseDeviceName(device);
  return name.ok() ? name->ShortName() : std::string(device);
}

}  // namespace

std::vector<ScopeRow> CountScopes(const Graph& graph, int depth) {
  std::map<absl::string_view, std::map<absl::string_view, int64_t>> scopes;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const Node node = graph.node(n);
    ++scopes[ScopeOf(node.name(), depth)][node.device()];
  }
  std::vector<ScopeRow> rows;
  for (const auto& [scope, devices] : scopes) {
    ScopeRow row{std::string(scope), 0, {}};
    std::map<std::string, int64_t> by_name;
    for (const auto& [device, nodes] : devices) {
      row.nodes += nodes;
      by_name[Short(device)] += nodes;
    }
    row.devices.assign(by_name.begin(), by_name.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string PrintScopes(const std::vector<ScopeRow>& rows, bool json) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ScopeRow& row : rows) {
      nlohmann::ordered_json devices = nlohmann::ordered_json::object();
      for (const auto& [device, nodes] : row.devices) devices[device] = nodes;
      list.push_back({{"scope", row.scope}, {"nodes", row.nodes}, {"devices", devices}});
    }
    return list.dump(2) + "\n";
  }
  size_t width = 6, digits = 5;
  for (const ScopeRow& row : rows) {
    width = std::max(width, row.scope.size());
    digits = std::max(digits, absl::StrCat(row.nodes).size());
  }
  const auto line = [&](const std::string& scope, const std::string& nodes, const std::string& devices) {
    return absl::StrCat(scope, std::string(width - scope.size() + 2 + digits - nodes.size(), ' '), nodes, "  ", devices,
                        "\n");
  };
  std::string out = line("scope", "nodes", "devices");
  for (const ScopeRow& row : rows) {
    std::vector<std::string> devices;
    for (const auto& [device, nodes] : row.devices) devices.push_back(absl::StrCat(device, " ", nodes));
    out += line(row.scope.empty() ? "(none)" : row.scope, absl::StrCat(row.nodes), absl::StrJoin(devices, ", "));
  }
  return out;
}

absl::Status WriteScopeFiles(const std::string& folder, absl::string_view text, int depth, Io& io) {
  BERTH_RETURN_IF_ERROR(MakeFolder(folder));
  std::map<absl::string_view, std::string> files;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    absl::StrAppend(&files[ScopeOf(line.substr(0, line.find(' ')), depth)], line, "\n");
  }
  for (const auto& [scope, lines] : files) {
    const std::string name =
        scope.empty() ? std::string("_") : absl::StrReplaceAll(scope.substr(0, scope.size() - 1), {{"/", "."}});
    BERTH_RETURN_IF_ERROR(WriteOutput(absl::StrCat(folder, "/", name, ".txt"), lines, io));
  }
  io.err << "wrote " << files.size() << (files.size() == 1 ? " file" : " files") << " to " << folder << "\n";
  return absl::OkStatus();
}

}  // namespace berth
