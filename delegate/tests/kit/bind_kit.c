#include "delegate/tests/kit/bind_kit.h"
#include "reference/tests/kit/text_kit.h"

void bind_make_model(struct model *m)
{
    kit_text(m, "tensors x:f32[%d,%d] y:f32[%d,%d]; RELU x -> hidden; ADD {} hidden x -> y", ROWS,
             CHANNELS, ROWS, CHANNELS);
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
