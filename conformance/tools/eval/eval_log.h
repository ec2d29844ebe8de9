/* The file of --resume: the answers of a run so far, so that another run goes on from there.
 *
 * It is text: a line of JSON that says which run it is, then a line for each image.  It is only
 * appended to; a last line that was cut, as by a power failure, is dropped. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_LOG_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_LOG_H

#include "conformance/suite/subject/subject.h"
#include "reference/base/diag.h"

#include <jansson.h>
#include <stdio.h>

struct eval_log {
    FILE *file; /* NULL: none is written */
};

/* Opens the file at path, or begins it, for the run that `key` describes, an object of strings.
 * Calls take with each line that is there.  STATUS_USAGE, with both values, where the file is of
 * another run, or no such file. */
enum status eval_log_open(struct eval_log *log, const char *path, const json_t *key,
                          enum status (*take)(void *user, const json_t *line, struct diag *diag),
                          void *user, struct diag *diag);
/* Label and hash of the library, for a key; "none" for NULL. */
json_t *eval_log_subject(const struct subject *s);
/* Appends a line; STATUS_IO with the reason. */
enum status eval_log_add(struct eval_log *log, const json_t *line, struct diag *diag);
void eval_log_close(struct eval_log *log);

#endif
