/* Products of rows with constant weights of 8, 4 or 2 bits that stay packed on the device
 * (packed_product.comp). */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_PACKED_PRODUCT_H
#define ASSAY_DELEGATE_OPS_PRODUCT_PACKED_PRODUCT_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

#include <stdbool.h>
#include <stdint.h>

/* So many rows of the weights can stay packed, by what the graph, the options and the limits say:
 * what accept may ask. */
bool packed_product_may(const struct check *c, int weights, int bias, uint32_t rows);
/* They are, in this plan. */
bool packed_product_fits(const struct planner *p, const struct graph_node *n, int weights, int bias,
                         uint32_t rows);

struct packed_product {
    int src, dst;        /* plan tensors [rows,K], [rows,U] */
    int weights, bias;   /* tensors of the graph; bias -1: none */
    uint32_t activation; /* TfLiteFusedActivation */
    bool has_residual;   /* what dst holds is added before the activation */
};
enum status packed_product_plan(struct planner *p, const struct graph_node *n,
                                const struct packed_product *m);

#endif
