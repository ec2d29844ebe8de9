/* The results of the digit models: plain data. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_DIGITS_RESULT_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_DIGITS_RESULT_H

#include "conformance/suite/judge/result.h"

#include <stdbool.h>
#include <stddef.h>

enum { DIGITS_REFERENCE = -1 };

/* One model on one subject. */
struct digits_score {
    const char *model;       /* "digits_f32" */
    int subject;             /* index, or DIGITS_REFERENCE */
    enum case_status status; /* declined: the delegate took no node; or missing */
    char reason[256];        /* set for every status but pass */
    size_t images, right;    /* right: the class is the label */
    bool compared;           /* with the reference's scores; those of the reference with LiteRT's */
    size_t same;             /* images all of whose scores have the same bits */
    size_t differ;           /* images of another class */
    size_t wrong;            /* of these, images whose margin exceeds their largest error */
    double snr_db, max_abs;  /* infinite and 0 when equal */
    double mean_steps;       /* the mean error of scores in 8 bits, in their scale */
    size_t nodes, taken;
    int partitions;
};

struct digits_report {
    struct digits_score *scores;
    size_t count;
    char skipped[256]; /* why no model was run; empty where some were */
};

#endif
