/* The graph as the delegate sees it: imported from the host through the ABI, plain data.
 *
 * Tensors have the host's indices.  Pointers into the host's constants and parameters are valid
 * while the host prepares the delegate; names and shapes are copied. */
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

/* What the integers of a tensor mean: scale[c] * (q - zero_point[c]). */
struct graph_quant {
    const float *scale; /* positive, finite; NULL: the tensor has no scales that can be used */
    const int32_t *zero_point;
    size_t count; /* 1, or one for each index of a dimension */
    size_t inner; /* elements of an index of that dimension */
    int dimension;
};

struct graph_tensor {
    const char *name; /* never NULL */
    TfLiteType type;
    int rank; /* -1: more than GRAPH_MAX_RANK, or no shape */
    int32_t dims[GRAPH_MAX_RANK];
    size_t elements;  /* 0 when rank is -1, too */
    const void *data; /* a constant's elements, unaligned; NULL: not a constant */
    int producer;     /* index into nodes; -1: none */
    struct graph_quant quant;
    TfLiteType
        viewed; /* an f32 tensor that is an 8-bit one of the host; kTfLiteNoType: it is not */
    int source; /* the f16 or 8-bit constant that a DEQUANTIZE makes this tensor of; -1: none */
    bool is_variable;
    bool is_dynamic;
};

struct graph_node {
    int host_node;           /* index in the host */
    const struct gpu_op *op; /* NULL: not one of ours */
    int32_t code;
    int version;
    const char *name;            /* "CONV_2D", or the name of a custom op */
    const void *params;          /* a struct of builtin_op_data.h; NULL: none */
    const int *inputs, *outputs; /* tensor indices; -1: absent */
    int input_count, output_count;
    /* What transform.h has made of it. */
    bool folded;   /* its outputs are constants: there is nothing to compute */
    bool has_pads; /* pads replace what the parameters say */
    int32_t pad_top, pad_left;
    bool as_product;          /* FULLY_CONNECTED that runs as a 1x1 convolution */
    struct graph_steps steps; /* float view: its result is rounded to them */
    bool has_residual;        /* a tensor of the output's shape is added before the activation */
    int residual;
};

struct graph {
    struct arena arena;
    struct graph_tensor *tensors;
    int tensor_count;
    struct graph_node *nodes; /* in execution order */
    int node_count;
};

void graph_close(struct graph *g);

/* The node of a host node index; NULL: none. */
const struct graph_node *graph_find_node(const struct graph *g, int host_node);

/* Input (output) i of a node; NULL when absent. */
const struct graph_tensor *graph_input(const struct graph *g, const struct graph_node *n, int i);
const struct graph_tensor *graph_output(const struct graph *g, const struct graph_node *n, int i);

/* i8 or u8. */
bool graph_is_8bit(const struct graph_tensor *t);
/* The node computes 8-bit tensors, or of them: one that is no constant is among its inputs or
 * outputs.  f32 nodes with 8-bit weights are not. */
bool graph_is_quantized(const struct graph *g, const struct graph_node *n);
/* Both tensors have one scale and zero point, and these are the same. */
bool graph_same_quant(const struct graph_tensor *a, const struct graph_tensor *b);

/* The tensor's value is known: it is a constant, or the widening of one. */
bool graph_is_constant(const struct graph *g, int tensor);
/* Element i of a constant float tensor (f32, f16, or f32 behind a DEQUANTIZE of a constant), or the
 * real value of an integer one that has scales. */
float graph_constant_float(const struct graph *g, int tensor, size_t i);
/* Element i of a constant integer tensor (8 to 64 bits). */
int64_t graph_constant_int(const struct graph *g, int tensor, size_t i);
/* All elements of the constant integer tensor have this value. */
bool graph_constant_ints_are(const struct graph *g, int tensor, int64_t value);
/* The index of scale and zero point that element i of a tensor with scales has. */
size_t graph_channel(const struct graph_tensor *t, size_t i);

/* Bytes of a tensor of this shape as f32, which inputs and outputs are in fp16 too; false when it
 * does not fit one storage buffer of the device or 32-bit indices.  rank -1 does not fit; *bytes is
 * SIZE_MAX for what cannot be counted. */
bool graph_tensor_fits(const struct graph_tensor *t, const struct device_limits *limits,
                       size_t *bytes);

#endif
