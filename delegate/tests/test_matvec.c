/* Products of a few rows (matvec.comp): edges of rows, slices and planes, residuals and
 * activations, and when the kernel is chosen.  The models hold small integers, so that every sum is
 * exact and the delegate must give the bits of the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/runtime/kernel.h"

/* ---- on the device ---- */

/* clang-format off */
#define CONV(options, weights, channels, y)                                                        \
    "CONV_2D {" options "stride_w=1 stride_h=1} x f32[" weights "]=~3(-2..2) f32[" channels        \
    "]=~4(-2..2) -> " y "; "
#define WIDE(depth)                                                                                \
    "FULLY_CONNECTED {fused_activation_function=RELU} x f32[261," depth                            \
    "]=~5(-2..2) f32[261]=~6(-2..2) -> y"
#define PIXEL(depth)                                                                               \
    CONV("padding=VALID fused_activation_function=RELU6 ", "18,1,1," depth, "18", "y")

static const struct transform_case cases[] = {
    { "wide", { 1, 1, 1, 256 }, 0, NULL, WIDE("256") },
    { "last lanes", { 1, 1, 3, 253 }, 0, NULL, WIDE("253") },
    /* So few output slices that a workgroup has more columns than there are. */
    { "narrow", { 2, 1, 1, 67 }, 0, NULL, CONV("padding=VALID ", "3,1,1,67", "3", "y") },
    { "pixel", { 1, 1, 1, 130 }, 0, NULL, PIXEL("130") },
    { "pixels", { 3, 1, 1, 130 }, 0, NULL, PIXEL("130") },
    /* A tensor is added to the product before the activation. */
    { "residual", { 1, 1, 2, 86 }, 0, NULL,
      "RELU z -> r; " CONV("", "86,1,1,86", "86", "c")
      "ADD {fused_activation_function=RELU6} c r -> y" },
    /* More input slices than all planes load at once. */
    { "deep", { 1, 1, 1, 4165 }, 0, NULL, CONV("padding=VALID ", "9,1,1,4165", "9", "y") },
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof cases[0] };

static int matvec_steps(const struct gpu_delegate *d)
{
    int count = 0;

    for (const struct kernel *k = d->kernels; k; k = k->next)
        for (int i = 0; i < k->plan.step_count; i++)
            count += strcmp(k->plan.steps[i]->shader, "matvec") == 0;
    return count;
}

static void check(const struct transform_case *c, bool half, const char *poison)
{
    TfLiteDelegate *d = transform_delegate(half ? "fp16" : "fp32", poison, NULL);
    struct gpu_delegate *inside = d->data_;
    struct interpreter *truth, *got;
    struct model m;
    char what[64];

    inside->options.any_device = true;
    snprintf(what, sizeof what, "%s, poison %s", half ? "fp16" : "fp32", poison);
    transform_model(c, &m);
    truth = transform_run(&m, NULL);
    got = transform_run(&m, d);
    assert_int_equal(matvec_steps(inside), 1);
    transform_equal(c, what, truth, got);
    interpreter_close(got);
    interpreter_close(truth);
    model_close(&m);
    assay_gpu_delegate_destroy(d);
}

TEST(products)
{
    if (!transform_device)
        skip();
    for (int i = 0; i < CASES; i++) {
        check(&cases[i], false, "nan");
        check(&cases[i], false, "inf");
        check(&cases[i], true, "nan");
    }
}

/* ---- without a device ---- */

struct look {
    enum device_class device_class;
    const char *no_kernel;
    const char *shader; /* that the plan has */
    struct plan_step step;
    uint32_t invocations; /* of a workgroup, which the device allows; 0: as many as a large one */
};

static void look_at_plan(struct graph *g, void *user)
{
    struct look *look = user;
    const char *pairs[] = { look->no_kernel ? "no_kernel" : NULL, look->no_kernel, NULL };
    struct gpu_options o = gpu_options_of(pairs);
    struct device_limits limits = gpu_large_limits();
    struct diag diag = { 0 };
    struct plan p;

    limits.device_class = look->device_class;
    if (look->invocations)
        limits.max_workgroup_invocations = look->invocations;
    gpu_plan_graph(&p, g, &o, &limits, &diag);
    look->shader = NULL;
    for (int i = 0; i < p.step_count; i++)
        if (p.steps[i]->node >= 0) {
            look->shader = p.steps[i]->shader;
            look->step = *p.steps[i];
        }
    plan_close(&p);
    options_close(&o);
}

static struct look planned(const struct transform_case *c, struct look look)
{
    struct model m;

    transform_model(c, &m);
    gpu_look(&m, look_at_plan, &look);
    model_close(&m);
    return look;
}

/* Few rows of many channels on a device that was measured. */
TEST(chosen)
{
    /* clang-format off */
    static const struct {
        struct transform_case c;
        struct look look;
        bool matvec;
    } rows[] = {
        { { "pixel", { 1, 1, 1, 64 }, 0, NULL, PIXEL("64") },
          { .device_class = DEVICE_NVIDIA }, true },
        { { "3 rows", { 3, 1, 1, 64 }, 0, NULL, PIXEL("64") }, { .device_class = DEVICE_AMD },
          true },
        { { "4 images", { 4, 1, 1, 64 }, 0, NULL, PIXEL("64") },
          { .device_class = DEVICE_NVIDIA }, true },
        { { "4 pixels", { 1, 1, 4, 64 }, 0, NULL, PIXEL("64") },
          { .device_class = DEVICE_NVIDIA }, false },
        { { "shallow", { 1, 1, 1, 60 }, 0, NULL, PIXEL("60") },
          { .device_class = DEVICE_NVIDIA }, false },
        { { "software", { 1, 1, 1, 64 }, 0, NULL, PIXEL("64") },
          { .device_class = DEVICE_SOFTWARE }, false },
        { { "unknown", { 1, 1, 1, 64 }, 0, NULL, PIXEL("64") },
          { .device_class = DEVICE_OTHER }, false },
        { { "off", { 1, 1, 1, 64 }, 0, NULL, PIXEL("64") },
          { DEVICE_NVIDIA, .no_kernel = "matvec" }, false },
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct look got = planned(&rows[i].c, rows[i].look);

        if ((strcmp(got.shader, "matvec") == 0) != rows[i].matvec)
            fail_msg("%s: planned as %s", rows[i].c.name, got.shader);
    }
}

/* The shader halves the planes: a workgroup is a power of two within the limits of the device. */
TEST(workgroups)
{
    static const uint32_t allowed[] = { 0, 256, 200, 128, 64 };

    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        for (int c = 0; c < CASES; c++) {
            const struct look got =
                planned(&cases[c], (struct look){ DEVICE_NVIDIA, .invocations = allowed[i] });
            const uint32_t x = got.step.spec[0];

            assert_string_equal(got.shader, "matvec");
            assert_true(x > 0 && (x & (x - 1)) == 0 && x <= 256);
            assert_true(allowed[i] == 0 || x <= allowed[i]);
            assert_int_equal(got.step.shared_bytes, 16 * x);
            assert_true(got.step.spec[7] >= 1 && got.step.spec[7] <= 8);
        }
}

TEST_FILE(.before = transform_find_device);
