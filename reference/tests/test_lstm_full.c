/* The scalar kernel of the full LSTM: two steps by hand, with every optional tensor and without,
 * the error that states carry from inference to inference, and everything that it refuses. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

enum { W = 1, R = 5, PEEPHOLE = 9, BIAS = 12, PROJECTION = 16, H = 18, C, NORM, INPUTS = 24 };
enum { GATE_I, GATE_F, GATE_C, GATE_O, GATES };
enum { BATCH = 1, STEPS = 2, DEPTH = 2, CELLS = 1 };

static double sigmoid(double v)
{
    return 1 / (1 + exp(-v));
}

static TfLiteUnidirectionalSequenceLSTMParams *params_of(struct op_test *t)
{
    return (void *)t->params.bytes;
}

/* One cell with two inputs; every weight is another. */
static const float weights[GATES][DEPTH] = {
    { 0.5F, -1 }, { 0.25F, 0.75F }, { -0.5F, 1.5F }, { 1, 0.125F }
};
static const float recurrent[GATES] = { 0.375F, -0.25F, 0.625F, -0.875F };
static const float biases[GATES] = { 0.125F, 1, -0.25F, 0.5F };
static const float peepholes[] = { 0.5F, -0.75F, 1.25F };
static const float inputs[STEPS][DEPTH] = { { 1, -0.5F }, { 0.25F, 2 } };

static void begin(struct op_test *t, bool cifg, bool peephole, bool projection)
{
    op_begin(t, BUILTIN_UNIDIRECTIONAL_SEQUENCE_LSTM, kTfLiteFloat32);
    params_of(t)->activation = kTfLiteActTanh;
    op_input(t, kTfLiteFloat32, 3, DIMS(BATCH, STEPS, DEPTH), inputs);
    for (int g = 0; g < GATES; g++) {
        if (g == GATE_I && cifg)
            op_absent(t);
        else
            op_input(t, kTfLiteFloat32, 2, DIMS(CELLS, DEPTH), weights[g]);
    }
    for (int g = 0; g < GATES; g++) {
        if (g == GATE_I && cifg)
            op_absent(t);
        else
            op_input(t, kTfLiteFloat32, 2, DIMS(CELLS, CELLS), &recurrent[g]);
    }
    for (int k = 0; k < 3; k++) {
        if (!peephole || (k == 0 && cifg))
            op_absent(t);
        else
            op_input(t, kTfLiteFloat32, 1, DIMS(CELLS), &peepholes[k]);
    }
    for (int g = 0; g < GATES; g++) {
        if (g == GATE_I && cifg)
            op_absent(t);
        else
            op_input(t, kTfLiteFloat32, 1, DIMS(CELLS), &biases[g]);
    }
    if (projection) {
        op_input(t, kTfLiteFloat32, 2, DIMS(CELLS, CELLS), FLOATS(-2));
        op_input(t, kTfLiteFloat32, 1, DIMS(CELLS), FLOATS(0.75F));
    } else {
        op_absent(t);
        op_absent(t);
    }
    for (int i = H; i <= C; i++) {
        TfLiteTensor *const state = op_input(t, kTfLiteFloat32, 2, DIMS(BATCH, CELLS), NULL);

        state->allocation_type = kTfLiteArenaRwPersistent;
        state->is_variable = true;
    }
    for (int g = 0; g < GATES; g++)
        op_absent(t);
}

struct cell {
    double h, c;
};

static double sum(int gate, const float *x, double h, double peephole, double c)
{
    return (double)weights[gate][0] * (double)x[0] + (double)weights[gate][1] * (double)x[1] +
           (double)recurrent[gate] * h + (double)biases[gate] + peephole * c;
}

static struct cell step(struct cell s, const float *x, bool cifg, bool peephole, bool projection)
{
    const double p[3] = { peephole ? 0.5 : 0, peephole ? -0.75 : 0, peephole ? 1.25 : 0 };
    const double f = sigmoid(sum(GATE_F, x, s.h, p[1], s.c));
    const double i = cifg ? 1 - f : sigmoid(sum(GATE_I, x, s.h, p[0], s.c));
    const double c = f * s.c + i * tanh(sum(GATE_C, x, s.h, 0, 0));
    const double h = sigmoid(sum(GATE_O, x, s.h, p[2], c)) * tanh(c);

    return (struct cell){ projection ? -2 * h + 0.75 : h, c };
}

TEST(two_steps_by_hand)
{
    for (int which = 0; which < 8; which++) {
        const bool cifg = which & 1, peephole = which & 2, projection = which & 4;
        struct cell s = { 0, 0 };
        struct op_test t CLOSED_BY(op_end);

        begin(&t, cifg, peephole, projection);
        op_run(&t);
        op_has_shape(&t, 3, DIMS(BATCH, STEPS, CELLS));
        for (int k = 0; k < STEPS; k++) {
            s = step(s, inputs[k], cifg, peephole, projection);
            if (fabs(t.details[0].value[k] - s.h) > 1e-6)
                fail_msg("form %d, step %d: %.9g, expected %.9g", which, k, t.details[0].value[k],
                         s.h);
        }
        assert_true(fabs((double)t.in[H]->data.f[0] - s.h) < 1e-6);
        assert_true(fabs((double)t.in[C]->data.f[0] - s.c) < 1e-6);
    }
}

TEST(clips_hold)
{
    struct op_test t CLOSED_BY(op_end);

    begin(&t, false, false, true);
    params_of(&t)->cell_clip = 0.03125F;
    params_of(&t)->proj_clip = 0.5F;
    op_run(&t);
    assert_true(fabsf(t.in[C]->data.f[0]) == 0.03125F);
    assert_true(t.out[0]->data.f[0] == 0.5F && t.out[0]->data.f[1] == 0.5F);
}

/* The second inference starts from a state that may be off already. */
TEST(states_carry_their_error)
{
    struct ref_carry carry = { NULL, 0 };
    double first, stored;
    struct op_test t CLOSED_BY(op_end);

    begin(&t, false, true, false);
    t.call.carry = &carry;
    op_run(&t);
    first = t.details[0].magnitude[0];
    stored = t.details[0].terms[0];
    assert_true(first > 0 && first < 200 && stored > 0);
    assert_int_equal(carry.count, 6);
    memset(t.in[H]->data.raw, 0, t.in[H]->bytes);
    memset(t.in[C]->data.raw, 0, t.in[C]->bytes);
    op_run(&t);
    assert_true(t.details[0].magnitude[0] > first && t.details[0].terms[0] > stored);
    mem_free(carry.at);
}

/* Weights by which an error grows a thousandfold from step to step: values lie between two ends,
 * and so does what they are off by, in h and in a clipped c. */
TEST(errors_stay_finite)
{
    struct ref_carry carry = { NULL, 0 };
    struct op_test t CLOSED_BY(op_end);

    begin(&t, false, true, false);
    params_of(&t)->cell_clip = 8;
    for (int g = 0; g < GATES; g++)
        t.in[R + g]->data.f[0] = 1000;
    t.call.carry = &carry;
    for (int run = 0; run < 150; run++) {
        memset(t.in[H]->data.raw, 0, t.in[H]->bytes);
        memset(t.in[C]->data.raw, 0, t.in[C]->bytes);
        op_run(&t);
    }
    for (int k = 0; k < STEPS; k++) {
        assert_true(t.details[0].magnitude[k] <= 0x1p28);
        assert_true(t.details[0].terms[k] <= 0x1p28);
    }
    for (size_t i = 0; i < carry.count; i++)
        assert_true(isfinite(carry.at[i]));
    mem_free(carry.at);
}

TEST(refusals)
{
    struct op_test t CLOSED_BY(op_end);

    begin(&t, false, true, true);
    assert_int_equal(op_prepare(&t), STATUS_OK);
    t.call.in_count = 19;
    op_refused(&t, STATUS_INVALID, "19 inputs, expected 20 or 24", NULL);
    t.call.in_count = INPUTS;
    params_of(&t)->activation = kTfLiteActNone;
    op_refused(&t, STATUS_UNSUPPORTED, "fused_activation_function 0", NULL);
    params_of(&t)->activation = kTfLiteActTanh;
    params_of(&t)->cell_clip = -1;
    op_refused(&t, STATUS_INVALID, "cell_clip -1", NULL);
    params_of(&t)->cell_clip = 0;
    params_of(&t)->diagonal_recurrent_tensors = true;
    op_refused(&t, STATUS_UNSUPPORTED, "diagonal_recurrent_tensors", NULL);
    params_of(&t)->diagonal_recurrent_tensors = false;
    t.in[W + GATE_F] = NULL;
    op_refused(&t, STATUS_INVALID, "input 2 (weights) is missing", NULL);
    t.in[W + GATE_F] = &t.inputs[W + GATE_F];
    t.in[W] = NULL;
    op_refused(&t, STATUS_INVALID, "input 5 is there", "input 1", NULL);
    t.in[W] = &t.inputs[W];
    t.in[PEEPHOLE + 1] = NULL;
    op_refused(&t, STATUS_INVALID, "input 10 (peephole weights) is missing", NULL);
    t.in[PEEPHOLE + 1] = &t.inputs[PEEPHOLE + 1];
    t.in[PROJECTION] = NULL;
    op_refused(&t, STATUS_INVALID, "input 17 (projection bias)", "without", NULL);
    t.in[PROJECTION] = &t.inputs[PROJECTION];
    t.inputs[C].is_variable = false;
    op_refused(&t, STATUS_INVALID, "input 19 (cell state)", "variable", NULL);
    t.inputs[C].is_variable = true;
    t.inputs[BIAS].type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "input 12 (bias): type i32", NULL);
    t.inputs[BIAS].type = kTfLiteFloat32;
    t.in[NORM + GATE_F] = &t.inputs[BIAS];
    op_refused(&t, STATUS_INVALID, "input 20 (layer norm coefficients) is missing", NULL);
    t.in[NORM + GATE_F] = NULL;
    /* i8 weights need a scale. */
    for (int i = W; i < BIAS; i++)
        t.inputs[i].type = kTfLiteInt8;
    t.inputs[PROJECTION].type = kTfLiteInt8;
    op_refused(&t, STATUS_INVALID, "input 1 (weights)", "scale", NULL);
}
