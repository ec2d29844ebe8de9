/* Speed: all weights, at each start */
#include "delegate/ops/int8/packing.h"

#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/int8/table.args.h"
#include "delegate/shaders/count.args.h"

#include <math.h>
#include <stdio.h>

enum { VALUES = 256, SHORTS = 1 << 16 };

bool check_per_tensor(struct check *c, int tensor)
{
    const size_t count = c->graph->tensors[tensor].quant.count;

    return count <= 1 || refuse(c, RULE_QUANT_SCALE, tensor, "number of scales",
                                "quantize the tensor again, with one scale", "1", "%zu", count);
}

bool check_output_steps(struct check *c, double scale, double tolerance, int32_t zero_point)
{
    const int y = c->node->outputs[0];
    const struct graph_tensor *t = &c->graph->tensors[y];
    char limit[32];

    if (fabs(tensor_scale(t) - scale) <= tolerance * scale && tensor_zero_point(t) == zero_point)
        return true;
    snprintf(limit, sizeof limit, "1/%g, %d", 1 / scale, (int)zero_point);
    return refuse(c, RULE_QUANT_UNIT, y, "scale, zero point", "the CPU kernel refuses it, too",
                  limit, "%g, %d", tensor_scale(t), (int)tensor_zero_point(t));
}

bool check_unit_output(struct check *c, double tolerance)
{
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);

    return check_output_steps(c, y->type == kTfLiteInt16 ? 1. / 32768 : 1. / 256, tolerance,
                              y->type == kTfLiteInt8 ? INT8_MIN : 0);
}

enum status bytes_pack_tensor(struct planner *p, int tensor, const struct byte_table *table,
                              struct packed *packed)
{
    const struct graph_tensor *t = &p->graph->tensors[tensor];
    const size_t channels = t->rank > 0 ? (size_t)t->dims[t->rank - 1] : 1;
    const size_t rows = channels ? t->elements / channels : 0, slices = (channels + 3) / 4;

    TRY(planner_pack_words(p, (uint64_t)rows * slices, packed));
    for (size_t i = 0; i < rows * slices && planner_packs(p); i++) {
        uint32_t word = 0;

        for (size_t lane = 0; lane < 4; lane++) {
            const size_t c = i % slices * 4 + lane;
            uint8_t byte = p->plan->poison == POISON_OFF ? 0 : 0xa5;

            if (c < channels) {
                byte = (uint8_t)graph_constant_int(p->graph, tensor, i / slices * channels + c);
                byte = table ? table->to[byte] : byte;
            }
            word |= (uint32_t)byte << 8 * lane;
        }
        planner_put_word(p, packed, i, word);
    }
    return STATUS_OK;
}

static enum status plan_table(struct planner *p, const struct graph_node *n,
                              const struct packed *table, int src, int dst)
{
    const uint32_t bits = 8 * plan_element_bytes(p->plan, &p->plan->tensors[dst]);
    const uint32_t in_bits = 8 * plan_element_bytes(p->plan, &p->plan->tensors[src]);
    struct plan_step *s =
        planner_step(p, in_bits == 16 ? "table.i16" : "table", n, WORKGROUP, 1, 1);
    struct count_args args;

    if (!s)
        return STATUS_NO_MEMORY;
    args.count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices;
    step_spec(s, TABLE_SPEC_BITS, bits);
    step_thawable(s, TABLE_SPEC_BITS, TABLE_SPEC_BITS);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    if (bits == in_bits)
        step_in_place(s, 1);
    step_constants(s, 2, table);
    return step_items(p, s, args.count);
}

enum status bytes_plan_table(struct planner *p, const struct graph_node *n,
                             const struct byte_table *table, int src, int dst)
{
    struct packed packed;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    TRY(planner_pack_words(p, VALUES / 4, &packed));
    for (uint32_t i = 0; i < VALUES / 4; i++) {
        const uint8_t *b = table->to + 4 * i;

        planner_put_word(p, &packed, i,
                         b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
    }
    return plan_table(p, n, &packed, src, dst);
}

enum status table_plan(struct planner *p, const struct graph_node *n, table_function *f)
{
    const TfLiteType type = graph_input(p->graph, n, 0)->type;
    const uint32_t values = type == kTfLiteInt16 ? SHORTS : VALUES;
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct packed packed;
    uint32_t bits, in_word, word = 0;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    bits = 8 * plan_element_bytes(p->plan, &p->plan->tensors[dst]);
    in_word = 32 / bits;
    TRY(planner_pack_words(p, values / in_word, &packed));
    for (uint32_t i = 0; i < values && planner_packs(p); i++) {
        const int32_t q = type == kTfLiteInt16 ? (int16_t)i : bytes_value(type, (int)i);
        const uint32_t result = f(p->graph, n, q, bits) & UINT32_MAX >> (32 - bits);

        word = i % in_word == 0 ? result : word | result << bits * (i % in_word);
        if (i % in_word == in_word - 1)
            planner_put_word(p, &packed, i / in_word, word);
    }
    return plan_table(p, n, &packed, src, dst);
}
