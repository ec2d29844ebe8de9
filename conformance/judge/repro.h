/* Files that reproduce a failure: the model and its tensors, in a directory of their own.
 *
 *     DIR/<case>@<subject>/model.tflite, input0_A.npy, got0_A.npy, want0_A.npy, ... */
#ifndef ASSAY_CONFORMANCE_JUDGE_REPRO_H
#define ASSAY_CONFORMANCE_JUDGE_REPRO_H

#include "conformance/cases/case.h"
#include "conformance/subject/outputs.h"

#include <stddef.h>

/* Creates the directory DIR/<case>@<subject>, and those above it.  path: PATH_MAX bytes. */
enum status repro_open(const char *directory, const char *name, const char *subject, char *path,
                       struct diag *diag);
/* model.tflite and the inputs of both frames. */
enum status repro_save_instance(const char *path, const struct case_instance *instance,
                                struct diag *diag);
enum status repro_save_outputs(const char *path, const struct outputs *got, int frame,
                               struct diag *diag);
/* The reference's output before rounding, in f64. */
enum status repro_save_expected(const char *path, size_t output, int frame, const int *dims,
                                int rank, const double *value, struct diag *diag);

#endif
