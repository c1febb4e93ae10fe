// What one run of a placed graph costs, before anything runs: per device nodes, memory and time; per link transfers,
// bytes and time. As far as shapes are known: an unknown size counts 0, and is counted. Before constants are
// replicated, and each loop going round once.
//
//   # cpu:0: 4 nodes, 64 bytes of variables, peak 288 bytes, 8 flops, busy 4 us, done at 36 us
//   # cpu:0 -> gpu:0: 2 transfers, 192 bytes, busy 20 us
//
// Time comes from simulating one run: every device takes its nodes in topological order, each as soon as the device is
// free and the inputs are there; a node takes launch + max(flops / rate, bytes / rate); every link takes one transfer
// after the other, each as soon as its value is ready. Memory comes from the same order, in one row: a value lives from
// its node to the last reader on that device, a copy on another device from the value's node on; variables and
// constants all the time. An upper bound where kernels work in place.
#ifndef BERTH_PLACEMENT_ESTIMATE_H_
#define BERTH_PLACEMENT_ESTIMATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/placement.h"

namespace berth {

struct PlacementEstimate {
  struct Device {
    int64_t nodes = 0;
    int64_t variable_bytes = 0;  // kept from run to run, as the next
    int64_t constant_bytes = 0;
    int64_t peak_bytes = 0;     // variables and constants included
    int64_t unknown_sizes = 0;  // outputs and variables counted as 0 bytes
    double flops = 0;
    double busy_seconds = 0;
    double finish_seconds = 0;  // when its last node ends
    int64_t parameter_bytes() const;
  };
  // From one device to another. Where the pair is not direct, its values pass hosts, and the links on their way say so
  // in hops and hop_bytes.
  struct Link {
    DeviceId from = kNoDevice;
    DeviceId to = kNoDevice;
    int64_t transfers = 0;  // values, each counted once for a target device; control edges are none
    int64_t bytes = 0;
    int64_t unknown_sizes = 0;
    std::vector<DeviceId> via;  // the hosts between, on the way from `from` to `to`
    int64_t hops = 0;           // of the values of other pairs that pass here
    int64_t hop_bytes = 0;
    double busy_seconds = 0;  // of all that pass here
  };
  std::vector<Device> devices;  // by device
  std::vector<Link> links;      // that carry something, by (from, to)
  double total_seconds = 0;     // until all nodes and transfers have ended

  Device total() const;  // finish_seconds: total_seconds
};

// A pure function of a placement of this graph on this machine. O(nodes log nodes + edges).
PlacementEstimate EstimatePlacement(const Graph& graph, const Machine& machine, const Placement& placement);

// A line a device, a line a link, each begun with `# `.
std::string PrintEstimate(const Machine& machine, const PlacementEstimate& estimate);

// "0 s", "1.25 us", "36 ms"; three digits.
std::string SecondsText(double seconds);

// "18.44 MiB (19336396 B)", "12 B", "0 B": in the largest of B, KiB, MiB, GiB and TiB that it fills; four digits.
std::string BytesText(int64_t bytes);
// The same in a unit of so many bytes.
std::string BytesText(double bytes, absl::string_view unit, double unit_bytes);

}  // namespace berth

#endif  // BERTH_PLACEMENT_ESTIMATE_H_
