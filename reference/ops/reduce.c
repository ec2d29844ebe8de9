/* MEAN over some axes.  x, y f32, i32, i64, i8 or u8, of any shape; axes i32 (of any shape, usually
 * a vector).
 *
 * An axis may be negative (counted from the end) and may repeat; without axes y is x.  The reduced
 * dimensions are dropped, or kept as 1 with keep_dims.  The mean of no elements is NaN, and the
 * integer 0.  Axes that are not constant make the output dynamic.
 *
 * 8-bit integers are summed exactly; one fixed-point factor divides by their number and
 * requantizes. The mean of i32 and i64 is cut off toward zero; sums wrap at 64 bits. Meaning:
 * tflite/kernels/internal/reference/reduce.h */
#include "reference/kernels/axes.h"
#include "reference/kernels/quantized.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteReducerParams *p = params;

    p->keep_dims = options_int(options, "keep_dims") != 0;
}

/* The multiplier from a sum of count elements to steps of the output: the division by count is
 * folded into its mantissa, which is first shifted to the left by floor(log2 count) bits, where
 * that fits. */
static enum status read_factor(const struct ref_call *call, struct diag *diag, size_t count,
                               struct fixed_multiplier *m)
{
    int shift = 0;

    TRY(ref_check_multiplier(call, diag, "input scale / output scale",
                             ref_scale(call->in[0]) / ref_scale(call->out[0]), m));
    while (shift < 32 && shift < 31 + m->e && count >> (shift + 1) > 0)
        shift++;
    if (count > 0)
        m->q = (int32_t)(((int64_t)m->q << shift) / (int64_t)count);
    m->e -= shift;
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteReducerParams *p = call->params;

    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float32) | REF_TYPES_QUANTIZED | REF_TYPE(Int32) |
                               REF_TYPE(Int64),
                           0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (ref_is_steps(call->in[0]->type)) {
        struct fixed_multiplier m;

        TRY(ref_check_scale_in(call, diag, 0, "input"));
        TRY(ref_check_scale_out(call, diag, 0));
        TRY(ref_check_symmetric(call, diag));
        TRY(read_factor(call, diag, 1, &m));
    }
    return ref_shape_axes(call, diag, p->keep_dims);
}

/* sum, magnitude: of the elements less their zero point. */
static void store_quantized(struct ref_call *call, size_t at, struct fixed_multiplier m, double sum,
                            double magnitude, double count)
{
    const TfLiteTensor *const y = call->out[0];
    const int32_t zero = ref_zero_point(y);
    const double steps = ref_scale(call->in[0]) / ref_scale(y);

    ref_store_quant(call, 0, at, ref_type_range(y->type),
                    (int64_t)zero + fixed_multiply(fixed_wrap((int64_t)sum), m),
                    sum / count * steps + zero, magnitude / count * steps, count);
}

/* What MEAN sums up of the elements of one result. */
struct sums {
    double sum, magnitude; /* of floats, and of 8-bit integers less their zero point */
    uint64_t whole;        /* of i32 and i64, modulo 2^64 */
};

static struct sums add_up(const TfLiteTensor *x, const struct ref_axes *axes, const int32_t *kept)
{
    const bool quantized = ref_is_steps(x->type);
    const int32_t zero = quantized ? ref_zero_point(x) : 0;
    int32_t reduced[REF_MAX_RANK] = { 0 };
    struct sums s = { 0 };

    do {
        const size_t from = ref_axes_index(axes, kept, reduced);
        double v;

        if (x->type == kTfLiteFloat32 || quantized) {
            v = quantized ? (double)(ref_load_int(x, from) - zero) : x->data.f[from];
            s.sum += v;
            s.magnitude += fabs(v);
        } else {
            s.whole += (uint64_t)ref_load_int(x, from);
        }
    } while (ref_step(axes->rank, axes->reduced, reduced));
    return s;
}

/* Of no elements. */
static void store_none(struct ref_call *call, size_t at)
{
    if (call->out[0]->type == kTfLiteFloat32)
        ref_store(call, 0, at, NAN, 0, 0);
    else
        ref_store_int(call, 0, at, 0);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0];
    struct fixed_multiplier m = { 0 };
    int32_t kept[REF_MAX_RANK] = { 0 };
    struct ref_axes axes;
    size_t at = 0;

    TRY(ref_read_axes(call, diag, &axes));
    if (ref_elements(call->out[0]) == 0)
        return STATUS_OK;
    if (ref_is_steps(x->type))
        TRY(read_factor(call, diag, axes.count, &m));
    do {
        const double count = (double)axes.count;
        struct sums s;

        if (axes.count == 0) {
            store_none(call, at++);
            continue;
        }
        s = add_up(x, &axes, kept);
        if (x->type == kTfLiteFloat32)
            ref_store(call, 0, at++, s.sum / count, s.magnitude / count, count);
        else if (ref_is_steps(x->type))
            store_quantized(call, at++, m, s.sum, s.magnitude, count);
        else
            ref_store_int(call, 0, at++, (int64_t)s.whole / (int64_t)axes.count);
    } while (ref_step(axes.rank, axes.kept, kept));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "mean",
        REF_OP(MEAN),
        .max_version = 3,
        .options_tag = OPTIONS_ReducerOptions,
        .params_bytes = sizeof(TfLiteReducerParams),
        .read_params = read_params,
        .prepare = prepare,
        .eval = eval,
    },
};

const struct ref_family ref_reduce = { ops, sizeof ops / sizeof ops[0] };
