/* The verdict on the answers of a digit model: digits.h says when a model fails. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_DIGITS_JUDGE_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_DIGITS_JUDGE_H

#include "conformance/suite/bounds/bound.h"
#include "conformance/suite/models/digits_result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is judged: rows of `classes` scores. */
struct digits_answers {
    const float *scores; /* rows * classes */
    size_t rows, classes;
    double step; /* the scale of scores in 8 bits; 0: they are floats */
};
/* Fills all figures; and status and reason by the limit of the class of bounds, and by the top-1
 * where score->subject says that the answers are the reference's.  reference NULL: there is nothing
 * to compare with. */
void digits_judge(struct digits_score *score, const struct digits_answers *answers,
                  const struct digits_answers *reference, const uint8_t *labels,
                  enum bounds bounds);

/* Whether any model has another status than pass or declined. */
bool digits_failed(const struct digits_report *r);

#endif
