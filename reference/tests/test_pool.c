/* MAX_POOL_2D of floats against a naive loop. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

static TfLitePoolParams *pool_params(struct op_test *t)
{
    return (TfLitePoolParams *)(void *)t->params.bytes;
}

/* Random windows over random images with batch and channels, against a loop over all cells that
 * asks of each whether it is in the window. */
TEST(max_pool_equals_a_naive_one)
{
    uint64_t seed = 5;

    for (int round = 0; round < 60; round++) {
        const int h = 1 + round % 7, w = 1 + round % 5, fh = 1 + round % 3, fw = 1 + round % 4;
        const int sh = 1 + round / 3 % 3, sw = 1 + round / 2 % 2;
        float x[2 * 7 * 5 * 3];
        struct op_test t CLOSED_BY(op_end);

        for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
            x[i] = op_random(&seed);
        op_begin(&t, BUILTIN_MAX_POOL_2D, kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, 4, DIMS(2, h, w, 3), x);
        *pool_params(&t) = (TfLitePoolParams){ .padding = kTfLitePaddingSame,
                                               .stride_width = sw,
                                               .stride_height = sh,
                                               .filter_width = fw,
                                               .filter_height = fh };
        op_run(&t);
        for (int n = 0, at = 0; n < 2; n++)
            for (int oy = 0; oy < (h + sh - 1) / sh; oy++)
                for (int ox = 0; ox < (w + sw - 1) / sw; ox++)
                    for (int c = 0; c < 3; c++, at++) {
                        const int need_h = ((h + sh - 1) / sh - 1) * sh + fh - h;
                        const int need_w = ((w + sw - 1) / sw - 1) * sw + fw - w;
                        const int top = oy * sh - (need_h > 0 ? need_h / 2 : 0);
                        const int left = ox * sw - (need_w > 0 ? need_w / 2 : 0);
                        float most = -9;

                        for (int y = 0; y < h; y++)
                            for (int z = 0; z < w; z++)
                                if (y >= top && y < top + fh && z >= left && z < left + fw)
                                    most = fmaxf(most, x[((n * h + y) * w + z) * 3 + c]);
                        assert_true(t.out[0]->data.f[at] == most);
                    }
    }
}
