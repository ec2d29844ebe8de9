/* A large FULLY_CONNECTED runs as a 1x1 convolution. */
#include "conformance/unit/transform_kit.h"

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

static void large(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3])
{
    (void)z;
    out[0] = fully_connected(b, x, 64, 64, -1, true);
}

static void one_short(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    (void)z;
    out[0] = fully_connected(b, x, 64, 63, -1, true);
}

/* Rows that are not those of x: a copy before; no bias; padded lanes on both sides. */
static void repacked(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    (void)z;
    out[0] = fully_connected(b, x, 42, 67, -1, false);
}

/* Weights that are computed; the batch is the units. */
static void computed_weights(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                             struct kit_tensor out[3])
{
    const struct kit_tensor w = kit_reshape(b, kit_unary(b, BUILTIN_RELU, z), KIT_DIMS(64, 32));

    out[0] = fully_connected(b, x, 32, 64, w.index, true);
}

static void few_rows(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    (void)z;
    out[0] = fully_connected(b, x, 128, 31, -1, true);
}

static const struct transform_case cases[] = {
    { "large", large, { 1, 4, 4, 64 }, 1, "FULLY_CONNECTED node 0 'y'" },
    { "one unit short", one_short, { 1, 4, 4, 64 }, 0, "FULLY_CONNECTED " },
    { "repacked, no bias", repacked, { 1, 16, 6, 14 }, 1, "FULLY_CONNECTED " },
    { "computed weights", computed_weights, { 2, 4, 4, 64 }, 1, "FULLY_CONNECTED " },
    { "few rows", few_rows, { 2, 1, 17, 64 }, 1, "FULLY_CONNECTED " },
};
TRANSFORM_TESTS(TRANSFORM_product, cases)

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fires), cmocka_unit_test(same_results) };

    transform_find_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
