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
/* A sum with -infinity is the lowest number, as ADD makes it, so that SOFTMAX is no NaN. */
static const struct transform_case masked_whole = {
    "masked whole", { 1, 1, 2, 64 }, 0, NULL,
    "ABS z -> a; ADD {} a f32[]=1 -> b; MUL {} b f32[]=-inf -> r; "
    CONV("", "64,1,1,64", "64", "c") "ADD {} c r -> t; SOFTMAX {beta=1} t -> y"
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof cases[0] };

static void check(const struct transform_case *c, bool half, const char *poison)
{
    TfLiteDelegate *d = transform_delegate(half ? "fp16" : "fp32", poison, NULL);
    struct gpu_delegate *inside = d->data_;
    uint32_t *const most = &inside->device->limits.max_workgroup_count[0], whole = *most;
    char what[64];

    inside->options.any_device = true;
    *most = 5; /* a grid has more workgroups than there are blocks */
    snprintf(what, sizeof what, "%s, poison %s", half ? "fp16" : "fp32", poison);
    assert_int_equal(transform_agree(c, what, d, "matvec", 0), 1);
    *most = whole;
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
    check(&masked_whole, false, "nan");
    check(&masked_whole, true, "nan");
}

/* ---- without a device ---- */

/* Few rows of many channels on a device that was measured. */
TEST(chosen)
{
    /* clang-format off */
    static const struct {
        struct transform_case c;
        struct transform_look look;
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
        const struct transform_look got = transform_planned(&rows[i].c, rows[i].look);

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
            const struct transform_look got = transform_planned(
                &cases[c], (struct transform_look){ DEVICE_NVIDIA, .invocations = allowed[i] });
            const uint32_t x = got.step.spec[0];

            assert_string_equal(got.shader, "matvec");
            assert_true(x > 0 && (x & (x - 1)) == 0 && x <= 256);
            assert_true(allowed[i] == 0 || x <= allowed[i]);
            assert_int_equal(got.step.shared_bytes, 16 * x);
            assert_true(got.step.spec[7] >= 1 && got.step.spec[7] <= 8);
        }
}

TEST_FILE(.before = transform_find_device);
