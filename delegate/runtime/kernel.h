/* One partition in one interpreter: the kernel that the host runs in place of its nodes. */
#ifndef ASSAY_DELEGATE_RUNTIME_KERNEL_H
#define ASSAY_DELEGATE_RUNTIME_KERNEL_H

#include "delegate/base/checksum.h"
#include "delegate/base/lock.h"
#include "delegate/plan/make.h"
#include "delegate/plan/plan.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/handle.h"
#include "delegate/runtime/host_source.h"
#include "delegate/runtime/imported.h"
#include "delegate/runtime/serialize.h"
#include "delegate/vulkan/executor.h"
#include "delegate/vulkan/io_binding.h"
#include "tensorflow/lite/c/common.h"

#include <stdatomic.h>
#include <stdbool.h>

struct pending;

/* An input or output of a partition, at run time. */
struct kernel_io {
    bool unread; /* an output that no node reads: it stays on the device until the host asks for it
                  */
    bool fresh;  /* an output: it holds the result of the last inference */
    struct io_binding bound;
    struct host_memory memory; /* during an inference: where the host has it */
    struct host_block *block;  /* held: what `bound` is imported from; NULL: bound by the caller */
    /* The block of the last inference, and how often in a row it was the same. */
    const struct host_block *last;
    int repeats;
    bool restless; /* blocks change too often to be imported */
};

/* An output of shape arithmetic, which has its value from prepare on. */
struct kernel_value {
    int tensor;
    struct graph_shape shape;
    size_t bytes;
    void *data; /* mem_free */
};

struct kernel {
    struct gpu_delegate *owner; /* held */
    struct kernel *next;        /* in owner->kernels */
    struct kernel *next_made;   /* in owner->made */
    /* What the partition is planned from, as long as the kernel lives: see start.c. */
    struct imported *imported; /* held */
    struct arena arena;        /* of the lists of the request */
    struct plan_request request;
    struct graph_shape *input_shapes, *output_shapes; /* that it is planned for */
    /* Nodes of the partition that the host's kernels compute, in execution order; of `imported`. */
    const struct graph_node **variables;
    int variable_count;
    /* Outputs that are values of shape arithmetic, and the sum of those that nodes on the device
     * read: other ones need another plan. */
    struct kernel_value *values;
    int value_count;
    struct checksum read_values;
    bool follows_shapes; /* there are such outputs or values */
    bool planned;
    bool empty; /* no output has an element: there is no plan, and nothing to run */
    struct plan plan;
    struct executor executor;
    struct serialization serialization;
    bool ready;           /* the executor is open */
    bool needs_replan;    /* kernel_replan failed: call it again before the next inference */
    struct lock run_lock; /* guards the executor, and what inputs and outputs are bound to */
    struct kernel_io *inputs, *outputs;
    struct pending *pending; /* the last inference was asynchronous; of the interpreter's thread */
    struct handle_range handles; /* one an output */
    bool cannot_import;          /* the device failed to import memory of the host: it is copied */
    atomic_uint_fast64_t invokes, invoke_ns;
    atomic_uint_fast64_t host_copies, host_copied_bytes, device_copies;
};

/* The i-th partition that d runs now, the oldest first; NULL past the end.  The caller holds
 * d->lock. */
struct kernel *kernel_at(const struct gpu_delegate *d, int i);

/* The partitions that the host makes while a graph is delegated: the delegate starts them before
 * Prepare ends. */
void delegate_remember_made(struct gpu_delegate *d, struct kernel *k);
void delegate_forget_made(struct gpu_delegate *d, const struct kernel *k);
/* The first of them, which is then forgotten; NULL: none. */
struct kernel *delegate_next_made(struct gpu_delegate *d);

/* Assigns memory again, for what inputs and outputs are bound to now.  The caller holds run_lock.
 */
enum status kernel_replan(struct kernel *k, struct diag *diag);

#endif
