/* SVDF: a layer of low rank over the last steps of a sequence.  x [B,K], wf [F,K] and wt [F,M],
 * bias [U] or absent, state [B,F*M], a variable tensor, y [B,U]; F = rank * U.
 *
 *     s_f = the last M results of sum_k wf[f,k] * x[k], the oldest first
 *     y_u = act(bias[u] + sum over the rank filters f of unit u of sum_m wt[f,m] * s_f[m])
 *
 * State: the node moves s_f by one and adds the new result.
 *
 *     f32          all f32
 *     f32, i8      (dynamic range) both weights, which are dequantized; the runtime quantizes x,
 * too i8           wf i8, wt and state i16 with zero points of 0, bias i32: new results are
 *                  requantized to steps of the state, the sums to steps of y.  The activation is
 *                  RELU, which the runtime leaves to the range of the type
 *
 * The runtime reads wt and state without a look at their types.
 * Meaning: tflite/kernels/svdf.cc, tflite/kernels/internal/reference/svdf.h */
#include "reference/base/memory.h"
#include "reference/kernels/quantized.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>
#include <string.h>

enum { X, FEATURE, TIME, BIAS, STATE };

static void read_params(const struct options *options, void *params)
{
    TfLiteSVDFParams *p = params;

    p->rank = (int)options_int(options, "rank");
    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->asymmetric_quantize_inputs = options_int(options, "asymmetric_quantize_inputs") != 0;
}

struct sizes {
    size_t batch, depth, filters, memory, units, rank;
};

static struct sizes sizes_of(const struct ref_call *call)
{
    const TfLiteSVDFParams *p = call->params;
    struct sizes z = { .batch = (size_t)ref_dim(call->in[X], 0),
                       .depth = (size_t)ref_dim(call->in[X], 1),
                       .filters = (size_t)ref_dim(call->in[FEATURE], 0),
                       .memory = (size_t)ref_dim(call->in[TIME], 1),
                       .rank = (size_t)p->rank };

    z.units = z.filters / z.rank;
    return z;
}

static enum status check_types(const struct ref_call *call, struct diag *diag)
{
    TfLiteType weights;
    bool quantized;

    TRY(ref_check_in_types(call, diag, X, "input", REF_TYPE(Float32) | REF_TYPE(Int8), 2, 2));
    quantized = call->in[X]->type == kTfLiteInt8;
    TRY(ref_check_in_types(call, diag, FEATURE, "feature weights",
                           REF_TYPE(Int8) | (quantized ? 0 : REF_TYPE(Float32)), 2, 2));
    weights = call->in[FEATURE]->type;
    TRY(ref_check_in(call, diag, TIME, "time weights", quantized ? kTfLiteInt16 : weights, 2, 2));
    if (ref_has(call, BIAS))
        TRY(ref_check_in(call, diag, BIAS, "bias", quantized ? kTfLiteInt32 : kTfLiteFloat32, 1,
                         1));
    TRY(ref_check_in(call, diag, STATE, "state", quantized ? kTfLiteInt16 : kTfLiteFloat32, 2, 2));
    return ref_check_out(call, diag, 0, call->in[X]->type);
}

static enum status check_dim(const struct ref_call *call, struct diag *diag, int i,
                             const char *role, int d, int64_t expected)
{
    if (ref_dim(call->in[i], d) == expected)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): dimension %d is %d, expected %lld",
                    i, role, d, ref_dim(call->in[i], d), (long long)expected);
}

static enum status check_shapes(const struct ref_call *call, struct diag *diag)
{
    const TfLiteSVDFParams *p = call->params;
    const int32_t filters = ref_dim(call->in[FEATURE], 0), memory = ref_dim(call->in[TIME], 1);

    if (p->rank <= 0)
        return ref_fail(call, diag, STATUS_INVALID, "rank is %d, expected at least 1", p->rank);
    TRY(ref_check_not_empty(call, diag, TIME, "time weights", 1, "steps of memory"));
    if (filters % p->rank != 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (feature weights): %d filters, expected a multiple of the rank %d",
                        filters, p->rank);
    TRY(check_dim(call, diag, FEATURE, "feature weights", 1, ref_dim(call->in[X], 1)));
    TRY(check_dim(call, diag, TIME, "time weights", 0, filters));
    if (ref_has(call, BIAS))
        TRY(check_dim(call, diag, BIAS, "bias", 0, filters / p->rank));
    TRY(check_dim(call, diag, STATE, "state", 0, ref_dim(call->in[X], 0)));
    TRY(check_dim(call, diag, STATE, "state", 1, (int64_t)memory * filters));
    if (!call->in[STATE]->is_variable)
        return ref_fail(call, diag, STATUS_INVALID, "input 4 (state): expected a variable tensor");
    return STATUS_OK;
}

/* To steps of the state, and from there to steps of y; the runtime multiplies the scales in f32. */
static enum status read_factors(const struct ref_call *call, struct diag *diag,
                                struct fixed_multiplier m[2])
{
    const float s = (float)ref_scale(call->in[STATE]);

    TRY(ref_check_multiplier(
        call, diag, "input scale * feature scale / state scale",
        (float)ref_scale(call->in[X]) * (float)ref_scale(call->in[FEATURE]) / s, &m[0]));
    return ref_check_multiplier(
        call, diag, "state scale * time scale / output scale",
        s * (float)ref_scale(call->in[TIME]) / (float)ref_scale(call->out[0]), &m[1]);
}

static enum status check_zero(const struct ref_call *call, struct diag *diag, int i,
                              const char *role)
{
    TRY(ref_check_scale_in(call, diag, i, role));
    if (ref_zero_point(call->in[i]) != 0)
        return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): zero point is %d, expected 0",
                        i, role, ref_zero_point(call->in[i]));
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteSVDFParams *p = call->params;
    struct fixed_multiplier m[2];

    TRY(check_types(call, diag));
    TRY(check_shapes(call, diag));
    if ((int)p->activation < kTfLiteActNone || p->activation > kTfLiteActRelu6)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "fused_activation_function %d, expected 0 to 3", (int)p->activation);
    if (call->in[FEATURE]->type == kTfLiteInt8) {
        TRY(check_zero(call, diag, FEATURE, "feature weights"));
        TRY(check_zero(call, diag, TIME, "time weights"));
    }
    if (call->in[X]->type == kTfLiteInt8) {
        TRY(ref_check_scale_in(call, diag, X, "input"));
        TRY(ref_check_scale_out(call, diag, 0));
        TRY(check_zero(call, diag, STATE, "state"));
        if (p->activation != kTfLiteActRelu)
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "fused_activation_function %d, expected 1 (RELU) with an input of i8",
                            (int)p->activation);
        TRY(read_factors(call, diag, m));
    }
    call->out_shape[0] = (struct ref_shape){
        .rank = 2, .dims = { ref_dim(call->in[X], 0), ref_dim(call->in[FEATURE], 0) / p->rank }
    };
    return STATUS_OK;
}

/* ---- floats ---- */

/* The weights as floats: the caller's. */
static float *weights_of(const TfLiteTensor *t)
{
    const double scale = t->type == kTfLiteFloat32 ? 1 : ref_scale(t);
    const size_t count = ref_elements(t);
    float *const w = mem_alloc(count ? count : 1, sizeof *w);

    for (size_t i = 0; w && i < count; i++)
        w[i] = t->type == kTfLiteFloat32 ? t->data.f[i] : (float)(scale * t->data.int8[i]);
    return w;
}

/* Half a step to which the runtime rounds a row of x, 1 % more for the rounding of the step. */
static double half_step(const float *x, size_t depth)
{
    double largest = 0;

    for (size_t k = 0; k < depth; k++)
        largest = fmax(largest, fabs((double)x[k]));
    return largest / 127 / 2 * 1.01;
}

/* A filter of a row: its new result, and what its error depends on. */
struct filter {
    double size;    /* sum of |wf * x| */
    double rounded; /* of x rounded to 8 bits */
};

static struct filter add_result(float *s, const float *x, const float *w, const struct sizes *z)
{
    struct filter f = { 0 };
    double sum = 0;

    for (size_t k = 0; k < z->depth; k++) {
        const double product = (double)w[k] * x[k]; /* exact */

        sum += product;
        f.size += fabs(product);
        f.rounded += fabs((double)w[k]);
    }
    memmove(s, s + 1, (z->memory - 1) * sizeof *s);
    s[z->memory - 1] = (float)sum;
    f.rounded *= half_step(x, z->depth);
    return f;
}

/* The results of earlier steps had errors of their own: their x is gone, and counts as this one. */
static void eval_floats(struct ref_call *call, const struct sizes *z, const float *feature,
                        const float *time)
{
    const TfLiteSVDFParams *p = call->params;
    const bool has_bias = ref_has(call, BIAS);
    double *const rounded = call->detail ? call->detail->rounded : NULL;

    for (size_t b = 0; b < z->batch; b++) {
        const float *const x = call->in[X]->data.f + b * z->depth;

        for (size_t u = 0; u < z->units; u++) {
            const double bias = has_bias ? call->in[BIAS]->data.f[u] : 0;
            double sum = bias, magnitude = fabs(bias), off = 0;

            for (size_t f = u * z->rank; f < (u + 1) * z->rank; f++) {
                float *const s = call->in[STATE]->data.f + (b * z->filters + f) * z->memory;
                const struct filter of = add_result(s, x, feature + f * z->depth, z);

                for (size_t m = 0; m < z->memory; m++) {
                    const double w = time[f * z->memory + m];

                    sum += w * s[m];
                    magnitude += fabs(w) * fmax(fabs((double)s[m]), of.size);
                    off += fabs(w) * of.rounded;
                }
            }
            ref_store_fused(call, 0, b * z->units + u, p->activation, sum, magnitude,
                            (double)(z->depth + z->memory * z->rank + has_bias));
            if (rounded)
                rounded[b * z->units + u] = off;
        }
    }
}

/* ---- i8 ---- */

static int16_t new_result(const struct ref_call *call, const struct sizes *z, size_t b, size_t f,
                          struct fixed_multiplier m)
{
    const int8_t *const x = call->in[X]->data.int8 + b * z->depth;
    const int8_t *const w = call->in[FEATURE]->data.int8 + f * z->depth;
    const int32_t zero = ref_zero_point(call->in[X]);
    int64_t sum = 0;

    for (size_t k = 0; k < z->depth; k++)
        sum += w[k] * (x[k] - zero);
    return (int16_t)fixed_clamp(fixed_multiply(fixed_wrap(sum), m), ref_type_range(kTfLiteInt16));
}

static void eval_integers(struct ref_call *call, const struct sizes *z,
                          const struct fixed_multiplier m[2])
{
    const double steps =
        ref_scale(call->in[STATE]) * ref_scale(call->in[TIME]) / ref_scale(call->out[0]);
    const int32_t zero = ref_zero_point(call->out[0]);

    for (size_t b = 0; b < z->batch; b++) {
        for (size_t u = 0; u < z->units; u++) {
            int64_t sum = ref_has(call, BIAS) ? call->in[BIAS]->data.i32[u] : 0;
            double magnitude = fabs((double)sum);

            for (size_t f = u * z->rank; f < (u + 1) * z->rank; f++) {
                int16_t *const s = call->in[STATE]->data.i16 + (b * z->filters + f) * z->memory;

                memmove(s, s + 1, (z->memory - 1) * sizeof *s);
                s[z->memory - 1] = new_result(call, z, b, f, m[0]);
                for (size_t k = 0; k < z->memory; k++) {
                    const int64_t product =
                        (int64_t)call->in[TIME]->data.i16[f * z->memory + k] * s[k];

                    sum += product;
                    magnitude += fabs((double)product);
                }
            }
            ref_store_quant(call, 0, b * z->units + u, ref_type_range(kTfLiteInt8),
                            (int64_t)fixed_multiply(fixed_wrap(sum), m[1]) + zero,
                            (double)sum * steps + zero, magnitude * steps,
                            (double)(z->memory * z->rank + 1));
        }
    }
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const struct sizes z = sizes_of(call);
    struct fixed_multiplier m[2];
    float *feature, *time;
    enum status s = STATUS_OK;

    if (call->in[X]->type == kTfLiteInt8) {
        TRY(read_factors(call, diag, m));
        eval_integers(call, &z, m);
        return STATUS_OK;
    }
    feature = weights_of(call->in[FEATURE]);
    time = weights_of(call->in[TIME]);
    if (feature && time)
        eval_floats(call, &z, feature, time);
    else
        s = ref_fail(call, diag, STATUS_NO_MEMORY, "weights: out of memory");
    mem_free(feature);
    mem_free(time);
    return s;
}

static const struct ref_op ops[] = {
    { REF_OP("svdf", SVDF, 4, OPTIONS_SVDFOptions), REF_PARAMS(TfLiteSVDFParams, read_params),
      REF_RUN(prepare, eval) },
};

const struct ref_family ref_svdf = { ops, sizeof ops / sizeof ops[0] };
