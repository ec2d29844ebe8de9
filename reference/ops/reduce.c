/* MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY and REDUCE_ALL over some axes, of
 * tensors of any shape; axes i32 (of any shape, usually a vector).
 *
 * An axis may be negative (counted from the end) and may repeat; without axes y is x.  The reduced
 * dimensions are dropped, or kept as 1 with keep_dims.  Axes that are not constant make the output
 * dynamic.
 *
 * MEAN: f32, i32, i64, i8, u8.  The mean of no elements is NaN, and the integer 0.  8-bit integers
 * are summed exactly; one fixed-point factor divides by their number and requantizes.  The mean of
 * i32 and i64 is cut off toward zero; sums wrap at 64 bits.
 *
 * The others: f32, i32, i64 (all but ANY and ALL); i8, i16; u8 (SUM, MAX, MIN); bool (MAX, MIN,
 * ANY, ALL).  Sums and products of i32 and i64 wrap.  8-bit sums are exact, and one fixed-point
 * factor requantizes them; a product is requantized after each factor, in the order of the input.
 * MAX and MIN skip NaN, but for one that comes first where all dimensions are reduced; they never
 * give an infinity of the wrong sign: the result of no larger element is the lowest number.
 * Meaning: tflite/kernels/reduce.cc, tflite/kernels/internal/reference/reduce.h */
#include "reference/kernels/axes.h"
#include "reference/kernels/quantized.h"

#include <float.h>
#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteReducerParams *p = params;

    p->keep_dims = options_int(options, "keep_dims") != 0;
}

/* ---- MEAN ---- */

/* The multiplier from a sum of count elements to steps of the output: the division by count is
 * folded into its mantissa, which is first shifted to the left by floor(log2 count) bits, where
 * that fits. */
static enum status mean_factor(const struct ref_call *call, struct diag *diag, size_t count,
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

static enum status prepare_mean(struct ref_call *call, struct diag *diag)
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
        TRY(mean_factor(call, diag, 1, &m));
    }
    return ref_shape_axes(call, diag, p->keep_dims);
}

/* sum, magnitude: of the elements less their zero point. */
static void store_mean(struct ref_call *call, size_t at, struct fixed_multiplier m, double sum,
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
static void store_no_mean(struct ref_call *call, size_t at)
{
    if (call->out[0]->type == kTfLiteFloat32)
        ref_store(call, 0, at, NAN, 0, 0);
    else
        ref_store_int(call, 0, at, 0);
}

static enum status eval_mean(struct ref_call *call, struct diag *diag)
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
        TRY(mean_factor(call, diag, axes.count, &m));
    do {
        const double count = (double)axes.count;
        struct sums s;

        if (axes.count == 0) {
            store_no_mean(call, at++);
            continue;
        }
        s = add_up(x, &axes, kept);
        if (x->type == kTfLiteFloat32)
            ref_store(call, 0, at++, s.sum / count, s.magnitude / count, count);
        else if (ref_is_steps(x->type))
            store_mean(call, at++, m, s.sum, s.magnitude, count);
        else
            ref_store_int(call, 0, at++, (int64_t)s.whole / (int64_t)axes.count);
    } while (ref_step(axes.rank, axes.kept, kept));
    return STATUS_OK;
}

/* ---- the others ---- */

enum { TYPES_NUMBER = REF_TYPE(Float32) | REF_TYPE(Int32) | REF_TYPE(Int64) };

static const struct member {
    int32_t code;
    uint32_t types;
} members[] = {
    { BUILTIN_SUM, TYPES_NUMBER | REF_TYPES_QUANTIZED },
    { BUILTIN_REDUCE_MAX, TYPES_NUMBER | REF_TYPES_QUANTIZED | REF_TYPE(Bool) },
    { BUILTIN_REDUCE_MIN, TYPES_NUMBER | REF_TYPES_QUANTIZED | REF_TYPE(Bool) },
    { BUILTIN_REDUCE_PROD, TYPES_NUMBER | REF_TYPE(Int8) | REF_TYPE(Int16) },
    { BUILTIN_REDUCE_ANY, REF_TYPE(Bool) },
    { BUILTIN_REDUCE_ALL, REF_TYPE(Bool) },
};

static uint32_t types_of(int32_t code)
{
    const struct member *m = members;

    while (m->code != code)
        m++;
    return m->types;
}

static bool is_extreme(int32_t code)
{
    return code != BUILTIN_SUM && code != BUILTIN_REDUCE_PROD;
}

/* ANY is the larger one of false and true, ALL the smaller one. */
static bool is_largest(int32_t code)
{
    return code == BUILTIN_REDUCE_MAX || code == BUILTIN_REDUCE_ANY;
}

/* The real factor of an 8-bit sum; of a product that of each of its `count` factors, whose product
 * is the whole factor. */
static double real_factor(const struct ref_call *call, size_t count)
{
    const double in = ref_scale(call->in[0]), out = ref_scale(call->out[0]);

    return call->op->code == BUILTIN_SUM ? in / out : in / pow(out, 1.0 / (double)(int)count);
}

static enum status read_factor(const struct ref_call *call, struct diag *diag, size_t count,
                               struct fixed_multiplier *m)
{
    static const char *const what = "input scale / output scale";

    *m = (struct fixed_multiplier){ 0 };
    if (call->op->code == BUILTIN_SUM)
        return ref_check_multiplier(call, diag, what, real_factor(call, count), m);
    if (count == 0)
        return STATUS_OK;
    TRY(ref_check_multiplier(call, diag, what, real_factor(call, count), m));
    if (m->e > 14)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input scale / output scale^(1 / %zu) is %g, expected less than 2^14",
                        count, real_factor(call, count));
    return STATUS_OK;
}

static enum status prepare_other(struct ref_call *call, struct diag *diag)
{
    const TfLiteReducerParams *p = call->params;
    const bool steps = ref_has(call, 0) && ref_is_steps(call->in[0]->type);
    struct fixed_multiplier m;
    struct ref_axes axes;

    TRY(ref_check_in_types(call, diag, 0, "input", types_of(call->op->code), 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (steps && is_extreme(call->op->code))
        TRY(ref_check_moves(call, diag, 0, 0));
    TRY(ref_shape_axes(call, diag, p->keep_dims));
    if (!steps || is_extreme(call->op->code))
        return STATUS_OK;
    TRY(ref_check_scale_in(call, diag, 0, "input"));
    TRY(ref_check_scale_out(call, diag, 0));
    TRY(ref_check_symmetric(call, diag));
    if (call->out_shape[0].dynamic)
        return STATUS_OK;
    TRY(ref_read_axes(call, diag, &axes));
    return read_factor(call, diag, axes.count, &m);
}

/* ---- one result of each kind ---- */

struct reduction {
    struct ref_call *call;
    const TfLiteTensor *x;
    const struct ref_axes *axes;
    struct fixed_multiplier m; /* of 8 and 16 bits */
    size_t at;                 /* of the result */
    const int32_t *kept;       /* its position in the input */
};

static void reduce_floats(const struct reduction *r)
{
    const bool product = r->call->op->code == BUILTIN_REDUCE_PROD;
    int32_t reduced[REF_MAX_RANK] = { 0 };
    double v = product, magnitude = 0;

    if (r->axes->count > 0) {
        do {
            const double x = r->x->data.f[ref_axes_index(r->axes, r->kept, reduced)];

            v = product ? v * x : v + x;
            magnitude += fabs(x);
        } while (ref_step(r->axes->rank, r->axes->reduced, reduced));
    }
    /* Of a product the magnitude counts roundings: one for each factor. */
    ref_store(r->call, 0, r->at, v, product ? fabs(v) * (double)r->axes->count : magnitude,
              (double)r->axes->count);
}

static void reduce_integers(const struct reduction *r)
{
    const bool product = r->call->op->code == BUILTIN_REDUCE_PROD;
    int32_t reduced[REF_MAX_RANK] = { 0 };
    uint64_t v = product;

    if (r->axes->count > 0) {
        do {
            const uint64_t x =
                (uint64_t)ref_load_int(r->x, ref_axes_index(r->axes, r->kept, reduced));

            v = product ? v * x : v + x;
        } while (ref_step(r->axes->rank, r->axes->reduced, reduced));
    }
    ref_store_int(r->call, 0, r->at, (int64_t)v);
}

/* x times the factor m, for a wide x: the mantissa has 15 bits, and ties go up. */
static int32_t multiply_wide(int64_t x, struct fixed_multiplier m)
{
    const int32_t mantissa = m.q < 0x7fff0000 ? (m.q + (1 << 15)) >> 16 : 0x7fff;
    const int shift = 15 - m.e;
    const int64_t rounded = x * mantissa + (INT64_C(1) << (shift - 1));

    return fixed_wrap(rounded >> shift);
}

static void reduce_steps(const struct reduction *r)
{
    const TfLiteTensor *const y = r->call->out[0];
    const bool product = r->call->op->code == BUILTIN_REDUCE_PROD;
    const int32_t zero = ref_zero_point(r->x), zero_y = ref_zero_point(y);
    const double scale = ref_scale(r->x), steps = ref_scale(y), count = (double)r->axes->count;
    int32_t reduced[REF_MAX_RANK] = { 0 };
    int64_t sum = 0, q = 0;
    double real = 1, magnitude = 0;
    bool first = true;

    do {
        const int64_t v = ref_load_int(r->x, ref_axes_index(r->axes, r->kept, reduced)) - zero;

        q = first ? v : multiply_wide(q * v, r->m);
        first = false;
        real *= (double)v * scale;
        sum += v;
        magnitude += fabs((double)v);
    } while (ref_step(r->axes->rank, r->axes->reduced, reduced));
    if (product) {
        q = multiply_wide(q, r->m);
        real /= steps;
        magnitude = fabs(real) * count;
    } else {
        q = fixed_multiply(fixed_wrap(sum), r->m);
        real = (double)sum * (scale / steps);
        magnitude *= scale / steps;
    }
    ref_store_quant(r->call, 0, r->at, ref_type_range(y->type), q + zero_y, real + zero_y,
                    magnitude, count);
}

/* The number that MAX (MIN) begins with. */
static double lowest_of(TfLiteType type, bool largest)
{
    double low, high;

    switch (type) {
    case kTfLiteFloat32: high = FLT_MAX, low = -high; break;
    case kTfLiteInt32: high = INT32_MAX, low = INT32_MIN; break;
    case kTfLiteInt16: high = INT16_MAX, low = INT16_MIN; break;
    case kTfLiteInt8: high = INT8_MAX, low = INT8_MIN; break;
    case kTfLiteUInt8: high = UINT8_MAX, low = 0; break;
    default: high = 1, low = 0; break;
    }
    return largest ? low : high;
}

static void reduce_extreme(const struct reduction *r)
{
    const bool largest = is_largest(r->call->op->code), floats = r->x->type == kTfLiteFloat32;
    int32_t reduced[REF_MAX_RANK] = { 0 };
    double v = lowest_of(r->x->type, largest);
    bool first = r->axes->all;

    if (r->axes->count > 0) {
        do {
            const size_t from = ref_axes_index(r->axes, r->kept, reduced);
            const double x = floats ? r->x->data.f[from] : (double)ref_load_int(r->x, from);

            if (first || (largest ? x > v : x < v))
                v = x;
            first = false;
        } while (ref_step(r->axes->rank, r->axes->reduced, reduced));
    }
    if (floats)
        ref_store(r->call, 0, r->at, v, fabs(v), 1);
    else
        ref_store_int(r->call, 0, r->at, (int64_t)v);
}

/* A double does not hold all of these. */
static void reduce_extreme_i64(const struct reduction *r)
{
    const bool largest = is_largest(r->call->op->code);
    int32_t reduced[REF_MAX_RANK] = { 0 };
    int64_t v = largest ? INT64_MIN : INT64_MAX;

    if (r->axes->count > 0) {
        do {
            const int64_t x = ref_load_int(r->x, ref_axes_index(r->axes, r->kept, reduced));

            if (largest ? x > v : x < v)
                v = x;
        } while (ref_step(r->axes->rank, r->axes->reduced, reduced));
    }
    ref_store_int(r->call, 0, r->at, v);
}

static enum status eval_other(struct ref_call *call, struct diag *diag)
{
    const TfLiteType type = call->in[0]->type;
    int32_t kept[REF_MAX_RANK] = { 0 };
    struct ref_axes axes;
    struct reduction r = { .call = call, .x = call->in[0], .axes = &axes, .kept = kept };
    const bool steps = ref_is_steps(type) && !is_extreme(call->op->code);

    TRY(ref_read_axes(call, diag, &axes));
    if (ref_elements(call->out[0]) == 0)
        return STATUS_OK;
    if (steps)
        TRY(read_factor(call, diag, axes.count, &r.m));
    do {
        if (is_extreme(call->op->code))
            (type == kTfLiteInt64 ? reduce_extreme_i64 : reduce_extreme)(&r);
        else if (type == kTfLiteFloat32)
            reduce_floats(&r);
        else if (steps && axes.count > 0)
            reduce_steps(&r);
        else if (steps) /* the runtime leaves a product of nothing as it was */
            ref_store_int(call, 0, r.at, 0);
        else
            reduce_integers(&r);
        r.at++;
    } while (ref_step(axes.rank, axes.kept, kept));
    return STATUS_OK;
}

#define REDUCTION(name_, code_, version, member, folds_)                                           \
    {                                                                                              \
        REF_OP(name_, code_, version, OPTIONS_ReducerOptions),                                     \
            REF_PARAMS(TfLiteReducerParams, read_params),                                          \
            REF_RUN(prepare_##member, eval_##member), .folds = REF_FOLD_##folds_,                  \
                                                      .fold_elements = 8                           \
    }

static const struct ref_op ops[] = {
    REDUCTION("mean", MEAN, 3, mean, NONE),
    REDUCTION("sum", SUM, 2, other, NONE),
    REDUCTION("reduce_max", REDUCE_MAX, 3, other, NONE),
    REDUCTION("reduce_min", REDUCE_MIN, 3, other, NONE),
    REDUCTION("reduce_prod", REDUCE_PROD, 2, other, VALUES),
    REDUCTION("reduce_any", REDUCE_ANY, 1, other, NONE),
    REDUCTION("reduce_all", REDUCE_ALL, 1, other, NONE),
};

const struct ref_family ref_reduce = { ops, sizeof ops / sizeof ops[0] };
