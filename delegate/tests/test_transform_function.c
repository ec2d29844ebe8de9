/* Functions become the activation of the node before them. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include <string.h>

/* x times a constant, of which the functions below are exact: of multiples of 4 those of x + 3, of
 * multiples of 200 the logistic one. */
static struct kit_tensor times(struct builder *b, struct kit_tensor x, float factor)
{
    return kit_binary(b, BUILTIN_MUL, x, kit_filled(b, 0, NULL, factor), kTfLiteActNone);
}

/* min(max(x + offset, 0), 6) * factor. */
static struct kit_tensor hard_sigmoid(struct builder *b, struct kit_tensor x, float offset,
                                      float factor)
{
    return times(b, kit_binary(b, BUILTIN_ADD, x, kit_filled(b, 0, NULL, offset), kTfLiteActRelu6),
                 factor);
}

static void hard_swish(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                       struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_unary(b, BUILTIN_HARD_SWISH, times(b, x, 4));
}

static void logistic(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_unary(b, BUILTIN_LOGISTIC, times(b, x, 200));
}

static void keras(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_binary(b, BUILTIN_ADD, times(b, x, 4), z.index, kTfLiteActNone);

    out[0] = hard_sigmoid(b, times(b, t, 4), 3, 1.0f / 6.0f);
}

static void swish(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3])
{
    const struct kit_tensor t = times(b, x, 200);

    (void)z;
    out[0] = kit_binary(b, BUILTIN_MUL, t, kit_unary(b, BUILTIN_LOGISTIC, t).index, kTfLiteActNone);
}

static void swish_first(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                        struct kit_tensor out[3])
{
    const struct kit_tensor t = times(b, x, 200);

    (void)z;
    out[0] = kit_binary(b, BUILTIN_MUL, kit_unary(b, BUILTIN_LOGISTIC, t), t.index, kTfLiteActNone);
}

/* The result of a node with a function is not clamped. */
static void clamped_after(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_unary(b, BUILTIN_RELU6, kit_unary(b, BUILTIN_HARD_SWISH, times(b, x, 4)));
}

static void clamped_before(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                           struct kit_tensor out[3])
{
    const int four = kit_filled(b, 0, NULL, 4);

    (void)z;
    out[0] = kit_unary(b, BUILTIN_HARD_SWISH, kit_binary(b, BUILTIN_MUL, x, four, kTfLiteActRelu));
}

static void second_reader(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    const struct kit_tensor t = times(b, x, 4);

    (void)z;
    out[0] =
        kit_binary(b, BUILTIN_SUB, kit_unary(b, BUILTIN_HARD_SWISH, t), t.index, kTfLiteActNone);
}

/* x * LOGISTIC(x) where another node reads x, or the LOGISTIC. */
static void swish_readers(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    const struct kit_tensor t = times(b, x, 200), u = times(b, z, 200);
    const struct kit_tensor of_t = kit_unary(b, BUILTIN_LOGISTIC, t);
    const struct kit_tensor of_u = kit_unary(b, BUILTIN_LOGISTIC, u);

    out[0] = kit_binary(b, BUILTIN_MUL, t, of_t.index, kTfLiteActNone);
    out[1] = kit_binary(b, BUILTIN_SUB, t, x.index, kTfLiteActNone);
    out[2] =
        kit_binary(b, BUILTIN_ADD, of_u,
                   kit_binary(b, BUILTIN_MUL, u, of_u.index, kTfLiteActNone).index, kTfLiteActNone);
}

/* Another gate than that of x, whose tensor another node reads. */
static void other_gate(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                       struct kit_tensor out[3])
{
    const struct kit_tensor t = times(b, x, 200), u = times(b, z, 200);

    out[0] = kit_binary(b, BUILTIN_MUL, t, kit_unary(b, BUILTIN_LOGISTIC, u).index, kTfLiteActNone);
    out[1] = kit_binary(b, BUILTIN_SUB, u, x.index, kTfLiteActNone);
}

static void exposed(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                    struct kit_tensor out[3])
{
    (void)z;
    out[1] = times(b, x, 4);
    out[0] = kit_unary(b, BUILTIN_HARD_SWISH, out[1]);
    out[2] = kit_unary(b, BUILTIN_HARD_SWISH, kit_reshape(b, times(b, x, 8), KIT_DIMS(1, 30)));
}

/* Nearly a hard sigmoid: another offset, another factor, a factor that is clamped. */
static void other_constants(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                            struct kit_tensor out[3])
{
    const struct kit_tensor t = times(b, x, 4);
    const struct kit_tensor u =
        kit_binary(b, BUILTIN_ADD, times(b, z, 4), kit_filled(b, 0, NULL, 3), kTfLiteActRelu6);

    out[0] = hard_sigmoid(b, t, 2, 0.5f);
    out[1] = kit_binary(b, BUILTIN_MUL, u, kit_filled(b, 0, NULL, 1.0f / 6.0f), kTfLiteActRelu);
    out[2] = hard_sigmoid(b, times(b, z, 16), 8, 1.0f / 6.0f);
}

static const struct transform_case cases[] = {
    { "hard swish", hard_swish, { 1, 2, 3, 5 }, 1, "MUL+HARD_SWISH node 0 'u'" },
    { "logistic", logistic, { 2, 3, 4, 6 }, 1, "MUL+LOGISTIC " },
    { "hard sigmoid of Keras", keras, { 1, 2, 3, 5 }, 1, "MUL+ADD+MUL " },
    { "swish", swish, { 1, 2, 3, 5 }, 1, "MUL+LOGISTIC+MUL " },
    { "swish, the other way round", swish_first, { 1, 2, 3, 5 }, 1, "MUL+LOGISTIC+MUL " },
    { "before a clamp", clamped_after, { 1, 2, 3, 5 }, 1, "RELU6 " },
    { "after a clamp", clamped_before, { 1, 2, 3, 5 }, 0, "HARD_SWISH " },
    { "second reader", second_reader, { 1, 2, 3, 4 }, 0, "HARD_SWISH " },
    { "second reader of a swish", swish_readers, { 1, 2, 3, 4 }, 0, "LOGISTIC " },
    { "another gate", other_gate, { 1, 2, 3, 4 }, 0, "LOGISTIC " },
    { "graph output, and a view", exposed, { 1, 2, 3, 5 }, 0, "HARD_SWISH " },
    { "other constants", other_constants, { 1, 2, 3, 4 }, 0, "ADD " },
};
TRANSFORM_TESTS(TRANSFORM_function, cases)

/* ---- bits ---- */

static void products(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor t = times(b, x, 0.37f), v = times(b, z, 0.71f);

    out[0] = kit_binary(b, BUILTIN_MUL, t, kit_unary(b, BUILTIN_LOGISTIC, t).index, kTfLiteActNone);
    out[1] = kit_unary(b, BUILTIN_HARD_SWISH, times(b, x, 0.83f));
    out[2] =
        hard_sigmoid(b, kit_binary(b, BUILTIN_ADD, v, x.index, kTfLiteActNone), 3, 1.0f / 6.0f);
}

static void convolutions(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                         struct kit_tensor out[3])
{
    const struct kit_tensor u = times(b, z, 0.19f), v = times(b, x, 0.23f);
    const struct kit_conv plain = { .kernel = 3, .same = true };
    const struct kit_conv depthwise = { .kernel = 3, .same = true, .depthwise = true };
    const struct kit_conv grouped = { .kernel = 1, .groups = 2 };

    out[0] = kit_unary(b, BUILTIN_LOGISTIC, kit_conv_2d(b, u, plain));
    out[1] = kit_unary(b, BUILTIN_HARD_SWISH, kit_conv_2d(b, v, depthwise));
    out[2] = kit_unary(b, BUILTIN_LOGISTIC, kit_conv_2d(b, v, grouped));
}

/* After an ADD that becomes part of the convolution before it. */
static void residual(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor a = times(b, x, 0.4f);
    const struct kit_tensor t = kit_conv_2d(b, times(b, z, 0.3f), (struct kit_conv){ .kernel = 1 });

    out[0] =
        kit_unary(b, BUILTIN_HARD_SWISH, kit_binary(b, BUILTIN_ADD, t, a.index, kTfLiteActNone));
}

static const struct transform_case any_values[] = {
    { "products", products, { 1, 5, 6, 7 }, 3, "MUL+LOGISTIC+MUL " },
    { "convolutions", convolutions, { 1, 5, 6, 8 }, 3, "DEPTHWISE_CONV_2D+HARD_SWISH " },
    { "residual", residual, { 1, 2, 3, 5 }, 1, "CONV_2D+ADD+HARD_SWISH " },
};

/* Vulkan lets a driver round a product and a sum once where the nodes one by one round both, as the
 * llvmpipe of Mesa 26 does.  Here that is 2^-22 at most: half a unit in the last place of a number
 * up to 4, of each of two. */
#define ROUNDED_TWICE 0x1p-22f

/* With numbers that are no integers, too, fp32 is as the nodes are one by one. */
TEST(same_numbers)
{
    const size_t count = sizeof any_values / sizeof any_values[0];

    transform_all_fire(any_values, count, TRANSFORM_function);
    if (!transform_device)
        skip();
    for (size_t i = 0; i < count; i++) {
        TfLiteDelegate *const d[] = { transform_delegate("fp32", "nan", NULL),
                                      transform_delegate("fp32", "nan", "function") };
        struct interpreter *run[2];
        struct model m;

        transform_model(&any_values[i], &m);
        for (int k = 0; k < 2; k++)
            run[k] = transform_run(&m, d[k]);
        transform_near(&any_values[i], "without the transform", run[0], run[1], ROUNDED_TWICE);
        for (int k = 0; k < 2; k++) {
            interpreter_close(run[k]);
            assay_gpu_delegate_destroy(d[k]);
        }
        model_close(&m);
    }
}

TEST_FILE(.before = transform_find_device);
