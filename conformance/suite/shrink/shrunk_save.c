/* Saves minimal forms. */
#include "conformance/suite/shrink/shrunk_save.h"

#include "conformance/suite/judge/repro.h"
#include "conformance/suite/judge/trial.h"

static const char below[] = "minimal";

static enum status save_inputs(const struct shrunk_save_request *q, const struct shrunk *m,
                               struct diag *diag)
{
    const struct repro_what what = { .directory = q->directory,
                                     .test_case = q->test_case,
                                     .subject = q->subject,
                                     .seed = q->seed,
                                     .below = below };
    struct repro repro;
    enum status s = repro_open(&repro, &what, diag);

    if (s == STATUS_OK)
        s = repro_save_instance(&repro, &m->instance, diag);
    if (s == STATUS_OK)
        s = repro_finish(&repro, &what, &m->instance, &m->result, false, diag);
    repro_close(&repro);
    return s;
}

enum status shrunk_save(const struct shrunk_save_request *request, const struct shrunk *m,
                        struct diag *diag)
{
    struct trial_host host;
    struct case_result result;
    enum status s;

    TRY(trial_host_open(&host, request->subject, request->timeout_s, request->seed, diag));
    host.repro_dir = request->directory;
    host.repro_below = below;
    s = trial_judge(&host, request->test_case, request->set, &m->instance, &result, diag);
    trial_host_close(&host);
    if (s != STATUS_OK || result.status == CASE_FAIL)
        return s;
    return save_inputs(request, m, diag);
}
