/* A topology of the zoo, and its options. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_ZOO_ENTRY_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_ZOO_ENTRY_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stdint.h>

struct zoo_options {
    double width;        /* multiplier of all channels */
    uint32_t resolution; /* of the square input */
    uint32_t channels;   /* of the input; 0: the entry's */
    uint32_t classes;
    uint32_t batch; /* 0: 1 */
    /* TENSOR_FLOAT32; TENSOR_FLOAT16: weights, each behind a DEQUANTIZE; TENSOR_INT8, TENSOR_UINT8:
     * all but biases, input and output too. */
    int32_t type;
    bool weights_only; /* TENSOR_INT8: dynamic range, only large weights are quantized */
    uint32_t block;    /* of such: elements that share a scale; 0: those of a channel */
    bool quiet;        /* no progress on a terminal, which models in 8 bits have */
    uint64_t seed;
    uint64_t memory_bytes; /* what there is; 0: the system says it */
};

/* What is known of a model before its weights are drawn. */
struct zoo_facts {
    uint64_t parameters;    /* weights and biases */
    uint64_t multiply_adds; /* of the products with weights, for one input of a batch */
    uint64_t constant_bytes;
    uint64_t activations; /* elements of all of them, of the whole batch */
};

struct zoo_net; /* net.h */

/* One topology: a file of models/ defines `const struct zoo_entry zoo_<name>`. */
struct zoo_entry {
    const char *name, *summary;
    const char *resolution_is, *classes_are; /* NULL: of the square image; classes */
    bool no_u8;                              /* the field has no such models */
    bool weights_alone;                      /* are quantized, in 4 and 2 bits too */
    double width;                            /* default */
    /* Default; from the least to the largest in steps. */
    uint32_t resolution, resolution_min, resolution_step, resolution_max;
    uint32_t channels, classes; /* default */
    uint32_t batch_max;         /* 0: as large as any */
    const void *sizes;          /* in which entries of one builder differ; NULL: no other has it */
    void (*build)(struct zoo_net *net); /* failures are the net's status */
};

#define ZOO_ENTRY(name_, ...)                                                                      \
    {                                                                                              \
        .name = name_, .summary = __VA_ARGS__                                                      \
    }
#define ZOO_RESOLUTION(usual, least, step, most)                                                   \
    .resolution = usual, .resolution_min = least, .resolution_step = step, .resolution_max = most

extern const struct zoo_entry zoo_mobilenet_v1, zoo_mobilenet_v2, zoo_mobilenet_v3, zoo_resnet50,
    zoo_efficientnet_lite0, zoo_deeplab_mnv2, zoo_ssd_mobilenet_v1, zoo_ssd_mobilenet_v2,
    zoo_posenet, zoo_keyword_lstm, zoo_kwt1, zoo_yamnet, zoo_decoder, zoo_decoder_270m, zoo_encoder,
    zoo_encoder_base, zoo_vit, zoo_vit_base, zoo_whisper, zoo_whisper_tiny;

#endif
