/* What the layers of a topology share: the model under construction, its options, its activations.
 *
 * net_conv.h has the layers with weights, net_ops.h those without; net_block.h blocks of them. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_H

#include "conformance/suite/models/net_quant.h"
#include "conformance/suite/models/zoo_entry.h"
#include "reference/format/builder.h"

enum { ZOO_TIES = 256 };

struct zoo_net {
    struct builder builder;
    struct zoo_options options;
    const void *sizes;  /* the entry's */
    uint64_t constants; /* so far: each has a random stream of its own */
    enum status status; /* the first failure */
    bool sizes_only;    /* weights are neither drawn nor kept: facts are all that is wanted */
    struct zoo_facts facts;
    /* Quantized models only: ranges measured on the float model, and how many are used so far. */
    struct zoo_measured *activations;
    size_t activation_count, made;
    /* Float models: pairs of tensors that have one scale in the quantized model. */
    struct zoo_tie ties[ZOO_TIES];
    size_t tie_count;
};

/* Activations and weights in 8 bits. */
static inline bool zoo_in_integers(const struct zoo_net *net)
{
    return (net->options.type == TENSOR_INT8 && !net->options.weights_only) ||
           net->options.type == TENSOR_UINT8;
}

static inline int32_t zoo_batch(const struct zoo_net *net)
{
    return net->options.batch ? (int32_t)net->options.batch : 1;
}

/* An activation [batch, h, w, c]. */
struct zoo_tensor {
    int index;
    int32_t h, w, c;
};

enum zoo_padding { ZOO_SAME, ZOO_VALID }; /* file codes */
enum zoo_activation {
    ZOO_NONE = 0,
    ZOO_RELU = 1,
    ZOO_RELU6 = 3,
    ZOO_HARD_SWISH = 100 /* an op of its own */
};

enum { ZOO_NAME_BYTES = 128 };

/* The name of a part of a layer: "layer/part". */
struct zoo_label {
    char text[ZOO_NAME_BYTES];
};
struct zoo_label zoo_label(const char *layer, const char *part);

/* Where the scale of a quantized activation comes from. */
enum zoo_scale_source {
    ZOO_SCALE_MEASURED,
    ZOO_SCALE_UNIT,       /* an image, from -1 to 1 */
    ZOO_SCALE_SAME,       /* that of another tensor: the op moves or averages integers */
    ZOO_SCALE_PROBABILITY /* the output of SOFTMAX and LOGISTIC: 1/256, from 0 to 1 */
};

/* Makes an activation, and returns its tensor index.  other: with ZOO_SCALE_SAME. */
int zoo_activation(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
                   enum zoo_scale_source source, int other);
/* The same with i16 and a given scale in the quantized model: the cells of an LSTM. */
int zoo_activation_i16(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
                       float scale);
/* The same of rank 4: shape's h, w and c. */
struct zoo_tensor zoo_image(struct zoo_net *net, const char *name, struct zoo_tensor shape,
                            enum zoo_scale_source source, int other);
/* Two activations have one scale, which covers both ranges: inputs of a CONCATENATION. */
void zoo_tie(struct zoo_net *net, int a, int b);
void zoo_put_scales(struct zoo_net *net, int tensor, const struct zoo_scale *scales, size_t count,
                    int32_t dimension);
struct zoo_scale zoo_scale_at(const struct zoo_net *net, int tensor);

/* Returns the version of an op: of_i8 in i8 models, else 1. */
int32_t zoo_version(const struct zoo_net *net, int32_t of_i8);

/* The input: a square of options.resolution, or of another height and width. */
struct zoo_tensor zoo_input(struct zoo_net *net, const char *name, int32_t channels);
struct zoo_tensor zoo_input_of(struct zoo_net *net, const char *name, int32_t height, int32_t width,
                               int32_t channels);
void zoo_outputs(struct zoo_net *net, struct zoo_tensor input, size_t count, const int *outputs);

/* The extent of a result along one axis. */
int32_t zoo_extent(int32_t in, int32_t kernel, int32_t stride, enum zoo_padding padding);
/* Channels times width, rounded to a multiple of 8, and never by more than a tenth down: as all
 * MobileNets from v2 on and EfficientNet have it. */
int32_t zoo_divisible(double channels, double width);

#endif
