/* A policy plug-in, whole: nodes of one top-level name scope stay together, and scopes are dealt over the devices of a kind
 * by a hash of their name, so that the answer does not depend on the order of the graph.
 *
 *   berth place model.pb --machine cpu:1,gpu:4 --policy 'plugin:./scope_hash.so GPU | else cpu:0'
 *
 * Built by //tools/examples:scope_hash.so, or by hand: cc -shared -fPIC -I. tools/examples/scope_hash.c -o scope_hash.so */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/policy_plugin.h"

typedef struct ScopeHash {
  char ending[64]; /* "device:GPU:" */
} ScopeHash;

static int Create(int32_t num_arguments, const char* const* arguments, void** self, char* error, size_t error_size) {
  if (num_arguments != 1) {
    snprintf(error, error_size, "expected one kind of device, got %d arguments", (int)num_arguments);
    return 1;
  }
  ScopeHash* policy = malloc(sizeof(ScopeHash));
  if (policy == NULL) return 1;
  snprintf(policy->ending, sizeof policy->ending, "/device:%.40s:", arguments[0]);
  *self = policy;
  return 0;
}

static void Destroy(void* self) { free(self); }

static uint64_t Hash(const char* bytes, size_t size) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (size_t i = 0; i < size; ++i) hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
  return hash;
}

static int Contains(BerthText text, const char* part) {
  const size_t size = strlen(part);
  for (size_t i = 0; i + size <= text.size; ++i) {
    if (memcmp(text.data + i, part, size) == 0) return 1;
  }
  return 0;
}

static int Decide(void* self, const BerthFacts* facts, const BerthNode* node, BerthAnswer* answer, char* error,
                  size_t error_size) {
  (void)error;
  (void)error_size;
  const ScopeHash* policy = self;
  const BerthText name = facts->name(node);
  const char* slash = memchr(name.data, '/', name.size);
  if (slash == NULL) return 0; /* in no scope: no opinion */
  int32_t usable = 0;
  for (int32_t i = 0; i < facts->num_devices(node); ++i) usable += Contains(facts->device(node, i), policy->ending);
  if (usable == 0) return 0;
  int32_t turn = (int32_t)(Hash(name.data, (size_t)(slash - name.data)) % (uint64_t)usable);
  for (int32_t i = 0; i < facts->num_devices(node); ++i) {
    const BerthText device = facts->device(node, i);
    if (!Contains(device, policy->ending) || turn-- > 0) continue;
    answer->verb = BERTH_PREFER;
    snprintf(answer->device, sizeof answer->device, "%.*s", (int)device.size, device.data);
    snprintf(answer->reason, sizeof answer->reason, "scope %.*s", (int)(slash - name.data), name.data);
    return 0;
  }
  return 0;
}

static const BerthPolicyPlugin kPlugin = {
    BERTH_POLICY_PLUGIN_VERSION, sizeof(BerthPolicyPlugin), "scope-hash", Create, Decide, Destroy,
};

const BerthPolicyPlugin* berth_policy_plugin(void) { return &kPlugin; }
