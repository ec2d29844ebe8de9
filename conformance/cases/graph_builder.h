/* Graphs of several ops, one call an op: each takes values and returns its result.
 *
 *     struct value x = chain_input(m, "x", &r->in);
 *     struct value y = chain_conv(m, x, &(struct chain_window){ .out = 5, .h = 3, .w = 3 });
 *     chain_end(m, chain_unary(m, BUILTIN_RELU, y));
 *
 * Constants are drawn with the row's scale.  Versions are the least that have what is asked for. */
#ifndef ASSAY_CONFORMANCE_CASES_GRAPH_BUILDER_H
#define ASSAY_CONFORMANCE_CASES_GRAPH_BUILDER_H

#include "conformance/cases/case_builder.h"

enum { CHAIN_NONE, CHAIN_RELU, CHAIN_RELU_N1, CHAIN_RELU6 }; /* file codes of activations */

struct value {
    int tensor;
    struct shape shape;
    int op; /* that made it; -1: none */
};

/* A window over an image.  stride and multiplier 0: 1. */
struct chain_window {
    int32_t out; /* channels; depthwise and pools have none */
    int32_t h, w, stride;
    bool valid;
    int activation;
};

struct value chain_input(struct case_builder *m, const char *name, const struct shape *shape);
struct value chain_single_input(struct case_builder *m, const char *name,
                                const struct shape *shape);
/* Between f32 and the type of a quantized case; from one scale to another. */
struct value chain_quantize(struct case_builder *m, struct value x);
struct value chain_dequantize(struct case_builder *m, struct value x);
struct value chain_constant(struct case_builder *m, const struct shape *shape);
/* The output of the graph, its op the judged one; or one output more. */
void chain_end(struct case_builder *m, struct value y);
void chain_also(struct case_builder *m, struct value y);

/* RELU, RELU6, EXP, LOGISTIC. */
struct value chain_unary(struct case_builder *m, int32_t code, struct value x);
/* ADD, SUB, MUL, MAXIMUM, MINIMUM; the last two have no activation. */
struct value chain_binary(struct case_builder *m, int32_t code, struct value a, struct value b,
                          int activation);
/* A slope for each channel. */
struct value chain_prelu(struct case_builder *m, struct value x);
struct value chain_conv(struct case_builder *m, struct value x, const struct chain_window *w);
/* Constants of more than one convolution of the same window and depth. */
struct chain_shared {
    struct value weights, bias;
};
struct chain_shared chain_share(struct case_builder *m, struct value x,
                                const struct chain_window *w);
struct value chain_conv_shared(struct case_builder *m, struct value x, const struct chain_window *w,
                               const struct chain_shared *shared);
struct value chain_depthwise(struct case_builder *m, struct value x, const struct chain_window *w);
/* With bias, to stride times the size. */
struct value chain_transpose_conv(struct case_builder *m, struct value x,
                                  const struct chain_window *w);
/* AVERAGE_POOL_2D, MAX_POOL_2D. */
struct value chain_pool(struct case_builder *m, int32_t code, struct value x,
                        const struct chain_window *w);
/* All but the first dimension are flattened, or with keep the last is replaced. */
struct value chain_fully_connected(struct case_builder *m, struct value x, int32_t units, bool keep,
                                   int activation);
/* axes: a bit for each. */
struct value chain_mean(struct case_builder *m, struct value x, unsigned axes, bool keep);
struct value chain_softmax(struct case_builder *m, struct value x);
struct value chain_reshape(struct case_builder *m, struct value x, const struct shape *shape);
/* Of an image: rows and columns all round, channels behind. */
struct value chain_pad(struct case_builder *m, struct value x, int32_t around, int32_t channels);
struct value chain_concat(struct case_builder *m, size_t count, const struct value *values,
                          int axis);
/* One axis: begin, length, stride (not 0). */
struct value chain_slice(struct case_builder *m, struct value x, int axis, int32_t begin,
                         int32_t length, int32_t stride);
struct value chain_resize(struct case_builder *m, struct value x, int32_t h, int32_t w,
                          bool half_pixel);
/* One step of the basic kernel over x [B, D]; the state is a variable of its own.  Returns h. */
struct value chain_lstm(struct case_builder *m, struct value x, int32_t cells);

#endif
