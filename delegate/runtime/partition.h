/* Partitions: what the host would make of the nodes that are taken, and which of these parts are
 * worth taking and fit the device. */
#ifndef ASSAY_DELEGATE_RUNTIME_PARTITION_H
#define ASSAY_DELEGATE_RUNTIME_PARTITION_H

#include "delegate/accept/decide.h"
#include "delegate/plan/make.h"
#include "delegate/plan/plan.h"
#include "tensorflow/lite/c/common.h"

/* The nodes taken, as the ABI wants them; NULL: out of memory.  mem_free. */
TfLiteIntArray *partition_nodes(const struct graph *g, const struct decision *d);

/* Drops the nodes of partitions that are smaller than min_nodes, of all but the max_partitions
 * largest, and of those whose memory the device does not have.  Call it while the host is preparing
 * a delegate; a host that gives no preview is taken at its word, and a partition that does not fit
 * then fails when it is planned. */
enum status partition_limit(TfLiteContext *context, const struct gpu_options *o,
                            const struct device_limits *limits, const struct graph *g,
                            struct decision *d, struct diag *diag);

/* What the host would make of the nodes that are taken.  count is -1 where it gives no preview. */
struct partition_sums {
    int count;
    uint64_t constant_bytes, activation_bytes, activation_bound, staging_bytes;
};
enum status partition_sum(TfLiteContext *context, const struct gpu_options *o,
                          const struct device_limits *limits, const struct graph *g,
                          const struct decision *d, struct partition_sums *sums, struct diag *diag);

/* Fills in nodes, inputs and outputs of a partition as the host gives it; the rest of the request
 * is there.  *nodes is what mem_free takes afterwards. */
enum status partition_request(struct plan_request *r, const TfLiteDelegateParams *partition,
                              int **nodes, struct diag *diag);

#endif
