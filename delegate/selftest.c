#include "delegate/selftest.h"

#include "delegate/executor.h"
#include "reference/half.h"

#include <math.h>
#include <string.h>

enum { VALUES = 67 }; /* not a multiple of 4: the last slice has padded lanes */

bool selftest_half_allowed(float stored, float value)
{
    const float nearest = half_to_float(float_to_half(value));
    float toward_zero = nearest;

    if (fabsf(nearest) > fabsf(value))
        toward_zero = copysignf(half_to_float(float_to_half(fabsf(nearest)) - 1), value);
    return stored == nearest || stored == toward_zero ||
           (fabsf(value) < 0x1p-14f && stored == 0.0f);
}

/* Ties, both sides of them, the ends of the range, denormals, and a spread of others. */
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

static const struct gpu_options options = { .precision = PRECISION_FP16 };

static enum status make_plan(struct plan *plan, const struct device *d, struct diag *diag)
{
    /* One tensor, straight from the input to the output. */
    static const int tensor = 0;
    struct graph_tensor t = { .name = "values",
                              .type = kTfLiteFloat32,
                              .rank = 1,
                              .dims = { VALUES },
                              .elements = VALUES,
                              .producer = -1,
                              .source = -1 };
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

enum status selftest_half(struct device *d, struct pipeline_cache *cache, struct diag *diag)
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
        if (!selftest_half_allowed(stored[i], values[i]))
            s = diag_fail(diag, STATUS_NO_DEVICE,
                          "device '%s': 16-bit storage is wrong: %a comes back as %a", d->info.name,
                          values[i], stored[i]);
done:
    executor_close(&e);
    plan_close(&plan);
    return s;
}
