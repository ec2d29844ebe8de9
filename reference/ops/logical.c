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

#define MEMBER .max_version = 1, .prepare = prepare, .eval = eval

static const struct ref_op ops[] = {
    {
        .name = "logical_and",
        REF_OP(LOGICAL_AND),
        .options_tag = OPTIONS_LogicalAndOptions,
        MEMBER,
    },
    {
        .name = "logical_or",
        REF_OP(LOGICAL_OR),
        .options_tag = OPTIONS_LogicalOrOptions,
        MEMBER,
    },
};

const struct ref_family ref_logical = { ops, sizeof ops / sizeof ops[0] };
