/* PRELU: y = x >= 0 ? x : alpha * x.  x f32 of any shape, alpha f32 that broadcasts to it (usually
 * [1,1,C]), constant or not; y has the shape of x.
 * Meaning: tflite/kernels/activations.cc */
#include "reference/ref_check.h"

#include <math.h>

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *shape = &call->out_shape[0];
    const TfLiteTensor *x;

    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat32, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "alpha", kTfLiteFloat32, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    TRY(ref_broadcast(call, diag, shape));
    x = call->in[0];
    if (shape->rank != ref_rank(x))
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (alpha): rank %d, the input's is %d",
                        shape->rank, ref_rank(x));
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] != ref_dim(x, d))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (alpha): %d in dimension %d, the input has %d", shape->dims[d],
                            d, ref_dim(x, d));
    }
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0], *alpha = call->in[1];
    const int rank = ref_rank(x);
    size_t strides[REF_MAX_RANK], at = 0;
    int32_t index[REF_MAX_RANK] = { 0 };

    (void)diag;
    if (ref_elements(x) == 0)
        return STATUS_OK;
    ref_broadcast_strides(alpha, rank, strides);
    do {
        const double v = x->data.f[at];
        size_t from = 0;
        double y;

        for (int d = 0; d < rank; d++)
            from += (size_t)index[d] * strides[d];
        y = v >= 0 ? v : alpha->data.f[from] * v;
        ref_store(call, 0, at++, y, fabs(y), 1);
    } while (ref_step(rank, x->dims->data, index));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "prelu",
        .code = BUILTIN_PRELU,
        .max_version = 1,
        .min_inputs = 2,
        .max_inputs = 2,
        .min_outputs = 1,
        .max_outputs = 1,
        .prepare = prepare,
        .eval = eval,
    },
};

const struct ref_family ref_prelu = { ops, sizeof ops / sizeof ops[0] };
