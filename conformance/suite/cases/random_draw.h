/* Draws random graphs. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_DRAW_H
#define ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_DRAW_H

#include "conformance/suite/cases/random_graph.h"

/* Draws the graph of a case. */
void random_graph_draw(const struct test_case *c, struct random_graph *graph);

#endif
