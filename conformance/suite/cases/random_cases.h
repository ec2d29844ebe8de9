/* The cases of random graphs. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_CASES_H
#define ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_CASES_H

#include "conformance/suite/cases/random_graph.h"

/* Makes the cases of graphs [0, count) of a seed.  The caller frees both with mem_free; cases point
 * to rows. */
enum status random_cases(uint64_t seed, size_t count, struct test_case **cases,
                         struct random_row **rows, struct diag *diag);
/* Adds these cases to a list of others.  *rows, which live as long as the cases, may be NULL. */
enum status random_cases_append(uint64_t seed, size_t graphs, struct test_case **cases,
                                size_t *count, struct random_row **rows, struct diag *diag);
/* Whether the case is a random graph; then its row is a struct random_row. */
bool random_is_graph(const struct test_case *c);
/* Which graph of its seed it is. */
uint32_t random_index(const struct test_case *c);

#endif
