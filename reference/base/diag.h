/* Where a failure happened, in words: written once, at the spot that knows the
 * values, and carried up to whoever prints it. */
#ifndef ASSAY_REFERENCE_BASE_DIAG_H
#define ASSAY_REFERENCE_BASE_DIAG_H

#include "reference/base/status.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))
#else
#define PRINTF_LIKE(at, first)
#endif

struct diag {
    enum status status;
    char text[1024]; /* empty when status is STATUS_OK; long messages end in "..." */
};

/* Writes the message and returns s, so that a check is one statement:
 *     return diag_fail(diag, STATUS_INVALID, "tensor %d: rank %d, at most %d", ...);
 * diag may be NULL. */
enum status diag_fail(struct diag *diag, enum status s, const char *format, ...) PRINTF_LIKE(3, 4);

/* Puts "prefix: " before the message that is there, and returns the status that is there. */
enum status diag_prefix(struct diag *diag, enum status s, const char *format, ...)
    PRINTF_LIKE(3, 4);

void diag_clear(struct diag *diag);

#endif
