#include "conformance/suite/subject/host_thread.h"

#include <fenv.h>
#include <float.h>

/* A library that sets another rounding mode, or flushes denormals, on the host's thread changes
 * what the program computes afterwards. */
enum status host_thread_check(struct diag *diag)
{
    volatile float smallest = FLT_MIN;

    if (fegetround() != FE_TONEAREST) {
        const int found = fegetround();

        fesetround(FE_TONEAREST);
        return diag_fail(diag, STATUS_MISMATCH,
                         "the rounding mode of the host's thread was changed: expected to "
                         "nearest, found mode %d of <fenv.h>",
                         found);
    }
    smallest /= 2;
    if (smallest == 0) {
        fesetenv(FE_DFL_ENV);
        return diag_fail(diag, STATUS_MISMATCH,
                         "the host's thread flushes denormals to zero after invoke");
    }
    return STATUS_OK;
}
