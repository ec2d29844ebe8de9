/* Serialized partitions, one a file: the driver's pipeline cache, measured workgroup sizes and
 * packed constants.  A start that finds its file neither compiles pipelines nor packs constants,
 * and its results have the same bits.
 *
 * A file is used only when it was made for the same model, plan, device, driver and library, has
 * its full length, and all its checksums match; else the reason is reported, and the partition is
 * made as without a file.  Files are native-endian. */
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

/* What a file was made for.  It has no padding, since it is compared and hashed as bytes. */
struct cache_identity {
    uint8_t device_uuid[16];   /* VkPhysicalDeviceIDProperties */
    uint8_t driver_uuid[16];   /* likewise */
    uint8_t pipeline_uuid[16]; /* pipelineCacheUUID */
    uint32_t vendor_id, device_id, driver_version, api_version;
    struct checksum library; /* version, sources and shaders of this library */
    struct checksum model;   /* the graph's tensors and constants */
    struct checksum plan;    /* the steps, with the workgroup sizes of the table */
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

/* Hashes of the graph that was planned, of its plan, and of this library.  The graph's covers all
 * constants, so it takes as long as reading them once. */
struct checksum cache_hash_graph(const struct graph *g);
struct checksum cache_hash_plan(const struct plan *p);
struct checksum cache_hash_library(void);

enum { CACHE_NAME_BYTES = 128 };
/* The name of the file: from the token, or from the model's hash when it is NULL.  Driver, library,
 * and with a token the model, may change under one name: the identity in the file tells, and a
 * stale file is replaced. */
void cache_name(char name[CACHE_NAME_BYTES], const char *token, const struct cache_identity *id);

/* Reads file `name` of directory dir.  *found: the caller closes *content, which has constant_bytes
 * bytes of constants.  STATUS_OK without *found: the file or the directory does not exist.  Any
 * other status: diag says why the file is not used. */
enum status cache_load(struct cache_content *content, bool *found, const char *dir,
                       const char *name, const struct cache_identity *id, size_t constant_bytes,
                       struct diag *diag);

/* Writes the file as a whole or not at all, and makes the directory when it does not exist. */
enum status cache_save(const struct cache_content *content, const char *dir, const char *name,
                       const struct cache_identity *id, struct diag *diag);

/* Size of a file with this content. */
uint64_t cache_file_bytes(const struct cache_content *content);

#endif
