/* The results of the digit models: plain data. */
#ifndef ASSAY_CONFORMANCE_MODELS_DIGITS_RESULT_H
#define ASSAY_CONFORMANCE_MODELS_DIGITS_RESULT_H

#include "conformance/judge/result.h"

#include <stdbool.h>
#include <stddef.h>

enum { DIGITS_REFERENCE = -1 };

/* One model on one subject. */
struct digits_score {
    const char *model;       /* "digits_f32" */
    int subject;             /* index, or DIGITS_REFERENCE */
    enum case_status status; /* declined: the delegate took no node */
    char reason[256];        /* of every status but pass */
    size_t images, right;    /* whose class is the label */
    bool compared;           /* with the reference's answers, or the reference's with LiteRT's */
    size_t same;             /* images all of whose scores are the same bits */
    size_t differ;           /* whose class is another */
    size_t wrong;            /* those of them whose margin is above the error */
    double snr_db, max_abs;  /* infinite and 0 when equal */
    double mean_steps;       /* the mean error of scores in 8 bits, in their scale */
    size_t nodes, taken;
    int partitions;
};

struct digits_report {
    struct digits_score *scores;
    size_t count;
    char skipped[256]; /* why nothing was run: no models here; else empty */
};

#endif
