/* TRANSPOSE.  x of any shape and perm [rank] i32: dimension d of y is dimension perm[d] of x, where
 * negative ones count from the end.  Any type of whole bytes, and i4 and u4.
 *
 * A perm that is not constant makes the output dynamic.
 * Meaning: tflite/kernels/transpose.cc */
#include "reference/kernels/move.h"

#include <inttypes.h>

/* The dimensions of x in the order of y. */
static enum status read_perm(const struct ref_call *call, struct diag *diag, int perm[REF_MAX_RANK])
{
    const int rank = ref_rank(call->in[0]);
    bool seen[REF_MAX_RANK] = { false };

    for (int d = 0; d < rank; d++) {
        const int64_t value = ref_load_int(call->in[1], (size_t)d);

        if (value < -rank || value >= rank)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (perm): element %d is %" PRId64
                            ", expected -rank to rank - 1, rank %d",
                            d, value, rank);
        perm[d] = (int)(value < 0 ? value + rank : value);
        if (seen[perm[d]])
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (perm): element %d is %" PRId64
                            ", a dimension that an earlier one has named",
                            d, value);
        seen[perm[d]] = true;
    }
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *const y = &call->out_shape[0];
    int perm[REF_MAX_RANK];

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    TRY(ref_check_moved(call, diag, 0, "input", REF_TYPE(Int4) | REF_TYPE(UInt4)));
    TRY(ref_check_outs(call, diag, 0, false));
    TRY(ref_check_vector(call, diag, 1, "perm", false, ref_rank(call->in[0])));
    if (!ref_known(call, 1)) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "perm"));
    TRY(read_perm(call, diag, perm));
    *y = (struct ref_shape){ .rank = ref_rank(call->in[0]) };
    for (int d = 0; d < y->rank; d++)
        y->dims[d] = ref_dim(call->in[0], perm[d]);
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const y = call->out[0];
    struct ref_walk walk = { 0 };
    int64_t pitch[REF_MAX_RANK];
    int perm[REF_MAX_RANK];

    TRY(read_perm(call, diag, perm));
    ref_pitches(call->in[0], pitch);
    for (int d = 0; d < ref_rank(y); d++)
        ref_walk_dim(&walk, ref_dim(y, d), pitch[perm[d]]);
    ref_walk_copy(call, 0, 0, &walk);
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("transpose", TRANSPOSE, 9, OPTIONS_TransposeOptions), REF_RUN(prepare, eval) },
};

const struct ref_family ref_transpose = { ops, sizeof ops / sizeof ops[0] };
