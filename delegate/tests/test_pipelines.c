/* Pipelines that no plan holds any more: so many are kept, and the oldest go first. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/runtime/kernel.h"

/* A convolution, whose kernel is a constant of its pipeline. */
static struct model conv(int32_t kernel)
{
    struct model m;

    kit_text(&m,
             "CONV_2D {padding=VALID stride_w=1 stride_h=1} f32[1,8,8,4] f32[12,%d,%d,4]=~3(-2..2) "
             "f32[12]=~4(-2..2) -> y",
             kernel, kernel);
    return m;
}

static struct pipelines *pipelines_of(TfLiteDelegate *d)
{
    return &((struct gpu_delegate *)d->data_)->device->pipelines;
}

/* How many pipelines it takes to open the model, and close it again. */
static uint64_t made_by(const struct model *m, TfLiteDelegate *d)
{
    const uint64_t before = pipelines_made();
    INTERPRETER(in, m, d);

    kit_invoke(in, 1);
    return pipelines_made() - before;
}

TEST(the_oldest_go_first)
{
    struct interpreter *open;
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end);
    size_t both;

    struct model a CLOSED_BY(model_close) = conv(1);
    struct model b CLOSED_BY(model_close) = conv(2);
    struct model c CLOSED_BY(model_close) = conv(3);
    d = kit_delegate(WITH("max_partitions", "0", "no_kernel", "all"));
    assert_true(made_by(&a, d) > 0);
    assert_int_equal(pipelines_of(d)->kept, PIPELINES_KEPT);
    pipelines_of(d)->kept = 0;
    assert_int_equal(made_by(&a, d), 0); /* it was kept until it was closed again */
    assert_int_equal(pipelines_unheld(pipelines_of(d)), 0);
    assert_int_equal(made_by(&a, d), 1);
    pipelines_of(d)->kept = PIPELINES_KEPT;
    made_by(&a, d);
    assert_int_equal(made_by(&b, d), 1);
    both = pipelines_unheld(pipelines_of(d));
    pipelines_of(d)->kept = both;
    assert_int_equal(made_by(&a, d), 0);
    assert_int_equal(made_by(&c, d), 1); /* in place of that of b */
    assert_int_equal(pipelines_unheld(pipelines_of(d)), both);
    assert_int_equal(made_by(&a, d), 0);
    assert_int_equal(made_by(&b, d), 1); /* in place of that of c */
    open = kit_open(&a, d);
    pipelines_of(d)->kept = 0;
    made_by(&b, d);
    assert_int_equal(pipelines_unheld(pipelines_of(d)), 0);
    assert_int_equal(made_by(&a, d), 0); /* which is open */
    interpreter_close(open);
    assert_int_equal(made_by(&a, d), 1);
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device);
