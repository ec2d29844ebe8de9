/* The files of a directory. */
#ifndef ASSAY_CONFORMANCE_UTIL_DIRECTORY_H
#define ASSAY_CONFORMANCE_UTIL_DIRECTORY_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the name ends so, and is not hidden. */
bool directory_name_ends(const char *name, const char *suffix);
/* The paths, below `directory`, of the names that are wanted, in order; freed with directory_free.
 */
enum status directory_list(const char *directory, bool wanted(const char *name), char ***paths,
                           size_t *count, struct diag *diag);
void directory_free(char **paths, size_t count);

#endif
