/* Blocks of layers, and the gains that keep activations sane from block to block. */
#include "conformance/suite/models/net_block.h"

#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"

#include <math.h>

/* A residual sum grows with each branch that is added: the mean square by the factor 1 + gain^2. */
static const double branch_gain = 0.4;

double zoo_gain(enum zoo_activation activation)
{
    switch (activation) {
    case ZOO_NONE: return 1;
    case ZOO_HARD_SWISH: return 1.55;
    case ZOO_RELU:
    case ZOO_RELU6: break;
    }
    return 1.4142135623730951;
}

/* Weighs channels by what their averages say; about half of each passes. */
static struct zoo_tensor excite(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                int32_t squeezed)
{
    struct zoo_tensor x = zoo_global_average_pool(net, zoo_label(name, "pool").text, in);

    x = zoo_conv_2d(net, zoo_label(name, "squeeze").text, x, squeezed, 1, 1, ZOO_RELU,
                    zoo_gain(ZOO_RELU));
    x = zoo_conv_2d(net, zoo_label(name, "excite").text, x, in.c, 1, 1, ZOO_NONE, 2.5);
    x = zoo_hard_sigmoid(net, zoo_label(name, "gate").text, x);
    return zoo_mul(net, name, in, x);
}

struct zoo_tensor zoo_bottleneck(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                 const struct zoo_bottleneck *b)
{
    const double gain = zoo_gain(b->activation);
    const bool residual = b->stride == 1 && in.c == b->channels;
    struct zoo_tensor x = in;

    if (b->expanded != in.c)
        x = zoo_conv_2d(net, zoo_label(name, "expand").text, x, b->expanded, 1, 1, b->activation,
                        gain);
    if (b->expansion)
        *b->expansion = x;
    x = zoo_depthwise(net, zoo_label(name, "depthwise").text, x,
                      &(struct zoo_conv){ .kernel = b->kernel,
                                          .stride = b->stride,
                                          .dilation = b->dilation,
                                          .activation = b->activation,
                                          .gain = gain });
    if (b->squeezed)
        x = excite(net, zoo_label(name, "se").text, x, b->squeezed);
    x = zoo_conv_2d(net, zoo_label(name, "project").text, x, b->channels, 1, 1, ZOO_NONE,
                    (residual ? branch_gain : 1) * (b->squeezed ? 2 : 1));
    return residual ? zoo_add(net, zoo_label(name, "add").text, in, x, ZOO_NONE) : x;
}

struct zoo_tensor zoo_separable(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                int32_t channels, int32_t stride, int32_t dilation)
{
    const double gain = zoo_gain(ZOO_RELU6);
    const struct zoo_tensor x = zoo_depthwise(net, zoo_label(name, "depthwise").text, in,
                                              &(struct zoo_conv){ .kernel = 3,
                                                                  .stride = stride,
                                                                  .dilation = dilation,
                                                                  .activation = ZOO_RELU6,
                                                                  .gain = gain });

    return zoo_conv_2d(net, zoo_label(name, "pointwise").text, x, channels, 1, 1, ZOO_RELU6, gain);
}

void zoo_stride_begin(struct zoo_stride *s, int32_t limit)
{
    *s = (struct zoo_stride){ .limit = limit, .reached = 1, .dilation = 1 };
}

int32_t zoo_stride_next(struct zoo_stride *s, int32_t stride, int32_t *dilation)
{
    *dilation = s->dilation;
    if (s->limit && s->reached * stride > s->limit) {
        s->dilation *= stride;
        return 1;
    }
    s->reached *= stride;
    return stride;
}
