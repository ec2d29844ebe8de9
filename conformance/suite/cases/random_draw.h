/* Draws random graphs.
 *
 * A seed and an index have the same graph in each release.  Later ops change no draw: a graph has
 * up to three of them behind the nodes that were drawn before them, if the fourth bit of its index
 * is set (8 to 15, 24 to 31, ...), which comes from a random stream of its own.  Ops that are added
 * after these get another bit and another stream. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_DRAW_H
#define ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_DRAW_H

#include "conformance/suite/cases/random_graph.h"

/* Draws the graph of a case. */
void random_graph_draw(const struct test_case *c, struct random_graph *graph);

#endif
