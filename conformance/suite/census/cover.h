/* Which kinds of nodes a case of the suite has.  All cases are built to see what they are made of;
 * random graphs are no cases. */
#ifndef ASSAY_CONFORMANCE_SUITE_CENSUS_COVER_H
#define ASSAY_CONFORMANCE_SUITE_CENSUS_COVER_H

#include "conformance/suite/cases/case.h"
#include "conformance/suite/census/census.h"

#include <stdbool.h>

/* The nodes that the cases are about, sorted by text. */
enum status cover_open(struct census *cases, bool quiet, struct diag *diag);

/* How many of the first fields of a kind some case shares: 0, or CENSUS_OP + 1 for the op, up to
 * CENSUS_OPTIONS + 1. */
int cover_shared(const struct census *cases, const char *kind);
/* A custom op that the suite has no row of (reference/ops.def), as nobody documents it: counted,
 * but no part of the shares. */
bool cover_leaves_out(const char *kind);

/* Nodes that share fields with a case. */
struct cover_sum {
    uint64_t nodes; /* without those left out */
    uint64_t shared[CENSUS_FIELDS + 1];
};
struct cover_sum cover_sum(const struct census *cases, const struct census *c);
/* Of the nodes that are not left out; 1 where there are none. */
double cover_share(const struct cover_sum *sum, int fields);

#endif
