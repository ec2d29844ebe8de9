/* Lines of the table of verdicts: a tensor or node, and below it kinds of edits with the verdict on
 * each edit; "+" is taken, "x3" is three times the same.  A kind of edits whose verdicts are those
 * that the first base has is left out of later ones. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_VERDICT_LINES_H
#define ASSAY_DELEGATE_TESTS_KIT_VERDICT_LINES_H

#include <stdio.h>

void verdict_lines_open(FILE *out);
void verdict_lines_close(void);

/* What the next sections are about; printed when one of them is. */
void verdict_line(const char *base, const char *name);
/* Edits of one kind. */
void verdict_section(const char *name);
void verdict_print(const char *text);
void verdict_section_end(void);

#endif
