/* A plan on a device: memory, pipelines, one command buffer recorded once, submitted per run. */
#ifndef ASSAY_DELEGATE_EXECUTOR_H
#define ASSAY_DELEGATE_EXECUTOR_H

#include "delegate/device.h"
#include "delegate/plan.h"
#include "delegate/profile.h"

#include <vulkan/vulkan.h>

struct executor_buffer {
    VkBuffer handle;
    struct block block;
    void *mapped; /* NULL: not host-visible */
    bool coherent;
    VkDeviceSize bytes;
};

struct executor {
    struct device *device;   /* borrowed */
    const struct plan *plan; /* borrowed */
    enum gpu_wait wait;
    struct executor_buffer constants, arena, input, output;
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* one a step */
    VkCommandPool commands;
    VkCommandBuffer buffer;
    VkFence fence;
    int barriers;
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

/* The dense bytes of input (output) i of the plan, host-visible. */
void *executor_input(struct executor *e, int i);
const void *executor_output(const struct executor *e, int i);

/* Runs once: the inputs written before are used, the outputs can be read afterwards. */
enum status executor_run(struct executor *e, struct diag *diag);

#endif
