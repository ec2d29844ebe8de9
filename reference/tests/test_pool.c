/* AVERAGE_POOL_2D and MAX_POOL_2D of floats: results by hand, and against a naive loop. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

#include <float.h>

static TfLitePoolParams *pool_params(struct op_test *t)
{
    return (TfLitePoolParams *)(void *)t->params.bytes;
}

TEST(max_pool_by_hand)
{
    struct op_test t;

    op_begin(&t, BUILTIN_MAX_POOL_2D, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 2, 3, 1), FLOATS(-1, -2, -3, -4, -5, -0.5f));
    *pool_params(&t) = (TfLitePoolParams){ .padding = kTfLitePaddingSame,
                                           .stride_width = 1,
                                           .stride_height = 1,
                                           .filter_width = 2,
                                           .filter_height = 2 };
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 2, 3, 1));
    /* Cells outside are no zeros. */
    op_gives(&t, 6, FLOATS(-1, -0.5f, -0.5f, -4, -0.5f, -0.5f));
    op_detail_is(&t, 0, -1, 1, 1);
    pool_params(&t)->padding = kTfLitePaddingValid;
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 2, 1));
    op_gives(&t, 2, FLOATS(-1, -0.5f));
    pool_params(&t)->activation = kTfLiteActRelu;
    op_run(&t);
    op_gives(&t, 2, FLOATS(0, 0));
    pool_params(&t)->filter_width = 4;
    op_refused(&t, STATUS_INVALID, "filter width 4", "input width 3", NULL);
    pool_params(&t)->filter_width = 0;
    op_refused(&t, STATUS_INVALID, "filter width is 0", NULL);
    op_end(&t);
}

TEST(max_pool_passes_over_nan)
{
    struct op_test t;

    op_begin(&t, BUILTIN_MAX_POOL_2D, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 1, 4, 1), FLOATS(NAN, -7, 3, NAN));
    *pool_params(&t) = (TfLitePoolParams){ .padding = kTfLitePaddingValid,
                                           .stride_width = 2,
                                           .stride_height = 1,
                                           .filter_width = 2,
                                           .filter_height = 1 };
    op_run(&t);
    op_gives(&t, 2, FLOATS(-7, 3));
    op_end(&t);
}

TEST(pools_clamp_infinities)
{
    static const int32_t codes[] = { BUILTIN_AVERAGE_POOL_2D, BUILTIN_MAX_POOL_2D };
    struct op_test t;

    for (int i = 0; i < 2; i++) {
        op_begin(&t, codes[i], kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, 4, DIMS(1, 1, 3, 1), FLOATS(INFINITY, -INFINITY, NAN));
        *pool_params(&t) = (TfLitePoolParams){ .padding = kTfLitePaddingValid,
                                               .stride_width = 1,
                                               .stride_height = 1,
                                               .filter_width = 1,
                                               .filter_height = 1 };
        op_run(&t);
        assert_true(t.out[0]->data.f[0] == FLT_MAX && t.out[0]->data.f[1] == -FLT_MAX);
        /* No element is larger than NaN, and the maximum begins with the lowest number. */
        assert_true(i ? t.out[0]->data.f[2] == -FLT_MAX : isnan(t.out[0]->data.f[2]));
        op_end(&t);
    }
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
        struct op_test t;

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
        op_end(&t);
    }
}

static void set_pool(struct op_test *t, TfLitePadding padding, int filter_h, int filter_w,
                     int stride_h, int stride_w, TfLiteFusedActivation act)
{
    *(TfLitePoolParams *)(void *)t->params.bytes = (TfLitePoolParams){
        .padding = padding,
        .filter_height = filter_h,
        .filter_width = filter_w,
        .stride_height = stride_h,
        .stride_width = stride_w,
        .activation = act,
    };
}

TEST(average_pool_counts_cells_inside)
{
    struct op_test t;

    op_begin(&t, BUILTIN_AVERAGE_POOL_2D, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 3, 3, 1), FLOATS(1, -2, 3, 4, 5, 6, 7, 8, 9));
    set_pool(&t, kTfLitePaddingSame, 2, 2, 2, 2, kTfLiteActNone);
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 2, 2, 1));
    op_gives(&t, 4, FLOATS(2, 4.5f, 7.5f, 9));
    op_detail_is(&t, 0, 2, 3, 4);
    op_detail_is(&t, 1, 4.5, 4.5, 2);
    op_detail_is(&t, 3, 9, 9, 1);
    set_pool(&t, kTfLitePaddingValid, 3, 1, 1, 2, kTfLiteActRelu6);
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 2, 1));
    op_gives(&t, 2, FLOATS(4, 6));
    set_pool(&t, kTfLitePaddingSame, 65536, 65536, 1, 1, kTfLiteActNone);
    op_run(&t); /* every window holds the whole image */
    op_detail_is(&t, 4, 41.0 / 9, 5, 9);
    op_end(&t);

    op_begin(&t, BUILTIN_AVERAGE_POOL_2D, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(2, 1, 2, 2), FLOATS(1, 2, 3, 4, 5, 6, 7, 8));
    set_pool(&t, kTfLitePaddingSame, 1, 2, 1, 1, kTfLiteActNone);
    op_run(&t);
    op_gives(&t, 8, FLOATS(2, 3, 3, 4, 6, 7, 7, 8));
    op_end(&t);
}

TEST(average_pool_refuses)
{
    struct op_test t;

    op_begin(&t, BUILTIN_AVERAGE_POOL_2D, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 3, 3, 1), NULL);
    set_pool(&t, kTfLitePaddingSame, 0, 2, 1, 1, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "filter height is 0", NULL);
    set_pool(&t, kTfLitePaddingSame, 2, -1, 1, 1, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "filter width is -1", NULL);
    set_pool(&t, kTfLitePaddingSame, 2, 2, 1, 0, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "stride width is 0", NULL);
    set_pool(&t, kTfLitePaddingValid, 2, 4, 1, 1, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "filter width 4", "input width 3", NULL);
    set_pool(&t, kTfLitePaddingUnknown, 2, 2, 1, 1, kTfLiteActNone);
    op_refused(&t, STATUS_INVALID, "padding", NULL);
    set_pool(&t, kTfLitePaddingSame, 2, 2, 1, 1, (TfLiteFusedActivation)-1);
    op_refused(&t, STATUS_INVALID, "fused_activation_function -1", NULL);
    op_set_dims(t.in[0], 3, DIMS(3, 3, 1));
    op_refused(&t, STATUS_INVALID, "input 0 (input)", "rank 3", NULL);
    t.in[0]->type = kTfLiteInt32;
    op_set_dims(t.in[0], 4, DIMS(1, 3, 3, 1));
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "i32", NULL);
    op_end(&t);
}

/* Width before height in the file; SAME and VALID have other codes there. */
TEST(pools_read_their_options)
{
    TfLitePoolParams pool = { 0 };
    struct options o;

    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "filter_width", 7);
    options_set_int(&o, "filter_height", 8);
    options_set_int(&o, "stride_h", 9);
    ref_find(BUILTIN_AVERAGE_POOL_2D)->read_params(&o, &pool);
    assert_int_equal(pool.filter_width, 7);
    assert_int_equal(pool.filter_height, 8);
    assert_int_equal(pool.stride_height, 9);
}
