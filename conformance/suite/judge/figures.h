/* How far one output is from the reference's, over all runs: the figures of TFLite's
 * inference_diff_eval, and those that judge whole models (TOLERANCES.md 10). */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_FIGURES_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_FIGURES_H

#include "conformance/suite/bounds/bound.h"
#include "reference/runtime/interpreter.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct figures {
    TfLiteType type;
    bool quantized; /* its errors are counted in steps */
    bool scores;    /* one row of numbers: the best class counts */
    uint64_t runs, elements, unequal;
    /* Of the mean absolute error of each run: mean and standard deviation, as
     * inference_diff_eval prints them.  In steps where the output is quantized. */
    double avg_error, std_dev;
    double max_abs, mse;  /* of all elements, in the same unit */
    double snr_db;        /* of real values; infinite where all are equal */
    double cosine;        /* between real values; 1 where both are zero */
    uint64_t other_class; /* runs whose best class is not the reference's */
    uint64_t wrong_class; /* ... though its two best scores are further apart than any error */
    /* The element with the largest error. */
    uint64_t worst_run;
    char worst_where[64];
    double worst_got, worst_want; /* in the unit of max_abs */
    /* Sums behind them. */
    double errors, error_squares, squares, signal, noise, got_squares, products;
};

/* Adds a run.  got has the elements of t's type and shape. */
void figures_add(struct figures *f, const TfLiteTensor *t, const void *got);
/* Computes the figures from the sums. */
void figures_finish(struct figures *f);

/* Which screen an output is held to: the class of its subject, and whether the model computes in
 * 8 bits. */
struct screen {
    enum bounds bounds, quantized;
    bool model_quantized;
    /* What conditioning_measure left of this output: where that fails the screen, 6 dB less than it
     * is asked for.  NULL: it was not measured. */
    const struct figures *conditioning;
};
/* The screen of a model's outputs, but for their conditioning. */
struct screen screen_make(struct interpreter *in, enum bounds bounds, enum bounds quantized);
/* What the screen asks for, and whether that is less than of other models. */
double figures_least_snr(const struct figures *f, const struct screen *screen, bool *conditioned);
/* Judges the finished figures; false with the reason when the screen fails. */
bool figures_judge(const struct figures *f, const struct screen *screen, char *reason,
                   size_t bytes);

#endif
