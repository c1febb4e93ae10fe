// `berth policies`: the words a policy is made of, and the named policies.
#ifndef BERTH_TOOLS_POLICIES_H_
#define BERTH_TOOLS_POLICIES_H_

#include <string>

#include "absl/status/status.h"
#include "tools/io.h"

namespace berth {

struct PoliciesFlags {
  std::string name;  // one word; empty: all
  bool json = false;
};

absl::Status Policies(const PoliciesFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_POLICIES_H_
