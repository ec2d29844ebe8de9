/* Files of a minimal form. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_MINIMAL_SAVE_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_MINIMAL_SAVE_H

#include "conformance/suite/cases/data.h"
#include "conformance/suite/judge/minimize.h"
#include "conformance/suite/subject/subject.h"

#include <stdint.h>

struct minimal_save_request {
    const char *directory; /* that of the run's failures */
    const struct test_case *test_case;
    struct subject *subject;
    enum data_set set;
    uint64_t seed;
    double timeout_s;
};

/* Judges the form once more, in another process, which writes what repro.h describes to
 * DIR/<case>@<subject>/minimal; of a form that crashes or hangs only model, inputs and command. */
enum status minimal_save(const struct minimal_save_request *request, const struct minimized *m,
                         struct diag *diag);

#endif
