/* The delegate as a LiteRT accelerator, in a runtime of the test's own: what it refuses, options,
 * and inputs and outputs in LiteRT's tensor buffers. */
#include "delegate/tests/kit/bind_kit.h"
#include "delegate/tests/kit/litert_kit.h"
#include "reference/tests/kit/capture.h"
#include "reference/tests/kit/test.h"

#include "delegate/api/litert_options.h"
#include "delegate/base/host_block.h"
#include "delegate/runtime/delegate.h"

static const struct litert_accelerator *const accelerator = &LiteRtAcceleratorImpl;

/* create_delegate fails with the status, and says the text on stderr. */
static void expect_failure(struct litert_kit *k, int status, const char *text)
{
    struct capture c;
    const char *said;
    int got;

    capture_begin(&c, stderr);
    got = litert_kit_create(k);
    said = capture_end(&c);
    if (got != status || !strstr(said, text))
        fail_msg("status %d for %d, \"%s\" is not in \"%s\"", got, status, text, said);
    assert_null(strchr(said, '\n')[1] ? said : NULL); /* one line */
}

/* ---- the definition ---- */

TEST(definition)
{
    struct litert_version v;
    const char *name;
    bool compiles;
    int hardware;
    char text[32];

    /* 200 and 136 where pointers have 64 bits: litert_abi.h asserts it. */
    assert_int_equal(accelerator->header.struct_size, sizeof *accelerator);
    assert_int_equal(accelerator->header.major, 1);
    assert_int_equal(accelerator->buffers.header.struct_size, sizeof accelerator->buffers);
    assert_int_equal(accelerator->get_name(NULL, &name), LITERT_OK);
    assert_string_equal(name, "Assay Vulkan");
    assert_int_equal(accelerator->get_version(NULL, &v), LITERT_OK);
    snprintf(text, sizeof text, "%d.%d.%d", v.major, v.minor, v.patch);
    assert_string_equal(text, assay_gpu_version());
    assert_int_equal(accelerator->get_hardware(NULL, &hardware), LITERT_OK);
    assert_int_equal(hardware, LITERT_HARDWARE_GPU);
    assert_int_equal(accelerator->compiles(NULL, &compiles), LITERT_OK);
    assert_true(compiles);
    assert_int_equal(accelerator->get_name(NULL, NULL), LITERT_INVALID_ARGUMENT);
    assert_int_equal(accelerator->get_version(NULL, NULL), LITERT_INVALID_ARGUMENT);
    assert_int_equal(accelerator->get_hardware(NULL, NULL), LITERT_INVALID_ARGUMENT);
    assert_int_equal(accelerator->compiles(NULL, NULL), LITERT_INVALID_ARGUMENT);
}

/* ---- runtimes ---- */

TEST(wrong_versions)
{
    const unsigned size = sizeof(struct litert_runtime); /* 392 where pointers have 64 bits */
    char text[96];
    struct litert_kit k CLOSED_BY(litert_kit_close);

    litert_kit_open(&k);
    k.runtime.header.struct_size = size - 1;
    snprintf(text, sizeof text, "expected at least %u bytes of version 1, found %u of version 1.2",
             size, size - 1);
    expect_failure(&k, LITERT_WRONG_VERSION, text);
    k.runtime.header = (struct litert_header){ size + 24, 2, 0, 0 };
    snprintf(text, sizeof text, "expected at least %u bytes of version 1, found %u of version 2.0",
             size, size + 24);
    expect_failure(&k, LITERT_WRONG_VERSION, text);
    k.runtime.header = (struct litert_header){ 0 };
    expect_failure(&k, LITERT_WRONG_VERSION, "found 0 of version 0.0");
}

/* A runtime that lacks a function is refused, by name and place. */
TEST(missing_functions)
{
    static const struct {
        size_t at;
        const char *text;
    } rows[] = {
#define ROW(member) { offsetof(struct litert_runtime, member), "(" #member "), found NULL" }
        ROW(create_requirements), ROW(get_buffer),       ROW(register_requirements),
        ROW(get_opaque_options),  ROW(find_opaque_data), ROW(wrap_delegate),
        ROW(destroy_buffer),      ROW(get_type),         ROW(get_size),
        ROW(get_offset),          ROW(get_host_memory),  ROW(get_custom_handle),
        ROW(has_event),           ROW(get_event),        ROW(wait_event),
#undef ROW
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[96];

        struct litert_kit k CLOSED_BY(litert_kit_close);
        litert_kit_open(&k);
        memset((char *)&k.runtime + rows[i].at, 0, sizeof(void *));
        snprintf(text, sizeof text, "expected a function at byte %zu %s", rows[i].at, rows[i].text);
        expect_failure(&k, LITERT_INVALID_ARGUMENT, text);
    }
}

TEST(no_arguments)
{
    litert_handle wrapper = NULL;
    struct capture c;
    const char *said;
    struct litert_kit k CLOSED_BY(litert_kit_close);

    litert_kit_open(&k);
    capture_begin(&c, stderr);
    assert_int_equal(accelerator->create_delegate(NULL, NULL, NULL, NULL, &wrapper),
                     LITERT_INVALID_ARGUMENT);
    assert_int_equal(accelerator->create_delegate(&k.runtime, NULL, NULL, NULL, NULL),
                     LITERT_INVALID_ARGUMENT);
    said = capture_end(&c);
    assert_non_null(strstr(said, "expected a LiteRtRuntimeContext, found NULL"));
    assert_non_null(strstr(said, "expected a place for the delegate, found NULL"));
}

/* A delegate that LiteRT does not take is destroyed. */
TEST(not_wrapped)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    NEEDS_DEVICE;
    struct litert_kit k CLOSED_BY(litert_kit_close);
    litert_kit_open(&k);
    k.wrap_status = LITERT_NO_MEMORY;
    expect_failure(&k, LITERT_NO_MEMORY, "wrap_delegate failed with status 2");
    assert_non_null(k.delegate);
    assert_int_equal(assay_gpu_get_stats(k.delegate, &stats), -1);
    k.delegate = NULL;
}

/* ---- options ---- */

/* Keys and values as "key=value key=value". */
static void print_options(char text[512], const struct litert_options *o)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < o->count; i++)
        used += (size_t)snprintf(text + used, 512 - used, "%s%s=%s", i ? " " : "", o->keys[i],
                                 o->values[i]);
}

/* Texts, and what they give: options, or a message that begins with "!". */
struct option_row {
    const char *text, *expected;
};

static void check_options(const struct option_row *row, bool gpu)
{
    struct litert_options o CLOSED_BY(litert_options_close) = { .count = 0 };
    struct diag diag = { 0 };
    char got[512];
    const enum status s = gpu ? litert_options_add_gpu(&o, row->text, &diag)
                              : litert_options_add(&o, "here", row->text, &diag);

    print_options(got, &o);
    if (row->expected[0] == '!') {
        assert_int_equal(s, STATUS_USAGE);
        assert_string_equal(diag.text, row->expected + 1);
    } else {
        KIT_OK_DIAG(s, diag);
        assert_string_equal(got, row->expected);
    }
}

TEST(our_options)
{
    static const struct option_row rows[] = {
        { "", "" },
        { " \n;\t", "" },
        { "precision=fp16", "precision=fp16" },
        { "precision = fp16\nwait=active; tune = 1\n", "precision=fp16 wait=active tune=1" },
        { "device=\"NVIDIA H200\" wait=none", "device=NVIDIA H200 wait=none" },
        { "# all of it\nwait=none # and this", "wait=none" },
        { "device=\"\"", "device=" },
        { "precision", "!here: expected key=value, found 'precision'" },
        { "wait=none fast", "!here: expected key=value, found 'fast'" },
        { "=fp16", "!here: expected key=value, found '=fp16'" },
        { "device=\"NVIDIA", "!here: expected a closing \", found '\"NVIDIA'" },
        { "colour=blue", "colour=blue" }, /* refused when the delegate is created */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_options(&rows[i], false);
}

TEST(gpu_options)
{
    static const struct option_row rows[] = {
        { "precision = 0\nwait_type = 0\npriority = 0\n", "" },
        { "precision = 1", "precision=fp16" },
        { "precision = 2", "precision=fp32" },
        { "precision = 3", "precision=fp16" },
        { "precision = 4", "!gpu_options: precision: expected a number from 0 to 3, found '4'" },
        { "precision = -1", "!gpu_options: precision: expected a number from 0 to 3, found '-1'" },
        { "precision = /", "!gpu_options: precision: expected a number from 0 to 3, found '/'" },
        { "wait_type = 1", "wait=passive" },
        { "wait_type = 2", "wait=active" },
        { "wait_type = 3", "wait=none" },
        { "wait_type = fast",
          "!gpu_options: wait_type: expected a number from 0 to 3, found 'fast'" },
        { "priority = 2", "" },
        { "priority = 9", "!gpu_options: priority: expected a number from 0 to 3, found '9'" },
        { "serialization_dir = \"/a b\"\nmodel_cache_key = \"m\"\n",
          "serialization_dir=/a b model_token=m" },
        { "serialization_dir = \"\"", "" },
        { "serialization_dir = \"/d\"\nserialize_program_cache = false\nprecision = 1",
          "precision=fp16" },
        { "serialize_program_cache = true\nserialization_dir = \"/d\"", "serialization_dir=/d" },
        { "serialize_program_cache = 1",
          "!gpu_options: serialize_program_cache: expected true or false, found '1'" },
        { "preferred_device_substr = \"H200\"", "device=H200" },
        { "benchmark_mode = false\nexternal_tensor_patterns = []\nprogram_cache_fd = -1", "" },
        { "external_tensor_patterns = [\"a", "!gpu_options: expected a closing ], found '[\"a'" },
        { "\x01\x02", "!gpu_options: expected key=value, found '\x01\x02'" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_options(&rows[i], true);
}

/* Options of LiteRT that the delegate lacks are named and ignored. */
TEST(ignored_options)
{
    static const struct option_row row = {
        "priority = 3\nbenchmark_mode = true\ncolour = \"blue\x1b[2J\"\n", ""
    };
    struct capture c;
    const char *said;

    capture_begin(&c, stderr);
    check_options(&row, true);
    said = capture_end(&c);
    assert_non_null(strstr(said, "WARNING: gpu_options: priority = 3 has no effect here\n"));
    assert_non_null(strstr(said, "WARNING: gpu_options: benchmark_mode = true has no effect here"));
    assert_non_null(strstr(said, "WARNING: gpu_options: colour = blue\\x1b[2J has no effect"));
}

TEST(too_many_options)
{
    char text[(LITERT_OPTIONS_MAX + 1) * 4 + 1] = "";
    struct option_row row = { text, "!expected at most 64 options, found more" };

    for (int i = 0; i <= LITERT_OPTIONS_MAX; i++)
        strcat(text, "a=b ");
    check_options(&row, false);
}

/* The environment's options count least, ours by name most. */
TEST(options_reach_the_delegate)
{
    struct gpu_delegate *d;

    NEEDS_DEVICE;
    setenv("ASSAY_DELEGATE_OPTIONS", "wait=active precision=fp16 min_nodes=3 max_partitions=5", 1);
    struct litert_kit k CLOSED_BY(litert_kit_close);
    litert_kit_open(&k);
    k.gpu_options = "precision = 2\nwait_type = 1\n";
    k.our_options = "wait=aggressive\n";
    assert_int_equal(litert_kit_create(&k), LITERT_OK);
    d = k.delegate->data_;
    assert_int_equal(d->options.precision, PRECISION_FP32);
    assert_int_equal(d->options.wait, WAIT_AGGRESSIVE);
    assert_int_equal(d->options.min_nodes, 3);
    assert_int_equal(d->options.max_partitions, 5);
    litert_kit_close(&k);

    litert_kit_open(&k);
    k.our_options = "colour=blue";
    expect_failure(&k, LITERT_INVALID_ARGUMENT, "option colour: unknown key");
    k.our_options = "precision=fp8";
    expect_failure(&k, LITERT_INVALID_ARGUMENT, "expected one of fp32, fp16, fast, found 'fp8'");
    setenv("ASSAY_DELEGATE_OPTIONS", "precision", 1);
    expect_failure(&k, LITERT_INVALID_ARGUMENT, "ASSAY_DELEGATE_OPTIONS: expected key=value");
    unsetenv("ASSAY_DELEGATE_OPTIONS");
}

/* ---- buffers ---- */

/* A delegate in an interpreter, and its first buffers. */
struct world {
    struct litert_kit k;
    struct model m;
    struct litert_buffer x, y;
};

static void open_world(struct world *w, const char *options)
{
    bind_make_model(&w->m);
    litert_kit_open(&w->k);
    w->k.our_options = options;
    assert_int_equal(litert_kit_create(&w->k), LITERT_OK);
    litert_kit_load(&w->k, &w->m);
    w->x = litert_buffer_make(DENSE);
    w->y = litert_buffer_make(DENSE);
}

static void close_world(struct world *w)
{
    litert_buffer_close(&w->x);
    litert_buffer_close(&w->y);
    litert_kit_close(&w->k);
    model_close(&w->m);
}

/* Runs with these buffers, and checks the answer. */
static void run_with(struct world *w, struct litert_buffer *x, struct litert_buffer *y, int seed)
{
    bind_fill(x->memory ? litert_buffer_floats(x) : (float *)((char *)x->data + x->offset), seed);
    assert_int_equal(litert_kit_run(&w->k, (struct litert_buffer *[]){ x, y }, 2), kTfLiteOk);
    bind_expect(y->memory ? litert_buffer_floats(y) : (float *)((char *)y->data + y->offset), seed);
}

static bool device_imports(const struct world *w)
{
    const struct gpu_delegate *d = w->k.delegate->data_;

    return d->device->limits.host_pointer_alignment > 0;
}

/* Bytes that an inference copied on the host so far. */
static uint64_t copied(const struct world *w)
{
    return kit_stats(w->k.delegate).host_copied_bytes;
}

/* The host is told of inputs and outputs, not of what lies inside the partition; the device reads
 * and writes buffers of its own type without a copy. */
TEST(without_copies)
{
    struct world w CLOSED_BY(close_world);

    NEEDS_DEVICE;
    open_world(&w, NULL);
    for (int i = X; i <= Y; i++) {
        assert_int_equal(w.k.tensors[i].announced, 1);
        assert_int_equal(w.k.tensors[i].bytes, DENSE);
        assert_int_equal(w.k.tensors[i].type_count, 2);
        assert_int_equal(w.k.tensors[i].types[0], LITERT_BUFFER_ASSAY);
        assert_int_equal(w.k.tensors[i].types[1], LITERT_BUFFER_HOST_MEMORY);
    }
    assert_int_equal(w.k.tensors[HIDDEN].announced, 0);
    for (int seed = 0; seed < 4; seed++)
        run_with(&w, &w.x, &w.y, seed);
    assert_int_equal(copied(&w), device_imports(&w) ? 0 : 4 * 2 * DENSE);
}

/* Buffers that change are right in any order; those that change all the time are copied. */
TEST(changing_buffers)
{
    struct litert_buffer others[3];
    struct world w CLOSED_BY(close_world);
    uint64_t before;

    NEEDS_DEVICE;
    open_world(&w, NULL);
    for (int i = 0; i < 3; i++)
        others[i] = litert_buffer_make(DENSE);
    for (int i = 0; i < 5; i++)
        run_with(&w, &w.x, &w.y, i);
    before = copied(&w);
    run_with(&w, &others[0], &w.y, 5); /* a change after a while is imported at once */
    assert_int_equal(copied(&w) - before, device_imports(&w) ? 0 : 2 * DENSE);
    for (int i = 0; i < 9; i++)
        run_with(&w, &others[i % 3], &others[(i + 1) % 3], i);
    before = copied(&w);
    run_with(&w, &others[0], &others[1], 9);
    assert_int_equal(copied(&w) - before, 2 * DENSE);
    for (int i = 0; i < 4; i++)
        run_with(&w, &others[0], &others[1], i);
    before = copied(&w);
    run_with(&w, &others[0], &others[1], 4);
    assert_int_equal(copied(&w) - before, device_imports(&w) ? 0 : 2 * DENSE);
    /* A buffer that LiteRT destroys stays as long as the kernel has imported it. */
    for (int i = 0; i < 3; i++)
        litert_buffer_close(&others[i]);
    run_with(&w, &w.x, &w.y, 6);
}

/* Memory of another maker is copied, from and to the place that its offset says; so is the
 * interpreter's own. */
TEST(host_memory)
{
    char memory[2][DENSE + 64];
    struct litert_buffer x = { LITERT_BUFFER_HOST_MEMORY, DENSE + 12, 12, memory[0],
                               .memory = NULL };
    struct litert_buffer y = { LITERT_BUFFER_HOST_MEMORY, DENSE, 0, memory[1], .memory = NULL };
    struct litert_buffer *none[] = { NULL, NULL };
    struct world w CLOSED_BY(close_world);

    NEEDS_DEVICE;
    open_world(&w, NULL);
    run_with(&w, &w.x, &w.y, 1);
    run_with(&w, &x, &y, 2);
    run_with(&w, &w.x, &y, 3);
    run_with(&w, &x, &w.y, 4);
    bind_fill(interpreter_tensor(w.k.in, X)->data.f, 5);
    assert_int_equal(litert_kit_run(&w.k, none, 2), kTfLiteOk);
    interpreter_allow_buffer_handles(w.k.in, true);
    kit_read(w.k.in, Y);
    bind_expect(interpreter_tensor(w.k.in, Y)->data.f, 5);
    interpreter_tensor(w.k.in, Y)->data_is_stale = false;
    run_with(&w, &w.x, &w.y, 6);
}

/* One buffer as input and output: elementwise steps would race if the device used it as both. */
TEST(one_buffer_twice)
{
    struct world w CLOSED_BY(close_world);
    uint64_t before;

    NEEDS_DEVICE;
    open_world(&w, NULL);
    run_with(&w, &w.x, &w.y, 1);
    before = copied(&w);
    for (int seed = 2; seed < 6; seed++)
        run_with(&w, &w.x, &w.x, seed);
    assert_int_equal(copied(&w) - before, 4 * 2 * DENSE);
    run_with(&w, &w.x, &w.y, 6);
}

/* Whoever fills an input may still be at work: its event is waited for. */
TEST(input_events)
{
    struct world w CLOSED_BY(close_world);

    NEEDS_DEVICE;
    open_world(&w, NULL);
    w.x.has_event = true;
    run_with(&w, &w.x, &w.y, 1);
    assert_int_equal(w.x.waits, 1);
    assert_int_equal(w.y.waits, 0);
    w.x.has_event = false;
    run_with(&w, &w.x, &w.y, 2);
    assert_int_equal(w.x.waits, 1);
}

/* Takes the event off a buffer, as LiteRtClearTensorBufferEvent does. */
static void clear_event(struct litert_buffer *b)
{
    b->event->release(b->event);
    b->event = NULL;
    b->has_event = false;
}

/* An asynchronous run leaves an event on its output.  It may be waited for often, after the next
 * run, and after the model is gone; a second model waits for it as its input's. */
TEST(asynchronous_runs)
{
    struct world w, next;
    struct litert_event *event;

    NEEDS_DEVICE;
    open_world(&w, NULL);
    if (!device_imports(&w)) {
        close_world(&w);
        skip();
    }
    w.k.async = true;
    for (int seed = 0; seed < 5; seed++) {
        bind_fill(litert_buffer_floats(&w.x), seed);
        assert_int_equal(litert_kit_run(&w.k, (struct litert_buffer *[]){ &w.x, &w.y }, 2),
                         kTfLiteOk);
        event = w.y.event;
        assert_non_null(event);
        assert_null(event->get_native(event));
        event->retain(event);
        if (seed % 2)
            assert_in_range(event->is_signaled(event), 0, 1);
        event->wait(event, -1);
        assert_int_equal(event->is_signaled(event), 1);
        event->wait(event, -1);
        bind_expect(litert_buffer_floats(&w.y), seed);
        event->release(event);
        clear_event(&w.y);
    }
    /* The next run of the kernel ends the one before. */
    bind_fill(litert_buffer_floats(&w.x), 7);
    assert_int_equal(litert_kit_run(&w.k, (struct litert_buffer *[]){ &w.x, &w.y }, 2), kTfLiteOk);
    event = w.y.event;
    event->retain(event);
    clear_event(&w.y);
    assert_int_equal(litert_kit_run(&w.k, (struct litert_buffer *[]){ &w.x, &w.y }, 2), kTfLiteOk);
    assert_int_equal(event->is_signaled(event), 1);
    event->release(event);
    assert_int_equal(copied(&w), 0);

    /* Its output is the input of another model. */
    open_world(&next, NULL);
    assert_int_equal(litert_kit_run(&next.k, (struct litert_buffer *[]){ &w.y, &next.y }, 2),
                     kTfLiteOk);
    assert_int_equal(w.y.waits, 1);
    bind_expect(litert_buffer_floats(&w.y), 7);
    close_world(&next);

    litert_kit_select(&w.k);
    clear_event(&w.y);
    assert_int_equal(litert_kit_run(&w.k, (struct litert_buffer *[]){ &w.x, &w.y }, 2), kTfLiteOk);
    event = w.y.event;
    event->retain(event);
    close_world(&w); /* while the event is held */
    event->wait(event, -1);
    assert_int_equal(event->is_signaled(event), 1);
    event->release(event);
}

/* Without events, and with outputs that have to be copied, a run returns with its outputs. */
TEST(synchronous_after_all)
{
    char memory[DENSE + 64];
    struct litert_buffer y = { LITERT_BUFFER_HOST_MEMORY, DENSE, 0, memory, .memory = NULL };
    struct world w CLOSED_BY(close_world);

    NEEDS_DEVICE;
    open_world(&w, NULL);
    w.k.async = true;
    run_with(&w, &w.x, &y, 1);
    assert_false(y.has_event);
    w.k.runtime.create_event = NULL;
    run_with(&w, &w.x, &w.y, 2);
    assert_false(w.y.has_event);
}

static void expect_no_run(struct world *w, struct litert_buffer *x, const char *text)
{
    kit_said[0] = '\0';
    assert_int_equal(litert_kit_run(&w->k, (struct litert_buffer *[]){ x, &w->y }, 2),
                     kTfLiteError);
    if (!strstr(kit_said, text))
        fail_msg("\"%s\" is not in \"%s\"", text, kit_said);
}

TEST(bad_buffers)
{
    struct host_block foreign = { .maker = "another library" };
    struct litert_memory foreign_memory = { &foreign, NULL };
    struct litert_buffer bad;
    struct world w CLOSED_BY(close_world);

    NEEDS_DEVICE;
    open_world(&w, NULL);
    bad = w.x;
    bad.bytes = DENSE - 1;
    expect_no_run(&w, &bad, "expected a buffer of at least 144 bytes, found 143");
    bad = (struct litert_buffer){ .type = 20, .bytes = DENSE };
    expect_no_run(&w, &bad, "expected a buffer of type 160 or 1, found 20");
    bad = (struct litert_buffer){ LITERT_BUFFER_ASSAY, DENSE, .memory = &foreign_memory };
    expect_no_run(&w, &bad, "its buffer of type 160 was not made by this library");
    bad = (struct litert_buffer){ LITERT_BUFFER_HOST_MEMORY, DENSE, .data = NULL };
    expect_no_run(&w, &bad, "LiteRT's buffer of 144 bytes");
    bad = (struct litert_buffer){ LITERT_BUFFER_HOST_MEMORY, 8, .offset = 9, .data = &w };
    expect_no_run(&w, &bad, "begins at byte 9");
    /* LiteRT gives no buffer, and the tensor has no data. */
    {
        TfLiteTensor *t = interpreter_tensor(w.k.in, X);
        char *data = t->data.raw;

        t->data.raw = NULL;
        expect_no_run(&w, NULL, "expected 144 bytes of data, found NULL");
        t->data.raw = data;
    }
    run_with(&w, &w.x, &w.y, 1);
}

TEST(handlers)
{
    const struct litert_buffer_handlers *h = &accelerator->buffers;
    struct litert_memory *m = NULL, wrong = { .handle = NULL };
    void *address;

    assert_int_equal(h->type_count, 1);
    assert_int_equal(h->types[0], LITERT_BUFFER_ASSAY);
    assert_int_equal(h->create(NULL, NULL, NULL, 101, 4, 4, &m), LITERT_INVALID_ARGUMENT);
    assert_int_equal(h->create(NULL, NULL, NULL, LITERT_BUFFER_ASSAY, 4, 4, NULL),
                     LITERT_INVALID_ARGUMENT);
    assert_int_equal(h->create(NULL, NULL, NULL, LITERT_BUFFER_ASSAY, SIZE_MAX, 4, &m),
                     LITERT_NO_MEMORY);
    assert_null(m);
    for (size_t bytes = 0; bytes < 200000; bytes += 65535) {
        assert_int_equal(h->create(NULL, NULL, NULL, LITERT_BUFFER_ASSAY, bytes, bytes, &m),
                         LITERT_OK);
        assert_int_equal(h->lock(m, 0, &address), LITERT_OK);
        assert_int_equal((uintptr_t)address % 65536, 0);
        memset(address, 1, bytes);
        assert_int_equal(h->unlock(m), LITERT_OK);
        assert_int_equal(h->clear(m), LITERT_OK);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(((char *)address)[i], 0);
        assert_int_equal(h->destroy(m), LITERT_OK);
    }
    assert_int_equal(h->lock(&wrong, 0, &address), LITERT_INVALID_ARGUMENT);
    assert_int_equal(h->lock(NULL, 0, &address), LITERT_INVALID_ARGUMENT);
    assert_int_equal(h->unlock(&wrong), LITERT_INVALID_ARGUMENT);
    assert_int_equal(h->clear(&wrong), LITERT_INVALID_ARGUMENT);
    assert_int_equal(h->destroy(&wrong), LITERT_INVALID_ARGUMENT);
    assert_int_equal(h->destroy(NULL), LITERT_INVALID_ARGUMENT);
}

TEST_FILE(.before = kit_find_validated_device);
