/* The delegate object, and the kernels that run its partitions. */
#ifndef ASSAY_DELEGATE_RUNTIME_DELEGATE_H
#define ASSAY_DELEGATE_RUNTIME_DELEGATE_H

#include "delegate/accept/decide.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "delegate/plan/plan.h"
#include "delegate/runtime/serialize.h"
#include "delegate/vulkan/binding.h"
#include "delegate/vulkan/device.h"
#include "delegate/vulkan/executor.h"
#include "tensorflow/lite/c/common.h"

#include <pthread.h>
#include <stdatomic.h>

struct kernel;

struct gpu_delegate {
    TfLiteDelegate base; /* what the host holds; base.data_ is this struct */
    int users;           /* delegate_hold's, and one until it is destroyed */
    struct gpu_delegate *next;
    struct gpu_options options;
    struct device *device;
    pthread_mutex_t prepare_lock; /* one graph at a time is being delegated */
    struct graph *graph;          /* of the graph that is being delegated; NULL otherwise */
    pthread_mutex_t lock;         /* guards what follows */
    struct decision decision;     /* of the graph delegated last */
    struct kernel *kernels;       /* that are ready */
    struct trace trace;
    struct device_cost cost; /* of opening the device */
    uint64_t init_ns;        /* in our functions until now, inferences excluded */
    struct {
        uint64_t plan_ns, serialize_ns, upload_ns, tune_ns;
    } time;                   /* of it */
    uint64_t tuned_before_ns; /* tune_ns when the graph came: its budget begins there */
    atomic_bool preparing;    /* a graph is being delegated: its time is taken */
    struct {
        bool has_model, warned; /* of the graph that is being delegated */
        struct hash model;
        int found, written, failed; /* partitions so far */
        uint64_t bytes;
    } serialized;
};

/* An input or output of a partition, at run time. */
struct kernel_io {
    bool last;  /* an output that no node reads: it stays here until the host asks for it */
    bool fresh; /* an output: it is what the last inference made */
    struct binding bound;
};

/* One partition in one interpreter. */
struct kernel {
    struct gpu_delegate *owner; /* held */
    struct kernel *next;
    struct plan plan;
    struct executor executor;
    struct serialization serialization;
    bool ready;               /* the executor is open */
    bool unplanned;           /* its memory is to be assigned before it runs */
    pthread_mutex_t run_lock; /* guards what runs, and what it is bound to */
    struct kernel_io *inputs, *outputs;
    struct kernel *next_known; /* handle.c */
    int first_handle;          /* of output 0; 0: none */
    atomic_uint_fast64_t invokes, invoke_ns;
    atomic_uint_fast64_t host_copies, host_copied_bytes, device_copies;
};

/* keys and values as in the plug-in ABI; given NULL: a device of ours.  STATUS_USAGE,
 * STATUS_NO_DEVICE, ... */
enum status delegate_create(struct gpu_delegate **out, const char *const *keys,
                            const char *const *values, size_t count,
                            const struct device_given *given, struct diag *diag);
/* Its kernels may live on: the last of them takes it along.  NULL, and what is no delegate of ours
 * that lives, is left alone. */
void delegate_destroy(const TfLiteDelegate *delegate);

/* The delegate of a host's pointer, which is not looked into: NULL when it is none of ours, or was
 * destroyed.  Stays until delegate_drop (which takes NULL). */
struct gpu_delegate *delegate_hold(const TfLiteDelegate *delegate);
void delegate_drop(struct gpu_delegate *d);

/* The time since `before` was spent to get ready; what delegate_prepare calls is in its time. */
void delegate_add_time(struct gpu_delegate *d, uint64_t before);
/* Adds it to a part: &d->time.plan_ns, ... */
void delegate_add_part(struct gpu_delegate *d, uint64_t *part, uint64_t before);

/* The partitions that run now, the oldest first; NULL past the end.  The caller holds d->lock. */
struct kernel *delegate_partition(const struct gpu_delegate *d, int i);

/* Assigns memory anew, for what inputs and outputs are bound to now.  The caller holds run_lock. */
enum status kernel_replan(struct kernel *k, struct diag *diag);

/* Copies output i of the last inference to the host's tensor, waiting for it. */
enum status kernel_read_output(struct kernel *k, int i, TfLiteTensor *t, struct diag *diag);

/* The functions of a partition's kernel. */
extern const TfLiteRegistration kernel_registration;

#endif
