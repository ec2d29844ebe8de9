/* Files of a minimal form. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRUNK_SAVE_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRUNK_SAVE_H

#include "conformance/suite/cases/data.h"
#include "conformance/suite/shrink/shrink_model.h"
#include "conformance/suite/subject/subject.h"

#include <stdint.h>

struct shrunk_save_request {
    const char *directory; /* that of the run's failures */
    const struct test_case *test_case;
    struct subject *subject;
    enum data_set set;
    uint64_t seed;
    double timeout_s;
};

/* Judges the form once more, in another process, which writes what repro.h describes to
 * DIR/<case>@<subject>/minimal; of a form that crashes or hangs only model, inputs and command. */
enum status shrunk_save(const struct shrunk_save_request *request, const struct shrunk *m,
                        struct diag *diag);

#endif
