/* The recording of a plan: descriptor sets and command buffers over the memory that the plan's
 * tensors, inputs and outputs have on a device. */
#ifndef ASSAY_DELEGATE_VULKAN_RECORD_H
#define ASSAY_DELEGATE_VULKAN_RECORD_H

#include "delegate/plan/plan.h"
#include "delegate/vulkan/buffer.h"
#include "delegate/vulkan/device.h"
#include "delegate/vulkan/pipeline.h"
#include "delegate/vulkan/profile.h"

#include <stdbool.h>
#include <vulkan/vulkan.h>

/* Memory of the caller behind an input or output of the plan. */
struct executor_io {
    VkBuffer handle; /* VK_NULL_HANDLE: the staging buffer is used */
    VkDeviceSize offset;
    bool foreign; /* shared with another VkDevice: needs queue family ownership transfers */
};

struct recording {
    struct device *device;   /* borrowed */
    const struct plan *plan; /* borrowed */
    struct buffer constants, arena, input, output;
    struct executor_io *inputs, *outputs; /* as many as the plan has */
    VkDescriptorPool pool;
    /* One a step, then one an output for record_stage_output, then those of prefetched steps. */
    VkDescriptorSet *sets;
    VkCommandBuffer run;   /* one inference: recorded once, submitted each time */
    VkCommandBuffer early; /* what may run before the inputs are there */
    VkCommandBuffer once;  /* recorded anew for each submission */
    int barriers, dispatches;
    int prefetched;               /* dispatches of `early`; 0: it is not recorded */
    int copies;                   /* dispatches that convert an input or output */
    struct pipeline_cache *cache; /* borrowed; NULL: none */
    struct pipelines_held held;
    struct profile *profile; /* NULL: not profiled */
};

/* Allocates the descriptor sets, and writes them. */
enum status record_sets(struct recording *r, struct diag *diag);
/* Writes the sets again, after the memory behind a tensor, input or output has changed. */
void record_write_sets(struct recording *r);

/* The word that the arena is filled with before each run, where the plan has option poison. */
uint32_t record_poison(const struct plan *p);

/* Records the whole plan in r->run, with a barrier between steps only where both access the same
 * bytes and at least one of them writes. */
enum status record_plan(struct recording *r, struct diag *diag);

/* Records one step `repeats` times in r->run, with another pipeline and the grid of s, each after
 * the one before has ended.  Two time stamps in the pool hold the time of all. */
enum status record_repeated(struct recording *r, const struct plan_step *s, int step,
                            VkPipeline pipeline, int repeats, VkQueryPool pool, struct diag *diag);

/* Records a copy of `bytes` bytes in r->run, to be submitted once. */
enum status record_copy(struct recording *r, VkBuffer from, VkBuffer to, size_t bytes,
                        struct diag *diag);

/* Records the step that stores an output in r->once, with the staging buffer as its target. */
enum status record_stage_output(struct recording *r, int output, struct diag *diag);

#endif
