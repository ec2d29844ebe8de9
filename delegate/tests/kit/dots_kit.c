#include "delegate/tests/kit/dots_kit.h"

#include "delegate/tests/kit/gpu_kit.h"

#include "delegate/runtime/kernel.h"

static char said[2048]; /* what the host was told */

struct run {
    TfLiteDelegate *delegate;
    struct interpreter *in;
};

static void listen(void *user, const char *format, va_list args)
{
    (void)user;
    vsnprintf(said, sizeof said, format, args);
}

static void reported(const char *text)
{
    snprintf(said, sizeof said, "%s", text);
}

int dots_merged;
int dots_tiled;
int dots_fill = -1;

/* variant: workgroup_variant. */
static struct run run_model(const struct model *m, uint64_t seed, const char *packed_dot,
                            int variant)
{
    const struct interpreter_options options = { .report = listen };
    const char *const keys[] = { "quantized", "packed_dot", "poison" };
    const char *const values[] = { "exact", packed_dot, "junk" };
    struct run r = { .delegate = NULL };
    const TfLiteTensor *x;
    size_t count;

    said[0] = '\0';
    if (packed_dot && !(r.delegate = tflite_plugin_create_delegate(keys, values, 3, reported)))
        fail_msg("%s", said);
    if (r.delegate)
        ((struct gpu_delegate *)r.delegate->data_)->options.workgroup_variant = variant;
    KIT_OK(interpreter_open(&r.in, m, &options, &err));
    if (r.delegate) {
        KIT_OK(interpreter_apply_delegate(r.in, r.delegate, NULL, &err));
        assert_int_equal(assay_gpu_refusal_count(r.delegate), 0);
    }
    KIT_OK(interpreter_allocate(r.in, &err));
    x = interpreter_tensor(r.in, interpreter_inputs(r.in, &count)[0]);
    assert_int_equal(count, 1);
    for (size_t i = 0; i < x->bytes; i++)
        x->data.uint8[i] = (uint8_t)(dots_fill < 0 ? kit_random(&seed) : (uint64_t)dots_fill);
    KIT_OK(interpreter_invoke(r.in, &err));
    if (r.delegate) {
        struct assay_gpu_stats stats = { .struct_size = sizeof stats };

        assert_int_equal(assay_gpu_get_stats(r.delegate, &stats), 0);
        dots_merged = stats.merged;
        dots_tiled =
            gpu_steps_of(r.delegate, "gemm_int8") + gpu_steps_of(r.delegate, "depthwise_run_int8");
    }
    return r;
}

static void run_close(struct run *r)
{
    interpreter_close(r->in);
    tflite_plugin_destroy_delegate(r->delegate);
}

/* How many distinct bytes the output has. */
static int values_of(const struct run *r)
{
    bool seen[256] = { false };
    const TfLiteTensor *y;
    size_t count;
    int n = 0;

    y = interpreter_tensor(r->in, interpreter_outputs(r->in, &count)[0]);
    for (size_t i = 0; i < y->bytes; i++)
        seen[y->data.uint8[i]] = true;
    for (int i = 0; i < 256; i++)
        n += seen[i];
    return n;
}

static void same(const struct run *truth, const struct model *m, int seed, const char *packed_dot,
                 int variant)
{
    struct run r CLOSED_BY(run_close) = run_model(m, (uint64_t)seed, packed_dot, variant);

    if (said[0])
        fail_msg("seed %d: %s", seed, said);
    kit_same_outputs(truth->in, r.in, (unsigned long long)seed);
}

int dots_check(const struct model *m, int seed)
{
    struct run truth CLOSED_BY(run_close) = run_model(m, (uint64_t)seed, NULL, 0);
    const int values = values_of(&truth);

    same(&truth, m, seed, "0", 0);
    same(&truth, m, seed, "1", 0);
    return values;
}

int dots_check_variants(const struct model *m, int seed, int first, int count)
{
    struct run truth CLOSED_BY(run_close) = run_model(m, (uint64_t)seed, NULL, 0);
    const int values = values_of(&truth);

    for (int v = first; v < first + count; v++)
        same(&truth, m, seed, (v + seed) % 2 ? "1" : "0", v);
    return values;
}
