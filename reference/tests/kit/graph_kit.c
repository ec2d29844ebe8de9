#include "reference/tests/kit/graph_kit.h"

#include "reference/tests/kit/text_kit.h"

uint64_t kit_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int kit_below(uint64_t *state, int n)
{
    return (int)(kit_random(state) % (uint64_t)n);
}

float kit_float(uint64_t *state)
{
    return (float)((double)(kit_random(state) >> 40) / (1 << 23) - 1);
}

int kit_vector(struct builder *b, int n)
{
    return builder_tensor(b, TENSOR_FLOAT32, "t", 2, (int32_t[]){ 1, n });
}

struct kit_graph {
    int tensor[KIT_TENSORS], size[KIT_TENSORS];
    int count;
};

/* Appends one random node that reads tensors of g. */
static void kit_node(struct builder *b, struct kit_graph *g, uint64_t *seed)
{
    const int i = kit_below(seed, g->count), j = kit_below(seed, g->count);
    const int x = g->tensor[i], n = g->size[i];
    struct options options;
    int out = n, y;

    switch (kit_below(seed, 6)) {
    case 0:
        y = kit_vector(b, n);
        builder_op(b, BUILTIN_RELU, 1, NULL, 1, &x, 1, &y);
        break;
    case 1: { /* a slope and an offset, so that a stale or a foreign value shows */
        const float w = kit_float(seed) + 1.5f;
        const int c = builder_constant(b, TENSOR_FLOAT32, "c", 1, (int32_t[]){ 1 }, &w, sizeof w);
        options_init(&options, OPTIONS_MulOptions);
        y = kit_vector(b, n);
        builder_op(b, BUILTIN_MUL, 1, &options, 2, (int[]){ x, c }, 1, &y);
        break;
    }
    case 2: {
        const int32_t pads[] = { 0, 0, 1, kit_below(seed, 20) };
        const int p =
            builder_constant(b, TENSOR_INT32, "p", 2, (int32_t[]){ 2, 2 }, pads, sizeof pads);
        out = n + pads[2] + pads[3];
        y = kit_vector(b, out);
        builder_op(b, BUILTIN_PAD, 1, NULL, 2, (int[]){ x, p }, 1, &y);
        break;
    }
    case 3: {
        const int32_t axis = 1;
        const int a = builder_constant(b, TENSOR_INT32, "a", 1, (int32_t[]){ 1 }, &axis, 4);
        options_init(&options, OPTIONS_ReducerOptions);
        options_set_int(&options, "keep_dims", 1);
        out = 1;
        y = kit_vector(b, 1);
        builder_op(b, BUILTIN_MEAN, 1, &options, 2, (int[]){ x, a }, 1, &y);
        break;
    }
    default: /* two runtime inputs, where the sizes allow */
        options_init(&options, OPTIONS_AddOptions);
        if (g->size[j] != n && g->size[j] != 1) {
            y = kit_vector(b, n);
            builder_op(b, BUILTIN_ADD, 1, &options, 2, (int[]){ x, x }, 1, &y);
        } else {
            y = kit_vector(b, n);
            builder_op(b, BUILTIN_ADD, 1, &options, 2, (int[]){ x, g->tensor[j] }, 1, &y);
        }
        break;
    }
    g->tensor[g->count] = y;
    g->size[g->count++] = out;
}

void kit_random_graph(struct model *m, uint64_t seed, int nodes, int outputs)
{
    struct builder b;
    struct kit_graph g = { .count = 2 };
    int ends[KIT_TENSORS + 3], count = 0;

    assert_true(nodes + 2 <= KIT_TENSORS);
    builder_init(&b);
    g.size[0] = 1 + kit_below(&seed, 40);
    g.size[1] = kit_below(&seed, 2) ? g.size[0] : 1 + kit_below(&seed, 40);
    for (int i = 0; i < 2; i++)
        g.tensor[i] = kit_vector(&b, g.size[i]);
    builder_inputs(&b, 2, g.tensor);
    for (int i = 0; i < nodes; i++)
        kit_node(&b, &g, &seed);
    for (int i = 2; i < g.count - 1; i++)
        if (kit_below(&seed, 8) < outputs)
            ends[count++] = g.tensor[i];
    ends[count++] = g.tensor[g.count - 1];
    if (kit_below(&seed, 2))
        ends[count++] = g.tensor[g.count - 1];
    if (kit_below(&seed, 4) == 0)
        ends[count++] = g.tensor[0];
    builder_outputs(&b, (size_t)count, ends);
    KIT_OK(builder_finish(&b, m, &err));
}

void kit_fill_inputs(struct interpreter *in, uint64_t seed)
{
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *t = interpreter_tensor(in, inputs[i]);
        assert_int_equal(t->type, kTfLiteFloat32);
        assert_non_null(t->data.raw);
        for (size_t j = 0; j < t->bytes / sizeof(float); j++)
            t->data.f[j] = kit_float(&seed);
    }
}

void kit_interpreter_end(struct interpreter **in)
{
    interpreter_close(*in);
}

void kit_same_outputs(struct interpreter *a, struct interpreter *b, unsigned long long seed)
{
    size_t count, other;
    const int *outputs = interpreter_outputs(a, &count);

    interpreter_outputs(b, &other);
    assert_int_equal(count, other);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *x = interpreter_tensor(a, outputs[i]);
        const TfLiteTensor *y = interpreter_tensor(b, outputs[i]);
        assert_int_equal(x->bytes, y->bytes);
        if (memcmp(x->data.raw, y->data.raw, x->bytes) != 0)
            fail_msg("seed %llu: output %zu (tensor %d) differs", seed, i, outputs[i]);
    }
}

void kit_invoke(struct interpreter *in, uint64_t seed)
{
    kit_fill_inputs(in, seed);
    KIT_OK(interpreter_invoke(in, &err));
}

void kit_simple_graph(struct model *m)
{
    kit_text(m, "ADD {} x:f32[1,2] w:f32[1,2]=1,-3 -> s:f32[1,2]\n"
                "RELU s -> y:f32[1,2]\n"
                "MUL {} y y -> z:f32[1,2]\n"
                "outputs z y x w");
}

void kit_folding_graph(struct model *m)
{
    kit_text(m, "tensors x:f32[1,2]\n"
                "DEQUANTIZE:3 h:f16[1,2]=1.5,-2 -> f:f32[1,2]\n"
                "ADD {} x f -> y:f32[1,2]\n"
                "outputs y f");
}

struct interpreter *kit_interpreter(const struct model *m,
                                    const struct interpreter_options *options)
{
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, m, options, &err));
    return in;
}
