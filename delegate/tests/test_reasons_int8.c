/* Why rewrites are not applied and faster kernels are not used in 8-bit graphs: a row for each
 * reason.  The devices need not be here. */
#include "delegate/tests/kit/dots_net.h"
#include "delegate/tests/kit/plan_look.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "tensorflow/lite/c/builtin_op_data.h"

static void software(struct device_limits *l)
{
    l->device_class = DEVICE_SOFTWARE;
}

static void nvidia(struct device_limits *l)
{
    l->device_class = DEVICE_NVIDIA;
}

typedef bool make_net(struct net *, struct model *);

/* LOGISTIC, which does not round to steps, and RELU. */
static bool make_logistic(struct net *n, struct model *m)
{
    (void)n;
    kit_text(m, "LOGISTIC:2 x:i8[1,4]q(0.1,3) -> t:i8q(0.00390625,-128)\n"
                "RELU:2 t -> y:i8q(0.00390625,-128)");
    return true;
}

/* 8 channels of 32,768 pixels, of windows of 2 input slices. */
static bool make_narrow(struct net *n, struct model *m)
{
    (void)n;
    kit_text(m, "CONV_2D:3 {stride_w=1 stride_h=1} x:i8[1,128,256,8]q(0.1,3) "
                "i8[8,3,3,8]=~7q(0.01) i32[8]=~7q(0.001) -> y:i8q(0.1,-20)");
    return true;
}

struct quantized_row {
    make_net *make;
    void (*device)(struct device_limits *);
    const char *quantized, *no_kernel;
    enum reason_kind kind;
    int id;
    const char *text;
    int kernel; /* of the window; 0: by the seed */
};
static const struct quantized_row quantized_rows[] = {
    { net_make_dense, NULL, "exact", NULL, REASON_TRANSFORM, TRANSFORM_product,
      "quantized: it is computed in integers", 0 },
    { make_logistic, NULL, "float_view", NULL, REASON_TRANSFORM, TRANSFORM_rounding,
      "the kernel of LOGISTIC 0 does not round, or rounds already", 0 },
    { net_make_conv, NULL, "exact", NULL, REASON_KERNEL, KERNEL_gemm_int8,
      "the plain kernel loads 16 inputs at once, which is as fast", 1 },
    { make_narrow, nvidia, "exact", NULL, REASON_KERNEL, KERNEL_gemm_int8,
      "32768 pixels of 8 output channels, at most 16", 0 },
    { net_make_conv, software, "exact", NULL, REASON_KERNEL, KERNEL_gemm_int8,
      "class software: slower, as measured on lavapipe", 0 },
    { net_make_conv, NULL, "exact", "gemm_int8", REASON_KERNEL, KERNEL_gemm_int8,
      "option no_kernel=gemm_int8", 0 },
    { net_make_depthwise, software, "exact", NULL, REASON_KERNEL, KERNEL_depthwise_int8,
      "class software: slower, as measured on lavapipe", 3 },
    { net_make_depthwise, NULL, "exact", "depthwise_int8", REASON_KERNEL, KERNEL_depthwise_int8,
      "option no_kernel=depthwise_int8", 3 },
    { net_make_depthwise, nvidia, "exact", NULL, REASON_KERNEL, KERNEL_depthwise_int8,
      "several results of a channel, dilation, a window of more than", 2 },
    { net_make_conv, NULL, "float_view", NULL, REASON_KERNEL, KERNEL_half_rows,
      "float view: the CPU converts it from or to 8 bits", 0 },
};

TEST(each_quantized_reason)
{
    for (size_t i = 0; i < sizeof quantized_rows / sizeof quantized_rows[0]; i++) {
        const struct quantized_row *const r = &quantized_rows[i];
        const char *const pairs[] = { "quantized",
                                      r->quantized,
                                      "precision",
                                      r->quantized[0] == 'f' ? "fp16" : "fp32",
                                      r->no_kernel ? "no_kernel" : NULL,
                                      r->no_kernel,
                                      NULL };
        struct plan_look l = { .pairs = pairs, .device = r->device };
        const char *found;
        struct model m CLOSED_BY(model_close);
        struct net n;

        net_begin(&n, 5, false);
        n.batch = 1;
        n.height = n.width = 9;
        n.channels = 8;
        n.outputs = 8;
        n.dilation_h = n.dilation_w = n.stride_h = n.stride_w = 1;
        n.multiplier = r->kernel == 2 ? 2 : 1;
        if (r->kernel > 0)
            n.kernel_h = n.kernel_w = r->kernel;
        assert_true(r->make(&n, &m));
        l.m = &m;
        gpu_look(&m, plan_look_at, &l);
        found = plan_look_reason(&l.plan, r->kind, r->id, r->text);
        if (!found || !strstr(found, r->text))
            fail_msg("row %zu: expected \"%s\", found \"%s\"", i, r->text, found ? found : "none");
        plan_close(&l.plan);
    }
}
