#include "reference/kernels/dot.h"

#include "reference/base/memory.h"

#include <math.h>

/* The factor from a sum to steps of the output, in double and in fixed point. */
struct ref_dot_channel {
    double exact;
    struct fixed_multiplier m;
};

static const TfLiteTensor *bias_of(const struct ref_call *call, const struct ref_dot_inputs *in)
{
    return ref_has(call, in->bias) ? call->in[in->bias] : NULL;
}

enum status ref_dot_check_types(const struct ref_call *call, struct diag *diag,
                                const struct ref_dot_inputs *in, int x_min_rank, int x_max_rank,
                                int w_rank)
{
    TfLiteType type;
    uint32_t weights;

    TRY(ref_check_in_types(call, diag, in->x, "input", REF_TYPE(Float32) | REF_TYPES_QUANTIZED,
                           x_min_rank, x_max_rank));
    type = call->in[in->x]->type;
    weights = type == kTfLiteInt16 ? 0 : 1u << type;
    if (type == kTfLiteFloat32 || type == kTfLiteInt16)
        weights |= REF_TYPE(Int8);
    if (in->packed && type != kTfLiteUInt8)
        weights |= REF_TYPES_PACKED;
    TRY(ref_check_in_types(call, diag, in->w, "weights", weights, w_rank, w_rank));
    return ref_check_out(call, diag, 0, type);
}

static bool by_channel(const TfLiteTensor *w)
{
    return ((const TfLiteAffineQuantization *)w->quantization.params)->scale->size > 1;
}

static double weight_scale(const TfLiteTensor *w, size_t channel)
{
    const TfLiteAffineQuantization *const q = w->quantization.params;

    return q->scale->data[by_channel(w) ? channel : 0];
}

/* The real factor from which the runtime makes its multiplier: for u8 it multiplies the scales in
 * f32. */
static double factor_of(const struct ref_call *call, const struct ref_dot_inputs *in,
                        size_t channel)
{
    const double x = ref_scale(call->in[in->x]), w = weight_scale(call->in[in->w], channel);
    const bool rounded = call->in[in->x]->type == kTfLiteUInt8;

    return (rounded ? (double)((float)x * (float)w) : x * w) / ref_scale(call->out[0]);
}

static uint32_t bias_types(TfLiteType x, const struct ref_dot_inputs *in)
{
    if (x == kTfLiteInt16)
        return (in->wide_bias ? 0 : REF_TYPE(Int32)) | REF_TYPE(Int64);
    return ref_is_8bit(x) ? REF_TYPE(Int32) : REF_TYPE(Float32);
}

/* The runtime's convolutions read a bias that is among the inputs, and CONV_2D reads one always. */
static enum status check_no_bias(const struct ref_call *call, struct diag *diag,
                                 const struct ref_dot_inputs *in)
{
    const bool listed = in->bias < call->in_count;

    if (in->missing_bias == REF_DOT_BIAS_OPTIONAL ||
        (in->missing_bias == REF_DOT_BIAS_NOT_ABSENT && !listed))
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID, "input %d (bias) is %s, expected a tensor%s",
                    in->bias, listed ? "absent (-1)" : "missing",
                    in->missing_bias == REF_DOT_BIAS_REQUIRED ? "" : ", or two inputs");
}

static enum status check_bias(const struct ref_call *call, struct diag *diag,
                              const struct ref_dot_inputs *in)
{
    const TfLiteTensor *const bias = bias_of(call, in), *const w = call->in[in->w];
    double expected, got, steps;

    if (!bias)
        return check_no_bias(call, diag, in);
    TRY(ref_check_in_types(call, diag, in->bias, "bias", bias_types(call->in[in->x]->type, in), 0,
                           REF_MAX_RANK));
    if (ref_elements(bias) != (size_t)ref_dim(w, in->channel))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input %d (bias): %zu elements, expected %d, one for each output channel",
                        in->bias, ref_elements(bias), ref_dim(w, in->channel));
    if (in->symmetric_bias >> call->in[in->x]->type & 1 && bias->params.zero_point != 0)
        return ref_fail(call, diag, STATUS_INVALID, "input %d (bias): zero point is %d, expected 0",
                        in->bias, bias->params.zero_point);
    /* The scale of a bias follows from those of input and weights.  The runtime refuses u8 models
     * where it differs; of i8 ops FULLY_CONNECTED alone reads it. */
    if (call->in[in->x]->type != kTfLiteUInt8 &&
        !(call->in[in->x]->type == kTfLiteInt8 && in->fully_connected && !by_channel(w)))
        return STATUS_OK;
    TRY(ref_check_scale_in(call, diag, in->bias, "bias"));
    expected = ref_scale(call->in[in->x]) * ref_scale(w);
    got = ref_scale(bias);
    steps = fabs(expected - got) / ref_scale(call->out[0]);
    if (!(steps <= 0.02))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input %d (bias): scale is %g, expected input scale * weight scale, %g: %g "
                        "steps of the output apart, at most 0.02",
                        in->bias, got, expected, steps);
    return STATUS_OK;
}

enum status ref_dot_check_scales(const struct ref_call *call, struct diag *diag,
                                 const struct ref_dot_inputs *in, TfLiteFusedActivation act)
{
    const TfLiteTensor *const x = call->in[in->x], *const w = call->in[in->w];
    struct fixed_multiplier m;
    struct fixed_range range;

    if (w->type != kTfLiteFloat32)
        TRY(ref_check_scale_weights(call, diag, in->w, in->channel,
                                    in->rows && x->type == kTfLiteFloat32));
    if (!ref_is_steps(x->type))
        return check_bias(call, diag, in);
    TRY(ref_check_symmetric(call, diag));
    TRY(ref_check_scale_in(call, diag, in->x, "input"));
    TRY(ref_check_scale_out(call, diag, 0));
    TRY(check_bias(call, diag, in));
    TRY(ref_check_range(call, diag, 0, act, &range));
    for (int32_t c = 0; c < ref_dim(w, in->channel); c++)
        TRY(ref_check_multiplier(call, diag, "input scale * weight scale / output scale",
                                 factor_of(call, in, (size_t)c), &m));
    return STATUS_OK;
}

/* Element i of integer weights: dequantized with the scale of its channel or block where x is
 * float, else less the zero point, which u8 alone has. */
static float weight_at(const struct ref_call *call, const struct ref_dot *d,
                       const struct ref_dot_inputs *in, size_t i)
{
    const TfLiteTensor *const w = call->in[in->w];
    const int64_t value = ref_load_int(w, i);

    if (d->channels)
        return (float)(value - d->scales.zero_point[0]);
    return (float)(ref_scale_at(&d->scales, ref_channel(&d->scales, i)) * (double)value);
}

static float *weights_of(const struct ref_call *call, const struct ref_dot *d,
                         const struct ref_dot_inputs *in)
{
    const size_t count = ref_elements(call->in[in->w]);
    float *const values = mem_alloc(count, sizeof *values);

    for (size_t i = 0; values && i < count; i++)
        values[i] = weight_at(call, d, in, i);
    return values;
}

const float *ref_dot_row(const struct ref_call *call, const struct ref_dot *d,
                         const struct ref_dot_inputs *in, size_t channel)
{
    const size_t depth = (size_t)ref_dim(call->in[in->w], 1);
    float *const row = d->owned[1];

    if (d->w)
        return d->w + channel * depth;
    for (size_t k = 0; k < depth; k++)
        row[k] = weight_at(call, d, in, channel * depth + k);
    return row;
}

/* The elements of a tensor of 8 bits, or fewer, less its zero point. */
static int16_t *integers_of(const TfLiteTensor *t)
{
    const size_t count = ref_elements(t);
    int16_t *const values = mem_alloc(count, sizeof *values);
    const int zero = ref_zero_point(t);

    for (size_t i = 0; values && i < count; i++)
        values[i] = (int16_t)((t->type == kTfLiteInt8    ? t->data.int8[i]
                               : t->type == kTfLiteUInt8 ? t->data.uint8[i]
                                                         : ref_load_int(t, i)) -
                              zero);
    return values;
}

static double *bias_in_double(const TfLiteTensor *bias)
{
    const size_t count = ref_elements(bias);
    double *const values = mem_alloc(count, sizeof *values);

    for (size_t i = 0; values && i < count; i++)
        values[i] =
            bias->type == kTfLiteFloat32 ? ref_load(bias, i) : (double)ref_load_int(bias, i);
    return values;
}

static struct ref_dot_channel *channels_of(const struct ref_call *call,
                                           const struct ref_dot_inputs *in)
{
    const size_t count = (size_t)ref_dim(call->in[in->w], in->channel);
    struct ref_dot_channel *const channels = mem_alloc(count, sizeof *channels);

    for (size_t c = 0; channels && c < count; c++) {
        channels[c].exact =
            ref_scale(call->in[in->x]) * weight_scale(call->in[in->w], c) / ref_scale(call->out[0]);
        fixed_quantize_multiplier(factor_of(call, in, c),
                                  &channels[c].m); /* as prepare has checked */
    }
    return channels;
}

enum status ref_dot_open(struct ref_dot *d, const struct ref_call *call, struct diag *diag,
                         const struct ref_dot_inputs *in, TfLiteFusedActivation act)
{
    const TfLiteTensor *const x = call->in[in->x], *const w = call->in[in->w];
    const TfLiteTensor *const bias = bias_of(call, in);
    const bool quantized = ref_is_steps(x->type);
    double *b = NULL;

    *d = (struct ref_dot){ .x = x->data.f, .w = w->data.f, .act = act };
    if (quantized) {
        TRY(ref_check_range(call, diag, 0, act, &d->range));
        d->zero = ref_zero_point(call->out[0]);
        d->wide = x->type == kTfLiteInt16 && (!bias || bias->type == kTfLiteInt64);
        d->in_double = in->fully_connected;
        d->channels = channels_of(call, in);
    }
    if (w->type != kTfLiteFloat32)
        d->scales = ref_scales_weights(call, in->w);
    if (in->blocks && ref_is_8bit(x->type) && !call->detail) {
        d->x_integers = d->owned[0] = integers_of(x);
        d->w_integers = d->owned[1] = integers_of(w);
    } else {
        if (quantized)
            d->x = d->owned[0] = ref_floats_of(x, ref_zero_point(x));
        if (w->type != kTfLiteFloat32 && in->rows) {
            d->w = NULL;
            d->owned[1] = mem_alloc((size_t)ref_dim(w, 1), sizeof(float));
        } else if (w->type != kTfLiteFloat32) {
            d->w = d->owned[1] = weights_of(call, d, in);
        }
    }
    if (bias)
        d->bias = d->owned[2] = b = bias_in_double(bias);
    if ((quantized && (!d->channels || !d->owned[0])) ||
        (w->type != kTfLiteFloat32 && !d->owned[1]) || (bias && !b))
        return ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for the sums");
    return STATUS_OK;
}

void ref_dot_close(struct ref_dot *d)
{
    for (int i = 0; i < 3; i++)
        mem_free(d->owned[i]);
    mem_free(d->channels);
    *d = (struct ref_dot){ 0 };
}

void ref_dot_store(struct ref_call *call, const struct ref_dot *d, size_t i, size_t channel,
                   double sum, double magnitude, double terms)
{
    const struct ref_dot_channel *const c = d->channels ? &d->channels[channel] : NULL;
    int32_t steps;

    if (!c) {
        ref_store_fused(call, 0, i, d->act, sum, magnitude, terms);
        return;
    }
    steps = d->in_double && d->wide ? fixed_round(sum * c->exact)
            : d->wide               ? fixed_multiply_wide((int64_t)sum, c->m)
            : d->in_double          ? fixed_round(fixed_wrap((int64_t)sum) * c->exact)
                                    : fixed_multiply(fixed_wrap((int64_t)sum), c->m);
    if (!call->detail) {
        ref_store_int(call, 0, i, fixed_clamp((int64_t)d->zero + steps, d->range));
        return;
    }
    ref_store_quant(call, 0, i, d->range, (int64_t)d->zero + steps, sum * c->exact + d->zero,
                    magnitude * c->exact, terms);
}
