/* SCATTER_ND: zeros of a shape, to which updates are added at indices.
 *
 * indices i32 [..., n], shape i32 [rank], updates [...] + shape[n:] of f32, i8, u8, i32, i64 or
 * bool, without a scale.  The last dimension of the indices is a place in the first n dimensions of
 * the result.  Updates of one place add up: integers wrap, and bools are combined by a logical or.
 * A place outside of the result is an error.  A shape that is not constant makes the output
 * dynamic. Meaning: tflite/kernels/scatter_nd.cc, and ScatterNd of
 * internal/reference/reference_ops.h */
#include "reference/base/checked.h"
#include "reference/base/memory.h"
#include "reference/kernels/move.h"

#include <inttypes.h>
#include <math.h>

enum { INDICES, UPDATES, SHAPE };
enum {
    TYPES = REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int32) | REF_TYPE(Int64) | REF_TYPE(Bool)
};

/* The depth of an index tuple, and the number of outer dimensions of the indices. */
static int place_of(const struct ref_call *call)
{
    return ref_dim(call->in[INDICES], ref_rank(call->in[INDICES]) - 1);
}

static int outer_of(const struct ref_call *call)
{
    return ref_rank(call->in[INDICES]) - 1;
}

static enum status check_updates(const struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const indices = call->in[INDICES], *const updates = call->in[UPDATES];
    const int outer = outer_of(call), rank = ref_dim(call->in[SHAPE], 0), n = place_of(call);

    if (rank > REF_MAX_RANK || n > rank)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 2 (shape): %d elements, expected %d, the last dimension of the "
                        "indices, to %d",
                        rank, n, REF_MAX_RANK);
    if (ref_rank(updates) != outer + rank - n)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (updates): rank %d, expected %d",
                        ref_rank(updates), outer + rank - n);
    for (int d = 0; d < outer; d++)
        if (ref_dim(updates, d) != ref_dim(indices, d))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (updates): dimension %d is %d, expected %d, that of the "
                            "indices",
                            d, ref_dim(updates, d), ref_dim(indices, d));
    return STATUS_OK;
}

static enum status read_shape(const struct ref_call *call, struct diag *diag, struct ref_shape *y)
{
    const int n = place_of(call), outer = outer_of(call);

    *y = (struct ref_shape){ .rank = ref_dim(call->in[SHAPE], 0) };
    for (int d = 0; d < y->rank; d++) {
        y->dims[d] = (int32_t)ref_load_int(call->in[SHAPE], (size_t)d);
        if (y->dims[d] < 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 2 (shape): element %d is %" PRId32 ", expected at least 0", d,
                            y->dims[d]);
        if (d >= n && y->dims[d] != ref_dim(call->in[UPDATES], outer + d - n))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (updates): dimension %d is %d, expected %" PRId32
                            ", element %d of the shape",
                            outer + d - n, ref_dim(call->in[UPDATES], outer + d - n), y->dims[d],
                            d);
    }
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in(call, diag, INDICES, "indices", kTfLiteInt32, 1, REF_MAX_RANK));
    TRY(ref_check_in_types(call, diag, UPDATES, "updates", TYPES, 0, REF_MAX_RANK));
    TRY(ref_check_vector(call, diag, SHAPE, "shape", false, -1));
    TRY(ref_check_out(call, diag, 0, call->in[UPDATES]->type));
    /* The zeros of a quantized result would have to be its zero point. */
    if (ref_is_quantized(call->in[UPDATES]))
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "input 1 (updates): quantized, expected numbers without a scale");
    TRY(check_updates(call, diag));
    if (!ref_known(call, SHAPE)) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, SHAPE, "shape"));
    return read_shape(call, diag, &call->out_shape[0]);
}

/* Sums of floats in double, and how far those in f32 may be off: each sum that is rounded counts.
 */
struct sum {
    double value, size, magnitude, terms;
};

static enum status find_place(const struct ref_call *call, struct diag *diag, size_t tuple,
                              size_t *place)
{
    const TfLiteTensor *const indices = call->in[INDICES];
    const size_t n = (size_t)place_of(call);

    *place = 0;
    for (size_t d = 0; d < n; d++) {
        const int32_t size = ref_dim(call->out[0], (int)d);
        const int64_t at = ref_load_int(indices, tuple * n + d);

        if (at < 0 || at >= size)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 0 (indices): place %zu: index %" PRId64
                            " of dimension %zu, expected 0 to %" PRId32,
                            tuple, at, d, size - 1);
        *place = *place * (size_t)size + (size_t)at;
    }
    return STATUS_OK;
}

static void add(struct ref_call *call, struct sum *sums, size_t at, size_t from)
{
    const TfLiteTensor *const updates = call->in[UPDATES];

    if (sums) {
        const double x = ref_load(updates, from);

        sums[at].value += x;
        sums[at].size += fabs(x);
        if (sums[at].terms++ > 0)
            sums[at].magnitude += sums[at].size;
    } else {
        ref_store_int(call, 0, at,
                      (int64_t)((uint64_t)ref_load_int(call->out[0], at) +
                                (uint64_t)ref_load_int(updates, from)));
    }
}

static enum status add_all(struct ref_call *call, struct diag *diag, struct sum *sums)
{
    size_t tuples = 1, inner = 1, place;

    for (int d = 0; d < outer_of(call); d++)
        tuples *= (size_t)ref_dim(call->in[INDICES], d);
    for (int d = place_of(call); d < ref_rank(call->out[0]); d++)
        inner *= (size_t)ref_dim(call->out[0], d);
    for (size_t t = 0; t < tuples; t++) {
        TRY(find_place(call, diag, t, &place));
        for (size_t i = 0; i < inner; i++)
            add(call, sums, place * inner + i, t * inner + i);
    }
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const size_t count = ref_elements(call->out[0]);
    const bool is_float = call->out[0]->type == kTfLiteFloat32;
    struct sum *sums = NULL;
    enum status s;

    if (is_float && !(sums = mem_alloc(count, sizeof *sums)))
        return ref_fail(call, diag, STATUS_NO_MEMORY, "%zu sums: out of memory", count);
    for (size_t i = 0; i < count && !is_float; i++)
        ref_store_int(call, 0, i, 0);
    s = add_all(call, diag, sums);
    for (size_t i = 0; i < count && is_float; i++)
        ref_store(call, 0, i, sums[i].value, sums[i].magnitude, 1);
    mem_free(sums);
    return s;
}

static const struct ref_op ops[] = {
    { REF_OP("scatter_nd", SCATTER_ND, 1, OPTIONS_ScatterNdOptions), REF_RUN(prepare, eval) },
};

const struct ref_family ref_scatter_nd = { ops, sizeof ops / sizeof ops[0] };
