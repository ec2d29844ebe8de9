/* Which nodes the device takes: node by node, with the reason for each that it does not. */
#ifndef ASSAY_DELEGATE_ACCEPT_DECIDE_H
#define ASSAY_DELEGATE_ACCEPT_DECIDE_H

#include "delegate/accept/refusal.h"

#include <stdbool.h>

struct decision {
    struct arena arena;
    bool *take;               /* by the node's index in the graph */
    struct refusal *refusals; /* refusal_count of them, in the order of nodes */
    int refusal_count;
};

enum status decide(struct decision *d, const struct graph *g, const struct gpu_options *options,
                   const struct device_limits *limits, struct diag *diag);
void decision_close(struct decision *d);

/* Takes a node back, for a reason that shows later (a partition that is not wanted). */
struct drop {
    enum rule rule;
    const char *field, *hint; /* static */
    char value[160], limit[80];
};
void decision_drop(struct decision *d, const struct graph *g, int node, const struct drop *why);

#endif
