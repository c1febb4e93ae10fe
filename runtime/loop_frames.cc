#include "runtime/loop_frames.h"

#include <algorithm>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "placement/tensorflow_order.h"

namespace berth {
namespace {

bool IsEnter(absl::string_view op) { return op == "Enter" || op == "RefEnter"; }
bool IsExit(absl::string_view op) { return op == "Exit" || op == "RefExit"; }
bool IsSwitch(absl::string_view op) { return op == "Switch" || op == "RefSwitch"; }
bool IsMerge(absl::string_view op) { return op == "Merge" || op == "RefMerge"; }
bool IsNextIteration(absl::string_view op) { return op == "NextIteration" || op == "RefNextIteration"; }

bool IsBackEdge(const CutGraph& cut, int32_t producer, int32_t consumer) {
  return IsMerge(cut.op(consumer)) && IsNextIteration(cut.op(producer));
}

// Works out the frames, node by node, inputs first.
class FrameFinder {
 public:
  explicit FrameFinder(const CutGraph& cut) : cut_(cut) {
    found_.frames.resize(1);
    found_.frame_of.resize(cut.nodes.size());
  }

  absl::StatusOr<LoopFrames> Find() {
    const int32_t size = static_cast<int32_t>(cut_.nodes.size());
    std::vector<int32_t> waits(size);
    std::vector<std::vector<int32_t>> users(size);
    std::vector<int32_t> ready;
    for (int32_t n = 0; n < size; ++n) {
      if (!cut_.nodes[n].kept) continue;
      for (CutInput in : cut_.nodes[n].inputs) {
        if (IsBackEdge(cut_, in.node, n)) continue;
        users[in.node].push_back(n);
        ++waits[n];
      }
      if (waits[n] == 0) ready.push_back(n);
    }
    while (!ready.empty()) {
      const int32_t n = ready.back();
      ready.pop_back();
      BERTH_RETURN_IF_ERROR(Visit(n));
      for (int32_t user : users[n]) {
        if (--waits[user] == 0) ready.push_back(user);
      }
    }
    return std::move(found_);
  }

 private:
  absl::Status Visit(int32_t n) {
    int frame = -1;
    int32_t first = -1;
    for (CutInput in : cut_.nodes[n].inputs) {
      if (IsBackEdge(cut_, in.node, n)) continue;
      const int of_input = OfProducer(in.node);
      if (frame >= 0 && of_input != frame) {
        return absl::InvalidArgumentError(absl::StrCat(DescribeCutNode(cut_, n), ": expected inputs of one loop, got '",
                                                       cut_.name(first), "' of ", Name(frame), " and '",
                                                       cut_.name(in.node), "' of ", Name(of_input)));
      }
      frame = of_input;
      first = in.node;
    }
    found_.frame_of[n] = std::max(frame, 0);
    if (IsEnter(cut_.op(n))) return Open(n);
    if (cut_.op(n) == "LoopCond") return AddCond(n);
    return absl::OkStatus();
  }

  int OfProducer(int32_t n) const {
    const int frame = found_.frame_of[n];
    return IsExit(cut_.op(n)) ? found_.frames[frame].parent : frame;
  }

  // Node `n` enters a frame from the one it was found in.
  absl::Status Open(int32_t n) {
    const Node enter = cut_.origin(n);
    const std::string* name = enter.AttrOrDefault<std::string>("frame_name");
    if (name == nullptr || name->empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(DescribeCutNode(cut_, n), ": expected attribute frame_name, got none"));
    }
    const int parent = found_.frame_of[n];
    const auto [it, is_new] = by_name_.emplace(*name, static_cast<int>(found_.frames.size()));
    if (is_new) {
      LoopFrames::Frame frame;
      frame.name = *name;
      frame.parent = parent;
      if (const int64_t* p = enter.AttrOrDefault<int64_t>("parallel_iterations")) {
        frame.parallel_iterations = *p;
      }
      found_.frames.push_back(std::move(frame));
    }
    if (found_.frames[it->second].parent != parent) {
      return absl::InvalidArgumentError(absl::StrCat(DescribeCutNode(cut_, n), ": expected loop '", *name,
                                                     "' to be entered from ", Name(found_.frames[it->second].parent),
                                                     " only, got an Enter from ", Name(parent)));
    }
    found_.frame_of[n] = it->second;
    return absl::OkStatus();
  }

  absl::Status AddCond(int32_t n) {
    LoopFrames::Frame& frame = found_.frames[found_.frame_of[n]];
    if (frame.cond >= 0 && found_.frame_of[n] != 0) {
      return absl::InvalidArgumentError(absl::StrCat("loop '", frame.name, "': expected one LoopCond, got '",
                                                     cut_.name(frame.cond), "' and '", cut_.name(n), "'"));
    }
    frame.cond = n;
    return absl::OkStatus();
  }

  std::string Name(int frame) const {
    return frame == 0 ? "no loop" : absl::StrCat("loop '", found_.frames[frame].name, "'");
  }

  const CutGraph& cut_;
  LoopFrames found_;
  absl::flat_hash_map<std::string, int> by_name_;
};

// Adds the nodes of control loops.
class LoopAdder {
 public:
  LoopAdder(CutGraph& cut, LoopFrames& frames) : cut_(cut), frames_(frames) {}

  // Makes the control loops of `frame`, and of those around it, on `device` where there are none yet.
  absl::Status AddAll(int frame, DeviceId device) {
    std::vector<int> missing;
    for (; frame != 0 && !frames_.merges.contains({frame, device}); frame = frames_.frames[frame].parent) {
      missing.push_back(frame);
    }
    for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
      BERTH_RETURN_IF_ERROR(AddOne(*it, device));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddOne(int frame, DeviceId device) {
    const LoopFrames::Frame loop = frames_.frames[frame];
    if (loop.cond < 0) {
      return absl::InvalidArgumentError(absl::StrCat("loop '", loop.name, "': expected a LoopCond, since it runs on ",
                                                     cut_.machine->device(device).name.ShortName(),
                                                     " and elsewhere, got none"));
    }
    int32_t start;
    if (loop.parent == 0) {
      start = Add("Const", loop, device, 0, {});
      Set(start,
          {{"dtype", AttrValue(DType::kFloat32)}, {"value", AttrValue(Literal::FromBytes(DType::kFloat32, {0}, ""))}});
    } else {
      start = frames_.merges[{loop.parent, device}];
    }
    const std::pair<std::string, AttrValue> type{"T", AttrValue(DType::kFloat32)};
    const int32_t enter = Add("Enter", loop, device, frame, {{start, 0}});
    Set(enter, {type,
                {"frame_name", AttrValue(loop.name)},
                {"is_constant", AttrValue(false)},
                {"parallel_iterations", AttrValue(loop.parallel_iterations)}});
    const int32_t merge = Add("Merge", loop, device, frame, {{enter, 0}, {enter, 0}});
    Set(merge, {type, {"N", AttrValue(int64_t{2})}});
    cut_.nodes[merge].made->dtypes = {DType::kFloat32, DType::kInt32};
    const int32_t branch = Add("Switch", loop, device, frame, {{merge, 0}, {loop.cond, 0}});
    Set(branch, {type});
    cut_.nodes[branch].made->dtypes = {DType::kFloat32, DType::kFloat32};
    const int32_t next = Add("NextIteration", loop, device, frame, {{branch, 1}});
    Set(next, {type});
    cut_.nodes[merge].inputs[1] = {next, 0};
    frames_.merges[{frame, device}] = merge;
    return absl::OkStatus();
  }

  int32_t Add(absl::string_view op, const LoopFrames::Frame& loop, DeviceId device, int frame,
              std::initializer_list<CutInput> inputs) {
    auto made = std::make_unique<MadeNode>();
    made->name = cut_.NewName("_cloop");
    made->op = std::string(op);
    made->dtypes = {DType::kFloat32};
    made->shape = PartialShape({0});
    const NodeId origin = cut_.nodes[loop.cond].origin;
    const int32_t id = cut_.Add(std::move(made), origin, device, cut_.nodes[loop.cond].order - 1);
    cut_.nodes[id].inputs.assign(inputs.begin(), inputs.end());
    frames_.frame_of.push_back(frame);
    return id;
  }

  void Set(int32_t n, std::vector<std::pair<std::string, AttrValue>> attrs) {
    cut_.nodes[n].made->attrs = std::move(attrs);
  }

  CutGraph& cut_;
  LoopFrames& frames_;
};

// The consumers of each kept node in the order of TensorFlow's edges: by consumer as its importer numbers them, made
// nodes last; data inputs by slot, then control inputs by name; back edges after all others.
struct WalkEdge {
  int32_t to;
  bool is_control;
};
std::vector<std::vector<WalkEdge>> EdgesInTensorFlowOrder(const CutGraph& cut, const std::vector<int32_t>& order) {
  std::vector<std::vector<WalkEdge>> edges(cut.nodes.size());
  std::vector<bool> taken(cut.nodes.size());
  std::vector<std::pair<int32_t, int32_t>> back;
  for (int32_t n : order) {
    if (!cut.nodes[n].kept) continue;
    std::vector<int32_t> controls;
    for (CutInput in : cut.nodes[n].inputs) {
      if (in.is_control()) {
        controls.push_back(in.node);
      } else if (taken[in.node] || cut.is_made(in.node)) {
        edges[in.node].push_back({n, false});
      } else {
        back.push_back({in.node, n});
      }
    }
    std::sort(controls.begin(), controls.end(), [&](int32_t a, int32_t b) { return cut.name(a) < cut.name(b); });
    controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
    for (int32_t c : controls) edges[c].push_back({n, true});
    taken[n] = true;
  }
  for (const auto& [from, to] : back) edges[from].push_back({to, false});
  return edges;
}

}  // namespace

int LoopFrames::OfEdge(const CutGraph& cut, int32_t producer, int32_t consumer) const {
  int from = frame_of[producer], to = frame_of[consumer];
  if (IsExit(cut.op(producer))) from = frames[from].parent;
  if (IsEnter(cut.op(consumer))) to = frames[to].parent;
  return from == to ? from : 0;
}

int32_t LoopFrames::MergeFor(const CutGraph& cut, int32_t producer, DeviceId device) const {
  if (!any()) return -1;
  int frame = frame_of[producer];
  if (IsExit(cut.op(producer))) frame = frames[frame].parent;
  const auto found = merges.find({frame, device});
  return found == merges.end() ? -1 : found->second;
}

absl::StatusOr<LoopFrames> FindFrames(const CutGraph& cut) {
  for (int32_t n = 0; n < static_cast<int32_t>(cut.nodes.size()); ++n) {
    if (IsEnter(cut.op(n))) return FrameFinder(cut).Find();
  }
  LoopFrames none;
  none.frames.resize(1);
  return none;
}

void MoveLoopNodes(CutGraph& cut) {
  // The consumer that counts: a Merge if there is one, else the first.
  std::vector<int32_t> first_user(cut.nodes.size(), -1);
  for (int32_t n = 0; n < static_cast<int32_t>(cut.nodes.size()); ++n) {
    if (!cut.nodes[n].kept) continue;
    for (CutInput in : cut.nodes[n].inputs) {
      int32_t& user = first_user[in.node];
      if (!in.is_control() && (user < 0 || (IsMerge(cut.op(n)) && !IsMerge(cut.op(user))))) user = n;
    }
  }
  // An Enter of an Enter goes with the inner one.
  std::vector<bool> done(cut.nodes.size());
  for (int32_t n = 0; n < static_cast<int32_t>(cut.nodes.size()); ++n) {
    std::vector<int32_t> chain;
    int32_t at = n;
    while (cut.nodes[at].kept && !done[at] && first_user[at] >= 0 &&
           (cut.op(at) == "Enter" || cut.op(at) == "NextIteration")) {
      done[at] = true;
      chain.push_back(at);
      at = first_user[at];
    }
    for (int32_t moved : chain) cut.nodes[moved].device = cut.nodes[at].device;
  }
}

void MoveControlFlowAsTensorFlow(CutGraph& cut) {
  std::vector<int32_t> order = OrderAsTensorFlow(*cut.graph).nodes;
  for (size_t n = order.size(); n < cut.nodes.size(); ++n) order.push_back(static_cast<int32_t>(n));
  const std::vector<std::vector<WalkEdge>> edges = EdgesInTensorFlowOrder(cut, order);
  std::vector<int32_t> stack;
  for (int32_t n : order) {
    if (cut.nodes[n].kept && cut.nodes[n].inputs.empty()) stack.push_back(n);
  }
  std::vector<bool> visited(cut.nodes.size());
  while (!stack.empty()) {
    const int32_t n = stack.back();
    stack.pop_back();
    if (visited[n]) continue;
    visited[n] = true;
    CutNode& node = cut.nodes[n];
    const absl::string_view op = cut.op(n);
    if (IsSwitch(op) || IsExit(op)) {
      node.device = cut.nodes[node.inputs[0].node].device;
    } else if (op == "Enter" || IsNextIteration(op)) {
      const auto is_data = [](const WalkEdge& e) { return !e.is_control; };
      const auto first = std::find_if(edges[n].begin(), edges[n].end(), is_data);
      if (first != edges[n].end()) node.device = cut.nodes[first->to].device;
    }
    for (const WalkEdge& e : edges[n]) {
      if (!visited[e.to]) stack.push_back(e.to);
    }
  }
}

absl::Status AddControlLoops(CutGraph& cut, LoopFrames& frames) {
  if (!frames.any()) return absl::OkStatus();
  LoopAdder adder(cut, frames);
  const int32_t size = static_cast<int32_t>(cut.nodes.size());
  for (int32_t n = 0; n < size; ++n) {
    if (!cut.nodes[n].kept) continue;
    const auto inputs = cut.nodes[n].inputs;
    for (CutInput in : inputs) {
      const DeviceId device = cut.nodes[n].device;
      if (cut.nodes[in.node].device == device) continue;
      BERTH_RETURN_IF_ERROR(adder.AddAll(frames.OfEdge(cut, in.node, n), device));
    }
  }
  return absl::OkStatus();
}

}  // namespace berth
