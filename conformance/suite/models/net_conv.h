/* Layers with weights.  The names of a layer's tensors begin with `name`; gain is that of the
 * weights (net_weights.h).  fan_in counts the taps that lie inside the image on average, since at
 * small extents most of a 3x3 window is padding. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_CONV_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_CONV_H

#include "conformance/suite/models/net.h"

struct zoo_conv {
    int32_t channels; /* of the result; of a depthwise convolution: those of its input */
    int32_t kernel, stride;
    bool flat;        /* along the width alone: the kernel is one row */
    int32_t dilation; /* 0: 1 */
    enum zoo_padding padding;
    enum zoo_activation activation;
    double gain;
    double bias; /* the mean of the biases */
};

struct zoo_tensor zoo_conv(struct zoo_net *net, const char *name, struct zoo_tensor in,
                           const struct zoo_conv *conv);
struct zoo_tensor zoo_depthwise(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                const struct zoo_conv *conv);
/* The same with SAME padding and without dilation. */
struct zoo_tensor zoo_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                              int32_t channels, int32_t kernel, int32_t stride,
                              enum zoo_activation activation, double gain);
struct zoo_tensor zoo_depthwise_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                        int32_t kernel, int32_t stride,
                                        enum zoo_activation activation, double gain);
/* in: [batch, in_count]; returns [batch, units]. */
int zoo_fully_connected(struct zoo_net *net, const char *name, int in, int32_t in_count,
                        int32_t units, enum zoo_activation activation, double gain);

#endif
