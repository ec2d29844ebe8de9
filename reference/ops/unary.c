/* RELU and RELU6: y = max(x, 0), min(max(x, 0), 6); x, y f32 of any shape.  NaN stays NaN.
 * Meaning: tflite/kernels/activations.cc */
#include "reference/ref_check.h"

#include <math.h>

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat32, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static enum status eval_activation(struct ref_call *call, TfLiteFusedActivation act)
{
    const TfLiteTensor *x = call->in[0];
    const size_t count = ref_elements(x);

    for (size_t i = 0; i < count; i++) {
        const double r = ref_activation(act, x->data.f[i]);

        ref_store(call, 0, i, r, fabs(r), 1);
    }
    return STATUS_OK;
}

static enum status relu_eval(struct ref_call *call, struct diag *diag)
{
    (void)diag;
    return eval_activation(call, kTfLiteActRelu);
}

static enum status relu6_eval(struct ref_call *call, struct diag *diag)
{
    (void)diag;
    return eval_activation(call, kTfLiteActRelu6);
}

static const struct ref_op ops[] = {
    {
        .name = "relu",
        .code = BUILTIN_RELU,
        .max_version = 3,
        .min_inputs = 1,
        .max_inputs = 1,
        .min_outputs = 1,
        .max_outputs = 1,
        .prepare = prepare,
        .eval = relu_eval,
    },
    {
        .name = "relu6",
        .code = BUILTIN_RELU6,
        .max_version = 3,
        .min_inputs = 1,
        .max_inputs = 1,
        .min_outputs = 1,
        .max_outputs = 1,
        .prepare = prepare,
        .eval = relu6_eval,
    },
};

const struct ref_family ref_unary = { ops, sizeof ops / sizeof ops[0] };
