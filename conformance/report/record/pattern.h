/* What failing cases of an op have in common that passing cases do not have. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_PATTERN_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_PATTERN_H

#include "conformance/report/record/facts.h"

struct pattern {
    char text[100]; /* "channels % 4 != 0"; empty: none was found */
    size_t passing; /* cases with the pattern that pass all the same */
};

/* Looks for the simplest pattern, of one or two conditions, that all failing cases have and no
 * passing one, or few: at most a tenth of all that have it.  A pattern is believed when as good a
 * one would be found among cases that fail at random with a probability below 1 %.
 *
 * f holds failing cases in its first `failing` rows, passing ones behind. */
enum status pattern_find(struct pattern *p, const struct facts *f, size_t failing,
                         struct arena *arena, struct diag *diag);

#endif
