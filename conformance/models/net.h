/* The layers that topologies of the zoo are made of.
 *
 * Weights are drawn after He: with fan_in products in a sum, variance gain^2 / fan_in keeps the
 * mean square of what passes through a ReLU when gain^2 is 2.  fan_in counts the taps that lie
 * inside the image on average, since at small extents most of a 3x3 window is padding. */
#ifndef ASSAY_CONFORMANCE_MODELS_NET_H
#define ASSAY_CONFORMANCE_MODELS_NET_H

#include "conformance/models/net_quant.h"
#include "conformance/models/zoo_entry.h"
#include "reference/format/builder.h"

struct zoo_net {
    struct builder builder;
    struct zoo_options options;
    uint64_t constants; /* so far: each has a random stream of its own */
    enum status status; /* the first failure */
    /* Quantized models only: ranges measured on the float model, and how many are used so far. */
    struct zoo_measured *activations;
    size_t activation_count, made;
};

/* Activations and weights in 8 bits. */
static inline bool zoo_in_integers(const struct zoo_net *net)
{
    return (net->options.type == TENSOR_INT8 && !net->options.weights_only) ||
           net->options.type == TENSOR_UINT8;
}

/* An activation [1, h, w, c]. */
struct zoo_tensor {
    int index;
    int32_t h, w, c;
};

enum zoo_padding { ZOO_SAME, ZOO_VALID }; /* file codes */
enum zoo_activation { ZOO_NONE = 0, ZOO_RELU = 1, ZOO_RELU6 = 3 };

/* The layers.  gain is that of the weights; the names of a layer's tensors begin with `name`. */
struct zoo_tensor zoo_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                              int32_t channels, int32_t kernel, int32_t stride,
                              enum zoo_activation activation, double gain);
struct zoo_tensor zoo_depthwise_conv_2d(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                        int32_t kernel, int32_t stride,
                                        enum zoo_activation activation, double gain);
/* Averages over height and width. */
struct zoo_tensor zoo_global_average_pool(struct zoo_net *net, const char *name,
                                          struct zoo_tensor in);
/* Reshapes [1, 1, 1, c] to [1, c], and returns the tensor's index. */
int zoo_flatten(struct zoo_net *net, const char *name, struct zoo_tensor in);
int zoo_softmax(struct zoo_net *net, const char *name, int in, int32_t count);

struct zoo_tensor zoo_input(struct zoo_net *net, const char *name, int32_t channels);

#endif
