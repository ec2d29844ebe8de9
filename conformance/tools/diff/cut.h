/* Writes what fails as files: the model, and beside it its inputs. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_CUT_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_CUT_H

#include "conformance/suite/cases/case.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* path: the .tflite file.  Input i becomes <path without .tflite>.input<i>.npy. */
enum status cut_save(const char *path, const struct case_instance *x, struct diag *diag);
/* The name of the file of input i; false when it does not fit. */
bool cut_input_name(const char *path, size_t i, char *name, size_t bytes);

#endif
