/* Recording: descriptor sets and the command buffer of an executor. */
#ifndef ASSAY_DELEGATE_VULKAN_RECORD_H
#define ASSAY_DELEGATE_VULKAN_RECORD_H

#include "delegate/vulkan/executor.h"

/* A descriptor set a step, and one an output. */
enum status record_sets(struct executor *e, struct diag *diag);
/* Points them at the memory of the plan, or the one behind inputs and outputs. */
void record_write_sets(struct executor *e);

/* The whole plan: pipelines, barriers only where data flows. */
enum status record_plan(struct executor *e, struct diag *diag);

/* One step `repeats` times with another pipeline and grid, each behind the one before; two time
 * stamps in the pool hold their time. */
enum status record_repeated(struct executor *e, const struct plan_step *s, int step,
                            VkPipeline pipeline, int repeats, VkQueryPool pool, struct diag *diag);

/* A copy of `bytes` bytes, for one submission. */
enum status record_copy(struct executor *e, VkBuffer from, VkBuffer to, size_t bytes,
                        struct diag *diag);

/* The step that stores an output, to the staging memory, in the command buffer for what runs once.
 */
enum status record_fetch(struct executor *e, int output, struct diag *diag);

#endif
