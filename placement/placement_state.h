// What placing knows while it runs: for each colocation group the devices still possible, who narrowed them, and the
// device once it is decided. Rules narrow it, a solver decides what they leave open, Finish makes the Placement.
//
// A group is named by its root, the smallest of its nodes' ids. Its candidates are the devices that facts (kernels,
// host-only ops) and rules so far allow; an earlier part wins over a later one. What a part asks for and cannot have
// ends in one of three ways:
//   overruled   an earlier part excluded it: counted, nothing more
//   a conflict  a fact or another member of the group excludes it, or no such device exists; strict mode: PartStatus()
//   refuses a fallback  the same in soft mode: the demand is relaxed (id, then kind, then task, replica, job) and
//   recorded
#ifndef BERTH_PLACEMENT_PLACEMENT_STATE_H_
#define BERTH_PLACEMENT_PLACEMENT_STATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/choice.h"
#include "placement/conflict.h"
#include "placement/device_sets.h"
#include "placement/device_text.h"
#include "placement/groups.h"
#include "placement/kernel_facts.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"
#include "placement/placement_facts.h"

namespace berth {

using AskId = int32_t;

// What a part wants for nodes, shared by all nodes it wants the same for.
struct Ask {
  DeviceName pattern;
  std::optional<int> nth;  // as Opinion::nth
  std::string reason;      // "tower 1", "requested by scope 'a' at model.cc:12"
  std::string origin;      // of the demand, where it is not the part's: a scope; "" else
  std::string said;        // of a set that no pattern names: "the device of 'a'"; "" else
  SetId devices = DeviceSets::kNone;
  SetId hosts = DeviceSets::kNone;  // the hosts of those devices, for host-only ops
  AskId relaxed = -1;               // the same with one field less, once that was needed
  std::string dropped;              // of a relaxed one: the fields it lacks, "id, kind"
  int32_t part = 0;
  int32_t reason_text = -1;  // "tower 1 -> gpu:1"
  bool too_few = false;      // the part has no such device
  bool forbids = false;
  std::string asked() const;  // "gpu:1"
};

class PlacementState {
 public:
  // Arguments must outlive the state.
  PlacementState(const Graph& graph, const Machine& machine, const OpSupport& support, PlacementMode mode);
  // Before any part. Errors: FailedPrecondition when facts leave a group nothing; Unimplemented for an op listed
  // without kernel.
  absl::Status ApplyFacts() { return facts_.Apply(candidates_, notes_); }

  const Graph& graph() const { return graph_; }
  const Machine& machine() const { return machine_; }
  bool strict() const { return mode_ == PlacementMode::kStrict; }
  DeviceSets& sets() { return sets_; }
  KernelFacts& kernels() { return facts_.kernels(); }

  // Groups.
  NodeId group(NodeId n) const { return facts_.groups().root[n]; }
  template <typename Visit>  // visit(NodeId), ascending
  void ForEachMember(NodeId g, Visit visit) const {
    NodeId n = g;
    do {
      visit(n);
      n = facts_.groups().next[n];
    } while (n != g);
  }
  SetId candidates(NodeId g) const { return candidates_[g]; }
  // The candidates with the highest sum of preferences.
  SetId Best(NodeId g);
  // No device yet, more than one in Best(), and nothing it follows.
  bool open(NodeId g) { return device_[g] == kNoDevice && !Follows(g) && sets_.Count(Best(g)) > 1; }
  // Goes where another node goes, whatever later parts say.
  bool Follows(NodeId g) const { return !leader_.empty() && leader_[g] != kNoNode; }
  // Roots of the open groups, ascending.
  std::vector<NodeId> OpenGroups();
  // Of a decided node, or one whose leader is decided; kNoDevice else.
  DeviceId device(NodeId n);

  // Parts, in policy order. What follows until the next call is said by this part.
  void BeginPart(std::string text, std::string origin);
  // FailedPrecondition when the part asked for what strict mode refuses.
  absl::Status PartStatus();
  // The number of asks stays small: callers remember them.
  AskId AddAsk(DeviceName pattern, std::optional<int> nth, std::string reason, std::string origin = "",
               bool forbids = false);
  // For a set of devices that no pattern names; `said`: how messages call it.
  AskId AddAsk(SetId devices, std::string said, std::string reason);
  // The nodes that the part is restricted to (`where`); graph rules pass over the others. `nodes` must outlive its use;
  // null: all.
  void Select(const std::vector<bool>* nodes) { selected_ = nodes; }
  const std::vector<bool>* selection() const { return selected_; }
  bool Selected(NodeId n) const { return selected_ == nullptr || (*selected_)[n]; }
  // The nodes that something is said of from now on, granted or not, are marked in `heard` (null: nowhere), which must
  // outlive its use. Returns the one so far.
  std::vector<bool>* Listen(std::vector<bool>* heard) { return std::exchange(heard_, heard); }
  void Hear(NodeId n) {
    if (heard_ != nullptr) (*heard_)[n] = true;
  }
  void Require(NodeId n, AskId ask);
  void Forbid(NodeId n, AskId ask);
  void Prefer(NodeId n, AskId ask, double weight);
  // True when an earlier part said nothing that holds about the group, or left it more than one device.
  bool LeftOpen(NodeId g) { return (flags_[g] & kClaimed) == 0 || open(g); }
  // The open group `n` is in takes the device of `leader`, where it is a candidate. False, and no effect, when the
  // group is not open or the leader follows it.
  bool Follow(NodeId n, NodeId leader, absl::string_view as);

  // One group from here on, whose candidates are what all can have. A node that facts keep from those before it is a
  // conflict in strict mode, a fallback in soft; one that earlier parts keep from them is overruled. Near linear in the groups' members.
  void Unite(const std::vector<NodeId>& nodes);
  // The same as a wish: they prefer what all can have and follow the first. A tie that cannot be is noted.
  void PreferTogether(const std::vector<NodeId>& nodes, double weight);

  // Solvers. `reason` is a text of Text(). REQUIRES: open(g); d in Best(g).
  void Decide(NodeId g, DeviceId d, int32_t reason);
  // How good a candidate is, for reports: higher is better, in the solver's unit. Only where explaining().
  bool explaining() const { return explaining_; }
  void Rate(NodeId g, DeviceId d, double value) { scores_[g].emplace_back(d, value); }
  int32_t Text(absl::string_view text);
  void Note(NodeId n, std::string note) { notes_.emplace_back(n, std::move(note)); }
  // The part's opinion about one node holds, or cannot. Reports show the first of those that are named.
  void CountHit(NodeId n = kNoNode) {
    RuleUse& use = uses_.back();
    if (n != kNoNode) Hear(n);
    if (use.hits++ < kShownUses && n != kNoNode) use.first_hits.push_back(n);
  }
  void CountOverruled(NodeId n = kNoNode) {
    RuleUse& use = uses_.back();
    if (n != kNoNode) Hear(n);
    if (use.overruled++ < kShownUses && n != kNoNode) use.first_overruled.push_back(n);
  }

  // After the last part: moves groups until every device has room (memory_limit.h). ResourceExhausted: what is needed
  // and there, and what could move.
  absl::Status FitMemory();
  // Decides what is still open by its first candidate. No call may follow, but Explain() where Keep() was called.
  Placement Finish();

  // What is told afterwards. Keep(), before any part: solvers give scores, and the state stays whole.
  void Keep() { explaining_ = true; }
  Choice Explain(NodeId n);
  // Of the part that was refused, or of facts; at most `limit`.
  std::vector<Conflict> Conflicts(size_t limit);

  // For messages: node 'a' (MatMul at model.cc:12).
  std::string Describe(NodeId n) const { return DescribeNode(graph_, n); }
  // cpu:0, gpu:1; at most a dozen.
  std::string DeviceNames(SetId s) const;

 private:
  enum Flag : uint8_t { kClaimed = 1, kSolved = 2 };
  // One narrowing of a group.
  struct Event {
    int32_t earlier = -1;  // index of the one before
    NodeId node = kNoNode;
    AskId ask = -1;
    SetId ruled_before = DeviceSets::kAll;
  };
  struct Preference {
    SetId devices;
    double weight;
    AskId ask;
  };
  struct PendingFallback {
    NodeId node;
    int32_t part;
    std::string asked, why;
    FallbackCause cause;
    std::string dropped;
    DeviceId wanted;
  };
  struct Shortage {  // nodes a part has no device for
    int64_t nodes = 0;
    NodeId first = kNoNode;
  };
  struct Failure {  // a demand that strict mode refuses
    NodeId node = kNoNode;
    AskId ask = -1;         // -1: its facts keep it from `with`
    NodeId with = kNoNode;  // whose group the part wants it in
  };

  // placement_state.cc
  NodeId EndOfLeaders(NodeId g);
  void ResolveFollower(NodeId g);
  void Narrow(NodeId n, AskId ask, SetId devices);

  // placement_demands.cc
  SetId Devices(NodeId n, const Ask& ask) const { return facts_.host_only(n) ? ask.hosts : ask.devices; }
  // What the demand leaves.
  SetId Allowed(NodeId n, const Ask& ask);
  void CannotHold(NodeId n, AskId ask);
  const Event* OtherMember(NodeId n, SetId devices);
  void Unmet(NodeId n, AskId ask, FallbackCause cause);
  FallbackCause FactsCause(NodeId n, SetId devices);
  std::string Why(NodeId n, AskId ask, FallbackCause cause);
  std::string Relax(NodeId n, AskId ask);
  void TooFew(NodeId n, AskId ask);

  // placement_conflicts.cc
  ConflictMember Party(NodeId n, AskId ask);
  Conflict ShortageConflict();
  Conflict ConflictOf(const Failure& failure);
  Conflict ApartConflict(const Failure& failure);
  std::vector<std::string> PartNames() const;
  void AddGroup(NodeId g, Conflict& conflict);
  std::vector<std::pair<NodeId, AskId>> DemandsOfPart(NodeId g);
  std::optional<std::string> LargerMachine(const Ask& most) const;

  // placement_explain.cc
  std::string WhyWith(NodeId n, NodeId other);
  std::vector<Veto> Vetoes(NodeId n);
  void AddScores(NodeId g, Choice& choice);

  // placement_together.cc
  void MissTogether(NodeId n, const std::vector<NodeId>& others);
  std::string WhyApart(NodeId n, const std::vector<NodeId>& others);
  template <typename Missing>
  std::vector<NodeId> HadTogether(const std::vector<NodeId>& nodes, SetId* common, Missing missing);
  void MergeGroups(const std::vector<NodeId>& roots, SetId common);

  // placement_memory.cc
  struct Load;
  std::vector<Load> Loads();
  bool MakeRoom(DeviceId d, bool relaxing, std::vector<Load>& loads);
  DeviceId RoomFor(NodeId g, DeviceId from, bool relaxing, const std::vector<Load>& loads);
  bool MoveAway(NodeId g, bool relaxing, std::vector<Load>& loads);
  void RelaxForMemory(NodeId g, DeviceId from, DeviceId to, const std::string& why);
  absl::Status NoRoom(DeviceId d, const std::vector<Load>& loads);
  bool FitsRelaxed(DeviceId first, std::vector<Load>& loads);

  // placement_finish.cc
  void SettleOpen();
  AskId WeightiestAsk(NodeId g) const;
  NodeReason ReasonOf(NodeId n);

  const Graph& graph_;
  const Machine& machine_;
  const PlacementMode mode_;
  bool explaining_ = false;
  DeviceSets sets_;
  PlacementFacts facts_;

  // By node; what is of groups, at their root.
  std::vector<uint8_t> flags_;
  std::vector<SetId> candidates_;  // what facts and rules allow
  std::vector<SetId> ruled_;       // what rules allow
  std::vector<int32_t> last_event_;
  std::vector<DeviceId> device_;
  std::vector<NodeReason> decided_;              // by a solver or a leader
  std::vector<AskId> own_ask_;                   // of the node itself: the last that holds
  std::vector<NodeId> leader_, end_of_leaders_;  // empty until something follows
  std::vector<Event> events_;
  const std::vector<bool>* selected_ = nullptr;
  std::vector<bool>* heard_ = nullptr;
  absl::flat_hash_map<NodeId, NodeReason> united_;  // of nodes that a rule put together with another
  std::vector<RuleTie> ties_;                       // what rules put together
  std::unique_ptr<Ties> why_;                       // of explanations, made at the first
  absl::flat_hash_map<NodeId, std::vector<Preference>> preferences_;
  absl::flat_hash_map<NodeId, std::vector<std::pair<DeviceId, double>>> scores_;  // of solvers, where explaining
  absl::flat_hash_map<NodeId, DeviceId> moved_;  // by root: where it was, of groups that memory moved

  std::vector<Ask> asks_;
  std::vector<RuleUse> uses_;  // by part, as the next two
  std::vector<std::string> origins_;
  std::vector<int32_t> part_texts_;
  std::vector<Failure> failures_;  // of the current part, as the next
  std::map<AskId, Shortage> shortages_;
  std::vector<PendingFallback> fallbacks_;
  std::vector<std::pair<NodeId, std::string>> notes_;
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, int32_t> text_ids_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_PLACEMENT_STATE_H_
