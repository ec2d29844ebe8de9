/* L2_NORMALIZATION over the last axis.  x, y [..., C] f32, i8 or u8, of any rank from 1.
 *
 *     y_i = x_i / max(sqrt(sum_j x_j^2), 1e-6)
 *
 * i8 and u8 are computed in fixed point; y has the scale 1/128 and the zero point 0 or 128.
 * Meaning: tflite/kernels/l2norm.cc, tflite/kernels/internal/reference/l2normalization.h,
 * tflite/kernels/internal/reference/integer_ops/l2normalization.h */
#include "reference/kernels/quantized.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteL2NormParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteL2NormParams *p = call->params;
    const TfLiteTensor *y;
    int32_t zero;

    TRY(ref_check_in_types(call, diag, 0, "input", REF_TYPE(Float32) | REF_TYPES_8BIT, 1,
                           REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (p->activation != kTfLiteActNone)
        return ref_fail(call, diag, STATUS_UNSUPPORTED, "fused_activation_function %d, expected 0",
                        (int)p->activation);
    ref_same_shape(&call->out_shape[0], call->in[0]);
    if (!ref_is_8bit(call->in[0]->type))
        return STATUS_OK;
    TRY(ref_check_scale_in(call, diag, 0, "input"));
    TRY(ref_check_scale_out(call, diag, 0));
    y = call->out[0];
    zero = y->type == kTfLiteUInt8 ? 128 : 0;
    if (ref_scale(y) == 1. / 128 && ref_zero_point(y) == zero)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID,
                    "output 0 (output): scale %g and zero point %d, expected 1/128 and %d",
                    ref_scale(y), ref_zero_point(y), zero);
}

static void store_fixed(struct ref_call *call, size_t at, int32_t v, struct fixed_multiplier m,
                        double norm, double terms)
{
    const TfLiteTensor *const y = call->out[0];
    const double real = 128 * (v / norm);
    int64_t q;

    if (y->type == kTfLiteUInt8)
        q = 128 + (int64_t)fixed_rounding_shift_right(fixed_mul_high(128 * v, m.q), -m.e);
    else
        q = fixed_multiply(v, (struct fixed_multiplier){ m.q, m.e + 7 });
    ref_store_quant(call, 0, at, ref_type_range(y->type), q, real + ref_zero_point(y),
                    (1 + sqrt(terms)) * fabs(real), terms);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    const bool quantized = ref_is_8bit(x->type);
    const size_t depth = (size_t)ref_dim(x, ref_rank(x) - 1), count = ref_elements(x);
    const int32_t zero = quantized ? ref_zero_point(x) : 0;
    const double terms = (double)depth;

    (void)diag;
    for (size_t at = 0; at < count; at += depth) {
        double sum = 0;

        for (size_t i = at; i < at + depth; i++) {
            const double v = quantized ? (double)(ref_load_int(x, i) - zero) : x->data.f[i];

            sum += v * v;
        }
        for (size_t i = at; i < at + depth; i++) {
            if (quantized) {
                store_fixed(call, i, (int32_t)ref_load_int(x, i) - zero,
                            fixed_inverse_sqrt(fixed_wrap((int64_t)sum)), sum > 0 ? sqrt(sum) : 1,
                            terms);
            } else {
                /* Not fmax(): a row with NaN is NaN. */
                const double y = x->data.f[i] / (sqrt(sum) < 1e-6f ? 1e-6f : sqrt(sum));

                /* The roundings of the sum are relative to it, and so are those of the result. */
                ref_store(call, 0, i, y, (1 + sqrt(terms)) * fabs(y), terms);
            }
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("l2_normalization", L2_NORMALIZATION, 2, OPTIONS_L2NormOptions),
      REF_PARAMS(TfLiteL2NormParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_l2_normalization = { ops, sizeof ops / sizeof ops[0] };
