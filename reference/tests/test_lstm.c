/* The scalar kernel of LSTM: by hand and against its definition, its state over several steps, and
 * the quantities of its error bound. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/runtime/interpreter.h"

enum { X, H_PREV, W, BIAS, C_PREV };
enum { H, C, JOINED, Z };

static void set_lstm(struct op_test *t)
{
    TfLiteLSTMParams *p = (void *)t->params.bytes;

    p->activation = kTfLiteActTanh;
    p->kernel_type = kTfLiteLSTMBasicKernel;
}

/* States are variables: not constant. */
static void begin_lstm(struct op_test *t, int32_t batch, int32_t depth, int32_t cells,
                       const float *const *data)
{
    op_begin(t, BUILTIN_LSTM, kTfLiteFloat32);
    for (int o = 1; o < 4; o++)
        op_output(t, kTfLiteFloat32);
    op_input(t, kTfLiteFloat32, 2, DIMS(batch, depth), data[X]);
    op_input(t, kTfLiteFloat32, 2, DIMS(batch, cells), data[H_PREV])->allocation_type =
        kTfLiteArenaRwPersistent;
    op_input(t, kTfLiteFloat32, 2, DIMS(4 * cells, depth + cells), data[W]);
    op_input(t, kTfLiteFloat32, 1, DIMS(4 * cells), data[BIAS]);
    op_input(t, kTfLiteFloat32, 2, DIMS(batch, cells), data[C_PREV])->allocation_type =
        kTfLiteArenaRwPersistent;
    set_lstm(t);
}

static double sigmoid(double v)
{
    return 1 / (1 + exp(-v));
}

static void near(const struct op_test *t, int o, size_t i, double expected)
{
    const double got = t->details[o].value[i];

    if (fabs(got - expected) > 1e-12 || fabs((double)t->out[o]->data.f[i] - expected) > 1e-6)
        fail_msg("output %d, element %zu: %.17g, stored %.9g, expected %.17g", o, i, got,
                 (double)t->out[o]->data.f[i], expected);
}

/* One cell with gates that are all different: each block of the weights has its place. */
TEST(one_cell_by_hand)
{
    const float *const data[] = { FLOATS(2), FLOATS(0.5f),
                                  FLOATS(1, 2, 0.25f, -1, -0.5f, 4, 0.75f, 3),
                                  FLOATS(0.125f, 0.25f, -0.375f, 0.5f), FLOATS(-1.5f) };
    const double z[] = { 2 + 1 + 0.125, 0.5 - 0.5 + 0.25, -1 + 2 - 0.375, 1.5 + 1.5 + 0.5 };
    const double c = sigmoid(z[0]) * tanh(z[1]) - 1.5 * sigmoid(z[2]);
    struct op_test t CLOSED_BY(op_end);

    begin_lstm(&t, 1, 1, 1, data);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 1));
    for (size_t i = 0; i < 4; i++)
        near(&t, Z, i, z[i]);
    near(&t, C, 0, c);
    near(&t, H, 0, sigmoid(z[3]) * tanh(c));
    near(&t, JOINED, 0, 2);
    near(&t, JOINED, 1, 0.5);
    /* What a dot product's bound needs. */
    assert_true(t.details[Z].terms[0] == 3 && t.details[Z].magnitude[0] == 3.125);
    assert_true(t.details[Z].terms[2] == 3 && t.details[Z].magnitude[2] == 1 + 2 + 0.375);
    assert_true(t.details[JOINED].terms[0] == 1);
    /* The state carries over to the next invoke. */
    assert_memory_equal(t.in[H_PREV]->data.raw, t.out[H]->data.raw, 4);
    assert_memory_equal(t.in[C_PREV]->data.raw, t.out[C]->data.raw, 4);
}

/* The limit of TOLERANCES.md 3.8 in units of 2^-24. */
TEST(bounds_follow_the_gates)
{
    const double u = 0x1p-24;
    const float *const data[] = { FLOATS(2), FLOATS(0.5f),
                                  FLOATS(1, 2, 0.25f, -1, -0.5f, 4, 0.75f, 3),
                                  FLOATS(0.125f, 0.25f, -0.375f, 0.5f), FLOATS(-1.5f) };
    double dz[4], dc, dh;
    struct op_test t CLOSED_BY(op_end);

    begin_lstm(&t, 1, 1, 1, data);
    op_run(&t);
    for (int g = 0; g < 4; g++) /* K = 3: min(3, 3 sqrt 3) = 3 */
        dz[g] = u * 5 * t.details[Z].magnitude[g] + 2 * u * fabs(t.details[Z].value[g]);
    {
        const double i = sigmoid(t.details[Z].value[0]), j = tanh(t.details[Z].value[1]);
        const double f = sigmoid(t.details[Z].value[2]), o = sigmoid(t.details[Z].value[3]);
        const double c = t.details[C].value[0];

        dc = (dz[0] / 4 + 16 * u) * fabs(j) + i * (dz[1] + 16 * u) + (dz[2] / 4 + 16 * u) * 1.5 +
             4 * u * (fabs(i * j) + f * 1.5);
        dh = (dz[3] / 4 + 16 * u) * fabs(tanh(c)) + o * (dc + 16 * u) + 2 * u;
    }
    assert_true(fabs(t.details[C].magnitude[0] * u / dc - 1) < 1e-9);
    assert_true(fabs(t.details[H].magnitude[0] * u / dh - 1) < 1e-9);
}

enum { BATCH = 3, DEPTH = 4, CELLS = 5, WIDTH = DEPTH + CELLS };

/* Three steps: each starts from the state that the previous one wrote. */
TEST(steps_follow_the_definition)
{
    float x[BATCH * DEPTH], w[4 * CELLS * WIDTH], bias[4 * CELLS];
    float h[BATCH * CELLS] = { 0 }, c[BATCH * CELLS] = { 0 };
    const float *const data[] = { x, h, w, bias, c };
    uint64_t random = 3;
    struct op_test t CLOSED_BY(op_end);

    for (int i = 0; i < 4 * CELLS * WIDTH; i++)
        w[i] = op_random(&random);
    for (int i = 0; i < 4 * CELLS; i++)
        bias[i] = op_random(&random);
    memset(x, 0, sizeof x);
    begin_lstm(&t, BATCH, DEPTH, CELLS, data);
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < BATCH * DEPTH; i++)
            x[i] = 2 * op_random(&random);
        memcpy(t.in[X]->data.raw, x, sizeof x);
        op_run(&t);
        for (int b = 0; b < BATCH; b++) {
            for (int a = 0; a < CELLS; a++) {
                double z[4], new_c;

                for (int g = 0; g < 4; g++) {
                    const float *const row = w + (g * CELLS + a) * WIDTH;

                    z[g] = bias[g * CELLS + a];
                    for (int k = 0; k < DEPTH; k++)
                        z[g] += (double)row[k] * x[b * DEPTH + k];
                    for (int k = 0; k < CELLS; k++)
                        z[g] += (double)row[DEPTH + k] * h[b * CELLS + k];
                    near(&t, Z, (size_t)(b * 4 * CELLS + g * CELLS + a), z[g]);
                }
                new_c = sigmoid(z[0]) * tanh(z[1]) + sigmoid(z[2]) * c[b * CELLS + a];
                near(&t, C, (size_t)(b * CELLS + a), new_c);
                near(&t, H, (size_t)(b * CELLS + a), sigmoid(z[3]) * tanh(new_c));
            }
        }
        memcpy(h, t.out[H]->data.raw, sizeof h);
        memcpy(c, t.out[C]->data.raw, sizeof c);
        assert_memory_equal(t.in[H_PREV]->data.raw, h, sizeof h);
        assert_memory_equal(t.in[C_PREV]->data.raw, c, sizeof c);
    }
}

/* ---- in a graph ---- */

struct net {
    struct model model;
    struct interpreter *in;
};

/* One LSTM of one cell: x; h and c are variables, or inputs of the graph. */
static void net_open(struct net *n, bool variables)
{
    const char *const variable = variables ? "!" : "";

    kit_text(&n->model,
             "LSTM:2 {fused_activation_function=TANH kernel_type=1}\\\n"
             " x:f32[1,1] h:f32[1,1]%s f32[4,2]=1,2,0.25,-1,-0.5,4,0.75,3 f32[4]=0 c:f32[1,1]%s\\\n"
             " -> f32[1,1] f32[1,1] f32[1,2] f32[1,4]\ninputs x%s",
             variable, variable, variables ? "" : " h c");
    assert_int_equal(interpreter_open(&n->in, &n->model, NULL, &err), STATUS_OK);
    assert_int_equal(interpreter_allocate(n->in, &err), STATUS_OK);
}

static void net_close(struct net *n)
{
    interpreter_close(n->in);
    model_close(&n->model);
}

/* Invokes, and returns h. */
static float net_step(struct net *n, float x)
{
    size_t count;
    const int *const outputs = interpreter_outputs(n->in, &count);

    interpreter_tensor(n->in, 0)->data.f[0] = x;
    assert_int_equal(interpreter_invoke(n->in, &err), STATUS_OK);
    return interpreter_tensor(n->in, outputs[H])->data.f[0];
}

TEST(state_lives_in_variables)
{
    struct net variables CLOSED_BY(net_close), inputs CLOSED_BY(net_close);
    float first, second;

    net_open(&variables, true);
    net_open(&inputs, false);
    interpreter_tensor(inputs.in, H_PREV)->data.f[0] = 0;
    interpreter_tensor(inputs.in, C_PREV)->data.f[0] = 0;
    first = net_step(&variables, 0.5f);
    assert_true(net_step(&inputs, 0.5f) == first);
    second = net_step(&variables, 0.5f);
    assert_true(second != first);
    assert_true(net_step(&inputs, 0.5f) == second); /* the inputs were written to */
    assert_true(net_step(&variables, 0.5f) == net_step(&inputs, 0.5f));
    /* From the beginning. */
    assert_int_equal(interpreter_reset_variables(variables.in), STATUS_OK);
    assert_true(net_step(&variables, 0.5f) == first);
    /* Inputs are the caller's. */
    interpreter_tensor(inputs.in, H_PREV)->data.f[0] = 0;
    interpreter_tensor(inputs.in, C_PREV)->data.f[0] = 0;
    assert_true(net_step(&inputs, 0.5f) == first);
}
