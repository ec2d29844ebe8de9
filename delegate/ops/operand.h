/* Weights and biases: constants that are packed when the plan is made, or tensors that are computed
 * at run time and packed by a step of each inference.  The shaders read both the same way. */
#ifndef ASSAY_DELEGATE_OPS_OPERAND_H
#define ASSAY_DELEGATE_OPS_OPERAND_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

struct operand {
    bool constant;
    struct packed packed; /* constant */
    int tensor;           /* not constant: a plan tensor */
};

/* Weights [outputs, taps..., inputs], packed as [taps][depth][slices of outputs] vec4 of 4 outputs,
 * in the storage type; depth is inputs, or more, then zero from there on.  So neighbouring
 * invocations, which compute neighbouring output slices, read neighbouring weights. */
struct weights_shape {
    uint32_t outputs, taps, inputs, depth;
};
uint64_t weights_vec4s(const struct weights_shape *shape);
enum status operand_weights(struct planner *p, const struct graph_node *node, int tensor,
                            const struct weights_shape *shape, struct operand *operand);

/* The same constant weights as tiles of the matrix units, [outputs / tile][sum / tile], where the
 * sum goes over the inputs of all taps, each tap padded to slices.  A tile has its elements in the
 * order of the device, or, without fragments, by columns.  What pads is 0. */
uint64_t operand_tiled_vec4s(const struct weights_shape *shape, const struct device_matrix *m);
enum status operand_tiled(struct planner *p, int tensor, const struct weights_shape *shape,
                          const struct device_matrix *m, struct operand *operand);

/* Weights [1, taps..., outputs], packed as [taps][slices of outputs] in the storage type. */
enum status operand_depthwise(struct planner *p, int tensor, uint32_t taps, uint32_t outputs,
                              struct operand *operand);

/* Input i is absent, or a bias [outputs]; `expected` says which dimension of the weights that is.
 */
bool check_bias(struct check *c, int i, int32_t outputs, enum rule rule, const char *expected);

/* count values as f32 slices; all zero when tensor is -1. */
enum status operand_bias(struct planner *p, const struct graph_node *node, int tensor,
                         uint32_t count, struct operand *operand);

/* Binds an operand as a buffer that the step reads. */
void step_operand(struct planner *p, struct plan_step *s, int binding,
                  const struct operand *operand);
/* Bindings 0 to 3 of the shaders that sum products: dst, src, weights, bias. */
void step_products(struct planner *p, struct plan_step *s, int dst, int src,
                   const struct operand *weights, const struct operand *bias);

/* Binds a tensor, or a constant as it would lie there, from which elements move to plan tensor dst.
 */
enum status operand_moved(struct planner *p, struct plan_step *s, int binding, int tensor, int dst);

#endif
