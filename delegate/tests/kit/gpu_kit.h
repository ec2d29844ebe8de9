/* White-box tests of the delegate: the interpreter as host, and graphs seen through the ABI. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_GPU_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_GPU_KIT_H

#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/sanitized.h"

#include "delegate/accept/decide.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "delegate/plan/make.h"

/* Imports the model's graph as a delegate does, and calls look on it. */
void gpu_look(const struct model *m, void (*look)(struct graph *, void *), void *user);
/* The options of key=value pairs, ended by NULL. */
struct gpu_options gpu_options_of(const char *const *pairs);
/* The same, of this name, until the end of the block. */
#define OPTIONS(o, ...)                                                                            \
    struct gpu_options o CLOSED_BY(options_close) =                                                \
        gpu_options_of((const char *const[]){ __VA_ARGS__, NULL })
/* Sets the lists of *r to one partition of all nodes: its inputs are tensors that no node writes,
 * its outputs those that no node reads.  The arrays have room for all nodes, and for all tensors.
 */
void gpu_request_all(struct plan_request *r, const struct graph *g, int *nodes, int *inputs,
                     int *outputs);
/* Plans all nodes, which must all be taken, as one partition.  Constants have offsets, but are not
 * packed. */
enum status gpu_try_plan_graph(struct plan *p, const struct graph *g, const struct gpu_options *o,
                               const struct device_limits *limits, struct diag *diag);
/* gpu_try_plan_graph, which must succeed. */
void gpu_plan_graph(struct plan *p, const struct graph *g, const struct gpu_options *o,
                    const struct device_limits *limits, struct diag *diag);
/* For gpu_look: the plan of all nodes on a large device, with these options, ended by NULL. */
struct gpu_planned {
    const char *pairs[6];
    struct plan plan;
};
void gpu_look_plan(struct graph *g, void *planned);
/* How many steps of this shader the partitions of the delegate have. */
int gpu_steps_of(const TfLiteDelegate *d, const char *shader);
/* Limits of a large device. */
struct device_limits gpu_large_limits(void);

#endif
