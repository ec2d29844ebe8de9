/* Records that a test writes row by row. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_DRAFT_RECORD_H
#define ASSAY_CONFORMANCE_TESTS_KIT_DRAFT_RECORD_H

#include "conformance/report/record/record.h"

enum { DRAFT_SUBJECTS = 4, DRAFT_CASES = 4000 };

/* An empty record of seed 1. */
void draft_open(struct record *r);
/* A subject "delegate:/opt/<library>?precision=<precision>". */
size_t draft_subject(struct record *r, const char *folder, const char *library,
                     const char *precision);
/* A case; op and type are those of the name, "conv_2d.f32.c5". */
size_t draft_case(struct record *r, const char *name, const char *inputs);
/* Its result on a subject: it passes with margin 0.25 in 0.1 ms and 8192 bytes. */
struct record_result *draft_result(struct record *r, size_t subject, size_t test_case);
/* Makes a result a failure. */
void draft_fail(struct record_result *r, const char *what, const char *reason);
/* When all is written. */
void draft_done(struct record *r);

#endif
