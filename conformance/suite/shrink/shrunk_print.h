/* A minimal form in words. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRUNK_PRINT_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRUNK_PRINT_H

#include "conformance/suite/shrink/shrink_model.h"

#include <stdio.h>

/* The nodes with their options and shapes, the inputs and constants where they are small, and how
 * it fails. */
enum status shrunk_print(FILE *f, const struct shrunk *m, struct diag *diag);

#endif
