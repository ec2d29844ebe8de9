/* Which nodes the delegate takes, each decided alone, and why it refuses the others. */
#ifndef ASSAY_DELEGATE_ACCEPT_DECIDE_H
#define ASSAY_DELEGATE_ACCEPT_DECIDE_H

#include "delegate/accept/placement.h"
#include "delegate/accept/refusal.h"

#include <stdbool.h>

struct decision {
    struct arena arena;
    bool *take;               /* by the node's index in the graph */
    struct refusal *refusals; /* refusal_count of them, in the order of nodes */
    int refusal_count;
    struct placement *placements; /* of the partitions that the host offered, in its order */
    int placement_count;
    struct placement_rates rates; /* with which they were estimated */
};

/* Decides on every node of the graph.  Needs no device. */
enum status decision_make(struct decision *d, const struct graph *g,
                          const struct gpu_options *options, const struct device_limits *limits,
                          struct diag *diag);
void decision_close(struct decision *d);

/* The decision on one node alone: true, or the refusal is filled. */
bool decision_of_node(const struct graph *g, const struct graph_node *n,
                      const struct gpu_options *options, const struct device_limits *limits,
                      struct refusal *refusal);

/* Refuses a node that was taken, for a reason that shows only when other nodes are known: the size
 * of its partition, or that no node on the device reads the constant that it computes. */
struct refusal_reason {
    enum rule rule;
    const char *field, *hint; /* static */
    char value[160], limit[80];
};
void decision_refuse(struct decision *d, const struct graph *g, int node,
                     const struct refusal_reason *why);
/* Brings the refusals in the order of nodes again. */
void decision_sort(struct decision *d);

#endif
