/* The binary interface between Berth and a policy in a shared object of its own: plain C, one exported function.
 *
 *   berth place model.pb --policy 'plugin:./my_policy.so gpu:0 | else cpu:0'
 *
 * The shared object exports
 *
 *   const BerthPolicyPlugin* berth_policy_plugin(void);
 *
 * Berth makes one instance for each placing (create), asks it about every node once, by id ascending (decide), and ends it
 * (destroy), all from one thread. Several placings may run at once, each with an instance of its own. Answers must follow
 * from the arguments and what was asked alone, so that equal inputs place equally. No C++ exception may leave a function.
 *
 * Versions: `version` changes when something here changes its meaning; Berth refuses any other than its own. Structs grow
 * only at their end within a version, and `size` tells how much is there. tools/examples/scope_hash.c is a whole plug-in. */
#ifndef BERTH_PLACEMENT_POLICY_PLUGIN_H_
#define BERTH_PLACEMENT_POLICY_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_POLICY_PLUGIN_VERSION 1u

/* Bytes of Berth's, valid until the function of the plug-in that asked returns; not NUL-terminated. No text: data is null. */
typedef struct BerthText {
  const char* data;
  size_t size;
} BerthText;

typedef struct BerthNode BerthNode; /* opaque: what Berth knows of one node */

/* What a plug-in may ask about a node. An index out of range gives no text, or -1. */
typedef struct BerthFacts {
  uint32_t version; /* Berth's BERTH_POLICY_PLUGIN_VERSION */
  uint32_t size;    /* sizeof(BerthFacts) of that Berth */
  BerthText (*name)(const BerthNode* node);
  BerthText (*op)(const BerthNode* node);
  BerthText (*request)(const BerthNode* node); /* the device that the node asks for, as written; may be empty */
  BerthText (*tag)(const BerthNode* node, const char* key); /* no text: it has no such label */
  int32_t (*num_inputs)(const BerthNode* node);             /* data inputs */
  BerthText (*input_name)(const BerthNode* node, int32_t i);
  int32_t (*num_outputs)(const BerthNode* node);
  int32_t (*output_dtype)(const BerthNode* node, int32_t k); /* TensorFlow's DataType; 0: unknown */
  int64_t (*bytes)(const BerthNode* node);                   /* of all outputs, of a variable its value; -1: unknown */
  int32_t (*num_devices)(const BerthNode* node);             /* of the machine */
  BerthText (*device)(const BerthNode* node, int32_t i);     /* full names, in machine order */
} BerthFacts;

enum { BERTH_ABSTAIN = 0, BERTH_REQUIRE = 1, BERTH_FORBID = 2, BERTH_PREFER = 3 };

/* What `decide` says. Berth gives it cleared: no opinion, weight 1. */
typedef struct BerthAnswer {
  int32_t verb;
  char device[256]; /* a device or a pattern, as in policy text: "gpu:1", "/job:ps/cpu:*"; NUL-terminated */
  double weight;    /* of BERTH_PREFER */
  char reason[128]; /* for the report; may be left empty; NUL-terminated */
} BerthAnswer;

typedef struct BerthPolicyPlugin {
  uint32_t version; /* BERTH_POLICY_PLUGIN_VERSION */
  uint32_t size;    /* sizeof(BerthPolicyPlugin) */
  const char* name;
  /* The words after the file in the policy's text. Stores an instance in `self` (may be null) and gives 0; or writes what
   * is wrong, NUL-terminated, and gives another number. */
  int (*create)(int32_t num_arguments, const char* const* arguments, void** self, char* error, size_t error_size);
  /* Fills `answer` and gives 0; or writes what is wrong and gives another number: the graph is then not placed. */
  int (*decide)(void* self, const BerthFacts* facts, const BerthNode* node, BerthAnswer* answer, char* error,
                size_t error_size);
  void (*destroy)(void* self);
} BerthPolicyPlugin;

typedef const BerthPolicyPlugin* (*BerthPolicyPluginFunction)(void); /* of the symbol berth_policy_plugin */

#ifdef __cplusplus
}
#endif

#endif /* BERTH_PLACEMENT_POLICY_PLUGIN_H_ */
