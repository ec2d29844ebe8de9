/* The smallest forms of the random graphs of a run that failed. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_SHRUNK_GRAPHS_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_SHRUNK_GRAPHS_H

#include "conformance/report/record/report.h"

enum {
    SHRUNK_GRAPHS_MAX = 4,    /* failures that are made smaller: one of each kind on each subject */
    SHRUNK_GRAPHS_STEPS = 200 /* graphs that are judged for each of them */
};

struct shrunk_graphs_options {
    struct subject *subjects; /* of the report */
    double timeout_s;         /* of one graph */
    const char *repro_dir;    /* model and inputs are written to DIR/<case>@<subject>/minimal */
    bool quiet;
};

/* Makes failures smaller and fills r->minimal; shrunk_graphs_close.  A status other than OK: this
 * program failed, not a subject. */
enum status shrunk_graphs_find(struct report *r, const struct shrunk_graphs_options *options,
                               struct diag *diag);
void shrunk_graphs_close(struct report *r);

#endif
