/* Graphs of any number of nodes, each of a form that makes some part of the work grow faster than
 * the graph where that part looks at all nodes for each. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_SCALE_MODELS_H
#define ASSAY_DELEGATE_TESTS_KIT_SCALE_MODELS_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

struct scale_family {
    const char *name;
    /* The model as text (conformance/doc/MODEL_TEXT.md): its beginning and end, in which %n is the
     * number of nodes; what is there for each node, or for two in turn; and an output for each,
     * NULL: what none reads.  Of node i, %i %j %k are i, i + 1, i + 2, and %h %g are i / 2, i / 2
     * + 1. */
    const char *head, *each[2], *tail, *output;
    const char *options[5]; /* of the delegate: key, value, ..., NULL */
};

extern const struct scale_family scale_families[];
extern const int scale_family_count;

enum status scale_model(const struct scale_family *f, struct model *m, int nodes,
                        struct diag *diag);

#endif
