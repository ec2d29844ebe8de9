/* Prints what `assay diff` found. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_DIFF_PRINT_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_DIFF_PRINT_H

#include "conformance/tools/diff/diff.h"

#include <jansson.h>
#include <stdio.h>

/* The lines "Num evaluation runs" to "OutputDiff" are those of TFLite's inference_diff_eval. */
void diff_print_text(FILE *f, const struct diff *d);
void diff_print_json(FILE *f, const struct diff *d);
/* Its key beyond_f16: what f16 does not hold; null: nothing was found. */
json_t *diff_beyond_half_json(const struct diff *d);

#endif
