/* Builds what failed again, and minimizes it with trials in another process. */
#include "conformance/suite/shrink/shrunk_forms.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/judge/trial.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Each try of what hangs costs the whole of its time: a tenth of the run's is given, at least this
 * many seconds. */
static const double least_timeout_s = 1;

/* One failure that is minimized. */
struct work {
    const struct run_request *run;
    const struct test_case *test_case;
    struct subject *subject;
    struct trial_host host;
    struct case_instance instance;
    enum data_set set;
    bool saves_case; /* as it is, too */
};

static bool is_failure(const struct case_result *r)
{
    return !r->absent && case_status_fails(r->status);
}

/* Finds the form of the same kind that is there already. */
static struct shrunk_form *find_similar(const struct run_request *q, const struct run_outcome *o,
                                        struct shrunk_forms *forms, size_t result)
{
    const struct test_case *const c = &q->cases[result % q->case_count];

    for (size_t i = 0; i < forms->count; i++) {
        const size_t other = forms->items[i].result;
        const struct test_case *const d = &q->cases[other % q->case_count];

        if (result / q->case_count == other / q->case_count && strcmp(c->op, d->op) == 0 &&
            strcmp(c->type_name, d->type_name) == 0 &&
            result_fails_alike(&o->results[result], &o->results[other]))
            return &forms->items[i];
    }
    return NULL;
}

static enum status judge(void *user, const struct case_instance *x, struct case_result *result,
                         struct diag *diag)
{
    struct work *const w = user;

    return trial_judge(&w->host, w->test_case, w->set, x, result, diag);
}

static void show_steps(void *user, size_t steps, size_t bytes)
{
    const struct work *const w = user;

    message_progress(w->run->quiet, "conformance: minimizing %s: step %zu, %zu bytes",
                     w->test_case->name, steps, bytes);
}

static enum status save(const struct work *w, const struct shrunk *m, struct diag *diag)
{
    const struct shrunk_save_request request = { .directory = w->run->repro_dir,
                                                 .test_case = w->test_case,
                                                 .subject = w->subject,
                                                 .set = w->set,
                                                 .seed = w->run->seed,
                                                 .timeout_s = w->host.timeout_s,
                                                 .below = SHRUNK_SAVE_BELOW };

    return w->run->repro_dir && !m->outcome.flaky ? shrunk_save(&request, m, diag) : STATUS_OK;
}

static enum status save_case(const struct work *w, const struct case_result *result,
                             struct diag *diag)
{
    const struct shrunk whole = { .instance = w->instance, .result = *result };
    const struct shrunk_save_request request = { .directory = w->run->repro_dir,
                                                 .test_case = w->test_case,
                                                 .subject = w->subject,
                                                 .set = w->set,
                                                 .seed = w->run->seed,
                                                 .timeout_s = w->run->timeout_s };

    return shrunk_save(&request, &whole, diag);
}

static enum status minimize(struct work *w, const struct case_result *result, size_t step_limit,
                            struct shrunk *out, struct diag *diag)
{
    const struct case_request request = { w->set, w->run->seed, bounds_half(w->subject->bounds) };
    const double timeout_s = result->status == CASE_TIMEOUT
                                 ? fmax(w->run->timeout_s / 10, least_timeout_s)
                                 : w->run->timeout_s;
    const struct shrink_model_request q = { .instance = &w->instance,
                                            .result = result,
                                            .judge = judge,
                                            .user = w,
                                            .step_limit = step_limit,
                                            .progress = show_steps };
    enum status s;

    TRY(case_build(w->test_case, &request, &w->instance, diag));
    if (w->saves_case && (s = save_case(w, result, diag)) != STATUS_OK) {
        case_instance_close(&w->instance);
        return s;
    }
    s = trial_host_open(&w->host, w->subject, fmin(timeout_s, w->run->timeout_s), w->run->seed,
                        diag);
    if (s == STATUS_OK)
        s = shrink_model(&q, out, diag);
    if (s == STATUS_OK)
        s = save(w, out, diag);
    trial_host_close(&w->host);
    case_instance_close(&w->instance);
    return s;
}

static struct work work_of(const struct run_request *run, const struct run_outcome *outcome,
                           size_t result)
{
    const struct case_result *const r = &outcome->results[result];

    return (struct work){ .run = run,
                          .test_case = &run->cases[result % run->case_count],
                          .subject = &run->subjects[result / run->case_count],
                          .set = r->has_set ? r->set : SET_RANDOM };
}

enum status shrunk_forms_save(const struct run_request *run, const struct run_outcome *outcome,
                              size_t result, size_t step_limit, struct shrunk *out,
                              struct diag *diag)
{
    struct work w = work_of(run, outcome, result);
    enum status s;

    w.saves_case = true;
    s = minimize(&w, &outcome->results[result], step_limit, out, diag);
    message_progress_end();
    return s;
}

enum status shrunk_forms_find(const struct run_request *run, const struct run_outcome *outcome,
                              size_t step_limit, struct shrunk_forms *forms, struct diag *diag)
{
    enum status s = STATUS_OK;

    *forms = (struct shrunk_forms){ .count = 0 };
    for (size_t i = 0; i < outcome->count && s == STATUS_OK && !interrupt_signal(); i++) {
        const struct case_result *const r = &outcome->results[i];
        struct shrunk_form *form;
        struct work w = work_of(run, outcome, i);

        if (!is_failure(r) || random_is_graph(w.test_case))
            continue;
        if ((form = find_similar(run, outcome, forms, i)) != NULL) {
            form->similar++;
            continue;
        }
        if (forms->count == SHRUNK_FORMS_MAX) {
            forms->left_out++;
            continue;
        }
        form = &forms->items[forms->count++];
        form->result = i;
        s = diag_prefix(diag, minimize(&w, r, step_limit, &form->shrunk, diag), "--minimize: %s",
                        w.test_case->name);
    }
    message_progress_end();
    if (s != STATUS_OK)
        shrunk_forms_close(forms);
    return s;
}

void shrunk_forms_close(struct shrunk_forms *forms)
{
    for (size_t i = 0; i < forms->count; i++)
        shrunk_close(&forms->items[i].shrunk);
    *forms = (struct shrunk_forms){ .count = 0 };
}
