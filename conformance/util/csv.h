/* Cells of CSV (RFC 4180). */
#ifndef ASSAY_CONFORMANCE_UTIL_CSV_H
#define ASSAY_CONFORMANCE_UTIL_CSV_H

#include <stdio.h>

/* A text, NULL is empty, quoted where RFC 4180 asks for it.  A spreadsheet would run a text that
 * begins with one of = + - @ or a tab as a formula, so an apostrophe is put in front of it. */
void csv_text(FILE *f, const char *text);

#endif
