/* Compute pipelines of a device: made for the first plan that needs a shader with its
 * specialization constants, then shared by all steps that have the same, and destroyed with the
 * device. */
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

struct pipelines {
    VkDevice device;         /* borrowed */
    VkPipelineLayout layout; /* borrowed */
    atomic_bool packed_dot;  /* steps may use the shaders with the packed dot product */
    struct lock lock;        /* guards the list, and is held while pipelines are made */
    struct pipeline *list;
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
/* Copies the cache's data to new memory, which the caller frees with mem_free. */
enum status pipeline_cache_read(const struct pipeline_cache *c, uint8_t **data, size_t *bytes,
                                struct diag *diag);

/* Makes the pipelines that the steps need and the device does not have yet, in several threads, all
 * of which have ended when it returns.  cache may be NULL.  Steps that are idle need none.  After a
 * failure the pipelines that could be made stay. */
enum status pipelines_make_all(struct pipelines *p, struct plan_step *const *steps, int count,
                               bool half, const struct pipeline_cache *cache, struct diag *diag);
/* The pipeline of a step, owned by p; made now if pipelines_make_all has not made it. */
enum status pipelines_get(struct pipelines *p, const struct plan_step *step, bool half,
                          VkPipeline *out, struct diag *diag);
/* A pipeline that is not shared; the caller destroys it with vkDestroyPipeline.  Only one thread at
 * a time may use the cache. */
enum status pipelines_make(struct pipelines *p, const struct plan_step *step, bool half,
                           struct pipeline_cache *cache, VkPipeline *out, struct diag *diag);

/* Pipelines made by this process so far, on all devices, and for how many nanoseconds starts have
 * waited for them. */
uint64_t pipelines_made(void);
uint64_t pipelines_made_ns(void);

#endif
