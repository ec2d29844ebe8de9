/* The delegate object: its options, its device, and the partitions that it runs. */
#ifndef ASSAY_DELEGATE_RUNTIME_DELEGATE_H
#define ASSAY_DELEGATE_RUNTIME_DELEGATE_H

#include "delegate/accept/decide.h"
#include "delegate/base/checksum.h"
#include "delegate/base/lock.h"
#include "delegate/graph/options.h"
#include "delegate/vulkan/device.h"
#include "delegate/vulkan/profile.h"
#include "tensorflow/lite/c/common.h"

#include <stdatomic.h>

struct graph;
struct host_source;
struct imported;
struct kernel;

struct gpu_delegate {
    TfLiteDelegate base;       /* what the host holds; base.data_ is this struct */
    int users;                 /* references: delegate_acquire's, and one until it is destroyed */
    struct gpu_delegate *next; /* in the list of the process */
    struct gpu_options options;
    struct device *device;
    struct host_source *source; /* owned; NULL: all inputs and outputs are in TfLiteTensor.data */
    struct lock prepare_lock;   /* one graph at a time is being delegated */
    struct graph *graph;        /* the graph that is being delegated; NULL otherwise */
    struct imported *imported;  /* the same, neither folded nor rewritten */
    struct lock lock;           /* guards what follows */
    struct decision decision;   /* on the graph that was delegated last */
    struct kernel *kernels;     /* partitions that are ready to run, the newest first */
    struct kernel *made;        /* partitions of that graph, not yet started, the oldest first */
    struct trace trace;
    struct device_cost cost; /* of opening the device */
    uint64_t init_ns;        /* spent in the library so far, inferences excluded */
    struct {
        uint64_t plan_ns, serialize_ns, upload_ns, tune_ns;
    } time;                    /* parts of init_ns */
    uint64_t tuned_before_ns;  /* time.tune_ns when the graph came: its budget begins there */
    atomic_bool keeps_reasons; /* plans keep why rewrites and kernels do not take a node */
    atomic_bool preparing; /* delegate_prepare runs, and measures the time of all that it calls */
    struct {
        bool has_model, warned; /* about the graph that is being delegated */
        struct checksum model;
        int found, written, failed; /* partitions so far */
        uint64_t bytes;
    } serialized;
};

/* Makes a delegate that has no callbacks yet; nobody else can see it until delegate_publish.  keys
 * and values are those of the plug-in ABI; given NULL: on a device that the library opens.
 * STATUS_USAGE, STATUS_NO_DEVICE, ... */
enum status delegate_open(struct gpu_delegate **out, const char *const *keys,
                          const char *const *values, size_t count, const struct device_given *given,
                          struct diag *diag);
/* Adds the delegate to the list of the process, in which delegate_acquire looks. */
void delegate_publish(struct gpu_delegate *d);
/* Removes the delegate from that list.  It is freed with the last of its kernels.  Does nothing for
 * NULL, and for a pointer that is not a living delegate of this library. */
void delegate_destroy(const TfLiteDelegate *delegate);

/* The delegate of a host's pointer, which is compared but not read: NULL when it is not a delegate
 * of this library, or was destroyed.  It lives until delegate_release, which takes NULL. */
struct gpu_delegate *delegate_acquire(const TfLiteDelegate *delegate);
void delegate_release(struct gpu_delegate *d);

/* Adds the time since `before` to init_ns, except while a graph is prepared: that time is measured
 * as a whole. */
void delegate_add_time(struct gpu_delegate *d, uint64_t before);
/* Adds the time since `before` to a part: &d->time.plan_ns, ... */
void delegate_add_part(struct gpu_delegate *d, uint64_t *part, uint64_t before);

#endif
