#include "reference/kernels/quantized.h"

#include "reference/base/memory.h"

#include <assert.h>
#include <math.h>

static const TfLiteAffineQuantization *affine(const TfLiteTensor *t)
{
    return t->quantization.params;
}

double ref_scale(const TfLiteTensor *t)
{
    return affine(t)->scale->data[0];
}

int32_t ref_zero_point(const TfLiteTensor *t)
{
    return affine(t)->zero_point->data[0];
}

struct fixed_range ref_type_range(TfLiteType type)
{
    switch (type) {
    case kTfLiteInt8: return (struct fixed_range){ INT8_MIN, INT8_MAX };
    case kTfLiteUInt8: return (struct fixed_range){ 0, UINT8_MAX };
    case kTfLiteInt16: return (struct fixed_range){ INT16_MIN, INT16_MAX };
    case kTfLiteInt4: return (struct fixed_range){ -8, 7 };
    case kTfLiteInt2: return (struct fixed_range){ -2, 1 };
    case kTfLiteUInt4: return (struct fixed_range){ 0, 15 };
    default: return (struct fixed_range){ INT32_MIN, INT32_MAX };
    }
}

/* A tensor and what to call it in a message. */
struct subject {
    const TfLiteTensor *t;
    const char *side, *role;
    int index;
    bool symmetric; /* the zero point is 0 */
};

#define SUBJECT_FORMAT   "%s %d (%s): "
#define SUBJECT_ARGS(s_) (s_).side, (s_).index, (s_).role

static enum status check_one(const struct ref_call *call, struct diag *diag, struct subject s,
                             int channel)
{
    const struct fixed_range range = ref_type_range(s.t->type);
    const float scale = affine(s.t)->scale->data[channel];
    const int zero = affine(s.t)->zero_point->data[channel];

    if (!(scale > 0) || isinf(scale))
        return ref_fail(call, diag, STATUS_INVALID,
                        SUBJECT_FORMAT "scale %d is %g, expected a finite number above 0",
                        SUBJECT_ARGS(s), channel, (double)scale);
    /* Of fewer than 8 bits the runtime takes any. */
    if (runtime_type_bits(s.t->type) >= 8 && (zero < range.low || zero > range.high))
        return ref_fail(call, diag, STATUS_INVALID,
                        SUBJECT_FORMAT "zero point %d is %d, expected a value of %s",
                        SUBJECT_ARGS(s), channel, zero, runtime_type_name(s.t->type));
    if (s.symmetric && zero != 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        SUBJECT_FORMAT "zero point %d is %d, expected 0 for %s", SUBJECT_ARGS(s),
                        channel, zero, runtime_type_name(s.t->type));
    return STATUS_OK;
}

/* The tensor has scales, and a zero point for each. */
static enum status check_present(const struct ref_call *call, struct diag *diag, struct subject s)
{
    if (s.t->quantization.type == kTfLiteBlockwiseQuantization)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        SUBJECT_FORMAT "scales of blocks, expected one, or one for each channel",
                        SUBJECT_ARGS(s));
    if (s.t->quantization.type != kTfLiteAffineQuantization || !affine(s.t) ||
        !affine(s.t)->scale || !affine(s.t)->zero_point || affine(s.t)->scale->size < 1)
        return ref_fail(call, diag, STATUS_INVALID,
                        SUBJECT_FORMAT "%s without a scale, expected one", SUBJECT_ARGS(s),
                        runtime_type_name(s.t->type));
    if (affine(s.t)->zero_point->size != affine(s.t)->scale->size)
        return ref_fail(call, diag, STATUS_INVALID,
                        SUBJECT_FORMAT "%d zero points, expected %d, one for each scale",
                        SUBJECT_ARGS(s), affine(s.t)->zero_point->size, affine(s.t)->scale->size);
    return STATUS_OK;
}

static enum status check_scale(const struct ref_call *call, struct diag *diag, struct subject s)
{
    TRY(check_present(call, diag, s));
    if (affine(s.t)->scale->size != 1)
        return ref_fail(call, diag, STATUS_INVALID,
                        SUBJECT_FORMAT
                        "%d scales, expected 1: only constant weights have one for each channel",
                        SUBJECT_ARGS(s), affine(s.t)->scale->size);
    return check_one(call, diag, s, 0);
}

enum status ref_check_scale_in(const struct ref_call *call, struct diag *diag, int i,
                               const char *role)
{
    return check_scale(call, diag, (struct subject){ call->in[i], "input", role, i, false });
}

enum status ref_check_symmetric(const struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0], *const y = call->out[0];

    if (x->type == kTfLiteInt16)
        TRY(check_scale(call, diag, (struct subject){ x, "input", "input", 0, true }));
    if (y->type == kTfLiteInt16)
        TRY(check_scale(call, diag, (struct subject){ y, "output", "output", 0, true }));
    return STATUS_OK;
}

enum status ref_check_scale_out(const struct ref_call *call, struct diag *diag, int o)
{
    return check_scale(call, diag, (struct subject){ call->out[o], "output", "output", o, false });
}

/* shape: the dimensions that the tensor has, or is going to have. */
static enum status check_scales(const struct ref_call *call, struct diag *diag, struct subject s,
                                const TfLiteTensor *shape)
{
    const TfLiteAffineQuantization *q;

    TRY(check_present(call, diag, s));
    q = affine(s.t);
    if (q->scale->size > 1) {
        if (q->quantized_dimension < 0 || q->quantized_dimension >= ref_rank(shape))
            return ref_fail(call, diag, STATUS_INVALID,
                            SUBJECT_FORMAT "quantized_dimension is %d, expected 0 to %d",
                            SUBJECT_ARGS(s), q->quantized_dimension, ref_rank(shape) - 1);
        if (q->scale->size != ref_dim(shape, q->quantized_dimension))
            return ref_fail(call, diag, STATUS_INVALID,
                            SUBJECT_FORMAT "%d scales, expected 1 or %d, one for each channel",
                            SUBJECT_ARGS(s), q->scale->size,
                            ref_dim(shape, q->quantized_dimension));
    }
    for (int channel = 0; channel < q->scale->size; channel++)
        TRY(check_one(call, diag, s, channel));
    return STATUS_OK;
}

enum status ref_check_scales_in(const struct ref_call *call, struct diag *diag, int i,
                                const char *role)
{
    return check_scales(call, diag, (struct subject){ call->in[i], "input", role, i, false },
                        call->in[i]);
}

enum status ref_check_scales_out(const struct ref_call *call, struct diag *diag, int o)
{
    return check_scales(call, diag, (struct subject){ call->out[o], "output", "output", o, false },
                        call->in[0]);
}

struct ref_scales ref_scales_of(const TfLiteTensor *t, const TfLiteTensor *shape)
{
    const TfLiteAffineQuantization *const q = affine(t);
    struct ref_scales s = {
        .scale = q->scale->data,
        .zero_point = q->zero_point->data,
        .count = (size_t)q->scale->size,
        .inner = 1,
    };

    for (int d = q->quantized_dimension + 1; s.count > 1 && d < ref_rank(shape); d++)
        s.inner *= (size_t)ref_dim(shape, d);
    return s;
}

static const TfLiteBlockwiseQuantization *blockwise(const TfLiteTensor *t)
{
    return t->quantization.params;
}

bool ref_is_blockwise(const struct ref_call *call, int i)
{
    return call->in[i]->quantization.type == kTfLiteBlockwiseQuantization;
}

struct ref_scales ref_scales_weights(const struct ref_call *call, int i)
{
    const TfLiteTensor *const w = call->in[i];

    if (!ref_is_blockwise(call, i))
        return ref_scales_of(w, w);
    return (struct ref_scales){
        .halves = &call->tensors[blockwise(w)->scale],
        .count = ref_elements(&call->tensors[blockwise(w)->scale]),
        .inner = (size_t)blockwise(w)->blocksize, /* which divides a row */
    };
}

double ref_scale_at(const struct ref_scales *s, size_t channel)
{
    return s->halves ? ref_load(s->halves, channel) : (double)s->scale[channel];
}

/* The interpreter has checked the scales (base/blockwise.h). */
static enum status check_blockwise(const struct ref_call *call, struct diag *diag, struct subject s)
{
    const int32_t scales = blockwise(s.t) ? blockwise(s.t)->scale : -1;

    if (scales >= 0 && (size_t)scales < call->tensor_count)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_UNSUPPORTED,
                    SUBJECT_FORMAT "scales of blocks in tensor %d, of %zu tensors", SUBJECT_ARGS(s),
                    scales, call->tensor_count);
}

enum status ref_check_scale_weights(const struct ref_call *call, struct diag *diag, int i,
                                    int dimension, bool blocks)
{
    const struct subject s = { call->in[i], "input", "weights", i, false };
    const bool is_signed = s.t->type != kTfLiteUInt8;
    const TfLiteAffineQuantization *q;

    if (1u << s.t->type & REF_TYPES_PACKED && s.t->allocation_type != kTfLiteMmapRo)
        return ref_fail(call, diag, STATUS_UNSUPPORTED, SUBJECT_FORMAT "%s, expected a constant",
                        SUBJECT_ARGS(s), runtime_type_name(s.t->type));
    if (blocks && ref_is_blockwise(call, i))
        return check_blockwise(call, diag, s);
    TRY(check_present(call, diag, s));
    q = affine(s.t);
    if (q->scale->size > 1) {
        if (!is_signed)
            return ref_fail(call, diag, STATUS_INVALID,
                            SUBJECT_FORMAT
                            "%d scales, expected 1: only signed weights have one for each channel",
                            SUBJECT_ARGS(s), q->scale->size);
        if (q->quantized_dimension != dimension)
            return ref_fail(call, diag, STATUS_INVALID,
                            SUBJECT_FORMAT "quantized_dimension is %d, expected %d",
                            SUBJECT_ARGS(s), q->quantized_dimension, dimension);
        if (q->scale->size != ref_dim(s.t, dimension))
            return ref_fail(call, diag, STATUS_INVALID,
                            SUBJECT_FORMAT "%d scales, expected 1 or %d, one for each channel",
                            SUBJECT_ARGS(s), q->scale->size, ref_dim(s.t, dimension));
    }
    for (int channel = 0; channel < q->scale->size; channel++) {
        TRY(check_one(call, diag, s, channel));
        if (is_signed && q->zero_point->data[channel] != 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            SUBJECT_FORMAT "zero point %d is %d, expected 0 of %s weights",
                            SUBJECT_ARGS(s), channel, q->zero_point->data[channel],
                            runtime_type_name(s.t->type));
    }
    return STATUS_OK;
}

enum status ref_check_moves(const struct ref_call *call, struct diag *diag, int i, int o)
{
    const TfLiteTensor *const x = call->in[i], *const y = call->out[o];
    const bool of_x = ref_is_quantized(x), of_y = ref_is_quantized(y);

    if (!of_x && !of_y)
        return STATUS_OK;
    if (of_x && of_y) {
        TRY(ref_check_scale_in(call, diag, i, "input"));
        TRY(ref_check_scale_out(call, diag, o));
        if (ref_scale(x) == ref_scale(y) && ref_zero_point(x) == ref_zero_point(y))
            return STATUS_OK;
    }
    return ref_fail(call, diag, STATUS_UNSUPPORTED,
                    "input %d: quantization differs from the output's: scale %g and zero point %d, "
                    "expected %g and %d",
                    i, of_x ? ref_scale(x) : 0, of_x ? ref_zero_point(x) : 0,
                    of_y ? ref_scale(y) : 0, of_y ? ref_zero_point(y) : 0);
}

/* A real bound of an activation in steps of the output; false: it does not fit 32 bits. */
static bool bound_of(const TfLiteTensor *t, float real, int64_t *q)
{
    const float steps = roundf(real / (float)ref_scale(t));

    if (!(steps >= (float)INT32_MIN && steps <= (float)INT32_MAX))
        return false;
    *q = (int64_t)steps + ref_zero_point(t);
    return true;
}

enum status ref_check_range(const struct ref_call *call, struct diag *diag, int o,
                            TfLiteFusedActivation act, struct fixed_range *range)
{
    const TfLiteTensor *const y = call->out[o];
    const struct fixed_range all = ref_type_range(y->type);
    const bool both = act == kTfLiteActRelu6 || act == kTfLiteActReluN1To1;
    int64_t low, high = all.high;

    *range = all;
    if (act != kTfLiteActRelu && !both)
        return STATUS_OK;
    if (!bound_of(y, act == kTfLiteActReluN1To1 ? -1 : 0, &low) ||
        (both && !bound_of(y, act == kTfLiteActRelu6 ? 6 : 1, &high)))
        return ref_fail(call, diag, STATUS_INVALID,
                        "output %d (output): scale %g is too small for fused_activation_function "
                        "%d",
                        o, ref_scale(y), (int)act);
    range->low = (int32_t)(low > all.low ? low : all.low);
    range->high = (int32_t)(high < all.high ? high : all.high);
    return STATUS_OK;
}

enum status ref_check_multiplier(const struct ref_call *call, struct diag *diag, const char *what,
                                 double real, struct fixed_multiplier *m)
{
    if (fixed_quantize_multiplier(real, m))
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID, "%s is %g, expected 0 to below 2^31", what, real);
}

void ref_store_quant(struct ref_call *call, int o, size_t i, struct fixed_range range, int64_t q,
                     double real, double magnitude, double terms)
{
    ref_store_int(call, o, i, fixed_clamp(q, range));
    if (!call->detail)
        return;
    /* NaN passes. */
    real = real < range.low ? range.low : real > range.high ? range.high : real;
    ref_store_detail(call, o, i, real, magnitude, terms);
}

float *ref_floats_of(const TfLiteTensor *t, int32_t offset)
{
    const size_t count = ref_elements(t);
    float *const values = mem_alloc(count, sizeof *values);

    if (!values)
        return NULL;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(ref_load_int(t, i) - offset);
    return values;
}
