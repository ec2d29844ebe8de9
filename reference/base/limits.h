/* The limits of limits.def: what a model may ask for before it is refused.
 *
 * They belong to the process, and are the same on every machine.  The environment variable
 * ASSAY_LIMITS, "NAME=VALUE,NAME=VALUE", sets others before the first use; limits_set does so at
 * any time, and writes them to the environment for the libraries and processes that follow. */
#ifndef ASSAY_REFERENCE_BASE_LIMITS_H
#define ASSAY_REFERENCE_BASE_LIMITS_H

#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

enum limit {
#define LIMIT(NAME, name, value, unit, what) LIMIT_##NAME,
#include "reference/base/limits.def"
#undef LIMIT
    LIMIT_COUNT
};

struct limit_row {
    const char *name; /* "folded_bytes" */
    uint64_t standard;
    const char *unit; /* "bytes" */
    const char *what; /* has at most so many */
};

const struct limit_row *limit_row(enum limit which);
uint64_t limit_of(enum limit which);

/* Reads "NAME=VALUE", or several with commas between them; a value is a whole number from 1, and
 * may end in K, M or G (2^10, 2^20, 2^30).  STATUS_USAGE, with nothing set, when the text is wrong.
 */
enum status limits_set(const char *text, struct diag *diag);
/* Checks ASSAY_LIMITS, which is otherwise left out where it is wrong. */
enum status limits_check_environment(struct diag *diag);

/* Fails with STATUS_LIMIT: the message, then ", at most N (limit NAME; --limit=NAME=VALUE raises
 * it)". */
enum status limit_fail(struct diag *diag, enum limit which, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
