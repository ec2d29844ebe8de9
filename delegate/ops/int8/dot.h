/* Sums of products of 8-bit integers, for CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and
 * TRANSPOSE_CONV: checks, and packed constants.  The device's part is dot.glsl and requantize.glsl.
 *
 * The shaders multiply signed bytes only: u8 becomes i8 by subtracting 128 from elements and zero
 * point. */
#ifndef ASSAY_DELEGATE_OPS_INT8_DOT_H
#define ASSAY_DELEGATE_OPS_INT8_DOT_H

#include "delegate/accept/refusal.h"
#include "delegate/ops/int8/requantize.args.h"
#include "delegate/plan/planner.h"

#include <stdbool.h>
#include <stdint.h>

/* A node that adds up products. */
struct dot {
    int x, weights, bias; /* its inputs; the bias may be absent */
    int channel;          /* the dimension of the weights that is the output's channels */
    int activation;
    bool in_double; /* output multipliers are doubles, else fixed-point */
};

/* Called after the checks of the float op: weights are constant and packed in so many words, and
 * the scales give output multipliers. */
bool check_dot(struct check *c, const struct dot *d, uint64_t words);

/* XOR with this makes signed bytes of a word of t: 0x80 in each byte of u8, 0 of i8. */
uint32_t dot_sign_flip(const struct graph_tensor *t);
/* The zero point of the signed bytes; and four of them in a word, which taps in the padding read.
 */
int32_t dot_zero_point(const struct graph_tensor *t);
uint32_t dot_padding(const struct graph_tensor *t);

/* Weights [outputs, taps..., inputs] as signed bytes, [taps][slices of inputs][slices of outputs]
 * uvec4: a word has 4 inputs of one output.  Padding is 0. */
struct dot_shape {
    uint32_t outputs, taps, inputs;
};
uint64_t dot_words(const struct dot_shape *shape);
enum status dot_pack_weights(struct planner *p, int tensor, const struct dot_shape *shape,
                             struct packed *packed);
/* The same weights less their zero point, 32 bits each: [taps][inputs][slices of outputs] ivec4. */
uint64_t dot_wide_words(const struct dot_shape *shape);
enum status dot_pack_wide(struct planner *p, int tensor, const struct dot_shape *shape,
                          struct packed *packed);

/* The `channels` of requantize.glsl: per output channel the initial value of the accumulator, which
 * is the bias, and the output multiplier.  `folded`: the terms of the zero points that do not
 * depend on x are in the initial value, as if all taps were inside of the image. */
enum status dot_pack_channels(struct planner *p, const struct graph_node *n, const struct dot *d,
                              bool folded, struct packed *packed);

/* Bytes that the constants of an output channel take besides its weights, at most: of i16. */
enum { DOT_CHANNEL_BYTES = 20 };
/* The real output multiplier of a channel. */
double dot_multiplier(const struct graph *g, const struct graph_node *n, const struct dot *d,
                      size_t channel, bool in_double);
/* v as m * 2^-s: the low and the high word of the 53-bit mantissa m, and s. */
void dot_double_words(double v, uint32_t words[3]);

/* REQUANTIZE_...: how the sums of a node become outputs. */
uint32_t dot_requantize(const struct graph *g, const struct graph_node *n, const struct dot *d);
struct requantize_args dot_output_range(const struct graph_tensor *y, int activation);

/* Bindings 0 to 3 of the shaders: dst, src, weights, `channels`. */
void step_dot_products(struct planner *p, struct plan_step *s, int dst, int src,
                       const struct packed *weights, const struct packed *channels);
/* The shader of the step also exists with the packed dot product, which is used where the device
 * has it. */
void step_packed_dot(struct planner *p, struct plan_step *s);

#endif
