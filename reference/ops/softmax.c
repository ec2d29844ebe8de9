/* SOFTMAX over the last axis.  x, y [..., C] f32 or f16; beta scales before exp.
 *
 *     y_i = exp(beta*x_i) / sum_j exp(beta*x_j)
 *
 * Meaning: tflite/kernels/internal/reference/softmax.h */
#include "reference/ref_check.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteSoftmaxParams *p = params;

    p->beta = options_float(options, "beta");
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteSoftmaxParams *p = call->params;

    TRY(ref_check_in_types(call, diag, 0, "input", REF_TYPES_FLOAT, 1, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (!isfinite(p->beta))
        return ref_fail(call, diag, STATUS_INVALID, "beta is %g", (double)p->beta);
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const double beta = ((const TfLiteSoftmaxParams *)call->params)->beta;
    const TfLiteTensor *x = call->in[0];
    const size_t depth = (size_t)ref_dim(x, ref_rank(x) - 1);
    const size_t rows = depth > 0 ? ref_elements(x) / depth : 0;

    (void)diag;
    for (size_t row = 0; row < rows; row++) {
        const size_t at = row * depth;
        double peak = -INFINITY, sum = 0, weighted = 0;

        /* Shifting by the largest exponent keeps exp() in range; the shift cancels. */
        for (size_t i = 0; i < depth; i++)
            peak = fmax(peak, beta * ref_load(x, at + i));
        for (size_t i = 0; i < depth; i++) {
            const double distance = peak - beta * ref_load(x, at + i);

            sum += exp(-distance);
            weighted += exp(-distance) * distance;
        }
        for (size_t i = 0; i < depth; i++) {
            const double distance = peak - beta * ref_load(x, at + i);

            ref_store(call, 0, at + i, exp(-distance) / sum, distance + weighted / sum,
                      (double)depth);
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "softmax",
        .code = BUILTIN_SOFTMAX,
        .max_version = 4,
        .options_tag = OPTIONS_SoftmaxOptions,
        .params_bytes = sizeof(TfLiteSoftmaxParams),
        .min_inputs = 1,
        .max_inputs = 1,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = read_params,
        .prepare = prepare,
        .eval = eval,
    },
};

const struct ref_family ref_softmax = { ops, sizeof ops / sizeof ops[0] };
