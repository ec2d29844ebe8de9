/* The sources of the HTML pages, as the build embeds them (page/embed.sh), and how a page is put
 * together from one.
 *
 * A page's source names what is filled in as {{name}}: `style`, `script` and `policy` are the same
 * for every page; the others are a page's own. */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_HTML_PAGE_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_HTML_PAGE_H

#include "reference/base/diag.h"

#include <stddef.h>
#include <stdio.h>

struct html_source {
    const char *bytes;
    size_t count;
};
/* The page of a report and its program; those of a comparison; the style of all. */
extern const struct html_source html_report_page, html_report_script;
extern const struct html_source html_compare_page, html_compare_script;
/* Pages of a site, which have no program. */
extern const struct html_source html_site_page;
extern const struct html_source html_style;

struct html_part {
    const char *name;
    enum status (*write)(const void *of, FILE *out, struct diag *diag);
};

/* Writes page with parts, a list that ends with a name of NULL; `of` is passed to their writers.
 * script NULL: the page has none. */
enum status html_page_write(const struct html_source *page, const struct html_source *script,
                            const struct html_part *parts, const void *of, FILE *out,
                            struct diag *diag);

/* ---- html_head.c: what the page of a record says of the whole run, each one part of it ---- */

/* `record` is a struct record. */
enum status html_head_title(const void *record, FILE *out, struct diag *diag);
/* The verdict, totals, and what is missing from the run. */
enum status html_head_verdict(const void *record, FILE *out, struct diag *diag);
enum status html_head_subjects(const void *record, FILE *out, struct diag *diag);
enum status html_head_run(const void *record, FILE *out, struct diag *diag);

#endif
