/* How failures of one cause fail: what all of them show, which no passing case can. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_HOW_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_HOW_H

#include "conformance/report/record/record.h"

enum { HOW_BYTES = 160, HOW_LEAST = 3 };

/* "right in frame A, wrong in frame B; equals frame A's answer".  Empty where they have nothing in
 * common, or are fewer than HOW_LEAST. */
void how_text(const struct record *r, const size_t *results, size_t count, char text[HOW_BYTES]);
/* Whether that says more than where: all in frame B alone, in a part of their runs, after a resize,
 * or like the same other thing. */
bool how_is_telling(const struct record *r, const size_t *results, size_t count);

#endif
