/* Graphs of any number of nodes, each of a form that makes some part of the work grow faster than
 * the graph where that part looks at all nodes for each. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_SCALE_MODELS_H
#define ASSAY_DELEGATE_TESTS_KIT_SCALE_MODELS_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

struct scale_family {
    const char *name;
    enum status (*make)(struct model *m, int nodes, struct diag *diag);
    const char *options[5]; /* of the delegate: key, value, ..., NULL */
};

extern const struct scale_family scale_families[];
extern const int scale_family_count;

#endif
