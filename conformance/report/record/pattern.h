/* What failing cases of an op have in common that passing cases do not have. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_PATTERN_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_PATTERN_H

#include "conformance/report/record/condition.h"

#include <stdbool.h>

struct pattern {
    char text[136]; /* "channels % 4 != 0"; empty: none was found */
    size_t passing; /* cases with the pattern that pass all the same */
    struct claim claims[CLAIMS_MAX];
    size_t claim_count;
};

/* Makes the pattern of `count` conditions, "a and b", that so many passing cases have. */
void pattern_set(struct pattern *p, const struct facts *f,
                 const struct condition *const conditions[], size_t count, size_t passing);

/* Looks for the simplest pattern, of one or two conditions, that all failing cases have and no
 * passing one, or few: at most a tenth of all that have it.  A pattern is believed when as good a
 * one would be found among cases that fail at random with a probability below 1 %.
 *
 * f holds failing cases in its first `failing` rows, passing ones behind. */
enum status pattern_find(struct pattern *p, const struct facts *f, size_t failing,
                         struct arena *arena, struct diag *diag);

/* ---- cover.c: patterns that a part of the failing cases has: several causes in one op ---- */

enum { COVER_LEAST = 3 };
/* Parts of the failing cases. */
#define COVER_SOME 0.1
#define COVER_MOST 0.8

/* Looks for the pattern of up to CLAIMS_MAX conditions that most of the failing cases have, at
 * least COVER_LEAST and this part of them, and no passing ones, or few: at most a tenth of all that
 * have it.  Where most cases fail it is COVER_MOST, as passing ones tell little then.  It is
 * believed as that of pattern_find is.  p->text is empty where there is none.
 *
 * f holds failing cases in its first `failing` rows, passing ones behind; *covered gets a flag for
 * each failing one, in `arena`. */
enum status cover_find(struct pattern *p, const struct facts *f, size_t failing, double least,
                       bool **covered, struct arena *arena, struct diag *diag);

#endif
