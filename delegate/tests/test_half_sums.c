/* f16 sums of products (precision=fast): where they are planned and where not, and why; on the
 * device, that they are exact where f16 is, and within the bound of their class elsewhere. */
#include "conformance/suite/bounds/bound.h"
#include "delegate/tests/kit/plan_look.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/cache/cache.h"
#include "delegate/graph/ranges.h"
#include "delegate/ops/product/gemm.h"
#include "delegate/ops/product/half_sums.h"
#include "delegate/runtime/kernel.h"

#include <math.h>

/* ---- plans ---- */

/* clang-format off */
#define CONV(x, weights)                                                                           \
    "CONV_2D {stride_w=1 stride_h=1} " x " f32[16,1,1,32]=" weights " f32[16]=0 -> y"
#define UP(x)                                                                                      \
    "TRANSPOSE_CONV:4 {padding=VALID stride_w=2 stride_h=2} i32[4]=1,12,12,8 "                     \
    "f32[8,2,2,32]=~3(-2..2) " x " f32[8]=~4(-2..2) -> y"
static const char of_input[] = CONV("x", "1");
static const char of_relu[] = "RELU x -> t; " CONV("t", "1");
static const char of_relu6[] = "RELU6 x -> t; " CONV("t", "1");
static const char of_fused[] =
    "CONV_2D {padding=VALID stride_w=1 stride_h=1 fused_activation_function=RELU6} x "
    "f32[32,1,1,32]=~3(-2..2) f32[32]=~4(-2..2) -> t; " CONV("t", "1");
static const char large[] = "RELU6 x -> t; " CONV("t", "1000");
/* 6 * 32 * 312.5 = 60000, and a bit more. */
static const char just[] = "RELU6 x -> t; " CONV("t", "-312.5");
static const char over[] = "RELU6 x -> t; " CONV("t", "-312.75");
static const char not_a_number[] = "RELU6 x -> t; " CONV("t", "nan");
static const char computed[] =
    "RELU6 x -> t; ABS z -> u; RESHAPE {} u i32[4]=36,1,1,32 -> w; "
    "CONV_2D {stride_w=1 stride_h=1} t w f32[36]=0 -> y";
static const char transposed[] = "RELU6 x -> t; " UP("t");
static const char transposed_of_input[] = UP("x");
/* clang-format on */

static void nvidia(struct device_limits *l)
{
    l->device_class = DEVICE_NVIDIA;
    l->shader_float16 = true;
}

static void without_float16(struct device_limits *l)
{
    nvidia(l);
    l->shader_float16 = false;
}

static void with_units(struct device_limits *l)
{
    nvidia(l);
    l->max_shared_memory_bytes = 49152;
    l->matrix = (struct device_matrix){ .kind = MATRIX_NV, .tile = 16, .subgroup_size = 32 };
}

struct row {
    const char *nodes; /* they read x and z, f32 [1,6,6,32] */
    const char *precision;
    void (*device)(struct device_limits *);
    const char *no_kernel; /* NULL: none */
    const char *shader;    /* of the product */
    const char *reason;    /* NULL: none */
};

static const struct row rows[] = {
    { of_relu6, "fast", nvidia, NULL, "gemm.fast", NULL },
    { of_fused, "fast", nvidia, NULL, "gemm.fast", NULL },
    { transposed, "fast", nvidia, NULL, "gemm.fast", NULL },
    { just, "fast", nvidia, NULL, "gemm.fast", NULL },
    { of_input, "fast", nvidia, NULL, "conv_2d", "its input is not bounded by an activation" },
    { of_relu, "fast", nvidia, NULL, "conv_2d", "its input is not bounded by an activation" },
    { transposed_of_input, "fast", nvidia, NULL, "gemm", "its input is not bounded" },
    { large, "fast", nvidia, NULL, "conv_2d", "sums up to 192000, more than 60000: f16 may over" },
    { over, "fast", nvidia, NULL, "conv_2d", "sums up to 60048, more than 60000" },
    { not_a_number, "fast", nvidia, NULL, "conv_2d", "sums up to nan" },
    { computed, "fast", nvidia, NULL, "conv_2d", "the weights are computed" },
    { of_relu6, "fast", without_float16, NULL, "conv_2d", "the device has no f16 arithmetic" },
    { of_relu6, "fast", nvidia, "half_sums", "conv_2d", "option no_kernel=half_sums" },
    { of_relu6, "fast", nvidia, "gemm", "conv_2d", NULL },
    { of_relu6, "fast", with_units, NULL, "matrix.nv11", NULL },
    { of_relu6, "fp16", nvidia, NULL, "conv_2d", NULL },
    { of_relu6, "fp32", nvidia, NULL, "gemm", NULL },
};

static bool is_product(const char *shader)
{
    return strncmp(shader, "gemm", 4) == 0 || strncmp(shader, "conv_2d", 7) == 0 ||
           strncmp(shader, "matrix", 6) == 0;
}

static void check_row(const struct row *r, size_t index)
{
    const struct transform_case c = { .text = r->nodes, .dims = { 1, 6, 6, 32 } };
    const char *const pairs[] = { "precision", r->precision, r->no_kernel ? "no_kernel" : NULL,
                                  r->no_kernel, NULL };
    struct plan_look l = { .pairs = pairs, .device = r->device };
    const char *shader = "none", *reason;

    MODEL_BY(m, transform_model(&c, &m));
    l.m = &m;
    gpu_look(&m, plan_look_at, &l);
    for (int i = 0; i < l.plan.step_count; i++)
        if (is_product(l.plan.steps[i]->shader))
            shader = l.plan.steps[i]->shader; /* the last one */
    reason = plan_look_reason(&l.plan, REASON_KERNEL, KERNEL_half_sums, r->reason ? r->reason : "");
    if (strcmp(shader, r->shader) != 0)
        fail_msg("row %zu: expected %s, found %s", index, r->shader, shader);
    if (r->reason ? !reason || !strstr(reason, r->reason) : r->nodes != of_fused && reason)
        fail_msg("row %zu: expected \"%s\", found \"%s\"", index, r->reason ? r->reason : "none",
                 reason ? reason : "none");
    plan_close(&l.plan);
}

TEST(plans)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i], i);
}

/* The last node, with its result rounded to steps or not. */
static void ask_by_steps(struct graph *g, void *user)
{
    OPTIONS(o, "precision", "fast");
    struct device_limits limits = gpu_large_limits();
    float magnitudes[KIT_TENSORS];
    struct reasons *const reasons = user;
    struct planner p = {
        .graph = g, .options = &o, .limits = &limits, .magnitudes = magnitudes, .reasons = reasons
    };
    struct graph_node *const n = &g->nodes[g->node_count - 1];

    nvidia(&limits);
    ranges_find(g, magnitudes);
    assert_true(half_sums_fit(&p, n));
    assert_int_equal(reasons->count, 0);
    n->steps.scale = 0.5f;
    assert_false(half_sums_fit(&p, n));
    assert_int_equal(reasons->count, 1);
    assert_non_null(strstr(reasons->list[0].text, "float view: an error of f16"));
}

TEST(not_in_float_view)
{
    const struct transform_case c = { .text = of_relu6, .dims = { 1, 6, 6, 32 } };
    struct reasons reasons CLOSED_BY(reasons_close) = { .count = 0 };

    MODEL_BY(m, transform_model(&c, &m));
    gpu_look(&m, ask_by_steps, &reasons);
}

static struct checksum hash_of(const char *nodes, const char *precision)
{
    const struct transform_case c = { .text = nodes, .dims = { 1, 6, 6, 32 } };
    const char *const pairs[] = { "precision", precision, NULL };
    struct plan_look l = { .pairs = pairs, .device = nvidia };
    struct checksum hash;

    MODEL_BY(m, transform_model(&c, &m));
    l.m = &m;
    gpu_look(&m, plan_look_at, &l);
    hash = cache_hash_plan(&l.plan);
    plan_close(&l.plan);
    return hash;
}

/* Files of the cache tell plans with f16 sums from those without, and nothing else. */
TEST(cached_apart)
{
    const struct checksum half = hash_of(transposed, "fp16"), fast = hash_of(transposed, "fast");
    const struct checksum same_half = hash_of(transposed_of_input, "fp16");
    const struct checksum same_fast = hash_of(transposed_of_input, "fast");

    assert_memory_not_equal(&half, &fast, sizeof half);
    assert_memory_equal(&same_half, &same_fast, sizeof same_half);
}

/* ---- on the device ---- */

static bool has_float16;

static bool uses_half_sums(const struct gpu_delegate *d)
{
    for (const struct kernel *k = d->kernels; k; k = k->next)
        for (int i = 0; i < k->plan.step_count; i++)
            if (strcmp(k->plan.steps[i]->shader, "gemm.fast") == 0)
                return true;
    return false;
}

/* Sums of integers that f16 has: the bits of the reference, whatever the runs are. */
TEST(exact_integers)
{
    /* clang-format off */
    static const struct transform_case cases[] = {
        /* Edges of all kinds, taps in a chunk, padded lanes. */
        { "taps", { 2, 5, 7, 5 }, 0, NULL,
          "RELU6 x -> t; CONV_2D {stride_w=1 stride_h=1} t f32[13,3,3,5]=~3(-2..2) "
          "f32[13]=~4(-2..2) -> y" },
        /* A chunk has one tap; three parts of the depth. */
        { "deep", { 1, 3, 5, 256 }, 0, NULL,
          "RELU6 x -> t; CONV_2D {stride_w=1 stride_h=1} t f32[37,2,2,256]=~3(-2..2) "
          "f32[37]=~4(-2..2) -> y" },
        { "up", { 2, 3, 5, 5 }, 0, NULL,
          "RELU6 x -> t; TRANSPOSE_CONV:4 {stride_w=2 stride_h=2} i32[4]=2,5,9,13 "
          "f32[13,3,3,5]=~3(-2..2) t f32[13]=~4(-2..2) -> y" },
        { "groups", { 1, 3, 5, 24 }, 0, NULL,
          "RELU6 x -> t; CONV_2D {padding=VALID stride_w=1 stride_h=1} t "
          "f32[48,1,1,12]=~3(-2..2) f32[48]=~4(-2..2) -> y" },
    };
    /* clang-format on */
    const int count = (int)gemm_tile_count, tiles[] = { 1, 2, count, 2 * count };

    if (!has_float16)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t j = 0; j < sizeof tiles / sizeof tiles[0]; j++) {
            DELEGATE_BY(d, transform_delegate("fast", j % 2 ? "nan" : "inf", NULL));
            struct gpu_delegate *const inside = d->data_;

            inside->options.gemm_tile = tiles[j];
            inside->options.any_device = i % 2 == 1; /* with its sizes as constants */
            MODEL_BY(m, transform_model(&cases[i], &m));
            INTERPRETER_BY(truth, transform_run(&m, NULL));
            INTERPRETER_BY(got, transform_run(&m, d));
            assert_true(uses_half_sums(inside));
            transform_equal(&cases[i], "fast", truth, got);
        }
}

/* Numbers of 10 bits, which f16 has: products and sums are rounded, but nothing else. */
enum { DEPTH = 4096, OUTPUTS = 24, SIDE = 6, PIXELS = SIDE * SIDE };
static float inputs[PIXELS * DEPTH], weights[OUTPUTS * DEPTH];

static void fill(float *values, size_t count, float unit, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = unit * (float)(1 + kit_below(&seed, 1023));
}

static void run_real(const char *precision, int tile, float got[PIXELS * OUTPUTS])
{
    const struct interpreter_options options = { .report = transform_quiet };
    DELEGATE_BY(d, transform_delegate(precision, "nan", NULL));
    struct gpu_delegate *const inside = d->data_;
    size_t count;

    inside->options.gemm_tile = tile;
    MODEL(m,
          "RELU6 x:f32[1,%d,%d,%d] -> t\n"
          "CONV_2D {stride_w=1 stride_h=1} t f32[%d,1,1,%d]=0 f32[%d]=0 -> y",
          SIDE, SIDE, DEPTH, OUTPUTS, DEPTH, OUTPUTS);
    /* The constants of a text are in memory of the model. */
    memcpy((void *)m.buffers[m.subgraphs[0].tensors[2].buffer].data.data, weights, sizeof weights);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    KIT_OK(interpreter_open(&in, &m, &options, &err));
    KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(uses_half_sums(inside), strcmp(precision, "fast") == 0);
    memcpy(interpreter_tensor(in, interpreter_inputs(in, &count)[0])->data.f, inputs,
           sizeof inputs);
    KIT_OK(interpreter_invoke(in, &err));
    memcpy(got, interpreter_tensor(in, interpreter_outputs(in, &count)[0])->data.f,
           PIXELS * OUTPUTS * sizeof *got);
}

static struct bound_point point_of(size_t i)
{
    struct bound_point p = { .terms = DEPTH, .row = OUTPUTS };

    for (size_t k = 0; k < DEPTH; k++)
        p.value += (double)inputs[i / OUTPUTS * DEPTH + k] * weights[i % OUTPUTS * DEPTH + k];
    p.magnitude = p.value; /* all are positive */
    return p;
}

/* Of 4096 products, in two planes of tile 1: other bits than with f32 sums, within the bounds of
 * class fp16_runs, in which the depth of a sum of f16 is 32. */
TEST(numbers)
{
    static const struct bound_rule dot = { .kind = BOUND_DOT };
    static float fast[PIXELS * OUTPUTS], half[PIXELS * OUTPUTS];
    struct bound_sums sums = { .count = 0 };
    struct bound_sums_verdict verdict;
    size_t different = 0;

    if (!has_float16)
        skip();
    fill(inputs, PIXELS * DEPTH, 0x1p-8f, 1);
    fill(weights, OUTPUTS * DEPTH, 0x1p-10f, 2);
    run_real("fast", 1, fast);
    run_real("fp16", 1, half);
    for (size_t i = 0; i < PIXELS * OUTPUTS; i++) {
        const struct bound_point p = point_of(i);
        const double limit = bound_limit(&dot, BOUNDS_FP16_RUNS, &p);

        if (!bound_check(BOUNDS_FP16_RUNS, limit, p.value, fast[i]).pass)
            fail_msg("element %zu: %g, expected %g, limit %g", i, (double)fast[i], p.value, limit);
        bound_sums_add(&sums, &dot, BOUNDS_FP16_RUNS, &p, fast[i]);
        different += fast[i] != half[i];
    }
    verdict = bound_sums_check(&sums);
    if (!verdict.pass)
        fail_msg("rms %g of %g, mean %g of %g", verdict.rms, verdict.rms_limit, verdict.mean,
                 verdict.mean_limit);
    assert_true(different > 0);
}

static void find_float16(const char *file)
{
    struct assay_gpu_device any = { .struct_size = sizeof any };
    char error[256] = "";

    transform_find_device(file);
    has_float16 = transform_device && assay_gpu_devices(&any, 1, error, sizeof error) > 0 &&
                  any.shader_float16 && any.storage_16bit;
}

TEST_FILE(.before = find_float16);
