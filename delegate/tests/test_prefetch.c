/* Code of pipelines that is loaded ahead of an inference: in which plans, that no bit of a result
 * changes, and that nothing is freed while the device still loads. */
#include "delegate/tests/kit/buffer_kit.h"
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/ops/product/gemm.h"
#include "delegate/plan/frozen.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/kernel.h"
#include "delegate/vulkan/instance.h"

/* ---- plans ---- */

enum { EVICTING = 40 << 20 }; /* of an H200 */

TEST(which_plans)
{
    static const struct {
        enum device_class class;
        size_t constant_bytes;
        bool any_device, first;
        size_t first_bytes;
        bool prefetch;
    } rows[] = {
        { DEVICE_NVIDIA, EVICTING, false, true, 64, true },
        { DEVICE_NVIDIA, EVICTING, false, false, 64, false },
        { DEVICE_NVIDIA, EVICTING, false, true, 0, false },
        { DEVICE_NVIDIA, EVICTING - 1, false, true, 64, false },
        { DEVICE_AMD, EVICTING, false, true, 64, false },
        { DEVICE_SOFTWARE, EVICTING, false, true, 64, false },
        { DEVICE_SOFTWARE, 0, true, true, 64, true },
        { DEVICE_SOFTWARE, 0, true, false, 64, false },
    };
    const struct reason_of nobody = { NULL, { .kind = REASON_KERNEL, .id = KERNEL_prefetch } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct device_limits limits = gpu_large_limits();
        const struct gpu_options o = { .any_device = rows[i].any_device };
        struct plan_step step = { .shader = "gemm",
                                  .first = rows[i].first,
                                  .first_bytes = rows[i].first_bytes };
        struct plan_step *list[] = { &step };
        struct plan p = { .steps = list,
                          .step_count = 1,
                          .constant_bytes = rows[i].constant_bytes };
        const struct planner planner = { .options = &o, .limits = &limits };

        limits.device_class = rows[i].class;
        if (planner_kernel(&planner, &nobody))
            plan_prefetch(&p, &o, &limits, &nobody);
        assert_int_equal(step.prefetch, rows[i].prefetch);
    }
}

/* ---- on the device ---- */

static struct gpu_delegate *inside(TfLiteDelegate *d)
{
    return d->data_;
}

static TfLiteDelegate *prefetching(const char *off)
{
    TfLiteDelegate *d =
        kit_delegate(WITH("no_kernel", off, "max_partitions", "0", "poison", "nan"));

    inside(d)->options.any_device = true;
    inside(d)->device->limits.device_class = DEVICE_NVIDIA; /* has the kernels that allow it */
    return d;
}

static struct executor *executor(TfLiteDelegate *d)
{
    return &inside(d)->kernels->executor;
}

enum { LAYERS = 4 };

/* Layers of one result each, which share the memory of two; `twins`: the last ones are the same. */
static void make_layers(struct model *m, bool twins)
{
    char text[200 * LAYERS];
    int n = sprintf(text, "tensors t0:f32[1,20,20,8]"), before = 8;

    for (int i = 0; i < LAYERS; i++) {
        const int channels = twins ? 8 : 8 + 4 * i;

        n += sprintf(text + n,
                     "\nCONV_2D {stride_w=1 stride_h=1} t%d f32[%d,3,3,%d]=~3(-2..2) "
                     "f32[%d]=~4(-2..2) -> t%d",
                     i, channels, before, channels, i + 1);
        before = channels;
    }
    kit_text(m, "%s", text);
}

static void expect_same_outputs(struct interpreter *a, struct interpreter *b)
{
    const TfLiteTensor *x = interpreter_tensor(a, interpreter_outputs(a, &(size_t){ 0 })[0]);
    const TfLiteTensor *y = interpreter_tensor(b, interpreter_outputs(b, &(size_t){ 0 })[0]);

    assert_int_equal(x->bytes, y->bytes);
    assert_memory_equal(x->data.raw, y->data.raw, x->bytes);
}

static void resize(struct interpreter *in, int batch)
{
    const int32_t dims[] = { batch, 20, 20, 8 };

    KIT_OK(interpreter_resize_input(in, 0, dims, 4, &err));
    KIT_OK(interpreter_allocate(in, &err));
}

static int convolutions(TfLiteDelegate *d)
{
    const struct plan *p = &inside(d)->kernels->plan;
    int count = 0;

    for (int i = 0; i < p->step_count; i++)
        count += p->steps[i]->first_bytes > 0 && !p->steps[i]->idle;
    return count;
}

/* tile: of gemm.comp, with parts of the depth; 0: any. */
static void check_bits(int tile)
{
    TfLiteDelegate *plain CLOSED_BY(kit_delegate_end) = prefetching("prefetch"), *const early =
                                                                                     prefetching(
                                                                                         "matvec");

    inside(plain)->options.gemm_tile = inside(early)->options.gemm_tile = tile;
    for (int twins = 0; twins < 2; twins++) {
        MODEL_BY(m, make_layers(&m, twins));
        INTERPRETER(truth, &m, plain);
        INTERPRETER(got, &m, early);
        assert_int_equal(executor(plain)->recording.prefetched, 0);
        assert_int_equal(executor(early)->recording.prefetched, twins ? 1 : convolutions(early));
        for (int batch = 1; batch <= 2; batch++) {
            if (batch > 1) {
                resize(truth, batch);
                resize(got, batch);
            }
            for (uint64_t seed = 1; seed <= 2; seed++) {
                kit_invoke(truth, seed);
                kit_invoke(got, seed);
                expect_same_outputs(truth, got);
                assert_false(executor(early)->prefetching);
            }
        }
    }
    tflite_plugin_destroy_delegate(early);
}

TEST(same_bits)
{
    NEEDS_DEVICE;
    check_bits(0);
}

/* A workgroup that runs ahead is not counted among those that write the parts of a tile. */
TEST(same_bits_of_parts)
{
    NEEDS_DEVICE;
    check_bits(2 * (int)gemm_tile_count);
}

/* The set of a step that is prefetched names no memory in which an inference leaves something. */
TEST(inputs_stay)
{
    struct executor *e;
    uint32_t before;

    NEEDS_DEVICE;
    MODEL_BY(m, make_layers(&m, false));
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = prefetching("matvec");
    INTERPRETER_BY(in, kit_open(&m, d));
    kit_invoke(in, 1);
    e = executor(d);
    before = *(const uint32_t *)executor_output(e, 0);
    KIT_OK(executor_prefetch(e, &err));
    assert_true(e->prefetching);
    KIT_OK(executor_run(e, &err));
    assert_false(e->prefetching);
    assert_int_equal(*(const uint32_t *)executor_output(e, 0), before);
}

/* An inference that fails between the two leaves the device loading. */
TEST(nothing_follows)
{
    struct interpreter *in;
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end);
    struct executor *e;
    char text[512];

    NEEDS_DEVICE;
    MODEL_BY(m, make_layers(&m, false));
    d = prefetching("matvec");
    in = kit_open(&m, d);
    e = executor(d);
    KIT_OK(executor_prefetch(e, &err));
    KIT_OK(executor_prefetch(e, &err));
    assert_true(e->prefetching);
    KIT_OK(executor_rebind(e, &err));
    assert_false(e->prefetching);
    assert_int_equal(e->recording.prefetched, convolutions(d));
    KIT_OK(executor_prefetch(e, &err));
    interpreter_close(in);
    /* The validation layer tells of what is freed while the device uses it. */
    if (instance_validation_messages(text, sizeof text) > 0)
        fail_msg("%s", text);
}

TEST_FILE(.before = kit_find_validated_device);
