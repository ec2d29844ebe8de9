/* What the cases of a record are made of.  A report has names and a seed; the cases that this
 * program knows by name are built again. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_ANATOMY_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_ANATOMY_H

#include "conformance/report/record/record.h"

struct anatomy_node {
    const char *op; /* "conv_2d" */
    /* Classes (judge/case_classes.h) without the rank, and more words: facts.h says which.  Then
     * numbers, as "kernel=9". */
    const char *classes, *numbers;
};

struct anatomy {
    struct anatomy_node judged; /* the node that the case is about; op NULL: none, or not known */
    const char *kind;           /* of that node, as census.h has it */
    /* An empty tensor, one of a rank over 5, weights or a bias that are not constant, or values
     * beyond 1e4: no common model has that. */
    bool is_exotic;
    bool is_whole; /* the case is about all nodes together */
    /* All nodes, of a case with a title, of a random graph, and of a whole. */
    struct anatomy_node *nodes;
    size_t node_count;
};

/* One for each case of the record, in `arena`, as all that they point to.  Built are the cases of
 * all ops of which one fails, and the graphs that fail. */
enum status anatomy_open(struct anatomy **anatomy, const struct record *r, struct arena *arena,
                         struct diag *diag);

#endif
