/* Nodes that random graphs draw behind those of earlier releases (random_draw.h): shape arithmetic
 * and tables that follow from it, indices of i64, custom ops, and nodes of the host between. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_LATER_H
#define ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_LATER_H

#include "conformance/suite/cases/random_node.h"

/* What members of a suite are, without rows. */
extern const struct suite_member random_later[];
extern const size_t random_later_count;

#endif
