/* The delegate in the reference interpreter; skipped without a device. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "assay_gpu.h"
#include "delegate/runtime/kernel_callbacks.h"
#include "delegate/vulkan/device.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>

/* The ops of the random graphs (except MEAN) round once: the delegate's values are within an ULP of
 * the reference's. */
static void expect_close(struct interpreter *a, struct interpreter *b, uint64_t seed)
{
    size_t count;
    const int *outputs = interpreter_outputs(a, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *x = interpreter_tensor(a, outputs[i]);
        const TfLiteTensor *y = interpreter_tensor(b, outputs[i]);

        assert_int_equal(x->bytes, y->bytes);
        for (size_t j = 0; j < x->bytes / sizeof(float); j++)
            if (!(fabsf(x->data.f[j] - y->data.f[j]) <= 1e-4f * fmaxf(1, fabsf(x->data.f[j]))))
                fail_msg("seed %llu: output %zu, element %zu: %g and %g", (unsigned long long)seed,
                         i, j, (double)x->data.f[j], (double)y->data.f[j]);
    }
}

/* Random graphs.  With every intermediate tensor as an output, the graph's own outputs have the
 * same bits as without. */
TEST(random_graphs)
{
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end);

    d = kit_delegate(WITH("max_partitions", "0"));
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const int nodes = 3 + (int)(seed % 30);
        size_t na, nb;
        const int *oa, *ob;

        MODEL_BY(plain, kit_random_graph(&plain, seed, nodes, 0));
        MODEL_BY(exposed, kit_random_graph(&exposed, seed, nodes, 8));
        INTERPRETER(a, &plain, d);
        INTERPRETER(b, &exposed, d);
        INTERPRETER(c, &exposed, NULL);
        assert_int_equal(interpreter_partition_count(a), 1);
        kit_invoke(a, seed);
        kit_invoke(b, seed);
        kit_invoke(c, seed);
        expect_close(c, b, seed);
        oa = interpreter_outputs(a, &na);
        ob = interpreter_outputs(b, &nb);
        for (size_t i = 0; i < na; i++)
            for (size_t j = 0; j < nb; j++)
                if (oa[i] == ob[j])
                    assert_memory_equal(interpreter_tensor(a, oa[i])->data.raw,
                                        interpreter_tensor(b, ob[j])->data.raw,
                                        interpreter_tensor(a, oa[i])->bytes);
    }
}

/* x -> RELU -> (CPU) -> RELU6 ...: the option exclude leaves ops to the CPU, for three partitions.
 */
TEST(parts_on_the_cpu)
{
    struct interpreter *parts;
    TfLiteDelegate *d;

    MODEL_BY(m, kit_random_graph(&m, 77, 40, 2));
    INTERPRETER(whole, &m, NULL);
    kit_invoke(whole, 5);
    d = kit_delegate(WITH("max_partitions", "0", "exclude", "MUL,MEAN"));
    parts = kit_open(&m, d);
    assert_true(interpreter_partition_count(parts) > 1);
    assert_string_equal(kit_said, ""); /* excluded by an option: no warning */
    kit_invoke(parts, 5);
    expect_close(whole, parts, 77);
    /* Frames A, B, A. */
    kit_invoke(parts, 6);
    kit_invoke(parts, 5);
    expect_close(whole, parts, 77);
    interpreter_close(parts);
    tflite_plugin_destroy_delegate(d);

    /* Only the largest partition. */
    d = kit_delegate(WITH("exclude", "MUL,MEAN"));
    parts = kit_open(&m, d);
    assert_int_equal(interpreter_partition_count(parts), 1);
    kit_invoke(parts, 5);
    expect_close(whole, parts, 77);
    for (int i = 0; i < assay_gpu_refusal_count(d); i++) {
        struct assay_gpu_refusal r = { .struct_size = sizeof r };

        assert_int_equal(assay_gpu_get_refusal(d, i, &r), 0);
        assert_true(strcmp(r.rule, "option.exclude") == 0 ||
                    strcmp(r.rule, "option.max_partitions") == 0);
        assert_int_equal(interpreter_node_partition(parts, r.node), -1);
    }
    interpreter_close(parts);
    tflite_plugin_destroy_delegate(d);

    /* No partition is large enough. */
    d = kit_delegate(WITH("min_nodes", "1000"));
    parts = kit_open(&m, d);
    assert_int_equal(interpreter_partition_count(parts), 0);
    kit_invoke(parts, 5);
    kit_same_outputs(whole, parts, 77);
    interpreter_close(parts);
    tflite_plugin_destroy_delegate(d);
}

/* MEAN with computed axes is refused, with one warning for any number of nodes. */
TEST(standard_warning)
{
    MODEL(m, "tensors x:f32[1,4] y:f32[1,4] z:f32[1,4] u:f32[1,4] axes:i32[1,1,1]=0\n"
             "MEAN {keep_dims=true} x axes -> y; MEAN {keep_dims=true} y axes -> z; RELU z -> u");
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(WITH("precision", "fp32"));
    INTERPRETER_BY(in, kit_open(&m, d));
    assert_string_equal(kit_said, "WARNING: op code #40 cannot be handled by this delegate.\n");
    assert_int_equal(assay_gpu_refusal_count(d), 2);
    assert_int_equal(interpreter_partition_count(in), 1);
}

/* A resize undoes the delegation and repeats it.  Sizes A, B, A give the bits of A again. */
TEST(resize)
{
    float first[15];
    const int x = 0, y = 1;

    MODEL(m, "RELU x:f32[3,5] -> y:f32[3,5]");
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(WITH("precision", "fp32"));
    INTERPRETER_BY(in, kit_open(&m, d));
    kit_invoke(in, 1);
    memcpy(first, interpreter_tensor(in, y)->data.raw, sizeof first);
    KIT_OK(interpreter_resize_input(in, x, (int32_t[]){ 7, 9 }, 2, &err));
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_partition_count(in), 1);
    kit_invoke(in, 2);
    for (int i = 0; i < 63; i++)
        assert_true(interpreter_tensor(in, y)->data.f[i] ==
                    fmaxf(interpreter_tensor(in, x)->data.f[i], 0));
    KIT_OK(interpreter_resize_input(in, x, (int32_t[]){ 3, 5 }, 2, &err));
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 1);
    assert_memory_equal(first, interpreter_tensor(in, y)->data.raw, sizeof first);
}

/* Nothing is allocated after the first prepare. */
TEST(no_pipelines_per_inference)
{
    struct assay_gpu_stats before = { .struct_size = sizeof before };
    struct assay_gpu_stats after = { .struct_size = sizeof after };

    MODEL_BY(m, kit_random_graph(&m, 3, 20, 0));
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(WITH("precision", "fp16"));
    INTERPRETER_BY(in, kit_open(&m, d));
    kit_invoke(in, 1);
    assert_int_equal(assay_gpu_get_stats(d, &before), 0);
    mem_fail_after(-1); /* count from here */
    for (int i = 0; i < 20; i++)
        kit_invoke(in, 1);
    assert_int_equal(mem_fail_after(-1), 0);
    assert_int_equal(assay_gpu_get_stats(d, &after), 0);
    assert_int_equal(before.pipelines_created, after.pipelines_created);
    assert_int_equal(after.partitions, 1);
    assert_int_equal(after.nodes, interpreter_node_count(in));
    assert_true(after.dispatches > 2 && after.barriers < after.dispatches);
    assert_true(after.activation_bytes >= after.activation_bound && after.activation_bound > 0);
    assert_true(after.device[0] && after.driver[0]);
}

/* Each allocation fails once: an error, no leak, and the interpreter works afterwards. */
TEST(no_memory)
{
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end);

    MODEL_BY(m, kit_random_graph(&m, 9, 6, 0));
    for (long n = 0;; n++) {
        mem_fail_after(n);
        d = tflite_plugin_create_delegate(NULL, NULL, 0, kit_reported);
        mem_fail_after(-1);
        if (d)
            break;
        assert_true(n < 100);
        assert_true(kit_said[0]);
    }
    for (long n = 0;; n++) {
        const struct interpreter_options options = { .report = kit_listen };
        struct interpreter *in;
        enum status s;

        KIT_OK(interpreter_open(&in, &m, &options, &err));
        mem_fail_after(n);
        s = interpreter_apply_delegate(in, d, NULL, &err);
        mem_fail_after(-1);
        if (s != STATUS_OK) {
            assert_int_equal(interpreter_partition_count(in), 0);
            KIT_OK(interpreter_allocate(in, &err));
            kit_invoke(in, 1);
        }
        interpreter_close(in);
        assert_true(n < 1000);
        if (s == STATUS_OK)
            break;
    }
}

/* With profile=1 each step has a time, and the trace of the inferences is valid JSON. */
TEST(profile_and_trace)
{
    const char *const path = scratch_text("trace.json", "");
    char text[512];
    struct assay_gpu_step step = { .struct_size = sizeof step };
    struct interpreter *in;
    struct model m;
    json_t *trace;
    TfLiteDelegate *d;
    int steps;

    kit_random_graph(&m, 5, 12, 0);
    d = kit_delegate(WITH("trace", path, "no_transform", "all"));
    in = kit_open(&m, d);
    for (int i = 0; i < 3; i++)
        kit_invoke(in, 1);
    steps = assay_gpu_step_count(d);
    assert_true(steps >= 12);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(assay_gpu_get_step(d, i, &step), 0);
        assert_int_equal(step.step, i);
        assert_int_equal(step.runs, 3);
        assert_true(step.min_us >= 0 && step.min_us <= step.mean_us);
        assert_true(step.read_bytes + step.written_bytes > 0);
        assert_non_null(strstr(step.source, "delegate/"));
        assert_true(step.label[0] && step.shader[0]);
        assert_int_equal(step.node >= 0, strstr(step.label, " node ") != NULL);
    }
    assert_int_equal(assay_gpu_get_step(d, steps, &step), -1);
    assert_int_equal(assay_gpu_get_step(d, -1, &step), -1);
    interpreter_close(in);
    assert_int_equal(assay_gpu_step_count(d), 0);
    tflite_plugin_destroy_delegate(d);
    trace = json_load_file(path, 0, NULL);
    assert_non_null(trace);
    assert_int_equal(json_array_size(trace), 1 + 3 * steps);
    json_decref(trace);
    unlink(path);
    model_close(&m);

    snprintf(text, sizeof text, "%s/no/such", path);
    assert_null(tflite_plugin_create_delegate((const char *const[]){ "trace" },
                                              (const char *const[]){ text }, 1, kit_reported));
    assert_non_null(strstr(kit_said, "no/such"));
}

TEST(create_and_destroy)
{
    TfLiteDelegate *two[2];

    for (int i = 0; i < 20; i++) {
        two[0] = kit_delegate(WITH("precision", "fp16"));
        two[1] = kit_delegate(WITH("precision", "fp32"));
        tflite_plugin_destroy_delegate(two[i % 2]);
        tflite_plugin_destroy_delegate(two[1 - i % 2]);
    }
    tflite_plugin_destroy_delegate(NULL);
}

TEST(bad_arguments)
{
    static const char *const wrong[][3] = {
        { "colour", "blue", "colour" },
        { "device", "no such device", "no such device" },
        { "device", "99", "99" },
    };
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    struct assay_gpu_refusal refusal = { .struct_size = 4 };
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end);

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kit_said[0] = '\0';
        assert_null(tflite_plugin_create_delegate(&wrong[i][0], &wrong[i][1], 1, kit_reported));
        if (!strstr(kit_said, wrong[i][2]))
            fail_msg("\"%s\"", kit_said);
        assert_null(tflite_plugin_create_delegate(&wrong[i][0], &wrong[i][1], 1, NULL));
    }
    /* Only the lower 32 bits of count are read. */
    d = tflite_plugin_create_delegate(NULL, NULL, (size_t)(UINT64_C(7) << 32), kit_reported);
    assert_non_null(d);
    assert_int_equal(assay_gpu_get_stats(NULL, &stats), -1);
    assert_int_equal(assay_gpu_get_stats(d, NULL), -1);
    assert_int_equal(assay_gpu_get_refusal(d, 0, &refusal), -1);
    assert_int_equal(assay_gpu_refusal_count(d), 0);
}

/* A caller with a shorter struct gets the members that it has. */
/* tflite-runtime 2.14 prepares and frees kernels whose init failed, too. */
TEST(a_kernel_that_was_not_made)
{
    TfLiteContext context = { .tensors_size = 0 };
    TfLiteNode node = { .user_data = TfLiteKernelInitFailed() };

    assert_int_equal(kernel_registration.prepare(&context, &node), kTfLiteError);
    kernel_registration.free(&context, node.user_data);
}

TEST(struct_sizes)
{
    struct assay_gpu_device d[2];
    char error[64];
    int count;

    memset(d, 0x55, sizeof d);
    d[0].struct_size = offsetof(struct assay_gpu_device, driver);
    count = assay_gpu_devices(d, 1, error, sizeof error);
    assert_true(count >= 1);
    assert_true(d[0].name[0] != 0x55);
    assert_int_equal(d[0].driver[0], 0x55);
    assert_int_equal(assay_gpu_devices(NULL, 0, NULL, 0), count);
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device);
