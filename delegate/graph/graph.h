/* The delegate's copy of the host's graph, or of a part of it, as plain data.
 *
 * Tensors have the host's indices.  Names and shapes are copied; constants and parameters point
 * into the host's memory, which is valid during TfLiteDelegate.Prepare. */
#ifndef ASSAY_DELEGATE_GRAPH_GRAPH_H
#define ASSAY_DELEGATE_GRAPH_GRAPH_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/steps.h"
#include "reference/base/arena.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRAPH_MAX_RANK = 8 };

struct gpu_op;
struct variable_use; /* delegate/graph/variables.h */

/* Affine quantization: real = scale[c] * (q - zero_point[c]). */
struct graph_quant {
    const float *scale; /* positive, finite; NULL: the tensor has no valid scales */
    const int32_t *zero_point;
    size_t count; /* 1: per tensor; else per channel: the size of `dimension`; 0: no scales */
    size_t inner; /* elements of one index of that dimension */
    int dimension;
    /* Weights [rows, K] of which each run of `block` elements of a row has a scale, f16, and no
     * zero point; NULL: none, or those above. */
    const void *block_scales;
    size_t block;
};

/* The dims that a tensor has, or would have. */
struct graph_shape {
    int rank;
    int32_t dims[GRAPH_MAX_RANK];
};

struct graph_tensor {
    const char *name; /* never NULL */
    TfLiteType type;
    int rank; /* -1: more than GRAPH_MAX_RANK, or no shape */
    int32_t dims[GRAPH_MAX_RANK];
    size_t elements;  /* 0 when rank is -1, too */
    const void *data; /* elements of a constant, unaligned; NULL: no constant */
    int producer;     /* index into nodes; -1: none */
    int readers;      /* inputs of the nodes that were imported */
    struct graph_quant quant;
    /* The host's 8-bit type of a tensor that is f32 here (quantized=float_view); kTfLiteNoType: the
     * host has the same type. */
    TfLiteType float_view_of;
    /* The constant tensor, f16 or integers of 8 bits or fewer, whose DEQUANTIZE this one is; -1:
     * none. */
    int dequantized_from;
    /* The host's i64 are i32 here: results of ARG_MAX, and what moves them (gpu_op.index_outputs).
     */
    bool is_narrowed;
    bool is_variable;
    bool is_dynamic;
    /* The host computed it from shapes when it prepared the graph, and takes it for a constant
     * until the next resize. A result of the file's constants alone is not meant. */
    bool is_prepared;
    /* `data` was computed here (graph/values.h) and follows from shapes: a resize changes it. */
    bool from_shapes;
    /* The host's buffer holds stored values, from which `data` was not made: they do not fit the
     * shape, or there would be too many elements. */
    bool is_sparse;
    bool is_expanded; /* `data` was made from stored values */
    /* A constant whose buffer has another size than shape and type say; `data` is NULL. */
    bool has_wrong_bytes;
    size_t host_bytes; /* of that buffer */
};

struct graph_node {
    int host_node;           /* index in the host */
    const struct gpu_op *op; /* NULL: the delegate does not have the op */
    int32_t code;
    int version;
    const char *name;            /* "CONV_2D", a custom op's name; merged: "PAD+CONV_2D" */
    const void *params;          /* a struct of builtin_op_data.h; NULL: none */
    const int *inputs, *outputs; /* tensor indices; -1: absent */
    int input_count, output_count;
    const int *intermediates; /* LSTM: tensors that say how sums are scaled */
    int intermediate_count;
    bool known; /* its outputs are values that were computed here (graph/values.h) */
    bool taken; /* of the graph that kernels plan from again: a partition of the delegate has it */
    struct variable_use *variable; /* NULL: the node neither reads nor assigns a variable */
    /* ---- results of the graph rewrites ---- */
    bool folded;   /* its outputs are constants: there is nothing to compute */
    bool has_pads; /* pad_top and pad_left replace the padding of the parameters */
    int32_t pad_top, pad_left;
    bool as_conv_1x1;         /* FULLY_CONNECTED that runs as a 1x1 convolution */
    struct graph_steps steps; /* quantized=float_view: its result is rounded to them */
    bool in_floats;           /* QUANTIZE of 8 bits: as of the floats that DEQUANTIZE gives */
    bool has_residual;        /* a tensor of the output's shape is added before the activation */
    int residual;
};

struct graph {
    struct arena arena;
    uint64_t expanded_bytes; /* of sparse constants, in the arena */
    struct graph_tensor *tensors;
    int tensor_count;
    struct graph_node *nodes; /* in execution order */
    int node_count;
    const int *node_at; /* by index in the host: the index here; -1: none.  NULL: not imported */
    int host_node_count;
    bool has_values; /* some node is known */
};

void graph_close(struct graph *g);

/* Sets graph_tensor.readers, as an import does. */
void graph_count_readers(struct graph *g);

/* The node with this index in the host; NULL: none. */
const struct graph_node *graph_find_node(const struct graph *g, int host_node);

/* Input (output) i of a node; NULL: absent. */
const struct graph_tensor *graph_input(const struct graph *g, const struct graph_node *n, int i);
const struct graph_tensor *graph_output(const struct graph *g, const struct graph_node *n, int i);

/* i8 or u8. */
bool graph_is_8bit(const struct graph_tensor *t);
/* i8, i4 or i2: weights of f32 activations may be these. */
bool graph_has_few_bits(const struct graph_tensor *t);
/* Images of a result.  The order of a sum follows from what one of them has, so that an image has
 * the same bits in any batch. */
uint64_t graph_images(const struct graph_tensor *t);
/* Its integers count steps: i8 or u8, or i16 with a scale. */
bool graph_has_steps(const struct graph_tensor *t);
/* An output, or an input that is no constant, has steps.  Hybrid nodes (f32 with i8 weights) are
 * not quantized. */
bool graph_is_quantized(const struct graph *g, const struct graph_node *n);
/* Both tensors have per-tensor quantization with the same type, scale and zero point. */
bool graph_same_quant(const struct graph_tensor *a, const struct graph_tensor *b);

/* Both tensors have the same rank, which is known, and dims. */
bool graph_same_shape(const struct graph_tensor *a, const struct graph_tensor *b);

/* The tensor is a constant, or the DEQUANTIZE of one. */
bool graph_is_constant(const struct graph *g, int tensor);
/* Element i of a constant float tensor (f32, f16, or the DEQUANTIZE of a constant), or the real
 * value of an integer one with scales. */
float graph_constant_float(const struct graph *g, int tensor, size_t i);
/* Element i of a constant tensor of integers (2 to 64 bits) or bool. */
int64_t graph_constant_int(const struct graph *g, int tensor, size_t i);
/* All elements of the constant integer tensor have this value. */
bool graph_constant_ints_are(const struct graph *g, int tensor, int64_t value);
/* The index in graph_quant.scale and zero_point for element i of a tensor with scales. */
size_t graph_channel(const struct graph_tensor *t, size_t i);

/* Bytes of the tensor as f32 with channels padded to 4, the largest form that it has on the device;
 * false when it exceeds one storage buffer or 32-bit indices.  *bytes is SIZE_MAX when the rank is
 * unknown or the size overflows. */
bool graph_tensor_fits(const struct graph_tensor *t, const struct device_limits *limits,
                       size_t *bytes);

#endif
