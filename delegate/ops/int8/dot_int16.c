#include "delegate/ops/int8/dot_int16.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/dot_int16.args.h"
#include "delegate/ops/int8/requantize.h"

#include <math.h>

enum {
    TILE = 4, /* pixels of an invocation */
    ROWS = 5  /* of constants: vectors of a slice of outputs */
};
_Static_assert(ROWS * 4 == DOT_CHANNEL_BYTES, "as others are told");

/* A bias of 32 bits makes the CPU's accumulator an int32. */
static bool is_narrow(const struct graph *g, const struct graph_node *n, const struct dot *d)
{
    const struct graph_tensor *bias = graph_input(g, n, d->bias);

    return bias && bias->type == kTfLiteInt32;
}

/* Words of 4 outputs: [taps][inputs][slices of outputs].  Padding is 0. */
static enum status pack_weights(struct planner *p, const struct graph_node *n, const struct dot *d,
                                const struct dot_shape *s, uint32_t depth, struct packed *packed)
{
    const uint32_t slices = (s->outputs + 3) / 4;
    const int tensor = n->inputs[d->weights];

    TRY(planner_pack_words(p, (uint64_t)s->taps * depth * slices, packed));
    for (uint32_t k = 0; k < s->taps && planner_packs(p); k++)
        for (uint32_t i = 0; i < s->inputs; i++)
            for (uint32_t slice = 0; slice < slices; slice++) {
                uint32_t word = 0;

                for (uint32_t o = 4 * slice; o < s->outputs && o < 4 * slice + 4; o++) {
                    const size_t at = d->channel == 0 ? ((size_t)o * s->taps + k) * s->inputs + i
                                                      : (size_t)k * s->outputs + o;

                    word |= ((uint32_t)graph_constant_int(p->graph, tensor, at) & 0xff)
                            << 8 * (o % 4);
                }
                planner_put_word(p, packed, ((uint64_t)k * depth + i) * slices + slice, word);
            }
    return STATUS_OK;
}

/* The words of a multiplier, in the form that the shader reads. */
static void multiplier_words(double real, bool in_double, bool narrow, uint32_t words[3])
{
    const struct fixed_multiplier m = requantize_multiplier(real);

    if (in_double) {
        dot_double_words(real, words);
        return;
    }
    words[0] = (uint32_t)m.q;
    words[1] = (uint32_t)m.e;
    if (!narrow) { /* 15 bits of the mantissa */
        words[0] = m.q < 0x7fff0000 ? ((uint32_t)m.q + (1 << 15)) >> 16 : 0x7fff;
        words[1] = (uint32_t)(15 - m.e);
    }
}

static enum status pack_channels(struct planner *p, const struct graph_node *n, const struct dot *d,
                                 uint32_t count, struct packed *packed)
{
    const bool narrow = is_narrow(p->graph, n, d);

    TRY(planner_pack_words(p, ((uint64_t)count + 3) / 4 * ROWS * 4, packed));
    for (uint32_t c = 0; c < count && planner_packs(p); c++) {
        const uint64_t at = (uint64_t)c / 4 * ROWS * 4 + c % 4;
        uint32_t words[3] = { 0 };
        int64_t bias = 0;

        if (graph_input(p->graph, n, d->bias))
            bias = graph_constant_int(p->graph, n->inputs[d->bias], c);
        multiplier_words(dot_multiplier(p->graph, n, d, c, d->in_double), d->in_double, narrow,
                         words);
        planner_put_word(p, packed, at, (uint32_t)bias);
        planner_put_word(p, packed, at + 4, (uint32_t)((uint64_t)bias >> 32));
        for (uint32_t k = 0; k < 3; k++)
            planner_put_word(p, packed, at + 8 + 4 * k, words[k]);
    }
    return STATUS_OK;
}

enum status dot_int16_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                           const struct dot_int16 *m)
{
    const struct fixed_range range = requantize_range(graph_output(p->graph, n, 0), d->activation);
    const bool grouped = m->channels != m->shape.inputs;
    const uint32_t groups = m->channels / m->shape.inputs;
    struct packed weights, channels;
    struct dot_int16_args args;
    struct plan_step *s;
    uint32_t tile;

    if (m->src < 0 || m->dst < 0)
        return STATUS_NO_MEMORY;
    args = (struct dot_int16_args){
        .pixels = p->plan->tensors[m->dst].rows,
        .window = m->args,
        .out_channels = m->shape.outputs,
        .group_in = grouped ? m->shape.inputs : (m->shape.inputs + 3) / 4 * 4,
        .group_out = m->shape.outputs / groups,
        .low = range.low,
        .high = range.high,
    };
    TRY(pack_weights(p, n, d, &m->shape, args.group_in, &weights));
    TRY(pack_channels(p, n, d, m->shape.outputs, &channels));
    if (!(s = planner_step(p, "dot_int16.i16", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    tile = args.pixels < TILE ? 1 : TILE;
    args.count = (args.pixels + tile - 1) / tile * args.window.out_slices;
    window_specs(s, m->window);
    step_spec(s, DOT_INT16_SPEC_TILE, tile);
    step_spec(s, DOT_INT16_SPEC_GROUPED, grouped);
    step_spec(s, DOT_INT16_SPEC_TRANSPOSED, m->transposed);
    step_spec(s, DOT_INT16_SPEC_IN_DOUBLE, d->in_double);
    step_spec(s, DOT_INT16_SPEC_NARROW, is_narrow(p->graph, n, d));
    step_thawable(s, WINDOW_SPEC_KERNEL_H, WINDOW_SPEC_DILATION_W);
    step_thawable(s, DOT_INT16_SPEC_GROUPED, DOT_INT16_SPEC_NARROW);
    step_push(s, &args, sizeof args);
    step_dot_products(p, s, m->dst, m->src, &weights, &channels);
    return step_items(p, s, args.count);
}
