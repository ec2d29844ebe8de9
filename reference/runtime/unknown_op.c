#include "reference/runtime/unknown_op.h"

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    for (int i = 0; i < call->out_count; i++) {
        const TfLiteTensor *t = call->out[i];
        struct ref_shape *s = &call->out_shape[i];

        if (ref_rank(t) > REF_MAX_RANK)
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "output %d has rank %d, expected at most %d", i, ref_rank(t),
                            REF_MAX_RANK);
        s->rank = ref_rank(t);
        for (int d = 0; d < s->rank; d++)
            s->dims[d] = ref_dim(t, d);
    }
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    return diag_fail(diag, STATUS_UNSUPPORTED, "node %d: the reference does not have the op",
                     call->node);
}

const struct ref_op unknown_op = {
    .max_outputs = -1, .max_inputs = -1, .max_version = INT32_MAX, .prepare = prepare, .eval = eval
};
