/* One case on one subject, for tests of kinds of subjects.  The group is set up by kit_cases_open.
 */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_JUDGE_KIT_H
#define ASSAY_CONFORMANCE_TESTS_KIT_JUDGE_KIT_H

#include "conformance/suite/judge/result.h"
#include "conformance/suite/subject/subject.h"

/* Judges the case of this name, seed 1, and closes the subject; fails the test where the subject
 * cannot be loaded. */
struct case_result judge_kit_run(struct subject *s, const char *name);
/* The same on a subject as --subject names it. */
struct case_result judge_kit_run_spec(const char *spec, const char *name);
/* Fails the test unless the case has this status, and the reason is part of its own. */
void judge_kit_expect(const struct case_result *r, const char *name, enum case_status status,
                      const char *reason);

#endif
