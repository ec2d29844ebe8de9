/* A plan on a device: memory, pipelines, one command buffer recorded once, submitted per run.
 *
 * One thread at a time uses an executor. */
#ifndef ASSAY_DELEGATE_VULKAN_EXECUTOR_H
#define ASSAY_DELEGATE_VULKAN_EXECUTOR_H

#include "delegate/plan/plan.h"
#include "delegate/vulkan/device.h"
#include "delegate/vulkan/profile.h"

#include <vulkan/vulkan.h>

struct executor_buffer {
    VkBuffer handle;
    struct block block;
    void *mapped; /* NULL: not host-visible */
    bool coherent;
    VkDeviceSize bytes;
};

/* Memory of the caller behind an input or output of the plan. */
struct executor_io {
    VkBuffer handle; /* VK_NULL_HANDLE: none: the staging buffer is used */
    VkDeviceSize offset;
    bool foreign; /* shared with another device: it is taken over and given back */
};

struct executor {
    struct device *device;   /* borrowed */
    const struct plan *plan; /* borrowed */
    enum gpu_wait wait;
    struct executor_buffer constants, arena, input, output;
    struct executor_io *inputs, *outputs; /* as many as the plan has */
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* one a step, and one an output for executor_fetch */
    VkCommandPool commands;
    VkCommandBuffer buffer, once; /* of a run, and of what is recorded for once */
    VkFence fence;
    bool running; /* was submitted and not waited for */
    bool failed;  /* what ran last */
    int barriers, dispatches;
    int copies;                   /* of them, from inputs and to outputs */
    struct pipeline_cache *cache; /* borrowed, while it is opened */
    struct profile *profile;      /* NULL: not profiled */
};

/* All allocation, and the upload of the plan's packed constants.  Takes nothing on failure.  cache:
 * where executor_record's pipelines go through; may be NULL. */
enum status executor_open(struct executor *e, struct device *d, const struct plan *plan,
                          const struct gpu_options *options, struct pipeline_cache *cache,
                          struct diag *diag);
void executor_close(struct executor *e);
/* All pipelines, and the recording; the sizes of workgroups may change until then. */
enum status executor_record(struct executor *e, struct diag *diag);

/* Submits what is recorded in the command buffer, and waits. */
enum status executor_submit(struct executor *e, struct diag *diag);

/* The dense bytes of input (output) i of the plan, host-visible: not of one that is in memory of
 * the caller. */
void *executor_input(struct executor *e, int i);
const void *executor_output(const struct executor *e, int i);

/* Runs once: the inputs written before are used, the outputs can be read afterwards. */
enum status executor_run(struct executor *e, struct diag *diag);
/* Its two halves.  Inputs are not written between them; to finish what does not run is allowed. */
enum status executor_start(struct executor *e, struct diag *diag);
enum status executor_finish(struct executor *e, struct diag *diag);
/* Brings output i, when it is in memory of the caller, to executor_output once more. */
enum status executor_fetch(struct executor *e, int i, struct diag *diag);

/* After a change of the memory behind inputs or outputs, for which the plan's memory was assigned
 * anew: descriptors, the arena when it must grow, and the recording.  After a failure it must be
 * called again, for the memory from before, until it succeeds. */
enum status executor_rebind(struct executor *e, struct diag *diag);

#endif
