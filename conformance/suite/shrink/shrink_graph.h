/* Makes a random graph that fails smaller, as long as it fails the same way.
 *
 * Tried are: one output alone, a node replaced by an input of its shape, a node left out, an output
 * dropped, dimensions cut, plainer attributes.  Nodes keep their data when others go. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_GRAPH_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_GRAPH_H

#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/shrink/shrink_model.h"

struct shrink_graph_request {
    const struct test_case *test_case;  /* a random graph; it fails... */
    const struct case_result *result;   /* ... like this */
    const struct case_request *request; /* the data */
    /* Judges an instance of the case; crashes and timeouts are results.  A status other than OK
     * ends it. */
    enum status (*judge)(void *user, const struct case_instance *x, struct case_result *result,
                         struct diag *diag);
    void *user;
    size_t step_limit; /* graphs that are judged at most, but for repetitions */
};

/* *out holds the smallest form that was found; shrunk_close. */
enum status shrink_graph(const struct shrink_graph_request *request, struct shrunk *out,
                         struct diag *diag);

#endif
