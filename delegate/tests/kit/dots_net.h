/* Random models of one node that sums products of bytes, or of i16 and bytes. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_DOTS_NET_H
#define ASSAY_DELEGATE_TESTS_KIT_DOTS_NET_H

#include "reference/format/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One node, and what it is made of. */
struct net {
    FILE *text; /* of the model */
    char *chars;
    size_t count;
    uint64_t seed;
    bool is_unsigned;
    bool shorts;                        /* activations are i16 */
    int batch, height, width, channels; /* of x */
    int outputs, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    int padding, activation;
    int multiplier; /* of DEPTHWISE_CONV_2D; 0: random */
    bool ordinary;  /* no scales that make most outputs the same */
    bool biased;
    float x_scale, w_scale, y_scale;
    int64_t x_zero, w_zero, y_zero;
};

/* Types, shape and options by the seed; a test may change them before it makes the model. */
void net_begin(struct net *n, uint64_t seed, bool shorts);

/* The model of the net.  False: its shapes do not fit each other. */
bool net_make_conv(struct net *n, struct model *m);
bool net_make_grouped(struct net *n, struct model *m);
bool net_make_depthwise(struct net *n, struct model *m);
/* A PAD before a convolution, which the delegate makes part of the window: what is outside is then
 * zero. */
bool net_make_padded(struct net *n, struct model *m);
/* FULLY_CONNECTED; x of any shape, taken as rows. */
bool net_make_dense(struct net *n, struct model *m);
/* x is what a window makes of y. */
bool net_make_transpose(struct net *n, struct model *m);

#endif
