/* Prints what `assay diff` found. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_DIFF_PRINT_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_DIFF_PRINT_H

#include "conformance/tools/diff/diff.h"

#include <stdio.h>

/* The lines "Num evaluation runs" to "OutputDiff" are those of TFLite's inference_diff_eval. */
void diff_print_text(FILE *f, const struct diff *d);
void diff_print_json(FILE *f, const struct diff *d);

#endif
