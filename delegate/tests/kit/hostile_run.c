#include "delegate/tests/kit/hostile_run.h"

#include "conformance/suite/hostile/hostile.h"
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/device_profiles.h"
#include "delegate/tests/kit/graph_edit.h"
#include "reference/tests/kit/hostile_model.h"
#include "reference/text/hostile_row.h"

#include "delegate/graph/import.h"
#include "delegate/ops/values.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/report.h"

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
    enum status s = hostile_model_write(row->model, row->edit, file, diag);

    for (int i = 0; i < row->damage_count && s == STATUS_OK; i++)
        s = hostile_damage(file, row->damage[i], diag);
    return diag_prefix(diag, s, "%s:%d: %s", row->file, row->line, row->name);
}

/* ---- the delegate without a device ---- */

/* The options of a row, "precision=fp16 exclude=PAD", as pairs that end with NULL. */
static const char *const *pairs_of(const struct hostile_row *row)
{
    static char text[256];
    static const char *pairs[17];
    int n = 0;

    snprintf(text, sizeof text, "%s", row->options ? row->options : "");
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *const equals = strchr(word, '=');

        assert_true(equals && n < 16);
        *equals = '\0';
        pairs[n++] = word;
        pairs[n++] = equals + 1;
    }
    pairs[n] = NULL;
    return pairs;
}

/* Of a large device, but for those that the row names. */
static struct device_limits limits_of(const struct hostile_row *row)
{
    struct device_limits limits = gpu_large_limits();
    const char *const text = row->limits ? row->limits : "";
    unsigned long long range;

    if (sscanf(text, "max_storage_buffer_range=%llu", &range) == 1)
        limits.max_storage_buffer_range = range;
    else if (strcmp(text, "device_class=software") == 0)
        limits.device_class = DEVICE_SOFTWARE;
    else if (strcmp(text, "storage_16bit=false") == 0)
        limits.storage_16bit = false;
    else if (*text)
        fail_msg("%s:%d: %s: no such limits: %s", row->file, row->line, row->name, text);
    return limits;
}

static void plan_for(const struct hostile_row *row, struct hostile_outcome *o,
                     const struct graph *g, const char *name, const struct device_limits *limits)
{
    int *lists CLOSED_BY(kit_free) =
        calloc((size_t)g->node_count + 2 * (size_t)g->tensor_count + 1, sizeof(int));
    struct gpu_options options CLOSED_BY(options_close) = gpu_options_of(pairs_of(row));
    struct plan_request r = { .graph = g, .options = &options, .limits = limits };
    struct diag diag = { 0 };
    struct decision d CLOSED_BY(decision_close) = { 0 };
    struct plan p;
    enum status s = decision_make(&d, g, &options, limits, &diag);

    if (s == STATUS_OK && d.refusal_count == 0) {
        gpu_request_all(&r, g, lists, lists + g->node_count,
                        lists + g->node_count + g->tensor_count);
        s = plan_make(&p, &r, &diag);
        if (s == STATUS_OK) {
            o->plans++;
            plan_close(&p);
        }
    }
    /* Every plan of the limits that the row's verdict is about can be made. */
    if (s != STATUS_OK && (!name || s != STATUS_UNSUPPORTED || !diag.text[0]) &&
        !o->plan_failure[0])
        snprintf(o->plan_failure, sizeof o->plan_failure, "%s: %s: %.400s",
                 name ? name : "a large device", status_text(s), diag.text);
}

static void tell_refusal(struct hostile_outcome *o, const struct refusal *r)
{
    assert_string_equal(r->rule, rule_id(r->id));
    assert_true(r->op[0] && r->field[0] && r->value[0] && r->limit[0]);
    assert_true(r->hint && r->hint[0]);
    assert_true(r->tensor < 0 || r->tensor_name[0]);
    snprintf(o->rule, sizeof o->rule, "%s", r->rule);
    snprintf(o->refusal, sizeof o->refusal, "node %d, tensor %d %s: %s is %s, expected %s",
             r->host_node, r->tensor, r->tensor_name, r->field, r->value, r->limit);
}

/* The refusal of the node that the row is about, where it has one. */
static const struct refusal *find_refusal(const struct hostile_row *row, const struct decision *d)
{
    const int node = row->rule_node >= 0 ? row->rule_node : row->node;

    for (int i = 0; i < d->refusal_count; i++)
        if (d->refusals[i].host_node == node)
            return &d->refusals[i];
    return row->rule_node < 0 && d->refusal_count > 0 ? &d->refusals[0] : NULL;
}

struct watched {
    const struct hostile_row *row;
    struct hostile_outcome *o;
    bool plans;
};

static void decide_on(const struct watched *w, const struct graph *g)
{
    const struct device_limits limits = limits_of(w->row);
    struct gpu_options options = gpu_options_of(pairs_of(w->row));
    struct gpu_device_profiles profiles;
    const struct refusal *refusal;
    struct decision d = { 0 };

    KIT_OK(decision_make(&d, g, &options, &limits, &err));
    for (int i = 0; i < g->node_count; i++)
        assert_true(d.take[i] || d.refusal_count > 0);
    snprintf(w->o->rule, sizeof w->o->rule, "%s", g->node_count ? "taken" : "empty");
    if ((refusal = find_refusal(w->row, &d)))
        tell_refusal(w->o, refusal);
    plan_for(w->row, w->o, g, NULL, &limits);
    decision_close(&d);
    options_close(&options);
    if (!w->plans || w->row->limits || w->row->graph)
        return;
    profiles_all(&profiles);
    for (int i = 0; i < profiles.count; i++)
        plan_for(w->row, w->o, g, profiles.at[i].name, &profiles.at[i].limits);
}

/* As in TfLiteDelegate.Prepare. */
static void find_values(const struct hostile_row *row, struct graph *g)
{
    struct gpu_options options CLOSED_BY(options_close) = gpu_options_of(pairs_of(row));

    KIT_OK(values_find(g, &options, &err));
}

static TfLiteStatus decide(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const struct watched *const w = delegate->data_;
    struct graph g;

    if (graph_import(&g, context, &err) != STATUS_OK) {
        snprintf(w->o->rule, sizeof w->o->rule, "import");
        snprintf(w->o->refusal, sizeof w->o->refusal, "%.500s", err.text);
        return kTfLiteOk;
    }
    if (w->row->graph)
        graph_edit(&g, w->row->graph);
    else
        find_values(w->row, &g);
    decide_on(w, &g);
    graph_close(&g);
    return kTfLiteOk;
}

static const struct interpreter_options interpreter_options = { .guard_bytes = 64,
                                                                .report = report_nothing,
                                                                .max_iterations = ITERATIONS_MAX };

static void ask_delegate(const struct hostile_row *row, const struct model *m, bool plans,
                         struct hostile_outcome *o)
{
    struct watched w = { row, o, plans };
    TfLiteDelegate delegate = { .data_ = &w,
                                .Prepare = decide,
                                .flags = kTfLiteDelegateFlagsAllowDynamicTensors };
    struct interpreter *in CLOSED_BY(kit_interpreter_end);

    snprintf(o->rule, sizeof o->rule, "unseen");
    if (interpreter_open(&in, m, &interpreter_options, &err) == STATUS_OK)
        interpreter_apply_delegate(in, &delegate, NULL, &err);
}

void hostile_row_decide(const struct hostile_row *row, struct hostile_outcome *o)
{
    struct tflite_file file;
    struct model m = { 0 };

    memset(o, 0, sizeof *o);
    snprintf(o->rule, sizeof o->rule, "unseen");
    KIT_OK(hostile_row_write(row, &file, &err));
    if (tflite_read(&m, file.bytes, file.count, &err) == STATUS_OK)
        ask_delegate(row, &m, false, o);
    model_close(&m);
    mem_free(file.bytes);
}

enum status hostile_judge_delegate(const struct hostile_row *row, const struct hostile_outcome *o,
                                   struct diag *diag)
{
    if (strcmp(o->rule, row->rule) != 0)
        return diag_fail(diag, STATUS_MISMATCH, "the delegate says %s, expected %s: %s", o->rule,
                         row->rule, o->refusal);
    for (int i = 0; i < row->rule_word_count; i++)
        if (!strstr(o->refusal, row->rule_words[i]))
            return diag_fail(diag, STATUS_MISMATCH, "the delegate's refusal lacks '%s': %s",
                             row->rule_words[i], o->refusal);
    if (o->plan_failure[0])
        return diag_fail(diag, STATUS_MISMATCH, "planned for %s", o->plan_failure);
    return STATUS_OK;
}

/* ---- inputs and results ---- */

static void feed(struct interpreter *in, const char *text)
{
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);

        text = hostile_feed(text, t->type, t->data.raw, t->data.raw ? t->bytes : 0);
    }
}

static void keep_results(struct interpreter *in, struct hostile_outcome *o)
{
    size_t count;
    const int *const outputs = interpreter_outputs(in, &count);
    const TfLiteTensor *const t = count ? interpreter_tensor(in, outputs[0]) : NULL;
    const size_t size = t ? runtime_type_bits(t->type) / 8 : 0;

    if (!size || size > 8 || interpreter_make_readable(in, outputs[0], &err) != STATUS_OK)
        return;
    for (size_t i = 0; i < t->bytes / size && t->data.raw && o->result_count < HOSTILE_RESULTS_MAX;
         i++)
        o->results[o->result_count++] = hostile_number(t->type, t->data.raw, i);
}

/* ---- one row ---- */

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
    enum status s = interpreter_allocate(in, &err);

    if (s != STATUS_OK) {
        end_at(o, HOSTILE_PREPARE, s, &err);
        return;
    }
    feed(in, row->feed);
    s = interpreter_invoke(in, &err);
    o->guards_whole = interpreter_check_guards(in, NULL) == STATUS_OK;
    end_at(o, s == STATUS_OK ? HOSTILE_RUNS : HOSTILE_INVOKE, s, &err);
    if (s == STATUS_OK)
        keep_results(in, o);
}

static void run_row(const struct hostile_row *row, bool device, struct hostile_outcome *o)
{
    TfLiteDelegate *const d = device ? kit_delegate(pairs_of(row)) : NULL;
    struct tflite_file file;
    struct interpreter *in = NULL;
    struct model m = { 0 };
    uint8_t *bytes;
    enum status s;

    KIT_OK(hostile_row_write(row, &file, &err));
    /* A block of the exact size, so that a sanitizer sees a read past its end. */
    bytes = malloc(file.count ? file.count : 1);
    assert_non_null(bytes);
    memcpy(bytes, file.bytes, file.count);
    o->guards_whole = true;
    snprintf(o->rule, sizeof o->rule, "unseen");
    if ((s = tflite_verify(bytes, file.count, &err)) != STATUS_OK) {
        end_at(o, HOSTILE_VERIFY, s, &err);
        if (tflite_read(&m, bytes, file.count, &err) != s)
            fail_msg("reader and verifier differ: %s", err.text);
    } else {
        KIT_OK(tflite_read(&m, bytes, file.count, &err));
        if (!device)
            ask_delegate(row, &m, true, o);
        if ((s = interpreter_open(&in, &m, &interpreter_options, &err)) != STATUS_OK) {
            end_at(o, HOSTILE_OPEN, s, &err);
        } else if (!d) {
            run_model(row, in, o);
        } else if ((s = interpreter_apply_delegate(in, d, NULL, &err)) != STATUS_OK &&
                   interpreter_allocate(in, &err) != STATUS_OK) {
            end_at(o, HOSTILE_PREPARE, s, &err);
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

/* What a child and its parent share. */
struct batch {
    size_t at; /* the row that the child is at */
    struct hostile_outcome outcomes[HOSTILE_BATCH_MAX];
};

static void limit_time(void)
{
    const unsigned most = HOSTILE_SECONDS_MAX * (KIT_SANITIZED ? 4 : 1);
    struct rusage used;
    struct rlimit time;

    getrusage(RUSAGE_SELF, &used);
    getrlimit(RLIMIT_CPU, &time);
    time.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + most;
    setrlimit(RLIMIT_CPU, &time);
    alarm(3 * most);
}

static void run_in_child(const struct hostile_row *const *rows, size_t count, bool device,
                         struct batch *shared)
{
    TfLiteDelegate *held; /* keeps the device, which takes longer to open than most rows to run */

    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failed assertion ends the child alone */
    limit_memory(device);
    setenv("ASSAY_LIMITS", "activation_bytes=64M,folded_bytes=64M", 1);
    held = device && shared->at + 1 < count ? kit_delegate((const char *const[]){ NULL }) : NULL;
    for (; shared->at < count; shared->at++) {
        limit_time();
        run_row(rows[shared->at], device, &shared->outcomes[shared->at]);
        fflush(NULL);
    }
    if (held)
        tflite_plugin_destroy_delegate(held);
    _exit(0);
}

void hostile_rows_run(const struct hostile_row *const *rows, size_t count, bool device,
                      struct hostile_outcome *outcomes)
{
    struct batch *const shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(shared != MAP_FAILED && count <= HOSTILE_BATCH_MAX);
    memset(shared, 0, sizeof *shared);
    for (; shared->at < count; shared->at++) {
        struct hostile_outcome *o;
        int status = 0;
        pid_t child;

        fflush(NULL);
        if ((child = fork()) == 0)
            run_in_child(rows, count, device, shared);
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (shared->at == count) {
            assert_int_equal(status, 0);
            break;
        }
        o = &shared->outcomes[shared->at]; /* the next child goes on behind it */
        o->finished = false;
        snprintf(o->message, sizeof o->message, "%s %d", WIFSIGNALED(status) ? "signal" : "exit",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    memcpy(outcomes, shared->outcomes, count * sizeof *outcomes);
    munmap(shared, sizeof *shared);
}

void hostile_row_run(const struct hostile_row *row, bool device, struct hostile_outcome *o)
{
    hostile_rows_run(&row, 1, device, o);
}
