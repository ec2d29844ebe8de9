#include "delegate/ops/move/move.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/move.args.h"

#include <assert.h>
#include <stdio.h>

void move_init(struct move *m, int rank, const int32_t *dims, bool dense)
{
    uint32_t places = 1;

    *m = (struct move){ .dense = dense };
    for (int d = rank - 1; d >= 0; d--) {
        m->pitch[d] = places;
        places *= d == rank - 1 && !dense ? ((uint32_t)dims[d] + 3) / 4 * 4 : (uint32_t)dims[d];
    }
}

void move_begin(struct move *m, int of, int64_t begin)
{
    m->first += (uint32_t)begin * m->pitch[of];
}

static void add_dim(struct move *m, uint32_t size, uint32_t step)
{
    assert(m->rank < 2 * GRAPH_MAX_RANK);
    m->dims[m->rank].size = size;
    m->dims[m->rank++].step = step;
}

void move_dim(struct move *m, int64_t size, int of, int64_t stride)
{
    add_dim(m, (uint32_t)size, (uint32_t)stride * m->pitch[of]);
}

void move_repeat(struct move *m, int64_t times)
{
    add_dim(m, (uint32_t)times, 0);
}

/* ---- the step ---- */

/* Adds a dim outside of those from `begin` on; one that goes on where the dim inside it ends
 * becomes part of that. */
static bool put_dim(struct move_args *args, uint32_t begin, uint32_t size, uint32_t step)
{
    const uint32_t last = args->dims - 1;

    if (size == 1)
        return true;
    if (args->dims > begin && step == args->size_of[last] * args->step_of[last]) {
        args->size_of[last] *= size;
        return true;
    }
    if (args->dims == MOVE_DIMS)
        return false;
    args->size_of[args->dims] = size;
    args->step_of[args->dims++] = step;
    return true;
}

/* The dims in the order of the shader, those of the channels first.  False: too many. */
static bool arrange(const struct move *m, uint32_t channels, struct move_args *args)
{
    uint32_t of_channels = 1;
    int d = m->rank - 1;

    *args = (struct move_args){ .channels = channels,
                                .slices = channels / 4 + (channels % 4 != 0),
                                .first = m->first };
    for (; d >= 0 && of_channels < channels; d--) {
        of_channels *= m->dims[d].size;
        if (!put_dim(args, 0, m->dims[d].size, m->dims[d].step))
            return false;
    }
    assert(of_channels == channels);
    args->inner = args->dims;
    for (; d >= 0; d--)
        if (!put_dim(args, args->inner, m->dims[d].size, m->dims[d].step))
            return false;
    return true;
}

/* Rows begin with a slice, and the channels are runs of whole slices. */
static bool moves_slices(const struct move_args *args)
{
    bool whole = args->first % 4 == 0;

    for (uint32_t d = 0; d < args->dims; d++)
        if (d == 0 && args->inner > 0)
            whole &= args->step_of[0] == 1 && (args->inner == 1 || args->size_of[0] % 4 == 0);
        else
            whole &= args->step_of[d] % 4 == 0;
    return whole;
}

/* The channels step through rows of the input, and one dim of rows through its channels: such a dim
 * is split in blocks of 4.  Fills across and below. */
static bool moves_blocks(struct move_args *args)
{
    uint32_t below = 1;

    if (args->inner != 1 || args->step_of[0] % 4 != 0 || args->first % 4 != 0)
        return false;
    for (uint32_t d = 1; d < args->dims; d++) {
        if (args->step_of[d] == 1 && args->across == 0) {
            args->across = args->size_of[d];
            args->below = below;
        } else if (args->step_of[d] % 4 != 0) {
            return false;
        }
        below *= args->size_of[d];
    }
    return args->across > 1;
}

bool move_is_one_step(const struct move *m, uint32_t channels)
{
    struct move_args args;

    return arrange(m, channels, &args);
}

enum status move_plan_step(struct planner *p, const struct graph_node *n, int dst, int src,
                           const struct move *m)
{
    struct move_args args;
    struct plan_step *s;
    uint32_t rows, mode;

    if (src < 0 || dst < 0 ||
        !(s = planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("move")), n, WORKGROUP, 1,
                           1)))
        return STATUS_NO_MEMORY;
    rows = p->plan->tensors[dst].rows;
    if (!arrange(m, p->plan->tensors[dst].channels, &args))
        return diag_fail(p->diag, STATUS_UNSUPPORTED, "a move of more than %d dims", MOVE_DIMS);
    mode = moves_slices(&args) ? MOVE_WHOLE : moves_blocks(&args) ? MOVE_BLOCKS : MOVE_LANES;
    args.count =
        (mode == MOVE_BLOCKS ? rows / args.across * ((args.across + 3) / 4) : rows) * args.slices;
    step_spec(s, MOVE_SPEC_MODE, mode);
    step_thawable(s, MOVE_SPEC_MODE, MOVE_SPEC_MODE);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

/* The output is a part of the input in one piece, from its beginning. */
static bool is_view(const struct move_args *args)
{
    return args->first == 0 && args->inner <= 1 && moves_slices(args) &&
           (args->dims == args->inner ||
            (args->dims == args->inner + 1 && args->step_of[args->inner] == 4 * args->slices));
}

enum status move_plan_output(struct planner *p, const struct graph_node *n, int i, int src,
                             const struct move *m)
{
    const struct graph_tensor *y = graph_output(p->graph, n, i);
    struct move_args args;

    if (arrange(m, y->rank > 0 ? (uint32_t)y->dims[y->rank - 1] : 1, &args) && is_view(&args))
        return planner_view(p, n->outputs[i], src) < 0 ? STATUS_NO_MEMORY : STATUS_OK;
    return move_plan_step(p, n, planner_tensor(p, n->outputs[i]), src, m);
}

/* ---- checks ---- */

bool check_moved(struct check *c, int data, int min_rank, int max_rank)
{
    if (!check_computed_data(c, data, min_rank, max_rank, CHECK_ALL))
        return false;
    for (int i = 0; i < c->node->output_count; i++)
        if (!check_data_output(c, i, 0, GRAPH_MAX_RANK, CHECK_ALL) ||
            !check_tensor_type(c, c->node->outputs[i], graph_input(c->graph, c->node, data)->type))
            return false;
    return true;
}

bool check_move_constant(struct check *c, int i, const char *name, bool wide)
{
    const struct graph_tensor *t = graph_input(c->graph, c->node, i);

    if (t && t->data && t->rank >= 0 &&
        (t->type == kTfLiteInt32 || (wide && t->type == kTfLiteInt64)))
        return true;
    return refuse(c, RULE_MOVE_CONSTANT, t ? c->node->inputs[i] : -1, name,
                  "make it a constant of the model", wide ? "constant i32 or i64" : "constant i32",
                  "%s",
                  !t         ? "absent"
                  : !t->data ? "computed at run time"
                             : runtime_type_name(t->type));
}

bool check_move_vector(struct check *c, int i, const char *name, bool wide, int count)
{
    const struct graph_tensor *t;
    char expected[32];

    if (!check_move_constant(c, i, name, wide))
        return false;
    t = graph_input(c->graph, c->node, i);
    if (t->rank == 1 && (count < 0 ? t->dims[0] <= GRAPH_MAX_RANK : t->dims[0] == count) &&
        t->elements == (size_t)t->dims[0])
        return true;
    snprintf(expected, sizeof expected, count < 0 ? "1, at most %d" : "1, %d",
             count < 0 ? GRAPH_MAX_RANK : count);
    return refuse(c, RULE_MOVE_RANGE, c->node->inputs[i], "rank, elements",
                  "the model is malformed", expected, "%d, %zu", t->rank, t->elements);
}

/* "[1,2,3]" */
static void print_list(char *text, size_t size, const struct graph *g, int tensor, bool values)
{
    const struct graph_tensor *t = &g->tensors[tensor];
    const size_t count = values ? t->elements : (size_t)t->rank;
    size_t used = (size_t)snprintf(text, size, "[");

    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "",
                                 values ? (long long)graph_constant_int(g, tensor, i)
                                        : (long long)t->dims[i]);
    if (used < size)
        snprintf(text + used, size - used, "]");
}

bool check_move_map(struct check *c, move_map *map, int data, int i, const char *name)
{
    char values[72] = "", dims[72];
    struct graph_shape s;

    for (int o = 0; o < c->node->output_count; o++) {
        if (map(c->graph, c->node, o, &s, NULL))
            continue;
        print_list(dims, sizeof dims, c->graph, c->node->inputs[data], false);
        if (i >= 0)
            print_list(values, sizeof values, c->graph, c->node->inputs[i], true);
        return refuse(c, RULE_MOVE_RANGE, i >= 0 ? c->node->inputs[i] : -1, name,
                      "the model is malformed", "dims, places and counts that the input has",
                      "%s with an input of %s", values, dims);
    }
    return true;
}

/* ---- fold ---- */

void move_fold(const struct graph *g, const struct graph_node *n, move_map *map, int data,
               float *values)
{
    uint32_t index[2 * GRAPH_MAX_RANK] = { 0 };
    struct graph_shape s;
    struct move m = { .dense = true };
    int d = 0;

    if (!map(g, n, 0, &s, &m))
        return;
    for (size_t at = 0; d >= 0; at++) {
        uint32_t from = m.first;

        for (d = 0; d < m.rank; d++)
            from += index[d] * m.dims[d].step;
        values[at] = graph_constant_float(g, n->inputs[data], from);
        for (d = m.rank - 1; d >= 0 && ++index[d] == m.dims[d].size; d--)
            index[d] = 0;
    }
}
