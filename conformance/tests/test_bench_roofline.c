/* The limits of steps, with figures made up so that each can be computed by hand. */
#include "reference/tests/kit/test.h"

#include "conformance/tools/bench/bench_roofline.h"

#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20 };

/* Caches hold 8 MiB: 4 TB/s, 8 TB/s where they are busier, then 2 TB/s; 2 us of floor. */
#define PEAKS                                                                                      \
    {                                                                                              \
        .floor_us = 2, .memory_bytes = { 2 * MIB, 8 * MIB, 32 * MIB },                             \
        .memory_bytes_per_us = { 4 * MIB, 8 * MIB, 2 * MIB },                                      \
        .host_read_bytes_per_us = 0.25 * MIB, .host_write_bytes_per_us = 0.125 * MIB,              \
        .f32_ops_per_us = 1e6, .f16_ops_per_us = 4e6, .i8_ops_per_us = 8e6,                        \
    }
static const struct assay_gpu_peaks peaks = PEAKS;

static char conv[] = "CONV_2D node 1 'x'", relu[] = "RELU node 2 'y'", load[] = "load",
            store[] = "store", source[] = "delegate/ops/product/conv_2d.c:1";

/* clang-format off */
static struct bench_step steps[] = {
    { .label = load, .source = source, .shader = "load", .node = -1, .mean_us = 16,
      .host_read_bytes = 1 * MIB, .device_bytes = 1 * MIB },
    { .label = conv, .source = source, .shader = "conv_2d", .node = 1, .mean_us = 100,
      .device_bytes = 2 * MIB, .operations = 40e6 },
    { .label = relu, .source = source, .shader = "unary", .node = 2, .mean_us = 20,
      .device_bytes = 20 * MIB },
    { .label = relu, .source = source, .shader = "unary", .node = 2, .mean_us = 4,
      .device_bytes = 4096 },
    { .label = store, .source = source, .shader = "store", .node = -1, .mean_us = 10,
      .host_written_bytes = 1 * MIB, .device_bytes = 1 * MIB },
};
/* clang-format on */

static const struct bench_result result = {
    .steps = steps,
    .step_count = sizeof steps / sizeof steps[0],
    .has_peaks = true,
    .peaks = PEAKS,
};

static bool is(double x, double expected)
{
    return x > expected * (1 - 1e-12) && x < expected * (1 + 1e-12);
}

TEST(memory_rates)
{
    struct assay_gpu_peaks none = peaks;

    /* 8 TB/s were reached with 8 MiB, so fewer bytes can reach them, too. */
    assert_true(is(roofline_memory_rate(&peaks, 1), 8 * MIB));
    assert_true(is(roofline_memory_rate(&peaks, 8 * MIB), 8 * MIB));
    assert_true(is(roofline_memory_rate(&peaks, 8 * MIB + 1), 2 * MIB));
    assert_true(
        is(roofline_memory_rate(&peaks, 1e12), 2 * MIB)); /* the largest that was measured */
    memset(none.memory_bytes_per_us, 0, sizeof none.memory_bytes_per_us);
    assert_true(roofline_memory_rate(&none, 1) == 0);
}

TEST(limits)
{
    const struct {
        enum roofline_bound bound;
        double us;
    } expected[] = { { BOUND_HOST, 4 },
                     { BOUND_COMPUTE, 40 },
                     { BOUND_MEMORY, 10 },
                     { BOUND_FLOOR, 2 },
                     { BOUND_HOST, 8 } };
    struct bench_step s = steps[1];
    struct assay_gpu_peaks unknown = { .floor_us = 0 };

    for (size_t i = 0; i < result.step_count; i++) {
        const struct roofline_limit l = roofline_limit_of(&peaks, &steps[i]);

        assert_int_equal(l.bound, expected[i].bound);
        assert_true(is(l.least_us, expected[i].us));
    }
    s.arithmetic = ASSAY_GPU_F16;
    assert_true(is(roofline_limit_of(&peaks, &s).least_us, 10));
    s.arithmetic = ASSAY_GPU_I8;
    assert_true(is(roofline_limit_of(&peaks, &s).least_us, 5));
    s.idle = true;
    assert_true(roofline_limit_of(&peaks, &s).least_us == 0);
    s.idle = false;
    /* Rates that are not known bound nothing. */
    assert_true(roofline_limit_of(&unknown, &s).least_us == 0);
    assert_int_equal(roofline_limit_of(&unknown, &s).bound, BOUND_FLOOR);
}

static const char golden[] =
    "\nroofline    measured: floor 2.00 us; copies 4.19e+03 GB/s (2 MiB), 8.39e+03 GB/s (8 MiB), "
    "2.1e+03 GB/s (32 MiB);\n"
    "            host reads 262 GB/s, writes 131; sums of f32 1e+03, f16 4e+03, i8 8e+03 Gops/s\n"
    "       us  limit us  share  bound       MiB      Mops  shader               step\n"
    "     16.0      4.00    25%  host       2.00      0.00  load                 load\n"
    "    100.0     40.00    40%  compute    2.00     40.00  conv_2d              CONV_2D node 1 "
    "'x'\n"
    "     20.0     10.00    50%  memory    20.00      0.00  unary                RELU node 2 'y'\n"
    "      4.0      2.00    50%  floor      0.00      0.00  unary                RELU node 2 'y'\n"
    "     10.0      8.00    80%  host       2.00      0.00  store                store\n"
    "    150.0     64.00    43%  total; of it bound by: floor 4.0, memory 20.0, host 26.0, "
    "compute 100.0\n";

TEST(text)
{
    const struct bench_result without = { .steps = steps, .step_count = 5 };

    PRINTED(printed, f, roofline_print_text(f, &result));
    PRINTED(nothing, f, roofline_print_text(f, &without));
    assert_string_equal(printed, golden);
    assert_string_equal(nothing, "");
}

TEST(json)
{
    const struct bench_result without = { .steps = steps, .step_count = 5 };
    json_t *const o = roofline_json(&result), *const none = roofline_json(&without);
    const json_t *const step = json_array_get(json_object_get(o, "steps"), 1);
    const json_t *const total = json_object_get(o, "total");
    const json_t *const memory = json_object_get(json_object_get(o, "peaks"), "memory");

    assert_true(json_is_null(none));
    assert_int_equal(json_array_size(json_object_get(o, "steps")), 5);
    assert_int_equal(json_array_size(memory), 3);
    assert_string_equal(json_string_value(json_object_get(step, "bound")), "compute");
    assert_true(is(json_real_value(json_object_get(step, "limit_us")), 40));
    assert_true(is(json_real_value(json_object_get(step, "share")), 0.4));
    assert_true(is(json_real_value(json_object_get(step, "operations")), 40e6));
    assert_true(is(json_real_value(json_object_get(total, "limit_us")), 64));
    assert_true(is(json_real_value(json_object_get(total, "share")), 64.0 / 150));
    json_decref(o);
    json_decref(none);
}
