#include "placement/refusal.h"

#include <google/protobuf/util/json_util.h>

#include "graph/fingerprint.h"
#include "proto/placement.pb.h"

namespace berth {
namespace {

constexpr int kVersion = 1;

std::string KindName(ConflictMember::Kind kind) {
  switch (kind) {
    case ConflictMember::Kind::kDemand:
      return "demand";
    case ConflictMember::Kind::kForbid:
      return "forbid";
    case ConflictMember::Kind::kFact:
      return "fact";
  }
  return "";
}

std::string KindName(Fix::Kind kind) {
  switch (kind) {
    case Fix::Kind::kAsk:
      return "ask";
    case Fix::Kind::kPut:
      return "put";
    case Fix::Kind::kKernel:
      return "kernel";
    case Fix::Kind::kMemory:
      return "memory";
    case Fix::Kind::kMachine:
      return "machine";
    case Fix::Kind::kWithout:
      return "without";
    case Fix::Kind::kSoft:
      return "soft";
  }
  return "";
}

void MemberToProto(const Graph& graph, const Machine& machine, const ConflictMember& member, pb::ConflictMember* out) {
  const Node node = graph.node(member.node);
  out->set_kind(KindName(member.kind));
  out->set_node(std::string(node.name()));
  out->set_op(std::string(node.op()));
  out->set_source(node.source().ToString());
  out->set_asked(member.asked);
  out->set_author(member.author);
  out->set_origin(member.origin);
  out->set_tie(member.tie);
  for (const DeviceId d : member.allows) out->add_allowed(machine.device(d).name.ToString());
  out->set_nodes(member.nodes);
}

void FixToProto(const Graph& graph, const Conflict& conflict, const Fix& fix, pb::Fix* out) {
  out->set_kind(KindName(fix.kind));
  for (const NodeId n : fix.nodes) out->add_node(std::string(graph.node(n).name()));
  for (const std::string& op : fix.ops) out->add_op(op);
  out->set_device(fix.device);
  out->set_value(fix.text);
  if (fix.part >= 0) out->set_part(fix.part);
  out->set_text(PrintFix(graph, conflict, fix));
}

void ConflictToProto(const Graph& graph, const Machine& machine, const Conflict& conflict, pb::Conflict* out) {
  out->set_part(conflict.part);
  out->set_origin(conflict.part_origin);
  out->set_too_few(conflict.too_few);
  for (const ConflictMember& member : conflict.members) MemberToProto(graph, machine, member, out->add_member());
  out->set_there(conflict.there);
  for (const ConflictMember& member : conflict.group) MemberToProto(graph, machine, member, out->add_demand());
  out->set_group_nodes(conflict.group_nodes);
  for (const Fix& fix : conflict.fixes) FixToProto(graph, conflict, fix, out->add_fix());
  out->set_text(PrintConflict(graph, conflict));
}

}  // namespace

pb::RefusalDef RefusalToProto(const Graph& graph, const Machine& machine, const Policy& policy, PlacementMode mode,
                              const absl::Status& error, const std::vector<Conflict>& conflicts) {
  pb::RefusalDef def;
  def.set_version(kVersion);
  def.set_graph_hash(graph.Fingerprint());
  def.set_machine_hash(machine.Fingerprint());
  def.set_policy_hash(Fingerprint(policy.text()));
  def.set_policy(policy.text());
  def.set_machine(machine.Label());
  def.set_mode(mode == PlacementMode::kStrict ? "strict" : "soft");
  def.set_error(std::string(error.message()));
  for (const Conflict& conflict : conflicts) ConflictToProto(graph, machine, conflict, def.add_conflict());
  return def;
}

std::string RefusalToJson(const Graph& graph, const Machine& machine, const Policy& policy, PlacementMode mode,
                          const absl::Status& error, const std::vector<Conflict>& conflicts) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  // Fails only for bytes that are no UTF-8, which strings of these messages replace.
  const auto status = google::protobuf::util::MessageToJsonString(
      RefusalToProto(graph, machine, policy, mode, error, conflicts), &json, options);
  return status.ok() ? json : "{}\n";
}

}  // namespace berth
