/* An executor of a test in place of the delegate's, for what a device that need not be here is
 * asked to compute. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_FAKE_EXECUTOR_H
#define ASSAY_DELEGATE_TESTS_KIT_FAKE_EXECUTOR_H

#include "reference/base/diag.h"

enum fake_call { FAKE_OPEN, FAKE_RECORD, FAKE_RUN };

struct fake_executor {
    const char *shader; /* how the name of one begins that the plan must have */
    void *input, *output;
    enum status (*call)(enum fake_call call, struct diag *diag);
};

extern const struct fake_executor *fake_executor; /* NULL: the delegate's */

#endif
