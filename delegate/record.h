/* Recording: descriptor sets and the command buffer of an executor. */
#ifndef ASSAY_DELEGATE_RECORD_H
#define ASSAY_DELEGATE_RECORD_H

#include "delegate/executor.h"

/* A descriptor set a step. */
enum status record_sets(struct executor *e, struct diag *diag);

/* The whole plan: pipelines, barriers only where data flows. */
enum status record_plan(struct executor *e, struct diag *diag);

/* One step `repeats` times with another pipeline and grid, each behind the one before; two time
 * stamps in the pool hold their time. */
enum status record_repeated(struct executor *e, const struct plan_step *s, int step,
                            VkPipeline pipeline, int repeats, VkQueryPool pool, struct diag *diag);

/* A copy of `bytes` bytes, for one submission. */
enum status record_copy(struct executor *e, VkBuffer from, VkBuffer to, size_t bytes,
                        struct diag *diag);

#endif
