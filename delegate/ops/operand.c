/* Speed: all weights, at each start */
#include "delegate/ops/operand.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/plan/packing.h"
#include "delegate/shaders/count.args.h"
#include "delegate/shaders/pack_weights.args.h"

#include <stddef.h>

uint64_t weights_vec4s(const struct weights_shape *w)
{
    return (uint64_t)w->taps * w->depth * (((uint64_t)w->outputs + 3) / 4);
}

static enum status pack_constant(struct planner *p, int tensor, const struct weights_shape *w,
                                 struct packed *packed)
{
    return packing_weights(
        p, tensor, &(struct packing_shape){ w->outputs, w->taps, w->inputs, w->depth }, packed);
}

enum status operand_weights(struct planner *p, const struct graph_node *node, int tensor,
                            const struct weights_shape *w, struct operand *operand)
{
    struct plan_step *s;
    struct pack_weights_args args;
    int src;

    *operand = (struct operand){ .constant = graph_is_constant(p->graph, tensor), .tensor = -1 };
    if (operand->constant)
        return pack_constant(p, tensor, w, &operand->packed);
    src = planner_tensor(p, tensor);
    operand->tensor = planner_temp(p, (uint32_t)weights_vec4s(w), 4, FORMAT_STORED);
    s = planner_step(p, "pack_weights", node, WORKGROUP, 1, 1);
    if (src < 0 || operand->tensor < 0 || !s)
        return STATUS_NO_MEMORY;
    args = (struct pack_weights_args){ .count = (uint32_t)weights_vec4s(w),
                                       .outputs = w->outputs,
                                       .out_slices = (w->outputs + 3) / 4,
                                       .taps = w->taps,
                                       .inputs = w->inputs,
                                       .in_slices = p->plan->tensors[src].slices,
                                       .depth = w->depth };
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, operand->tensor);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

uint64_t operand_tiled_vec4s(const struct weights_shape *w, const struct device_matrix *m)
{
    return packing_tiled_vec4s(
        &(struct packing_shape){ w->outputs, w->taps, w->inputs, (w->inputs + 3) / 4 * 4 }, m);
}

enum status operand_tiled(struct planner *p, int tensor, const struct weights_shape *w,
                          const struct device_matrix *m, struct operand *operand)
{
    const struct packing_shape shape = { w->outputs, w->taps, w->inputs, (w->inputs + 3) / 4 * 4 };

    *operand = (struct operand){ .constant = true, .tensor = -1 };
    return packing_tiled(p, tensor, &shape, m, &operand->packed);
}

enum status operand_depthwise(struct planner *p, int tensor, uint32_t taps, uint32_t outputs,
                              struct operand *operand)
{
    const uint64_t slices = ((uint64_t)outputs + 3) / 4;
    size_t from = 0;

    *operand = (struct operand){ .constant = graph_is_constant(p->graph, tensor), .tensor = -1 };
    if (!operand->constant) { /* a tensor of rows of channels is packed like this */
        operand->tensor = planner_tensor(p, tensor);
        return operand->tensor < 0 ? STATUS_NO_MEMORY : STATUS_OK;
    }
    TRY(planner_pack(p, taps * slices, true, &operand->packed));
    for (uint32_t k = 0; k < taps && planner_packs(p); k++)
        for (uint32_t o = 0; o < outputs; o++, from++)
            planner_put(p, &operand->packed, (uint64_t)k * slices * 4 + o,
                        graph_constant_float(p->graph, tensor, from));
    return STATUS_OK;
}

bool check_bias(struct check *c, int i, int32_t outputs, enum rule rule, const char *expected)
{
    const struct graph_tensor *b = graph_input(c->graph, c->node, i);

    if (!b)
        return true;
    if (!check_input(c, i, 1, 1))
        return false;
    return b->dims[0] == outputs ||
           refuse(c, rule, c->node->inputs[i], "dims[0]", "the model is malformed", expected,
                  "%d, the weights have %d", b->dims[0], outputs);
}

enum status operand_bias(struct planner *p, const struct graph_node *node, int tensor,
                         uint32_t count, struct operand *operand)
{
    struct plan_step *s;
    struct count_args args;
    int src;

    *operand = (struct operand){ .constant = tensor < 0 || graph_is_constant(p->graph, tensor),
                                 .tensor = -1 };
    if (operand->constant)
        return planner_pack_bias(p, tensor, count, &operand->packed);
    src = planner_tensor(p, tensor);
    if (src >= 0 && !p->plan->half) { /* it is f32 slices */
        operand->tensor = src;
        return STATUS_OK;
    }
    operand->tensor = planner_temp(p, 1, count, FORMAT_WIDE);
    s = planner_step(p, "widen", node, WORKGROUP, 1, 1);
    if (src < 0 || operand->tensor < 0 || !s)
        return STATUS_NO_MEMORY;
    args.count = p->plan->tensors[src].slices;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, operand->tensor);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

void step_operand(struct planner *p, struct plan_step *s, int binding,
                  const struct operand *operand)
{
    if (operand->constant)
        step_constants(s, binding, &operand->packed);
    else
        step_read(p, s, binding, operand->tensor);
}

void step_products(struct planner *p, struct plan_step *s, int dst, int src,
                   const struct operand *weights, const struct operand *bias)
{
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_operand(p, s, 2, weights);
    step_operand(p, s, 3, bias);
}

enum status operand_moved(struct planner *p, struct plan_step *s, int binding, int tensor, int dst)
{
    struct packed packed;
    int src;

    if (graph_is_constant(p->graph, tensor)) {
        TRY(p->plan->tensors[dst].format == FORMAT_STORED
                ? planner_pack_stored(p, tensor, &packed)
                : planner_pack_integers(p, tensor, &packed));
        step_constants(s, binding, &packed);
        return STATUS_OK;
    }
    if ((src = planner_tensor(p, tensor)) < 0)
        return STATUS_NO_MEMORY;
    step_read(p, s, binding, src);
    return STATUS_OK;
}
