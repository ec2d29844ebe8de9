/* The delegate used from many threads, and destroyed in every order; skipped without a device.
 * `make tsan` runs it under ThreadSanitizer. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"
#include "delegate/base/checksum.h"
#include "reference/runtime/report.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS = 4, MODELS = 3, ROUNDS = 6, FRAMES = 8 };

static struct model models[MODELS];
/* Checksums of each model's outputs by frame, from a single thread: fp32, fp16. */
static struct checksum right[2][MODELS][FRAMES];

/* ---- in a thread: failures are texts, since cmocka's assertions work in the main thread only ----
 */

static TfLiteDelegate *create(const char *precision, const char *key, const char *value)
{
    const char *const keys[] = { "precision", "max_partitions", key };
    const char *const values[] = { precision, "0", value };

    return tflite_plugin_create_delegate(keys, values, key ? 3 : 2, NULL);
}

static const char *prepare(struct interpreter **in, const struct model *m, TfLiteDelegate *d)
{
    const struct interpreter_options options = { .report = report_nothing };

    if (interpreter_open(in, m, &options, &err) != STATUS_OK)
        return "open";
    if (interpreter_apply_delegate(*in, d, NULL, &err) != STATUS_OK)
        return "apply";
    if (interpreter_allocate(*in, &err) != STATUS_OK)
        return "allocate";
    return interpreter_partition_count(*in) > 0 ? NULL : "nothing was taken";
}

static const char *invoke(struct interpreter *in, uint64_t frame, struct checksum *outputs)
{
    size_t count;
    const int *tensors = interpreter_inputs(in, &count);
    uint64_t seed = frame;

    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *t = interpreter_tensor(in, tensors[i]);

        for (size_t j = 0; j < t->bytes / sizeof(float); j++)
            t->data.f[j] = kit_float(&seed);
    }
    if (interpreter_invoke(in, &err) != STATUS_OK)
        return "invoke";
    *outputs = (struct checksum){ { 0 } };
    tensors = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *t = interpreter_tensor(in, tensors[i]);

        checksum_add(outputs, t->data.raw, t->bytes);
    }
    return NULL;
}

static const char *check(struct interpreter *in, int half, int model, int frame)
{
    const struct checksum *r = &right[half][model][frame];
    struct checksum outputs;
    const char *failed = invoke(in, (uint64_t)frame, &outputs);

    if (failed)
        return failed;
    return memcmp(&outputs, r, sizeof outputs) == 0 ? NULL : "other bits than alone";
}

/* ---- each call in a thread of its own ---- */

struct baton {
    TfLiteDelegate *delegate;
    struct interpreter *in;
    const char *failed;
};

static void *on_create(void *user)
{
    struct baton *b = user;

    b->delegate = create("fp32", NULL, NULL);
    b->failed = b->delegate ? NULL : "create";
    return NULL;
}

static void *on_prepare(void *user)
{
    struct baton *b = user;

    b->failed = prepare(&b->in, &models[0], b->delegate);
    return NULL;
}

static void *on_invoke(void *user)
{
    struct baton *b = user;

    b->failed = check(b->in, 0, 0, 1);
    return NULL;
}

static void *on_close(void *user)
{
    struct baton *b = user;

    interpreter_close(b->in);
    return NULL;
}

static void *on_destroy(void *user)
{
    struct baton *b = user;

    tflite_plugin_destroy_delegate(b->delegate);
    return NULL;
}

TEST(each_step_on_another_thread)
{
    static void *(*const steps[])(void *) = { on_create, on_prepare, on_invoke,
                                              on_invoke, on_close,   on_destroy };

    for (int round = 0; round < 3; round++) {
        struct baton b = { 0 };

        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            pthread_t t;

            assert_int_equal(pthread_create(&t, NULL, steps[i], &b), 0);
            assert_int_equal(pthread_join(t, NULL), 0);
            if (b.failed)
                fail_msg("step %zu: %s", i, b.failed);
        }
    }
}

/* ---- threads at the same time ---- */

struct worker {
    pthread_t thread;
    int index;
    TfLiteDelegate *shared;  /* NULL: each thread creates its own */
    const char *key, *value; /* an additional option */
    int half;
    atomic_bool *stop;
    const char *failed;
};

static void run_all(struct worker workers[], int count, void *(*work)(void *))
{
    for (int i = 0; i < count; i++) {
        workers[i].index = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < count; i++)
        if (workers[i].failed)
            fail_msg("thread %d: %s", i, workers[i].failed);
}

static const char *one_round(const struct worker *w, int round)
{
    TfLiteDelegate *d = w->shared ? w->shared : create(w->half ? "fp16" : "fp32", w->key, w->value);
    const int model = (w->index + round) % MODELS;
    struct interpreter *in = NULL;
    const char *failed = d ? prepare(&in, &models[model], d) : "create";

    for (int frame = 0; frame < FRAMES && !failed; frame++)
        failed = check(in, w->half, model, frame);
    interpreter_close(in);
    if (!w->shared)
        tflite_plugin_destroy_delegate(d);
    return failed;
}

static void *work(void *user)
{
    struct worker *w = user;

    for (int round = 0; round < ROUNDS && !w->failed; round++)
        w->failed = one_round(w, round);
    return NULL;
}

TEST(interpreters_share_a_delegate)
{
    struct worker workers[THREADS] = { { .index = 0 } };
    TfLiteDelegate *d;

    for (int half = 0; half < 2; half++) {
        assert_non_null(d = create(half ? "fp16" : "fp32", NULL, NULL));
        for (int i = 0; i < THREADS; i++)
            workers[i] = (struct worker){ .shared = d, .half = half };
        run_all(workers, THREADS, work);
        tflite_plugin_destroy_delegate(d);
    }
}

TEST(delegates_share_a_device)
{
    static const char *const options[THREADS][2] = {
        { "wait", "active" }, { "profile", "1" }, { "wait", "aggressive" }, { "tune", "1" }
    };
    struct worker workers[THREADS];

    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){ .key = options[i][0], .value = options[i][1], .half = i % 2 };
    run_all(workers, THREADS, work);
}

/* All threads write the same files, and read those of the others. */
TEST(delegates_share_a_directory)
{
    const char *const dir = scratch(".");
    struct worker workers[THREADS];

    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){ .key = "serialization_dir", .value = dir, .half = i / 2 };
    run_all(workers, THREADS, work);
}

/* Calls all functions that describe a delegate while other threads prepare, run and close. */
static void *ask(void *user)
{
    struct worker *w = user;

    while (!atomic_load(w->stop) && !w->failed) {
        struct assay_gpu_stats stats = { .struct_size = sizeof stats };
        struct assay_gpu_refusal refusal = { .struct_size = sizeof refusal };
        struct assay_gpu_transform transform = { .struct_size = sizeof transform };
        struct assay_gpu_device device = { .struct_size = sizeof device };
        const int refusals = assay_gpu_refusal_count(w->shared);
        const int steps = assay_gpu_step_count(w->shared);
        const int tensors = assay_gpu_tensor_count(w->shared);

        if (assay_gpu_get_stats(w->shared, &stats) != 0 || refusals < 0 || steps < 0 || tensors < 0)
            w->failed = "stats";
        for (int i = 0; i < steps; i++) { /* there may be fewer by now */
            struct assay_gpu_step step = { .struct_size = sizeof step };

            if (assay_gpu_get_step(w->shared, i, &step) == 0 && step.workgroup[0] == 0)
                w->failed = "a step without a workgroup";
        }
        for (int i = 0; i < tensors; i++) {
            struct assay_gpu_tensor tensor = { .struct_size = sizeof tensor };

            if (assay_gpu_get_tensor(w->shared, i, &tensor) == 0 && tensor.bytes == 0)
                w->failed = "a tensor without bytes";
        }
        assay_gpu_get_refusal(w->shared, 0, &refusal);
        if (assay_gpu_get_transform(w->shared, 0, &transform) != 0)
            w->failed = "transform";
        if (assay_gpu_devices(&device, 1, NULL, 0) < 1)
            w->failed = "devices";
        usleep(1000);
    }
    return NULL;
}

TEST(others_ask_meanwhile)
{
    struct worker workers[THREADS] = { { .index = 0 } };
    struct worker asking = { .index = 0 };
    atomic_bool stop;

    atomic_init(&stop, false);
    asking.stop = &stop;
    assert_non_null(asking.shared = create("fp32", "profile", "1"));
    assert_int_equal(pthread_create(&asking.thread, NULL, ask, &asking), 0);
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){ .shared = asking.shared };
    run_all(workers, THREADS, work);
    atomic_store(&stop, true);
    assert_int_equal(pthread_join(asking.thread, NULL), 0);
    if (asking.failed)
        fail_msg("asking: %s", asking.failed);
    tflite_plugin_destroy_delegate(asking.shared);
}

/* ---- every order of destruction ---- */

static void expect_right(struct interpreter *in, int model, int frame)
{
    const char *failed = check(in, 0, model, frame);

    if (failed)
        fail_msg("%s", failed);
}

/* The ABI requires that interpreters are deleted before the delegate.  After a delegate that is
 * destroyed too early, its interpreters still work, and new ones cannot use it. */
TEST(every_order)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

    for (int o = 0; o < 6; o++) {
        struct assay_gpu_stats stats = { .struct_size = sizeof stats };
        TfLiteDelegate *const d = create("fp32", NULL, NULL);
        struct interpreter *in[2] = { NULL, NULL };

        assert_non_null(d);
        for (int i = 0; i < 2; i++) {
            const char *failed = prepare(&in[i], &models[i], d);

            if (failed)
                fail_msg("%s", failed);
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 2; j++)
                if (in[j])
                    expect_right(in[j], j, i);
            if (orders[o][i] == 2) {
                tflite_plugin_destroy_delegate(d);
                assert_int_equal(assay_gpu_get_stats(d, &stats), -1); /* only its address is left */
                tflite_plugin_destroy_delegate(d);
            } else {
                interpreter_close(in[orders[o][i]]);
                in[orders[o][i]] = NULL;
            }
        }
    }
}

/* One thread destroys the delegate while others run it. */
static void *run_on(void *user)
{
    struct worker *w = user;
    struct interpreter *in CLOSED_BY(kit_interpreter_end) = NULL;

    if (!(w->failed = prepare(&in, &models[w->index % MODELS], w->shared))) {
        while (!atomic_load(w->stop) && !w->failed)
            w->failed = check(in, 0, w->index % MODELS, 2);
        for (int frame = 0; frame < FRAMES && !w->failed; frame++)
            w->failed = check(in, 0, w->index % MODELS, frame);
    }
    return NULL;
}

TEST(destroyed_while_running)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    struct worker workers[THREADS] = { { .index = 0 } };
    TfLiteDelegate *d;
    atomic_bool stop;

    atomic_init(&stop, false);
    assert_non_null(d = create("fp32", NULL, NULL));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .index = i, .shared = d, .stop = &stop };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run_on, &workers[i]), 0);
    }
    for (int ms = 0; stats.partitions < THREADS || stats.invokes < THREADS; ms++) {
        assert_int_equal(assay_gpu_get_stats(d, &stats), 0);
        assert_true(ms < 120000); /* a thread that failed never arrives */
        usleep(1000);
    }
    tflite_plugin_destroy_delegate(d);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        if (workers[i].failed)
            fail_msg("thread %d: %s", i, workers[i].failed);
    }
}

FIXTURE(setup)
{
    for (int m = 0; m < MODELS; m++)
        kit_random_graph(&models[m], (uint64_t)m + 11, 6 + 5 * m, 2);
    for (int half = 0; half < 2 && kit_device; half++) {
        TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = create(half ? "fp16" : "fp32", NULL, NULL);

        assert_non_null(d);
        for (int m = 0; m < MODELS; m++) {
            struct interpreter *in CLOSED_BY(kit_interpreter_end);
            const char *failed = prepare(&in, &models[m], d);

            for (int frame = 0; frame < FRAMES && !failed; frame++)
                failed = invoke(in, (uint64_t)frame, &right[half][m][frame]);
            if (failed)
                fail_msg("%s", failed);
        }
    }
    return 0;
}

FIXTURE(teardown)
{
    for (int m = 0; m < MODELS; m++)
        model_close(&models[m]);
    return 0;
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device, .setup = setup, .teardown = teardown);
