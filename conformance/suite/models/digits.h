/* Whole models, judged: top-1 of the digit classifiers on the reference and on delegates, in f32,
 * with f16 weights, with i8 weights (dynamic range), in i8 and in u8.
 *
 * Each model and subject runs in a process of its own, so that the caller never loads a delegate.
 * The models in 8 bits are quantized cases, which a subject may skip, as it may the float ones.
 *
 * A signal (util/interrupt.h) ends what runs: it is missing, and so is what did not run.
 *
 * Images are compared one by one: a delegate's answers with the reference's, the reference's with
 * those of the real LiteRT (answers.h5), but for dynamic range, where LiteRT rounds activations. A
 * model fails when
 *   - it is in 8 bits, on the reference or held to exact, and any score of any image differs, or
 *   - an image's class differs although the two best of what it is compared with are further apart
 *     than the largest error of that image, or
 *   - the SNR of all answers is below the limit of TOLERANCES.md 10, or, in 8
 *     bits, they are off by more than one step on average, or
 *   - the reference falls below the top-1 that the models are known to have. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_DIGITS_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_DIGITS_H

#include "conformance/suite/models/digits_result.h"
#include "conformance/suite/subject/subject.h"
#include "conformance/util/string_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digits_options {
    const char
        *directory; /* of models and images; NULL: golden/digits here or beside the program */
    struct string_list filters; /* globs of the models' names; none: all */
    size_t images;              /* spread over the test part; 0: all */
    uint64_t jobs;              /* processes at a time; 0: as many as processors */
    double timeout_s;           /* of one model on one subject; 0: 300 */
    bool quiet;
    bool anew; /* the reference computes its answers, though reference.h5 has them */
};

/* The name of a model, "digits_f32"; NULL past the end. */
const char *digits_name(size_t index);

/* The reference's answers are those of reference.h5, where the file is there; they have to fit.
 * Files that are not there are no failure: the report says so.  The subjects are borrowed and may
 * not be loaded. */
enum status digits_run(struct digits_report *out, struct subject *subjects, size_t count,
                       const struct digits_options *options, struct diag *diag);
/* Writes what the reference answers with each model, computed anew, as a reference.h5. */
enum status digits_export(const char *path, const struct digits_options *options,
                          struct diag *diag);
void digits_close(struct digits_report *r);

#endif
