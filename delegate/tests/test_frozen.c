/* Push constants as constants of a pipeline: the words of shaders, which steps have them, the same
 * bits with and without, and that no such pipeline outlives the plans that hold it. */
#include "conformance/suite/models/zoo.h"
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/ops/product/matvec.args.h"
#include "delegate/plan/frozen.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/kernel.h"
#include "delegate/shaders/freeze.h"
#include "delegate/shaders/spirv.h"
#include "reference/base/memory.h"

#include <stdlib.h>

/* ---- words ---- */

enum { HEADER = 5, OP_CONSTANT = 43, OP_LOAD = 61, BLOCK_BYTES = 128 };

static uint32_t length(const uint32_t *at)
{
    return at[0] >> 16;
}

static uint32_t opcode(const uint32_t *at)
{
    return at[0] & 0xffff;
}

static int count_of(const uint32_t *words, size_t count, uint32_t op)
{
    int n = 0;

    for (size_t i = HEADER; i < count; i += length(words + i))
        n += opcode(words + i) == op;
    return n;
}

/* All instructions but loads and constants are the same, in the same order. */
static void expect_same_rest(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count)
{
    size_t i = HEADER, j = HEADER;

    assert_memory_equal(a, b, HEADER * sizeof *a);
    for (;;) {
        while (i < a_count && (opcode(a + i) == OP_LOAD || opcode(a + i) == OP_CONSTANT))
            i += length(a + i);
        while (j < b_count && (opcode(b + j) == OP_LOAD || opcode(b + j) == OP_CONSTANT))
            j += length(b + j);
        if (i >= a_count || j >= b_count)
            break;
        assert_int_equal(a[i], b[j]);
        assert_memory_equal(a + i, b + j, length(a + i) * sizeof *a);
        i += length(a + i);
        j += length(b + j);
    }
    assert_int_equal(i, a_count);
    assert_int_equal(j, b_count);
}

TEST(all_shaders)
{
    uint32_t push[BLOCK_BYTES / 4];
    size_t count, changed = 0;

    for (size_t i = 0; i < BLOCK_BYTES / 4; i++)
        push[i] = 1000 + (uint32_t)i;
    for (size_t i = 0; i < spirv_shader_count; i++) {
        const struct spirv *s = &spirv_shaders[i];
        const uint32_t *words = spirv_code(s);
        uint32_t *frozen CLOSED_BY(kit_mem_free) =
            spirv_freeze(words, s->count, push, sizeof push, &count);
        int loads, constants;

        assert_non_null(frozen);
        assert_true(count <= s->count);
        loads = count_of(words, s->count, OP_LOAD) - count_of(frozen, count, OP_LOAD);
        constants = count_of(frozen, count, OP_CONSTANT) - count_of(words, s->count, OP_CONSTANT);
        assert_int_equal(loads, constants);
        changed += loads > 0;
        expect_same_rest(words, s->count, frozen, count);
        mem_free(frozen);
        /* Nothing of a block of which nothing is known. */
        frozen = spirv_freeze(words, s->count, push, 0, &count);
        assert_non_null(frozen);
        assert_int_equal(count, s->count);
        assert_memory_equal(frozen, words, count * sizeof *words);
    }
    assert_true(changed >= spirv_shader_count * 9 / 10);
}

/* The integers of the block, each with its own value, and no float. */
TEST(values)
{
    const struct matvec_args args = { .count = 70001,
                                      .blocks = 70002,
                                      .in_channels = 70003,
                                      .in_slices = 70004,
                                      .out_slices = 70005,
                                      .steps = { 0.5f, -7.0f, 9.0f } };
    const struct spirv *s = spirv_find("matvec.f32");
    bool seen[5] = { false };
    size_t count;

    assert_non_null(s);
    uint32_t *frozen CLOSED_BY(kit_mem_free) =
        spirv_freeze(spirv_code(s), s->count, &args, sizeof args, &count);
    assert_non_null(frozen);
    for (size_t i = HEADER; i < count; i += length(frozen + i)) {
        float f;

        if (opcode(frozen + i) != OP_CONSTANT)
            continue;
        memcpy(&f, frozen + i + 3, sizeof f);
        assert_true(f != 0.5f && f != -7.0f && f != 9.0f);
        if (frozen[i + 3] > 70000 && frozen[i + 3] <= 70005)
            seen[frozen[i + 3] - 70001] = true;
    }
    for (int i = 0; i < 5; i++)
        assert_true(seen[i]);
}

/* Whatever the words are, there is an answer within them. */
TEST(damaged)
{
    const struct spirv *s = spirv_find("matvec.f32");
    uint32_t *words CLOSED_BY(kit_free) = malloc(s->count * sizeof *words);
    uint32_t push[BLOCK_BYTES / 4] = { 3 };
    uint64_t seed = 11;
    size_t count, refused = 0;

    assert_non_null(words);
    assert_null(spirv_freeze(spirv_code(s), 0, push, sizeof push, &count));
    assert_null(spirv_freeze(spirv_code(s), HEADER - 1, push, sizeof push, &count));
    assert_null(spirv_freeze(spirv_code(s), HEADER + 1, push, sizeof push, &count));
    for (int i = 0; i < 20000; i++) {
        const size_t at = HEADER + kit_below(&seed, s->count - HEADER);

        memcpy(words, spirv_code(s), s->count * sizeof *words);
        words[at] = kit_below(&seed, 2) ? words[at] ^ (1u << kit_below(&seed, 32))
                                        : (uint32_t)kit_below(&seed, UINT32_MAX);
        uint32_t *frozen CLOSED_BY(kit_mem_free) =
            spirv_freeze(words, s->count, push, sizeof push, &count);
        refused += frozen == NULL;
        assert_true(!frozen || count <= s->count);
    }
    assert_true(refused > 100);
}

/* ---- plans ---- */

enum { STEPS = 3000 };

static struct plan plan_of(struct plan_step *steps, struct plan_step **list, int count,
                           int distinct)
{
    for (int i = 0; i < count; i++) {
        const uint32_t size = (uint32_t)(i % distinct);

        steps[i] =
            (struct plan_step){ .shader = "gemm", .push_bytes = sizeof size, .freezable = true };
        memcpy(steps[i].push, &size, sizeof size);
        list[i] = &steps[i];
    }
    return (struct plan){ .steps = list, .step_count = count };
}

static int frozen_of(const struct plan *p)
{
    int count = 0;

    for (int i = 0; i < p->step_count; i++)
        count += p->steps[i]->frozen;
    return count;
}

TEST(which_steps)
{
    static const struct {
        enum device_class class;
        bool any_device;
        int count, distinct, frozen;
    } rows[] = {
        { DEVICE_NVIDIA, false, 10, 3, 10 },
        { DEVICE_AMD, false, 10, 3, 10 },
        { DEVICE_SOFTWARE, false, 10, 3, 0 },
        { DEVICE_OTHER, false, 10, 3, 0 },
        { DEVICE_SOFTWARE, true, 10, 3, 10 },
        { DEVICE_NVIDIA, false, 300, 150, 2 * FROZEN_MAX },
        { DEVICE_NVIDIA, false, STEPS, 2, 2048 },
    };
    struct plan_step *steps = calloc(STEPS, sizeof *steps), **list = calloc(STEPS, sizeof *list);
    const struct reason_of nobody = { NULL, { .kind = REASON_KERNEL, .id = KERNEL_frozen } };

    assert_true(steps && list);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct device_limits limits = gpu_large_limits();
        OPTIONS(o, NULL);
        struct plan p = plan_of(steps, list, rows[i].count, rows[i].distinct);
        const struct planner planner = { .options = &o, .limits = &limits };

        limits.device_class = rows[i].class;
        o.any_device = rows[i].any_device;
        if (planner_kernel(&planner, &nobody))
            plan_freeze(&p, &nobody);
        assert_int_equal(frozen_of(&p), rows[i].frozen);
    }
    steps[3].freezable = false;
    steps[2].frozen = steps[3].frozen = false;
    plan_freeze(&(struct plan){ .steps = list, .step_count = 4 }, &nobody);
    assert_true(steps[2].frozen && !steps[3].frozen);
    free(steps);
    free(list);
}

/* ---- on the device ---- */

static struct gpu_delegate *inside(TfLiteDelegate *d)
{
    return d->data_;
}

static TfLiteDelegate *freezing(void)
{
    TfLiteDelegate *d =
        kit_delegate(WITH("no_kernel", "matvec", "max_partitions", "0", "poison", "nan"));

    inside(d)->options.any_device = true;
    return d;
}

static size_t frozen_pipelines(TfLiteDelegate *d)
{
    return pipelines_frozen(&inside(d)->device->pipelines);
}

static void run(struct interpreter *in, uint64_t seed)
{
    TfLiteTensor *first = interpreter_tensor(in, interpreter_inputs(in, &(size_t){ 0 })[0]);

    if (first->type == kTfLiteFloat32)
        kit_fill_inputs(in, seed);
    for (size_t i = 0; first->type == kTfLiteInt8 && i < first->bytes; i++)
        first->data.int8[i] = (int8_t)kit_below(&seed, 256);
    KIT_OK(interpreter_invoke(in, &err));
}

static void expect_same_bits(struct interpreter *a, struct interpreter *b)
{
    size_t count;
    const int *outputs = interpreter_outputs(a, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *x = interpreter_tensor(a, outputs[i]);
        const TfLiteTensor *y = interpreter_tensor(b, outputs[i]);

        assert_int_equal(x->bytes, y->bytes);
        assert_memory_equal(x->data.raw, y->data.raw, x->bytes);
    }
}

static void compare(const struct model *m, TfLiteDelegate *plain, TfLiteDelegate *frozen)
{
    struct interpreter *truth CLOSED_BY(kit_interpreter_end) = kit_open(m, plain),
                              *got = kit_open(m, frozen);

    run(truth, 5);
    run(got, 5);
    expect_same_bits(truth, got);
    interpreter_close(got);
}

TEST(same_bits)
{
    const struct zoo_entry *entry;
    struct zoo_options o = {
        .width = 0.25, .resolution = 32, .type = TENSOR_INT8, .quiet = true, .seed = 1
    };
    TfLiteDelegate *plain, *frozen;
    struct model m;

    NEEDS_DEVICE;
    plain = kit_delegate(WITH("max_partitions", "0"));
    frozen = freezing();
    for (uint64_t seed = 1; seed <= 6; seed++) {
        kit_random_graph(&m, seed, 4 + (int)seed, (int)seed % 3);
        compare(&m, plain, frozen);
        model_close(&m);
    }
    assert_int_equal(zoo_find(&entry, "mobilenet_v1", &err), STATUS_OK);
    assert_int_equal(zoo_build(&m, entry, &o, &err), STATUS_OK);
    compare(&m, plain, frozen);
    model_close(&m);
    tflite_plugin_destroy_delegate(frozen);
    tflite_plugin_destroy_delegate(plain);
}

/* Two convolutions over [1, 2, 2, 4]. */
static void make_chain(struct model *m)
{
    kit_text(m, "CONV_2D {stride_w=1 stride_h=1} x:f32[1,2,2,4] f32[5,1,1,4]=~3(-2..2) "
                "f32[5]=~4(-2..2) -> y\n"
                "CONV_2D {stride_w=1 stride_h=1} y f32[6,1,1,5]=~3(-2..2) f32[6]=~4(-2..2) -> z");
}

static void resize(struct interpreter *in, int batch)
{
    const int32_t dims[] = { batch, 2, 2, 4 };

    KIT_OK(interpreter_resize_input(in, 0, dims, 4, &err));
    KIT_OK(interpreter_allocate(in, &err));
}

/* Plans share pipelines; the last one to close takes them along. */
TEST(lifetimes)
{
    struct interpreter *a, *b, *truth;
    TfLiteDelegate *d, *plain;
    size_t one;

    NEEDS_DEVICE;
    MODEL_BY(m, make_chain(&m));
    d = freezing();
    assert_int_equal(frozen_pipelines(d), 0);
    plain = kit_delegate(WITH("max_partitions", "0"));
    truth = kit_open(&m, plain);
    a = kit_open(&m, d);
    one = frozen_pipelines(d);
    assert_true(one > 0);
    b = kit_open(&m, d);
    assert_int_equal(frozen_pipelines(d), one);
    interpreter_close(a);
    assert_int_equal(frozen_pipelines(d), one);
    for (int batch = 1; batch <= 20; batch++) {
        resize(b, batch);
        resize(truth, batch);
        assert_int_equal(frozen_pipelines(d), one);
        run(b, (uint64_t)batch);
        run(truth, (uint64_t)batch);
        expect_same_bits(truth, b);
    }
    interpreter_close(b);
    assert_int_equal(frozen_pipelines(d), 0);
    interpreter_close(truth);
    tflite_plugin_destroy_delegate(plain);
    tflite_plugin_destroy_delegate(d);
}

TEST_FILE(.before = kit_find_device);
