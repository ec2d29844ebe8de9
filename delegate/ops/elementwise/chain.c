/* A step of chain.comp: the links of a chain, one after the other. */
#include "delegate/graph/chain.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/chain.args.h"
#include "delegate/ops/elementwise/dequantize_int8.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/plan/planner.h"

#include <assert.h>
#include <string.h>

_Static_assert((int)CHAIN_MAX == CHAIN_LINKS && (int)CHAIN_LAYOUT_MAX == CHAIN_ALPHA,
               "what chain.comp takes");

/* What is known of a chain before its links are. */
struct operands {
    struct chain_layout layout;
    uint32_t at[CHAIN_INPUTS];      /* the first slice, of a constant among all constants */
    uint32_t binding[CHAIN_INPUTS]; /* 1, 2: a tensor; 3: the constants */
    uint32_t bytes;                 /* of 8-bit tensors, the first word of CHAIN_BYTE_WORDS */
};

static uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* The constants of `one` join all others, which they are behind. */
static uint32_t join(struct packed *all, const struct packed *one, size_t unit)
{
    if (all->bytes == 0)
        *all = *one;
    all->bytes = one->offset - all->offset + one->bytes;
    return (uint32_t)((one->offset - all->offset) / unit);
}

/* DEQUANTIZE of the tensors, and QUANTIZE of the result, whose zero point NaN becomes. */
static enum status pack_bytes(struct planner *p, const struct chain *c,
                              const struct graph_tensor *y, const struct operands *o,
                              struct packed *words)
{
    TRY(planner_pack_words(p, CHAIN_BYTE_WORDS, words));
    if (!planner_packs(p))
        return STATUS_OK;
    for (int i = 0; i < c->input_count; i++) {
        const struct graph_tensor *const x = &p->graph->tensors[c->inputs[i]];

        for (int byte = 0; byte < 256 && o->binding[i] < 3; byte++)
            planner_put_word(p, words, 256 * (o->binding[i] - 1) + (uint32_t)byte,
                             bits_of(dequantize_integer(x, bytes_value(x->type, byte))));
    }
    quantize_put_limits(p, y, words, CHAIN_BYTE_LIMITS);
    planner_put_word(p, words, CHAIN_BYTE_ZERO,
                     y->type == kTfLiteInt8 ? (uint32_t)(tensor_zero_point(y) - INT8_MIN) | 128 << 8
                                            : (uint32_t)tensor_zero_point(y));
    return STATUS_OK;
}

/* Binds the tensors, and the constants as one buffer. */
static enum status bind(struct planner *p, struct plan_step *s, const struct chain *c, int result,
                        struct operands *o)
{
    struct packed all = { .bytes = 0 }, one;
    int binding = 0;

    for (int i = 0; i < c->input_count; i++) {
        const struct graph_tensor *const t = &p->graph->tensors[c->inputs[i]];
        int src;

        if (graph_is_constant(p->graph, c->inputs[i])) {
            TRY(planner_pack_tensor(p, c->inputs[i], &one));
            o->binding[i] = 3;
            o->at[i] = join(&all, &one, 4 * sizeof(float));
            continue;
        }
        if ((src = planner_tensor(p, c->inputs[i])) < 0)
            return STATUS_NO_MEMORY;
        o->binding[i] = (uint32_t)++binding;
        step_read(p, s, binding, src);
        if (t->elements == p->graph->tensors[result].elements) /* not broadcast */
            step_in_place(s, binding);
    }
    if (graph_is_8bit(&p->graph->tensors[result])) {
        TRY(pack_bytes(p, c, &p->graph->tensors[result], o, &one));
        o->bytes = join(&all, &one, sizeof(uint32_t));
    }
    if (all.bytes > 0)
        step_constants(s, 3, &all);
    return STATUS_OK;
}

static void put_layout(const struct chain *c, const struct operands *o, uint32_t *words)
{
    const struct chain_layout *const l = &o->layout;

    for (uint32_t g = 1; g < l->groups; g++)
        *words++ = l->size[g - 1];
    for (int i = 0; i < c->input_count; i++) {
        *words++ = o->at[i];
        for (uint32_t g = 0; g < l->groups; g++)
            *words++ = l->stride[i][g];
    }
}

/* Word of link i. */
static uint32_t link_word(const struct graph *g, const struct chain *c, int i,
                          const struct operands *o)
{
    const struct chain_link *const link = &c->links[i];
    const struct graph_node *const n = &link->node;
    const int k = link->beside;
    uint32_t op = n->op->link - 1u, activation = (uint32_t)gpu_op_activation(n);

    if (op < CHAIN_EXP)
        activation = op;
    if (k >= 0)
        return CHAIN_LINK(op, activation, (uint32_t)k, o->binding[k]) |
               (o->layout.one_channel[k] ? CHAIN_ONE_CHANNEL : 0) |
               (link->beside_first ? CHAIN_FIRST : 0);
    if (op >= CHAIN_ELEMENTWISE)
        op = CHAIN_ELEMENTWISE + elementwise_op(g, n);
    return CHAIN_LINK(op, activation, (uint32_t)i, 0);
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    const struct chain c = chain_of_node(p->graph, n);
    const int result = n->outputs[0], dst = planner_tensor(p, result);
    struct operands o = { .layout = chain_layout_of(p->graph, &c, result) };
    struct chain_args args = { .not_known = 0 };
    const bool bytes = graph_is_8bit(&p->graph->tensors[result]);
    struct plan_step *s;

    assert(chain_layout_words(&c, &o.layout) <= CHAIN_LAYOUT_MAX);
    if (dst < 0 || !(s = planner_step(p, "chain", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    step_write(p, s, 0, dst);
    TRY(bind(p, s, &c, result, &o));
    args.slices = p->plan->tensors[dst].slices;
    args.count = p->plan->tensors[dst].rows * args.slices;
    args.bytes = o.bytes;
    put_layout(&c, &o, args.words);
    for (int i = 0; i < c.count; i++)
        args.words[CHAIN_ALPHA + i] = bits_of(elementwise_alpha(&c.links[i].node));
    step_spec(s, CHAIN_SPEC_GROUPS, o.layout.groups);
    step_spec(s, CHAIN_SPEC_START, o.layout.one_channel[0] ? CHAIN_ONE_CHANNEL : 0);
    step_spec(s, CHAIN_SPEC_COUNT, (uint32_t)c.count);
    for (int i = 0; i < CHAIN_MAX && (bytes || i < c.count); i++)
        step_spec(s, CHAIN_SPEC_LINK + (uint32_t)i,
                  i < c.count ? link_word(p->graph, &c, i, &o) : 0);
    if (bytes)
        step_spec(s, CHAIN_SPEC_BYTES, true);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.count);
}

const struct gpu_op gpu_chain = { .plan = plan };
