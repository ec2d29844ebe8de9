/* An op of the delegate: what it accepts and how it is planned.
 *
 * Each stem of reference/ops.def marked OP defines one `const struct gpu_family gpu_<stem>` with a
 * row for each of its ops. */
#ifndef ASSAY_DELEGATE_GPU_OP_H
#define ASSAY_DELEGATE_GPU_OP_H

#include "delegate/plan.h"
#include "delegate/refusal.h"
#include "reference/builtin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_op {
    int32_t code; /* enum builtin */
    int max_version;
    uint32_t variant; /* the family's own */
    bool half;        /* its tensors may all be f16, too */
    /* The parameters of an op with a fused activation, and where that is; 0: it has none. */
    size_t params_bytes, activation_at;
    /* True: plan will do.  Total: whatever the host hands over gives an answer, never a crash. */
    bool (*accept)(struct check *c);
    enum status (*plan)(struct planner *p, const struct graph_node *node);
};

#define GPU_ACTIVATION(type)                                                                       \
    .params_bytes = sizeof(type), .activation_at = offsetof(type, activation)

struct gpu_family {
    const struct gpu_op *ops;
    size_t count;
};

/* NULL when no family has the op. */
const struct gpu_op *gpu_op_find(int32_t code);

/* Specialization constants 0..2 are the workgroup size; an op's own begin here. */
enum { SPEC_FIRST = 3 };

/* The invocations of a plain elementwise workgroup. */
enum { WORKGROUP = 64 };

#endif
