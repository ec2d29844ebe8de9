/* Where libLiteRt.so is. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_FIND_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_FIND_H

#include "reference/base/diag.h"

#include <limits.h>

/* Finds the library, in this order: `given` (may be NULL), the environment's LITERT_LIBRARY, the
 * loader's path, litert-venv beside the program, and the package ai_edge_litert of the python3 in
 * PATH.  Nothing is loaded into this process, nor does Python import the package.
 *
 * STATUS_IO: the file that was named is not there.  STATUS_NO_DEVICE: there is none, with the line
 * that installs one. */
enum status litert_find(const char *given, char path[PATH_MAX], struct diag *diag);

#endif
