/* Saves minimal forms. */
#include "conformance/suite/shrink/shrunk_forms.h"

#include "conformance/suite/judge/repro.h"
#include "conformance/suite/judge/trial.h"

#include <string.h>

static enum status save_inputs(const struct shrunk_save_request *q, const struct shrunk *m,
                               struct diag *diag)
{
    const struct repro_what what = { .directory = q->directory,
                                     .test_case = q->test_case,
                                     .subject = q->subject,
                                     .seed = q->seed,
                                     .below = q->below };
    struct repro repro;
    enum status s = repro_open(&repro, &what, diag);

    if (s == STATUS_OK)
        s = repro_save_instance(&repro, &m->instance, diag);
    if (s == STATUS_OK)
        s = repro_finish(&repro, &what, &m->instance, &m->result, !q->below, diag);
    repro_close(&repro);
    return s;
}

enum status shrunk_save(const struct shrunk_save_request *request, const struct shrunk *m,
                        struct diag *diag)
{
    struct trial_host host;
    struct case_result result;
    const char *failed;
    enum status s;

    TRY(trial_host_open(&host, request->subject, request->timeout_s, request->seed, diag));
    host.repro_dir = request->directory;
    host.repro_below = request->below;
    s = trial_judge(&host, request->test_case, request->set, &m->instance, &result, diag);
    trial_host_close(&host);
    /* The other process says so in the reason. */
    if (s == STATUS_OK && (failed = strstr(result.reason, SHRUNK_SAVE_FAILED)) != NULL)
        return diag_fail(diag, STATUS_IO, "%.*s",
                         (int)strcspn(failed + strlen(SHRUNK_SAVE_FAILED), ")"),
                         failed + strlen(SHRUNK_SAVE_FAILED));
    if (s != STATUS_OK || result.status == CASE_FAIL)
        return s;
    return save_inputs(request, m, diag);
}
