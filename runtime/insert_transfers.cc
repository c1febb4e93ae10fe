#include "runtime/insert_transfers.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace berth {
namespace {

// A value's dtype without reference: the producer's, or where that is unknown the consumer's.
DType ValueDType(const CutGraph& cut, const CutPair& pair) {
  if (pair.value.is_control()) return DType::kFloat32;
  const DType produced = cut.output_dtype(pair.value.node, pair.value.slot);
  if (produced != DType::kInvalid) return BaseOf(produced);
  for (const CutPair::User& u : pair.users) {
    const DType taken = cut.input_dtype(u.node, u.input);
    if (taken != DType::kInvalid) return BaseOf(taken);
  }
  return DType::kInvalid;
}

// Which nodes come after a write to a variable; worked out a variable at a time and remembered.
class WriteOrder {
 public:
  explicit WriteOrder(const CutGraph& cut) : cut_(cut) {}

  // `reader` reads the variable behind the reference `value`: those of its other inputs that run after some write to
  // it.
  std::vector<int32_t> InputsAfterWrites(CutInput value, int32_t reader) {
    std::vector<int32_t> found;
    for (CutInput in : cut_.nodes[reader].inputs) {
      if (in.node != value.node) found.push_back(in.node);
    }
    if (found.empty()) return found;
    const std::vector<bool>& after = AfterWrites(Variable(value));
    const auto unordered = [&](int32_t n) { return after.empty() || !after[n]; };
    found.erase(std::remove_if(found.begin(), found.end(), unordered), found.end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  // The node that owns what `value` refers to: an op that hands a reference on (Assign, RefSwitch) takes it as input 0.
  int32_t Variable(CutInput value) const {
    int32_t n = value.node;
    while (!cut_.nodes[n].inputs.empty() && IsRef(cut_.input_dtype(n, 0))) {
      const int32_t from = cut_.nodes[n].inputs[0].node;
      if (from == n || cut_.op(n) == "RefMerge") break;
      n = from;
    }
    return n;
  }

  // By node: whether it takes the variable by reference or depends on one that does. Empty: none does.
  const std::vector<bool>& AfterWrites(int32_t variable) {
    if (const auto it = cache_.find(variable); it != cache_.end()) return it->second;
    if (users_.empty()) FindUsers();
    std::vector<bool> after;
    std::vector<int32_t> stack;
    for (const auto& [user, input] : users_[variable]) {
      const CutInput in = cut_.nodes[user].inputs[input];
      if (!in.is_control() && IsRef(cut_.input_dtype(user, input))) stack.push_back(user);
    }
    if (!stack.empty()) after.resize(cut_.nodes.size());
    for (int32_t writer : stack) after[writer] = true;
    while (!stack.empty()) {
      const int32_t n = stack.back();
      stack.pop_back();
      for (const auto& [user, input] : users_[n]) {
        if (after[user]) continue;
        after[user] = true;
        stack.push_back(user);
      }
    }
    return cache_.emplace(variable, std::move(after)).first->second;
  }

  void FindUsers() {
    users_.resize(cut_.nodes.size());
    for (int32_t n = 0; n < static_cast<int32_t>(cut_.nodes.size()); ++n) {
      if (!cut_.nodes[n].kept) continue;
      const auto& inputs = cut_.nodes[n].inputs;
      for (int i = 0; i < static_cast<int>(inputs.size()); ++i) users_[inputs[i].node].push_back({n, i});
    }
  }

  const CutGraph& cut_;
  std::vector<std::vector<std::pair<int32_t, int>>> users_;
  std::map<int32_t, std::vector<bool>> cache_;
};

// References and resource handles name a place in one device's memory.
absl::Status CheckMayCross(const CutGraph& cut, CutInput value, int32_t reader, int input) {
  const DType produced = cut.output_dtype(value.node, value.slot);
  const bool by_reference = IsRef(cut.input_dtype(reader, input));
  if (!by_reference && produced != DType::kResource) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(DescribeCutNode(cut, reader), ": expected input ", input, " on its own device, got ",
                   by_reference ? "a reference to " : "a resource handle of ", DescribeCutNode(cut, value.node),
                   "; place both on one device, or read the value first"));
}

class PairCollector {
 public:
  PairCollector(const CutGraph& cut, PairRule rule) : cut_(cut), rule_(rule), writes_(cut) {}

  absl::Status AddEdge(int32_t reader, int input) {
    const CutInput value = cut_.nodes[reader].inputs[input];
    const DeviceId to = cut_.nodes[reader].device;
    std::vector<int32_t> after;
    int64_t apart = -1;  // a key of its own for edges that share with nobody
    if (!value.is_control()) {
      if (rule_ == PairRule::kBerth) {
        if (absl::Status s = CheckMayCross(cut_, value, reader, input); !s.ok()) return s;
      }
      if (IsRef(cut_.output_dtype(value.node, value.slot))) {
        if (rule_ != PairRule::kTensorFlowTable) after = writes_.InputsAfterWrites(value, reader);
        if (rule_ != PairRule::kBerth) apart = int64_t{reader} << 32 | input;
      }
    }
    Find(value, to, after, apart).users.push_back({reader, input, -1});
    return absl::OkStatus();
  }

  // The pairs, sorted, with tokens for sends that wait for nodes of other devices.
  std::vector<CutPair> Finish() {
    std::vector<std::pair<int, int32_t>> tokens;  // pair, node it waits for
    for (int p = 0; p < static_cast<int>(pairs_.size()); ++p) {
      for (int32_t n : pairs_[p].after) {
        if (cut_.nodes[n].device != cut_.nodes[pairs_[p].value.node].device) tokens.push_back({p, n});
      }
    }
    for (const auto& [p, n] : tokens) {
      const DeviceId from = cut_.nodes[pairs_[p].value.node].device;
      Find({n, kControlSlot}, from, {}, -1).users.push_back({-1, -1, p});
    }
    return Sorted();
  }

 private:
  CutPair& Find(CutInput value, DeviceId to, const std::vector<int32_t>& after, int64_t apart) {
    const auto [it, is_new] =
        index_.emplace(std::make_tuple(value.node, value.slot, to, after, apart), static_cast<int>(pairs_.size()));
    if (is_new) {
      CutPair pair;
      pair.value = value;
      pair.to = to;
      pair.after = after;
      pairs_.push_back(std::move(pair));
    }
    return pairs_[it->second];
  }

  std::vector<CutPair> Sorted() {
    std::vector<int> by_rank(pairs_.size());
    for (size_t p = 0; p < pairs_.size(); ++p) by_rank[p] = static_cast<int>(p);
    std::sort(by_rank.begin(), by_rank.end(), [&](int a, int b) {
      const auto key = [&](int p) {
        const CutInput v = pairs_[p].value;
        return std::make_tuple(cut_.nodes[v.node].origin, v.node, v.slot, pairs_[p].to, p);
      };
      return key(a) < key(b);
    });
    std::vector<int> rank_of(pairs_.size());
    for (size_t r = 0; r < by_rank.size(); ++r) rank_of[by_rank[r]] = static_cast<int>(r);
    std::vector<CutPair> sorted;
    sorted.reserve(pairs_.size());
    for (int p : by_rank) {
      sorted.push_back(std::move(pairs_[p]));
      for (CutPair::User& u : sorted.back().users) {
        if (u.pair >= 0) u.pair = rank_of[u.pair];
      }
    }
    return sorted;
  }

  const CutGraph& cut_;
  const PairRule rule_;
  WriteOrder writes_;
  std::vector<CutPair> pairs_;
  absl::flat_hash_map<std::tuple<int32_t, int32_t, DeviceId, std::vector<int32_t>, int64_t>, int> index_;
};

// An empty float tensor that says that `node` has run, on its device.
int32_t AddToken(CutGraph& cut, int32_t node) {
  auto made = std::make_unique<MadeNode>();
  made->name = cut.NewName(absl::StrCat(cut.name(node), "/ctrl"));
  made->op = "Const";
  made->attrs = {{"dtype", AttrValue(DType::kFloat32)},
                 {"value", AttrValue(Literal::FromBytes(DType::kFloat32, {0}, ""))}};
  made->dtypes = {DType::kFloat32};
  made->shape = PartialShape({0});
  const CutNode& source = cut.nodes[node];
  const int32_t token = cut.Add(std::move(made), source.origin, source.device, source.order + 1);
  cut.nodes[token].inputs.push_back({node, kControlSlot});
  return token;
}

int32_t AddEnd(CutGraph& cut, absl::string_view op, const CutPair& pair, int channel, DType dtype, DeviceId at) {
  const auto device = [&](DeviceId d) { return AttrValue(cut.machine->device(d).name.ToString()); };
  auto made = std::make_unique<MadeNode>();
  made->name = cut.NewName(cut.name(pair.value.node));
  made->op = std::string(op);
  made->attrs = {{op == "_Send" ? "T" : "tensor_type", AttrValue(dtype)},
                 {"_src", AttrValue(cut.ValueName(pair.value))},
                 {"client_terminated", AttrValue(false)},
                 {"recv_device", device(pair.to)},
                 {"send_device", device(cut.nodes[pair.value.node].device)},
                 {"send_device_incarnation", AttrValue(int64_t{1})},
                 {"tensor_name", AttrValue(absl::StrCat(channel))}};
  if (op == "_Recv") {
    made->dtypes = {dtype};
    made->shape = pair.value.is_control() ? PartialShape({0}) : cut.output_shape(pair.value.node, pair.value.slot);
  }
  return cut.Add(std::move(made), cut.nodes[pair.value.node].origin, at, 0);
}

}  // namespace

absl::StatusOr<std::vector<CutPair>> CollectPairs(const CutGraph& cut, PairRule rule) {
  PairCollector collector(cut, rule);
  for (int32_t n = 0; n < static_cast<int32_t>(cut.nodes.size()); ++n) {
    const CutNode& reader = cut.nodes[n];
    if (!reader.kept) continue;
    for (int i = 0; i < static_cast<int>(reader.inputs.size()); ++i) {
      if (cut.nodes[reader.inputs[i].node].device == reader.device) continue;
      if (absl::Status s = collector.AddEdge(n, i); !s.ok()) return s;
    }
  }
  return collector.Finish();
}

void AddPairs(CutGraph& cut, const LoopFrames& frames, std::vector<CutPair>& pairs) {
  absl::flat_hash_map<int32_t, int32_t> token_of;
  for (size_t p = 0; p < pairs.size(); ++p) {
    CutPair& pair = pairs[p];
    const int32_t from = pair.value.node;
    const DType dtype = ValueDType(cut, pair);
    CutInput sent = pair.value;
    if (sent.is_control()) {
      const auto [it, is_new] = token_of.emplace(from, -1);
      if (is_new) it->second = AddToken(cut, from);
      sent = {it->second, 0};
    }
    const int channel = static_cast<int>(p);
    pair.send = AddEnd(cut, "_Send", pair, channel, dtype, cut.nodes[from].device);
    pair.recv = AddEnd(cut, "_Recv", pair, channel, dtype, pair.to);
    cut.nodes[pair.send].inputs.push_back(sent);
    cut.nodes[pair.send].order = cut.nodes[sent.node].order + 1;
    if (const int32_t merge = frames.MergeFor(cut, from, pair.to); merge >= 0) {
      cut.nodes[pair.recv].inputs.push_back({merge, kControlSlot});
    }
    for (int32_t n : pair.after) {
      if (cut.nodes[n].device == cut.nodes[from].device) {
        cut.nodes[pair.send].inputs.push_back({n, kControlSlot});
      }
    }
  }
  for (CutPair& pair : pairs) {
    int64_t order = INT64_MAX;
    for (const CutPair::User& u : pair.users) {
      if (u.pair >= 0) {
        const int32_t send = pairs[u.pair].send;
        cut.nodes[send].inputs.push_back({pair.recv, kControlSlot});
        order = std::min(order, cut.nodes[send].order);
        continue;
      }
      const CutInput value{pair.recv, pair.value.is_control() ? kControlSlot : 0};
      cut.nodes[u.node].inputs[u.input] = value;
      order = std::min(order, cut.nodes[u.node].order);
    }
    cut.nodes[pair.recv].order = order - 1;
  }
}

Transfer TransferOf(const CutGraph& cut, const CutPair& pair) {
  Transfer t;
  t.value = cut.ValueName(pair.value);
  t.from = cut.nodes[pair.value.node].device;
  t.to = pair.to;
  t.dtype = ValueDType(cut, pair);
  if (pair.value.is_control()) {
    t.bytes = 0;
    return t;
  }
  const std::optional<int64_t> elements = cut.output_shape(pair.value.node, pair.value.slot).num_elements();
  int64_t bytes;
  if (elements.has_value() && DTypeSize(t.dtype) > 0 &&
      !__builtin_mul_overflow(*elements, DTypeSize(t.dtype), &bytes)) {
    t.bytes = bytes;
  }
  return t;
}

}  // namespace berth
