/* Device time of each step, by time stamps in the command buffer.  Barriers separate profiled
 * steps, so that each has a time of its own; an inference takes longer than without. */
#ifndef ASSAY_DELEGATE_VULKAN_PROFILE_H
#define ASSAY_DELEGATE_VULKAN_PROFILE_H

#include "delegate/base/lock.h"
#include "delegate/plan/plan.h"
#include "delegate/vulkan/device.h"

#include <stdio.h>

struct profile_time {
    uint64_t last_ns, min_ns, sum_ns;
};

/* The host's part of an inference: CLOCK_MONOTONIC in ns, at the end of each phase. */
struct profile_host {
    uint64_t begin_ns, copied_in_ns, submitted_ns, waited_ns, end_ns;
};

/* A trace shows this many of the last inferences. */
enum { PROFILE_TRACED = 16 };

struct profile {
    VkQueryPool pool; /* one stamp before the first step, and one after each step */
    int steps;
    double tick_ns;
    uint64_t *stamps; /* of the last inference, in ticks */
    struct lock lock; /* guards what follows: one thread may read it while another one runs */
    uint64_t runs;
    struct profile_host host;  /* of the last inference */
    struct profile_time *time; /* of each step */
    uint64_t *traced; /* PROFILE_TRACED rows of steps + 1, in ns; row runs % PROFILE_TRACED */
};

/* STATUS_NO_DEVICE when the queue has no time stamps.  After any failure, profile_close(*out). */
enum status profile_open(struct profile **out, struct device *d, const struct plan *plan,
                         struct diag *diag);
void profile_close(struct profile *p, struct device *d);

/* Record the stamp before the first step, and the one after step index - 1. */
void profile_begin(struct profile *p, VkCommandBuffer commands);
void profile_stamp(struct profile *p, VkCommandBuffer commands, int index);

/* Reads the stamps of the inference that has ended. */
enum status profile_collect(struct profile *p, struct device *d, struct diag *diag);
/* Returns the number of inferences so far, with the times of one step.  Any thread may call it. */
uint64_t profile_read(struct profile *p, int step, struct profile_time *time);

/* The host's part of the last inference; any thread may read it. */
void profile_set_host(struct profile *p, const struct profile_host *host);
uint64_t profile_read_host(struct profile *p, struct profile_host *host);

/* A trace in the JSON array form that Perfetto and chrome://tracing read.  trace_open makes the
 * file, so that a path that cannot be written fails the start: STATUS_IO with path and reason. */
struct trace {
    FILE *file; /* NULL: no trace */
    const char *path;
    int threads; /* partitions written so far */
};
enum status trace_open(struct trace *t, const char *path, struct diag *diag);
/* Appends the last inferences of one partition. */
void trace_write(struct trace *t, const struct profile *p, const struct plan *plan);
/* Ends the array and closes the file.  STATUS_IO when any part could not be written. */
enum status trace_close(struct trace *t, struct diag *diag);

#endif
