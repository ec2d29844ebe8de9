#include "delegate/tests/kit/hostile_run.h"

#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/device_profiles.h"
#include "reference/tests/kit/hostile_damage.h"
#include "reference/tests/kit/hostile_model.h"

#include "delegate/graph/import.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/format/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITERATIONS_MAX = 100 };

enum status hostile_row_write(const struct hostile_row *row, struct tflite_file *file,
                              struct diag *diag)
{
    enum status s = hostile_model_write(row->model, file, diag);

    for (int i = 0; i < row->damage_count && s == STATUS_OK; i++)
        s = hostile_damage(file, row->damage[i], diag);
    return diag_prefix(diag, s, "%s:%d: %s", row->file, row->line, row->name);
}

/* ---- the delegate without a device ---- */

static void plan_for(struct hostile_outcome *o, const struct graph *g,
                     const struct gpu_device_profile *profile)
{
    int *const lists = calloc((size_t)g->node_count + 2 * (size_t)g->tensor_count + 1, sizeof(int));
    struct gpu_options options = gpu_options_of((const char *const[]){ NULL });
    struct plan_request r = { .graph = g, .options = &options, .limits = &profile->limits };
    struct diag diag = { 0 };
    struct decision d = { 0 };
    struct plan p;
    enum status s = decision_make(&d, g, &options, &profile->limits, &diag);

    if (s == STATUS_OK && d.refusal_count == 0) {
        gpu_request_all(&r, g, lists, lists + g->node_count,
                        lists + g->node_count + g->tensor_count);
        s = plan_make(&p, &r, &diag);
        if (s == STATUS_OK) {
            o->plans++;
            plan_close(&p);
        }
    }
    if (s != STATUS_OK && (s != STATUS_UNSUPPORTED || !diag.text[0]) && !o->plan_failure[0])
        snprintf(o->plan_failure, sizeof o->plan_failure, "%s: %s: %.400s", profile->name,
                 status_text(s), diag.text);
    decision_close(&d);
    options_close(&options);
    free(lists);
}

static void tell_refusal(struct hostile_outcome *o, const struct decision *d, int node)
{
    const struct refusal *r = &d->refusals[0];

    for (int i = 0; i < d->refusal_count; i++)
        if (d->refusals[i].host_node == node)
            r = &d->refusals[i];
    snprintf(o->rule, sizeof o->rule, "%s", r->rule);
    snprintf(o->refusal, sizeof o->refusal, "node %d, tensor %d %s: %s is %s, expected %s",
             r->host_node, r->tensor, r->tensor_name, r->field, r->value, r->limit);
}

struct watched {
    struct hostile_outcome *o;
    int node;
};

static TfLiteStatus decide(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const struct device_limits limits = gpu_large_limits();
    const struct watched *const w = delegate->data_;
    struct gpu_options options = gpu_options_of((const char *const[]){ NULL });
    struct hostile_outcome *const o = w->o;
    struct gpu_device_profiles profiles;
    struct diag diag = { 0 };
    struct decision d = { 0 };
    struct graph g;

    if (graph_import(&g, context, &diag) != STATUS_OK) {
        snprintf(o->rule, sizeof o->rule, "import");
        snprintf(o->refusal, sizeof o->refusal, "%.500s", diag.text);
        return kTfLiteOk;
    }
    KIT_OK(decision_make(&d, &g, &options, &limits, &diag));
    snprintf(o->rule, sizeof o->rule, "%s", g.node_count ? "taken" : "empty");
    if (d.refusal_count > 0)
        tell_refusal(o, &d, w->node);
    profiles_all(&profiles);
    for (int i = 0; i < profiles.count; i++)
        plan_for(o, &g, &profiles.at[i]);
    decision_close(&d);
    options_close(&options);
    graph_close(&g);
    return kTfLiteOk;
}

static void ask_delegate(const struct hostile_row *row, const struct model *m,
                         const struct interpreter_options *options, struct hostile_outcome *o)
{
    struct watched w = { o, row->node };
    TfLiteDelegate delegate = { .data_ = &w,
                                .Prepare = decide,
                                .flags = kTfLiteDelegateFlagsAllowDynamicTensors };
    struct interpreter *in;
    struct diag diag = { 0 };

    snprintf(o->rule, sizeof o->rule, "unseen");
    if (interpreter_open(&in, m, options, &diag) == STATUS_OK)
        interpreter_apply_delegate(in, &delegate, NULL, &diag);
    interpreter_close(in);
}

/* ---- inputs and results ---- */

static size_t element_bytes(const TfLiteTensor *t)
{
    return runtime_type_bits(t->type) / 8;
}

static void put(const TfLiteTensor *t, size_t index, double value)
{
    char *const at = t->data.raw + index * element_bytes(t);
    const int64_t whole = (int64_t)(value == value && value < 9e18 && value > -9e18 ? value : 0);
    const float f = (float)value;
    const uint16_t half = float_to_half(f);

    if (t->type == kTfLiteFloat32)
        memcpy(at, &f, sizeof f);
    else if (t->type == kTfLiteFloat16)
        memcpy(at, &half, sizeof half);
    else
        memcpy(at, &whole, element_bytes(t) < 8 ? element_bytes(t) : 8);
}

/* Inputs are ones, or the numbers of `feed`, the last of which fills the rest; '/' comes before the
 * next input. */
static void feed(struct interpreter *in, const char *text)
{
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);
        const size_t size = element_bytes(t);
        double value = 1;

        for (size_t e = 0; size && t->data.raw && e < t->bytes / size; e++) {
            char *end;

            if (text && *text && *text != '/') {
                value = strtod(text, &end);
                text = end + (*end == ',');
            }
            put(t, e, value);
        }
        if (text && (text = strchr(text, '/')))
            text += 1 + strspn(text + 1, " ");
    }
}

static double get(const TfLiteTensor *t, size_t index)
{
    const char *const at = t->data.raw + index * element_bytes(t);
    int64_t whole = 0;
    uint16_t half;
    float f;

    if (t->type == kTfLiteFloat32) {
        memcpy(&f, at, sizeof f);
        return (double)f;
    }
    if (t->type == kTfLiteFloat16) {
        memcpy(&half, at, sizeof half);
        return (double)half_to_float(half);
    }
    memcpy(&whole, at, element_bytes(t));
    switch (t->type) {
    case kTfLiteInt8: return (int8_t)whole;
    case kTfLiteInt16: return (int16_t)whole;
    case kTfLiteInt32: return (int32_t)whole;
    default: return (double)whole;
    }
}

static void keep_results(struct interpreter *in, struct hostile_outcome *o)
{
    size_t count;
    const int *const outputs = interpreter_outputs(in, &count);
    const TfLiteTensor *const t = count ? interpreter_tensor(in, outputs[0]) : NULL;
    const size_t size = t ? element_bytes(t) : 0;
    struct diag diag = { 0 };

    if (!size || size > 8 || interpreter_make_readable(in, outputs[0], &diag) != STATUS_OK)
        return;
    for (size_t i = 0; i < t->bytes / size && t->data.raw && o->result_count < HOSTILE_RESULTS_MAX;
         i++)
        o->results[o->result_count++] = get(t, i);
}

/* ---- one row ---- */

static void ignore(void *user, const char *format, va_list args)
{
    (void)user;
    (void)format;
    (void)args;
}

static enum status end_at(struct hostile_outcome *o, enum hostile_stage stage, enum status s,
                          const struct diag *diag)
{
    o->stage = stage;
    o->status = s;
    snprintf(o->message, sizeof o->message, "%s", diag->text);
    return s;
}

static void run_model(const struct hostile_row *row, struct interpreter *in,
                      struct hostile_outcome *o)
{
    struct diag diag = { 0 };
    enum status s = interpreter_allocate(in, &diag);

    if (s != STATUS_OK) {
        end_at(o, HOSTILE_PREPARE, s, &diag);
        return;
    }
    feed(in, row->feed);
    s = interpreter_invoke(in, &diag);
    o->guards_whole = interpreter_check_guards(in, NULL) == STATUS_OK;
    end_at(o, s == STATUS_OK ? HOSTILE_RUNS : HOSTILE_INVOKE, s, &diag);
    if (s == STATUS_OK)
        keep_results(in, o);
}

static void run_row(const struct hostile_row *row, bool device, struct hostile_outcome *o)
{
    const struct interpreter_options options = { .guard_bytes = 64,
                                                 .report = ignore,
                                                 .max_iterations = ITERATIONS_MAX };
    TfLiteDelegate *const d = device ? kit_delegate((const char *const[]){ NULL }) : NULL;
    struct diag diag = { 0 };
    struct tflite_file file;
    struct interpreter *in = NULL;
    struct model m = { 0 };
    uint8_t *bytes;
    enum status s;

    KIT_OK(hostile_row_write(row, &file, &diag));
    /* A block of the exact size, so that a sanitizer sees a read past its end. */
    bytes = malloc(file.count ? file.count : 1);
    assert_non_null(bytes);
    memcpy(bytes, file.bytes, file.count);
    o->guards_whole = true;
    snprintf(o->rule, sizeof o->rule, "unseen");
    if ((s = tflite_verify(bytes, file.count, &diag)) != STATUS_OK) {
        end_at(o, HOSTILE_VERIFY, s, &diag);
        if (tflite_read(&m, bytes, file.count, &diag) != s)
            fail_msg("reader and verifier differ: %s", diag.text);
    } else {
        KIT_OK(tflite_read(&m, bytes, file.count, &diag));
        if (!device)
            ask_delegate(row, &m, &options, o);
        if ((s = interpreter_open(&in, &m, &options, &diag)) != STATUS_OK) {
            end_at(o, HOSTILE_OPEN, s, &diag);
        } else if (!d) {
            run_model(row, in, o);
        } else if ((s = interpreter_apply_delegate(in, d, NULL, &diag)) != STATUS_OK &&
                   interpreter_allocate(in, &diag) != STATUS_OK) {
            end_at(o, HOSTILE_PREPARE, s, &diag);
        } else
            run_model(row, in, o);
    }
    interpreter_close(in);
    if (d)
        tflite_plugin_destroy_delegate(d);
    model_close(&m);
    mem_free(file.bytes);
    free(bytes);
    o->peak_bytes = mem_peak_bytes();
    o->finished = true;
}

/* Address space beyond what the process has now.  Under a sanitizer there is no such limit; single
 * allocations are then limited by the options of the test program. */
static void limit_memory(bool device)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const unsigned long long more = device ? 4ULL << 30 : 1ULL << 30;
    FILE *const f = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;

    if (f && fscanf(f, "%llu", &pages) == 1) {
        const unsigned long long room = pages * (unsigned long long)sysconf(_SC_PAGESIZE) + more;
        const rlim_t bytes = (rlim_t)room;

        if (bytes == room) /* rlim_t of 32 bits holds less, and is then no limit */
            setrlimit(RLIMIT_AS, &(struct rlimit){ bytes, bytes });
    }
    if (f)
        fclose(f);
#else
    (void)device;
#endif
}

void hostile_row_run(const struct hostile_row *row, bool device, struct hostile_outcome *o)
{
    const struct rlimit time = { HOSTILE_SECONDS_MAX, HOSTILE_SECONDS_MAX };
    struct hostile_outcome *const shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    pid_t child;

    assert_true(shared != MAP_FAILED);
    memset(shared, 0, sizeof *shared);
    fflush(NULL);
    if ((child = fork()) == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failed assertion ends the child alone */
        setrlimit(RLIMIT_CPU, &time);
        limit_memory(device);
        setenv("ASSAY_LIMITS", "activation_bytes=64M,folded_bytes=64M", 1);
        alarm(3 * HOSTILE_SECONDS_MAX);
        run_row(row, device, shared);
        fflush(NULL);
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    *o = *shared;
    munmap(shared, sizeof *shared);
    if (status != 0 || !o->finished) {
        o->finished = false;
        snprintf(o->message, sizeof o->message, "%s %d", WIFSIGNALED(status) ? "signal" : "exit",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}
