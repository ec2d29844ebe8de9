/* Plans of products by matrix units, for devices that need not be here: tiles within the limits,
 * weights in the order of the device, and the plain kernel wherever the units cannot be used. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/cache/cache.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/product/matrix.args.h"
#include "delegate/ops/product/matrix.h"
#include "delegate/shaders/spirv.h"
#include "delegate/vulkan/selftest.h"
#include "reference/base/half.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* A device like an H200, or, with 8, like lavapipe of Mesa 26.  The order of its elements has no
 * structure. */
static struct device_limits limits_of(enum matrix_kind kind, uint32_t tile)
{
    struct device_limits l = gpu_large_limits();
    const uint32_t count = tile * tile;
    uint64_t random = 7;

    l.device_class = tile == 16 ? DEVICE_NVIDIA : DEVICE_SOFTWARE;
    l.max_shared_memory_bytes = tile == 16 ? 49152 : 32768;
    l.matrix = (struct device_matrix){
        .kind = kind, .tile = tile, .subgroup_size = count / 8, .fragments = true
    };
    for (uint32_t i = 0; i < count; i++)
        l.matrix.order[i] = (uint8_t)i;
    for (uint32_t i = count - 1; i > 0; i--) {
        const int j = kit_below(&random, (int)i + 1);
        const uint8_t kept = l.matrix.order[i];

        l.matrix.order[i] = l.matrix.order[j];
        l.matrix.order[j] = kept;
    }
    return l;
}

/* ---- tiles ---- */

static uint32_t threads_of(const struct matrix_tile *t, const struct device_limits *l)
{
    return t->rows * t->columns * t->shares * l->matrix.subgroup_size;
}

/* What matrix.comp relies on. */
static void check_tile(const struct matrix_tile *t, const struct device_limits *l, uint64_t depth)
{
    const uint32_t tile = l->matrix.tile, threads = threads_of(t, l);
    const uint32_t rows = tile * t->block_m * t->rows, columns = tile * t->block_n * t->columns / 4;
    const uint64_t k_tiles = (depth + tile - 1) / tile, part = (k_tiles + t->parts - 1) / t->parts;

    assert_true(threads <= l->max_workgroup_invocations && threads <= l->max_workgroup_size[0]);
    /* Each invocation has the same slice of all its pixels, and stages at most so many units, all
     * of the same column. */
    assert_int_equal(threads % columns, 0);
    assert_true(2 * t->block_m * t->block_n * (threads / columns) >= rows);
    assert_true(t->chunk > 0 && t->chunk * (tile / 8) <= threads);
    assert_true(threads / (t->chunk * (tile / 8)) * MATRIX_STAGED >= rows);
    /* Weights that are loaded ahead across the end of a chunk are those of the next one. */
    assert_true(t->ahead > 0 && t->ahead * t->block_n <= MATRIX_AHEAD);
    assert_true(t->chunk >= part || t->chunk % (t->ahead * t->shares) == 0);
    assert_true(16 * rows * (t->chunk * (tile / 8) + 1) <= l->max_shared_memory_bytes);
    assert_true(16 * t->shares * rows * (columns + 1) <= l->max_shared_memory_bytes);
}

TEST(tiles_keep_the_limits)
{
    uint64_t random = 3;
    int found = 0;

    for (int i = 0; i < 20000; i++) {
        struct device_limits l = limits_of(MATRIX_NV, i % 2 ? 16 : 8);
        const uint64_t depth = 4 * (1 + (uint64_t)kit_below(&random, i % 3 ? 64 : 2048));
        struct matrix_tile t;

        if (i % 5 == 0)
            l.max_shared_memory_bytes = 1024u << kit_below(&random, 7);
        if (i % 7 == 0)
            l.max_workgroup_invocations = 32u << kit_below(&random, 6);
        struct matrix_shape shape = { .image_pixels = 1 + (uint64_t)kit_below(&random, 20000),
                                      .depth = depth,
                                      .outputs = 1 + (uint64_t)kit_below(&random, 3000),
                                      .dense = i % 2 == 0 };
        struct matrix_tile batch;

        shape.pixels = shape.image_pixels;
        if (!matrix_tile_of(&t, &l, &shape))
            continue;
        check_tile(&t, &l, depth);
        found++;
        /* A batch has the bits of its images: the same order of the sum. */
        shape.pixels = 7 * shape.image_pixels;
        assert_true(matrix_tile_of(&batch, &l, &shape));
        check_tile(&batch, &l, depth);
        assert_int_equal(batch.shares, t.shares);
        assert_int_equal(batch.parts, t.parts);
    }
    assert_true(found > 15000);
}

/* Of a dense product of one image. */
static bool tile_for(struct matrix_tile *t, const struct device_limits *l, uint32_t pixels,
                     uint32_t depth, uint32_t outputs)
{
    const struct matrix_shape shape = {
        .pixels = pixels, .image_pixels = pixels, .depth = depth, .outputs = outputs, .dense = true
    };

    return matrix_tile_of(t, l, &shape);
}

/* Shapes of MobileNet and ResNet50, and a tile that was fast on an H200; those of the suites of
 * CONV_2D and FULLY_CONNECTED, which have most tiles. */
TEST(tiles_of_nets)
{
    static const struct {
        uint32_t pixels, depth, outputs, rows, columns, shares, parts;
        bool dense;
    } shapes[] = {
        { 3136, 576, 64, 32, 64, 2, 1, false },  { 784, 1152, 128, 16, 64, 4, 1, false },
        { 196, 2304, 256, 16, 32, 8, 1, false }, { 49, 4608, 512, 32, 64, 2, 8, false },
        { 3136, 256, 64, 64, 32, 1, 1, true },   { 784, 512, 128, 16, 64, 2, 1, true },
        { 784, 128, 512, 32, 128, 1, 1, true },  { 196, 1024, 256, 16, 32, 4, 1, true },
        { 196, 512, 512, 16, 64, 2, 1, true },   { 196, 96, 576, 16, 64, 2, 1, true },
        { 3135, 40, 250, 64, 128, 1, 1, true },  { 5751, 20, 131, 64, 32, 1, 1, true },
        { 182, 516, 259, 16, 32, 4, 1, true },   { 195, 516, 130, 16, 16, 8, 1, true },
        { 182, 1040, 61, 16, 16, 16, 1, true },  { 35, 36, 61, 16, 16, 2, 1, true },
        { 5751, 36, 61, 64, 64, 1, 1, false },   { 49, 4644, 61, 16, 16, 8, 8, false },
        { 812, 324, 130, 32, 32, 2, 1, false },
    };
    const struct device_limits l = limits_of(MATRIX_NV, 16);

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct matrix_shape shape = { .pixels = shapes[i].pixels,
                                            .image_pixels = shapes[i].pixels,
                                            .depth = shapes[i].depth,
                                            .outputs = shapes[i].outputs,
                                            .dense = shapes[i].dense };
        struct matrix_tile t;

        assert_true(matrix_tile_of(&t, &l, &shape));
        check_tile(&t, &l, shapes[i].depth);
        assert_int_equal(16 * t.block_m * t.rows, shapes[i].rows);
        assert_int_equal(16 * t.block_n * t.columns, shapes[i].columns);
        assert_int_equal(t.shares, shapes[i].shares);
        assert_int_equal(t.parts, shapes[i].parts);
    }
}

/* A shape for each tile that is ever the fastest: of the 18, two never are for 6 million random
 * shapes on a device with these limits. */
TEST(each_tile)
{
    static const struct {
        uint32_t size[3]; /* pixels, depth, outputs */
        bool dense;
        uint32_t tile[5]; /* block_m, block_n, rows, columns, shares */
    } shapes[] = {
        { { 265, 2052, 33 }, false, { 1, 1, 1, 1, 16 } },
        { { 202, 60, 375 }, false, { 1, 1, 1, 1, 2 } },
        { { 89, 420, 42 }, false, { 1, 1, 1, 1, 4 } },
        { { 242, 540, 89 }, false, { 1, 1, 1, 1, 8 } },
        { { 2910, 1596, 146 }, false, { 1, 1, 1, 2, 4 } },
        { { 519, 4364, 95 }, true, { 1, 1, 1, 2, 8 } },
        { { 845, 704, 296 }, false, { 1, 1, 1, 4, 2 } },
        { { 509, 1036, 230 }, false, { 1, 1, 1, 4, 4 } },
        { { 1798, 3828, 263 }, true, { 1, 1, 2, 2, 2 } },
        { { 542, 296, 286 }, false, { 1, 1, 2, 4, 2 } },
        { { 6298, 600, 141 }, true, { 1, 1, 4, 2, 1 } },
        { { 309, 4760, 180 }, true, { 1, 2, 2, 2, 2 } },
        { { 4805, 236, 194 }, false, { 1, 2, 2, 4, 1 } },
        { { 3492, 704, 436 }, true, { 1, 2, 4, 2, 1 } },
        { { 6640, 4068, 170 }, true, { 2, 2, 1, 2, 4 } },
        { { 3989, 3364, 1917 }, false, { 2, 2, 2, 4, 1 } },
    };
    const struct device_limits l = limits_of(MATRIX_NV, 16);

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct matrix_shape shape = { .pixels = shapes[i].size[0],
                                            .image_pixels = shapes[i].size[0],
                                            .depth = shapes[i].size[1],
                                            .outputs = shapes[i].size[2],
                                            .dense = shapes[i].dense };
        struct matrix_tile t;

        assert_true(matrix_tile_of(&t, &l, &shape));
        check_tile(&t, &l, shapes[i].size[1]);
        assert_memory_equal(
            ((const uint32_t[]){ t.block_m, t.block_n, t.rows, t.columns, t.shares }),
            shapes[i].tile, sizeof shapes[i].tile);
    }
}

TEST(no_tile)
{
    struct device_limits l = limits_of(MATRIX_NV, 16);
    struct matrix_tile t;

    assert_true(tile_for(&t, &l, 100, 64, 64));
    l.max_workgroup_invocations = 63; /* the smallest tile has two subgroups */
    assert_false(tile_for(&t, &l, 100, 64, 64));
    l = limits_of(MATRIX_NV, 16);
    l.max_shared_memory_bytes = 2048;
    assert_false(tile_for(&t, &l, 100, 64, 64));
    l = limits_of(MATRIX_NV, 16);
    l.max_workgroup_count[1] = 6; /* of 16 pixels each */
    assert_true(tile_for(&t, &l, 96, 64, 16));
    l.max_workgroup_count[1] = 1;
    assert_false(tile_for(&t, &l, 96, 64, 16));
    l = limits_of(MATRIX_NV, 16);
    l.matrix.subgroup_size = 16; /* an invocation would hold 16 elements */
    assert_false(tile_for(&t, &l, 100, 64, 64));
    l = limits_of(MATRIX_NONE, 16);
    assert_false(tile_for(&t, &l, 100, 64, 64));
}

/* ---- plans of a convolution ---- */

enum { IN = 5, OUT = 21, KERNEL = 3, SIDE = 4, INPUTS = OUT * KERNEL * KERNEL * IN };
struct request {
    const struct device_limits *limits;
    const char *no_kernel;
    const char *precision;
    bool computed; /* weights are no constant */
};

static struct graph_tensor tensor_of(int n, int h, int w, int c, const void *data)
{
    return (struct graph_tensor){ .name = "",
                                  .type = kTfLiteFloat32,
                                  .rank = 4,
                                  .dims = { n, h, w, c },
                                  .elements = (size_t)n * (size_t)h * (size_t)w * (size_t)c,
                                  .data = data,
                                  .producer = -1,
                                  .dequantized_from = -1 };
}

static void plan_conv(struct plan *plan, const struct request *r, const float *weights)
{
    static const int nodes[] = { 0 }, in[] = { 0, 1 }, out[] = { 2 };
    const TfLiteConvParams params = { .padding = kTfLitePaddingSame,
                                      .stride_width = 1,
                                      .stride_height = 1,
                                      .dilation_width_factor = 1,
                                      .dilation_height_factor = 1 };
    struct graph_tensor t[] = {
        tensor_of(1, SIDE, SIDE, IN, NULL),
        tensor_of(OUT, KERNEL, KERNEL, IN, r->computed ? NULL : weights),
        tensor_of(1, SIDE, SIDE, OUT, NULL),
    };
    struct graph_node node = { .op = gpu_op_find(BUILTIN_CONV_2D),
                               .code = BUILTIN_CONV_2D,
                               .version = 1,
                               .name = "CONV_2D",
                               .params = &params,
                               .inputs = in,
                               .outputs = out,
                               .input_count = 2,
                               .output_count = 1 };
    const struct graph graph = { .tensors = t, .tensor_count = 3, .nodes = &node, .node_count = 1 };
    const char *const pairs[] = { "precision", r->precision ? r->precision : "fp16",
                                  r->no_kernel ? "no_kernel" : NULL, r->no_kernel, NULL };
    struct gpu_options options CLOSED_BY(options_close) = gpu_options_of(pairs);
    const struct plan_request request = { .graph = &graph,
                                          .options = &options,
                                          .limits = r->limits,
                                          .nodes = nodes,
                                          .node_count = 1,
                                          .inputs = in,
                                          .input_count = r->computed ? 2 : 1,
                                          .outputs = out,
                                          .output_count = 1 };

    t[2].producer = 0;
    KIT_OK(plan_make(plan, &request, &err));
}

/* The step that computes the convolution. */
static const struct plan_step *step_of(const struct plan *p)
{
    for (int i = 0; i < p->step_count; i++)
        if (p->steps[i]->node >= 0 && p->steps[i]->bindings[3].location != LOCATION_NONE)
            return p->steps[i];
    fail_msg("no step of the convolution");
    return NULL;
}

TEST(weights_lie_in_order)
{
    float weights[INPUTS];

    for (int i = 0; i < INPUTS; i++)
        weights[i] = (float)(i + 1); /* all are different in f16: below 2048 */
    for (int variant = 0; variant < 4; variant++) {
        struct device_limits l = limits_of(MATRIX_NV, variant % 2 ? 16 : 8);
        const uint32_t tile = l.matrix.tile, elements = tile * tile;
        const uint32_t slices = (IN + 3) / 4, depth = KERNEL * KERNEL * slices * 4;
        const uint32_t k_tiles = (depth + tile - 1) / tile;
        const struct plan_step *s;
        const uint16_t *packed;

        l.matrix.fragments = variant < 2;
        struct plan p CLOSED_BY(plan_close);
        plan_conv(&p, &(struct request){ .limits = &l }, weights);
        s = step_of(&p);
        assert_string_equal(s->shader, "matrix.nv11");
        assert_int_equal((s->spec[MATRIX_SPEC_FLAGS] & MATRIX_FRAGMENTS) != 0, l.matrix.fragments);
        packed = (const uint16_t *)(p.constants + s->bindings[2].offset);
        assert_int_equal(s->bindings[2].bytes, 2 * elements * k_tiles * ((OUT + tile - 1) / tile));
        for (size_t at = 0; at < s->bindings[2].bytes / 2; at++) {
            const uint32_t place = (uint32_t)(at % elements);
            const uint32_t element =
                l.matrix.fragments ? l.matrix.order[place] : place % tile * tile + place / tile;
            const uint32_t k = (uint32_t)(at / elements) % k_tiles * tile + element / tile;
            const uint32_t o = (uint32_t)(at / elements) / k_tiles * tile + element % tile;
            const uint32_t tap = k / (4 * slices), i = k % (4 * slices);
            const float expected = o < OUT && tap < KERNEL * KERNEL && i < IN
                                       ? weights[(o * KERNEL * KERNEL + tap) * IN + i]
                                       : 0;

            if (half_to_float(packed[at]) != expected)
                fail_msg("variant %d: element %zu: expected %g, found %g", variant, at,
                         (double)expected, (double)half_to_float(packed[at]));
        }
    }
}

static const char *shader_for(const struct request *r)
{
    static char name[64];
    float weights[INPUTS] = { 0 };
    struct plan p CLOSED_BY(plan_close);

    plan_conv(&p, r, weights);
    snprintf(name, sizeof name, "%s", step_of(&p)->shader);
    return name;
}

static bool is_matrix(const struct request *r)
{
    return strncmp(shader_for(r), "matrix.", 7) == 0;
}

TEST(falls_back)
{
    const struct device_limits nv = limits_of(MATRIX_NV, 16), none = limits_of(MATRIX_NONE, 16);
    struct device_limits khr = limits_of(MATRIX_KHR, 8), low = nv;

    assert_string_equal(shader_for(&(struct request){ .limits = &nv }), "matrix.nv11");
    assert_string_equal(shader_for(&(struct request){ .limits = &khr }), "matrix.khr11");
    assert_non_null(spirv_find("matrix.nv11"));
    assert_non_null(spirv_find("matrix.nv12"));
    assert_non_null(spirv_find("matrix.nv22"));
    assert_false(is_matrix(&(struct request){ .limits = &none }));
    assert_false(is_matrix(&(struct request){ .limits = &nv, .no_kernel = "matrix" }));
    assert_false(is_matrix(&(struct request){ .limits = &nv, .no_kernel = "all" }));
    assert_true(is_matrix(&(struct request){ .limits = &nv, .no_kernel = "gemm" }));
    assert_false(is_matrix(&(struct request){ .limits = &nv, .precision = "fp32" }));
    assert_false(is_matrix(&(struct request){ .limits = &nv, .computed = true }));
    low.max_shared_memory_bytes = 2048;
    assert_false(is_matrix(&(struct request){ .limits = &low }));
    low = nv;
    low.max_workgroup_invocations = 128;
    assert_true(is_matrix(&(struct request){ .limits = &low }));
    low.matrix.subgroup_size = 128; /* two of them are too many invocations */
    assert_false(is_matrix(&(struct request){ .limits = &low }));
}

/* Weights that are packed for one device or kernel are not read for another. */
TEST(keys_differ)
{
    struct device_limits limits[4] = { limits_of(MATRIX_NV, 16), limits_of(MATRIX_KHR, 16),
                                       limits_of(MATRIX_NV, 16), limits_of(MATRIX_NONE, 16) };
    struct checksum hash[4];
    float weights[INPUTS] = { 0 };

    limits[2].matrix.fragments = false;
    for (int i = 0; i < 4; i++) {
        struct plan p;

        plan_conv(&p, &(struct request){ .limits = &limits[i] }, weights);
        hash[i] = cache_hash_plan(&p);
        plan_close(&p);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(&hash[i], &hash[j], sizeof hash[i]);
    }
}

/* ---- the test of the device ---- */

static float place_as_found[MATRIX_ELEMENTS_MAX];

TEST(finds_the_order)
{
    const struct device_limits l = limits_of(MATRIX_NV, 16);
    struct device_matrix m = l.matrix;

    memset(m.order, 0, sizeof m.order);
    for (int i = 0; i < MATRIX_ELEMENTS_MAX; i++)
        place_as_found[l.matrix.order[i]] = (float)i;
    assert_true(selftest_matrix_order(&m, place_as_found));
    assert_memory_equal(m.order, l.matrix.order, sizeof m.order);
    place_as_found[9] = place_as_found[200]; /* one place twice */
    assert_false(selftest_matrix_order(&m, place_as_found));
    place_as_found[9] = 256;
    assert_false(selftest_matrix_order(&m, place_as_found));
    place_as_found[9] = NAN;
    assert_false(selftest_matrix_order(&m, place_as_found));
    place_as_found[9] = 0.5f;
    assert_false(selftest_matrix_order(&m, place_as_found));
}
