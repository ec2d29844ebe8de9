/* Feeds the loop of shrink.h with reductions of an instance. */
#include "conformance/suite/shrink/shrink_model.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/shrink/shrink_step.h"
#include "conformance/suite/shrink/shrink_steps.h"
#include "reference/base/memory.h"

#include <string.h>

struct minimizer {
    const struct shrink_model_request *q;
    struct shrunk *out; /* the current form */
    struct shrink_steps list;
    struct case_instance tried;
    struct case_result tried_result;
    size_t steps;
    enum status status;
    struct diag *diag;
};

/* A failure of this program, not of the subject: every later step does nothing. */
static bool judge_one(struct minimizer *m, const struct case_instance *x, struct case_result *r)
{
    if (m->status != STATUS_OK)
        return false;
    if (m->q->progress)
        m->q->progress(m->q->user, ++m->steps, x->file.count);
    m->status = m->q->judge(m->q->user, x, r, m->diag);
    /* The reference need not have a bound for what a reduction made. */
    if (m->status == STATUS_UNSUPPORTED || m->status == STATUS_INVALID) {
        m->status = STATUS_OK;
        return false;
    }
    return m->status == STATUS_OK && result_fails_alike(m->q->result, r);
}

static enum shrink_answer try(void *user, size_t reduction)
{
    struct minimizer *const m = user;

    if (m->status == STATUS_OK && m->list.count == 0)
        m->status = shrink_steps_find(&m->out->instance, &m->list, m->diag);
    if (m->status != STATUS_OK || reduction >= m->list.count)
        return SHRINK_END;
    case_instance_close(&m->tried);
    if (shrink_step_make(&m->list.items[reduction], &m->out->instance, &m->tried, NULL) !=
        STATUS_OK)
        return SHRINK_SKIP;
    return judge_one(m, &m->tried, &m->tried_result) ? SHRINK_FAILS_ALIKE : SHRINK_OTHER;
}

static void accept(void *user)
{
    struct minimizer *const m = user;

    case_instance_close(&m->out->instance);
    m->out->instance = m->tried;
    m->out->result = m->tried_result;
    m->tried = (struct case_instance){ .input_count = 0 };
    shrink_steps_close(&m->list);
}

static bool judge(void *user)
{
    struct minimizer *const m = user;
    struct case_result r;

    return judge_one(m, &m->out->instance, &r);
}

enum status instance_copy(const struct case_instance *x, struct case_instance *copy,
                          struct diag *diag)
{
    *copy = *x;
    copy->file.bytes = mem_alloc(x->file.count, 1);
    for (size_t i = 0; i < x->input_count; i++)
        copy->inputs[i].data[0] = copy->inputs[i].data[1] = NULL;
    if (!copy->file.bytes)
        goto no_memory;
    memcpy(copy->file.bytes, x->file.bytes, x->file.count);
    for (size_t i = 0; i < x->input_count; i++) {
        for (int frame = 0; frame < 2; frame++) {
            if (!x->inputs[i].data[frame])
                continue;
            copy->inputs[i].data[frame] = mem_alloc(x->inputs[i].bytes ? x->inputs[i].bytes : 1, 1);
            if (!copy->inputs[i].data[frame])
                goto no_memory;
            memcpy(copy->inputs[i].data[frame], x->inputs[i].data[frame], x->inputs[i].bytes);
        }
    }
    return STATUS_OK;
no_memory:
    case_instance_close(copy);
    return diag_fail(diag, STATUS_NO_MEMORY, "instance: out of memory");
}

enum status shrink_model(const struct shrink_model_request *request, struct shrunk *out,
                         struct diag *diag)
{
    struct minimizer m = { .q = request, .out = out, .diag = diag };
    const struct shrink_problem problem = {
        .try = try, .accept = accept, .judge = judge, .user = &m
    };

    *out = (struct shrunk){ .result = *request->result };
    TRY(instance_copy(request->instance, &out->instance, diag));
    shrink_run(&problem, request->step_limit, &out->outcome);
    case_instance_close(&m.tried);
    shrink_steps_close(&m.list);
    if (m.status != STATUS_OK)
        shrunk_close(out);
    return m.status;
}

void shrunk_close(struct shrunk *m)
{
    case_instance_close(&m->instance);
    *m = (struct shrunk){ .result = { .status = CASE_PASS } };
}
