/* Random graphs on a device: the memory layout changes no bit of a result.  Skipped without a
 * device. */
#include "delegate/tests/kit/dag.h"
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"

#include <math.h>

/* A delegate with key=value options, and an interpreter that has run a model with it once. */
struct run {
    TfLiteDelegate *delegate;
    struct interpreter *in;
};

static struct run run_model(const struct model *m, uint64_t seed, const char *const *pairs)
{
    struct run r = { .delegate = pairs ? kit_delegate(pairs) : NULL };

    r.in = kit_open(m, r.delegate);
    kit_fill_inputs(r.in, seed);
    KIT_OK(interpreter_invoke(r.in, &err));
    return r;
}

static void run_close(struct run *r)
{
    interpreter_close(r->in);
    tflite_plugin_destroy_delegate(r->delegate);
}

#define IN_ALL_PARTITIONS(...) ((const char *const[]){ "max_partitions", "0", __VA_ARGS__, NULL })

/* Outputs of a are outputs of b, with the same bits. */
static void same_bits(struct run *a, struct run *b, uint64_t seed, const char *what)
{
    size_t na, nb, found = 0;
    const int *const oa = interpreter_outputs(a->in, &na);
    const int *const ob = interpreter_outputs(b->in, &nb);

    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++) {
            const TfLiteTensor *const x = interpreter_tensor(a->in, oa[i]);
            const TfLiteTensor *const y = interpreter_tensor(b->in, ob[j]);

            if (oa[i] != ob[j])
                continue;
            found++;
            assert_int_equal(x->bytes, y->bytes);
            if (memcmp(x->data.raw, y->data.raw, x->bytes) != 0)
                fail_msg("seed %llu: %s: tensor %d differs", (unsigned long long)seed, what, oa[i]);
        }
    assert_int_equal(found, na);
}

static void close_to(struct run *truth, struct run *r, double tolerance, uint64_t seed)
{
    size_t count;
    const int *const outputs = interpreter_outputs(truth->in, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const x = interpreter_tensor(truth->in, outputs[i]);
        const TfLiteTensor *const y = interpreter_tensor(r->in, outputs[i]);

        for (size_t j = 0; j < x->bytes / sizeof(float); j++)
            if (!(fabs((double)x->data.f[j] - (double)y->data.f[j]) <=
                  tolerance * fmax(1, fabs((double)x->data.f[j]))))
                fail_msg("seed %llu: tensor %d, element %zu: %g, not %g", (unsigned long long)seed,
                         outputs[i], j, (double)y->data.f[j], (double)x->data.f[j]);
    }
}

static int in_place_steps(const struct run *r)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    assert_int_equal(assay_gpu_get_stats(r->delegate, &stats), 0);
    return stats.in_place;
}

/* In place or not, and with every intermediate as an output. */
static void same_bits_wherever(const char *precision, double tolerance, uint64_t first,
                               uint64_t last)
{
    int in_place = 0;

    for (uint64_t seed = first; seed <= last; seed++) {
        MODEL_BY(plain, dag_make(&plain, seed, 4 + (int)(seed % 28), false));
        MODEL_BY(exposed, dag_make(&exposed, seed, 4 + (int)(seed % 28), true));
        struct run truth CLOSED_BY(run_close) = run_model(&plain, seed, NULL);
        /* Rewrites change rounding in fp16; this test is about memory. */
        struct run on CLOSED_BY(run_close) = run_model(
            &plain, seed,
            IN_ALL_PARTITIONS("precision", precision, "in_place", "1", "no_transform", "all"));
        struct run off CLOSED_BY(run_close) = run_model(
            &plain, seed,
            IN_ALL_PARTITIONS("precision", precision, "in_place", "0", "no_transform", "all"));
        struct run all CLOSED_BY(run_close) = run_model(
            &exposed, seed, IN_ALL_PARTITIONS("precision", precision, "no_transform", "all"));
        assert_int_equal(interpreter_partition_count(on.in), 1);
        close_to(&truth, &on, tolerance, seed);
        same_bits(&on, &off, seed, "not in place");
        same_bits(&on, &all, seed, "every intermediate an output");
        assert_int_equal(in_place_steps(&off), 0);
        in_place += in_place_steps(&on);
    }
    assert_true(in_place > (int)(last - first));
}

TEST(full_precision)
{
    same_bits_wherever("fp32", 1e-4, 1, 20);
}

TEST(half_precision)
{
    same_bits_wherever("fp16", 0.1, 31, 42);
}

/* With the rewrites, exposing an intermediate may keep one from firing: in fp32 no bit changes. */
TEST(rewritten)
{
    for (uint64_t seed = 51; seed <= 62; seed++) {
        MODEL_BY(plain, dag_make(&plain, seed, 4 + (int)(seed % 28), false));
        MODEL_BY(exposed, dag_make(&exposed, seed, 4 + (int)(seed % 28), true));
        struct run on CLOSED_BY(run_close) =
            run_model(&plain, seed, IN_ALL_PARTITIONS("precision", "fp32"));
        struct run all CLOSED_BY(run_close) =
            run_model(&exposed, seed, IN_ALL_PARTITIONS("precision", "fp32"));
        same_bits(&on, &all, seed, "every intermediate an output");
    }
}

/* ---- a graph that exceeds the memory of the device ---- */

/* x -> RELU -> RELU of 2^17 f32, not as a chain: staging and arena are more than 1 MiB. */
TEST(too_much_memory)
{
    struct builder b;
    struct assay_gpu_refusal r = { .struct_size = sizeof r };
    int t[3];

    builder_init(&b);
    for (int i = 0; i < 3; i++)
        t[i] = builder_tensor(&b, TENSOR_FLOAT32, "t", 2, (int32_t[]){ 1 << 10, 1 << 7 });
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[0], 1, &t[1]);
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[1], 1, &t[2]);
    builder_inputs(&b, 1, &t[0]);
    builder_outputs(&b, 1, &t[2]);
    MODEL_BY(m, KIT_OK(builder_finish(&b, &m, &err)));
    struct run truth CLOSED_BY(run_close) = run_model(&m, 1, NULL);
    struct run high CLOSED_BY(run_close) =
        run_model(&m, 1, IN_ALL_PARTITIONS("memory_limit", "2", "no_transform", "chain"));
    assert_string_equal(kit_said, "");
    assert_int_equal(interpreter_partition_count(high.in), 1);
    struct run low CLOSED_BY(run_close) =
        run_model(&m, 1, IN_ALL_PARTITIONS("memory_limit", "1", "no_transform", "chain"));
    /* Once for both nodes. */
    assert_string_equal(kit_said, "WARNING: op code #19 cannot be handled by this delegate.\n");
    assert_int_equal(interpreter_partition_count(low.in), 0);
    assert_int_equal(assay_gpu_refusal_count(low.delegate), 2);
    assert_int_equal(assay_gpu_get_refusal(low.delegate, 1, &r), 0);
    assert_int_equal(r.node, 1);
    assert_string_equal(r.op, "RELU");
    assert_string_equal(r.rule, "limits.partition");
    assert_string_equal(r.field, "device memory");
    assert_string_equal(r.value, "1572864 bytes");
    assert_string_equal(r.limit, "1048576 bytes, free of 1048576");
    assert_true(r.hint[0]);
    same_bits(&truth, &low, 1, "on the CPU");
    same_bits(&truth, &high, 1, "on the device");
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = kit_find_device, .needs = &kit_device);
