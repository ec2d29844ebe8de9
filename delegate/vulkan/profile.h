/* Device time of each step, by time stamps in the command buffer.  Profiled steps are separated by
 * barriers, so that each has its own time; the whole is slower than without. */
#ifndef ASSAY_DELEGATE_VULKAN_PROFILE_H
#define ASSAY_DELEGATE_VULKAN_PROFILE_H

#include "delegate/base/lock.h"
#include "delegate/plan/plan.h"
#include "delegate/vulkan/device.h"

#include <stdio.h>

struct profile_time {
    uint64_t last_ns, min_ns, sum_ns;
};

/* How many of the last inferences a trace shows. */
enum { PROFILE_TRACED = 16 };

struct profile {
    VkQueryPool pool; /* one stamp before the first step and one behind each */
    int steps;
    double tick_ns;
    uint64_t *stamps; /* of the last run, in ticks */
    struct lock lock; /* guards what follows: a thread may ask while another one runs */
    uint64_t runs;
    struct profile_time *time; /* of each step */
    uint64_t *traced; /* PROFILE_TRACED rows of steps + 1, in ns; row runs % PROFILE_TRACED */
};

/* STATUS_NO_DEVICE when the queue has no time stamps. */
enum status profile_open(struct profile **out, struct device *d, const struct plan *plan,
                         struct diag *diag);
void profile_close(struct profile *p, struct device *d);

/* Recording. */
void profile_begin(struct profile *p, VkCommandBuffer commands);
void profile_stamp(struct profile *p, VkCommandBuffer commands, int index);

/* After a run. */
enum status profile_collect(struct profile *p, struct device *d, struct diag *diag);
/* How many runs there were, and the time of a step.  Any thread. */
uint64_t profile_read(struct profile *p, int step, struct profile_time *time);

/* A trace in the JSON array form that Perfetto and chrome://tracing read.  The file is made at
 * once, so that a path that cannot be written is known early.  STATUS_IO with path and reason. */
struct trace {
    FILE *file; /* NULL: no trace */
    const char *path;
    int threads; /* partitions written so far */
};
enum status trace_open(struct trace *t, const char *path, struct diag *diag);
/* Appends the last inferences of one partition. */
void trace_write(struct trace *t, const struct profile *p, const struct plan *plan);
/* Ends the array.  STATUS_IO when anything could not be written. */
enum status trace_close(struct trace *t, struct diag *diag);

#endif
