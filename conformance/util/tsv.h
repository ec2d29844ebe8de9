/* Tables in text: a header line, then one row a line, columns separated by tabs.  Empty lines and
 * those that begin with # are skipped. */
#ifndef ASSAY_CONFORMANCE_UTIL_TSV_H
#define ASSAY_CONFORMANCE_UTIL_TSV_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stddef.h>

struct tsv {
    struct arena arena;
    const char **cells; /* row by row */
    size_t *lines;      /* of each row, from 1 */
    size_t rows, columns;
};

/* header: the names that the first line must have.  STATUS_IO, or STATUS_USAGE with the line that
 * does not have these columns.  tsv_close takes it in any state. */
enum status tsv_read(struct tsv *t, const char *path, const char *const *header, size_t columns,
                     struct diag *diag);
const char *tsv_cell(const struct tsv *t, size_t row, size_t column);
void tsv_close(struct tsv *t);

#endif
