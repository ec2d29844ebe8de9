/* How often a case was run again, and how often that went wrong (--repeat): plain data. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_REPEAT_COUNTS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_REPEAT_COUNTS_H

#include <stdint.h>

struct repeat_plan {
    uint64_t runs;  /* of each case; 0: none */
    double limit_s; /* after which the runs of a case are cut */
};

struct repeat_counts {
    uint64_t asked, runs, wrong; /* asked 0: the case is not repeated */
    char cut[40]; /* why fewer ran than were asked for, "SIGINT"; empty: all of them ran */
};

#endif
