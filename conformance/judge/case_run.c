/* Opens and runs a case's model, and checks what a delegate must not write to. */
#include "conformance/judge/case_run.h"

#include "conformance/bounds/compare.h"
#include "conformance/util/clock.h"
#include "reference/base/half.h"
#include "reference/base/op_facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GUARD_BYTES = 64 };

/* A NaN with a payload that no computation gives; another NaN; infinity; a finite number. */
const uint32_t case_run_poison_words[DELEGATE_COUNT] = { 0x7fe5a5a5, 0xffffffff, 0x7f800000,
                                                         0x4b4a4b4a };
const char *const case_run_poisons[DELEGATE_COUNT] = { NULL, "nan", "inf", "junk" };

void case_run_stage(const struct case_run *run, const char *format, ...)
{
    struct judge_stage *const stage = run->judge->options.stage;
    va_list args;

    if (!stage)
        return;
    stage->set = (int)run->set;
    va_start(args, format);
    vsnprintf(stage->what, sizeof stage->what, format, args);
    va_end(args);
}

enum status case_run_make_delegate(struct judge *j, int which, struct diag *diag)
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
    if (case_run_poisons[which])
        extra[count++] = (struct subject_option){ "poison", case_run_poisons[which] };
    return subject_create(j->subject, extra, count, &j->delegates[which], diag);
}

static void take_report(void *user, const char *format, va_list args)
{
    struct judge *const j = user;

    vsnprintf(j->report, sizeof j->report, format, args);
}

static enum status resize(struct interpreter *in, const struct case_run_setup *setup,
                          struct diag *diag)
{
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; setup->batch && i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);
        int32_t dims[REF_MAX_RANK];

        if (!setup->resized[i])
            continue;
        for (int d = 0; d < t->dims->size; d++)
            dims[d] = d == 0 ? setup->batch : t->dims->data[d];
        TRY(interpreter_resize_input(in, inputs[i], dims, t->dims->size, diag));
    }
    return STATUS_OK;
}

static enum status open_with(const struct case_run_setup *setup,
                             const struct interpreter_options *options, TfLiteDelegate *delegate,
                             struct interpreter **in, struct diag *diag)
{
    enum status s;

    *in = NULL;
    TRY(interpreter_open(in, setup->model, options, diag));
    s = resize(*in, setup, diag);
    if (s == STATUS_OK && delegate)
        s = interpreter_apply_delegate(*in, delegate, NULL, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(*in, diag);
    if (s != STATUS_OK) {
        interpreter_close(*in);
        *in = NULL;
    }
    return s;
}

enum status case_run_open(struct case_run *run, const struct case_run_setup *setup,
                          struct interpreter **in, struct diag *diag)
{
    struct judge *const j = run->judge;
    const struct interpreter_options options = {
        .guard_bytes = GUARD_BYTES,
        .poison = true,
        .poison_word = setup->poison_word,
        .num_threads = -1,
        .report = take_report,
        .report_user = j,
    };
    const int which = j->ours ? setup->delegate : DELEGATE_PLAIN;

    *in = NULL;
    j->report[0] = '\0';
    TRY(case_run_make_delegate(j, which, diag));
    return open_with(setup, &options, j->delegates[which], in, diag);
}

enum status case_run_open_reference(struct case_run *run, const struct case_run_setup *setup,
                                    struct interpreter **in, struct diag *diag)
{
    const struct interpreter_options options = {
        .preserve_all = true, .num_threads = -1, .report = take_report, .report_user = run->judge
    };

    return open_with(setup, &options, NULL, in, diag);
}

bool case_run_is_taken(const struct case_run *run, struct interpreter *in)
{
    return !run->judge->subject->path ||
           interpreter_node_partition(in, run->instance.judged_node) >= 0;
}

/* ---- one inference ---- */

/* An op with state writes its new state to the tensors of the old one, be they inputs of the graph
 * or not. */
static bool is_written_back(struct interpreter *in, int tensor)
{
    for (int n = 0; n < (int)interpreter_node_count(in); n++) {
        const TfLiteNode *const node = interpreter_node(in, n);
        const struct op_facts *const facts = op_facts_find(interpreter_node_op(in, n)->code);

        for (int i = 0; i < node->inputs->size && i < 32; i++) {
            if (facts->state >> i & 1 && node->inputs->data[i] == tensor)
                return true;
        }
    }
    return false;
}

/* Guard zones, inputs and the model's constants are as they were before the inference. */
static bool check_untouched(struct case_run *run, struct interpreter *in,
                            const struct case_instance *x, int frame)
{
    struct diag diag;
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    if (interpreter_check_guards(in, &diag) != STATUS_OK)
        return result_fail(run->result, "written out of bounds: %s", diag.text);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const input = interpreter_tensor(in, inputs[i]);

        if (input->bytes > 0 &&
            memcmp(input->data.raw, x->inputs[i].data[frame], input->bytes) != 0 &&
            !is_written_back(in, inputs[i]))
            return result_fail(run->result, "input %zu was written to", i);
    }
    if (memcmp(run->instance.file.bytes, run->file_copy, run->instance.file.count) != 0)
        return result_fail(run->result, "the model's constants were written to");
    return true;
}

bool case_run_invoke(struct case_run *run, struct interpreter *in, const struct case_instance *x,
                     int frame, struct outputs *got)
{
    struct diag diag;
    double start, ms;

    run->result->frame = frame ? 'B' : 'A';
    if (inputs_write(in, x, frame, &diag) != STATUS_OK)
        return result_fail(run->result, "%s", diag.text);
    start = clock_ms();
    if (interpreter_invoke(in, &diag) != STATUS_OK)
        return result_fail(run->result, "invoke: %s", diag.text);
    ms = clock_ms() - start;
    if (run->result->ms == 0 || ms < run->result->ms)
        run->result->ms = ms;
    if (outputs_copy(got, in, &diag) != STATUS_OK)
        return result_fail(run->result, "%s", diag.text);
    return check_untouched(run, in, x, frame);
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
