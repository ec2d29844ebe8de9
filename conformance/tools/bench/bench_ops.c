#include "conformance/tools/bench/bench_ops.h"

#include "conformance/suite/io/model_file.h"
#include "conformance/tools/bench/bench_session.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/json_text.h"
#include "conformance/util/progress.h"
#include "conformance/util/watched.h"
#include "reference/base/memory.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 8, TEXT_BYTES = 16384, RUNS = 9, RUNS_MIN = 3 };
static const double seconds_max = 0.5; /* of the inferences of a row, after the least count */

static const struct ops_row rows[] = {
#define OPS_ROW(nodes, terms, type, op, dims, rest, result)                                        \
    { nodes, terms, type, op, dims, rest, result },
#include "conformance/tools/bench/bench_ops.def"
#undef OPS_ROW
};

/* What chains measure of a device. */
static const struct ops_row floor_row = { 0, 0, "f32", "SOFTMAX {beta=1}", "1,4", "", "" };
static const struct ops_row memory_rows[] = {
#define POOL(dims)                                                                                 \
    {                                                                                              \
        0, 0, "f32", "MAX_POOL_2D {stride_w=1 stride_h=1 filter_width=2 filter_height=2}", dims,   \
            "", ""                                                                                 \
    }
    POOL("1,32,32,64"), POOL("1,64,64,64"), POOL("1,128,128,64"), POOL("1,256,256,64")
};
/* In turns: floats and 8 bits. */
static const struct ops_row compute_rows[] = {
#define PRODUCT(type, dims)                                                                        \
    {                                                                                              \
        0, 256, type, "CONV_2D {stride_w=1 stride_h=1}", dims, "w[256,1,1,256] b[256]", ""         \
    }
    PRODUCT("f32", "1,8,8,256"), PRODUCT("i8", "1,8,8,256"), PRODUCT("f32", "1,64,64,256"),
    PRODUCT("i8", "1,64,64,256")
};
/* A larger row tells no more of a subject that takes so long for one. */
static const double slow_us = 2000;

/* ---- models as text ---- */

struct text {
    char *at;
    size_t left;
};

static void put(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);
static void put(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    n = n < 0 ? 0 : (size_t)n < t->left ? n : (int)t->left - 1;
    t->at += n;
    t->left -= (size_t)n;
}

static bool is_bytes(const struct ops_row *row)
{
    return strcmp(row->type, "i8") == 0;
}

static const char *type_of(const struct ops_row *row)
{
    return is_bytes(row) ? "i8q(0.1)" : "f32";
}

/* "w[4,4] b[4]" in the words of bench_ops.def. */
static void put_rest(struct text *t, const struct ops_row *row)
{
    const bool bytes = is_bytes(row);

    for (const char *p = row->rest; *p;) {
        const size_t n = strcspn(p, " ");
        const char *const types[] = { bytes ? "i8" : "f32", bytes ? "i32" : "f32",
                                      bytes ? "i8" : "f32" };
        const char *const ends[] = { bytes ? "=~1q(0.01)" : "=~1", bytes ? "=~2q(0.001)" : "=~2",
                                     bytes ? "=~3q(0.1)" : "=~3(0.1,1)" };
        const int at = p[1] != '[' ? -1 : p[0] == 'w' ? 0 : p[0] == 'b' ? 1 : p[0] == 'c' ? 2 : -1;

        if (at >= 0)
            put(t, " %s%.*s%s", types[at], (int)n - 1, p + 1, ends[at]);
        else
            put(t, " %.*s", (int)n, p);
        p += n;
        p += strspn(p, " ");
    }
}

void bench_ops_text(const struct ops_row *row, char *text, size_t bytes)
{
    struct text t = { text, bytes };

    put(&t, MODEL_FILE_PREFIX "%s x:%s[%s]%s", row->op, row->type, row->dims,
        is_bytes(row) ? "q(0.1)" : "");
    put_rest(&t, row);
    put(&t, " -> y:%s", row->result[0] ? row->result : type_of(row));
}

/* Links of which each waits for the one before: x = c + s, y = op(x), s = y[0]. */
static void chain_text(const struct ops_row *row, int result_rank, bool with_op, char *text,
                       size_t bytes)
{
    const char *const quant = is_bytes(row) ? "q(0.1)" : "";
    struct text t = { text, bytes };
    int rank = 1;

    for (const char *p = row->dims; *p; p++)
        rank += *p == ',';
    for (int i = 0; i < LINKS; i++) {
        const int from_rank = with_op ? result_rank : rank;

        put(&t, i == 0 ? MODEL_FILE_PREFIX "ADD {} c:" : "; ADD {} c s%d", i);
        if (i == 0) {
            put(&t, "%s[%s]=~9%s s0:%s[1x%d]%s", row->type, row->dims, quant, row->type, rank,
                quant);
        }
        put(&t, " -> x%d:%s", i, type_of(row));
        if (with_op) {
            put(&t, "; %s x%d", row->op, i);
            put_rest(&t, row);
            put(&t, " -> y%d:%s", i, row->result[0] ? row->result : type_of(row));
        }
        put(&t, "; SLICE %s%d i32[%d]=0 i32[%d]=1 -> s%d:%s", with_op ? "y" : "x", i, from_rank,
            from_rank, i + 1, with_op && row->result[0] ? row->result : type_of(row));
    }
}

static void name_row(struct ops_time *t)
{
    struct text name = { t->name, sizeof t->name };

    put(&name, "%.*s.%s.%s", (int)strcspn(t->row->op, " "), t->row->op, t->row->type, t->row->dims);
    if (t->row->rest[0] == 'w')
        put(&name, "_%.*s", (int)strcspn(t->row->rest + 2, "]"), t->row->rest + 2);
    for (char *p = t->name; *p; p++)
        *p = *p == ',' ? 'x' : (char)tolower((unsigned char)*p);
}

/* ---- measuring ---- */

struct ops_run {
    const struct bench_request *q;
    const struct ops_row *row;
    struct diag *diag;
};

static struct bench_request request_of(const struct bench_request *q, const char *model)
{
    struct bench_request r = *q;

    r.model = model;
    r.use = NULL;
    r.inputs.count = 0;
    r.quiet = true;
    return r;
}

/* What the op moves and computes, and the rank of its result, which the reference infers.
 * *chains: its result is of the type of its input. */
static enum status read_cost(const struct ops_run *run, struct bench_step *step, int *rank,
                             bool *chains)
{
    char text[TEXT_BYTES];
    struct bench_request q;
    struct bench_session t = { .create_ms = 0 };
    enum status s;

    bench_ops_text(run->row, text, sizeof text);
    q = request_of(run->q, text);
    q.subject = NULL;
    q.delegate = "none";
    q.delegate_options = (struct string_list){ 0 };
    s = bench_start_session(&t, &q, false, NULL, 0, run->diag);
    if (s == STATUS_OK) {
        const TfLiteNode *const n = interpreter_node(t.s.in, 0);
        const TfLiteTensor *const y = interpreter_tensor(t.s.in, n->outputs->data[0]);
        const TfLiteTensor *const x = interpreter_tensor(t.s.in, n->inputs->data[0]);

        step->device_bytes = (double)y->bytes;
        for (int i = 0; i < n->inputs->size; i++)
            step->device_bytes += (double)interpreter_tensor(t.s.in, n->inputs->data[i])->bytes;
        step->operations =
            2 * run->row->terms * (double)y->bytes / (y->type == kTfLiteInt8 ? 1 : 4);
        *rank = y->dims->size;
        *chains = y->type == x->type;
    }
    bench_session_close(&t);
    return s;
}

/* Microseconds of the op's own steps in the last inference. */
static double last_steps_us(const struct session *s)
{
    const int count = s->subject.extras.step_count(s->delegate);
    double us = 0;

    for (int i = 0; i < count; i++) {
        struct assay_gpu_step step = { .struct_size = sizeof step };

        if (s->subject.extras.get_step(s->delegate, i, &step) == 0 && step.node >= 0 && !step.idle)
            us += step.last_us;
    }
    return us;
}

/* The median of inferences: of their own steps where profiled, else of their latency. */
static enum status time_session(struct bench_session *t, bool profiled, double *us,
                                struct diag *diag)
{
    double list[RUNS], ms, begin;
    size_t count = 0;

    if ((t->s.delegate || t->engine) && bench_session_taken(t) < interpreter_node_count(t->s.in))
        return diag_fail(diag, STATUS_UNSUPPORTED, "left to the CPU");
    TRY(bench_infer(t, &ms, diag));
    for (begin = clock_s(); count < RUNS && (count < RUNS_MIN || clock_s() - begin < seconds_max) &&
                            (count == 0 || !interrupt_signal());
         count++) {
        TRY(bench_infer(t, &ms, diag));
        list[count] = profiled ? last_steps_us(&t->s) : 1e3 * ms;
    }
    bench_sort(list, count);
    *us = bench_quantile(list, count, 0.5);
    return STATUS_OK;
}

static enum status time_model(const struct ops_run *run, const char *text, bool profiled,
                              double *us)
{
    static const struct subject_option option = { "profile", "1" };
    const struct bench_request q = request_of(run->q, text);
    struct bench_session t = { .create_ms = 0 };
    enum status s = bench_start_session(&t, &q, false, &option, profiled, run->diag);

    if (s == STATUS_OK)
        s = time_session(&t, profiled, us, run->diag);
    bench_session_close(&t);
    return s;
}

static enum status time_chains(const struct ops_run *run, int rank, double *us)
{
    char text[TEXT_BYTES];
    double with, without;

    chain_text(run->row, rank, false, text, sizeof text);
    TRY(time_model(run, text, false, &without));
    chain_text(run->row, rank, true, text, sizeof text);
    TRY(time_model(run, text, false, &with));
    *us = fmax(0, with - without) / LINKS;
    return STATUS_OK;
}

/* half: the subject stores floats as f16. */
static enum status time_row(const struct ops_run *run, bool profiled, bool half,
                            struct bench_step *step)
{
    char text[TEXT_BYTES];
    bool chains = false;
    int rank = 0;

    *step = (struct bench_step){ .arithmetic = is_bytes(run->row) ? ASSAY_GPU_I8
                                               : half             ? ASSAY_GPU_F16
                                                                  : ASSAY_GPU_F32 };
    TRY(read_cost(run, step, &rank, &chains));
    if (half && !is_bytes(run->row))
        step->device_bytes /= 2;
    if (!profiled && !chains)
        return diag_fail(run->diag, STATUS_UNSUPPORTED, "its result is of another type: no chain");
    if (!profiled)
        return time_chains(run, rank, &step->mean_us);
    bench_ops_text(run->row, text, sizeof text);
    return time_model(run, text, true, &step->mean_us);
}

static enum status chain_peaks(const struct ops_run *base, struct assay_gpu_peaks *p)
{
    struct ops_run run = *base;
    struct bench_step step;

    run.row = &floor_row;
    TRY(time_row(&run, false, false, &step));
    p->floor_us = step.mean_us;
    step.mean_us = 0;
    for (size_t i = 0; i < sizeof memory_rows / sizeof memory_rows[0] && step.mean_us < slow_us;
         i++) {
        run.row = &memory_rows[i];
        TRY(time_row(&run, false, false, &step));
        p->memory_bytes[i] = (uint64_t)step.device_bytes;
        p->memory_bytes_per_us[i] = step.mean_us > 0 ? step.device_bytes / step.mean_us : 0;
    }
    for (size_t i = 0; i < sizeof compute_rows / sizeof compute_rows[0]; i++) {
        double *const rate = i % 2 == 0 ? &p->f32_ops_per_us : &p->i8_ops_per_us;

        run.row = &compute_rows[i];
        if (*rate > 0 && compute_rows[0].terms * 2 * 64 * 256 / *rate > slow_us)
            continue;
        if (time_row(&run, false, false, &step) == STATUS_OK && step.mean_us > 0)
            *rate = fmax(*rate, step.operations / step.mean_us);
        /* A subject without 8 bits has no limit of them. */
        *run.diag = (struct diag){ .status = STATUS_OK };
    }
    return STATUS_OK;
}

/* Who runs the ops, how they are timed, and the limits. */
static enum status begin(struct ops_report *r, const struct ops_run *run, bool *half)
{
    static const struct subject_option option = { "profile", "1" };
    char text[TEXT_BYTES], error[256] = "";
    struct bench_session t = { .create_ms = 0 };
    struct bench_request q;
    enum status s;

    bench_ops_text(&floor_row, text, sizeof text);
    q = request_of(run->q, text);
    s = bench_start_session(&t, &q, false, NULL, 0, run->diag);
    if (s == STATUS_OK) {
        const char *const precision = subject_option(&t.s.subject, "precision");

        snprintf(r->subject, sizeof r->subject, "%s", t.s.subject.label);
        bench_session_device(&t, r->device, sizeof r->device);
        r->profiled = t.s.delegate && t.s.subject.extras.step_count &&
                      t.s.subject.extras.get_step && t.s.subject.extras.measure_peaks;
        *half = precision && strcmp(precision, "fp32") != 0;
    }
    bench_session_close(&t);
    if (s != STATUS_OK || !r->profiled)
        return s == STATUS_OK ? chain_peaks(run, &r->peaks) : s;
    t = (struct bench_session){ .create_ms = 0 };
    s = bench_start_session(&t, &q, false, &option, 1, run->diag);
    r->peaks = (struct assay_gpu_peaks){ .struct_size = sizeof r->peaks };
    if (s == STATUS_OK &&
        t.s.subject.extras.measure_peaks(t.s.delegate, &r->peaks, error, sizeof error) != 0)
        s = diag_fail(run->diag, STATUS_DEVICE, "--ops: %s", error);
    bench_session_close(&t);
    return s;
}

static size_t choose_rows(struct ops_report *r, const char *filter)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ops_time *const t = &r->times[r->count];

        t->row = &rows[i];
        name_row(t);
        r->count += !filter[0] || fnmatch(filter, t->name, 0) == 0;
    }
    return r->count;
}

static void measure(struct ops_report *r, struct ops_run *run, bool half)
{
    struct progress p;

    progress_begin(&p, "ops", (double)r->count, run->q->quiet);
    for (size_t i = 0; i < r->count; i++) {
        struct ops_time *const t = &r->times[i];

        if (interrupt_signal()) {
            snprintf(t->why, sizeof t->why, "interrupted");
            continue;
        }
        progress_update(&p, (double)i, "%s", t->name);
        watched_about(t->name);
        run->row = t->row;
        *run->diag = (struct diag){ .status = STATUS_OK };
        if (time_row(run, r->profiled, half, &t->step) != STATUS_OK) {
            snprintf(t->why, sizeof t->why, "%.255s", run->diag->text);
            continue;
        }
        t->limit = roofline_limit_of(&r->peaks, &t->step);
        t->times = t->limit.least_us > 0 ? t->step.mean_us / t->limit.least_us : 0;
    }
    progress_end(&p);
}

enum status bench_ops(struct ops_report *r, const struct bench_request *q, const char *filter,
                      struct diag *diag)
{
    struct diag of_row = { .status = STATUS_OK };
    struct ops_run run = { q, NULL, &of_row };
    bool half = false;
    enum status s;

    *r = (struct ops_report){ .times =
                                  mem_alloc(sizeof rows / sizeof rows[0] + 1, sizeof *r->times) };
    if (!r->times)
        return diag_fail(diag, STATUS_NO_MEMORY, "--ops: out of memory");
    if (choose_rows(r, filter) == 0)
        return diag_fail(diag, STATUS_USAGE,
                         "--ops=%s matches none of %zu ops, such as mean.f32.1x384x384x3", filter,
                         sizeof rows / sizeof rows[0]);
    s = begin(r, &run, &half);
    if (s != STATUS_OK) {
        *diag = of_row;
        return s;
    }
    measure(r, &run, half);
    return STATUS_OK;
}

void bench_ops_close(struct ops_report *r)
{
    mem_free(r->times);
    *r = (struct ops_report){ .count = 0 };
}

/* ---- reports ---- */

static const char *how(const struct ops_report *r)
{
    return r->profiled ? "the delegate's own steps of the op, by the device's clock"
                       : "chains of 8 with the op, less chains without";
}

void bench_ops_print_text(FILE *f, const struct ops_report *r)
{
    size_t measured = 0, over = 0;

    fprintf(f, "ops         %s%s%s\nmeasured    %s\n", r->subject, r->device[0] ? " on " : "",
            r->device, how(r));
    roofline_print_peaks(f, &r->peaks);
    fprintf(f, "       us  limit us  share   times  bound       MiB      Mops  nodes  op\n");
    for (size_t i = 0; i < r->count; i++) {
        const struct ops_time *const t = &r->times[i];

        if (t->why[0])
            continue;
        measured++;
        over += t->times > OPS_OVER;
        fprintf(f, "%9.1f %9.2f %5.0f%% %6.1f%s  %-7s %7.2f %9.2f %6d  %s\n", t->step.mean_us,
                t->limit.least_us, t->times > 0 ? 100 / t->times : 0, t->times,
                t->times > OPS_OVER ? "!" : " ", roofline_bound_name(t->limit.bound),
                t->step.device_bytes / (1 << 20), t->step.operations / 1e6, t->row->nodes, t->name);
    }
    fprintf(f, "\n%zu of %zu take more than %d times their limit (!)\n", over, measured, OPS_OVER);
    for (size_t i = 0; i < r->count; i++)
        if (r->times[i].why[0])
            fprintf(f, "not measured: %s: %s\n", r->times[i].name, r->times[i].why);
}

static json_t *json_time(const struct ops_time *t)
{
    char model[TEXT_BYTES];
    json_t *o;

    bench_ops_text(t->row, model, sizeof model);
    o = json_pack("{s:s, s:s, s:i}", "name", t->name, "model", model + strlen(MODEL_FILE_PREFIX),
                  "nodes", t->row->nodes);
    if (t->why[0]) {
        json_object_set_new(o, "not_measured", json_text(t->why));
        return o;
    }
    json_object_update_new(
        o, json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:b}", "us", t->step.mean_us, "bytes",
                     t->step.device_bytes, "operations", t->step.operations, "limit_us",
                     t->limit.least_us, "share", t->times > 0 ? 1 / t->times : 0, "times", t->times,
                     "bound", roofline_bound_name(t->limit.bound), "over", t->times > OPS_OVER));
    return o;
}

json_t *bench_ops_json(const struct ops_report *r)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(list, json_time(&r->times[i]));
    return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o}", "assay", ASSAY_VERSION, "subject",
                     json_text(r->subject), "device", json_text(r->device), "measured",
                     r->profiled ? "steps" : "chains", "peaks", roofline_peaks_json(&r->peaks),
                     "rows", list);
}
