#include "delegate/ops/move/take.h"

#include "delegate/base/stored_half.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/take.args.h"

#include <assert.h>
#include <string.h>

bool take_check(struct check *c)
{
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);
    uint64_t words = 0;

    for (int d = 0; d < y->rank; d++)
        words += (uint64_t)y->dims[d];
    return words <= c->limits->max_storage_buffer_range / 4 ||
           refuse_bytes(c, RULE_LIMITS_CONSTANT_BYTES, c->node->outputs[0], words * 4);
}

static uint32_t fill_of(const struct planner *p, int dst, int fill)
{
    uint32_t bits;
    float value;

    if (fill < 0)
        return 0;
    switch (p->plan->tensors[dst].format) {
    case FORMAT_BYTES: return ((uint32_t)graph_constant_int(p->graph, fill, 0) & 0xff) * 0x01010101;
    case FORMAT_WORDS: return (uint32_t)graph_constant_int(p->graph, fill, 0);
    default:
        value = graph_constant_float(p->graph, fill, 0);
        if (p->plan->half)
            return stored_half(value) * 0x10001u;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
}

/* Indices of dimension d, times the rows that one of them is. */
static uint64_t pack_dim(struct planner *p, const struct graph_node *n, take_index *index, int d,
                         uint32_t pitch, const struct packed *packed, uint64_t at)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);

    for (int32_t i = 0; i < y->dims[d] && planner_packs(p); i++) {
        const int32_t from = index(p->graph, n, d, i);

        planner_put_word(p, packed, at + (uint64_t)i,
                         from < 0 ? TAKE_OUTSIDE : (uint32_t)from * pitch);
    }
    return at + (uint64_t)y->dims[d];
}

/* Every channel stays where it is: paddings are no less than 0, so those of as many channels are 0,
 * and one index says it, however many there are. */
static bool keeps_channels(const struct planner *p, const struct graph_node *n, take_index *index)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *y = graph_output(p->graph, n, 0);
    const int last = y->rank - 1;

    return x->dims[last] == y->dims[last] && index(p->graph, n, last, 0) == 0;
}

enum status take_plan(struct planner *p, const struct graph_node *n, take_index *index, int fill)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *y = graph_output(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    const bool channels = !keeps_channels(p, n, index);
    struct take_args args = { 0 };
    struct packed packed;
    struct plan_step *s;
    uint64_t words = 0, at = 0;
    uint32_t pitch = 1, dims = 0;

    assert(x->rank == y->rank && y->rank >= 1 && y->rank <= TAKE_OUTER + 1);
    if (src < 0 || dst < 0 ||
        !(s = planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("take")), n, WORKGROUP, 1,
                           1)))
        return STATUS_NO_MEMORY;
    for (int d = 0; d < y->rank - !channels; d++)
        words += (uint64_t)y->dims[d];
    /* A step binds what it reads, though there may be no index: a buffer has at least a word. */
    TRY(planner_pack_table(p, words ? words : 1, &packed));
    args = (struct take_args){ .channels = p->plan->tensors[dst].channels,
                               .in_slices = p->plan->tensors[src].slices,
                               .out_slices = p->plan->tensors[dst].slices,
                               .fill = fill_of(p, dst, fill) };
    args.count = p->plan->tensors[dst].rows * args.out_slices;
    for (int d = y->rank - 2; d >= 0; d--) {
        args.out_size[TAKE_OUTER - 1 - dims++] = (uint32_t)y->dims[d];
        at = pack_dim(p, n, index, d, pitch, &packed, at);
        pitch *= (uint32_t)x->dims[d];
    }
    if (channels)
        pack_dim(p, n, index, y->rank - 1, 1, &packed, at);
    step_spec(s, TAKE_SPEC_DIMS, dims);
    step_spec(s, TAKE_SPEC_CHANNELS, channels);
    step_thawable(s, TAKE_SPEC_DIMS, TAKE_SPEC_CHANNELS);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &packed);
    return step_items(p, s, args.count);
}
