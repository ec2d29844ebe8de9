/* What the delegate remembers between processes, a file a partition: the driver's pipeline cache,
 * measured workgroup sizes, and packed constants.  A start that finds its file neither compiles nor
 * packs, and computes the same bits.
 *
 * A file is used only when it was made for the same model, plan, device, driver and library, is
 * whole, and all its checksums hold; anything else is a reason in words, and the partition is made
 * anew.  Files are native-endian. */
#ifndef ASSAY_DELEGATE_CACHE_CACHE_H
#define ASSAY_DELEGATE_CACHE_CACHE_H

#include "delegate/base/checksum.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/plan.h"
#include "delegate/plan/workgroups.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a file is of.  No padding: compared and hashed as bytes. */
struct cache_identity {
    uint8_t device_uuid[16];   /* VkPhysicalDeviceIDProperties */
    uint8_t driver_uuid[16];   /* the same */
    uint8_t pipeline_uuid[16]; /* pipelineCacheUUID */
    uint32_t vendor_id, device_id, driver_version, api_version;
    struct hash library; /* version, sources and shaders of this library */
    struct hash model;   /* the graph's tensors and constants */
    struct hash plan;    /* the steps, before sizes of workgroups were measured */
};
_Static_assert(sizeof(struct cache_identity) == 3 * 16 + 4 * 4 + 3 * 16, "no padding");

struct cache_content {
    uint8_t *pipelines; /* vkGetPipelineCacheData */
    size_t pipeline_bytes;
    struct workgroup_tuning *tuning;
    size_t tuning_count;
    uint8_t *constants;
    size_t constant_bytes;
};
void cache_content_close(struct cache_content *c);

/* Hashes of what the plan was made from, and of what it does.  The model's is over all its
 * constants: it is as much work as reading them once. */
struct hash cache_hash_graph(const struct graph *g);
struct hash cache_hash_plan(const struct plan *p);
struct hash cache_hash_library(void);

enum { CACHE_NAME_BYTES = 128 };
/* The file's name.  token NULL: the model's hash.  What may change under one name (driver, library,
 * and with a token the model) is told apart by the identity in the file, so that a stale file is
 * replaced. */
void cache_name(char name[CACHE_NAME_BYTES], const char *token, const struct cache_identity *id);

/* Reads a file of directory dir.  *found: content is the caller's, to be closed; it has
 * constant_bytes bytes of constants.  STATUS_OK and not found: there is no such file, or no such
 * directory.  Otherwise the reason why what is there is not used. */
enum status cache_load(struct cache_content *content, bool *found, const char *dir,
                       const char *name, const struct cache_identity *id, size_t constant_bytes,
                       struct diag *diag);

/* Writes it in one piece, or not at all; makes the directory when it is not there. */
enum status cache_save(const struct cache_content *content, const char *dir, const char *name,
                       const struct cache_identity *id, struct diag *diag);

/* The bytes that a file of this content has. */
uint64_t cache_file_bytes(const struct cache_content *content);

#endif
