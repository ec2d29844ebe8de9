/* TILE and BROADCAST_TO: x repeated along its dimensions.  Any type of whole bytes.
 *
 * TILE          multiples [rank] (i32 or i64): how often each dimension is repeated, 0 for never.
 * BROADCAST_TO  shape [n] (i32 or i64), n at least the rank of x.  Shapes are aligned at the last
 *               dimension; each dimension of x is 1 or that of the shape.
 * A second input that is not constant makes the output dynamic.
 * Meaning: tflite/kernels/tile.cc, broadcast_to.cc */
#include "reference/kernels/move.h"

#include <inttypes.h>

static enum status check_dim(const struct ref_call *call, struct diag *diag, const char *role,
                             int d, int64_t value, int64_t times, int32_t *size)
{
    if (value < 0 || value > INT32_MAX || value * times > INT32_MAX)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (%s): element %d is %" PRId64
                        ", expected at least 0, and a dimension of at most 2^31 - 1",
                        role, d, value);
    *size = (int32_t)(value * times);
    return STATUS_OK;
}

static enum status prepare_tile(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *const y = &call->out_shape[0];
    int rank;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    TRY(ref_check_bytes(call, diag, 0, "input"));
    TRY(ref_check_outs(call, diag, 0, false));
    rank = ref_rank(call->in[0]);
    TRY(ref_check_vector(call, diag, 1, "multiples", true, rank));
    if (!ref_known(call, 1)) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "multiples"));
    *y = (struct ref_shape){ .rank = rank };
    for (int d = 0; d < rank; d++)
        TRY(check_dim(call, diag, "multiples", d, ref_load_int(call->in[1], (size_t)d),
                      ref_dim(call->in[0], d), &y->dims[d]));
    return STATUS_OK;
}

static enum status eval_tile(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    struct ref_walk walk = { 0 };
    int64_t pitch[REF_MAX_RANK];

    (void)diag;
    ref_pitches(x, pitch);
    for (int d = 0; d < ref_rank(x); d++) {
        ref_walk_dim(&walk, (int32_t)ref_load_int(call->in[1], (size_t)d), 0);
        ref_walk_dim(&walk, ref_dim(x, d), pitch[d]);
    }
    ref_walk_copy(call, 0, 0, &walk);
    return STATUS_OK;
}

static enum status prepare_broadcast_to(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *const y = &call->out_shape[0];
    const TfLiteTensor *x;
    int added;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    TRY(ref_check_bytes(call, diag, 0, "input"));
    TRY(ref_check_outs(call, diag, 0, false));
    TRY(ref_check_vector(call, diag, 1, "shape", true, -1));
    x = call->in[0];
    added = ref_dim(call->in[1], 0) - ref_rank(x);
    if (added < 0 || ref_dim(call->in[1], 0) > REF_MAX_RANK)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (shape): %d elements, expected %d, the input's rank, to %d",
                        ref_dim(call->in[1], 0), ref_rank(x), REF_MAX_RANK);
    if (!ref_known(call, 1)) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "shape"));
    *y = (struct ref_shape){ .rank = ref_dim(call->in[1], 0) };
    for (int d = 0; d < y->rank; d++) {
        TRY(check_dim(call, diag, "shape", d, ref_load_int(call->in[1], (size_t)d), 1,
                      &y->dims[d]));
        if (d >= added && ref_dim(x, d - added) != 1 && ref_dim(x, d - added) != y->dims[d])
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (shape): element %d is %d, expected %d, dimension %d of input "
                            "0",
                            d, y->dims[d], ref_dim(x, d - added), d - added);
    }
    return STATUS_OK;
}

static enum status eval_broadcast_to(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0], *const y = call->out[0];
    const int added = ref_rank(y) - ref_rank(x);
    struct ref_walk walk = { 0 };
    int64_t pitch[REF_MAX_RANK];

    (void)diag;
    ref_pitches(x, pitch);
    for (int d = 0; d < ref_rank(y); d++) {
        const bool stretched = d < added || ref_dim(x, d - added) == 1;

        ref_walk_dim(&walk, ref_dim(y, d), stretched ? 0 : pitch[d - added]);
    }
    ref_walk_copy(call, 0, 0, &walk);
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("tile", TILE, 3, OPTIONS_TileOptions), REF_RUN(prepare_tile, eval_tile),
      .folds = REF_FOLD_VALUES },
    { REF_OP("broadcast_to", BROADCAST_TO, 4, OPTIONS_BroadcastToOptions), .min_version = 2,
      REF_RUN(prepare_broadcast_to, eval_broadcast_to) },
};

const struct ref_family ref_tile = { ops, sizeof ops / sizeof ops[0] };
