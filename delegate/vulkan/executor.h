/* A plan on a device: memory, pipelines, and one command buffer that is recorded once and submitted
 * at each inference.  One thread at a time uses an executor. */
#ifndef ASSAY_DELEGATE_VULKAN_EXECUTOR_H
#define ASSAY_DELEGATE_VULKAN_EXECUTOR_H

#include "delegate/graph/options.h"
#include "delegate/plan/plan.h"
#include "delegate/vulkan/device.h"
#include "delegate/vulkan/record.h"

#include <vulkan/vulkan.h>

struct executor {
    struct recording recording;
    enum gpu_wait wait;
    VkCommandPool commands;
    VkFence fence;
    bool running;     /* an inference was submitted and not waited for */
    bool failed;      /* the last inference did */
    bool prefetching; /* the early commands were submitted, and no inference behind them */
};

/* Makes all allocations and uploads the plan's packed constants.  On failure *e is closed.  cache:
 * used by the pipelines of executor_record; may be NULL. */
enum status executor_open(struct executor *e, struct device *d, const struct plan *plan,
                          const struct gpu_options *options, struct pipeline_cache *cache,
                          struct diag *diag);
/* Waits for an inference that still runs.  Takes an executor that is closed, or all zero. */
void executor_close(struct executor *e);
/* Makes the pipelines and records the plan.  Workgroup sizes may change until then. */
enum status executor_record(struct executor *e, struct diag *diag);

/* Nanoseconds that executors of this process have waited so far for the driver to make their
 * memory, descriptors and command buffers, and to upload constants. */
uint64_t executor_driver_ns(void);

/* Submits what the command buffer holds, and waits for it. */
enum status executor_submit(struct executor *e, struct diag *diag);

/* The dense bytes of input (output) i of the plan in the staging buffer, host-visible.  Not for one
 * that is in memory of the caller. */
void *executor_input(struct executor *e, int i);
const void *executor_output(const struct executor *e, int i);

/* Runs one inference: reads the inputs that were written before, and leaves the outputs to be read.
 */
enum status executor_run(struct executor *e, struct diag *diag);
/* Submits what need not wait for inputs, if there is anything.  No inference runs.  Without it
 * executor_start gives the same results, later. */
enum status executor_prefetch(struct executor *e, struct diag *diag);
/* The two halves of executor_run.  Between them the inputs must not be written.  executor_finish
 * does nothing when no inference runs. */
enum status executor_start(struct executor *e, struct diag *diag);
enum status executor_finish(struct executor *e, struct diag *diag);
/* Whether executor_finish would return at once. */
bool executor_has_ended(const struct executor *e);
/* Copies output i, when it is in memory of the caller, to executor_output(e, i). */
enum status executor_stage_output(struct executor *e, int i, struct diag *diag);

/* Call it after the memory behind inputs or outputs has changed and plan_assign_memory has run
 * again: it writes descriptors, enlarges the arena when it must, and records.  After a failure,
 * restore the former memory and call it again, until it succeeds. */
enum status executor_rebind(struct executor *e, struct diag *diag);

#endif
