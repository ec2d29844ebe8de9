/* What the pages of a site have in common. */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_SITE_KIT_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_SITE_KIT_H

#include "conformance/report/record/board.h"

#include <stdbool.h>
#include <stdio.h>

/* Text as html_text, cut where it is very long. */
void site_text(FILE *out, const char *text);
/* "2.3.0", or what is known in its place. */
const char *site_version(const struct board_run *run);
/* "2026-11-26", of the run; empty where it is not known. */
const char *site_date(const struct board_run *run, char text[11]);
/* How many cases were judged: what was not declined. */
size_t site_judged(const struct board_run *run);
/* "98.4", of those that were judged; 100 is no case that fails. */
double site_share(const struct board_run *run);
/* A stacked bar of what the cases of a run are, beside others of the same width. */
void site_bar(FILE *out, const struct board_run *run);
/* The share of judged cases that pass, by version: a line, described for a screen reader. */
void site_trend(FILE *out, struct board_run *const *runs, size_t count);
/* A list of notes, as banners; no more than `most`. */
void site_notes(FILE *out, const char *head, const struct notes *notes, size_t most,
                const char *about);
/* Whether there is room for another row before the page has `bytes`. */
bool site_has_room(FILE *out, long bytes);

#endif
