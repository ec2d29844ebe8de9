/* Small results are written straight into the host's memory, on devices whose own memory the host
 * does not read: which outputs these are, and that they hold the bits of the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/runtime/kernel.h"

static void alone(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_binary(b, BUILTIN_ADD, x, kit_integers(b, KIT_DIMS(x.dims[3]), 3), 0);
}

/* The output is read by another node, too. */
static void read_again(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                       struct kit_tensor out[3])
{
    alone(b, x, z, out);
    out[1] = kit_conv_2d(b, out[0], (struct kit_conv){ .channels = 4 });
}

/* The step that computes it reads what it holds. */
static void residual(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor r = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor y = kit_conv_2d(b, x, (struct kit_conv){ .same = true });

    out[0] = kit_binary(b, BUILTIN_ADD, y, r.index, kTfLiteActRelu6);
}

/* One step writes both halves. */
static void joined(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                   struct kit_tensor out[3])
{
    struct kit_tensor y = kit_tensor(b, "y", KIT_DIMS(1, 1, 1, 2 * x.dims[3]));
    struct options o;

    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", 3);
    builder_op(b, BUILTIN_CONCATENATION, 1, &o, 2,
               (int[]){ kit_unary(b, BUILTIN_RELU, x).index, kit_unary(b, BUILTIN_NEG, z).index },
               1, &y.index);
    out[0] = y;
}

static const struct {
    struct transform_case c;
    int stores; /* steps that copy outputs */
} rows[] = {
    { { "one row, padded", alone, { 1, 1, 1, 7 }, 0, NULL, NULL }, 0 },
    { { "one row", alone, { 1, 1, 1, 8 }, 0, NULL, NULL }, 0 },
    { { "rows, padded", alone, { 1, 1, 2, 7 }, 0, NULL, NULL }, 1 },
    { { "rows", alone, { 1, 2, 3, 8 }, 0, NULL, NULL }, 0 },
    { { "4096 elements", alone, { 1, 1, 1, 4096 }, 0, NULL, NULL }, 0 },
    { { "too large", alone, { 1, 1, 3, 4096 }, 0, NULL, NULL }, 1 },
    { { "read again", read_again, { 1, 1, 1, 8 }, 0, NULL, NULL }, 1 },
    { { "residual", residual, { 1, 1, 1, 8 }, 0, NULL, NULL }, 1 },
    { { "joined", joined, { 1, 1, 1, 8 }, 0, NULL, NULL }, 0 },
};
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
        const int outputs = rows[i].c.build == read_again ? 2 : 1;

        check(&rows[i].c, false, false, rows[i].stores);
        check(&rows[i].c, true, false, rows[i].stores);
        check(&rows[i].c, false, true, outputs);
    }
}

TEST_FILE(.before = transform_find_device);
