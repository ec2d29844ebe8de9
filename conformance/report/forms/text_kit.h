/* What the parts of the text form share. */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_TEXT_KIT_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_TEXT_KIT_H

#include "conformance/report/record/record.h"

#include <stdio.h>

enum { TEXT_COLUMNS = 80 };

struct text {
    const struct record *record;
    FILE *out;
    struct arena arena;
    struct record_line *lines;
    size_t line_count;
    size_t first, last; /* the subject that is told has results[first] to results[last - 1] */
    bool *untaken;      /* of each case: the subject that is told takes no case of its line */
};

/* A list of words, wrapped at the width of the report. */
struct text_list {
    FILE *out;
    size_t column;
};
void text_list_word(struct text_list *l, const char *word);
/* A sentence as part of the list, so that it wraps. */
void text_list_words(struct text_list *l, const char *sentence);

/* Texts that are equal: their indices, in order. */
struct text_group {
    const char *text;
    size_t *items;
    size_t count;
};
/* Groups equal texts, in the order of the first of each; those that are NULL are left out. */
enum status text_group(struct arena *arena, const char *const *texts, size_t count,
                       struct text_group **groups, size_t *group_count, struct diag *diag);

/* Whether all cases of a line were declined, and none of them had to be taken. */
bool text_is_untaken(const struct record_totals *t);
/* Names the ops, and their types, of which no case was taken, and sets x->untaken. */
enum status text_untaken(struct text *x, size_t subject, struct diag *diag);
/* What follows the tables of a subject: notes on margins, the share of integers that differ, what
 * was checked beside the results, what was declined. */
enum status text_subject_lists(struct text *t, size_t subject, struct diag *diag);
/* The failures of a report, those of one kind together: how many, what they have in common, the
 * smallest and the command that runs it.  Prints nothing when there are none. */
enum status findings_text(const struct record *r, FILE *out, struct diag *diag);
/* What failed, and minimal forms. */
enum status text_failures(struct text *t, struct diag *diag);

#endif
