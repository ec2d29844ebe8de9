/* Graphs of several ops, one call an op: each takes values and returns its result.
 *
 *     struct value x = graph_add_input(m, "x", &r->in);
 *     struct value y = graph_add_conv_2d(m, x, &(struct graph_window){ .out = 5, .h = 3, .w = 3 });
 *     graph_add_judged_output(m, graph_add_unary(m, BUILTIN_RELU, y));
 *
 * Constants are drawn with the row's scale.  Each op has the lowest version that has the type and
 * the features that are used. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_GRAPH_BUILDER_H
#define ASSAY_CONFORMANCE_SUITE_CASES_GRAPH_BUILDER_H

#include "conformance/suite/cases/case_builder.h"

enum {
    ACTIVATION_NONE,
    ACTIVATION_RELU,
    ACTIVATION_RELU_N1,
    ACTIVATION_RELU6
}; /* file codes of activations */

struct value {
    int tensor;
    struct shape shape;
    int op; /* index of the operator that makes the value; -1: none */
};

/* A window over an image.  A stride, a number of groups and a multiplier of 0 are 1. */
struct graph_window {
    int32_t out; /* output channels; not used by depthwise convolutions and pools */
    int32_t h, w, stride;
    bool valid;
    int activation;
    int32_t groups;     /* of CONV_2D */
    int32_t multiplier; /* of DEPTHWISE_CONV_2D */
};

/* The last dimension. */
int32_t graph_channels(struct value x);
struct value graph_add_input(struct case_builder *m, const char *name, const struct shape *shape);
struct value graph_add_input_f32(struct case_builder *m, const char *name,
                                 const struct shape *shape);
/* QUANTIZE from f32 or from another scale, and DEQUANTIZE, in quantized cases. */
struct value graph_add_quantize(struct case_builder *m, struct value x);
struct value graph_add_dequantize(struct case_builder *m, struct value x);
struct value graph_add_constant(struct case_builder *m, const struct shape *shape);
/* The same with one value for each channel of x. */
struct value graph_add_per_channel(struct case_builder *m, struct value x);
/* The same of at most 16 elements, each of which is v; of f32, in no quantized case. */
struct value graph_add_number(struct case_builder *m, const struct shape *shape, float v);
/* Makes y an output of the graph; graph_add_judged_output also says that the case is about the op
 * that makes it. */
void graph_add_judged_output(struct case_builder *m, struct value y);
void graph_add_output(struct case_builder *m, struct value y);

/* Any op with one output, of the type that inputs have. */
struct value graph_add_op(struct case_builder *m, int32_t code, int32_t version,
                          const struct options *options, size_t count, const int *inputs,
                          const struct shape *out);
/* Of one operand and without options: RELU, RELU6, EXP, LOGISTIC, TANH, RSQRT. */
struct value graph_add_unary(struct case_builder *m, int32_t code, struct value x);
/* ADD, SUB, MUL, MAXIMUM, MINIMUM; the last two have no fused activation. */
struct value graph_add_binary(struct case_builder *m, int32_t code, struct value a, struct value b,
                              int activation);
/* PRELU with a slope for each channel. */
struct value graph_add_prelu(struct case_builder *m, struct value x);
struct value graph_add_conv_2d(struct case_builder *m, struct value x,
                               const struct graph_window *w);
/* Constants that several convolutions of the same window and depth share. */
struct graph_conv_constants {
    struct value weights, bias;
};
struct graph_conv_constants graph_add_conv_constants(struct case_builder *m, struct value x,
                                                     const struct graph_window *w);
/* The bias alone: in quantized cases its scale is that of one convolution. */
struct value graph_add_conv_bias(struct case_builder *m, int32_t channels);
struct value graph_add_conv_2d_with(struct case_builder *m, struct value x,
                                    const struct graph_window *w,
                                    const struct graph_conv_constants *shared);
struct value graph_add_depthwise_conv_2d(struct case_builder *m, struct value x,
                                         const struct graph_window *w);
/* TRANSPOSE_CONV with a bias, which enlarges height and width by the stride. */
struct value graph_add_transpose_conv(struct case_builder *m, struct value x,
                                      const struct graph_window *w);
/* AVERAGE_POOL_2D, MAX_POOL_2D. */
struct value graph_add_pool(struct case_builder *m, int32_t code, struct value x,
                            const struct graph_window *w);
/* FULLY_CONNECTED.  All but the first dimension are flattened, unless keep is set: then units
 * replace the last dimension. */
struct value graph_add_fully_connected(struct case_builder *m, struct value x, int32_t units,
                                       bool keep, int activation);
/* BATCH_MATMUL with a constant matrix, stored as columns where adj_y is set. */
struct value graph_add_batch_matmul(struct case_builder *m, struct value x, int32_t columns,
                                    bool adj_y);
/* ARG_MAX or ARG_MIN, with options of its tag, over one dimension, which gives i32 or i64. */
struct value graph_add_best(struct case_builder *m, int32_t code, int tag, struct value x,
                            int32_t axis, int32_t type);
/* MEAN over the dimensions whose bits are set in axes. */
struct value graph_add_mean(struct case_builder *m, struct value x, unsigned axes, bool keep);
/* The same of SUM, REDUCE_MAX, REDUCE_MIN. */
struct value graph_add_reduction(struct case_builder *m, int32_t code, struct value x,
                                 unsigned axes, bool keep);
struct value graph_add_softmax(struct case_builder *m, struct value x);
struct value graph_add_reshape(struct case_builder *m, struct value x, const struct shape *shape);
/* PAD of an image: `around` rows and columns on each side, and `channels` after its channels. */
struct value graph_add_pad(struct case_builder *m, struct value x, int32_t around,
                           int32_t channels);
/* PAD of an image by pads[2 * i] before and pads[2 * i + 1] behind dimension i. */
struct value graph_add_pad_sides(struct case_builder *m, struct value x, const int32_t pads[8]);
struct value graph_add_concatenation(struct case_builder *m, size_t count,
                                     const struct value *values, int axis);
/* STRIDED_SLICE of one axis; the stride is not 0. */
struct value graph_add_strided_slice(struct case_builder *m, struct value x, int axis,
                                     int32_t begin, int32_t length, int32_t stride);
struct value graph_add_transpose(struct case_builder *m, struct value x, const int *perm);
/* SLICE of one axis. */
struct value graph_add_slice(struct case_builder *m, struct value x, int axis, int32_t begin,
                             int32_t size);
/* TILE along one axis. */
struct value graph_add_tile(struct case_builder *m, struct value x, int axis, int32_t times);
/* A dimension of 1 that becomes dimension `axis`. */
struct value graph_add_expand_dims(struct case_builder *m, struct value x, int axis);
/* Values of one shape, along a new dimension `axis`. */
struct value graph_add_pack(struct case_builder *m, size_t count, const struct value *values,
                            int axis);
/* SPACE_TO_DEPTH (to_depth), DEPTH_TO_SPACE of an image, in blocks of two by two. */
struct value graph_add_space_to_depth(struct case_builder *m, int32_t code, struct value x,
                                      bool to_depth);
struct value graph_add_resize_bilinear(struct case_builder *m, struct value x, int32_t h, int32_t w,
                                       bool half_pixel);
struct value graph_add_resize_nearest(struct case_builder *m, struct value x, int32_t h, int32_t w,
                                      bool align_corners);
/* MIRROR_PAD of the rows and columns of an image. */
struct value graph_add_mirror_pad(struct case_builder *m, struct value x, int32_t around,
                                  bool symmetric);
/* One step of LSTM's basic kernel over x [B, D], with variables of its own.  Returns h. */
struct value graph_add_lstm(struct case_builder *m, struct value x, int32_t cells);

#endif
