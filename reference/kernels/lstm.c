#include "reference/kernels/lstm.h"

/* Input i has the type and the shape [d0, d1], or [d0] where d1 is -1. */
static enum status check_tensor(const struct ref_call *call, struct diag *diag, int i,
                                const char *role, TfLiteType type, size_t d0, int64_t d1)
{
    const int rank = d1 < 0 ? 1 : 2;
    const TfLiteTensor *t;

    TRY(ref_check_in(call, diag, i, role, type, rank, rank));
    t = call->in[i];
    if (ref_dim(t, 0) != (int64_t)d0 || (rank == 2 && ref_dim(t, 1) != d1))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input %d (%s): shape [%d%s%d], expected "
                        "[%zu%s%lld]",
                        i, role, ref_dim(t, 0), rank == 2 ? ", " : " and ",
                        rank == 2 ? ref_dim(t, 1) : 0, d0, rank == 2 ? ", " : " and ",
                        rank == 2 ? (long long)d1 : 0LL);
    return STATUS_OK;
}

/* i8 weights of f32 activations are dequantized with their one scale. */
static enum status check_weights(const struct ref_call *call, struct diag *diag,
                                 const struct ref_lstm *l, int i, const char *role, size_t d0,
                                 int64_t d1)
{
    TRY(check_tensor(call, diag, i, role, l->hybrid || l->quantized ? kTfLiteInt8 : kTfLiteFloat32,
                     d0, d1));
    return l->hybrid ? ref_check_scale_in(call, diag, i, role) : STATUS_OK;
}

/* Weights, peephole weights, bias and normalization of a gate, which is there. */
static enum status check_gate(const struct ref_call *call, struct diag *diag,
                              const struct ref_lstm *l, int gate)
{
    const int peephole = ref_lstm_peephole(gate);

    TRY(check_weights(call, diag, l, LSTM_FULL_W + gate, "weights", l->cells, (int64_t)l->depth));
    TRY(check_weights(call, diag, l, LSTM_FULL_R + gate, "recurrent weights", l->cells,
                      (int64_t)l->outputs));
    TRY(check_tensor(call, diag, LSTM_FULL_BIAS + gate, "bias",
                     l->quantized ? kTfLiteInt32 : kTfLiteFloat32, l->cells, -1));
    if (l->peephole && peephole >= 0 && l->quantized)
        TRY(check_tensor(call, diag, peephole, "peephole weights", kTfLiteInt16, l->cells, -1));
    else if (l->peephole && peephole >= 0)
        TRY(check_weights(call, diag, l, peephole, "peephole weights", l->cells, -1));
    if (l->norm)
        TRY(check_tensor(call, diag, LSTM_FULL_NORM + gate, "layer norm coefficients",
                         l->quantized ? kTfLiteInt16 : kTfLiteFloat32, l->cells, -1));
    return STATUS_OK;
}

/* Without an input gate (CIFG) none of its tensors is there. */
static enum status check_no_input_gate(const struct ref_call *call, struct diag *diag)
{
    static const int inputs[] = { LSTM_FULL_R, LSTM_FULL_PEEPHOLE, LSTM_FULL_BIAS, LSTM_FULL_NORM };

    for (size_t k = 0; k < sizeof inputs / sizeof inputs[0]; k++) {
        if (ref_has(call, inputs[k]))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input %d is there, though input %d, the input gate's weights, is not",
                            inputs[k], LSTM_FULL_W);
    }
    return STATUS_OK;
}

static enum status check_projection(const struct ref_call *call, struct diag *diag,
                                    const struct ref_lstm *l)
{
    if (!l->projection) {
        if (ref_has(call, LSTM_FULL_PROJECTION_BIAS))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input %d (projection bias) is there without projection weights",
                            LSTM_FULL_PROJECTION_BIAS);
        if (l->outputs != l->cells)
            return ref_fail(call, diag, STATUS_INVALID,
                            "%zu outputs of %zu cells without a projection, expected as many",
                            l->outputs, l->cells);
        return STATUS_OK;
    }
    TRY(check_weights(call, diag, l, LSTM_FULL_PROJECTION, "projection weights", l->outputs,
                      (int64_t)l->cells));
    if (ref_has(call, LSTM_FULL_PROJECTION_BIAS))
        TRY(check_tensor(call, diag, LSTM_FULL_PROJECTION_BIAS, "projection bias",
                         l->quantized ? kTfLiteInt32 : kTfLiteFloat32, l->outputs, -1));
    return STATUS_OK;
}

static enum status check_state(const struct ref_call *call, struct diag *diag, int i,
                               const char *role, TfLiteType type, size_t elements)
{
    const TfLiteTensor *t;

    TRY(ref_check_in(call, diag, i, role, type, 1, 2));
    t = call->in[i];
    if (ref_elements(t) != elements)
        return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): %zu elements, expected %zu", i,
                        role, ref_elements(t), elements);
    if (!t->is_variable)
        return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): expected a variable tensor", i,
                        role);
    return STATUS_OK;
}

static enum status check_params(const struct ref_call *call, struct diag *diag,
                                const struct ref_lstm *l)
{
    const uint32_t has = 1u << kTfLiteActRelu | 1u << kTfLiteActReluN1To1 | 1u << kTfLiteActRelu6 |
                         1u << kTfLiteActTanh | 1u << kTfLiteActSigmoid;

    if (call->in_count != LSTM_FULL_INPUTS_OLD && call->in_count != LSTM_FULL_INPUTS)
        return ref_fail(call, diag, STATUS_INVALID, "%d inputs, expected %d or %d", call->in_count,
                        LSTM_FULL_INPUTS_OLD, LSTM_FULL_INPUTS);
    if (call->out_count != 1)
        return ref_fail(call, diag, STATUS_INVALID, "%d outputs, expected 1", call->out_count);
    if (l->activation < 0 || l->activation > 31 || !(has >> l->activation & 1))
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "fused_activation_function %d, expected %d (TANH), a RELU or LOGISTIC",
                        (int)l->activation, (int)kTfLiteActTanh);
    if (!(l->cell_clip >= 0) || !(l->proj_clip >= 0))
        return ref_fail(call, diag, STATUS_INVALID,
                        "cell_clip %g and proj_clip %g, expected 0 or more", (double)l->cell_clip,
                        (double)l->proj_clip);
    if (l->diagonal)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "diagonal_recurrent_tensors is set, expected matrices");
    return STATUS_OK;
}

/* Sizes and options, from the output gate, which is always there. */
static enum status read_sizes(struct ref_call *call, struct diag *diag, struct ref_lstm *l)
{
    const int rank = l->sequence ? 3 : 2, w = LSTM_FULL_W + LSTM_GATE_O;
    const TfLiteTensor *x;

    TRY(ref_check_in_types(call, diag, LSTM_FULL_X, "input", REF_TYPE(Float32) | REF_TYPE(Int8),
                           rank, rank));
    x = call->in[LSTM_FULL_X];
    TRY(ref_check_in_types(
        call, diag, w, "weights",
        x->type == kTfLiteInt8 ? REF_TYPE(Int8) : REF_TYPE(Float32) | REF_TYPE(Int8), 2, 2));
    TRY(ref_check_shape(call, diag, LSTM_FULL_R + LSTM_GATE_O, "recurrent weights", 2, 2));
    l->quantized = x->type == kTfLiteInt8;
    l->hybrid = !l->quantized && call->in[w]->type == kTfLiteInt8;
    l->batch = (size_t)ref_dim(x, l->sequence && l->time_major ? 1 : 0);
    l->steps = l->sequence ? (size_t)ref_dim(x, l->time_major ? 0 : 1) : 1;
    l->depth = (size_t)ref_dim(x, rank - 1);
    l->cells = (size_t)ref_dim(call->in[w], 0);
    l->outputs = (size_t)ref_dim(call->in[LSTM_FULL_R + LSTM_GATE_O], 1);
    l->cifg = !ref_has(call, LSTM_FULL_W);
    l->peephole = ref_has(call, LSTM_FULL_PEEPHOLE + 1) || ref_has(call, LSTM_FULL_PEEPHOLE + 2) ||
                  ref_has(call, LSTM_FULL_PEEPHOLE);
    l->projection = ref_has(call, LSTM_FULL_PROJECTION);
    l->norm = ref_has(call, LSTM_FULL_NORM + LSTM_GATE_F);
    return STATUS_OK;
}

enum status ref_lstm_prepare(struct ref_call *call, struct diag *diag, struct ref_lstm *l)
{
    TRY(check_params(call, diag, l));
    TRY(read_sizes(call, diag, l));
    for (int g = l->cifg; g < LSTM_GATES; g++)
        TRY(check_gate(call, diag, l, g));
    if (l->cifg)
        TRY(check_no_input_gate(call, diag));
    TRY(check_projection(call, diag, l));
    TRY(check_state(call, diag, LSTM_FULL_H, "output state",
                    l->quantized ? kTfLiteInt8 : kTfLiteFloat32, l->batch * l->outputs));
    TRY(check_state(call, diag, LSTM_FULL_C, "cell state",
                    l->quantized ? kTfLiteInt16 : kTfLiteFloat32, l->batch * l->cells));
    TRY(ref_check_out(call, diag, 0, l->quantized ? kTfLiteInt8 : kTfLiteFloat32));
    if (l->quantized)
        TRY(ref_lstm_int8_check(call, diag, l));
    ref_same_shape(&call->out_shape[0], call->in[LSTM_FULL_X]);
    call->out_shape[0].dims[call->out_shape[0].rank - 1] = (int32_t)l->outputs;
    return STATUS_OK;
}

enum status ref_lstm_eval(struct ref_call *call, struct diag *diag, struct ref_lstm *l)
{
    TRY(read_sizes(call, diag, l));
    return l->quantized ? ref_lstm_int8_eval(call, diag, l) : ref_lstm_float_eval(call, diag, l);
}
