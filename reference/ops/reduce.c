/* MEAN over some axes, and ARG_MAX along one (below).  x, y f32, i8 or u8, of any shape; axes i32
 * (of any shape, usually a vector).
 *
 * An axis may be negative (counted from the end) and may repeat; without axes y is x.  The reduced
 * dimensions are dropped, or kept as 1 with keep_dims.  The mean of no elements is NaN, and the
 * integer 0.  Axes that are not constant make the output dynamic.
 *
 * Integers are summed exactly; one fixed-point factor divides by their number and requantizes.
 * Meaning: tflite/kernels/internal/reference/reduce.h */
#include "reference/kernels/quantized.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteReducerParams *p = params;

    p->keep_dims = options_int(options, "keep_dims") != 0;
}

/* Which dimensions of the input are reduced. */
static enum status read_axes(const struct ref_call *call, struct diag *diag, bool *reduced)
{
    const int rank = ref_rank(call->in[0]);
    const size_t count = ref_elements(call->in[1]);

    for (int d = 0; d < rank; d++)
        reduced[d] = false;
    for (size_t i = 0; i < count; i++) {
        const int64_t axis = ref_load_int(call->in[1], i);

        if (axis < -rank || axis >= rank)
            return ref_fail(
                call, diag, STATUS_INVALID,
                "input 1 (axes): element %zu is %d, expected -rank to rank - 1, rank %d", i,
                (int)axis, rank);
        reduced[axis < 0 ? axis + rank : axis] = true;
    }
    return STATUS_OK;
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
    struct ref_shape *shape = &call->out_shape[0];
    bool reduced[REF_MAX_RANK];
    const TfLiteTensor *x;

    TRY(ref_check_in_types(call, diag, 0, "input", REF_TYPE(Float32) | REF_TYPES_8BIT, 0,
                           REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "axes", kTfLiteInt32, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (ref_is_8bit(call->in[0]->type)) {
        struct fixed_multiplier m;

        TRY(ref_check_scale_in(call, diag, 0, "input"));
        TRY(ref_check_scale_out(call, diag, 0));
        TRY(read_factor(call, diag, 1, &m));
    }
    *shape = (struct ref_shape){ 0 };
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "axes"));
    TRY(read_axes(call, diag, reduced));
    x = call->in[0];
    for (int d = 0; d < ref_rank(x); d++) {
        if (!reduced[d])
            shape->dims[shape->rank++] = ref_dim(x, d);
        else if (p->keep_dims)
            shape->dims[shape->rank++] = 1;
    }
    return STATUS_OK;
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

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0];
    const int rank = ref_rank(x);
    bool reduced[REF_MAX_RANK];
    /* The two halves of an input position: dimensions of the output, and those summed over. */
    int32_t outer_dims[REF_MAX_RANK], inner_dims[REF_MAX_RANK], outer[REF_MAX_RANK] = { 0 };
    const bool quantized = ref_is_8bit(x->type);
    const int32_t zero = quantized ? ref_zero_point(x) : 0;
    struct fixed_multiplier m = { 0 };
    size_t count = 1, at = 0;

    TRY(read_axes(call, diag, reduced));
    if (ref_elements(call->out[0]) == 0)
        return STATUS_OK;
    for (int d = 0; d < rank; d++) {
        outer_dims[d] = reduced[d] ? 1 : ref_dim(x, d);
        inner_dims[d] = reduced[d] ? ref_dim(x, d) : 1;
        count *= (size_t)inner_dims[d];
    }
    if (quantized)
        TRY(read_factor(call, diag, count, &m));
    do {
        int32_t inner[REF_MAX_RANK] = { 0 };
        double sum = 0, magnitude = 0;

        if (count > 0) {
            do {
                size_t from = 0;
                double v;

                for (int d = 0; d < rank; d++)
                    from = from * (size_t)ref_dim(x, d) + (size_t)(outer[d] + inner[d]);
                v = quantized ? (double)(ref_load_int(x, from) - zero) : x->data.f[from];
                sum += v;
                magnitude += fabs(v);
            } while (ref_step(rank, inner_dims, inner));
        }
        if (quantized && count == 0)
            ref_store_int(call, 0, at++, 0);
        else if (quantized)
            store_quantized(call, at++, m, sum, magnitude, (double)count);
        else if (count == 0)
            ref_store(call, 0, at++, NAN, 0, 0);
        else
            ref_store(call, 0, at++, sum / (double)count, magnitude / (double)count, (double)count);
    } while (ref_step(rank, outer_dims, outer));
    return STATUS_OK;
}

/* ---- ARG_MAX: the index of the largest element along an axis, the first of equal ones ----
 *
 * x f32, i8, u8 or i32; axis one i32 or i64; y i32 or i64, as output_type says, without the axis.
 * NaNs are skipped; the index is 0 where there are only NaNs.  Over the last axis the runtime
 * compares four elements at a time, and NaN hides some of the others: arg_max_lanes.
 * Meaning: tflite/kernels/internal/reference/arg_min_max.h */

static void arg_max_read(const struct options *options, void *params)
{
    TfLiteArgMaxParams *p = params;

    p->output_type = tensor_type_runtime(options_int(options, "output_type"));
}

static enum status read_axis(const struct ref_call *call, struct diag *diag, int *axis)
{
    const int rank = ref_rank(call->in[0]);
    const int64_t value = ref_load_int(call->in[1], 0);

    if (value < -rank || value >= rank)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (axis): %lld, expected -rank to rank - 1, rank %d",
                        (long long)value, rank);
    *axis = (int)(value < 0 ? value + rank : value);
    return STATUS_OK;
}

static enum status arg_max_prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteArgMaxParams *p = call->params;
    struct ref_shape *shape = &call->out_shape[0];
    int axis;

    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int32), 1, REF_MAX_RANK));
    TRY(ref_check_in_types(call, diag, 1, "axis", REF_TYPE(Int32) | REF_TYPE(Int64), 0, 1));
    if (ref_elements(call->in[1]) != 1)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (axis): %zu elements, expected 1",
                        ref_elements(call->in[1]));
    if (p->output_type != kTfLiteInt32 && p->output_type != kTfLiteInt64)
        return ref_fail(call, diag, STATUS_INVALID, "output_type %s, expected i32 or i64",
                        runtime_type_name(p->output_type));
    TRY(ref_check_out(call, diag, 0, p->output_type));
    *shape = (struct ref_shape){ 0 };
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "axis"));
    TRY(read_axis(call, diag, &axis));
    TRY(ref_check_not_empty(call, diag, 0, "input", axis, "axis"));
    for (int d = 0; d < ref_rank(call->in[0]); d++) {
        if (d != axis)
            shape->dims[shape->rank++] = ref_dim(call->in[0], d);
    }
    return STATUS_OK;
}

/* Exact: a double holds all values of these types. */
static double number_at(const TfLiteTensor *t, size_t i)
{
    return t->type == kTfLiteFloat32 ? ref_load(t, i) : (double)ref_load_int(t, i);
}

/* A row whose elements lie `step` apart. */
struct arg_max_row {
    const TfLiteTensor *x;
    size_t first, step, count;
};

static double row_at(const struct arg_max_row *r, size_t i)
{
    return number_at(r->x, r->first + i * r->step);
}

/* Whether element i comes before the largest one so far: NaN is less than every number. */
static bool is_larger(const struct arg_max_row *r, size_t i, double largest)
{
    const double v = row_at(r, i);

    return v > largest || (isnan(largest) && !isnan(v));
}

/* Searches elements from `from` on, in steps of `step`, for a larger one than that at `best`. */
static size_t arg_max_from(const struct arg_max_row *r, size_t from, size_t end, size_t step,
                           size_t best, double largest)
{
    for (size_t i = from; i < end; i += step) {
        if (is_larger(r, i, largest)) {
            largest = row_at(r, i);
            best = i;
        }
    }
    return best;
}

static double not_less(double a, double b)
{
    return a < b ? b : a;
}

/* The runtime on x86, for rows of at least four floats without gaps: four lanes have a largest
 * element each, which are compared in pairs, where a NaN on the left wins and one on the right
 * loses; then those elements follow that fill no lane.  Without NaN this is the first of the
 * largest elements.  It was found by asking the runtime about 9,000 rows with NaNs. */
static size_t arg_max_lanes(const struct arg_max_row *r)
{
    enum { LANES = 4 };
    const size_t whole = r->count / LANES * LANES;
    size_t at[LANES], best = 0;
    double largest;

    for (size_t lane = 0; lane < LANES; lane++)
        at[lane] = arg_max_from(r, lane + LANES, whole, LANES, lane, row_at(r, lane));
    largest = not_less(not_less(row_at(r, at[0]), row_at(r, at[1])),
                       not_less(row_at(r, at[2]), row_at(r, at[3])));
    for (size_t lane = 0, found = 0; lane < LANES; lane++) {
        if (row_at(r, at[lane]) == largest && (!found || at[lane] < best)) {
            best = at[lane];
            found = 1;
        }
    }
    return arg_max_from(r, whole, r->count, 1, best, largest);
}

static size_t arg_max(const struct arg_max_row *r)
{
    if (r->x->type == kTfLiteFloat32 && r->step == 1 && r->count >= 4)
        return arg_max_lanes(r);
    return arg_max_from(r, 1, r->count, 1, 0, row_at(r, 0));
}

static enum status arg_max_eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    size_t outer = 1, inner = 1, count;
    int axis;

    TRY(read_axis(call, diag, &axis));
    count = (size_t)ref_dim(x, axis);
    for (int d = 0; d < axis; d++)
        outer *= (size_t)ref_dim(x, d);
    for (int d = axis + 1; d < ref_rank(x); d++)
        inner *= (size_t)ref_dim(x, d);
    for (size_t i = 0; i < outer; i++) {
        for (size_t j = 0; j < inner; j++) {
            const struct arg_max_row row = { x, i * count * inner + j, inner, count };

            ref_store_int(call, 0, i * inner + j, (int64_t)arg_max(&row));
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "mean",
        .code = BUILTIN_MEAN,
        .max_version = 3,
        .options_tag = OPTIONS_ReducerOptions,
        .params_bytes = sizeof(TfLiteReducerParams),
        .min_inputs = 2,
        .max_inputs = 2,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = read_params,
        .prepare = prepare,
        .eval = eval,
    },
    {
        .name = "arg_max",
        .code = BUILTIN_ARG_MAX,
        .max_version = 3,
        .options_tag = OPTIONS_ArgMaxOptions,
        .params_bytes = sizeof(TfLiteArgMaxParams),
        .min_inputs = 2,
        .max_inputs = 2,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = arg_max_read,
        .prepare = arg_max_prepare,
        .eval = arg_max_eval,
    },
};

const struct ref_family ref_reduce = { ops, sizeof ops / sizeof ops[0] };
