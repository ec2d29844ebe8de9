/* Judges one case on one subject. */
#include "conformance/judge.h"

#include "conformance/compare.h"
#include "conformance/expect.h"
#include "conformance/repro.h"
#include "reference/interpreter.h"
#include "reference/memory.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { GUARD_BYTES = 64 };
/* A NaN that no computation makes. */
static const uint32_t poison_word = 0x7fe5a5a5;

/* The order of the sets: what shows an indexing error without any tolerance comes first. */
static const enum data_set set_order[SET_COUNT] = { SET_INTEGERS, SET_RANDOM, SET_POSITIVE,
                                                    SET_CANCEL,   SET_POWERS, SET_SPREAD };

/* Delegate objects: one for the run proper, and of ours one for each poison. */
enum { PLAIN, POISON_FIRST, DELEGATE_COUNT = 4 };
static const char *const poisons[DELEGATE_COUNT] = { NULL, "nan", "inf", "junk" };

struct judge {
    struct subject *subject;
    struct judge_options options;
    TfLiteDelegate *delegates[DELEGATE_COUNT];
    bool ours;
    char report[256]; /* what the delegate said last */
};

/* ---- delegates ---- */

static enum status make_delegate(struct judge *j, int which, struct diag *diag)
{
    struct subject_option extra[2];
    size_t count = 0;

    if (j->delegates[which] || !j->subject->path)
        return STATUS_OK;
    if (j->ours) {
        bool given = false;

        for (size_t i = 0; i < j->subject->option_count; i++)
            given = given || strcmp(j->subject->options[i].key, "max_partitions") == 0;
        if (!given)
            extra[count++] = (struct subject_option){ "max_partitions", "0" };
    }
    if (poisons[which])
        extra[count++] = (struct subject_option){ "poison", poisons[which] };
    return subject_create(j->subject, extra, count, &j->delegates[which], diag);
}

enum status judge_open(struct judge **out, struct subject *subject,
                       const struct judge_options *options, struct diag *diag)
{
    struct judge *const j = mem_alloc(1, sizeof *j);
    enum status s;

    *out = NULL;
    if (!j)
        return diag_fail(diag, STATUS_NO_MEMORY, "judge: out of memory");
    j->subject = subject;
    j->options = *options;
    if ((s = subject_load(subject, diag)) == STATUS_OK) {
        j->ours = subject->extras.get_stats && subject->extras.refusal_count;
        s = make_delegate(j, PLAIN, diag);
    }
    if (s != STATUS_OK) {
        judge_close(j);
        return s;
    }
    *out = j;
    return STATUS_OK;
}

void judge_close(struct judge *j)
{
    if (!j)
        return;
    for (int i = 0; i < DELEGATE_COUNT; i++)
        subject_destroy(j->subject, j->delegates[i]);
    mem_free(j);
}

void judge_device(const struct judge *j, struct judge_device *device)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    *device = (struct judge_device){ "", "", "" };
    if (!j->ours || j->subject->extras.get_stats(j->delegates[PLAIN], &stats) != 0)
        return;
    snprintf(device->name, sizeof device->name, "%.*s", (int)sizeof stats.device - 1, stats.device);
    snprintf(device->driver, sizeof device->driver, "%.*s", (int)sizeof stats.driver - 1,
             stats.driver);
    if (stats.api_version) /* VK_MAKE_API_VERSION */
        snprintf(device->api, sizeof device->api, "%u.%u.%u", stats.api_version >> 22 & 0x7f,
                 stats.api_version >> 12 & 0x3ff, stats.api_version & 0xfff);
}

/* ---- one model on the device ---- */

static void stage(struct judge *j, int set, const char *format, ...) PRINTF_LIKE(3, 4);
static void stage(struct judge *j, int set, const char *format, ...)
{
    va_list args;

    if (!j->options.stage)
        return;
    j->options.stage->set = set;
    va_start(args, format);
    vsnprintf(j->options.stage->what, sizeof j->options.stage->what, format, args);
    va_end(args);
}

static void take_report(void *user, const char *format, va_list args)
{
    struct judge *const j = user;

    vsnprintf(j->report, sizeof j->report, format, args);
}

/* One data set of one case. */
struct trial {
    struct judge *j;
    const struct test_case *c;
    enum data_set set;
    struct case_instance instance;
    struct model model;
    uint8_t *untouched;    /* a copy of the file: constants must not change */
    struct outputs got[2]; /* of frames A and B */
    struct case_result *result;
};

/* The delegate's interpreter: opened, delegate applied, allocated. */
static enum status open_device(struct trial *t, int which, struct interpreter **in,
                               struct diag *diag)
{
    struct judge *const j = t->j;
    const struct interpreter_options options = {
        .guard_bytes = GUARD_BYTES,
        .poison = true,
        .poison_word = poison_word,
        .num_threads = -1,
        .report = take_report,
        .report_user = j,
    };
    enum status s;

    j->report[0] = '\0';
    TRY(make_delegate(j, which, diag));
    TRY(interpreter_open(in, &t->model, &options, diag));
    s = STATUS_OK;
    if (j->delegates[which])
        s = interpreter_apply_delegate(*in, j->delegates[which], NULL, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(*in, diag);
    if (s != STATUS_OK) {
        interpreter_close(*in);
        *in = NULL;
    }
    return s;
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* What a delegate must leave alone. */
static bool check_untouched(struct trial *t, struct interpreter *in, int frame)
{
    struct diag diag;
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    if (interpreter_check_guards(in, &diag) != STATUS_OK)
        return result_fail(t->result, "written out of bounds: %s", diag.text);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const input = interpreter_tensor(in, inputs[i]);

        if (input->bytes > 0 &&
            memcmp(input->data.raw, t->instance.inputs[i].data[frame], input->bytes) != 0)
            return result_fail(t->result, "input %zu was written to", i);
    }
    if (memcmp(t->instance.file.bytes, t->untouched, t->instance.file.count) != 0)
        return result_fail(t->result, "the model's constants were written to");
    return true;
}

/* One inference; false when the case failed. */
static bool run_frame(struct trial *t, struct interpreter *in, int frame, struct outputs *got)
{
    struct diag diag;
    double start, ms;

    t->result->frame = frame ? 'B' : 'A';
    if (expect_write_inputs(in, &t->instance, frame, &diag) != STATUS_OK)
        return result_fail(t->result, "%s", diag.text);
    start = now_ms();
    if (interpreter_invoke(in, &diag) != STATUS_OK)
        return result_fail(t->result, "invoke: %s", diag.text);
    ms = now_ms() - start;
    if (t->result->ms == 0 || ms < t->result->ms)
        t->result->ms = ms;
    if (outputs_copy(got, in, &diag) != STATUS_OK)
        return result_fail(t->result, "%s", diag.text);
    return check_untouched(t, in, frame);
}

/* "n 0 h 1 w 2 c 3" of the element that a byte belongs to, and both values. */
static bool differ(struct trial *t, const struct outputs *first, const struct outputs *second,
                   const char *what)
{
    struct case_result *const r = t->result;
    int output;
    size_t byte;
    float a, b;

    if (!outputs_differ(first, second, &output, &byte))
        return false;
    r->output = output;
    if (first->items[output].type == kTfLiteFloat32 &&
        first->items[output].bytes == second->items[output].bytes) {
        memcpy(&a, (const char *)first->items[output].data + byte / 4 * 4, sizeof a);
        memcpy(&b, (const char *)second->items[output].data + byte / 4 * 4, sizeof b);
        r->has_element = true;
        r->want = a;
        r->got = b;
        r->error = b - a;
        r->limit = 0;
        compare_where(first->items[output].dims, first->items[output].rank, byte / 4, r->where,
                      sizeof r->where);
    }
    result_fail(r, "%s", what);
    return true;
}

/* Frames A, B, A. */
static bool run_frames(struct trial *t, struct interpreter *in)
{
    struct outputs again = { .count = 0 };
    bool ok;

    stage(t->j, (int)t->set, "frame A");
    if (!run_frame(t, in, 0, &t->got[0]))
        return false;
    stage(t->j, (int)t->set, "frame B");
    if (!run_frame(t, in, 1, &t->got[1]))
        return false;
    stage(t->j, (int)t->set, "frame A again");
    ok = run_frame(t, in, 0, &again) &&
         !differ(t, &t->got[0], &again, "frame A gives other bits after frame B: state is kept");
    outputs_close(&again);
    return ok;
}

/* ---- declined ---- */

static void explain_refusal(struct judge *j, const struct test_case *c, int node,
                            struct case_result *r)
{
    const TfLiteDelegate *const d = j->delegates[PLAIN];
    struct assay_gpu_refusal refusal;
    int count = 0;

    r->status = CASE_DECLINED;
    snprintf(r->reason, sizeof r->reason, "not taken");
    if (j->ours && j->subject->extras.get_refusal)
        count = j->subject->extras.refusal_count(d);
    for (int i = 0; i < count; i++) {
        refusal = (struct assay_gpu_refusal){ .struct_size = sizeof refusal };
        if (j->subject->extras.get_refusal(d, i, &refusal) != 0 || refusal.node != node)
            continue;
        snprintf(r->reason, sizeof r->reason, "%s: %s%s%s%s%s%s", refusal.rule,
                 refusal.field ? refusal.field : c->op, refusal.value ? " is " : "",
                 refusal.value ? refusal.value : "", refusal.limit ? ", may be " : "",
                 refusal.limit ? refusal.limit : "", "");
        return;
    }
}

/* ---- one set ---- */

static void note_bytes(struct trial *t, struct interpreter *in)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    uint64_t bytes = interpreter_arena_bytes(in);

    if (t->j->ours && t->j->subject->extras.get_stats(t->j->delegates[PLAIN], &stats) == 0)
        bytes = stats.constant_bytes + stats.activation_bytes + stats.staging_bytes;
    if (bytes > t->result->bytes)
        t->result->bytes = bytes;
}

/* The device part; false when the case is over. */
static bool run_device(struct trial *t)
{
    struct interpreter *in = NULL;
    struct diag diag;
    bool ok = false;

    stage(t->j, (int)t->set, "prepare");
    if (open_device(t, PLAIN, &in, &diag) != STATUS_OK)
        return result_fail(t->result, "prepare: %s", diag.text);
    if (t->j->delegates[PLAIN] && interpreter_node_partition(in, t->instance.judged_node) < 0) {
        explain_refusal(t->j, t->c, t->instance.judged_node, t->result);
    } else {
        ok = run_frames(t, in);
        note_bytes(t, in);
    }
    interpreter_close(in);
    return ok;
}

/* Poison in padded lanes and arena must not be seen. */
static bool run_poisoned(struct trial *t, int which)
{
    struct interpreter *in = NULL;
    struct outputs got = { .count = 0 };
    char what[64];
    struct diag diag;
    bool ok;

    stage(t->j, (int)t->set, "poison=%s", poisons[which]);
    if (open_device(t, which, &in, &diag) != STATUS_OK)
        return result_fail(t->result, "poison=%s: prepare: %s", poisons[which], diag.text);
    snprintf(what, sizeof what, "poison=%s changes the result", poisons[which]);
    if (interpreter_node_partition(in, t->instance.judged_node) < 0)
        ok = result_fail(t->result, "poison=%s: the node is not taken any more", poisons[which]);
    else
        ok = run_frame(t, in, 0, &got) && !differ(t, &t->got[0], &got, what);
    outputs_close(&got);
    interpreter_close(in);
    return ok;
}

static bool compare_frames(struct trial *t, const char *repro)
{
    const struct interpreter_options options = {
        .preserve_all = true, .num_threads = -1, .report = take_report, .report_user = t->j
    };
    struct interpreter *in = NULL;
    struct diag diag;
    enum status s;

    stage(t->j, (int)t->set, "reference");
    s = interpreter_open(&in, &t->model, &options, &diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, &diag);
    for (int frame = 0; frame < 2 && s == STATUS_OK && t->result->status != CASE_FAIL; frame++) {
        const struct expect_request request = {
            .instance = &t->instance,
            .frame = frame,
            .bounds = t->j->subject->bounds,
            .set = t->set,
            .poison_word = poison_word,
            .repro = repro,
        };

        t->result->frame = frame ? 'B' : 'A';
        s = expect_outputs(in, &request, &t->got[frame], t->result, &diag);
    }
    interpreter_close(in);
    if (s != STATUS_OK)
        return result_fail(t->result, "reference: %s", diag.text);
    return t->result->status != CASE_FAIL;
}

/* Files of a failed trial; what cannot be written is said, and changes nothing else. */
static void save_repro(struct trial *t)
{
    struct case_result ignored = *t->result;
    const size_t used = strlen(t->result->reason);
    char path[PATH_MAX];
    struct diag diag;
    enum status s;

    s = repro_open(t->j->options.repro_dir, t->c->name, t->j->subject->label, path, &diag);
    if (s == STATUS_OK)
        s = repro_save_instance(path, &t->instance, &diag);
    for (int frame = 0; frame < 2 && s == STATUS_OK; frame++)
        s = repro_save_outputs(path, &t->got[frame], frame, &diag);
    if (s == STATUS_OK && t->got[0].count > 0 && t->got[1].count > 0) {
        struct case_result *const result = t->result;

        ignored.status = CASE_PASS;
        t->result = &ignored; /* once more, to write what was expected */
        compare_frames(t, path);
        t->result = result;
    }
    if (s != STATUS_OK)
        snprintf(t->result->reason + used, sizeof t->result->reason - used, " (--repro-dir: %s)",
                 diag.text);
}

static bool run_set(struct trial *t)
{
    const struct case_request request = { t->set, t->j->options.seed,
                                          t->j->subject->bounds == BOUNDS_FP16 };
    struct diag diag;
    bool ok = false;

    stage(t->j, (int)t->set, "build");
    if (case_build(t->c, &request, &t->instance, &diag) != STATUS_OK)
        return result_fail(t->result, "the suite cannot build it: %s", diag.text);
    t->untouched = mem_alloc(t->instance.file.count, 1);
    if (!t->untouched) {
        result_fail(t->result, "out of memory");
    } else if (tflite_read(&t->model, t->instance.file.bytes, t->instance.file.count, &diag) !=
               STATUS_OK) {
        result_fail(t->result, "the reader refuses it: %s", diag.text);
    } else {
        memcpy(t->untouched, t->instance.file.bytes, t->instance.file.count);
        ok = run_device(t) && compare_frames(t, NULL);
        for (int p = POISON_FIRST; ok && t->j->ours && t->set == SET_RANDOM && p < DELEGATE_COUNT;
             p++)
            ok = run_poisoned(t, p);
        if (t->result->status == CASE_FAIL && t->j->options.repro_dir)
            save_repro(t);
    }
    outputs_close(&t->got[0]);
    outputs_close(&t->got[1]);
    model_close(&t->model);
    mem_free(t->untouched);
    case_instance_close(&t->instance);
    return ok;
}

void judge_case(struct judge *j, const struct test_case *c, struct case_result *result)
{
    bool ok = true;

    *result = (struct case_result){ .status = CASE_PASS };
    for (int i = 0; i < SET_COUNT && ok; i++) {
        struct trial t = { .j = j, .c = c, .set = set_order[i], .result = result };

        if (!case_has_set(c, t.set))
            continue;
        ok = run_set(&t);
        if (result->status == CASE_FAIL) {
            result->has_set = true;
            result->set = t.set;
        }
    }
}
