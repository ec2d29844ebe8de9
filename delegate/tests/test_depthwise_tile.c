/* depthwise_tile.comp, each of its shapes on any device: small integers, so that every sum is exact
 * and results have the bits of the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/depthwise_tile.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/kernel.h"

#include <string.h>

static struct kit_conv convolution;

static void build(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_conv_2d(b, x, convolution);
}

/* Odd sizes: the last rows, columns, slices and lanes of a tile have no pixel or no channel. */
static const struct {
    const char *name;
    int32_t dims[4];
    struct kit_conv conv;
} rows[] = {
    { "3x3", { 1, 7, 9, 8 }, { .kernel = 3, .same = true } },
    { "a batch, a lane", { 3, 5, 6, 5 }, { .kernel = 3, .same = true } },
    { "valid, clamped", { 2, 6, 7, 3 }, { .kernel = 3, .activation = kTfLiteActRelu6 } },
    { "stride 2", { 2, 11, 10, 9 }, { .kernel = 3, .stride = 2, .same = true } },
    { "stride 2, valid", { 1, 12, 9, 4 }, { .kernel = 3, .stride = 2 } },
    { "stride beyond the window", { 1, 13, 11, 6 }, { .kernel = 2, .stride = 4 } },
    { "dilated", { 1, 9, 9, 7 }, { .kernel = 3, .dilation = 2, .same = true } },
    { "5x5", { 1, 8, 7, 12 }, { .kernel = 5, .same = true } },
    { "5x5, stride 3", { 2, 9, 13, 2 }, { .kernel = 5, .stride = 3, .same = true } },
    { "7x7", { 1, 9, 8, 1 }, { .kernel = 7, .same = true } },
    { "1x1", { 1, 3, 5, 10 }, { .kernel = 1 } },
    { "4x4, one pixel", { 1, 4, 4, 4 }, { .kernel = 4 } },
    { "slices in two workgroups", { 1, 3, 3, 272 }, { .kernel = 3, .same = true } },
    { "slices of no common size", { 1, 2, 3, 4 * 67 + 1 }, { .kernel = 3, .same = true } },
};

/* So many rows run with every shape, the rest with two. */
enum { ALL_SHAPES = 4 };

static void use_shape(TfLiteDelegate *d, int shape)
{
    struct gpu_delegate *inside = d->data_;

    inside->options.depthwise_tile = shape;
}

static void assert_used(const TfLiteDelegate *d, const char *name)
{
    const struct gpu_delegate *inside = d->data_;
    int used = 0;

    for (const struct kernel *k = inside->kernels; k; k = k->next)
        for (int i = 0; i < k->plan.step_count; i++)
            used += strcmp(k->plan.steps[i]->shader, "depthwise_tile") == 0;
    if (used != 1)
        fail_msg("%s: expected 1 step of depthwise_tile, found %d", name, used);
}

TEST(same_results)
{
    static const char *const precisions[] = { "fp32", "fp16" };

    if (!transform_device)
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct transform_case c = { .name = rows[i].name, .build = build };
        struct interpreter *truth;
        struct model m;

        convolution = rows[i].conv;
        convolution.depthwise = true;
        memcpy(c.dims, rows[i].dims, sizeof c.dims);
        transform_model(&c, &m);
        truth = transform_run(&m, NULL);
        for (int shape = 1; shape <= DEPTHWISE_TILES; shape++) {
            TfLiteDelegate *d;
            struct interpreter *got;
            char what[32];

            if (i >= ALL_SHAPES && (shape + (int)i) % DEPTHWISE_TILES > 1)
                continue;
            d = transform_delegate(precisions[(shape + (int)i) % 2], "nan", NULL);
            use_shape(d, shape);
            got = transform_run(&m, d);
            assert_used(d, c.name);
            snprintf(what, sizeof what, "shape %d", shape);
            transform_equal(&c, what, truth, got);
            interpreter_close(got);
            assay_gpu_delegate_destroy(d);
        }
        interpreter_close(truth);
        model_close(&m);
    }
}

TEST_FILE(.before = transform_find_device);
