/* Small results are written straight into the host's memory, on devices whose own memory the host
 * does not read: which outputs these are, and that they hold the bits of the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/runtime/kernel.h"

/* clang-format off */
#define ALONE(channels) "ADD {} x f32[" channels "]=~3(-2..2) -> y; "
static const struct {
    struct transform_case c;
    int stores; /* steps that copy outputs */
    int outputs;
} rows[] = {
    { { "one row, padded", { 1, 1, 1, 7 }, 0, NULL, ALONE("7") }, 0, 1 },
    { { "one row", { 1, 1, 1, 8 }, 0, NULL, ALONE("8") }, 0, 1 },
    { { "rows, padded", { 1, 1, 2, 7 }, 0, NULL, ALONE("7") }, 1, 1 },
    { { "rows", { 1, 2, 3, 8 }, 0, NULL, ALONE("8") }, 0, 1 },
    { { "4096 elements", { 1, 1, 1, 4096 }, 0, NULL, ALONE("4096") }, 0, 1 },
    { { "too large", { 1, 1, 3, 4096 }, 0, NULL, ALONE("4096") }, 1, 1 },
    /* The output is read by another node, too. */
    { { "read again", { 1, 1, 1, 8 }, 0, NULL,
        ALONE("8") "CONV_2D {padding=VALID stride_w=1 stride_h=1} y f32[4,1,1,8]=~3(-2..2) "
        "f32[4]=~4(-2..2) -> u; outputs y u" }, 1, 2 },
    /* The step that computes it reads what it holds. */
    { { "residual", { 1, 1, 1, 8 }, 0, NULL,
        "RELU z -> r; CONV_2D {stride_w=1 stride_h=1} x f32[8,1,1,8]=~3(-2..2) f32[8]=~4(-2..2) "
        "-> c; ADD {fused_activation_function=RELU6} c r -> y" }, 1, 1 },
    /* One step writes both halves. */
    { { "joined", { 1, 1, 1, 8 }, 0, NULL,
        "RELU x -> r; NEG z -> n; CONCATENATION {axis=3} r n -> y" }, 0, 1 },
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

static int stores(const struct gpu_delegate *d)
{
    int count = 0;

    for (const struct kernel *k = d->kernels; k; k = k->next)
        for (int i = 0; i < k->plan.step_count; i++)
            count += k->plan.steps[i]->bindings[0].location == LOCATION_OUTPUT &&
                     strcmp(k->plan.steps[i]->label, "store") == 0 && !k->plan.steps[i]->idle;
    return count;
}

/* The device is as one of its own memory, which the host does not read. */
static void check(const struct transform_case *c, bool half, bool off, int want)
{
    TfLiteDelegate *d = transform_delegate(half ? "fp16" : "fp32", "nan", NULL);
    struct gpu_delegate *inside = d->data_;
    const bool before = inside->device->limits.zero_copy_outputs;
    struct interpreter *truth, *got;
    struct model m;
    char what[64];

    inside->device->limits.zero_copy_outputs = false;
    if (off)
        inside->options.no_kernel |= 1u << KERNEL_small_outputs;
    inside->options.poison = POISON_OFF; /* it writes padding by steps of its own */
    snprintf(what, sizeof what, "%s%s", half ? "fp16" : "fp32", off ? ", off" : "");
    transform_model(c, &m);
    truth = transform_run(&m, NULL);
    got = transform_run(&m, d);
    if (stores(inside) != want)
        fail_msg("%s: %s: %d steps store, not %d", c->name, what, stores(inside), want);
    transform_equal(c, what, truth, got);
    interpreter_close(got);
    interpreter_close(truth);
    model_close(&m);
    inside->device->limits.zero_copy_outputs = before;
    assay_gpu_delegate_destroy(d);
}

TEST(which_outputs)
{
    if (!transform_device)
        skip();
    for (int i = 0; i < ROWS; i++) {
        check(&rows[i].c, false, false, rows[i].stores);
        check(&rows[i].c, true, false, rows[i].stores);
        check(&rows[i].c, false, true, rows[i].outputs);
    }
}

TEST_FILE(.before = transform_find_device);
