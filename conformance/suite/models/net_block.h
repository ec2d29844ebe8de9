/* Blocks of several layers, which more than one topology has. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_BLOCK_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_BLOCK_H

#include "conformance/suite/models/net.h"

/* An inverted residual: a 1x1 convolution that expands, a depthwise one, squeeze-and-excitation,
 * a 1x1 convolution that projects, and the sum with the input where the shapes allow it. */
struct zoo_bottleneck {
    int32_t expanded, channels; /* expanded equal to the input's channels: no expansion */
    int32_t kernel, stride;
    int32_t dilation; /* 0: 1 */
    int32_t squeezed; /* channels inside of squeeze-and-excitation; 0: there is none */
    enum zoo_activation activation;
    struct zoo_tensor *expansion; /* where not NULL: set to what the first convolution gives */
};
struct zoo_tensor zoo_bottleneck(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                 const struct zoo_bottleneck *b);

/* A depthwise convolution and a 1x1 convolution. */
struct zoo_tensor zoo_separable(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                int32_t channels, int32_t stride, int32_t dilation);

/* The gain of weights in front of an activation that keeps the mean square of what passes. */
double zoo_gain(enum zoo_activation activation);
/* The logits of a trained classifier spread more than the pooled activations they come from. */
#define ZOO_LOGIT_GAIN 4.0

/* Strides become dilations once the output stride is reached: what a network for dense
 * predictions does with the layers of a classifier. */
struct zoo_stride {
    int32_t limit; /* 0: none */
    int32_t reached, dilation;
};
void zoo_stride_begin(struct zoo_stride *s, int32_t limit);
/* Returns the stride to use for one of the classifier's; *dilation is that of the layer. */
int32_t zoo_stride_next(struct zoo_stride *s, int32_t stride, int32_t *dilation);

#endif
