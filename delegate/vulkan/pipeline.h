/* Compute pipelines of a device: made for the first plan that needs a shader with its
 * specialization constants, then shared by all steps that have the same.  A plan holds its
 * pipelines until it is closed.  Of those that no plan holds the device keeps the PIPELINES_KEPT
 * that were released last, since models come back; those of frozen steps, which have push constants
 * of their own, go at once. */
#ifndef ASSAY_DELEGATE_VULKAN_PIPELINE_H
#define ASSAY_DELEGATE_VULKAN_PIPELINE_H

#include "delegate/base/lock.h"
#include "delegate/plan/plan.h"
#include "reference/base/diag.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

struct pipeline;

enum { PIPELINES_KEPT = 512 };

struct pipelines {
    VkDevice device;         /* borrowed */
    VkPipelineLayout layout; /* borrowed */
    atomic_bool packed_dot;  /* steps may use the shaders with the packed dot product */
    struct lock lock;        /* guards the list, and is held while pipelines are made */
    struct pipeline *list;
    size_t kept;       /* PIPELINES_KEPT, but in tests */
    uint64_t releases; /* counts them: the age of a pipeline */
};

/* An empty list, to which pipelines can be added after pipelines_open. */
void pipelines_init(struct pipelines *p);
void pipelines_open(struct pipelines *p, VkDevice device, VkPipelineLayout layout, bool packed_dot);
void pipelines_close(struct pipelines *p);

/* A VkPipelineCache, of one partition. */
struct pipeline_cache {
    VkDevice device; /* borrowed */
    VkPipelineCache handle;
    uint64_t serial; /* identifies the cache: the value of a handle may be used again */
    bool fill;       /* pipelines that the device already has are made again, to be in the cache */
};

/* data is the result of pipeline_cache_read, in this or an earlier process; 0 bytes: empty. */
enum status pipeline_cache_open(struct pipeline_cache *c, VkDevice device, const void *data,
                                size_t bytes, bool fill, struct diag *diag);
void pipeline_cache_close(struct pipeline_cache *c);
/* Copies the cache's data to new memory, which the caller frees with mem_free.  0 bytes: the driver
 * gives no whole header. */
enum status pipeline_cache_read(const struct pipeline_cache *c, uint8_t **data, size_t *bytes,
                                struct diag *diag);

/* The pipelines that a plan holds, each once; all zero: none. */
struct pipelines_held {
    struct pipeline **list;
    size_t count, capacity;
};

/* Makes the pipelines that the steps need and the device does not have yet, in several threads, all
 * of which have ended when it returns.  cache may be NULL.  Steps that are idle need none.  All are
 * in *held, until pipelines_release.  After a failure nothing is held, and the pipelines that could
 * be made stay. */
enum status pipelines_make_all(struct pipelines *p, struct plan_step *const *steps, int count,
                               bool half, const struct pipeline_cache *cache,
                               struct pipelines_held *held, struct diag *diag);
/* Call it when the device no longer runs any of them. */
void pipelines_release(struct pipelines *p, struct pipelines_held *held);
/* The pipeline of a step, owned by p and held from now on; made now if pipelines_make_all has not
 * made it.  A frozen step whose pipeline is not held, since its push constants have changed, has
 * that of a step which is not frozen. */
enum status pipelines_get(struct pipelines *p, struct pipelines_held *held,
                          const struct plan_step *step, bool half, VkPipeline *out,
                          struct diag *diag);
/* A pipeline that is not shared; the caller destroys it with vkDestroyPipeline.  Only one thread at
 * a time may use the cache. */
enum status pipelines_make(struct pipelines *p, const struct plan_step *step, bool half,
                           struct pipeline_cache *cache, VkPipeline *out, struct diag *diag);

/* How many pipelines of frozen steps there are: none when no plan is open. */
size_t pipelines_frozen(struct pipelines *p);
/* How many pipelines nobody holds. */
size_t pipelines_unheld(struct pipelines *p);
/* Pipelines made by this process so far, on all devices, and for how many nanoseconds starts have
 * waited for them. */
uint64_t pipelines_made(void);
uint64_t pipelines_made_ns(void);

#endif
