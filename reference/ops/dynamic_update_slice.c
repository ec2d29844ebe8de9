/* DYNAMIC_UPDATE_SLICE: the operand, with the update written over a part of it.
 *
 * operand [...], update of its rank and at most its size, both of any type of whole bytes,
 * or i4; start [rank] i32 or i64.  Along dimension d the update begins at start[d], moved into
 * [0, operand[d] - update[d]], so that all of it lies inside.  Quantized tensors have one scale.
 * Meaning: tflite/kernels/dynamic_update_slice.cc */
#include "reference/kernels/move.h"

#include <string.h>

enum { OPERAND, UPDATE, START };

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    int rank;

    TRY(ref_check_shape(call, diag, OPERAND, "operand", 0, REF_MAX_RANK));
    TRY(ref_check_moved(call, diag, OPERAND, "operand", REF_TYPE(Int4)));
    rank = ref_rank(call->in[OPERAND]);
    TRY(ref_check_in(call, diag, UPDATE, "update", call->in[OPERAND]->type, rank, rank));
    TRY(ref_check_vector(call, diag, START, "start", true, rank));
    TRY(ref_check_outs(call, diag, OPERAND, false));
    TRY(ref_check_moves(call, diag, OPERAND, 0));
    TRY(ref_check_moves(call, diag, UPDATE, 0));
    for (int d = 0; d < rank; d++)
        if (ref_dim(call->in[UPDATE], d) > ref_dim(call->in[OPERAND], d))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (update): dimension %d is %d, expected at most %d, that of "
                            "the operand",
                            d, ref_dim(call->in[UPDATE], d), ref_dim(call->in[OPERAND], d));
    ref_same_shape(&call->out_shape[0], call->in[OPERAND]);
    return STATUS_OK;
}

/* The element of the output to which the first one of the update goes. */
static int64_t first_of(const struct ref_call *call, const int64_t *pitch)
{
    int64_t first = 0;

    for (int d = 0; d < ref_rank(call->out[0]); d++) {
        const int64_t last = ref_dim(call->out[0], d) - ref_dim(call->in[UPDATE], d);
        const int64_t start = ref_load_int(call->in[START], (size_t)d);

        first += (start < 0 ? 0 : start > last ? last : start) * pitch[d];
    }
    return first;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const operand = call->in[OPERAND], *const update = call->in[UPDATE];
    const TfLiteTensor *const y = call->out[0];
    const int outer = ref_rank(y) > 0 ? ref_rank(y) - 1 : 0; /* dimensions; the last is a run */
    const size_t count = ref_elements(update);
    const size_t run = ref_rank(y) > 0 ? (size_t)ref_dim(update, outer) : 1;
    int32_t sizes[REF_MAX_RANK], index[REF_MAX_RANK] = { 0 };
    int64_t pitch[REF_MAX_RANK], first;

    (void)diag;
    ref_pitches(y, pitch);
    first = first_of(call, pitch);
    /* A caller may give operand and output the same memory: a cache that is updated in place. */
    if (y->data.raw != operand->data.raw && y->bytes > 0)
        memcpy(y->data.raw, operand->data.raw_const, y->bytes);
    for (int d = 0; d < outer; d++)
        sizes[d] = ref_dim(update, d);
    for (size_t from = 0; from < count; from += run) {
        int64_t to = first;

        for (int d = 0; d < outer; d++)
            to += index[d] * pitch[d];
        ref_copy(call, 0, (size_t)to, update, from, run);
        ref_step(outer, sizes, index);
    }
    for (size_t i = 0; i < ref_elements(y); i++)
        ref_detail_copied(call, 0, i);
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("dynamic_update_slice", DYNAMIC_UPDATE_SLICE, 6, OPTIONS_DynamicUpdateSliceOptions),
      REF_RUN(prepare, eval) },
};

const struct ref_family ref_dynamic_update_slice = { ops, sizeof ops / sizeof ops[0] };
