#include "conformance/suite/hostile/hostile.h"

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/judge/judge_impl.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/kinds.h"
#include "conformance/suite/subject/outputs.h"
#include "conformance/util/parser.h"
#include "conformance/util/process.h"
#include "reference/base/builtin.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"

#include <float.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- inputs, and whether results are the reference's ---- */

enum { FEED_BYTES_MAX = 64 << 20 };

static size_t element_bytes(TfLiteType type)
{
    return runtime_type_bits(type) / 8;
}

static void put(TfLiteType type, uint8_t *at, double value)
{
    const int64_t whole = (int64_t)(value > -9e18 && value < 9e18 ? value : 0);
    const size_t bytes = element_bytes(type);
    const float f = (float)value;
    const uint16_t half = float_to_half(f);

    if (type == kTfLiteFloat32)
        memcpy(at, &f, sizeof f);
    else if (type == kTfLiteFloat64)
        memcpy(at, &value, sizeof value);
    else if (type == kTfLiteFloat16)
        memcpy(at, &half, sizeof half);
    else
        memcpy(at, &whole, bytes < sizeof whole ? bytes : sizeof whole);
}

const char *hostile_feed(const char *text, TfLiteType type, void *data, size_t bytes)
{
    const size_t size = element_bytes(type);
    double value = 1;

    for (size_t at = 0; size > 0 && at + size <= bytes; at += size) {
        if (text && *text && *text != '/') {
            char *end;

            value = strtod(text, &end);
            text = end + strspn(end, ", ");
        }
        put(type, (uint8_t *)data + at, value);
    }
    text = text ? strchr(text, '/') : NULL;
    return text ? text + 1 + strspn(text + 1, " ") : NULL;
}

/* Fills the inputs that the engine's model has.  On failure, too, the caller frees them with
 * feed_close.  STATUS_LIMIT: they are too large. */
static enum status feed_inputs(struct engine *e, const char *text, struct case_instance *x,
                               struct diag *diag)
{
    struct engine_tensor t;

    *x = (struct case_instance){ .one_frame = true };
    for (size_t i = 0; engine_tensor(e, false, i, &t); i++) {
        if (i == CASE_INPUTS_MAX || t.bytes > FEED_BYTES_MAX)
            return diag_fail(diag, STATUS_LIMIT, "input %zu of %zu bytes: it is not run", i,
                             t.bytes);
        x->inputs[i].type = t.type;
        x->inputs[i].bytes = t.bytes;
        x->inputs[i].data[0] = mem_alloc(t.bytes, 1);
        if (!x->inputs[i].data[0])
            return diag_fail(diag, STATUS_NO_MEMORY, "input %zu: out of memory", i);
        x->input_count = i + 1;
        text = hostile_feed(text, t.type, x->inputs[i].data[0], t.bytes);
    }
    return STATUS_OK;
}

static void feed_close(struct case_instance *x)
{
    for (size_t i = 0; i < x->input_count; i++)
        mem_free(x->inputs[i].data[0]);
    x->input_count = 0;
}

/* ---- results ---- */

double hostile_number(TfLiteType type, const void *data, size_t i)
{
    const size_t bytes = element_bytes(type);
    int64_t whole = 0;
    double value;

    if (compare_number(type, data, i, &value))
        return value;
    if (type == kTfLiteFloat64)
        return ((const double *)data)[i];
    memcpy(&whole, (const uint8_t *)data + i * bytes, bytes < sizeof whole ? bytes : sizeof whole);
    return (double)whole;
}

static bool is_float(TfLiteType type)
{
    return type == kTfLiteFloat32 || type == kTfLiteFloat64 || type == kTfLiteFloat16;
}

/* 8-bit results may be rounded to the next step. */
static bool same(TfLiteType type, double a, double b, bool half)
{
    const double largest = half ? 65000 : 0.999 * (double)FLT_MAX;
    const double relative = half ? 2e-2 : 1e-3, absolute = half ? 2e-2 : 1e-4;

    if (!is_float(type))
        return fabs(a - b) <= (element_bytes(type) == 1 ? 1 : 0);
    if (fabs(b) < largest) /* else, and for NaN, the suite has rules of its own */
        return fabs(a - b) <= absolute + relative * fabs(b);
    return true;
}

/* STATUS_MISMATCH with the first element that is grossly another one than `want` has: what models
 * are held to in the suite is much less.  half: the subject computes in f16. */
static enum status feed_compare(const struct outputs *got, const struct outputs *want, bool half,
                                struct diag *diag)
{
    if (got->count != want->count)
        return diag_fail(diag, STATUS_MISMATCH, "%zu outputs, expected %zu", got->count,
                         want->count);
    for (size_t o = 0; o < got->count; o++) {
        const TfLiteType type = want->items[o].type;
        const size_t bytes = element_bytes(type);

        if (got->items[o].type != type || got->items[o].bytes != want->items[o].bytes)
            return diag_fail(diag, STATUS_MISMATCH,
                             "output %zu: %zu bytes of %s, expected %zu of %s", o,
                             got->items[o].bytes, runtime_type_name(got->items[o].type),
                             want->items[o].bytes, runtime_type_name(type));
        for (size_t i = 0; bytes > 0 && i < want->items[o].bytes / bytes; i++) {
            const double a = hostile_number(type, got->items[o].data, i);
            const double b = hostile_number(type, want->items[o].data, i);

            if (!same(type, a, b, half))
                return diag_fail(diag, STATUS_MISMATCH, "output %zu, element %zu: %g, expected %g",
                                 o, i, a, b);
        }
    }
    return STATUS_OK;
}

/* ---- one case ---- */

/* Address space for each byte that a model may keep resident: allocators and drivers reserve more
 * than they use.  Beyond it allocations fail, as on a small machine. */
enum { SPACE_FOR_MEMORY = 16 };

static const char *const kind_names[] = {
#define X(name, text, words) text,
    HOSTILE_KIND_LIST(X)
#undef X
};
static const char *const kind_words[] = {
#define X(name, text, words) words,
    HOSTILE_KIND_LIST(X)
#undef X
};

const char *hostile_kind_name(enum hostile_kind kind)
{
    return kind_names[kind];
}

const char *hostile_kind_words(enum hostile_kind kind)
{
    return kind_words[kind];
}

enum hostile_kind hostile_kind_of(const char *reason)
{
    int kind = 0;

    for (; kind < HOSTILE_KIND_COUNT; kind++) {
        const size_t length = strlen(kind_names[kind]);

        if (strncmp(reason, kind_names[kind], length) == 0 && reason[length] == ':')
            break;
    }
    return (enum hostile_kind)kind;
}

/* ---- one run ---- */

/* Two runs of a model meet other memory: other bytes in blocks that malloc gives and takes back, in
 * outputs before they are written, and round tensors.  Its result must not tell which. */
struct surroundings {
    uint32_t poison_word;
    int perturb; /* of malloc */
    uint8_t guards;
};
static const struct surroundings surroundings[] = {
    { 0x7fe5a5a5, 0x5a, ENGINE_GUARD_NAN },
    { 0x42c3c3c3, 0xa5, ENGINE_GUARD_NUMBER },
};

struct attempt {
    const struct subject *subject;
    TfLiteDelegate *delegate;
    const struct hostile_case *model;
    struct judge_stage *stage; /* NULL: nobody looks */
    /* What came of it. */
    bool ran, written, untaken; /* untaken: nodes ran, but none on the delegate */
    char text[400];             /* of what it refused, or was written to */
    char report[256];
    struct outputs outputs;
};

static void at(struct attempt *a, const char *what)
{
    if (a->stage)
        *a->stage = (struct judge_stage){ .set = -1 };
    if (a->stage)
        snprintf(a->stage->what, sizeof a->stage->what, "%s", what);
}

static void refused(struct attempt *a, const char *where, const char *why)
{
    snprintf(a->text, sizeof a->text, "%s: %.380s", where, why[0] ? why : a->report);
}

static void take_report(void *user, const char *format, va_list args)
{
    struct attempt *const a = user;

    vsnprintf(a->report, sizeof a->report, format, args);
}

static void infer(struct attempt *a, struct engine *e)
{
    struct case_instance x = { .input_count = 0 };
    struct diag diag = { .status = STATUS_OK };
    enum status s = feed_inputs(e, a->model->row ? a->model->row->feed : NULL, &x, &diag);

    if (s == STATUS_OK)
        s = engine_write(e, &x, 0, &diag);
    if (s != STATUS_OK)
        refused(a, "inputs", diag.text);
    at(a, "invoke");
    if (s == STATUS_OK && (s = engine_invoke(e, &diag)) != STATUS_OK)
        refused(a, "invoke", diag.text);
    at(a, "outputs");
    if (s == STATUS_OK && (s = engine_read(e, &a->outputs, &diag)) != STATUS_OK)
        refused(a, "outputs", diag.text);
    a->ran = s == STATUS_OK;
    if (a->ran && engine_check(e, &x, 0, &diag) != STATUS_OK) {
        a->written = true;
        snprintf(a->text, sizeof a->text, "%.390s", diag.text);
    }
    feed_close(&x);
}

/* Whether the engine has something that runs; a delegate that takes no node leaves them to the
 * host, which runs them all the same. */
static bool is_open(struct attempt *a, struct engine *e, const struct model *m)
{
    const size_t nodes = m->subgraphs ? m->subgraphs[0].operator_count : 1;
    struct engine_tensor t;
    bool taken = false;

    for (size_t n = 0; n < nodes && !taken; n++)
        taken = engine_is_taken(e, (int)n);
    a->untaken = !taken;
    return taken || engine_tensor(e, true, 0, &t);
}

/* glibc fills what it gives out with a byte of choice, but for small blocks that a thread keeps for
 * itself, up to seven of a size: these are filled here. */
static void fill_heap(int byte)
{
    enum { SIZES = 64, KEPT = 7 };
    void *blocks[SIZES * KEPT];

#ifdef __GLIBC__
    mallopt(M_PERTURB, byte);
#endif
    for (size_t i = 0; i < SIZES * KEPT; i++) {
        const size_t bytes = 16 * (i / KEPT) + 24;

        blocks[i] = malloc(bytes);
        for (size_t k = 0; blocks[i] && k < bytes; k++)
            ((volatile char *)blocks[i])[k] = (char)byte;
    }
    for (size_t i = 0; i < SIZES * KEPT; i++)
        free(blocks[i]);
}

static void attempt(struct attempt *a, const struct surroundings *around)
{
    const struct tflite_file *const file = &a->model->file;
    struct engine_request request = { .subject = a->subject,
                                      .delegate = a->delegate,
                                      .poison_word = engine_type_of(a->subject)->begin
                                                         ? 0 /* constants may be outputs there */
                                                         : around->poison_word,
                                      .report = take_report,
                                      .report_user = a };
    struct diag diag = { .status = STATUS_OK };
    struct model m = { .version = 0 };
    struct engine *e = NULL;

    a->ran = a->written = a->untaken = false;
    a->text[0] = a->report[0] = '\0';
    a->outputs = (struct outputs){ .count = 0 };
    fill_heap(around->perturb);
    at(a, "open");
    if (engine_reads_files(a->subject))
        request.file = file;
    else if (tflite_read(&m, file->bytes, file->count, &diag) == STATUS_OK)
        request.model = &m;
    if (!request.file && !request.model) {
        refused(a, "verify", diag.text);
    } else if (engine_open(&request, &e, &diag) != STATUS_OK) {
        refused(a, "open", diag.text);
    } else if (!is_open(a, e, &m)) {
        refused(a, "open", engine_refusal(e));
    } else {
        engine_guards(e, around->guards);
        infer(a, e);
    }
    at(a, "close");
    engine_close(e);
    model_close(&m);
}

/* ---- what it used ---- */

struct usage {
    double processor_s;
    uint64_t peak_bytes, resident_bytes;
};

static struct usage usage_now(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (struct usage){ (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                               (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6,
                           (uint64_t)u.ru_maxrss << 10, process_resident_bytes() };
}

/* The address space of a worker, once: what is allocated beyond it is refused.  What an agent
 * allocates is not this process's: it may raise its own limit again. */
static void limit_space(const struct hostile *h, const struct subject *s)
{
    static bool limited;

    if (limited || engine_type_of(s)->begin)
        return;
    limited = true;
    parser_limit_memory(SPACE_FOR_MEMORY * h->memory_bytes, UINT64_MAX);
}

/* ---- the verdict ---- */

static void fails(struct case_result *r, enum hostile_kind kind, const char *text)
{
    result_fail(r, "%s: %.400s", kind_names[kind], text);
}

/* Runs it again in other surroundings.  One that differs there, and not where nothing differs, has
 * read what is not its own. */
static void judge_surroundings(struct attempt *first, struct case_result *r)
{
    struct attempt other = *first, again = *first;
    char text[128];
    size_t byte = 0;
    int output = 0;

    attempt(&other, &surroundings[1]);
    if (other.written) {
        fails(r, HOSTILE_WRITTEN, other.text);
    } else if (!other.ran || other.outputs.count != first->outputs.count ||
               outputs_differ(&first->outputs, &other.outputs, first->outputs.count, &output,
                              &byte)) {
        attempt(&again, &surroundings[0]);
        snprintf(text, sizeof text, "output %d, byte %zu", output, byte);
        if (!other.ran)
            fails(r, HOSTILE_UNSTABLE, other.text);
        else if (!again.ran || again.outputs.count != first->outputs.count ||
                 outputs_differ(&first->outputs, &again.outputs, first->outputs.count, &output,
                                &byte))
            fails(r, HOSTILE_UNSTABLE, text);
        else
            fails(r, HOSTILE_FOREIGN, text);
        outputs_close(&again.outputs);
    }
    outputs_close(&other.outputs);
}

static void judge_result(const struct attempt *got, struct case_result *r)
{
    const struct subject reference = { .kind = &subject_kind_reference };
    struct attempt want = { .subject = &reference, .model = got->model };
    struct diag diag;

    attempt(&want, &surroundings[0]);
    if (want.ran && feed_compare(&got->outputs, &want.outputs, bounds_half(got->subject->bounds),
                                 &diag) != STATUS_OK)
        fails(r, HOSTILE_WRONG, diag.text);
    outputs_close(&want.outputs);
}

static void judge_ran(struct attempt *a, struct case_result *r)
{
    r->taken = !a->untaken;
    if (a->written)
        fails(r, HOSTILE_WRITTEN, a->text);
    else
        judge_surroundings(a, r);
    if (r->status == CASE_PASS && a->model->answer == ANSWER_RIGHT)
        judge_result(a, r);
    if (r->status == CASE_PASS && a->model->answer == ANSWER_REFUSED)
        fails(r, HOSTILE_ACCEPTED,
              a->model->row->field        ? a->model->row->field
              : a->model->row->word_count ? a->model->row->words[0]
                                          : "it has to be refused");
    if (r->status == CASE_PASS && a->untaken) {
        r->status = CASE_DECLINED;
        snprintf(r->reason, sizeof r->reason, "no node is taken: %.400s", a->report);
    }
}

/* What it used, which counts for models that were refused, too.  False: the worker is of no use any
 * more, since its peak stays. */
static bool judge_usage(const struct hostile *h, const struct attempt *a,
                        const struct usage *before, struct case_result *r)
{
    const struct usage now = usage_now();
    const bool over = now.peak_bytes > before->peak_bytes &&
                      now.peak_bytes > before->resident_bytes + h->memory_bytes;
    const double took_s = now.processor_s - before->processor_s;
    char text[160];

    if (engine_type_of(a->subject)->begin) /* an agent's: not seen from here */
        return true;
    r->bytes =
        now.peak_bytes > before->resident_bytes ? now.peak_bytes - before->resident_bytes : 0;
    r->ms = took_s * 1e3;
    snprintf(text, sizeof text, "%llu MiB more at the peak, for a file of %zu bytes",
             (unsigned long long)(r->bytes >> 20), a->model->file.count);
    if (over && r->status != CASE_FAIL)
        fails(r, HOSTILE_MEMORY, text);
    snprintf(text, sizeof text, "%.1f s of the processor, for a file of %zu bytes", took_s,
             a->model->file.count);
    if (took_s > h->processor_s && r->status != CASE_FAIL)
        fails(r, HOSTILE_TIME, text);
    return !over;
}

/* What the end of an agent's process or line means. */
static void judge_end(struct judge *j, struct case_result *r)
{
    static const enum case_status statuses[] = {
        [ENGINE_CRASHED] = CASE_CRASH,
        [ENGINE_LATE] = CASE_TIMEOUT,
        [ENGINE_LOST] = CASE_CRASH,
        /* such as a rank that the protocol has no words for */
        [ENGINE_BROKEN] = CASE_DECLINED
    };
    char why[400];
    const enum engine_end how = engine_ended(j->subject, why, sizeof why);

    if (how == ENGINE_RUNS)
        return;
    *r = (struct case_result){ .status = statuses[how], .line_lost = how == ENGINE_LOST };
    snprintf(r->reason, sizeof r->reason, "%s", why);
}

bool hostile_judge(void *user, struct judge *j, const struct test_case *c,
                   struct case_result *result)
{
    const struct hostile *const h = user;
    struct hostile_case model;
    struct attempt a = { .subject = j->subject,
                         .delegate = j->delegates[DELEGATE_PLAIN],
                         .model = &model,
                         .stage = j->options.stage };
    struct usage before;
    struct diag diag;
    bool goes_on;

    *result = (struct case_result){ .status = CASE_PASS };
    if (corpus_make(&h->corpus, c->name, &model, &diag) != STATUS_OK) {
        result_fail(result, "corpus: %.400s", diag.text);
        mem_free(model.file.bytes);
        return true;
    }
    limit_space(h, j->subject);
    engine_begin(j->subject, j->options.limit_s);
    before = usage_now();
    attempt(&a, &surroundings[0]);
    if (a.ran) {
        judge_ran(&a, result);
    } else {
        result->status = CASE_DECLINED;
        snprintf(result->reason, sizeof result->reason, "%.470s", a.text);
    }
    goes_on = judge_usage(h, &a, &before, result);
    judge_end(j, result);
    outputs_close(&a.outputs);
    mem_free(model.file.bytes);
    /* What was broken there must not end with the next model. */
    return goes_on && result->status != CASE_FAIL;
}
