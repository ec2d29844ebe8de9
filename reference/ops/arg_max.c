/* ARG_MAX and ARG_MIN: the index of the largest (smallest) element along an axis, the first of
 * equal ones.
 *
 * x f32, i8, u8, i32 or bool; axis one i32 or i64; y i32 or i64, as output_type says, without the
 * axis.  NaNs are skipped; the index is 0 where there are only NaNs.  Over the last axis the
 * runtime compares four floats at a time, and NaN hides some of the others: arg_max_lanes. Meaning:
 * tflite/kernels/internal/reference/arg_min_max.h */
#include "reference/kernels/quantized.h"

#include <math.h>

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
                           REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int32) | REF_TYPE(Bool), 1,
                           REF_MAX_RANK));
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

/* A row whose elements lie `step` apart.  ARG_MIN is the ARG_MAX of their negatives. */
struct arg_max_row {
    const TfLiteTensor *x;
    size_t first, step, count;
    bool negated;
};

static double row_at(const struct arg_max_row *r, size_t i)
{
    const double v = number_at(r->x, r->first + i * r->step);

    return r->negated ? -v : v;
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
            const struct arg_max_row row = { x, i * count * inner + j, inner, count,
                                             call->op->code == BUILTIN_ARG_MIN };

            ref_store_int(call, 0, i * inner + j, (int64_t)arg_max(&row));
        }
    }
    return STATUS_OK;
}

#define ARG(name_, code_, version, tag)                                                            \
    {                                                                                              \
        REF_OP(name_, code_, version, tag), REF_PARAMS(TfLiteArgMaxParams, arg_max_read),          \
            REF_RUN(arg_max_prepare, arg_max_eval)                                                 \
    }

/* Both have one struct of parameters in two names, which the runtime reads alike. */
_Static_assert(sizeof(TfLiteArgMinParams) == sizeof(TfLiteArgMaxParams), "ARG_MIN, ARG_MAX");

static const struct ref_op ops[] = {
    ARG("arg_max", ARG_MAX, 3, OPTIONS_ArgMaxOptions),
    ARG("arg_min", ARG_MIN, 2, OPTIONS_ArgMinOptions),
};

const struct ref_family ref_arg_max = { ops, sizeof ops / sizeof ops[0] };
