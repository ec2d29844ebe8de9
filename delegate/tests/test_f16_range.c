/* With precision=fp16, weights that f16 cannot hold are refused, wherever in a large constant they
 * are: it is looked at by blocks. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/accept/refusal.h"

#include <math.h>

enum { COUNT = 3 * 1024 + 77 };
static float values[COUNT];

/* The element that is refused; -1: none. */
static int refused(enum gpu_precision precision)
{
    static const int inputs[] = { 0 };
    struct graph_tensor t = { .name = "w",
                              .type = kTfLiteFloat32,
                              .rank = 1,
                              .dims = { COUNT },
                              .elements = COUNT,
                              .data = values,
                              .producer = -1,
                              .dequantized_from = -1 };
    const struct graph graph = { .tensors = &t, .tensor_count = 1 };
    const struct graph_node node = { .name = "CONV_2D", .inputs = inputs, .input_count = 1 };
    const struct gpu_options options = { .precision = precision };
    const struct device_limits limits = gpu_large_limits();
    struct refusal why = { 0 };
    struct check c = {
        .graph = &graph, .node = &node, .options = &options, .limits = &limits, .refusal = &why
    };
    const char *at;

    if (check_storable(&c, 0, COUNT))
        return -1;
    assert_int_equal(why.id, RULE_CONSTANT_F16_RANGE);
    assert_non_null(at = strstr(why.value, "at element "));
    return atoi(at + strlen("at element "));
}

TEST(anywhere)
{
    static const float good[] = { 65504, -65504, 0x1p-149f, -0.0f };
    static const float bad[] = { 65504.004f, -65505, 65520, 1e38f, INFINITY, -INFINITY, NAN };
    static const int at[] = { 0, 1, 1023, 1024, 2048, 3071, 3072, COUNT - 1 };

    for (size_t p = 0; p < sizeof at / sizeof at[0]; p++) {
        for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
            values[at[p]] = good[i];
            assert_int_equal(refused(PRECISION_FP16), -1);
        }
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            values[at[p]] = bad[i];
            assert_int_equal(refused(PRECISION_FP16), at[p]);
            assert_int_equal(refused(PRECISION_FP32), -1);
        }
        values[COUNT - 1] = NAN; /* the first one is told */
        assert_int_equal(refused(PRECISION_FP16), at[p]);
        values[at[p]] = 1;
        values[COUNT - 1] = 1;
    }
}
