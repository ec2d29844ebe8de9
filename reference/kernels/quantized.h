/* What the kernels of quantized types share: checks of scales and zero points, output ranges,
 * stores of integers with the real value beside them. */
#ifndef ASSAY_REFERENCE_KERNELS_QUANTIZED_H
#define ASSAY_REFERENCE_KERNELS_QUANTIZED_H

#include "reference/base/fixed_point.h"
#include "reference/kernels/check.h"

enum { REF_TYPES_8BIT = REF_TYPE(Int8) | REF_TYPE(UInt8) };

static inline bool ref_is_8bit(TfLiteType type)
{
    return type == kTfLiteInt8 || type == kTfLiteUInt8;
}

/* Has the tensor scales at all? */
static inline bool ref_is_quantized(const TfLiteTensor *t)
{
    return t->quantization.type != kTfLiteNoQuantization;
}

/* Of a tensor that the checks below have passed. */
double ref_scale(const TfLiteTensor *t);
int32_t ref_zero_point(const TfLiteTensor *t);

/* Input i (output o) has one scale, which is a positive number, and a zero point that its type
 * has. */
enum status ref_check_scale_in(const struct ref_call *call, struct diag *diag, int i,
                               const char *role);
enum status ref_check_scale_out(const struct ref_call *call, struct diag *diag, int o);
/* Input i, constant weights: one such scale, or one for each of the channels of a dimension.  Zero
 * points of i8 are 0. */
enum status ref_check_scale_weights(const struct ref_call *call, struct diag *diag, int i,
                                    int dimension);
/* Input i (output o, which has input 0's shape) has one scale, or one for each index along its
 * quantized_dimension. */
enum status ref_check_scales_in(const struct ref_call *call, struct diag *diag, int i,
                                const char *role);
enum status ref_check_scales_out(const struct ref_call *call, struct diag *diag, int o);
/* The scales and zero points of a tensor that has the shape of another, or its own, and which of
 * them element i has; inner may be 0 where there are no elements. */
struct ref_scales {
    const float *scale;
    const int *zero_point;
    size_t count, inner;
};
struct ref_scales ref_scales_of(const TfLiteTensor *t, const TfLiteTensor *shape);
static inline size_t ref_channel(const struct ref_scales *s, size_t i)
{
    return i / s->inner % s->count;
}
/* Output o is quantized as input i is, or both are not: integers can be moved as they are. */
enum status ref_check_moves(const struct ref_call *call, struct diag *diag, int i, int o);

/* All values of an integer type; of a quantized output with a fused activation. */
struct fixed_range ref_type_range(TfLiteType type);
enum status ref_check_range(const struct ref_call *call, struct diag *diag, int o,
                            TfLiteFusedActivation act, struct fixed_range *range);
/* The factor as a multiplier; what names it in a message: "input scale / output scale". */
enum status ref_check_multiplier(const struct ref_call *call, struct diag *diag, const char *what,
                                 double real, struct fixed_multiplier *m);

/* Stores q, clamped, as element i of output o.  real is the exact result in steps of the output,
 * zero point included; it is clamped, too.  magnitude is in steps as well. */
void ref_store_quant(struct ref_call *call, int o, size_t i, struct fixed_range range, int64_t q,
                     double real, double magnitude, double terms);

/* The elements of an integer tensor less an offset as floats, which have all values of 16 bits;
 * NULL: no memory.  Freed with mem_free. */
float *ref_floats_of(const TfLiteTensor *t, int32_t offset);

#endif
