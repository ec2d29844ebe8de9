/* One case on one subject, for tests of kinds of subjects.  The group is set up by kit_cases_open.
 */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_JUDGE_KIT_H
#define ASSAY_CONFORMANCE_TESTS_KIT_JUDGE_KIT_H

#include "conformance/suite/judge/judge.h"
#include "conformance/suite/judge/result.h"
#include "conformance/suite/subject/subject.h"

/* Judges the case of this name, seed 1, and closes the subject; fails the test where the subject
 * cannot be loaded. */
struct case_result judge_kit_run(struct subject *s, const char *name);
/* The same on a subject as --subject names it. */
struct case_result judge_kit_run_spec(const char *spec, const char *name);
/* Fails the test unless the case of this name on this subject has this status, and the reason is
 * part of its own. */
void judge_kit_expect(const char *spec, const char *name, enum case_status status,
                      const char *reason);
/* Fails the test unless the subject is parsed and loaded with this status, and the message is part
 * of what is said. */
void judge_kit_expect_load(const char *spec, enum status status, const char *message);

/* A judge for more than one case on a subject.  limit_s as in judge_options. */
struct judge *judge_kit_open(struct subject *s, const char *spec, double limit_s);
void judge_kit_close(struct judge *judge, struct subject *s);
/* As judge_kit_expect, and the line was lost or not. */
void judge_kit_expect_case(struct judge *judge, const char *name, enum case_status status,
                           const char *reason, bool line_lost);

/* Adds options to those of AddressSanitizer in programs that the test starts. */
void judge_kit_add_asan_options(const char *options);
/* kit_cases_open for agents: what ends them is a signal in builds with a sanitizer, too. */
int judge_kit_open_agents(void **state);

#endif
