/* Inputs that are resized: the host keeps the partitions and asks them to prepare again; and graphs
 * with tensors whose shapes are known in invoke only.  Skipped without a device. */
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "assay_gpu.h"

#include <math.h>

static void resize(struct interpreter *in, int batch)
{
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *t = interpreter_tensor(in, inputs[i]);
        int32_t dims[8];

        memcpy(dims, t->dims->data, (size_t)t->dims->size * sizeof dims[0]);
        dims[0] = batch;
        KIT_OK(interpreter_resize_input(in, inputs[i], dims, t->dims->size, &err));
    }
}

static void expect_close(struct interpreter *a, struct interpreter *b, int output)
{
    const TfLiteTensor *x = interpreter_tensor(a, output), *y = interpreter_tensor(b, output);

    assert_int_equal(x->dims->size, y->dims->size);
    for (int i = 0; i < x->dims->size; i++)
        assert_int_equal(x->dims->data[i], y->dims->data[i]);
    assert_int_equal(x->bytes, y->bytes);
    for (size_t i = 0; i < x->bytes / sizeof(float); i++)
        if (!(fabsf(x->data.f[i] - y->data.f[i]) <= 1e-4f * fmaxf(1, fabsf(x->data.f[i]))))
            fail_msg("tensor %d, element %zu: %g and %g", output, i, (double)x->data.f[i],
                     (double)y->data.f[i]);
}

static void expect_all_close(struct interpreter *a, struct interpreter *b)
{
    size_t count;
    const int *outputs = interpreter_outputs(a, &count);

    for (size_t i = 0; i < count; i++)
        expect_close(a, b, outputs[i]);
}

/* The order of the batches has twice the same one, growth and shrinkage. */
TEST(random_graphs_of_several_batches)
{
    static const int batches[] = { 3, 1, 7, 7, 2, 1 };
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end);
    int runs = 0;

    d = kit_delegate(WITH("max_partitions", "0"));
    for (uint64_t seed = 1; seed <= 12; seed++) {
        MODEL_BY(m, kit_random_graph(&m, seed, 3 + (int)seed, (int)seed % 3));
        INTERPRETER(ours, &m, d);
        INTERPRETER(reference, &m, NULL);
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            const int partitions = interpreter_partition_count(ours);

            resize(ours, batches[i]);
            resize(reference, batches[i]);
            if (interpreter_allocate(reference, &err) != STATUS_OK)
                continue; /* a constant has another batch */
            KIT_OK(interpreter_allocate(ours, &err));
            assert_int_equal(interpreter_partition_count(ours), partitions);
            kit_invoke(ours, seed);
            kit_invoke(reference, seed);
            expect_all_close(reference, ours);
            runs++;
        }
    }
    assert_true(runs >= 30);
}

TEST(no_images_at_all)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    MODEL(m, "RELU x:f32[1,5] -> y");
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(WITH("precision", "fp32"));
    INTERPRETER_BY(in, kit_open(&m, d));
    for (int batch = 2; batch >= 0; batch--) {
        resize(in, batch);
        KIT_OK(interpreter_allocate(in, &err));
        if (batch > 0)
            kit_invoke(in, 1);
        else
            KIT_OK(interpreter_invoke(in, &err));
        assert_int_equal(interpreter_tensor(in, 1)->dims->data[0], batch);
        assert_int_equal(interpreter_tensor(in, 1)->bytes, (size_t)batch * 20);
        assert_int_equal(assay_gpu_get_stats(d, &stats), 0);
        assert_int_equal(stats.partitions, 1);
    }
    resize(in, 1);
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 2);
    for (int i = 0; i < 5; i++)
        assert_true(interpreter_tensor(in, 1)->data.f[i] ==
                    fmaxf(0, interpreter_tensor(in, 0)->data.f[i]));
}

/* [n, 5] has two slices of 16 bytes a row on the device. */
TEST(a_limit_is_exceeded_by_a_resize)
{
    struct assay_gpu_device device = { .struct_size = sizeof device };
    struct interpreter *in;
    TfLiteDelegate *d;

    d = kit_delegate(WITH("precision", "fp32"));
    assert_true(assay_gpu_devices(&device, 1, NULL, 0) >= 1);
    if (device.max_storage_buffer_range > 1u << 30) {
        tflite_plugin_destroy_delegate(d);
        skip();
    }
    MODEL(m, "RELU x:f32[1,5] -> y");
    in = kit_open(&m, d);
    resize(in, (int)(device.max_storage_buffer_range / 32 + 1));
    assert_int_not_equal(interpreter_allocate(in, &err), STATUS_OK);
    if (!strstr(err.text, "limits.tensor_bytes") || !strstr(err.text, "RELU") ||
        !strstr(err.text, "resized"))
        fail_msg("%s", err.text);
    assert_int_not_equal(interpreter_invoke(in, &err), STATUS_OK);
    resize(in, 4); /* smaller again, it runs */
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 3);
    for (int i = 0; i < 20; i++)
        assert_true(interpreter_tensor(in, 1)->data.f[i] ==
                    fmaxf(0, interpreter_tensor(in, 0)->data.f[i]));
    interpreter_close(in);
    tflite_plugin_destroy_delegate(d);
}

/* ---- dynamic tensors ---- */

enum { X, A, B, C, Y, SIDE, SHAPE };

/* a = RELU(x), b = RESHAPE(a, shape), c = RELU(b), y = c + c; side = a + x.  The shape is an input.
 */
static void make_dynamic(struct model *m)
{
    kit_text(m, "tensors x:f32[1,6] a:f32[1,6] b:f32[1,6] c:f32[1,6] y:f32[1,6] side:f32[1,6]\n"
                "RELU x -> a; RESHAPE a shape:i32[2] -> b; RELU b -> c\n"
                "ADD {} c c -> y; ADD {} a x -> side");
}

static void check_dynamic(struct interpreter *in, int batch, int rows)
{
    const float *const x = interpreter_tensor(in, X)->data.f;
    const TfLiteTensor *y, *side;

    for (int i = 0; i < 6 * batch; i++)
        interpreter_tensor(in, X)->data.f[i] = (float)(i % 11 - 4) * (float)rows;
    interpreter_tensor(in, SHAPE)->data.i32[0] = rows;
    interpreter_tensor(in, SHAPE)->data.i32[1] = 6 * batch / rows;
    KIT_OK(interpreter_invoke(in, &err));
    y = interpreter_tensor(in, Y);
    side = interpreter_tensor(in, SIDE);
    assert_int_equal(y->dims->data[0], rows);
    assert_int_equal(side->dims->data[0], batch);
    assert_int_equal(y->bytes, (size_t)batch * 24);
    for (int i = 0; i < 6 * batch; i++) {
        assert_true(y->data.f[i] == 2 * fmaxf(0, x[i]));
        assert_true(side->data.f[i] == fmaxf(0, x[i]) + x[i]);
    }
}

TEST(nodes_before_and_beside_a_dynamic_tensor_are_taken)
{
    static const int taken[] = { 1, 0, 0, 0, 1 };
    int dynamic = 0;

    MODEL_BY(m, make_dynamic(&m));
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(WITH("max_partitions", "0"));
    INTERPRETER_BY(in, kit_open(&m, d));
    for (int i = 0; i < 5; i++)
        assert_int_equal(interpreter_node_partition(in, i) >= 0, taken[i]);
    for (int i = 0; i < assay_gpu_refusal_count(d); i++) {
        struct assay_gpu_refusal r = { .struct_size = sizeof r };

        assert_int_equal(assay_gpu_get_refusal(d, i, &r), 0);
        dynamic += strcmp(r.rule, "tensor.dynamic") == 0;
    }
    assert_int_equal(dynamic, 3);
    check_dynamic(in, 1, 2);
    check_dynamic(in, 1, 3);
    for (int batch = 4; batch >= 1; batch -= 3) {
        KIT_OK(interpreter_resize_input(in, X, (int32_t[]){ batch, 6 }, 2, &err));
        KIT_OK(interpreter_allocate(in, &err));
        check_dynamic(in, batch, 6);
        check_dynamic(in, batch, 1);
    }
}

/* The interpreter is opened with the delegate, and resized before it ever has memory. */
TEST(resized_before_the_first_allocation)
{
    MODEL_BY(m, make_dynamic(&m));
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(WITH("max_partitions", "0"));
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    KIT_OK(interpreter_resize_input(in, X, (int32_t[]){ 5, 6 }, 2, &err));
    KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    for (int i = 0; i < 5; i++) /* though only the input had the new shape */
        assert_int_equal(interpreter_node_partition(in, i) >= 0, i == 0 || i == 4);
    KIT_OK(interpreter_resize_input(in, X, (int32_t[]){ 2, 6 }, 2, &err));
    KIT_OK(interpreter_allocate(in, &err));
    check_dynamic(in, 2, 4);
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device);
