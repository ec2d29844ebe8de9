/* A minimal form in words. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_MINIMIZE_PRINT_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_MINIMIZE_PRINT_H

#include "conformance/suite/judge/minimize.h"

#include <stdio.h>

/* The nodes with their options and shapes, the inputs and constants where they are small, and how
 * it fails. */
enum status minimized_print(FILE *f, const struct minimized *m, struct diag *diag);

#endif
