#include "placement/device_sets.h"

#include <algorithm>

namespace berth {
namespace {

uint64_t Pair(SetId a, SetId b) { return (static_cast<uint64_t>(a) << 32) | static_cast<uint32_t>(b); }

}  // namespace

DeviceSets::DeviceSets(int num_devices) {
  Intern({});
  if (num_devices > 0) Intern({{0, num_devices}});
}

SetId DeviceSets::Intern(Ranges ranges) {
  const auto [it, is_new] = ids_.emplace(ranges, static_cast<SetId>(sets_.size()));
  if (is_new) {
    Set set;
    for (const auto& [begin, end] : ranges) set.count += end - begin;
    set.ranges = std::move(ranges);
    sets_.push_back(std::move(set));
  }
  return it->second;
}

SetId DeviceSets::Of(std::vector<DeviceId> devices) {
  std::sort(devices.begin(), devices.end());
  Ranges ranges;
  for (const DeviceId d : devices) {
    if (!ranges.empty() && d <= ranges.back().second) {
      ranges.back().second = std::max(ranges.back().second, d + 1);
    } else {
      ranges.emplace_back(d, d + 1);
    }
  }
  return Intern(std::move(ranges));
}

SetId DeviceSets::Intersect(SetId a, SetId b) {
  if (a == b || b == kAll) return a;
  if (a == kAll) return b;
  const uint64_t pair = Pair(a, b);
  if (pair == last_pair_) return last_intersection_;
  const auto found = intersections_.find(pair);
  SetId result;
  if (found != intersections_.end()) {
    result = found->second;
  } else {
    Ranges ranges;
    const Ranges& x = sets_[a].ranges;
    const Ranges& y = sets_[b].ranges;
    for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      const DeviceId begin = std::max(x[i].first, y[j].first);
      const DeviceId end = std::min(x[i].second, y[j].second);
      if (begin < end) ranges.emplace_back(begin, end);
      (x[i].second < y[j].second ? i : j) += 1;
    }
    result = Intern(std::move(ranges));
    intersections_.emplace(pair, result);
  }
  last_pair_ = pair;
  last_intersection_ = result;
  return result;
}

SetId DeviceSets::Minus(SetId a, SetId b) {
  if (b == kNone) return a;
  const uint64_t pair = Pair(a, b);
  const auto found = differences_.find(pair);
  if (found != differences_.end()) return found->second;
  Ranges ranges;
  size_t j = 0;
  for (auto [begin, end] : sets_[a].ranges) {
    const Ranges& y = sets_[b].ranges;
    while (j < y.size() && y[j].second <= begin) ++j;
    for (size_t k = j; k < y.size() && y[k].first < end; ++k) {
      if (begin < y[k].first) ranges.emplace_back(begin, y[k].first);
      begin = std::max(begin, y[k].second);
    }
    if (begin < end) ranges.emplace_back(begin, end);
  }
  const SetId result = Intern(std::move(ranges));
  differences_.emplace(pair, result);
  return result;
}

bool DeviceSets::Contains(SetId s, DeviceId d) const {
  const Ranges& ranges = sets_[s].ranges;
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), d, [](DeviceId x, const auto& range) { return x < range.first; });
  return after != ranges.begin() && d < std::prev(after)->second;
}

DeviceId DeviceSets::Nth(SetId s, int k) const {
  for (const auto& [begin, end] : sets_[s].ranges) {
    if (k < end - begin) return begin + k;
    k -= end - begin;
  }
  return kNoDevice;
}

std::vector<DeviceId> DeviceSets::List(SetId s) const {
  std::vector<DeviceId> list;
  list.reserve(sets_[s].count);
  for (const auto& [begin, end] : sets_[s].ranges) {
    for (DeviceId d = begin; d < end; ++d) list.push_back(d);
  }
  return list;
}

}  // namespace berth
