/* conv_2d.comp in the tiles of software devices, 8 pixels by 2 slices: sizes whose last tile lacks
 * pixels, slices or a whole column, and the choice of tiles.  Models hold small integers, so that
 * every sum is exact and results have the bits of the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/conv_2d.args.h"
#include "delegate/ops/product/conv_tile.args.h"
#include "delegate/runtime/delegate.h"

#include <string.h>

/* A workgroup has 16 slices: column 0 is slices 0 to 7, column 1 slices 8 to 15. */
/* clang-format off */
static const struct row {
    struct transform_case c;
    uint32_t columns;
} rows[] = {
    { { "column 1 ends early, one pixel", { 1, 9, 9, 5 }, 0, NULL,
        "CONV_2D {padding=VALID stride_w=1 stride_h=1} x f32[101,1,1,5]=~3(-2..2) "
        "f32[101]=~4(-2..2) -> y" }, 2 },
    { { "no column 1 in the last workgroup", { 2, 7, 9, 6 }, 0, NULL,
        "CONV_2D {stride_w=1 stride_h=1 fused_activation_function=RELU} x "
        "f32[69,3,3,6]=~3(-2..2) f32[69]=~4(-2..2) -> y" }, 2 },
    { { "twelve runs of eight pixels and one of three", { 1, 17, 21, 7 }, 0, NULL,
        "CONV_2D {stride_w=2 stride_h=2} x f32[101,3,3,7]=~3(-2..2) f32[101]=~4(-2..2) -> y" }, 2 },
    { { "residual", { 1, 11, 13, 67 }, 0, NULL,
        "RELU z -> u; CONV_2D {stride_w=1 stride_h=1} x f32[67,1,1,67]=~3(-2..2) "
        "f32[67]=~4(-2..2) -> c; ADD {fused_activation_function=RELU6} c u -> y" }, 2 },
    { { "two slices", { 1, 31, 37, 5 }, 0, NULL,
        "CONV_2D {stride_w=1 stride_h=1} x f32[7,3,3,5]=~3(-2..2) f32[7]=~4(-2..2) -> y" }, 1 },
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

static uint32_t spec_of(const struct plan_step *s, uint32_t id)
{
    assert_true(id < s->spec_count);
    return s->spec[id];
}

TEST(same_results)
{
    static const char *const precisions[] = { "fp32", "fp16" };

    if (!transform_device)
        skip();
    for (int i = 0; i < ROWS; i++) {
        MODEL_BY(m, transform_model(&rows[i].c, &m));
        INTERPRETER_BY(truth, transform_run(&m, NULL));
        for (int half = 0; half < 2; half++) {
            DELEGATE_BY(d, transform_delegate(precisions[half], half ? "inf" : "nan", NULL));

            ((struct gpu_delegate *)d->data_)->options.no_kernel |= 1u << KERNEL_thawed;
            INTERPRETER_BY(got, transform_run(&m, d));
            transform_equal(&rows[i].c, precisions[half], truth, got);
        }
    }
}

static struct plan_step step_of(const struct row *r, enum device_class device_class)
{
    const struct transform_look look = { .device_class = device_class, .no_kernel = "thawed" };

    return transform_planned(&r->c, look).step;
}

/* Every row has the tile that it is for.  Other devices, and results of few slices, have one
 * column of four pixels. */
TEST(plans)
{
    const struct row few = { { "few",
                               { 1, 9, 9, 5 },
                               0,
                               NULL,
                               "CONV_2D {padding=VALID stride_w=1 stride_h=1} x "
                               "f32[97,1,1,5]=~3(-2..2) f32[97]=~4(-2..2) -> y" },
                             1 };
    struct plan_step s;

    for (int i = 0; i < ROWS; i++) {
        s = step_of(&rows[i], DEVICE_SOFTWARE);
        assert_int_equal(spec_of(&s, CONV_2D_SPEC_COLUMNS), rows[i].columns);
        assert_int_equal(spec_of(&s, CONV_TILE_SPEC_ROWS), 8);
        s = step_of(&rows[i], DEVICE_OTHER);
        assert_int_equal(spec_of(&s, CONV_2D_SPEC_COLUMNS), 1);
        assert_int_equal(spec_of(&s, CONV_TILE_SPEC_ROWS), 4);
    }
    s = step_of(&few, DEVICE_SOFTWARE);
    assert_int_equal(spec_of(&s, CONV_2D_SPEC_COLUMNS), 1);
    assert_int_equal(spec_of(&s, CONV_TILE_SPEC_ROWS), 4);
}

TEST_FILE(.before = transform_find_device);
