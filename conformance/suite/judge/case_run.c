/* Opens and runs a case's model, and checks what a delegate must not write to. */
#include "conformance/suite/judge/case_run.h"

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/host_thread.h"

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

static enum status make_request(struct case_run *run, const struct case_run_setup *setup,
                                struct engine_request *q, struct diag *diag)
{
    struct judge *const j = run->judge;
    const bool any = j->ours || setup->delegate == DELEGATE_SECOND;
    const int which = any ? setup->delegate : DELEGATE_PLAIN;
    const struct tflite_file *const file = run->composed ? NULL : &run->instance.file;

    *q = (struct engine_request){
        .subject = j->subject,
        .model = setup->model,
        .file = setup->model == &run->model ? file : NULL,
        .poison_word = setup->poison_word,
        .batch = setup->batch,
        .axis = setup->axis,
        .resized = setup->resized,
        .offset_bytes = setup->offset_bytes,
        .declined_first = setup->declined_first,
        .declined_count = setup->declined_count,
        .expected = setup->expected,
        .expected_count = j->one_by_one ? 0 : setup->expected_count,
        .then = j->one_by_one ? NULL : setup->then,
        .then_file = setup->then == &run->model ? file : NULL,
        .then_at = setup->then_at,
        .report = take_report,
        .report_user = j,
    };
    j->report[0] = '\0';
    if (!setup->made)
        TRY(case_run_make_delegate(j, which, diag));
    q->delegate = setup->made ? setup->made : j->delegates[which];
    return STATUS_OK;
}

enum status case_run_reopen(struct case_run *run, const struct case_run_setup *setup,
                            struct engine **e, struct diag *diag)
{
    struct engine_request q;

    if (*e && !(*e)->type->reopen) { /* before another delegate is made */
        engine_close(*e);
        *e = NULL;
    }
    TRY(make_request(run, setup, &q, diag));
    return engine_reopen(&q, e, diag);
}

void case_run_begin_open(struct case_run *run, const struct case_run_setup *setup,
                         struct engine **e)
{
    struct engine_request q;

    *e = NULL;
    if (make_request(run, setup, &q, NULL) == STATUS_OK)
        engine_begin_open(&q, e);
}

enum status case_run_open(struct case_run *run, const struct case_run_setup *setup,
                          struct engine **e, struct diag *diag)
{
    *e = NULL;
    return case_run_reopen(run, setup, e, diag);
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

bool case_run_invoke(struct case_run *run, struct engine *e, const struct case_instance *x,
                     int frame, struct outputs *got)
{
    struct diag diag;
    double ms;

    run->result->frame = frame ? 'B' : 'A';
    if (engine_write(e, x, frame, &diag) != STATUS_OK)
        return result_fail(run->result, "%s", diag.text);
    if (engine_invoke_timed(e, &ms, &diag) != STATUS_OK)
        return result_fail(run->result, "invoke: %s", diag.text);
    if (run->result->ms == 0 || ms < run->result->ms)
        run->result->ms = ms;
    if (host_thread_check(&diag) != STATUS_OK)
        return result_fail(run->result, "%s", diag.text);
    if (engine_read(e, got, &diag) != STATUS_OK || engine_check(e, x, frame, &diag) != STATUS_OK)
        return result_fail(run->result, "%s", diag.text);
    if (memcmp(run->instance.file.bytes, run->file_copy, run->instance.file.count) != 0)
        return result_fail(run->result, "the model's constants were written to");
    return true;
}

/* ---- bits ---- */

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
        compare_number(type, first->items[output].data, element, &r->want);
        compare_number(type, second->items[output].data, element, &r->got);
        r->error = r->got - r->want;
        r->limit = 0;
        compare_where(first->items[output].dims, first->items[output].rank, element, r->where,
                      sizeof r->where);
    }
    result_fail(r, "%s", what);
    return true;
}
