/* Writes reports for commands. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_WRITE_FORM_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_WRITE_FORM_H

#include "conformance/report/record/record.h"

/* Writes a record in one of the forms[] to a file, or to stdout where path is NULL; returns the
 * exit code. */
int write_form(const struct record *r, int form, const char *path);

#endif
