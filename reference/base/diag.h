/* Diagnostics: the message of a failure, written once, where the expected and found values are
 * known, and passed up to the caller that prints it. */
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

/* Puts "prefix: " before the message of diag and returns s; does nothing when s is STATUS_OK. */
enum status diag_prefix(struct diag *diag, enum status s, const char *format, ...)
    PRINTF_LIKE(3, 4);

void diag_clear(struct diag *diag);

#endif
