/* BROADCAST_ARGS: the shape that two shapes broadcast to.  Both are vectors of i32 or of i64, and
 * are aligned at their last elements; a missing one counts as 1. Meaning:
 * tflite/kernels/broadcast_args.cc */
#include "reference/kernels/move.h"

#include <inttypes.h>

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    int32_t a, b;

    TRY(ref_check_vector(call, diag, 0, "a", true, -1));
    TRY(ref_check_vector(call, diag, 1, "b", true, -1));
    TRY(ref_check_in(call, diag, 1, "b", call->in[0]->type, 1, 1));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    a = ref_dim(call->in[0], 0);
    b = ref_dim(call->in[1], 0);
    call->out_shape[0] = (struct ref_shape){ .rank = 1, .dims = { a > b ? a : b } };
    return STATUS_OK;
}

/* The size that input i has for dimension d of the result, whose rank is given. */
static int64_t size_of(const struct ref_call *call, int i, int32_t d, int32_t rank)
{
    const int32_t at = d - (rank - ref_dim(call->in[i], 0));

    return at < 0 ? 1 : ref_load_int(call->in[i], (size_t)at);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const int32_t rank = ref_dim(call->out[0], 0);

    for (int32_t d = 0; d < rank; d++) {
        const int64_t a = size_of(call, 0, d, rank), b = size_of(call, 1, d, rank);

        if (a != b && a != 1 && b != 1)
            return ref_fail(call, diag, STATUS_INVALID,
                            "dimension %" PRId32 " of the result: %" PRId64 " and %" PRId64
                            " do not broadcast",
                            d, a, b);
        ref_store_int(call, 0, (size_t)d, a == 1 ? b : a);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("broadcast_args", BROADCAST_ARGS, 1, 0), REF_RUN(prepare, eval),
      .folds = REF_FOLD_VALUES },
};

const struct ref_family ref_broadcast_args = { ops, sizeof ops / sizeof ops[0] };
