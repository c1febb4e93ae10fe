/* A policy plug-in that does wrong what its argument says; BERTH_ODD_VERSION and BERTH_ODD_SYMBOL make it wrong as a whole. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "placement/policy_plugin.h"

#ifndef BERTH_ODD_VERSION
#define BERTH_ODD_VERSION BERTH_POLICY_PLUGIN_VERSION
#endif
#ifndef BERTH_ODD_SYMBOL
#define BERTH_ODD_SYMBOL berth_policy_plugin
#endif

static char mode[32];
static int alive = 0;

static int Create(int32_t num_arguments, const char* const* arguments, void** self, char* error, size_t error_size) {
  snprintf(mode, sizeof mode, "%s", num_arguments > 0 ? arguments[0] : "");
  if (strcmp(mode, "refuse") == 0) {
    snprintf(error, error_size, "expected nothing of the kind");
    return 1;
  }
  if (strcmp(mode, "refuse-silently") == 0) return 7;
  ++alive;
  *self = &alive;
  return 0;
}

static void Destroy(void* self) { --*(int*)self; }

static int Decide(void* self, const BerthFacts* facts, const BerthNode* node, BerthAnswer* answer, char* error,
                  size_t error_size) {
  const BerthText name = facts->name(node);
  answer->verb = BERTH_REQUIRE;
  snprintf(answer->device, sizeof answer->device, "gpu:0");
  if (strcmp(mode, "verb") == 0) answer->verb = 4;
  if (strcmp(mode, "device") == 0) snprintf(answer->device, sizeof answer->device, "gpu:zero");
  if (strcmp(mode, "no-device") == 0) answer->device[0] = '\0';
  if (strcmp(mode, "endless") == 0) memset(answer->device, 'a', sizeof answer->device);
  if (strcmp(mode, "endless-reason") == 0) memset(answer->reason, 'a', sizeof answer->reason);
  if (strcmp(mode, "bytes") == 0) snprintf(answer->reason, sizeof answer->reason, "\x01\xff");
  if (strcmp(mode, "weight") == 0) {
    answer->verb = BERTH_PREFER;
    answer->weight = (double)NAN;
  }
  if (strcmp(mode, "error") == 0 && name.size == 1 && name.data[0] == 'b') {
    snprintf(error, error_size, "no idea about %.*s", (int)name.size, name.data);
    return 1;
  }
  if (strcmp(mode, "ask") == 0) {
    const BerthText tag = facts->tag(node, "k"), none = facts->tag(node, "z");
    const BerthText input = facts->input_name(node, 0), outside = facts->input_name(node, 99);
    const BerthText device = facts->device(node, 1), nowhere = facts->device(node, -1);
    snprintf(answer->reason, sizeof answer->reason,
             "%u %d %.*s %.*s in%d:%.*s out%d:%d,%d %lldB %.*s dev%d:%.*s %d%d%d", facts->version,
             facts->size == sizeof(BerthFacts), (int)facts->op(node).size, facts->op(node).data, (int)tag.size,
             tag.data, (int)facts->num_inputs(node), (int)input.size, input.data, (int)facts->num_outputs(node),
             (int)facts->output_dtype(node, 0), (int)facts->output_dtype(node, 9), (long long)facts->bytes(node),
             (int)facts->request(node).size, facts->request(node).data, (int)facts->num_devices(node), (int)device.size,
             device.data, none.data == NULL, outside.data == NULL, nowhere.data == NULL);
  }
  if (strcmp(mode, "alive") == 0) snprintf(answer->reason, sizeof answer->reason, "%d alive", *(int*)self);
  return 0;
}

static const BerthPolicyPlugin kPlugin = {
    BERTH_ODD_VERSION, sizeof(BerthPolicyPlugin), "odd", Create, Decide, Destroy,
};

const BerthPolicyPlugin* BERTH_ODD_SYMBOL(void) { return &kPlugin; }
