/* Finds libraries of subjects. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_SUBJECT_FIND_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_SUBJECT_FIND_H

#include "conformance/suite/subject/subject.h"

#include <limits.h>

/* Copies the absolute path of an existing file.  STATUS_IO when there is none. */
enum status subject_find_file(char **out, const char *path, struct diag *diag);
/* Its path's SHA-256.  A run has many subjects of one library: while the file stays as it is, it is
 * hashed once. */
enum status subject_hash(struct subject *s, struct diag *diag);
/* Our delegate, beside the program or in ../lib as installed. */
enum status subject_find_ours(char path[PATH_MAX], struct diag *diag);
/* Whether the subject is that delegate. */
bool subject_is_default(const struct subject *s);

#endif
