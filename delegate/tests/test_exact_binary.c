/* ADD, SUB, MUL and PRELU of 8-bit tensors, and the first three of i16, on the device: every pair
 * of values, and random shapes that broadcast.  Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const char *const types[] = { "i8", "u8", "i16" };
static const char *const ops[] = { "ADD", "SUB", "MUL", "PRELU", "MAXIMUM", "MINIMUM" };
enum { PRELU = 3, OPS = sizeof ops / sizeof ops[0] };

static void begin_node(struct exact_model *m, int op, int activation)
{
    static const char *const names[] = { "NONE", "RELU", "RELU_N1_TO_1", "RELU6" };

    if (op < PRELU)
        exact_add(m, "%s {fused_activation_function=%s}", ops[op], names[activation]);
    else
        exact_add(m, "%s", ops[op]);
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

enum { SCALES = sizeof scales / sizeof scales[0] };

EXACT_TEST(every_pair, "fp32", 1, OPS *SCALES)
{
    const int op = (int)(seed - 1) / SCALES, s = (int)(seed - 1) % SCALES;
    const char *const type = types[s % 2];
    struct exact_quant q[3];

    for (int i = 0; i < 3; i++) {
        q[i] = exact_random_quant(&m->random, type);
        q[i].scale = scales[s][op > PRELU ? 0 : i];
        q[i].zero = q[op > PRELU ? 0 : i].zero;
    }
    begin_node(m, op, (int)(seed % 4));
    for (int i = 0; i < 2; i++)
        exact_add(m, " %s", exact_text(type, q[i], 2, (int32_t[]){ 256, 256 }));
    exact_add(m, " -> y:%s", exact_text(type, q[2], -1, NULL));
    m->fill = fill_pairs;
}

EXACT_TEST(random_shapes, "fp16", 1, 120) /* the precision is no matter to integers */
{
    const int op = (int)(seed % 4), rank = (int)(seed / 4) % 6;
    const char *const type = types[seed / 2 % (op == PRELU ? 2 : 3)]; /* of i16 there is none */
    int32_t shape[2][5];

    for (int i = 0; i < rank; i++) {
        const int which = kit_below(&m->random, 6);

        shape[0][i] = shape[1][i] = 1 + kit_below(&m->random, i == rank - 1 ? 67 : 4);
        if (which == 1 || (which == 0 && op != PRELU))
            shape[which][i] = 1;
    }
    begin_node(m, op, kit_below(&m->random, 4));
    for (int i = 0; i < 2; i++) {
        const struct exact_quant q = exact_random_quant(&m->random, type);

        exact_add(m, " %s",
                  seed % 3 == 0 && i == (op == PRELU ? 1 : (int)(seed / 3) % 2)
                      ? exact_constant(&m->random, type, q, rank, shape[i])
                      : exact_text(type, q, rank, shape[i]));
    }
    exact_add(m, " -> y:%s", exact_text(type, exact_random_quant(&m->random, type), -1, NULL));
    m->times = 2;
}

/* A chain whose steps write where an operand lay. */
EXACT_TEST(in_place, "fp32", 1, 1)
{
    (void)seed;
    exact_add(m, "tensors");
    for (int i = 0; i < 12; i++)
        exact_add(
            m, " t%d:%s", i,
            exact_text("i8", exact_random_quant(&m->random, "i8"), 4, (int32_t[]){ 1, 7, 5, 13 }));
    for (int i = 2; i < 12; i++)
        exact_add(m, "; %s {} t%d t%d -> t%d", ops[i % 3], i - 1, i - 2, i);
    m->times = 3;
}
