/* Several products in a step of gemm.comp, phases of TRANSPOSE_CONV and groups of CONV_2D: windows
 * of all kinds by tiles that have edges there, and what is planned for devices that are not here.
 * The models hold small integers, so that every sum is exact and the delegate must give the bits of
 * the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/gemm.args.h"
#include "delegate/ops/product/gemm.h"
#include "delegate/runtime/kernel.h"

/* ---- on the device ---- */

/* clang-format off */
#define UP(options, dims, weights, x, bias)                                                        \
    "TRANSPOSE_CONV:4 {" options "} i32[4]=" dims " " weights " " x " f32[" bias "]=~4(-2..2) -> y"
static const struct transform_case phases[] = {
    /* Phases of 4, 2, 2 and 1 taps, a last slice of one channel. */
    { "odd", { 2, 3, 5, 5 }, 0, NULL,
      UP("stride_w=2 stride_h=2 fused_activation_function=RELU", "2,6,10,13",
         "f32[13,3,3,5]=~3(-2..2)", "x", "13") },
    /* A tap in each phase, whose inputs lie one behind the other. */
    { "dense", { 2, 3, 5, 12 }, 0, NULL,
      UP("padding=VALID stride_w=2 stride_h=2", "2,6,10,6", "f32[6,2,2,12]=~3(-2..2)", "x", "6") },
    /* The same, but rows have one output more than the filter reaches. */
    { "almost dense", { 2, 3, 5, 8 }, 0, NULL,
      UP("padding=VALID stride_w=2 stride_h=2", "2,6,11,6", "f32[6,2,2,8]=~3(-2..2)", "x", "6") },
    /* Phases without a tap: the bias alone. */
    { "sparse", { 1, 3, 4, 7 }, 0, NULL,
      UP("stride_w=3 stride_h=3", "1,9,12,5", "f32[5,2,1,7]=~3(-2..2)", "x", "5") },
    /* Padding in front, phases of other sizes, a stride of its own along each axis. */
    { "uneven", { 2, 3, 4, 6 }, 0, NULL,
      UP("stride_w=2 stride_h=3", "2,8,7,9", "f32[9,5,4,6]=~3(-2..2)", "x", "9") },
    { "valid", { 1, 4, 5, 9 }, 0, NULL,
      UP("padding=VALID stride_w=1 stride_h=2 fused_activation_function=RELU6", "1,11,7,4",
         "f32[4,4,3,9]=~3(-2..2)", "x", "4") },
    /* Rows that are shorter than the stride. */
    { "narrow", { 3, 5, 1, 8 }, 0, NULL,
      UP("stride_w=4 stride_h=2", "3,10,3,7", "f32[7,3,5,8]=~3(-2..2)", "x", "7") },
    /* Weights that are computed. */
    { "computed", { 5, 3, 4, 11 }, 0, NULL,
      "ABS z -> w; " UP("padding=VALID stride_w=2 stride_h=2", "5,7,10,5", "w", "x", "5") },
    /* Chunks of one tap: 48 slices of channels, two chunks of the smallest tile. */
    { "deep", { 1, 3, 3, 192 }, 0, NULL,
      UP("stride_w=2 stride_h=2", "1,6,5,18", "f32[18,4,3,192]=~3(-2..2)", "x", "18") },
};

#define GROUPS(options, weights, bias)                                                             \
    "CONV_2D {" options "} x f32[" weights "]=~3(-2..2) f32[" bias "]=~4(-2..2) -> y"
static const struct transform_case groups[] = {
    /* Groups of 2 slices to 3: taps that share a chunk, tiles wider than a group. */
    { "grouped", { 2, 5, 7, 24 }, 0, NULL,
      GROUPS("stride_w=1 stride_h=1 fused_activation_function=RELU", "36,3,3,8", "36") },
    /* Groups of 3 slices to 6, in two blocks of columns. */
    { "pointwise", { 1, 3, 5, 24 }, 0, NULL,
      GROUPS("padding=VALID stride_w=1 stride_h=1", "48,1,1,12", "48") },
    /* Chunks of one tap, stride and dilation. */
    { "deep groups", { 1, 3, 5, 384 }, 0, NULL,
      GROUPS("stride_w=2 stride_h=2", "16,2,2,192", "16") },
    { "dilated", { 2, 3, 5, 20 }, 0, NULL,
      GROUPS("padding=VALID stride_w=1 stride_h=1 dilation_w_factor=2 dilation_h_factor=2",
             "20,2,2,4", "20") },
};
/* clang-format on */

/* GEMM_SLICES for any number of them. */
enum { NO_GEMM = 3 };

static uint32_t source_of(const struct gpu_delegate *d)
{
    for (const struct kernel *k = d->kernels; k; k = k->next)
        for (int i = 0; i < k->plan.step_count; i++)
            if (strcmp(k->plan.steps[i]->shader, "gemm") == 0) {
                const uint32_t source = k->plan.steps[i]->spec[GEMM_SPEC_SOURCE];

                return source < GEMM_SLICES ? source : GEMM_SLICES;
            }
    return NO_GEMM;
}

/* tile: from 1 on; past the last one the depth is shared by workgroups; 0: no tiles.  Returns how
 * the inputs are read. */
static uint32_t check_tile(const struct transform_case *c, int tile, bool half, const char *poison)
{
    DELEGATE_BY(d, transform_delegate(half ? "fp16" : "fp32", poison, NULL));
    struct gpu_delegate *inside = d->data_;
    uint32_t source;
    char what[64];

    inside->options.gemm_tile = tile;
    inside->options.any_device = half; /* with its sizes as constants */
    snprintf(what, sizeof what, "tile %d, %s, poison %s", tile, half ? "fp16" : "fp32", poison);
    MODEL_BY(m, transform_model(c, &m));
    INTERPRETER_BY(truth, transform_run(&m, NULL));
    INTERPRETER_BY(got, transform_run(&m, d));
    source = source_of(inside);
    transform_equal(c, what, truth, got);
    return source;
}

/* The smallest tile, which every device allows, whole and with parts of the depth: it has edges in
 * every case, and compiles soonest.  A large one has one workgroup for a product. */
static void check_all(const struct transform_case *cases, int cases_count)
{
    const int count = (int)gemm_tile_count;
    uint32_t sources = 0;

    if (!transform_device)
        skip();
    for (int i = 0; i < cases_count; i++) {
        const bool half = i % 2 == 1;

        sources |= 1u << check_tile(&cases[i], count, half, "nan");
        check_tile(&cases[i], 2 * count, !half, i % 3 == 0 ? "inf" : "nan");
    }
    assert_int_equal(sources, 1u << GEMM_DENSE | 1u << GEMM_TAPS | 1u << GEMM_SLICES);
    check_tile(&cases[0], 5, false, "nan");
    assert_int_equal(check_tile(&cases[0], 0, true, "nan"), NO_GEMM);
}

TEST(all_phases)
{
    check_all(phases, sizeof phases / sizeof phases[0]);
}

TEST(all_groups)
{
    check_all(groups, sizeof groups / sizeof groups[0]);
}

/* ---- without a device ---- */

/* Software and unknown devices, and delegates without the kernel, have the plain ones, and so have
 * groups that are narrow, or share slices. */
TEST(plans)
{
    /* clang-format off */
    static const struct transform_case up = { "odd", { 1, 6, 7, 5 }, 0, NULL,
        UP("stride_w=2 stride_h=2", "1,12,14,13", "f32[13,3,3,5]=~3(-2..2)", "x", "13") };
    static const struct transform_case of_16 = { "16", { 1, 6, 7, 32 }, 0, NULL,
        GROUPS("padding=VALID stride_w=1 stride_h=1", "32,3,3,16", "32") };
    static const struct transform_case to_18 = { "18", { 1, 6, 7, 32 }, 0, NULL,
        GROUPS("padding=VALID stride_w=1 stride_h=1", "36,3,3,16", "36") };
    static const struct transform_case of_18 = { "of 18", { 1, 6, 7, 36 }, 0, NULL,
        GROUPS("padding=VALID stride_w=1 stride_h=1", "32,3,3,18", "32") };
    static const struct transform_case to_8 = { "8", { 1, 6, 7, 32 }, 0, NULL,
        GROUPS("padding=VALID stride_w=1 stride_h=1", "32,3,3,8", "32") };
    /* clang-format on */
    static const struct {
        const struct transform_case *c;
        struct transform_look look;
        const char *shader;
    } rows[] = {
        { &up, { .device_class = DEVICE_NVIDIA }, "gemm" },
        { &up, { .device_class = DEVICE_AMD, .precision = "fp16" }, "gemm" },
        { &up, { .device_class = DEVICE_NVIDIA, .no_kernel = "gemm" }, "transpose_conv" },
        { &up, { .device_class = DEVICE_SOFTWARE }, "transpose_conv" },
        { &up, { .device_class = DEVICE_OTHER }, "transpose_conv" },
        { &of_16, { .device_class = DEVICE_NVIDIA }, "gemm" },
        { &of_16, { .device_class = DEVICE_AMD, .precision = "fp16" }, "gemm" },
        { &of_16, { .device_class = DEVICE_NVIDIA, .no_kernel = "gemm" }, "conv_2d_grouped" },
        { &of_16, { .device_class = DEVICE_SOFTWARE }, "conv_2d_grouped" },
        { &to_18, { .device_class = DEVICE_NVIDIA }, "conv_2d_grouped" },
        { &of_18, { .device_class = DEVICE_NVIDIA }, "conv_2d_grouped" },
        { &to_8, { .device_class = DEVICE_NVIDIA }, "conv_2d_grouped" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(transform_planned(rows[i].c, rows[i].look).shader, rows[i].shader);
}

static struct gemm_args args_of(const struct plan_step *s)
{
    struct gemm_args args;

    assert_string_equal(s->shader, "gemm");
    assert_int_equal(s->push_bytes, sizeof args);
    memcpy(&args, s->push, sizeof args);
    return args;
}

/* One dispatch has the workgroups of all phases; the order of sums is that of one image, whatever
 * the batch. */
TEST(one_dispatch)
{
    /* clang-format off */
    static const struct transform_case one = { "odd", { 1, 6, 7, 16 }, 0, NULL,
        UP("stride_w=2 stride_h=2 fused_activation_function=RELU", "1,12,14,13",
           "f32[13,3,3,16]=~3(-2..2)", "x", "13") };
    static const struct transform_case many = { "odd", { 500, 6, 7, 16 }, 0, NULL,
        UP("stride_w=2 stride_h=2 fused_activation_function=RELU", "500,12,14,13",
           "f32[13,3,3,16]=~3(-2..2)", "x", "13") };
    /* clang-format on */
    const struct transform_look nvidia = { .device_class = DEVICE_NVIDIA };
    const struct plan_step a = transform_planned(&one, nvidia).step,
                           b = transform_planned(&many, nvidia).step;
    const uint32_t tile_rows = a.spec[1] * a.spec[GEMM_SPEC_ROWS];
    const struct gemm_args args = args_of(&b);

    assert_int_equal(a.spec_count, b.spec_count);
    assert_memory_equal(a.spec, b.spec, sizeof a.spec);
    assert_int_equal(a.spec[GEMM_SPEC_FLAGS] & GEMM_PHASES, GEMM_PHASES);
    assert_int_equal(args.pixels, 500 * 12 * 14);
    assert_int_equal(args.depth, 4 * 4);
    assert_int_equal(args.count, 4 * ((500 * 6 * 7 + tile_rows - 1) / tile_rows));
    assert_int_equal(b.groups[0], args.count);
    /* The first workgroup writes rows that are apart: it cannot run ahead into a part of dst. */
    assert_int_equal(a.first_bytes, 0);
}

/* So it has those of all groups. */
TEST(one_dispatch_of_groups)
{
    /* clang-format off */
    static const struct transform_case c = { "16", { 500, 6, 7, 32 }, 0, NULL,
        GROUPS("padding=VALID stride_w=1 stride_h=1", "32,3,3,16", "32") };
    /* clang-format on */
    const struct plan_step s =
        transform_planned(&c, (struct transform_look){ .device_class = DEVICE_NVIDIA }).step;
    const uint32_t tile_rows = s.spec[1] * s.spec[GEMM_SPEC_ROWS];
    const struct gemm_args args = args_of(&s);

    assert_int_equal(s.spec[GEMM_SPEC_GROUPS], 2);
    assert_int_equal(args.pixels, 500 * 4 * 5);
    assert_int_equal(args.depth, 9 * 4);
    assert_int_equal(args.count, 2 * ((500 * 4 * 5 + tile_rows - 1) / tile_rows));
    assert_int_equal(s.first_bytes, tile_rows * s.bindings[0].bytes / args.pixels);
}

/* Inputs are read without a window where all phases have one tap and no padding.  A chunk that is
 * no part of a tap may end past the depth of a phase that has fewer taps than another. */
TEST(sources)
{
    static const bool dense[] = { false, true, false, true }; /* of the first phases */
    const struct transform_look nvidia = { .device_class = DEVICE_NVIDIA };

    for (size_t i = 0; i < sizeof dense / sizeof dense[0]; i++) {
        const struct plan_step s = transform_planned(&phases[i], nvidia).step;

        assert_int_equal(s.spec[GEMM_SPEC_SOURCE] == GEMM_DENSE, dense[i]);
        assert_int_equal((s.spec[GEMM_SPEC_FLAGS] & GEMM_TAIL) != 0,
                         args_of(&s).window.in_slices % s.spec[GEMM_SPEC_DEPTH] != 0);
    }
}

TEST_FILE(.before = transform_find_device);
