/* An op of the delegate: what it accepts and how it is planned.
 *
 * Each stem that runs on the GPU (reference/ops.def) defines one `const struct gpu_family
 * gpu_<stem>` with a row for each of its ops. */
#ifndef ASSAY_DELEGATE_GRAPH_GPU_OP_H
#define ASSAY_DELEGATE_GRAPH_GPU_OP_H

#include "delegate/graph/graph.h"
#include "reference/base/builtin.h"
#include "reference/base/status.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check;   /* delegate/accept/refusal.h */
struct planner; /* delegate/plan/planner.h */

/* A quantized node in integers. */
struct gpu_exact {
    /* Behind gpu_op's accept, which has checked shapes, parameters and that tensors have types and
     * scales of the kind; NULL: nothing is left to check. */
    bool (*accept)(struct check *c);
    enum status (*plan)(struct planner *p, const struct graph_node *node);
};

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
    /* NULL: quantized nodes are not computed in integers. */
    const struct gpu_exact *exact;
    /* Quantized nodes have no float view: their results are no floats. */
    bool no_float_view;
    /* Its shader can round to the steps of graph_node. */
    bool rounds;
    /* Integers are taken as they are, whatever they mean: inputs have the output's scale. */
    bool raw;
    /* Values are moved or picked: where scales are the same, results are on the steps. */
    bool moves;
    /* Constant folding: computes the output of a node whose data inputs are all constants and which
     * accept has passed, in f32, bit for bit as the CPU's kernel does.  NULL: not folded. */
    void (*fold)(const struct graph *g, const struct graph_node *n, float *values);
    /* The input whose bits are the result's, where both have one shape and type; -1: none.  NULL:
     * none in any node.  The node was accepted, so what must be constant is. */
    int (*kept_input)(const struct graph *g, const struct graph_node *n);
    /* RESHAPE: the result is the input's elements in their order, so that of two in a row the first
     * makes no difference. */
    bool reshapes;
    /* PAD: zeros are added to H and W of an image and to nothing else: how many before them.  NULL,
     * or false: not so in this node. */
    bool (*pads_image)(const struct graph *g, const struct graph_node *n, int64_t before_hw[2]);
    /* A convolution: its shader can begin outside of the image as graph_node.pad_top and pad_left
     * say; the window of this node begins at the edge of its input, or has such pads already. */
    bool (*takes_padding)(const struct graph_node *n);
    /* ADD: the result is activation(a + b). */
    bool adds;
    /* A convolution: its shader can add graph_node.residual for this node, without an activation of
     * its own before the sum. */
    bool (*takes_residual)(const struct graph *g, const struct graph_node *n);
    /* A pool: the op that computes the same, with axes H and W and keep_dims, where one window is
     * the whole image.  0: none (ADD is no such op). */
    int32_t reduces_as;
    /* Its plan heeds graph_node.as_product: inputs are rows, weights [units, depth]. */
    bool has_product;
    /* The fused activation that computes the same; kTfLiteActNone: there is none. */
    TfLiteFusedActivation as_activation;
    /* DEQUANTIZE: f16 or 8-bit elements become f32, and a constant stays a constant. */
    bool dequantizes;
    /* QUANTIZE: f32 or 8-bit elements become 8-bit ones. */
    bool quantizes;
};

#define GPU_ACTIVATION(type)                                                                       \
    .params_bytes = sizeof(type), .activation_at = offsetof(type, activation)

struct gpu_family {
    const struct gpu_op *ops;
    size_t count;
};

/* NULL when no family has the op. */
const struct gpu_op *gpu_op_find(int32_t code);

/* The fused activation in the node's parameters; kTfLiteActNone for an op without one. */
TfLiteFusedActivation gpu_op_activation(const struct graph_node *n);
/* v after an activation that check_activation accepts, as the shaders compute it: NaN stays NaN. */
float gpu_op_activate(TfLiteFusedActivation activation, float v);

/* Rounds to the steps of an 8-bit tensor (delegate/ops/simulate.c): in no model, so gpu_op_find
 * does not know it. */
extern const struct gpu_op gpu_simulate;

/* The invocations of a plain elementwise workgroup. */
enum { WORKGROUP = 64 };

#endif
