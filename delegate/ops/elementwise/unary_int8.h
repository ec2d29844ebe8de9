/* What elementwise_int8.c takes of unary_int8.c. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_UNARY_INT8_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_UNARY_INT8_H

#include "delegate/graph/graph.h"

#include <stdint.h>

/* TANH of i16, a table_function: by the table of LOGISTIC. */
uint32_t tanh_short(const struct graph *g, const struct graph_node *n, int32_t q, uint32_t bits);

#endif
