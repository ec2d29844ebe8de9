/* Kernel gemm_int8: every tile gives the bits of the reference interpreter, on the device that is
 * there, whether or not it would be chosen; and tiles are within the limits of a device. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/dots_kit.h"
#include "delegate/tests/kit/dots_net.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/gemm_int8.h"

enum { TILES = 10 }; /* of gemm_int8.c */

/* ---- on a device ---- */

struct shape {
    int batch, height, width, channels, outputs, kernel, stride, dilation, padding;
};

static void net_of(struct net *n, const struct shape *s, int seed)
{
    net_begin(n, (uint64_t)seed, false);
    n->batch = s->batch;
    n->height = s->height;
    n->width = s->width;
    n->channels = s->channels;
    n->outputs = s->outputs;
    n->kernel_h = n->kernel_w = s->kernel;
    n->stride_h = n->stride_w = s->stride;
    n->dilation_h = n->dilation_w = s->dilation;
    n->padding = s->padding;
    n->activation = 0;
    n->ordinary = true;
    n->x_zero = n->is_unsigned ? 119 : -11;
    n->w_zero = n->is_unsigned ? 131 : 0;
    n->y_zero = n->is_unsigned ? 126 : 3;
}

static void check(const struct shape *s, int seed, int first, int count)
{
    struct net n;
    int values;

    net_of(&n, s, seed);
    struct model m CLOSED_BY(model_close);
    assert_true(net_make_conv(&n, &m));
    values = dots_check_variants(&m, seed, first, count);
    assert_int_equal(dots_tiled, 1);
    assert_true(values > 5); /* the same for all would prove little */
}

/* Shapes that end in the middle of tiles, quads and chunks.  Even seeds are i8, odd ones u8, and
 * each tile has one of both, with the packed product and without. */
TEST(all_tiles)
{
    static const struct shape shapes[] = {
        { 1, 9, 13, 35, 67, 2, 1, 1, 0 }, /* edges everywhere */
        { 1, 6, 9, 5, 17, 3, 1, 2, 0 },   /* a slice a tap and a bit */
        { 2, 7, 5, 20, 40, 3, 2, 1, 0 },  /* taps in the padding */
        { 1, 8, 8, 36, 36, 2, 1, 1, 0 },  /* whole quads, nine of them */
    };

    NEEDS_DEVICE;
    for (int i = 0; i < (int)(sizeof shapes / sizeof shapes[0]); i++)
        check(&shapes[i], i, 1 + TILES / 2 * (i / 2), TILES / 2);
}

/* Sums of several chunks of shared memory, the last one with fewer quads. */
TEST(many_chunks)
{
    static const struct shape shapes[] = {
        { 1, 3, 3, 532, 70, 3, 1, 1, 0 },
        { 1, 5, 6, 530, 68, 2, 1, 1, 0 },
    };

    NEEDS_DEVICE;
    for (int i = 0; i < (int)(sizeof shapes / sizeof shapes[0]); i++)
        check(&shapes[i], i, 1 + TILES / 2 * i, TILES / 2);
}

/* All numbers of channels of a slice and of the next one; strides, batches and no padding. */
TEST(few_channels)
{
    NEEDS_DEVICE;
    for (int c = 1; c <= 9; c++) {
        const struct shape s = { 1 + c % 2, 11, 6 + c, c, 3 * c, 3, 1 + c % 3, 1, c % 4 == 3 };

        check(&s, c, c, 1);
    }
}

/* Inputs at the end of the range: products of -128 by -128 among them. */
TEST(extremes)
{
    static const struct shape s = { 1, 4, 5, 260, 33, 2, 1, 1, 0 };

    NEEDS_DEVICE;
    for (int seed = 0; seed < 2; seed++) {
        dots_fill = seed ? 255 : 128;
        check(&s, seed, 1 + 5 * seed, 2);
        dots_fill = seed ? 0 : 127;
        check(&s, seed, 4 + 5 * seed, 1);
    }
    dots_fill = -1;
}

/* Kernel depthwise_int8. */
TEST(depthwise)
{
    static const struct shape shapes[] = {
        { 1, 6, 7, 5, 0, 3, 1, 1, 0 },  { 2, 5, 8, 16, 0, 3, 2, 1, 0 },
        { 1, 9, 7, 33, 0, 5, 1, 1, 0 }, { 2, 7, 4, 3, 0, 2, 1, 1, 1 },
        { 1, 3, 1, 8, 0, 3, 1, 1, 0 },
    };

    NEEDS_DEVICE;
    for (int i = 0; i < (int)(sizeof shapes / sizeof shapes[0]); i++) {
        struct net n;

        net_of(&n, &shapes[i], i + 1);
        n.dilation_h = 1 + i % 2;
        n.multiplier = 1;
        struct model m CLOSED_BY(model_close);
        assert_true(net_make_depthwise(&n, &m));
        assert_true(dots_check_variants(&m, i, 1, 1) > 5);
        assert_int_equal(dots_tiled, 1);
    }
}

/* ---- plans ---- */

static const struct device_limits large = {
    .device_class = DEVICE_NVIDIA,
    .max_workgroup_count = { 0x7fffffff, 65535, 65535 },
    .max_workgroup_size = { 1024, 1024, 64 },
    .max_workgroup_invocations = 1024,
    .max_shared_memory_bytes = 49152,
};

/* Of rows x taps x inputs x outputs. */
static bool tile_of(const struct device_limits *limits, uint32_t rows, uint32_t inputs,
                    uint32_t outputs, uint32_t taps, int variant, struct gemm_int8_tile *tile)
{
    struct plan_tensor tensors[2] = { { .rows = rows }, { .rows = rows } };
    struct plan plan = { .tensors = tensors };
    const struct planner p = { .plan = &plan, .limits = limits };
    const struct matmul_int8 m = { .src = 0,
                                   .dst = 1,
                                   .window = &window_1x1,
                                   .args = { .in_slices = (inputs + 3) / 4,
                                             .out_slices = (outputs + 3) / 4 },
                                   .shape = { outputs, taps, inputs } };

    return gemm_int8_tile_of(&p, &m, variant, tile, &(struct reason_of){ .reasons = NULL });
}

static void is_within(const struct gemm_int8_tile *t, const struct device_limits *limits)
{
    const uint32_t rows = t->y * t->rows, staged = rows * (t->chunk + 1) + 4 * t->chunk * t->x;

    assert_true(t->chunk > 0);
    assert_true(t->x * t->y * t->z <= limits->max_workgroup_invocations);
    assert_true(t->x <= limits->max_workgroup_size[0] && t->y <= limits->max_workgroup_size[1] &&
                t->z <= limits->max_workgroup_size[2]);
    assert_true(16 * staged <= limits->max_shared_memory_bytes);
    assert_true(t->z == 1 || 16 * t->z * rows * t->x <= limits->max_shared_memory_bytes);
}

TEST(tiles_within_limits)
{
    static const uint32_t sizes[][3] = { { 12544, 36, 64 },  { 49, 1028, 1024 }, { 1, 1028, 1000 },
                                         { 784, 260, 256 },  { 3, 1, 1 },        { 196, 4612, 512 },
                                         { 50000, 7, 1001 }, { 64, 20, 16 } };
    const struct device_limits *const devices[] = { &large, &device_limits_minimum };

    for (size_t d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (int variant = 1; variant <= TILES; variant++) {
                struct gemm_int8_tile t;

                assert_true(
                    tile_of(devices[d], sizes[i][0], sizes[i][1], sizes[i][2], 4, variant, &t));
                is_within(&t, devices[d]);
            }
}

/* First layers have tiles; the plain kernel is used where it is faster, and where no tile fits. */
TEST(chosen)
{
    struct device_limits limits = large;
    struct gemm_int8_tile t;

    assert_true(tile_of(&large, 12544, 3, 32, 9, 0, &t));
    is_within(&t, &large);
    assert_true(tile_of(&device_limits_minimum, 12544, 3, 32, 9, 0, &t));
    is_within(&t, &device_limits_minimum);
    assert_false(tile_of(&large, 784, 256, 256, 1, 0, &t));
    assert_false(tile_of(&large, 784, 256, 256, 9, 0, &t));
    limits.max_workgroup_invocations = 32;
    assert_false(tile_of(&limits, 12544, 3, 32, 9, 0, &t));
    limits = large;
    limits.max_shared_memory_bytes = 1024;
    assert_false(tile_of(&limits, 12544, 3, 32, 9, 0, &t));
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = kit_find_device);
