/* LOGICAL_AND, LOGICAL_OR of bool, of any shapes that broadcast.  A byte that is not 0 is true.
 * Meaning: tflite/kernels/logical.cc */
#include "reference/kernels/check.h"

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in(call, diag, 0, "a", kTfLiteBool, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "b", kTfLiteBool, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteBool));
    return ref_broadcast(call, diag, &call->out_shape[0]);
}

static void eval_one(struct ref_call *call, const void *context, size_t at, const size_t *in)
{
    const bool a = ref_load_int(call->in[0], in[0]) != 0, b = ref_load_int(call->in[1], in[1]) != 0;

    (void)context;
    ref_store_int(call, 0, at, call->op->code == BUILTIN_LOGICAL_AND ? a && b : a || b);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    (void)diag;
    ref_broadcast_each(call, 2, eval_one, NULL);
    return STATUS_OK;
}

#define MEMBER REF_RUN(prepare, eval)

static const struct ref_op ops[] = {
    { REF_OP("logical_and", LOGICAL_AND, 1, OPTIONS_LogicalAndOptions), MEMBER },
    { REF_OP("logical_or", LOGICAL_OR, 1, OPTIONS_LogicalOrOptions), MEMBER },
};

const struct ref_family ref_logical = { ops, sizeof ops / sizeof ops[0] };
