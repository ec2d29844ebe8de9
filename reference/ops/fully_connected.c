/* FULLY_CONNECTED.  x of any shape with B*K elements, w [U,K], bias [U] or absent; types of
 * kernels/dot.h.  Of f32 x the scales of w may be those of blocks of a row (base/blockwise.h).
 *
 *     y[b,u] = act(bias[u] + sum w[u,k] * x[b*K + k])
 *
 * y is [B,U]; with keep_num_dims it is x's shape with the last dimension (then K) replaced by U.
 * Meaning: tflite/kernels/internal/reference/fully_connected.h */
#include "reference/kernels/dot.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteFullyConnectedParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->weights_format = (TfLiteFullyConnectedWeightsFormat)options_int(options, "weights_format");
    p->keep_num_dims = options_int(options, "keep_num_dims") != 0;
    p->asymmetric_quantize_inputs = options_int(options, "asymmetric_quantize_inputs") != 0;
    p->quantized_bias_type = tensor_type_runtime(options_int(options, "quantized_bias_type"));
}

static const struct ref_dot_inputs inputs = {
    .x = 0,
    .w = 1,
    .bias = 2,
    .channel = 0,
    .fully_connected = true,
    .rows = true,
    .packed = true,
};

/* The runtime computes it where x is float and the weights are not. */
static bool is_tanh(const struct ref_call *call)
{
    return ((const TfLiteFullyConnectedParams *)call->params)->activation == kTfLiteActTanh &&
           call->in[0]->type == kTfLiteFloat32 && call->in[1]->type != kTfLiteFloat32;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteFullyConnectedParams *p = call->params;
    struct ref_shape *shape = &call->out_shape[0];
    const TfLiteTensor *x, *w;
    size_t count, batches;
    int32_t units, depth;

    TRY(ref_dot_check_types(call, diag, &inputs, p->keep_num_dims ? 1 : 0, REF_MAX_RANK, 2));
    TRY(ref_check_activation(call, diag, p->activation));
    if (p->activation > kTfLiteActRelu6 && !is_tanh(call))
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "fused_activation_function %d, expected 0 to 3", (int)p->activation);
    if (p->weights_format != kTfLiteFullyConnectedWeightsFormatDefault)
        return ref_fail(call, diag, STATUS_UNSUPPORTED, "weights_format %d, expected 0 (DEFAULT)",
                        (int)p->weights_format);
    TRY(ref_check_not_empty(call, diag, 1, "weights", 0, "units"));
    TRY(ref_check_not_empty(call, diag, 1, "weights", 1, "depth"));

    x = call->in[0];
    w = call->in[1];
    units = ref_dim(w, 0);
    depth = ref_dim(w, 1);
    count = ref_elements(x);
    if (count % (size_t)depth != 0)
        return ref_fail(
            call, diag, STATUS_INVALID,
            "input 0 (input): %zu elements, expected a multiple of the weights' depth %d", count,
            depth);
    batches = count / (size_t)depth;
    if (batches > INT32_MAX)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (input): a batch of %zu, expected at most 2^31 - 1", batches);
    TRY(ref_dot_check_scales(call, diag, &inputs, p->activation));
    if (!p->keep_num_dims) {
        *shape = (struct ref_shape){ .rank = 2, .dims = { (int32_t)batches, units } };
        return STATUS_OK;
    }
    ref_same_shape(shape, x);
    if (shape->dims[shape->rank - 1] != depth)
        return ref_fail(
            call, diag, STATUS_INVALID,
            "input 0 (input): last dimension is %d, expected the weights' depth %d with "
            "keep_num_dims",
            shape->dims[shape->rank - 1], depth);
    shape->dims[shape->rank - 1] = units;
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteFullyConnectedParams *p = call->params;
    const size_t units = (size_t)ref_dim(call->in[1], 0), depth = (size_t)ref_dim(call->in[1], 1);
    const size_t batches = ref_elements(call->in[0]) / depth;
    const bool tanhs = is_tanh(call);
    struct ref_dot dot;
    enum status s;

    if ((s = ref_dot_open(&dot, call, diag, &inputs, p->activation)) != STATUS_OK)
        goto done;
    for (size_t u = 0; u < units; u++) {
        const float *const w = ref_dot_row(call, &dot, &inputs, u);

        for (size_t b = 0; b < batches; b++) {
            double sum = dot.bias ? dot.bias[u] : 0, magnitude = fabs(sum);

            for (size_t k = 0; k < depth; k++) {
                /* Exact. */
                const double product = (double)w[k] * dot.x[b * depth + k];

                sum += product;
                magnitude += fabs(product);
            }
            ref_dot_store(call, &dot, b * units + u, u, tanhs ? tanh(sum) : sum, magnitude,
                          (double)depth + (dot.bias ? 1 : 0));
        }
    }
done:
    ref_dot_close(&dot);
    return s;
}

static const struct ref_op ops[] = {
    { REF_OP("fully_connected", FULLY_CONNECTED, 14, OPTIONS_FullyConnectedOptions),
      REF_PARAMS(TfLiteFullyConnectedParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_fully_connected = { ops, sizeof ops / sizeof ops[0] };
