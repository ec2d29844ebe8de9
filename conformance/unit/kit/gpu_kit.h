/* White-box tests of the delegate: the interpreter as host, and graphs seen through the ABI. */
#ifndef ASSAY_CONFORMANCE_UNIT_KIT_GPU_KIT_H
#define ASSAY_CONFORMANCE_UNIT_KIT_GPU_KIT_H

#include "conformance/unit/kit/graph_kit.h"

#include "delegate/accept/decide.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "delegate/plan/make.h"

void gpu_look(const struct model *m, void (*look)(struct graph *, void *), void *user);
/* The options of key=value pairs, ended by NULL. */
struct gpu_options gpu_options_of(const char *const *pairs);
/* One partition of all nodes, which must all be taken: inputs are what no node makes, outputs what
 * no node reads.  Constants have their places, but are not packed. */
enum status gpu_try_plan_graph(struct plan *p, const struct graph *g, const struct gpu_options *o,
                               const struct device_limits *limits, struct diag *diag);
void gpu_plan_graph(struct plan *p, const struct graph *g, const struct gpu_options *o,
                    const struct device_limits *limits, struct diag *diag);
struct device_limits gpu_large_limits(void);

#endif
