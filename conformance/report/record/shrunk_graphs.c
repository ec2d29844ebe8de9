/* Makes the random graphs that failed smaller, after the run, one after the other. */
#include "conformance/report/record/shrunk_graphs.h"

#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/judge/trial.h"
#include "conformance/suite/shrink/shrink_graph.h"
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/message.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* One failure that is being made smaller. */
struct job {
    struct trial_host host;
    const struct test_case *test_case;
    enum data_set set;
    size_t steps;
    bool quiet;
};

static enum status judge(void *user, const struct case_instance *x, struct case_result *result,
                         struct diag *diag)
{
    struct job *const job = user;

    message_progress(job->quiet, "conformance: %s: smaller graph %zu of at most %d",
                     job->test_case->name, ++job->steps, SHRUNK_GRAPHS_STEPS);
    return trial_judge(&job->host, job->test_case, job->set, x, result, diag);
}

static enum status save(const struct shrunk *m, const struct report *r, size_t index,
                        const struct shrunk_graphs_options *options, enum data_set set,
                        struct diag *diag)
{
    const struct shrunk_save_request request = { .directory = options->repro_dir,
                                                 .test_case = &r->cases[index % r->case_count],
                                                 .subject =
                                                     &options->subjects[index / r->case_count],
                                                 .set = set,
                                                 .seed = r->seed,
                                                 .timeout_s = options->timeout_s,
                                                 .below = SHRUNK_SAVE_BELOW };

    return options->repro_dir && !m->outcome.flaky ? shrunk_save(&request, m, diag) : STATUS_OK;
}

/* Prints into a string, which free frees. */
static enum status print(const struct shrunk *m, char **text, struct diag *diag)
{
    size_t bytes;
    FILE *const f = open_memstream(text, &bytes);
    enum status s;

    if (!f)
        return diag_fail(diag, STATUS_NO_MEMORY, "minimal graph: out of memory");
    s = shrunk_print(f, m, diag);
    fclose(f);
    return s;
}

static enum status make_smaller(struct report *r, size_t index,
                                const struct shrunk_graphs_options *options, struct diag *diag)
{
    const struct case_result *const result = &r->outcome.results[index];
    struct subject *const subject = &options->subjects[index / r->case_count];
    struct job job = { .test_case = &r->cases[index % r->case_count],
                       .set = result->has_set ? result->set : SET_RANDOM,
                       .quiet = options->quiet };
    const struct case_request data = { job.set, r->seed, bounds_half(subject->bounds) };
    const struct shrink_graph_request request = { .test_case = job.test_case,
                                                  .result = result,
                                                  .request = &data,
                                                  .judge = judge,
                                                  .user = &job,
                                                  .step_limit = SHRUNK_GRAPHS_STEPS };
    struct report_minimal *const minimal = &r->minimal[r->minimal_count];
    struct shrunk m;
    enum status s;

    TRY(trial_host_open(&job.host, subject, options->timeout_s, r->seed, diag));
    s = shrink_graph(&request, &m, diag);
    if (s == STATUS_OK) {
        minimal->index = index;
        s = print(&m, &minimal->text, diag);
        r->minimal_count++;
        if (s == STATUS_OK)
            s = save(&m, r, index, options, job.set, diag);
        shrunk_close(&m);
    }
    trial_host_close(&job.host);
    return s;
}

/* Whether a failure of this kind on the same subject was made smaller already. */
static bool is_known(const struct report *r, size_t index)
{
    for (size_t i = 0; i < r->minimal_count; i++) {
        if (r->minimal[i].index / r->case_count == index / r->case_count &&
            result_fails_alike(&r->outcome.results[r->minimal[i].index],
                               &r->outcome.results[index]))
            return true;
    }
    return false;
}

static bool wants(const struct report *r, size_t index)
{
    const enum case_status status = r->outcome.results[index].status;

    return random_is_graph(&r->cases[index % r->case_count]) && case_status_fails(status) &&
           !is_known(r, index);
}

enum status shrunk_graphs_find(struct report *r, const struct shrunk_graphs_options *options,
                               struct diag *diag)
{
    enum status s = STATUS_OK;

    r->minimal = mem_alloc(SHRUNK_GRAPHS_MAX, sizeof *r->minimal);
    if (!r->minimal)
        return diag_fail(diag, STATUS_NO_MEMORY, "minimal graphs: out of memory");
    for (size_t i = 0; i < r->outcome.count && r->minimal_count < SHRUNK_GRAPHS_MAX &&
                       s == STATUS_OK && !interrupt_signal();
         i++) {
        if (wants(r, i))
            s = make_smaller(r, i, options, diag);
    }
    message_progress_end();
    return s;
}

void shrunk_graphs_close(struct report *r)
{
    for (size_t i = 0; i < r->minimal_count; i++)
        free(r->minimal[i].text);
    mem_free(r->minimal);
    r->minimal = NULL;
    r->minimal_count = 0;
}
