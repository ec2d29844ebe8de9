/* Products in tiles (gemm.comp): every tile on shapes with edges of all kinds, and the choice of
 * tiles on devices that are not there.  The models hold small integers, so that every sum is exact
 * and the delegate must give the bits of the reference. */
#include "conformance/tests/kit/nets.h"
#include "delegate/tests/kit/device_profiles.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/gemm.h"
#include "delegate/runtime/kernel.h"

/* ---- on the device ---- */

/* clang-format off */
#define CONV(options, x, weights, channels, y)                                                     \
    "CONV_2D {" options "} " x " f32[" weights "]=~3(-2..2) f32[" channels "]=~4(-2..2) -> " y "; "
#define TAPS                                                                                       \
    CONV("stride_w=1 stride_h=1 fused_activation_function=RELU", "x", "13,3,3,5", "13", "y")
#define ROWS(depth) "FULLY_CONNECTED {} x f32[260," depth "]=~5(-2..2) f32[260]=~6(-2..2) -> y"

static const struct transform_case cases[] = {
    /* Several images, padding, a last slice of one channel, taps that share a chunk. */
    { "taps", { 2, 5, 7, 5 }, 0, NULL, TAPS },
    /* Stride and dilation. */
    { "spread", { 1, 9, 8, 3 }, 0, NULL,
      CONV("padding=VALID stride_w=1 stride_h=1 dilation_w_factor=2 dilation_h_factor=2", "x",
           "6,3,3,3", "6", "y") CONV("stride_w=2 stride_h=2", "x", "9,2,2,3", "9", "u") },
    /* Chunks of one tap: 64 slices of channels, which every chunk divides. */
    { "deep", { 1, 3, 5, 256 }, 0, NULL,
      CONV("stride_w=1 stride_h=1", "x", "37,2,2,256", "37", "y") },
    /* A 1x1 convolution to which a tensor is added. */
    { "residual", { 2, 3, 5, 21 }, 0, NULL,
      "RELU z -> r; " CONV("stride_w=1 stride_h=1", "x", "21,1,1,21", "21", "c")
      "ADD {fused_activation_function=RELU6} c r -> y" },
    { "one row", { 1, 1, 1, 256 }, 0, NULL, ROWS("256") },
    { "rows", { 1, 1, 7, 253 }, 0, NULL, ROWS("253") },
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof cases[0] };

/* ASSAY_TORTURE=1: all cases with each tile, which compiles for minutes. */
static bool torture(void)
{
    const char *value = getenv("ASSAY_TORTURE");

    return value && strcmp(value, "1") == 0;
}

/* tile: from 1 on; past the last one the depth is shared by workgroups. */
static void check_tile(const struct transform_case *c, int tile, bool half, const char *poison)
{
    DELEGATE_BY(d, transform_delegate(half ? "fp16" : "fp32", poison, NULL));
    struct gpu_delegate *inside = d->data_;
    char what[64];

    inside->options.gemm_tile = tile;
    snprintf(what, sizeof what, "tile %d, %s, poison %s", tile, half ? "fp16" : "fp32", poison);
    if (transform_agree(c, what, d, "gemm", 0) == 0)
        print_message("%s: %s: the device does not allow it\n", c->name, what);
}

/* The first tile is small: it runs all cases, whole in one precision and in parts in the other.
 * Each of the others runs one case. */
TEST(all_tiles)
{
    const int count = (int)gemm_tile_count;

    if (!transform_device)
        skip();
    for (int tile = 1; tile <= count; tile++)
        for (int i = 0; i < CASES; i++)
            for (int part = 0; part < 2; part++) {
                const bool all = torture() || tile == 1;

                if (!all && (tile % CASES != i || tile % 2 != part))
                    continue;
                check_tile(&cases[i], tile + part * count, (tile + i + part) % 2, "nan");
                if (torture())
                    check_tile(&cases[i], tile + part * count, (tile + i + part + 1) % 2, "inf");
            }
}

/* ---- without a device ---- */

/* What gemm.comp takes for granted, of a tile as it is or fitted to a product and a device. */
static void check_tile_is_sound(const struct gemm_tile *t, const struct device_limits *limits)
{
    const uint32_t threads = t->x * t->y * t->planes;

    assert_true(t->planes > 0 && (t->planes & (t->planes - 1)) == 0);
    assert_true(t->depth > 0 && t->depth % t->planes == 0);
    if (t->planes > 1) /* an invocation finishes elements of one column */
        assert_int_equal(threads % (t->x * t->columns), 0);
    assert_true(gemm_shared_bytes(t) <= limits->max_shared_memory_bytes);
    assert_true(threads <= limits->max_workgroup_invocations);
    assert_true(t->x <= limits->max_workgroup_size[0]);
    assert_true(t->y <= limits->max_workgroup_size[1]);
    assert_true(t->planes <= limits->max_workgroup_size[2]);
}

static void check_choice(const struct gemm_shape *shape, const struct device_limits *limits)
{
    struct gemm_choice c;

    if (!gemm_choose(shape, limits, &c))
        return;
    check_tile_is_sound(&c.tile, limits);
    assert_true(c.parts >= 1 && c.parts <= 8);
    for (size_t i = 0; i < gemm_tile_count; i++) {
        struct gemm_tile t = gemm_tiles[i];

        if (gemm_fit(&t, shape, limits))
            check_tile_is_sound(&t, limits);
    }
}

/* Recorded devices and smaller ones: what is chosen is allowed. */
TEST(within_limits)
{
    static const struct gemm_shape shapes[] = { { 1, 250, 256, 1 },    { 49, 256, 256, 1 },
                                                { 196, 64, 576, 1 },   { 12544, 16, 8, 1 },
                                                { 12544, 16, 196, 1 }, { 3, 1, 1, 1 },
                                                { 64, 32, 256, 4 },    { 1, 3, 1, 1000 } };
    struct gpu_device_profiles all;

    profiles_all(&all);
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        for (int i = 0; i < all.count; i++)
            check_choice(&shapes[k], &all.at[i].limits);
        for (int class = 0; class < DEVICE_CLASSES; class ++) {
            struct device_limits limits = device_limits_minimum;
            struct gemm_choice c;

            limits.device_class = (enum device_class) class;
            assert_true(gemm_choose(&shapes[k], &limits, &c));
            check_choice(&shapes[k], &limits);
            limits.max_workgroup_size[2] = 1;
            check_choice(&shapes[k], &limits);
            limits.max_workgroup_invocations = 16;
            check_choice(&shapes[k], &limits);
            limits.max_shared_memory_bytes = 64;
            assert_false(gemm_choose(&shapes[k], &limits, &c));
        }
    }
}

/* Deep products of few rows are shared by workgroups: the last layers of ResNet50. */
TEST(deep_products)
{
    static const struct gemm_shape shapes[] = { { 49, 128, 1152, 1 }, { 49, 128, 512, 1 } };
    struct device_limits limits = gpu_large_limits();
    struct gemm_choice c;

    limits.device_class = DEVICE_NVIDIA;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        assert_true(gemm_choose(&shapes[i], &limits, &c));
        assert_true(c.parts > 1);
        assert_true(c.tile.y * c.tile.rows >= 28);
    }
    assert_true(gemm_choose(&(struct gemm_shape){ 49, 4, 1152, 1 }, &limits, &c));
    assert_true(c.tile.y * c.tile.rows >= 28);
}

static struct plan_step step_of(int32_t batch, struct transform_look look)
{
    const struct transform_case c = { "taps", { batch, 5, 7, 5 }, 0, NULL, TAPS };

    return transform_planned(&c, look).step;
}

/* The order of sums is that of one image, whatever the batch; software and unknown devices, f16
 * storage, and delegates without the kernel have the plain one. */
TEST(plans)
{
    const struct transform_look tiled = { .device_class = DEVICE_NVIDIA };
    const struct plan_step one = step_of(1, tiled), many = step_of(500, tiled);
    static const struct {
        struct transform_look look;
        const char *shader;
    } other[] = {
        { { .device_class = DEVICE_AMD }, "gemm" },
        { { .device_class = DEVICE_NVIDIA, .no_kernel = "gemm" }, "conv_2d" },
        { { .device_class = DEVICE_NVIDIA, .precision = "fp16" }, "conv_2d" },
        { { .device_class = DEVICE_SOFTWARE }, "conv_2d" },
        { { .device_class = DEVICE_OTHER }, "conv_2d" },
    };

    assert_string_equal(one.shader, "gemm");
    assert_int_equal(one.spec_count, many.spec_count);
    assert_memory_equal(one.spec, many.spec, sizeof one.spec);
    assert_true(many.groups[0] > one.groups[0]);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        assert_string_equal(step_of(1, other[i].look).shader, other[i].shader);
}

TEST_FILE(.before = transform_find_device);
