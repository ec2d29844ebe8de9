/* FULLY_CONNECTED of few rows runs as a 1x1 convolution. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* Rows of `depth` of x with `units` columns. */
static struct kit_tensor fully_connected(struct builder *b, struct kit_tensor x, int32_t depth,
                                         int32_t units, int weights, bool bias)
{
    const int32_t rows = x.dims[0] * x.dims[1] * x.dims[2] * x.dims[3] / depth;
    const struct kit_tensor y = kit_tensor(b, "y", KIT_DIMS(rows, units));
    struct options o;

    if (weights < 0)
        weights = kit_integers(b, KIT_DIMS(units, depth), 5);
    options_init(&o, OPTIONS_FullyConnectedOptions);
    options_set_int(&o, "fused_activation_function", kTfLiteActRelu6);
    builder_op(b, BUILTIN_FULLY_CONNECTED, 1, &o, 3,
               (int[]){ x.index, weights, bias ? kit_integers(b, KIT_DIMS(units), 6) : -1 }, 1,
               &y.index);
    return y;
}

#define UNITS(name, depth, units, bias)                                                            \
    static void name(struct builder *b, struct kit_tensor x, struct kit_tensor z,                  \
                     struct kit_tensor out[3])                                                     \
    {                                                                                              \
        (void)z;                                                                                   \
        out[0] = fully_connected(b, x, (depth), (units), -1, (bias));                              \
    }
UNITS(large, 256, 256, true)
UNITS(one_short, 256, 255, true)
UNITS(repacked, 252, 131, false)
UNITS(rows_of_128, 128, 171, true)

/* Weights that are computed at run time. */
static void computed_weights(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                             struct kit_tensor out[3])
{
    const struct kit_tensor w = kit_reshape(b, kit_unary(b, BUILTIN_RELU, z), KIT_DIMS(3, 8192));

    out[0] = fully_connected(b, x, 8192, 3, w.index, true);
}

static const struct transform_case cases[] = {
    { "large", large, { 1, 1, 1, 256 }, 1, "FULLY_CONNECTED node 0 'y'" },
    { "one unit short", one_short, { 1, 1, 1, 256 }, 0, "FULLY_CONNECTED " },
    { "repacked, no bias", repacked, { 1, 2, 9, 28 }, 1, "FULLY_CONNECTED " },
    { "computed weights", computed_weights, { 1, 1, 3, 8192 }, 1, "FULLY_CONNECTED " },
    { "three rows", rows_of_128, { 3, 1, 1, 128 }, 1, "FULLY_CONNECTED " },
    { "four rows", rows_of_128, { 1, 4, 1, 128 }, 0, "FULLY_CONNECTED " },
};
TRANSFORM_TESTS(TRANSFORM_product, cases)

TEST_FILE(.before = transform_find_device);
