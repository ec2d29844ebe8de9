/* What the kernels of quantized types share: checks of scales and zero points, output ranges, and
 * stores of an integer together with its real value. */
#ifndef ASSAY_REFERENCE_KERNELS_QUANTIZED_H
#define ASSAY_REFERENCE_KERNELS_QUANTIZED_H

#include "reference/base/fixed_point.h"
#include "reference/kernels/check.h"

enum { REF_TYPES_8BIT = REF_TYPE(Int8) | REF_TYPE(UInt8) };

/* The types of weights with fewer bits. */
enum { REF_TYPES_PACKED = REF_TYPE(Int4) | REF_TYPE(Int2) };

static inline bool ref_is_8bit(TfLiteType type)
{
    return type == kTfLiteInt8 || type == kTfLiteUInt8;
}

/* The types of quantized activations: 8 bits, and i16 with a zero point of 0. */
enum { REF_TYPES_QUANTIZED = REF_TYPES_8BIT | REF_TYPE(Int16) };

static inline bool ref_is_steps(TfLiteType type)
{
    return ref_is_8bit(type) || type == kTfLiteInt16;
}

/* The tensor has quantization parameters. */
static inline bool ref_is_quantized(const TfLiteTensor *t)
{
    return t->quantization.type != kTfLiteNoQuantization;
}

/* Scale and zero point of a tensor with one of each, as the checks below have found it. */
double ref_scale(const TfLiteTensor *t);
int32_t ref_zero_point(const TfLiteTensor *t);

/* Input i (output o) has one scale, finite and above 0, and a zero point within its type. */
enum status ref_check_scale_in(const struct ref_call *call, struct diag *diag, int i,
                               const char *role);
enum status ref_check_scale_out(const struct ref_call *call, struct diag *diag, int o);
/* Input 0 and output 0, where they are i16, have one scale and a zero point of 0. */
enum status ref_check_symmetric(const struct ref_call *call, struct diag *diag);
/* Input i, constant weights: one such scale, or one for each channel along a dimension.  Zero
 * points of i8, i4 and i2 weights are 0.  blocks: or a scale for each block of a row. */
enum status ref_check_scale_weights(const struct ref_call *call, struct diag *diag, int i,
                                    int dimension, bool blocks);
/* Input i (output o, which has input 0's shape) has one scale, or one for each index along its
 * quantized_dimension. */
enum status ref_check_scales_in(const struct ref_call *call, struct diag *diag, int i,
                                const char *role);
enum status ref_check_scales_out(const struct ref_call *call, struct diag *diag, int o);
/* Input i is weights with a scale for each block of a row. */
bool ref_is_blockwise(const struct ref_call *call, int i);
/* Scales and zero points of a tensor, per tensor, per channel or per block.  ref_channel gives the
 * index that belongs to element i of a tensor of the given shape; inner is 0 only where there are
 * no elements. */
struct ref_scales {
    const float *scale;
    const TfLiteTensor *halves; /* instead of scale, of blocks; NULL: none */
    const int *zero_point;      /* NULL: 0 */
    size_t count, inner;
};
struct ref_scales ref_scales_of(const TfLiteTensor *t, const TfLiteTensor *shape);
/* Those of input i, weights that passed ref_check_scale_weights. */
struct ref_scales ref_scales_weights(const struct ref_call *call, int i);
double ref_scale_at(const struct ref_scales *s, size_t channel);
static inline size_t ref_channel(const struct ref_scales *s, size_t i)
{
    return i / s->inner % s->count;
}
/* Output o has the scale and zero point of input i, or neither is quantized: integers can be copied
 * without rescaling. */
enum status ref_check_moves(const struct ref_call *call, struct diag *diag, int i, int o);

/* The range of an integer type, and of quantized output o with a fused activation. */
struct fixed_range ref_type_range(TfLiteType type);
enum status ref_check_range(const struct ref_call *call, struct diag *diag, int o,
                            TfLiteFusedActivation act, struct fixed_range *range);
/* real as a fixed-point multiplier; what names it in the message: "input scale / output scale". */
enum status ref_check_multiplier(const struct ref_call *call, struct diag *diag, const char *what,
                                 double real, struct fixed_multiplier *m);

/* Stores q, clamped, as element i of output o.  real is the exact result in steps of the output,
 * zero point included; it is clamped, too.  magnitude is in steps as well. */
void ref_store_quant(struct ref_call *call, int o, size_t i, struct fixed_range range, int64_t q,
                     double real, double magnitude, double terms);

/* The elements of an integer tensor less an offset, as floats, which hold all 16-bit integers
 * exactly.  The caller's (mem_free); NULL when out of memory. */
float *ref_floats_of(const TfLiteTensor *t, int32_t offset);

#endif
