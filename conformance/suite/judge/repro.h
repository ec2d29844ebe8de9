/* Files that reproduce a failure, in a directory of their own:
 *
 *     DIR/<case>@<subject>/model.tflite
 *                          model.txt     the model as text, long constants in model.txt.data
 *                          input0_A.npy, got0_A.npy, want0_A.npy, limit0_A.npy, ... of each frame
 *                          tensors.h5    the same arrays, as input0_A, got0_A, ...
 *                          again.sh      runs the case again; its comments say what failed
 *                          again.c, again.py  run the model without Assay (repro.c)
 *
 * want is the reference's result in f64, before it is rounded where the limit says so; an element
 * is right where |got - want| <= limit. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_REPRO_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_REPRO_H

#include "conformance/suite/cases/case.h"
#include "conformance/suite/judge/result.h"
#include "conformance/suite/subject/outputs.h"
#include "conformance/suite/subject/subject.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct repro_item;

struct repro {
    char path[PATH_MAX];
    struct repro_item *items; /* what was saved so far, for the HDF5 file */
    size_t count;
};

/* What is reproduced. */
struct repro_what {
    const char *directory; /* DIR */
    const struct test_case *test_case;
    const struct subject *subject;
    uint64_t seed;
    const char *below; /* a directory in that of the case; NULL: none */
};

/* Creates the directory, and those above it.  repro_close takes it in any state. */
enum status repro_open(struct repro *r, const struct repro_what *what, struct diag *diag);
void repro_close(struct repro *r);

/* model.tflite, model.txt and the inputs of the frames that there are. */
enum status repro_save_instance(struct repro *r, const struct case_instance *instance,
                                struct diag *diag);
enum status repro_save_outputs(struct repro *r, const struct outputs *got, int frame,
                               struct diag *diag);
/* One output of the reference and the limits of its elements. */
enum status repro_save_expected(struct repro *r, size_t output, int frame, const int *dims,
                                int rank, const double *value, const double *limits,
                                struct diag *diag);
/* tensors.h5 and the programs.  is_case: the model is the case's, as the suite builds it; else only
 * the model and its inputs can be run again. */
enum status repro_finish(struct repro *r, const struct repro_what *what,
                         const struct case_instance *instance, const struct case_result *result,
                         bool is_case, struct diag *diag);

#endif
