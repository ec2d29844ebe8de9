#include "delegate/tests/kit/bind_kit.h"

void bind_make_model(struct model *m)
{
    const int32_t dims[] = { ROWS, CHANNELS };
    struct diag diag = { 0 };
    struct options o;
    struct builder b;
    int x, y, h;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, dims);
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, dims);
    h = builder_tensor(&b, TENSOR_FLOAT32, "hidden", 2, dims);
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &x, 1, &h);
    options_init(&o, OPTIONS_AddOptions);
    builder_op(&b, BUILTIN_ADD, 1, &o, 2, (int[]){ h, x }, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);
    KIT_OK(builder_finish(&b, m, &diag));
}

void bind_fill(float out[ROWS * CHANNELS], int seed)
{
    for (int i = 0; i < ROWS * CHANNELS; i++)
        out[i] = (float)((i * 7 + seed) % 23) - 11;
}

void bind_expect(const float *y, int seed)
{
    float x[ROWS * CHANNELS];

    bind_fill(x, seed);
    for (int i = 0; i < ROWS * CHANNELS; i++)
        if (y[i] != fmaxf(x[i], 0) + x[i])
            fail_msg("element %d is %g for %g", i, (double)y[i], (double)x[i]);
}

void bind_expect_refused(TfLiteDelegate *d, const struct assay_gpu_buffer *given, const char *one,
                         const char *two)
{
    struct assay_gpu_buffer b = *given;
    char error[512];

    assert_int_equal(kit_bind(d, &b, error), -1);
    if (!strstr(error, one) || !strstr(error, two))
        fail_msg("no \"%s\" and \"%s\" in \"%s\"", one, two, error);
}
