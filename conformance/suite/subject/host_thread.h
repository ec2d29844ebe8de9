/* What a library may not leave changed on the host's thread. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_HOST_THREAD_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_HOST_THREAD_H

#include "reference/base/diag.h"

/* STATUS_MISMATCH where the rounding mode or denormals are not as a thread begins with; they are
 * set right again. */
enum status host_thread_check(struct diag *diag);

#endif
