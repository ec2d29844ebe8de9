/* UNIDIRECTIONAL_SEQUENCE_LSTM: the full LSTM kernel over the steps of a sequence, f32, i8 weights
 * with f32 activations, and i8 with i16 cells.
 *
 *     inputs  0 x [B,T,D], or [T,B,D] where time_major is set; 1-23 as of LSTM
 * (kernels/lstm_node.h) output  0 h of each step [B,T,O], or [T,B,O]
 *
 * State: the h and c of the last step stay in inputs 18 and 19.
 * Meaning: tflite/kernels/unidirectional_sequence_lstm.cc */
#include "reference/kernels/lstm.h"

static void read_params(const struct options *options, void *params)
{
    TfLiteUnidirectionalSequenceLSTMParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->cell_clip = options_float(options, "cell_clip");
    p->proj_clip = options_float(options, "proj_clip");
    p->time_major = options_int(options, "time_major") != 0;
    p->asymmetric_quantize_inputs = options_int(options, "asymmetric_quantize_inputs") != 0;
    p->diagonal_recurrent_tensors = options_int(options, "diagonal_recurrent_tensors") != 0;
}

static struct ref_lstm lstm_of(const struct ref_call *call)
{
    const TfLiteUnidirectionalSequenceLSTMParams *p = call->params;

    return (struct ref_lstm){ .activation = p->activation,
                              .cell_clip = p->cell_clip,
                              .proj_clip = p->proj_clip,
                              .sequence = true,
                              .time_major = p->time_major,
                              .diagonal = p->diagonal_recurrent_tensors };
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_lstm l = lstm_of(call);

    return ref_lstm_prepare(call, diag, &l);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    struct ref_lstm l = lstm_of(call);

    return ref_lstm_eval(call, diag, &l);
}

static const struct ref_op ops[] = {
    { REF_OP("unidirectional_sequence_lstm", UNIDIRECTIONAL_SEQUENCE_LSTM, 4,
             OPTIONS_UnidirectionalSequenceLSTMOptions),
      REF_PARAMS(TfLiteUnidirectionalSequenceLSTMParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_sequence_lstm = { ops, sizeof ops / sizeof ops[0] };
