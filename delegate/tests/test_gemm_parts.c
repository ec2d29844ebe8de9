/* Parts of the depth of a product (gemm.comp): the last workgroup of a tile adds them up where
 * weights and biases are constants that one buffer holds, else gemm_sum.comp does. */
#include "conformance/tests/kit/nets.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/gemm.args.h"
#include "delegate/ops/product/gemm.h"
#include "delegate/runtime/kernel.h"

struct look {
    uint32_t range; /* of a storage buffer; 0: as on a large device */
    struct plan_step product;
    int sums; /* steps of gemm_sum.comp */
};

static void look_at_plan(struct graph *g, void *user)
{
    struct look *look = user;
    const char *pairs[] = { "precision", "fp32", NULL };
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    struct device_limits limits = gpu_large_limits();

    limits.device_class = DEVICE_NVIDIA;
    if (look->range)
        limits.max_storage_buffer_range = look->range;
    o.gemm_tile = (int)gemm_tile_count + 1;
    struct plan p CLOSED_BY(plan_close);
    gpu_plan_graph(&p, g, &o, &limits, &err);
    for (int i = 0; i < p.step_count; i++) {
        if (strcmp(p.steps[i]->shader, "gemm") == 0)
            look->product = *p.steps[i];
        look->sums += strcmp(p.steps[i]->shader, "gemm_sum") == 0;
    }
}

static struct look look_at(const struct transform_case *c, uint32_t range)
{
    struct look look = { .range = range };
    struct model m CLOSED_BY(model_close);

    transform_model(c, &m);
    gpu_look(&m, look_at_plan, &look);
    assert_non_null(look.product.shader);
    return look;
}

static bool has_flag(const struct look *look, uint32_t flag)
{
    return (look->product.spec[GEMM_SPEC_FLAGS] & flag) != 0;
}

/* clang-format off */
static const struct transform_case constant = {
    "deep", { 1, 3, 5, 256 }, 0, NULL,
    "CONV_2D {stride_w=1 stride_h=1} x f32[37,2,2,256]=~3(-2..2) f32[37]=~4(-2..2) -> y"
};
/* The bias is made of an input. */
static const struct transform_case not_constant = {
    "computed", { 1, 2, 2, 164 }, 0, NULL,
    "RESHAPE {} z i32[1]=656 -> b; "
    "CONV_2D {stride_w=1 stride_h=1} x f32[656,1,1,164]=~3(-2..2) b -> y"
};
/* clang-format on */

TEST(joined)
{
    const struct look look = look_at(&constant, 0);
    const struct plan_binding *all = &look.product.bindings[2], *parts = &look.product.bindings[3];

    assert_true(has_flag(&look, GEMM_JOINED) && !has_flag(&look, GEMM_PART));
    assert_int_equal(look.sums, 0);
    assert_int_equal(all->location, LOCATION_CONSTANTS);
    assert_true(parts->location == LOCATION_ARENA && parts->writes);
    /* Three parts of 15 pixels by 37 channels. */
    assert_int_equal(parts->bytes, 3 * 15 * 40 * 4);
}

static void summed(const struct look *look)
{
    assert_true(has_flag(look, GEMM_PART) && !has_flag(look, GEMM_JOINED));
    assert_int_equal(look->sums, 1);
}

TEST(apart)
{
    const struct look all = look_at(&constant, 0);
    const uint32_t bytes = (uint32_t)all.product.bindings[2].bytes;
    const struct look just = look_at(&constant, bytes), large = look_at(&constant, bytes - 1);
    const struct look look = look_at(&not_constant, 0);

    assert_true(has_flag(&just, GEMM_JOINED));
    summed(&large);
    summed(&look);
}

/* By gemm_sum.comp; test_gemm runs those that are joined. */
TEST(sums_on_the_device)
{
    if (!transform_device)
        skip();
    DELEGATE_BY(d, transform_delegate("fp32", "nan", NULL));
    ((struct gpu_delegate *)d->data_)->options.gemm_tile = 2 * (int)gemm_tile_count;
    transform_agree(&not_constant, "parts", d, "gemm_sum", 0);
}

TEST_FILE(.before = transform_find_device);
