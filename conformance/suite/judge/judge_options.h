/* How the judge runs cases. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_JUDGE_OPTIONS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_JUDGE_OPTIONS_H

#include "conformance/suite/judge/repeat_counts.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a case is: read by a parent when the process died. */
struct judge_stage {
    int set; /* enum data_set; -1: none yet */
    char what[48];
    char inputs[96]; /* of the case, as in struct case_result; empty: it is not built yet */
    struct repeat_counts repeat;        /* so far; asked 0: it is not repeated, or not yet */
    bool failed;                        /* before the repeats */
    uint32_t habits, left_out, refused; /* as in struct case_result, so far */
};

struct judge_options {
    uint64_t seed;
    const char *repro_dir;     /* NULL: nothing is written */
    struct judge_stage *stage; /* may be NULL */
    struct repeat_plan repeat;
    double limit_s; /* of a case, which an agent at the end of a line is told; 0: none */
};

#endif
