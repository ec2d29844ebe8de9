/* The zoo in 8 bits: ranges of activations are measured on the float model, then the topology is
 * built again with integers.
 *
 * real = scale * (q - zero_point).  i8: weights symmetric in [-127, 127], a scale for each output
 * channel; u8: weights in [1, 255], one scale and zero point a tensor, as quantization-aware
 * training did it.  Biases are i32 of scale (input's * weights'), zero point 0. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_QUANT_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_QUANT_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zoo_range {
    float low, high;
};

struct zoo_scale {
    float scale;
    int32_t zero_point;
};

/* One activation of a topology; they are numbered in the order in which they are made. */
struct zoo_measured {
    struct zoo_range range; /* the least and the largest value in the float model */
    struct zoo_scale scale; /* the scale in the 8-bit model */
    int tensor;             /* of the float model, then of the 8-bit model */
};

/* Two activations of one scale. */
struct zoo_tie {
    int a, b; /* tensors of the float model */
};

enum { ZOO_FRAMES = 4 }; /* random inputs that are measured */

/* Runs the float model on the reference kernels.  The array is freed with mem_free; progress is
 * shown on a terminal unless quiet. */
enum status zoo_measure(struct zoo_measured **out, size_t *count, const struct model *m,
                        uint64_t seed, bool quiet, struct diag *diag);

/* Widens the ranges of tensors that are tied until they are equal. */
void zoo_tie_ranges(struct zoo_measured *activations, size_t count, const struct zoo_tie *ties,
                    size_t tie_count);

/* For a type that is TENSOR_INT8 or TENSOR_UINT8: all 256 values, 0 among the real ones. */
struct zoo_scale zoo_scale_of(int32_t type, struct zoo_range range);

/* Which channel an element belongs to: i / inner % count. */
struct zoo_channels {
    size_t count, inner;
};
/* q: count elements of the type; scales: one for each channel with i8, one with u8. */
void zoo_quantize_weights(int32_t type, const double *values, size_t count,
                          struct zoo_channels channels, void *q, struct zoo_scale *scales);
int32_t zoo_quantize_value(int32_t type, double value, struct zoo_scale scale);
/* The nearest multiple of the scale. */
int32_t zoo_quantize_bias(double value, float scale);

#endif
