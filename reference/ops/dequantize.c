/* DEQUANTIZE of f16: y = x, widened exactly.  x f16 of any shape, y f32 of the same.
 *
 * Models with f16 weights have one in front of each weight; on a constant it is computed once.
 * Meaning: tflite/kernels/dequantize.h */
#include "reference/ref_check.h"

#include <math.h>

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat16, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0];
    const size_t count = ref_elements(x);

    (void)diag;
    for (size_t i = 0; i < count; i++) {
        const double value = ref_load(x, i);

        ref_store(call, 0, i, value, fabs(value), 1);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "dequantize",
        .code = BUILTIN_DEQUANTIZE,
        .max_version = 9,
        .options_tag = OPTIONS_DequantizeOptions,
        .min_inputs = 1,
        .max_inputs = 1,
        .min_outputs = 1,
        .max_outputs = 1,
        .prepare = prepare,
        .eval = eval,
        .folds = true,
    },
};

const struct ref_family ref_dequantize = { ops, sizeof ops / sizeof ops[0] };
