/* CAST: each element in another type.  Any shape, of the types f32, f16, i64, i32, u32, i16, i8,
 * u8, bool, i4, u4 and i2 in any pair, and from c64, of which the real part is taken; scales and
 * zero points have no part in it.
 *
 *     float to integer   toward zero, saturated; NaN is the largest integer
 *     integer to integer modulo 2^bits
 *     to bool            whether it is not 0; NaN is not 0
 *     to float           rounded to the nearest; integers to f16 through f32
 *
 * The types are those of the tensors, whatever the parameters say.
 * Meaning: tflite/kernels/cast.cc */
#include "reference/kernels/check.h"

#include <math.h>

enum {
    TYPES = REF_TYPES_FLOAT | REF_TYPE(Int64) | REF_TYPE(Int32) | REF_TYPE(UInt32) |
            REF_TYPE(Int16) | REF_TYPE(Int8) | REF_TYPE(UInt8) | REF_TYPE(Bool) | REF_TYPE(Int4) |
            REF_TYPE(UInt4) | REF_TYPE(Int2)
};

static bool is_float(TfLiteType type)
{
    return type == kTfLiteFloat32 || type == kTfLiteFloat16;
}

static bool is_real(TfLiteType type)
{
    return is_float(type) || type == kTfLiteComplex64;
}

static double load_real(const TfLiteTensor *x, size_t i)
{
    return x->type == kTfLiteComplex64 ? (double)((const float *)x->data.raw_const)[2 * i]
                                       : ref_load(x, i);
}

static void read_params(const struct options *options, void *params)
{
    TfLiteCastParams *const p = params;

    p->in_data_type = tensor_type_runtime(options_int(options, "in_data_type"));
    p->out_data_type = tensor_type_runtime(options_int(options, "out_data_type"));
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteType to = call->out[0]->type;
    const char *const name = runtime_type_name(to);

    TRY(ref_check_in_types(call, diag, 0, "input", TYPES | REF_TYPE(Complex64), 0, REF_MAX_RANK));
    if ((unsigned)to >= 32 || !((uint32_t)TYPES >> to & 1))
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "output 0 (output): type %s, expected f32, f16, i64, i32, u32, i16, i8, "
                        "u8, bool, i4, u4 or i2",
                        name ? name : "unknown");
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

/* The integers of a type, as far as 64 bits hold them. */
static void range_of(TfLiteType type, double *low, double *high, int64_t *largest)
{
    const bool is_unsigned = type == kTfLiteUInt8 || type == kTfLiteUInt32 || type == kTfLiteUInt4;
    const int bits = (int)runtime_type_bits(type) - !is_unsigned;

    *low = is_unsigned ? 0 : -ldexp(1, bits);
    *high = ldexp(1, bits);
    *largest = (int64_t)((UINT64_C(1) << bits) - 1);
}

static int64_t integer_of(double x, TfLiteType type)
{
    double low, high;
    int64_t largest;

    if (type == kTfLiteBool)
        return x != 0; /* NaN is */
    range_of(type, &low, &high, &largest);
    if (isnan(x) || x >= high)
        return largest;
    /* Below the range it is the least integer: 0, or -largest - 1. */
    return x >= low ? (int64_t)x : low == 0 ? 0 : -largest - 1;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    const TfLiteType to = call->out[0]->type;
    const size_t count = ref_elements(x);

    (void)diag;
    for (size_t i = 0; i < count; i++) {
        if (is_float(to)) {
            const double value =
                is_real(x->type) ? load_real(x, i) : (double)(float)ref_load_int(x, i);

            ref_store(call, 0, i, value, fabs(value), 1);
        } else {
            const int64_t value =
                is_real(x->type) ? integer_of(load_real(x, i), to) : ref_load_int(x, i);

            ref_store_int(call, 0, i, value);
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("cast", CAST, 9, OPTIONS_CastOptions), REF_PARAMS(TfLiteCastParams, read_params),
      REF_RUN(prepare, eval) },
};

const struct ref_family ref_cast = { ops, sizeof ops / sizeof ops[0] };
