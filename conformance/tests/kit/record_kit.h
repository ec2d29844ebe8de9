/* A record for tests of the forms: made up, of any size, with failures, names that are hostile to
 * markup, and every part filled in. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_RECORD_KIT_H
#define ASSAY_CONFORMANCE_TESTS_KIT_RECORD_KIT_H

#include "conformance/report/record/record.h"

#include <stddef.h>

/* Name of the first case, its reason, and the label of subject 1. */
#define RECORD_KIT_HOSTILE                                                                         \
    "</script><script>alert(1)</"                                                                  \
    "script><!--<script>'\"&amp;\xe2\x80\xa8\x01\xff\xed\xa0\x80\xe2\x80\xae"
/* Name of the second case, and the host: valid UTF-8 that turns the direction of text. */
#define RECORD_KIT_TURNING "conv_2d.f32.\xe2\x80\xaesdrawkcab\xe2\x80\xa8"

/* A record of cases on two subjects, the reference and a delegate; nothing failed unless asked. */
void record_kit_open(struct record *r, size_t cases);
/* Adds what only some runs have: hostile texts, failures of each kind, models, smallest forms,
 * planted faults, missing checks, an interruption. */
void record_kit_fill(struct record *r);

#endif
