/* A board of many reports as static pages that ask for nothing: an index, a page for each subject
 * with its versions as columns, a badge for each, and a JSON feed (https://jsonfeed.org). */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_SITE_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_SITE_H

#include "conformance/report/record/board.h"

#include <stdio.h>

/* A page has at most so many bytes; what does not fit is left out, and the page says so. */
enum { SITE_PAGE_BYTES = 2000000, SITE_VERSIONS = 16 };

/* STATUS_NO_MEMORY.  Errors of the stream are the caller's to ask for. */
enum status site_index(const struct board *b, FILE *out, struct diag *diag);
enum status site_page(const struct board *b, const struct board_page *page, FILE *out,
                      struct diag *diag);
/* SVG, of the newest version. */
void site_badge(const struct board_page *page, FILE *out);
/* The newest runs, the newest first. */
enum status site_feed(const struct board *b, FILE *out, struct diag *diag);

#endif
