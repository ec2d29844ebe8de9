/* Workgroup sizes: results have the same bits with every free size, and after tuning; measured
 * sizes are kept.  Skipped without a device. */
#include "delegate/tests/kit/cache_kit.h"
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"
#include "conformance/suite/cases/case.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/suite.h"
#include "delegate/ops/elementwise/unary.args.h"
#include "delegate/plan/workgroups.h"
#include "delegate/runtime/kernel.h"
#include "reference/format/read.h"

static char said[4096];

static void listen(void *user, const char *format, va_list args)
{
    const size_t used = strlen(said);

    (void)user;
    vsnprintf(said + used, sizeof said - used, format, args);
}

static void print(const char *text)
{
    print_error("%s\n", text);
}

/* Options as key, value, ..., NULL. */
static TfLiteDelegate *create(const char *const *pairs)
{
    const char *keys[8] = { "max_partitions" }, *values[8] = { "0" };
    TfLiteDelegate *d;
    size_t n = 1;

    for (; pairs[2 * (n - 1)]; n++) {
        keys[n] = pairs[2 * (n - 1)];
        values[n] = pairs[2 * (n - 1) + 1];
    }
    assert_non_null(d = tflite_plugin_create_delegate(keys, values, n, print));
    return d;
}
#define CREATE(...) create((const char *const[]){ __VA_ARGS__, NULL })

static struct gpu_delegate *inside(TfLiteDelegate *d)
{
    return d->data_;
}

/* ---- one run ---- */

struct run {
    struct checksum outputs;
    struct assay_gpu_stats stats;
    int steps, free_steps, odd_steps; /* with a free size; with another size than the table's */
};

static void look_at_steps(struct run *r, TfLiteDelegate *d)
{
    for (const struct kernel *k = inside(d)->kernels; k; k = k->next)
        for (int i = 0; i < k->plan.step_count; i++) {
            r->steps += !k->plan.steps[i]->idle;
            if (k->plan.steps[i]->items > 0 && !k->plan.steps[i]->idle) {
                r->free_steps++;
                r->odd_steps +=
                    k->plan.steps[i]->runs > 0 || k->plan.steps[i]->spec[SPEC_WORKGROUP_X] != 64;
            }
        }
}

static struct run run_model(const struct model *m, TfLiteDelegate *d,
                            void (*fill)(struct interpreter *, const void *), const void *data)
{
    const struct interpreter_options options = { .report = listen };
    struct run r = { .stats = { .struct_size = sizeof r.stats } };
    const int *outputs;
    size_t count;

    said[0] = '\0';
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    KIT_OK(interpreter_open(&in, m, &options, &err));
    KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    fill(in, data);
    KIT_OK(interpreter_invoke(in, &err));
    outputs = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *t = interpreter_tensor(in, outputs[i]);

        checksum_add(&r.outputs, t->data.raw, t->bytes);
    }
    assert_int_equal(assay_gpu_get_stats(d, &r.stats), 0);
    look_at_steps(&r, d);
    return r;
}

static void fill_random(struct interpreter *in, const void *data)
{
    (void)data;
    kit_fill_inputs(in, 3);
}

/* Steps of every kind of a random graph. */
static struct run run_random(TfLiteDelegate *d, uint64_t seed)
{
    struct run r;

    MODEL_BY(m, kit_random_graph(&m, seed, 12, 3));
    r = run_model(&m, d, fill_random, NULL);
    return r;
}

static void fill_case(struct interpreter *in, const void *data)
{
    const struct case_instance *c = data;
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);

    assert_int_equal(count, c->input_count);
    for (size_t i = 0; i < count; i++)
        memcpy(interpreter_tensor(in, inputs[i])->data.raw, c->inputs[i].data[0],
               c->inputs[i].bytes);
}

/* ---- tests ---- */

/* ASSAY_TORTURE=1: more cases, and more sizes. */
static bool torture(void)
{
    const char *value = getenv("ASSAY_TORTURE");

    return value && strcmp(value, "1") == 0;
}

static struct run run_case(const struct test_case *c, TfLiteDelegate *d, int variant)
{
    const struct case_request request = { .seed = 1 };
    struct run r;

    inside(d)->options.workgroup_variant = variant;
    struct case_instance instance CLOSED_BY(case_instance_close);
    KIT_OK(case_build(c, &request, &instance, &err));
    MODEL_BY(m, KIT_OK(tflite_read(&m, instance.file.bytes, instance.file.count, &err)));
    r = run_model(&m, d, fill_case, &instance);
    return r;
}

/* Whether an earlier case, except gap cases, has the same op and type. */
static bool seen_before(const struct test_case *cases, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!cases[j].row->gap && cases[j].code == cases[i].code && cases[j].type == cases[i].type)
            return true;
    return false;
}

/* The first case of every op and type, in one of the precisions with one variant of sizes; with
 * ASSAY_TORTURE a quarter of all cases, in both precisions. */
TEST(every_op)
{
    enum { VARIANTS = 24 };
    const char *const precisions[] = { "fp32", "fp16" };
    TfLiteDelegate *d[2];
    struct test_case *cases;
    int kinds = 0, compared = 0;
    size_t count;

    NEEDS_DEVICE;
    for (int p = 0; p < 2; p++)
        d[p] = CREATE("precision", precisions[p]);
    KIT_OK(cases_list(&cases, &count, &err));
    for (size_t i = 0; i < count; i++) {
        if (cases[i].row->gap || !case_has_set(&cases[i], SET_RANDOM) || seen_before(cases, i))
            continue;
        kinds++;
        for (int p = 0; p < 2; p++) {
            struct run first;

            if (!torture() && kinds % 2 != p)
                continue;
            first = run_case(&cases[i], d[p], 0);
            for (int variant = 1; variant <= VARIANTS; variant++) {
                struct run r;

                if (torture() ? variant % 4 != kinds % 4 : variant != kinds % VARIANTS + 1)
                    continue;
                r = run_case(&cases[i], d[p], variant);
                /* A variant of a fixed size (gemm_int8) may take the place of a free one. */
                assert_int_equal(r.steps, first.steps);
                assert_true(r.free_steps <= first.free_steps);
                compared += r.odd_steps > 0;
                if (memcmp(&first.outputs, &r.outputs, sizeof r.outputs) != 0)
                    fail_msg("%s, %s: other bits with workgroup variant %d", cases[i].name,
                             precisions[p], variant);
            }
        }
    }
    assert_true(compared > 20);
    mem_free(cases);
    for (int p = 0; p < 2; p++)
        assay_gpu_delegate_destroy(d[p]);
}

/* Sizes are measured and applied, and the bits stay the same; without a directory nothing is kept.
 */
TEST(tuned_is_untuned)
{
    static const char *const precisions[] = { "fp32", "fp16" };

    NEEDS_DEVICE;
    for (int p = 0; p < 2; p++) {
        DELEGATE_BY(plain, CREATE("precision", precisions[p]));
        DELEGATE_BY(tuned, CREATE("precision", precisions[p], "tune", "1"));

        inside(tuned)->options.tune_budget_ms = 600000;
        for (uint64_t seed = 1; seed <= (torture() ? 5 : 1); seed++) {
            const struct run a = run_random(plain, seed), b = run_random(tuned, seed);

            assert_int_equal(a.stats.tuned_steps, 0);
            assert_true(a.stats.tune_ms == 0);
            assert_int_equal(a.free_steps, b.free_steps);
            assert_int_equal(b.stats.tuned_steps, b.free_steps);
            assert_true(b.stats.tune_ms > 0 && b.stats.tune_ms <= b.stats.init_ms);
            assert_memory_equal(&a.outputs, &b.outputs, sizeof a.outputs);
        }
    }
}

/* With a budget of 0 nothing is measured, and the start works. */
TEST(no_budget)
{
    struct run a, b;

    NEEDS_DEVICE;
    CACHE_DIR(dir);
    DELEGATE_BY(plain, CREATE("precision", "fp32"));
    DELEGATE_BY(tuned, CREATE("tune", "1", "serialization_dir", dir.path));
    inside(tuned)->options.tune_budget_ms = 0;
    a = run_random(plain, 1);
    b = run_random(tuned, 1);
    assert_int_equal(b.stats.tuned_steps, 0);
    assert_int_equal(b.stats.serialized_written, 1);
    assert_memory_equal(&a.outputs, &b.outputs, sizeof a.outputs);
    /* The next start with a larger budget measures the rest, once. */
    inside(tuned)->options.tune_budget_ms = 600000;
    b = run_random(tuned, 1);
    assert_int_equal(b.stats.tuned_steps, b.free_steps);
    assert_int_equal(b.stats.serialized_found, 1);
    assert_int_equal(b.stats.serialized_written, 2);
    assert_memory_equal(&a.outputs, &b.outputs, sizeof a.outputs);
}

/* Later starts use measured sizes, with tune=1 and without, and do not measure them again. */
TEST(remembered)
{
    TfLiteDelegate *d;
    struct run first, later;

    NEEDS_DEVICE;
    CACHE_DIR(dir);
    d = CREATE("tune", "1", "serialization_dir", dir.path);
    inside(d)->options.tune_budget_ms = 600000;
    first = run_random(d, 1);
    assay_gpu_delegate_destroy(d);
    assert_true(first.stats.tuned_steps > 0);
    for (int i = 0; i < 2; i++) {
        d = CREATE("tune", i ? "1" : "0", "serialization_dir", dir.path);
        later = run_random(d, 1);
        assert_int_equal(later.stats.tuned_steps, first.stats.tuned_steps);
        assert_int_equal(later.odd_steps, first.odd_steps);
        assert_int_equal(later.stats.serialized_found, 1);
        assert_int_equal(later.stats.serialized_written, 0);
        assert_memory_equal(&first.outputs, &later.outputs, sizeof first.outputs);
        assay_gpu_delegate_destroy(d);
    }
}

/* Without time stamps: one warning, and the sizes of the table. */
TEST(no_time_stamps)
{
    struct run r;

    NEEDS_DEVICE;
    DELEGATE_BY(d, CREATE("tune", "1"));
    inside(d)->device->timestamp_ns =
        0; /* the device, with this change, is closed with this delegate */
    r = run_random(d, 1);
    assert_int_equal(r.stats.tuned_steps, 0);
    assert_non_null(strstr(said, "WARNING: tune=1 does nothing: device "));
}

/* A key depends on all properties of a step except its size. */
TEST(keys)
{
    const struct plan_step s = { .shader = "unary",
                                 .spec = { 64, 1, 1, 5 },
                                 .spec_count = 4,
                                 .push = { 9 },
                                 .push_bytes = 4,
                                 .items = 100 };
    const uint64_t key = workgroup_key(&s, false);
    struct plan_step t = s;

    t.spec[SPEC_WORKGROUP_X] = 32;
    t.groups[0] = 7;
    assert_true(workgroup_key(&t, false) == key);
    assert_true(workgroup_key(&s, true) != key);
    t = s;
    t.packed_dot = true;
    assert_true(workgroup_key(&t, false) != key);
    t = s;
    t.shader = "binary";
    assert_true(workgroup_key(&t, false) != key);
    t = s;
    t.spec[UNARY_SPEC_OP]++;
    assert_true(workgroup_key(&t, false) != key);
    t = s;
    t.push[1]++;
    assert_true(workgroup_key(&t, false) != key);
    t = s;
    t.items++;
    assert_true(workgroup_key(&t, false) != key);
}

/* Sizes from a file are used only if they are candidates that the device allows. */
TEST(apply)
{
    static const struct {
        uint32_t size, wanted;
        bool tuned;
    } rows[] = { { 32, 32, true }, { 128, 128, true }, { 256, 64, false },       { 0, 64, false },
                 { 1, 64, false }, { 65, 64, false },  { UINT32_MAX, 64, false } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct plan_step step = { .shader = "unary",
                                  .spec = { 64, 1, 1 },
                                  .spec_count = 3,
                                  .items = 1000,
                                  .groups = { 16, 1, 1 } };
        struct plan_step *steps[] = { &step };
        struct plan plan = { .steps = steps, .step_count = 1 };
        const struct workgroup_tuning tuning[] = {
            { .key = 1, .size = 32 }, { workgroup_key(&step, false), rows[i].size, 0 }
        };

        workgroups_apply(&plan, &device_limits_minimum, tuning, 1);
        assert_int_equal(step.spec[SPEC_WORKGROUP_X], 64); /* the size is for another step */
        workgroups_apply(&plan, &device_limits_minimum, tuning, 2);
        assert_int_equal(step.spec[SPEC_WORKGROUP_X], rows[i].wanted);
        assert_int_equal(step.tuned, rows[i].tuned);
        assert_int_equal(step.groups[0], (1000 - 1) / rows[i].wanted + 1);
    }
}

TEST_FILE(.before = kit_find_device);
