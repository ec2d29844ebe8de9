#include "delegate/vulkan/selftest.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/plan/make.h"
#include "delegate/vulkan/executor.h"
#include "delegate/vulkan/selftest_product.h"
#include "reference/base/fixed_point.h"
#include "reference/base/half.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>
#include <string.h>

enum { VALUES = 67 }; /* not a multiple of 4: the last slice has padded lanes */

/* Whether f16 storage may give this back for a value: rounded to nearest (ties to even) or toward
 * zero; denormals may be flushed to zero. */
static bool is_half_of(float stored, float value)
{
    const float nearest = half_to_float(float_to_half(value));
    float toward_zero = nearest;

    if (fabsf(nearest) > fabsf(value))
        toward_zero = copysignf(half_to_float(float_to_half(fabsf(nearest)) - 1), value);
    return stored == nearest || stored == toward_zero ||
           (fabsf(value) < 0x1p-14f && stored == 0.0f);
}

/* Ties and their neighbours, the ends of the range, denormals, and other values. */
static void fill(float values[VALUES])
{
    static const float corners[] = { 0.0f,          1.0f,         -1.0f,        65504.0f,
                                     -65504.0f,     0x1p-14f,     0x1p-24f,     -0x3p-24f,
                                     0x1.ffcp-15f,  1 + 0x1p-11f, 1 + 0x3p-11f, 1 + 0x1.02p-11f,
                                     -1 - 0x3p-11f, 0x1.ffep+10f, 2049.0f,      2051.0f,
                                     0.1f,          -1.0f / 3.0f, 3.14159265f,  65488.0f };
    const size_t n = sizeof corners / sizeof corners[0];

    memcpy(values, corners, sizeof corners);
    for (size_t i = n; i < VALUES; i++)
        values[i] = ldexpf(1.0f + (float)(i * 37 % 64) / 63.7f, (int)(i % 29) - 14) *
                    (i % 2 ? 1.0f : -1.0f);
}

/* The device rounds, not the CPU. */
static const struct gpu_options options = { .precision = PRECISION_FP16,
                                            .no_kernel = 1u << KERNEL_half_rows };

static enum status make_plan(struct plan *plan, const struct device *d, struct diag *diag)
{
    /* One tensor, copied from the input to the output. */
    static const int tensor = 0;
    struct graph_tensor t = { .name = "values",
                              .type = kTfLiteFloat32,
                              .rank = 1,
                              .dims = { VALUES },
                              .elements = VALUES,
                              .producer = -1,
                              .dequantized_from = -1 };
    const struct graph graph = { .tensors = &t, .tensor_count = 1 };
    const struct plan_request request = { .graph = &graph,
                                          .options = &options,
                                          .limits = &d->limits,
                                          .inputs = &tensor,
                                          .outputs = &tensor,
                                          .input_count = 1,
                                          .output_count = 1 };

    return plan_make(plan, &request, diag);
}

static enum status run_half(struct device *d, struct pipeline_cache *cache, struct diag *diag)
{
    struct executor e = { 0 };
    struct plan plan = { 0 };
    float values[VALUES], stored[VALUES];
    enum status s;

    fill(values);
    if ((s = make_plan(&plan, d, diag)) != STATUS_OK ||
        (s = executor_open(&e, d, &plan, &options, cache, diag)) != STATUS_OK ||
        (s = executor_record(&e, diag)) != STATUS_OK)
        goto done;
    memcpy(executor_input(&e, 0), values, sizeof values);
    if ((s = executor_run(&e, diag)) != STATUS_OK)
        goto done;
    memcpy(stored, executor_output(&e, 0), sizeof stored);
    for (int i = 0; i < VALUES && s == STATUS_OK; i++)
        if (!is_half_of(stored[i], values[i]))
            s = diag_fail(diag, STATUS_NO_DEVICE,
                          "device '%s': 16-bit storage: %a was stored, %a read back", d->info.name,
                          values[i], stored[i]);
done:
    executor_close(&e);
    plan_close(&plan);
    return s;
}

enum status selftest_half(struct device *d, struct pipeline_cache *cache, struct diag *diag)
{
    enum status s = STATUS_OK;

    lock_acquire(&d->selftest_lock);
    if (!d->half_passed)
        s = run_half(d, cache, diag);
    d->half_passed = s == STATUS_OK;
    lock_release(&d->selftest_lock);
    return s;
}

/* ---- packed dot product ---- */

enum { DEPTH = 22, OUTPUTS = 67, PIXELS = 5 };
static const struct fixed_multiplier factor = { 1 << 30, -9 }; /* 2^-10 */

/* A 1x1 convolution over bytes that include both ends of the range. */
struct dots {
    int8_t x[PIXELS][DEPTH], w[OUTPUTS][DEPTH], y[PIXELS][OUTPUTS];
};

static void fill_dots(struct dots *d)
{
    for (int p = 0; p < PIXELS; p++)
        for (int i = 0; i < DEPTH; i++)
            d->x[p][i] = (int8_t)(p == 0 ? -128 : p == 1 ? 127 : (i * 89 + p * 151) % 256 - 128);
    for (int o = 0; o < OUTPUTS; o++)
        for (int i = 0; i < DEPTH; i++)
            d->w[o][i] = (int8_t)(o == 0   ? -128
                                  : o == 1 ? (i % 8 < 4 ? 127 : -128)
                                           : (i * 53 + o * 197) % 256 - 128);
    for (int p = 0; p < PIXELS; p++)
        for (int o = 0; o < OUTPUTS; o++) {
            int32_t sum = 0;

            for (int i = 0; i < DEPTH; i++)
                sum += d->x[p][i] * d->w[o][i];
            d->y[p][o] = (int8_t)fixed_clamp(fixed_multiply(sum, factor),
                                             (struct fixed_range){ INT8_MIN, INT8_MAX });
        }
}

static enum status run_dot(struct device *d, struct pipeline_cache *cache, struct diag *diag)
{
    static const struct gpu_options plain = { .packed_dot = true,
                                              .no_kernel = 1u << KERNEL_matrix_int8 };
    struct dots dots;
    int8_t y[PIXELS][OUTPUTS];
    const struct selftest_product product = { .type = kTfLiteInt8,
                                              .pixels = PIXELS,
                                              .depth = DEPTH,
                                              .outputs = OUTPUTS,
                                              .weight_scale = 0x1p-10f,
                                              .x = dots.x,
                                              .w = dots.w,
                                              .y = y };

    fill_dots(&dots);
    TRY(selftest_run(d, &d->limits, &plain, cache, &product, diag));
    for (int p = 0; p < PIXELS; p++)
        for (int o = 0; o < OUTPUTS; o++)
            if (y[p][o] != dots.y[p][o])
                return diag_fail(diag, STATUS_NO_DEVICE,
                                 "device '%s': packed dot product: expected %d, found %d",
                                 d->info.name, dots.y[p][o], y[p][o]);
    return STATUS_OK;
}

enum status selftest_dot(struct device *d, struct pipeline_cache *cache, struct diag *diag)
{
    enum status s = STATUS_OK;

    lock_acquire(&d->selftest_lock);
    if (!d->dot_tested && atomic_load(&d->pipelines.packed_dot)) {
        s = run_dot(d, cache, diag);
        d->dot_tested = s == STATUS_OK || s == STATUS_NO_DEVICE;
        atomic_store(&d->pipelines.packed_dot, s != STATUS_NO_DEVICE);
    }
    lock_release(&d->selftest_lock);
    return s;
}
