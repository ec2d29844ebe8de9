/* SLICE and REVERSE_V2: a range of each dimension of x, forwards or backwards.  Any type of whole
 * bytes, and in SLICE i4.
 *
 * SLICE       begin and size [rank], both i32 or both i64.  A size of -1 takes all from begin on.
 * REVERSE_V2  axes [n] i32: dimensions that follow each other, in any order, of which negative ones
 *             count from the end.
 * Begin or size that are not constant make the output dynamic.
 * Meaning: tflite/kernels/slice.cc, reverse.cc */
#include "reference/kernels/move.h"

#include <inttypes.h>

enum { BEGIN = 1, SIZE = 2, AXES = 1 };

/* The size of the range of dimension d. */
static enum status range_of(const struct ref_call *call, struct diag *diag, int d, int32_t *size)
{
    const int32_t all = ref_dim(call->in[0], d);
    const int64_t begin = ref_load_int(call->in[BEGIN], (size_t)d);
    const int64_t given = ref_load_int(call->in[SIZE], (size_t)d);

    if (begin < 0 || begin > all)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (begin): element %d is %" PRId64 ", expected 0 to %d", d, begin,
                        all);
    if (given < -1 || given > all - begin)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 2 (size): element %d is %" PRId64 ", expected -1 to %" PRId64
                        ", what is left of %d from %" PRId64 " on",
                        d, given, all - begin, all, begin);
    *size = (int32_t)(given < 0 ? all - begin : given);
    return STATUS_OK;
}

static enum status prepare_slice(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *const y = &call->out_shape[0];
    int rank;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    TRY(ref_check_moved(call, diag, 0, "input", REF_TYPE(Int4)));
    TRY(ref_check_outs(call, diag, 0, false));
    rank = ref_rank(call->in[0]);
    TRY(ref_check_vector(call, diag, BEGIN, "begin", true, rank));
    TRY(ref_check_in(call, diag, SIZE, "size", call->in[BEGIN]->type, 1, 1));
    TRY(ref_check_vector(call, diag, SIZE, "size", true, rank));
    if (!ref_known(call, BEGIN) || !ref_known(call, SIZE)) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, BEGIN, "begin"));
    TRY(ref_check_data(call, diag, SIZE, "size"));
    *y = (struct ref_shape){ .rank = rank };
    for (int d = 0; d < rank; d++)
        TRY(range_of(call, diag, d, &y->dims[d]));
    return STATUS_OK;
}

static enum status eval_slice(struct ref_call *call, struct diag *diag)
{
    struct ref_walk walk = { 0 };
    int64_t pitch[REF_MAX_RANK];

    ref_pitches(call->in[0], pitch);
    for (int d = 0; d < ref_rank(call->in[0]); d++) {
        int32_t size;

        TRY(range_of(call, diag, d, &size));
        walk.first += ref_load_int(call->in[BEGIN], (size_t)d) * pitch[d];
        ref_walk_dim(&walk, size, pitch[d]);
    }
    ref_walk_copy(call, 0, 0, &walk);
    return STATUS_OK;
}

/* Which dimensions are reversed. */
static enum status read_axes(const struct ref_call *call, struct diag *diag,
                             bool reversed[REF_MAX_RANK])
{
    const int rank = ref_rank(call->in[0]), count = ref_dim(call->in[AXES], 0);
    int first = rank, last = -1;

    for (int i = 0; i < count; i++) {
        int axis;

        TRY(ref_check_axis_value(call, diag, ref_load_int(call->in[AXES], (size_t)i), rank, &axis));
        if (reversed[axis])
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (axes): element %d names dimension %d a second time", i, axis);
        reversed[axis] = true;
        first = axis < first ? axis : first;
        last = axis > last ? axis : last;
    }
    if (count > 0 && last - first + 1 != count)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "input 1 (axes): %d of the dimensions %d to %d, expected all of them",
                        count, first, last);
    return STATUS_OK;
}

static enum status prepare_reverse(struct ref_call *call, struct diag *diag)
{
    enum {
        TYPES = REF_TYPE(Float32) | REF_TYPE(Float16) | REF_TYPE(UInt8) | REF_TYPE(Int8) |
                REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) | REF_TYPE(Bool)
    };
    bool reversed[REF_MAX_RANK] = { false };

    TRY(ref_check_in_types(call, diag, 0, "input", TYPES, 0, REF_MAX_RANK));
    TRY(ref_check_outs(call, diag, 0, false));
    TRY(ref_check_vector(call, diag, AXES, "axes", false, -1));
    if (ref_dim(call->in[AXES], 0) > ref_rank(call->in[0]))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (axes): %d elements, expected at most %d, the input's rank",
                        ref_dim(call->in[AXES], 0), ref_rank(call->in[0]));
    if (ref_known(call, AXES)) {
        TRY(ref_check_data(call, diag, AXES, "axes"));
        TRY(read_axes(call, diag, reversed));
    }
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static enum status eval_reverse(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    bool reversed[REF_MAX_RANK] = { false };
    struct ref_walk walk = { 0 };
    int64_t pitch[REF_MAX_RANK];

    TRY(read_axes(call, diag, reversed));
    ref_pitches(x, pitch);
    for (int d = 0; d < ref_rank(x); d++) {
        walk.first += reversed[d] ? (ref_dim(x, d) - 1) * pitch[d] : 0;
        ref_walk_dim(&walk, ref_dim(x, d), reversed[d] ? -pitch[d] : pitch[d]);
    }
    ref_walk_copy(call, 0, 0, &walk);
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("slice", SLICE, 8, OPTIONS_SliceOptions), REF_RUN(prepare_slice, eval_slice) },
    { REF_OP("reverse_v2", REVERSE_V2, 4, OPTIONS_ReverseV2Options),
      REF_RUN(prepare_reverse, eval_reverse) },
};

const struct ref_family ref_slice = { ops, sizeof ops / sizeof ops[0] };
