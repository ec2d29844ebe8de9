/* A sample of the cases for a first look: pairwise over what a case is.
 *
 * A case has an op, a type, a version, a suite, a title of the gap suite or none, and a kind: what
 * its data or tensors are about.  Whatever two of these occur together in some case of the list
 * occur together in one of the sample, such as each op in each of its types, and each title in each
 * type.  Cases that a delegate may refuse stand for no others.  The seed decides which; the same
 * seed and list give the same sample on every machine. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_QUICK_H
#define ASSAY_CONFORMANCE_SUITE_CASES_QUICK_H

#include "conformance/suite/cases/case.h"
#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* Keeps the sample, in order. */
enum status quick_select(struct test_case *cases, size_t *count, uint64_t seed, struct diag *diag);

#endif
