/* READ_VARIABLE and ASSIGN_VARIABLE: state that the host keeps between inferences.
 *
 * The host runs nodes with side effects in the order of the model, so that such a node between
 * others cuts a partition in two.  The delegate therefore takes these nodes, too, and lets the
 * host's own kernels compute them: reads before the inference of the partition, assignments after
 * it.  That is the order of the model wherever no read follows an assignment to the same variable.
 */
#ifndef ASSAY_DELEGATE_GRAPH_VARIABLES_H
#define ASSAY_DELEGATE_GRAPH_VARIABLES_H

#include "delegate/graph/graph.h"
#include "reference/base/diag.h"
#include "reference/base/status.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>

struct variable_use {
    bool assigns; /* ASSIGN_VARIABLE, which has the value as input 1; else READ_VARIABLE */
    bool named;   /* its handle is the result of a VAR_HANDLE */
    bool follows_assignment; /* a node before it assigns to the same variable */
    /* Copies: the host may move its own when it adds the node of a partition.  What they point to
     * lives as long as the host's graph. */
    TfLiteNode node;
    TfLiteRegistration registration;
};

/* Sets n->variable of a node that reads or assigns a variable; leaves it NULL for others, and where
 * the host gives no function that a delegate can call. */
enum status variables_import(struct graph *g, struct graph_node *n, const TfLiteNode *node,
                             const TfLiteRegistration *registration, struct diag *diag);

/* Sets named and follows_assignment, when the producers of tensors are known. */
enum status variables_link(struct graph *g, struct diag *diag);

/* The tensor that a node reads a variable into, or assigns to one. */
int variable_tensor(const struct graph_node *n);

#endif
