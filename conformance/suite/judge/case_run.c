/* Opens and runs a case's model, and checks what a delegate must not write to. */
#include "conformance/suite/judge/case_run.h"

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/subject/engine_interpreter.h"
#include "conformance/util/clock.h"
#include "reference/base/half.h"

#include <fenv.h>
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A NaN with a payload that no computation gives; another NaN; infinity; a finite number. */
const uint32_t case_run_poison_words[DELEGATE_POISON_END] = { 0x7fe5a5a5, 0xffffffff, 0x7f800000,
                                                              0x4b4a4b4a };
const char *const case_run_poisons[DELEGATE_POISON_END] = { NULL, "nan", "inf", "junk" };

void case_run_stage(const struct case_run *run, const char *format, ...)
{
    struct judge_stage *const stage = run->judge->options.stage;
    va_list args;

    if (!stage)
        return;
    stage->set = (int)run->set;
    stage->habits = run->result->habits;
    stage->left_out = run->result->left_out;
    stage->refused = run->result->refused;
    va_start(args, format);
    vsnprintf(stage->what, sizeof stage->what, format, args);
    va_end(args);
}

enum status case_run_create(const struct judge *j, const struct subject_option *more, size_t count,
                            TfLiteDelegate **out, struct diag *diag)
{
    struct subject_option extra[8] = { { "max_partitions", "0" } };
    const size_t first = j->ours && !subject_option(j->subject, "max_partitions");

    for (size_t i = 0; i < count; i++)
        extra[first + i] = more[i];
    return subject_create(j->subject, extra, first + count, out, diag);
}

/* What another program could ask for in the place of the subject's options. */
static size_t other_options(const struct subject *s, struct subject_option *o)
{
    const char *const precision = subject_option(s, "precision");
    const char *const quantized = subject_option(s, "quantized");

    o[0] =
        (struct subject_option){ "precision",
                                 !precision || strcmp(precision, "fp32") == 0 ? "fp16" : "fp32" };
    o[1] = (struct subject_option){ "quantized", !quantized || strcmp(quantized, "exact") == 0
                                                     ? "float_view"
                                                     : "exact" };
    return 2;
}

enum status case_run_make_delegate(struct judge *j, int which, struct diag *diag)
{
    static const char *const waits[DELEGATE_COUNT - DELEGATE_WAIT_FIRST] = { "active", "aggressive",
                                                                             "none" };
    struct subject_option more[2];
    size_t count = 0;

    if (j->delegates[which] || !j->subject->path)
        return STATUS_OK;
    if (which < DELEGATE_POISON_END && case_run_poisons[which])
        more[count++] = (struct subject_option){ "poison", case_run_poisons[which] };
    else if (which == DELEGATE_OTHER && j->ours)
        count = other_options(j->subject, more);
    else if (which >= DELEGATE_WAIT_FIRST)
        more[count++] = (struct subject_option){ "wait", waits[which - DELEGATE_WAIT_FIRST] };
    return case_run_create(j, more, count, &j->delegates[which], diag);
}

static void take_report(void *user, const char *format, va_list args)
{
    struct judge *const j = user;

    vsnprintf(j->report, sizeof j->report, format, args);
}

enum status case_run_open(struct case_run *run, const struct case_run_setup *setup,
                          struct engine **e, struct diag *diag)
{
    struct judge *const j = run->judge;
    const bool any = j->ours || setup->delegate == DELEGATE_SECOND;
    const int which = any ? setup->delegate : DELEGATE_PLAIN;
    struct engine_request request = {
        .subject = j->subject,
        .model = setup->model,
        .poison_word = setup->poison_word,
        .batch = setup->batch,
        .axis = setup->axis,
        .resized = setup->resized,
        .offset_bytes = setup->offset_bytes,
        .declined_first = setup->declined_first,
        .declined_count = setup->declined_count,
        .report = take_report,
        .report_user = j,
    };

    *e = NULL;
    j->report[0] = '\0';
    if (!setup->made)
        TRY(case_run_make_delegate(j, which, diag));
    request.delegate = setup->made ? setup->made : j->delegates[which];
    return engine_open(&request, e, diag);
}

enum status case_run_open_reference(struct case_run *run, const struct case_run_setup *setup,
                                    struct interpreter **in, struct diag *diag)
{
    const struct engine_request request = {
        .model = setup->model, .batch = setup->batch, .axis = setup->axis, .resized = setup->resized
    };
    const struct interpreter_options options = {
        .preserve_all = true, .num_threads = -1, .report = take_report, .report_user = run->judge
    };

    return engine_interpreter_start(&request, &options, in, diag);
}

int case_run_count_taken(const struct case_run *run, struct engine *e)
{
    int taken = 0;

    for (int n = 0; n < (int)run->model.subgraphs[0].operator_count; n++)
        taken += engine_is_taken(e, n);
    return taken;
}

bool case_run_is_taken(const struct case_run *run, struct engine *e)
{
    if (run->instance.judged_node < 0)
        return case_run_count_taken(run, e) > 0;
    return engine_is_taken(e, run->instance.judged_node);
}

/* ---- one inference ---- */

bool case_run_reset(struct case_run *run, struct engine *e)
{
    struct diag diag;

    return engine_reset(e, &diag) == STATUS_OK ||
           result_fail(run->result, "reset of the variables: %s", diag.text);
}

/* A library that sets another rounding mode, or flushes denormals, on the host's thread changes
 * what the program computes afterwards. */
static bool check_thread(struct case_result *r)
{
    volatile float smallest = FLT_MIN;

    if (fegetround() != FE_TONEAREST) {
        const int found = fegetround();

        fesetround(FE_TONEAREST);
        return result_fail(r,
                           "the rounding mode of the host's thread was changed: expected to "
                           "nearest, found mode %d of <fenv.h>",
                           found);
    }
    smallest /= 2;
    if (smallest == 0) {
        fesetenv(FE_DFL_ENV);
        return result_fail(r, "the host's thread flushes denormals to zero after invoke");
    }
    return true;
}

bool case_run_invoke(struct case_run *run, struct engine *e, const struct case_instance *x,
                     int frame, struct outputs *got)
{
    struct diag diag;
    double start, ms;

    run->result->frame = frame ? 'B' : 'A';
    if (engine_write(e, x, frame, &diag) != STATUS_OK)
        return result_fail(run->result, "%s", diag.text);
    start = clock_ms();
    if (engine_invoke(e, &diag) != STATUS_OK)
        return result_fail(run->result, "invoke: %s", diag.text);
    ms = clock_ms() - start;
    if (run->result->ms == 0 || ms < run->result->ms)
        run->result->ms = ms;
    if (!check_thread(run->result))
        return false;
    if (engine_read(e, got, &diag) != STATUS_OK || engine_check(e, x, frame, &diag) != STATUS_OK)
        return result_fail(run->result, "%s", diag.text);
    if (memcmp(run->instance.file.bytes, run->file_copy, run->instance.file.count) != 0)
        return result_fail(run->result, "the model's constants were written to");
    return true;
}

/* ---- bits ---- */

static double load(TfLiteType type, const void *data, size_t i)
{
    switch (type) {
    case kTfLiteFloat16: return half_to_float(((const uint16_t *)data)[i]);
    case kTfLiteInt8: return ((const int8_t *)data)[i];
    case kTfLiteUInt8: return ((const uint8_t *)data)[i];
    case kTfLiteInt16: return ((const int16_t *)data)[i];
    default: return ((const float *)data)[i];
    }
}

bool case_run_differ(struct case_run *run, const struct outputs *first,
                     const struct outputs *second, size_t count, const char *what)
{
    struct case_result *const r = run->result;
    TfLiteType type;
    int output;
    size_t byte;

    if (!outputs_differ(first, second, count, &output, &byte))
        return false;
    r->output = output;
    type = first->items[output].type;
    if ((type == kTfLiteFloat32 || type == kTfLiteFloat16 || type == kTfLiteInt8 ||
         type == kTfLiteUInt8 || type == kTfLiteInt16) &&
        first->items[output].bytes == second->items[output].bytes) {
        const size_t element = byte / (runtime_type_bits(type) / 8);

        r->has_element = true;
        r->want = load(type, first->items[output].data, element);
        r->got = load(type, second->items[output].data, element);
        r->error = r->got - r->want;
        r->limit = 0;
        compare_where(first->items[output].dims, first->items[output].rank, element, r->where,
                      sizeof r->where);
    }
    result_fail(r, "%s", what);
    return true;
}
