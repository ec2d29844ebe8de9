/* Tensors that are made of a few numbers:
 *
 *     FILL        y of shape dims (i32 or i64, rank 1), each element the scalar value, of any type
 *                 of whole bytes; i8, u8 and i16 have the value's scale
 *     ZEROS_LIKE  zeros in the shape and type of x: f32, i32, i64
 *     RANGE       start, start + delta, ... before limit; three scalars of one type: f32, i32, i64
 *
 * The number of elements of RANGE is that of the runtime: of floats the f32 quotient, rounded up. A
 * delta of 0, or one that leads away from the limit, is an error.  Inputs that are not constant
 * make the output dynamic.
 * Meaning: tflite/kernels/fill.cc, zeros_like.cc, range.cc */
#include "reference/kernels/move.h"

#include <inttypes.h>
#include <math.h>

/* ---- FILL ---- */

static enum status prepare_fill(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *const y = &call->out_shape[0];
    int32_t rank;

    TRY(ref_check_vector(call, diag, 0, "dims", true, -1));
    TRY(ref_check_shape(call, diag, 1, "value", 0, 0));
    TRY(ref_check_bytes(call, diag, 1, "value"));
    TRY(ref_check_outs(call, diag, 1, ref_is_steps(call->in[1]->type)));
    rank = ref_dim(call->in[0], 0);
    if (rank > REF_MAX_RANK)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "input 0 (dims): %" PRId32 " elements, expected at most %d", rank,
                        REF_MAX_RANK);
    if (!ref_known(call, 0)) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 0, "dims"));
    *y = (struct ref_shape){ .rank = (int)rank };
    for (int d = 0; d < y->rank; d++) {
        const int64_t size = ref_load_int(call->in[0], (size_t)d);

        if (size < 0 || size > INT32_MAX)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 0 (dims): element %d is %" PRId64 ", expected 0 to 2^31 - 1", d,
                            size);
        y->dims[d] = (int32_t)size;
    }
    return STATUS_OK;
}

static enum status eval_fill(struct ref_call *call, struct diag *diag)
{
    struct ref_walk walk = { 0 };

    (void)diag;
    for (int d = 0; d < ref_rank(call->out[0]); d++)
        ref_walk_dim(&walk, ref_dim(call->out[0], d), 0);
    ref_walk_copy(call, 1, 0, &walk);
    return STATUS_OK;
}

/* ---- ZEROS_LIKE ---- */

enum { TYPES = REF_TYPE(Float32) | REF_TYPE(Int32) | REF_TYPE(Int64) };

static enum status prepare_zeros_like(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in_types(call, diag, 0, "input", TYPES, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static void store(struct ref_call *call, size_t i, double real, double magnitude, int64_t whole)
{
    if (call->out[0]->type == kTfLiteFloat32)
        ref_store(call, 0, i, real, magnitude, 1);
    else
        ref_store_int(call, 0, i, whole);
}

static enum status eval_zeros_like(struct ref_call *call, struct diag *diag)
{
    const size_t count = ref_elements(call->out[0]);

    (void)diag;
    for (size_t i = 0; i < count; i++)
        store(call, i, 0, 0, 0);
    return STATUS_OK;
}

/* ---- RANGE ---- */

enum { START, LIMIT, DELTA };

/* Whether the steps lead from start to limit, as signs: of limit - start, and of delta. */
static enum status check_direction(const struct ref_call *call, struct diag *diag, int way,
                                   int step)
{
    if (step == 0)
        return ref_fail(call, diag, STATUS_INVALID, "input 2 (delta) is 0");
    if (way * step < 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 2 (delta) is %s 0, but the limit is %s the start",
                        step > 0 ? "above" : "below", way > 0 ? "above" : "below");
    return STATUS_OK;
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static enum status count_floats(const struct ref_call *call, struct diag *diag, double *count)
{
    const float start = (float)ref_load(call->in[START], 0);
    const float limit = (float)ref_load(call->in[LIMIT], 0);
    const float delta = (float)ref_load(call->in[DELTA], 0);

    if (!isfinite(start) || !isfinite(limit) || !isfinite(delta))
        return ref_fail(call, diag, STATUS_INVALID,
                        "start %g, limit %g, delta %g, expected finite numbers", (double)start,
                        (double)limit, (double)delta);
    TRY(check_direction(call, diag, (limit > start) - (limit < start), sign_of((double)delta)));
    *count = ceil(fabs((double)((limit - start) / delta)));
    return STATUS_OK;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static enum status count_integers(const struct ref_call *call, struct diag *diag, double *count)
{
    const int64_t start = ref_load_int(call->in[START], 0);
    const int64_t limit = ref_load_int(call->in[LIMIT], 0);
    const int64_t delta = ref_load_int(call->in[DELTA], 0);
    uint64_t way, step;

    TRY(check_direction(call, diag, (limit > start) - (limit < start), (delta > 0) - (delta < 0)));
    way = distance(start, limit);
    step = distance(delta, 0);
    *count = (double)(way / step + (way % step != 0));
    return STATUS_OK;
}

static enum status prepare_range(struct ref_call *call, struct diag *diag)
{
    static const char *const roles[] = { "start", "limit", "delta" };
    bool known = true;
    double count = 0;

    for (int i = START; i <= DELTA; i++) {
        TRY(ref_check_in_types(call, diag, i, roles[i], TYPES, 0, 0));
        TRY(ref_check_in(call, diag, i, roles[i], call->in[START]->type, 0, 0));
        known = known && ref_known(call, i);
    }
    TRY(ref_check_out(call, diag, 0, call->in[START]->type));
    call->out_shape[0] = (struct ref_shape){ .rank = 1, .dynamic = !known };
    if (!known)
        return STATUS_OK;
    for (int i = START; i <= DELTA; i++)
        TRY(ref_check_data(call, diag, i, roles[i]));
    TRY(call->in[START]->type == kTfLiteFloat32 ? count_floats(call, diag, &count)
                                                : count_integers(call, diag, &count));
    if (!(count <= INT32_MAX))
        return ref_fail(call, diag, STATUS_INVALID, "%g elements, expected at most 2^31 - 1",
                        count);
    call->out_shape[0].dims[0] = (int32_t)count;
    return STATUS_OK;
}

/* The runtime adds delta to each element in f32 and so rounds each sum. */
static enum status eval_range(struct ref_call *call, struct diag *diag)
{
    const bool is_float = call->in[START]->type == kTfLiteFloat32;
    const double start = is_float ? ref_load(call->in[START], 0) : 0;
    const double delta = is_float ? ref_load(call->in[DELTA], 0) : 0;
    const int64_t first = is_float ? 0 : ref_load_int(call->in[START], 0);
    const int64_t step = is_float ? 0 : ref_load_int(call->in[DELTA], 0);
    const size_t count = ref_elements(call->out[0]);
    double magnitude = 0;

    (void)diag;
    for (size_t i = 0; i < count; i++) {
        const double real = start + (double)i * delta;

        magnitude += fabs(real);
        store(call, i, real, magnitude, (int64_t)((uint64_t)first + (uint64_t)i * (uint64_t)step));
    }
    return STATUS_OK;
}

#define MEMBER(name_, code_, versions, step, tag, folds_)                                          \
    {                                                                                              \
        REF_OP(name_, code_, versions, tag), REF_RUN(prepare_##step, eval_##step),                 \
            .folds = REF_FOLD_##folds_                                                             \
    }
static const struct ref_op ops[] = {
    MEMBER("fill", FILL, 5, fill, OPTIONS_FillOptions, NONE),
    MEMBER("zeros_like", ZEROS_LIKE, 1, zeros_like, OPTIONS_ZerosLikeOptions, NONE),
    MEMBER("range", RANGE, 1, range, OPTIONS_RangeOptions, VALUES),
};

const struct ref_family ref_fill = { ops, sizeof ops / sizeof ops[0] };
