/* ADD, SUB, MUL and PRELU of 8-bit tensors, and the first three of i16, on the device: every pair
 * of values, and random shapes that broadcast.  Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const int32_t types[] = { TENSOR_INT8, TENSOR_UINT8, TENSOR_INT16 };

static const struct {
    int32_t code;
    uint8_t options;
} ops[] = { { BUILTIN_ADD, OPTIONS_AddOptions },
            { BUILTIN_SUB, OPTIONS_SubOptions },
            { BUILTIN_MUL, OPTIONS_MulOptions },
            { BUILTIN_PRELU, 0 },
            { BUILTIN_MAXIMUM, 0 },
            { BUILTIN_MINIMUM, 0 } };
enum { OPS = sizeof ops / sizeof ops[0] };

static void node(struct exact_model *m, int op, int activation, const int *in, int y)
{
    struct options o;

    if (ops[op].options) {
        options_init(&o, ops[op].options);
        options_set_int(&o, "fused_activation_function", activation);
    }
    builder_op(&m->b, ops[op].code, 1, ops[op].options ? &o : NULL, 2, in, 1, &y);
}

/* a goes over the 256 values in rows, b in columns. */
static void fill_pairs(struct interpreter *in, uint64_t seed)
{
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);

    (void)seed;
    for (int i = 0; i < 65536; i++) {
        interpreter_tensor(in, inputs[0])->data.uint8[i] = (uint8_t)(i / 256);
        interpreter_tensor(in, inputs[1])->data.uint8[i] = (uint8_t)i;
    }
}

/* Scales of a, b and the result. */
static const double scales[][3] = {
    { 0.5, 0.25, 1 },            /* all powers of 2 */
    { 0.0235, 0.0177, 0.0314 },  /* as models have them */
    { 0.1, 0.1, 0.0123 },        /* a result that saturates */
    { 1e-4, 3, 0.7 },            /* of one operand next to nothing is left */
    { 2.5, 0.003, 1e-3 },        /* factors over 1 */
    { 1e-20, 1e-20, 1 },         /* a factor of 0 */
    { 0.9999999, 1, 0.4999999 }, /* mantissas all of ones */
};

TEST(every_pair)
{
    TfLiteDelegate *d;
    uint64_t seed = 0;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (int op = 0; op < OPS; op++)
        for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
            const int32_t type = types[s % 2], dims[] = { 256, 256 };
            const bool raw = op >= 4;
            struct exact_quant q[3];
            struct exact_model m;
            int in[2], y;

            exact_begin(&m, ++seed);
            for (int i = 0; i < 3; i++) {
                q[i] = exact_random_quant(&m.random, type);
                q[i].scale = scales[s][raw ? 0 : i];
                q[i].zero = q[raw ? 0 : i].zero;
            }
            for (int i = 0; i < 2; i++)
                in[i] = exact_tensor(&m, type, q[i], 2, dims);
            y = exact_tensor(&m, type, q[2], 2, dims);
            node(&m, op, (int)(seed % 4), in, y);
            snprintf(m.label, sizeof m.label, "op %d, scales %zu", op, s);
            builder_inputs(&m.b, 2, in);
            builder_outputs(&m.b, 1, &y);
            exact_check(&m, d, 1, fill_pairs);
        }
    tflite_plugin_destroy_delegate(d);
}

TEST(random_shapes)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp16"); /* which is no matter to integers */
    for (uint64_t seed = 1; seed <= 120; seed++) {
        const int op = (int)(seed % 4), rank = (int)(seed / 4) % 6;
        const int32_t type =
            types[seed / 2 % (ops[op].code == BUILTIN_PRELU ? 2 : 3)]; /* of i16 there is none */
        int32_t dims[5], shape[2][5];
        int in[2], inputs[2], count = 0, y;
        struct exact_model m;

        exact_begin(&m, seed);
        for (int i = 0; i < rank; i++) {
            const int which = kit_below(&m.random, 6);

            dims[i] = 1 + kit_below(&m.random, i == rank - 1 ? 67 : 4);
            shape[0][i] = which == 0 && ops[op].code != BUILTIN_PRELU ? 1 : dims[i];
            shape[1][i] = which == 1 ? 1 : dims[i];
        }
        for (int i = 0; i < 2; i++) {
            const struct exact_quant q = exact_random_quant(&m.random, type);
            const bool constant =
                seed % 3 == 0 && i == (ops[op].code == BUILTIN_PRELU ? 1 : (int)(seed / 3) % 2);

            in[i] = constant ? exact_constant(&m, type, q, (size_t)rank, shape[i])
                             : exact_tensor(&m, type, q, (size_t)rank, shape[i]);
            if (!constant)
                inputs[count++] = in[i];
        }
        y = exact_tensor(&m, type, exact_random_quant(&m.random, type), (size_t)rank, dims);
        node(&m, op, kit_below(&m.random, 4), in, y);
        builder_inputs(&m.b, (size_t)count, inputs);
        builder_outputs(&m.b, 1, &y);
        exact_check(&m, d, 2, NULL);
    }
    tflite_plugin_destroy_delegate(d);
}

/* A chain whose steps write where an operand lay. */
TEST(in_place)
{
    const int32_t dims[] = { 1, 7, 5, 13 };
    struct exact_model m;
    TfLiteDelegate *d;
    int t[12];

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    exact_begin(&m, 1);
    for (int i = 0; i < 12; i++)
        t[i] = exact_tensor(&m, TENSOR_INT8, exact_random_quant(&m.random, TENSOR_INT8), 4, dims);
    for (int i = 2; i < 12; i++)
        node(&m, i % 3, 0, (int[]){ t[i - 1], t[i - 2] }, t[i]);
    builder_inputs(&m.b, 2, t);
    builder_outputs(&m.b, 1, &t[11]);
    exact_check(&m, d, 3, NULL);
    tflite_plugin_destroy_delegate(d);
}
