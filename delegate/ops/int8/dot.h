/* What the sums of products of bytes share: checks, and packed constants.  The shaders' half is
 * dot.glsl and requantize.glsl.
 *
 * u8 less 128 is i8, and its zero point goes with it: the shaders have signed bytes only. */
#ifndef ASSAY_DELEGATE_OPS_INT8_DOT_H
#define ASSAY_DELEGATE_OPS_INT8_DOT_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

#include <stdbool.h>
#include <stdint.h>

/* A node that adds up products. */
struct dot {
    int x, weights, bias; /* its inputs; the bias may be absent */
    int channel;          /* the dimension of the weights that is the output's channels */
    int activation;
    bool in_double; /* sums go to the output's scale in double, not in fixed point */
};

/* Behind the checks of the float op: weights are constant and packed in so many words, scales can
 * be used. */
bool check_dot(struct check *c, const struct dot *d, uint64_t words);

/* What is added to, or taken from, u8 to make it i8, as the shaders see it. */
uint32_t dot_flip(const struct graph_tensor *t);
/* Of the signed bytes; a slice of it. */
int32_t dot_zero(const struct graph_tensor *t);
uint32_t dot_outside(const struct graph_tensor *t);

/* Weights [outputs, taps..., inputs] as signed bytes, [taps][slices of inputs][slices of outputs]
 * uvec4: a word has 4 inputs of one output.  Padding is 0. */
struct dot_shape {
    uint32_t outputs, taps, inputs;
};
uint64_t dot_words(const struct dot_shape *shape);
enum status dot_pack_weights(struct planner *p, int tensor, const struct dot_shape *shape,
                             struct packed *packed);
/* The same weights less their zero point, an integer a word: [taps][inputs][slices of outputs]
 * ivec4. */
uint64_t dot_wide_words(const struct dot_shape *shape);
enum status dot_pack_wide(struct planner *p, int tensor, const struct dot_shape *shape,
                          struct packed *packed);

/* For each output slice what a sum begins with, the bias, and the factor to the output's scale; as
 * requantize.glsl has it.  With `folded`, the terms of the zero points that do not depend on x are
 * in what it begins with, as if all taps were inside of the image. */
enum status dot_pack_channels(struct planner *p, const struct graph_node *n, const struct dot *d,
                              bool folded, struct packed *packed);

/* How steps of the output become its bytes. */
struct dot_output {
    int32_t zero, low, high; /* low and high less zero */
};
struct dot_output dot_output_of(const struct graph_tensor *y, int activation);

/* The shader of a step has a form with the packed dot product: it is used where the device can. */
void step_dot(struct planner *p, struct plan_step *s);

#endif
