/* QUANTIZE and DEQUANTIZE: between floats and quantized integers, and from one scale to another.
 *
 *     DEQUANTIZE  y = scale * (x - zero_point)     x i8, u8, i16, i4, u4, i2; f16 is widened
 *                                                  exactly
 *     QUANTIZE    y = round(x / scale) + zero_point    x f32; y i8, u8, i16, i4, u4, saturated
 *     QUANTIZE    y = (x - x zero_point) * (x scale / y scale) + y zero_point    integers, in fixed
 *                                                  point: 8 bits to 8, i16 to i8, i16, i32, i32 to
 *                                                  i8, i16
 *
 * Any shape.  Where the other side is float, the integers may have a scale for each channel.  Ties
 * go away from zero.  Models with f16 weights have a DEQUANTIZE before each weight; on a constant
 * it is computed once, when the graph is prepared.
 *
 * Meaning: tflite/kernels/dequantize.h, quantize.cc, internal/reference/{quantize,requantize}.h */
#include "reference/kernels/quantized.h"

#include <math.h>

static enum status dequantize_prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float16) | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPES_PACKED |
                               REF_TYPE(UInt4),
                           0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    if (call->in[0]->type != kTfLiteFloat16)
        TRY(ref_check_scales_in(call, diag, 0, "input"));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static enum status dequantize_eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0];
    const size_t count = ref_elements(x);
    const bool half = x->type == kTfLiteFloat16;
    struct ref_scales s = { 0 };

    (void)diag;
    if (!half)
        s = ref_scales_of(x, x);
    for (size_t i = 0; i < count; i++) {
        const size_t c = half ? 0 : ref_channel(&s, i);
        const double value =
            half ? ref_load(x, i)
                 : (double)s.scale[c] * (double)(ref_load_int(x, i) - s.zero_point[c]);

        ref_store(call, 0, i, value, fabs(value), 1);
    }
    return STATUS_OK;
}

/* Types that QUANTIZE has, from input to outputs. */
static const struct pair {
    TfLiteType from;
    uint32_t to;
} pairs[] = {
    { kTfLiteFloat32, REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int4) | REF_TYPE(UInt4) },
    { kTfLiteInt8, REF_TYPES_8BIT },
    { kTfLiteUInt8, REF_TYPES_8BIT },
    { kTfLiteInt16, REF_TYPE(Int8) | REF_TYPE(Int16) | REF_TYPE(Int32) },
    { kTfLiteInt32, REF_TYPE(Int8) | REF_TYPE(Int16) },
};

static enum status check_pair(const struct ref_call *call, struct diag *diag)
{
    const TfLiteType from = call->in[0]->type, to = call->out[0]->type;

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i].from == from && (unsigned)to < 32 && pairs[i].to >> to & 1)
            return STATUS_OK;
    }
    return ref_fail(
        call, diag, STATUS_UNSUPPORTED, "output 0 (output): type %s of an input of type %s",
        runtime_type_name(to) ? runtime_type_name(to) : "unknown", runtime_type_name(from));
}

static double factor_of(const struct ref_call *call)
{
    return ref_scale(call->in[0]) / ref_scale(call->out[0]);
}

static enum status quantize_prepare(struct ref_call *call, struct diag *diag)
{
    struct fixed_multiplier m;

    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int32),
                           0, REF_MAX_RANK));
    TRY(check_pair(call, diag));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    if (call->in[0]->type == kTfLiteFloat32)
        return ref_check_scales_out(call, diag, 0);
    TRY(ref_check_scale_in(call, diag, 0, "input"));
    TRY(ref_check_scale_out(call, diag, 0));
    if (call->in[0]->type == kTfLiteInt16 && call->out[0]->type == kTfLiteInt16 &&
        (ref_zero_point(call->in[0]) != 0 || ref_zero_point(call->out[0]) != 0))
        return ref_fail(call, diag, STATUS_INVALID,
                        "i16 has zero point 0: the input's is %d, the output's %d",
                        ref_zero_point(call->in[0]), ref_zero_point(call->out[0]));
    return ref_check_multiplier(call, diag, "input scale / output scale", factor_of(call), &m);
}

static void quantize_float(struct ref_call *call)
{
    const TfLiteTensor *x = call->in[0], *y = call->out[0];
    const struct fixed_range range = ref_type_range(y->type);
    const struct ref_scales s = ref_scales_of(y, x);
    const size_t count = ref_elements(x);

    for (size_t i = 0; i < count; i++) {
        const float scale = s.scale[ref_channel(&s, i)];
        const int32_t zero = s.zero_point[ref_channel(&s, i)];
        const float steps = x->data.f[i] / scale;
        const double real = (double)x->data.f[i] / scale;

        ref_store_quant(call, 0, i, range, (int64_t)fixed_round(steps) + zero, real + zero,
                        fabs(real), 1);
    }
}

static enum status quantize_eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0], *y = call->out[0];
    const size_t count = ref_elements(x);
    struct fixed_multiplier m;

    if (x->type == kTfLiteFloat32) {
        quantize_float(call);
        return STATUS_OK;
    }
    TRY(ref_check_multiplier(call, diag, "input scale / output scale", factor_of(call), &m));
    for (size_t i = 0; i < count; i++) {
        const int32_t zero = ref_zero_point(y);
        const int64_t steps = ref_load_int(x, i) - ref_zero_point(x);
        const double real = (double)steps * factor_of(call);

        ref_store_quant(call, 0, i, ref_type_range(y->type),
                        (int64_t)zero + fixed_multiply(fixed_wrap(steps), m), real + zero,
                        fabs(real), 1);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("dequantize", DEQUANTIZE, 9, OPTIONS_DequantizeOptions),
      REF_RUN(dequantize_prepare, dequantize_eval), .folds = REF_FOLD_WEIGHTS },
    { REF_OP("quantize", QUANTIZE, 6, OPTIONS_QuantizeOptions),
      REF_RUN(quantize_prepare, quantize_eval) },
};

const struct ref_family ref_dequantize = { ops, sizeof ops / sizeof ops[0] };
