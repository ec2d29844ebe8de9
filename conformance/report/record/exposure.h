/* How much of real models a failure can meet: the share of the nodes of 357 models
 * (suite/census/real_nodes.h) that are of the kinds of the cases that fail.  A kind is op, operands
 * and options; nodes with options that no case has are of one more kind by op and operands, and so
 * are the cases whose options no node has. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_EXPOSURE_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_EXPOSURE_H

#include "conformance/report/record/record.h"

#include <stdint.h>

enum { EXPOSURE_NO_NODE = -1, EXPOSURE_NOT_KNOWN = -2 };

struct exposure {
    /* Of each case of the record: the index of its kind, or one of the above.  No real node is
     * empty.  Not known are random graphs, and cases that this program has not. */
    int *kinds;
    uint64_t *nodes; /* of each kind */
    int kind_count;
    uint64_t all_nodes;
    /* Of each subject, then of each kind: results that passed or fail the run. */
    uint32_t *judged;
};

/* Gives the record its anatomy, and this; what is found lies in `arena`. */
enum status exposure_open(struct exposure *e, struct record *r, struct arena *arena,
                          struct diag *diag);
/* The share of real nodes that these results of one subject stand for: of each kind, the part of
 * its judged cases that they are.  NaN where nothing is known of them. */
double exposure_of(const struct record *r, const size_t *results, size_t count);

#endif
