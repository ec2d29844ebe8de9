/* What models of applications and tests are made of: the nodes of 357 of them, by kind. */
#ifndef ASSAY_CONFORMANCE_SUITE_CENSUS_REAL_NODES_H
#define ASSAY_CONFORMANCE_SUITE_CENSUS_REAL_NODES_H

#include "conformance/suite/census/census.h"

enum { REAL_MODELS = 357 };

/* Their nodes by op, operands and options, most first; models: at least so many have one.  NULL
 * past the end. */
const struct census_kind *real_nodes_at(size_t i);

#endif
