/* Whole models, judged: top-1 of the digit classifiers on the reference and on delegates.
 *
 * Each model and subject runs in a process of its own, so that the caller never loads a delegate.
 * Images are compared one by one with the reference's answers.  A model fails on a subject when
 *   - an image's class differs although the reference's two best are further apart than the largest
 *     error of that image, or
 *   - the SNR of all answers is below the screening limit of the tolerance policy (5.7), or
 *   - the reference itself falls below the top-1 that the models are known to have. */
#ifndef ASSAY_CONFORMANCE_DIGITS_H
#define ASSAY_CONFORMANCE_DIGITS_H

#include "conformance/result.h"
#include "conformance/subject.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { DIGITS_REFERENCE = -1 };

struct digits_options {
    const char
        *directory;   /* of models and images; NULL: golden/digits here or beside the program */
    size_t images;    /* spread over the test part; 0: all */
    uint64_t jobs;    /* processes at a time; 0: as many as processors */
    double timeout_s; /* of one model on one subject; 0: 300 */
    bool quiet;
};

/* One model on one subject. */
struct digits_score {
    const char *model;       /* "digits_f32" */
    int subject;             /* index, or DIGITS_REFERENCE */
    enum case_status status; /* declined: the delegate took no node */
    char reason[256];        /* of every status but pass */
    size_t images, right;    /* whose class is the label */
    size_t differ;           /* whose class is not the reference's */
    size_t wrong;            /* ... although its margin is above the error */
    double snr_db, max_abs;  /* against the reference; infinite and 0 when equal */
    size_t nodes, taken;
    int partitions;
};

struct digits_report {
    struct digits_score *scores;
    size_t count;
    char skipped[256]; /* why nothing was run: no models here; else empty */
};

/* Files that are not there are no failure: the report says so.  The subjects are borrowed and may
 * not be loaded. */
enum status digits_run(struct digits_report *out, struct subject *subjects, size_t count,
                       const struct digits_options *options, struct diag *diag);
void digits_close(struct digits_report *r);

/* Any status but pass and declined. */
bool digits_failed(const struct digits_report *r);

/* A table of at most 80 columns but for reasons, or the line that says why there is none. */
void digits_print(FILE *f, const struct digits_report *r, const struct subject *subjects);
/* [{"model", "subject", "status", ...}]; empty when skipped. */
json_t *digits_json(const struct digits_report *r);

/* ---- for tests ---- */

/* What is judged: rows of `classes` scores. */
struct digits_answers {
    const float *scores; /* rows * classes */
    size_t rows, classes;
};
/* Fills images, right, differ, wrong, snr_db, max_abs; and status and reason by the limit of the
 * class of bounds.  reference NULL: the answers are the reference's own. */
void digits_judge(struct digits_score *score, const struct digits_answers *answers,
                  const struct digits_answers *reference, const uint8_t *labels,
                  enum bounds bounds);

#endif
