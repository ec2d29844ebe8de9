/* The figures of a comparison: margins, memory and times, by op and type. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_COMPARE_LINES_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_COMPARE_LINES_H

#include "conformance/report/record/compare.h"

/* Fills the margins, the memory, the lines, and the times of the pairs, which are paired before. */
enum status compare_lines_fill(struct record_comparison *c, struct diag *diag);

#endif
