/* An op of the delegate: which nodes it accepts, how it is planned, and what the graph rewrites may
 * do with it.
 *
 * Each stem that runs on the GPU (reference/ops.def) defines one `const struct gpu_family
 * gpu_<stem>` with a row for each of its ops.  Code outside of delegate/ops asks a row, or the
 * facts of ops.def, and never the code of the op. */
#ifndef ASSAY_DELEGATE_GRAPH_GPU_OP_H
#define ASSAY_DELEGATE_GRAPH_GPU_OP_H

#include "delegate/graph/graph.h"
#include "reference/base/builtin.h"
#include "reference/base/status.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check;       /* delegate/accept/refusal.h */
struct gpu_options; /* delegate/graph/options.h */
struct planner;     /* delegate/plan/planner.h */

/* How a quantized node is computed in integers (quantized=exact). */
struct gpu_exact {
    /* Called after gpu_op.accept, which has checked shapes, parameters, types and scales.  NULL:
     * nothing is left to check. */
    bool (*accept)(struct check *c);
    /* NULL: gpu_op.plan plans quantized nodes, too. */
    enum status (*plan)(struct planner *p, const struct graph_node *node);
};

/* A node that computes a function of a tensor, alone or with a node before it. */
struct gpu_function {
    uint32_t
        activation; /* what slice.glsl calls it (delegate/shaders/activation.args.h); 0: none */
    int of;         /* the tensor */
    int through;    /* a node between the tensor and this one; -1: none */
};

/* The nodes, but the last one, of what one node can compute. */
enum { GPU_FUSED_MAX = 32 };
struct gpu_fused {
    int nodes[GPU_FUSED_MAX], count;
};
/* The node is one of them; false: there is no room for it. */
bool gpu_fused_add(struct gpu_fused *fused, int node);

/* x / sqrt(mean(x * x) + epsilon) * weights + bias, over the last dimension, of x or, if it is
 * centered, of x less its mean. */
struct gpu_norm {
    int x, weights, bias; /* tensors; weights and bias are constants, or absent: -1 */
    float epsilon;
    bool centered;
    struct gpu_fused fused;
};

/* A rotary embedding of the halves of rows. */
struct gpu_rope {
    int x, cosines, sines;     /* tensors */
    uint32_t inner, positions; /* of the angles (delegate/ops/move/rope.args.h) */
    struct gpu_fused fused;
};

/* A constant of a node, of which runs of rows (of dimension 0) can be buffers of their own. */
struct gpu_table {
    int input;
    uint64_t row_bytes; /* on the device */
    uint32_t step; /* rows that lie together: a multiple of 4, so that a run begins at a byte */
    uint32_t rows; /* of a run, by gpu_op_cut */
    /* A row makes one channel of the output, so that a run makes a node of its own with the rows of
     * all constants; else the node gets the runs but the first as inputs behind the others. */
    bool makes_channels;
};

/* Attention: logits of q and k, a mask, SOFTMAX, and a mix of v (delegate/ops/product/attention.c).
 * The rows of the result are dims; along each, operands q, k, v and mask have a stride in rows of
 * their tensors. */
enum { GPU_ATTENTION_DIMS = 4 };
struct gpu_attention {
    int q, k, v, mask; /* tensors; mask -1: none */
    float scale, cap;
    uint32_t slots, k_step, v_step; /* rows of k and v from a slot to the next */
    uint32_t size[GPU_ATTENTION_DIMS], stride[4][GPU_ATTENTION_DIMS];
    struct gpu_fused fused;
};

struct gpu_op {
    int32_t code; /* enum builtin */
    int max_version;
    uint32_t variant;      /* tells the ops of a family apart, in its files only: BINARY_ADD, ... */
    float magnitude;       /* upper bound of |result| (graph/ranges.h); 0: not known */
    uint16_t params_bytes; /* of the parameter struct; 0: it has none */
    uint16_t activation_at; /* offset of the fused activation in it */
    bool has_activation;    /* the parameters have one, at activation_at */
    /* chain: 1 more than what delegate/ops/elementwise/chain.args.h calls the op, whose result, if
     * it is f32, is computed element by element from one input or two, which are broadcast; 0: it
     * is not. */
    uint8_t link;
    /* No element of the result exceeds the largest magnitude of the inputs.  `selects` says so,
     * too. */
    bool within_inputs;
    /* Returns true when plan can plan the node, else false with the refusal filled.  The host may
     * hand over any graph, valid or not: accept answers, and never crashes. */
    bool (*accept)(struct check *c);
    enum status (*plan)(struct planner *p, const struct graph_node *node);
    /* The shape that output i has for the shapes that the inputs have now; false: there is none.
     * Parameters and constants are those of a node that was accepted; the shapes of inputs that are
     * computed may be any.  NULL: each output has the shape of input 0. */
    bool (*shape)(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s);
    /* NULL: quantized nodes are not computed in integers. */
    const struct gpu_exact *exact;

    /* Bit i: output (input) i holds indices below 2^31, which the host may have in i64, or, where
     * index_bits says so, as the bits of f32.  The import makes the tensor i32. */
    uint8_t index_outputs, index_inputs;
    bool index_bits;
    /* Bit i: with precision=fp16 input i, a state, is f32: its results are rounded once, when they
     * are summed up. */
    uint8_t wide_inputs;

    /* Which constant of the node can be cut, all members but rows; false: none.  NULL: of no node.
     */
    bool (*table)(const struct graph *g, const struct graph_node *n,
                  const struct gpu_options *options, struct gpu_table *table);
    /* Constant weights may have 4 or 2 bits, and, of f32 activations, scales of blocks. */
    bool few_bits;

    /* ---- quantized nodes ---- */
    /* quantized=exact takes i16 activations too, with i8 weights where there are some ("16x8"). */
    bool shorts;
    /* quantized=float_view does not take the op. */
    bool no_float_view;
    /* The op's shader can round results to graph_node.steps. */
    bool rounds_to_steps;
    /* 8-bit elements are used without requantization: inputs must have the output's scale and zero
     * point. */
    bool same_quant;
    /* Each element of the result is an element of an input, or the zero point: where scales and
     * zero points are the same, no result needs rounding. */
    bool selects;
    /* DEQUANTIZE: f16 or 8-bit elements become f32; of a constant the result is a constant. */
    bool dequantizes;
    /* DENSIFY: the result is the input, a constant that the import has expanded. */
    bool densifies;
    /* QUANTIZE: f32 or 8-bit elements become 8-bit ones. */
    bool quantizes;

    /* ---- placement ---- */
    /* BATCH_MATMUL: both inputs are matrices, and neither need be a constant. */
    bool multiplies_matrices;

    /* ---- graph rewrites (delegate/transform); the nodes they ask about were accepted ---- */
    /* fold: computes the output of a node whose data inputs are all constants, in f32, bit for bit
     * as the CPU's kernel does.  NULL: not folded. */
    void (*fold)(const struct graph *g, const struct graph_node *n, float *values);
    /* identity: the input that the result equals bit for bit, if both have one shape and type; -1:
     * none.  NULL: none in any node. */
    int (*kept_input)(const struct graph *g, const struct graph_node *n);
    /* identity, RESHAPE: the result is the input's elements in their order, so that only the last
     * of several in a row matters. */
    bool reshapes;
    /* activation: the fused activation that computes the same; kTfLiteActNone: there is none. */
    TfLiteFusedActivation as_activation;
    /* function: the function of the node's result.  NULL: none in any node. */
    struct gpu_function (*function)(const struct graph *g, const struct graph_node *n);
    /* norm, ADD and MUL: whether the node is the last of a norm.  NULL: no node is. */
    bool (*norm)(const struct graph *g, const struct graph_node *n, struct gpu_norm *norm);
    /* rope, CONCATENATION: whether the node is the last of a rotary embedding.  NULL: no node is.
     */
    bool (*rope)(const struct graph *g, const struct graph_node *n, struct gpu_rope *rope);
    /* attention, BATCH_MATMUL: whether the node is the last of attention.  NULL: no node is. */
    bool (*attention)(const struct graph *g, const struct graph_node *n,
                      struct gpu_attention *attention);
    /* pad, PAD: whether only H and W of an NHWC image get zeros; before_hw: how many before them.
     */
    bool (*pads_image)(const struct graph *g, const struct graph_node *n, int64_t before_hw[2]);
    /* pad, a convolution or a pool: whether the shader can take padding with zeros from
     * graph_node.pad_top and pad_left, because the node has none of its own, or those already. */
    bool (*takes_padding)(const struct graph_node *n);
    /* mean, a pool: the op that computes the same over axes H and W, with keep_dims, if one window
     * is the whole image.  0: none (that is ADD, no such op). */
    int32_t reduces_as;
    /* product: its plan heeds graph_node.as_conv_1x1; inputs are rows, weights [units, depth]. */
    bool has_conv_1x1;
    /* residual, ADD: the result is activation(a + b). */
    bool adds;
    /* residual, a product: whether the shader can add graph_node.residual before the activation,
     * and the node has no activation yet. */
    bool (*takes_residual)(const struct graph *g, const struct graph_node *n);
};

/* ---- parts of rows of struct gpu_op ---- */

/* GPU_OP(PACK, 5): the builtin op PACK, up to version 5. */
#define GPU_OP(code_, version) .code = BUILTIN_##code_, .max_version = version
/* The op moves elements, integers as floats: a quantized node needs no check or plan of its own. */
#define GPU_MOVES .same_quant = true, .selects = true, .exact = &gpu_exact_moves, .shorts = true
extern const struct gpu_exact gpu_exact_moves;
/* The op's parameters are of this type, which has a member `activation`. */
#define GPU_ACTIVATION(type)                                                                       \
    .params_bytes = sizeof(type), .has_activation = true,                                          \
    .activation_at = offsetof(type, activation)

/* kept_input of ops whose result of the same shape is input 0: 0. */
int gpu_first_input(const struct graph *g, const struct graph_node *n);

struct gpu_family {
    const struct gpu_op *ops;
    size_t count;
};

/* NULL: the delegate does not have the op. */
const struct gpu_op *gpu_op_find(int32_t code);

/* The fused activation in the node's parameters; kTfLiteActNone for an op without one. */
TfLiteFusedActivation gpu_op_activation(const struct graph_node *n);
/* The node has a constant that exceeds a storage buffer, but can be cut into runs that do not. */
bool gpu_op_cut(const struct graph *g, const struct graph_node *n,
                const struct gpu_options *options, const struct device_limits *limits,
                struct gpu_table *table);
/* The node that computes the tensor, if it is this op of f32, as the model has it, and neither
 * activates nor rounds its result; else -1. */
int gpu_op_producer(const struct graph *g, int tensor, int32_t code);
/* Applies one of the activations that check_activation accepts, as the shaders do: NaN stays NaN.
 */
float gpu_op_activate(TfLiteFusedActivation activation, float v);
/* The same of a result that the runtime clamps to finite numbers, even with kTfLiteActNone. */
float gpu_op_activate_fused(TfLiteFusedActivation activation, float v);

/* Rounds reals to the quantization steps of an 8-bit tensor (delegate/ops/elementwise/simulate.c).
 * No model has this op, so gpu_op_find does not find it. */
extern const struct gpu_op gpu_simulate;
/* A run of elementwise nodes (delegate/ops/elementwise/chain.c), no op of a model either: transform
 * `chain` makes it.  The parameters are a struct chain (graph/chain.h). */
extern const struct gpu_op gpu_chain;
/* The nodes of a norm (delegate/ops/reduce/norm.c), which transform `norm` makes one: inputs are x,
 * weights and bias, the parameters a struct gpu_norm. */
extern const struct gpu_op gpu_norm;
/* The same of a rotary embedding (delegate/ops/move/rope.c): x, cosines, sines, a struct gpu_rope.
 */
extern const struct gpu_op gpu_rope;
/* The same of attention: q, k, v and maybe a mask, a struct gpu_attention. */
extern const struct gpu_op gpu_attention;

/* The workgroup size in x that ops give to their steps.  step_items and tuning may replace it
 * (plan/workgroups.h). */
enum { WORKGROUP = 64 };

#endif
