/* Partitions: how the host would group the accepted nodes, and which groups are large enough and
 * fit the device. */
#ifndef ASSAY_DELEGATE_RUNTIME_PARTITION_H
#define ASSAY_DELEGATE_RUNTIME_PARTITION_H

#include "delegate/accept/decide.h"
#include "delegate/plan/make.h"
#include "delegate/plan/plan.h"
#include "tensorflow/lite/c/common.h"

/* The accepted nodes as host node indices; the caller frees the array with mem_free.  NULL: out of
 * memory. */
TfLiteIntArray *partition_nodes(const struct graph *g, const struct decision *d);

/* Refuses the nodes of partitions that are smaller than min_nodes, save no time (option placement),
 * are not among the max_partitions largest, or need more memory than the device has, and fills
 * d->placements with d->rates, which the caller has set.  Called while the host prepares a
 * delegate. With a host that gives no preview nothing is refused; a partition that does not fit
 * then fails when its kernel is initialized. */
enum status partition_apply_limits(TfLiteContext *context, const struct gpu_options *o,
                                   const struct device_limits *limits, const struct graph *g,
                                   struct decision *d, struct diag *diag);

/* Sums over the partitions that the host would make; count is -1 when it gives no preview. */
struct partition_sums {
    int count;
    uint64_t constant_bytes, activation_bytes, activation_bound, staging_bytes;
};
enum status partition_sum_memory(TfLiteContext *context, const struct gpu_options *o,
                                 const struct device_limits *limits, const struct graph *g,
                                 const struct decision *d, struct partition_sums *sums,
                                 struct diag *diag);

/* Fills in nodes, inputs and outputs of a request, whose graph is set, from what the host gives.
 * What a node reads of a variable is an input, what it assigns an output; those nodes themselves
 * are not planned, and no nodes of shape arithmetic. */
struct partition_lists {
    int *memory;          /* of nodes, inputs and outputs of the request, and of the list below */
    const int *variables; /* nodes that read or assign variables, in execution order */
    int variable_count;
    const int *values; /* outputs that are known (ops/values.h) */
    int value_count;
};
/* The caller frees lists->memory with mem_free after use. */
enum status partition_request(struct plan_request *r, const TfLiteDelegateParams *partition,
                              struct partition_lists *lists, struct diag *diag);

#endif
