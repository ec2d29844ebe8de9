/* Scaled dot product attention, of which transform `attention` makes one node:
 *
 *     BATCH_MATMUL(SOFTMAX(l + mask), v), l = scale * BATCH_MATMUL(q, k), or cap * TANH(l / cap)
 *
 * The factors are constants, before or behind the product.  RESHAPE may stand between if it keeps
 * the slots.  What RESHAPE, TRANSPOSE and BROADCAST_TO make of q, k, v and mask is read where it
 * was before: caches are not copied, and heads that share keys have them once. */
#include "delegate/ops/product/attention.h"

#include "delegate/ops/operand.h"
#include "delegate/ops/product/attention.args.h"
#include "delegate/ops/product/attention_merge.args.h"
#include "delegate/ops/reduce/softmax.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>
#include <string.h>

enum { FACTORS_MAX = 16, MOVES_MAX = 8, WIDTH_MAX = 4 * WORKGROUP, CHANNELS = -1 };

/* The elements of a tensor in their order, as a number of mixed radix, outermost digit first: each
 * has a stride in rows of another tensor, or is its CHANNELS. */
struct view {
    int tensor, count;
    struct {
        int64_t size, stride;
    } digit[FACTORS_MAX];
};

static bool view_add(struct view *v, int64_t size, int64_t stride)
{
    if (size == 1)
        return true;
    if (v->count == FACTORS_MAX)
        return false;
    v->digit[v->count].size = size;
    v->digit[v->count++].stride = stride;
    return true;
}

static bool view_open(const struct graph *g, int tensor, struct view *v)
{
    const struct graph_tensor *const t = &g->tensors[tensor];
    int64_t stride = 1;

    *v = (struct view){ .tensor = tensor };
    if (t->rank < 1 || t->elements == 0 || t->dims[t->rank - 1] == 1)
        return false;
    for (int d = 0; d < t->rank - 1; d++)
        stride *= t->dims[d];
    for (int d = 0; d < t->rank - 1; d++) {
        stride /= t->dims[d];
        if (!view_add(v, t->dims[d], stride))
            return false;
    }
    return view_add(v, t->dims[t->rank - 1], CHANNELS);
}

/* Cuts the digits at the dims: begin[d] is the first one of dim d. */
static bool view_cut(struct view *v, const struct graph_tensor *t, int begin[GRAPH_MAX_RANK + 1])
{
    int at = 0;

    for (int d = 0; d < t->rank; d++) {
        int64_t left = t->dims[d];

        begin[d] = at;
        while (left > 1) {
            if (at == v->count)
                return false;
            if (left % v->digit[at].size != 0) {
                const int64_t size = v->digit[at].size, stride = v->digit[at].stride;

                if (size % left != 0 || stride == CHANNELS || v->count == FACTORS_MAX)
                    return false;
                memmove(&v->digit[at + 1], &v->digit[at],
                        (size_t)(v->count++ - at) * sizeof v->digit[0]);
                v->digit[at].size = left;
                v->digit[at].stride = stride * (size / left);
                v->digit[at + 1].size = size / left;
            }
            left /= v->digit[at++].size;
        }
    }
    begin[t->rank] = at;
    return at == v->count;
}

/* Appends the digits of dim d. */
static bool view_take(struct view *to, const struct view *from, const int *begin, int d)
{
    for (int i = begin[d]; i < begin[d + 1]; i++)
        if (!view_add(to, from->digit[i].size, from->digit[i].stride))
            return false;
    return true;
}

/* Dim d has the channels, and nothing else. */
static bool is_channels(const struct view *v, const int *begin, int d)
{
    return begin[d + 1] == begin[d] + 1 && v->digit[begin[d]].stride == CHANNELS;
}

/* Appends the dims of `to` but the last ones, to which those of t are broadcast. */
static bool view_spread(struct view *rows, struct view *v, const int *begin,
                        const struct graph_tensor *t, const struct graph_tensor *to, int but)
{
    for (int d = 0; d < to->rank - but; d++) {
        const int own = d - to->rank + t->rank;
        const bool has = own >= 0 && t->dims[own] == to->dims[d];

        if (!has && own >= 0 && t->dims[own] != 1)
            return false;
        if (has ? !view_take(rows, v, begin, own) : !view_add(rows, to->dims[d], 0))
            return false;
    }
    return true;
}

/* What the node, which moves elements, makes of the view of its input. */
static bool view_move(const struct graph *g, struct view *v, const struct graph_node *n)
{
    const struct graph_tensor *const x = graph_input(g, n, 0), *const y = graph_output(g, n, 0);
    struct view to = { .tensor = v->tensor };
    int begin[GRAPH_MAX_RANK + 1];
    bool whole = false;

    if (n->code == BUILTIN_RESHAPE)
        to = *v;
    else if (!view_cut(v, x, begin))
        return false;
    if (n->code == BUILTIN_BROADCAST_TO && !view_spread(&to, v, begin, x, y, 0))
        return false;
    for (int d = 0; d < x->rank && n->code == BUILTIN_TRANSPOSE; d++) {
        const int64_t of = graph_constant_int(g, n->inputs[1], (size_t)d);

        if (!view_take(&to, v, begin, (int)(of < 0 ? of + x->rank : of)))
            return false;
    }
    *v = to;
    if (!view_cut(v, y, begin))
        return false;
    for (int d = 0; d < y->rank; d++)
        whole |= is_channels(v, begin, d);
    return whole;
}

/* The tensor as a view of what it was before it was moved, as far back as may be. */
static bool view_of(const struct graph *g, int tensor, struct view *v)
{
    static const int32_t codes[] = { BUILTIN_RESHAPE, BUILTIN_TRANSPOSE, BUILTIN_BROADCAST_TO };
    enum { CODES = sizeof codes / sizeof codes[0] };
    const struct graph_node *moves[MOVES_MAX];
    int count = 0, from = tensor;

    for (int c = 0; c < CODES && count < MOVES_MAX; c++) {
        const int node = gpu_op_producer(g, from, codes[c]);

        if (node >= 0) {
            moves[count++] = &g->nodes[node];
            from = g->nodes[node].inputs[0];
            c = -1;
        }
    }
    if (count == 0)
        return view_open(g, tensor, v);
    /* What cannot move is read where it was moved to. */
    bool opened = view_open(g, from, v);
    while (count-- > 0)
        if (!opened || !view_move(g, v, moves[count]))
            opened = view_open(g, moves[count]->outputs[0], v);
    return opened;
}

/* ---- the pattern ---- */

struct match {
    const struct graph *g;
    struct gpu_attention *a;
    const struct graph_node *likeness; /* BATCH_MATMUL of q and k */
    const struct graph_node *masked;   /* ADD of the mask, or NULL */
    double scale, cap;
    uint32_t slots;
};

static uint32_t channels_of(const struct graph_tensor *t)
{
    return t->rank > 0 ? (uint32_t)t->dims[t->rank - 1] : 0;
}

/* The node of this op that computes the tensor, or what RESHAPE makes of it with its slots. */
static const struct graph_node *take(struct match *m, int tensor, int32_t code)
{
    const struct graph *const g = m->g;
    int node;

    while ((node = gpu_op_producer(g, tensor, BUILTIN_RESHAPE)) >= 0) {
        if (channels_of(graph_input(g, &g->nodes[node], 0)) != m->slots ||
            !gpu_fused_add(&m->a->fused, node))
            return NULL;
        tensor = g->nodes[node].inputs[0];
    }
    node = gpu_op_producer(g, tensor, code);
    return node >= 0 && gpu_fused_add(&m->a->fused, node) ? &g->nodes[node] : NULL;
}

/* A node that multiplies one of its operands by one number: *factor, of which *of is the other. */
static bool is_factor(const struct graph *g, const struct graph_node *n, double *factor, int *of)
{
    for (int i = n->code == BUILTIN_DIV; i < 2; i++) {
        const int number = n->inputs[i];

        if (!graph_is_constant(g, number) || g->tensors[number].elements != 1 ||
            !graph_same_shape(&g->tensors[n->inputs[1 - i]], graph_output(g, n, 0)))
            continue;
        *factor = (double)graph_constant_float(g, number, 0);
        if (n->code == BUILTIN_DIV)
            *factor = 1 / *factor;
        *of = n->inputs[1 - i];
        return true;
    }
    return false;
}

/* The logits: products with factors and maybe TANH in between. */
static bool match_logits(struct match *m, int tensor)
{
    const struct gpu_fused begin = m->a->fused;
    const struct graph_node *n;
    double factor;

    m->scale = 1;
    m->cap = 0;
    for (;;) {
        const struct gpu_fused before = m->a->fused;

        if ((n = take(m, tensor, BUILTIN_BATCH_MATMUL))) {
            m->likeness = n;
            return true;
        }
        m->a->fused = before;
        /* TANH times 0 is 0, whatever the logits are; a cap of 0 means that there is none. */
        if ((n = take(m, tensor, BUILTIN_TANH)) && m->cap == 0 && (float)m->scale != 0) {
            m->cap = m->scale;
            m->scale = 1;
            tensor = n->inputs[0];
            continue;
        }
        m->a->fused = before;
        if (!(n = take(m, tensor, BUILTIN_MUL))) {
            m->a->fused = before;
            n = take(m, tensor, BUILTIN_DIV);
        }
        if (!n || !is_factor(m->g, n, &factor, &tensor))
            break;
        m->scale *= factor;
    }
    m->a->fused = begin;
    return false;
}

/* The same, or the sum of them and a mask. */
static bool match_masked(struct match *m, int tensor)
{
    const struct gpu_fused begin = m->a->fused;
    const struct graph_node *const sum = take(m, tensor, BUILTIN_ADD);

    for (int i = 0; i < 2 && sum; i++)
        if (graph_same_shape(&m->g->tensors[sum->inputs[i]], graph_output(m->g, sum, 0)) &&
            match_logits(m, sum->inputs[i])) {
            m->masked = sum;
            m->a->mask = sum->inputs[1 - i];
            return true;
        }
    m->a->fused = begin;
    return match_logits(m, tensor);
}

/* ---- where the operands lie ---- */

enum { OF_Q, OF_K, OF_V, OF_MASK, OPERANDS };

/* Keys or values: operand 1 of the product, of which each slot is a row of `width` channels.  rows:
 * where those of the product's result have theirs. */
static bool read_slots(const struct match *m, const struct graph_node *product, bool slots_last,
                       struct view *rows, uint32_t *step)
{
    const struct graph_tensor *const t = graph_input(m->g, product, 1);
    const struct graph_tensor *const y = graph_output(m->g, product, 0);
    const int slot = t->rank - (slots_last ? 1 : 2), width = t->rank - (slots_last ? 2 : 1);
    int begin[GRAPH_MAX_RANK + 1];
    struct view v;

    if (t->rank < 2 || t->dims[slot] != (int32_t)m->slots ||
        !view_of(m->g, product->inputs[1], &v) || !view_cut(&v, t, begin) ||
        !is_channels(&v, begin, width) || begin[slot + 1] - begin[slot] > 1)
        return false;
    *step = begin[slot + 1] > begin[slot] ? (uint32_t)v.digit[begin[slot]].stride : 0;
    *rows = (struct view){ .tensor = v.tensor };
    return view_spread(rows, &v, begin, t, y, 2) && view_add(rows, y->dims[y->rank - 2], 0);
}

/* q or the mask: rows of channels that are broadcast to those of `to`. */
static bool read_rows(const struct match *m, int tensor, const struct graph_tensor *to,
                      struct view *rows)
{
    const struct graph_tensor *const t = &m->g->tensors[tensor];
    int begin[GRAPH_MAX_RANK + 1];
    struct view v;

    if (!view_of(m->g, tensor, &v) || !view_cut(&v, t, begin) ||
        !is_channels(&v, begin, t->rank - 1))
        return false;
    *rows = (struct view){ .tensor = v.tensor };
    return view_spread(rows, &v, begin, t, to, 1);
}

/* The dims of the rows between which no operand has another stride. */
static bool read_dims(struct gpu_attention *a, struct view rows[OPERANDS], int count)
{
    int d = GPU_ATTENTION_DIMS;

    for (int i = 0; i < d; i++) {
        a->size[i] = 1;
        for (int o = 0; o < OPERANDS; o++)
            a->stride[o][i] = 0;
    }
    while (rows[0].count > 0) {
        int64_t size = INT64_MAX;
        bool joins = d < GPU_ATTENTION_DIMS;

        for (int o = 0; o < count; o++) {
            if (rows[o].count == 0)
                return false;
            if (rows[o].digit[rows[o].count - 1].size < size)
                size = rows[o].digit[rows[o].count - 1].size;
        }
        for (int o = 0; o < count && joins; o++)
            joins =
                rows[o].digit[rows[o].count - 1].stride == (int64_t)a->stride[o][d] * a->size[d];
        if (!joins && d-- == 0)
            return false;
        for (int o = 0; o < count; o++) {
            const int last = rows[o].count - 1;

            if (rows[o].digit[last].size % size != 0 || rows[o].digit[last].stride == CHANNELS)
                return false;
            if (!joins)
                a->stride[o][d] = (uint32_t)rows[o].digit[last].stride;
            rows[o].digit[last].stride *= size;
            if ((rows[o].digit[last].size /= size) == 1)
                rows[o].count--;
        }
        a->size[d] = joins ? a->size[d] * (uint32_t)size : (uint32_t)size;
    }
    for (int o = 0; o < count; o++)
        if (rows[o].count > 0)
            return false;
    return true;
}

static bool read_operands(struct match *m, const struct graph_node *n)
{
    const struct graph *const g = m->g;
    const struct graph_node *const product = m->likeness;
    const TfLiteBatchMatMulParams *const params = product->params, *const last = n->params;
    const struct graph_tensor *const shares = graph_input(g, n, 0), *const y =
                                                                        graph_output(g, n, 0);
    struct gpu_attention *const a = m->a;
    struct view rows[OPERANDS];
    int q = product->inputs[0];
    double factor;

    if (params->adj_x || last->adj_x || shares->rank != y->rank)
        return false;
    for (int d = 0; d < y->rank - 1; d++)
        if (shares->dims[d] != y->dims[d])
            return false;
    const int scaled = gpu_op_producer(g, q, BUILTIN_MUL);
    if (scaled >= 0 && is_factor(g, &g->nodes[scaled], &factor, &q))
        m->scale *= factor;
    if (!read_rows(m, q, graph_output(g, product, 0), &rows[OF_Q]) ||
        !read_slots(m, product, !params->adj_y, &rows[OF_K], &a->k_step) ||
        !read_slots(m, n, last->adj_y, &rows[OF_V], &a->v_step) ||
        (m->masked && !read_rows(m, a->mask, graph_output(g, m->masked, 0), &rows[OF_MASK])) ||
        !read_dims(a, rows, m->masked ? OPERANDS : OF_MASK))
        return false;
    a->q = rows[OF_Q].tensor;
    a->k = rows[OF_K].tensor;
    a->v = rows[OF_V].tensor;
    a->mask = m->masked ? rows[OF_MASK].tensor : -1;
    return channels_of(&g->tensors[a->q]) == channels_of(&g->tensors[a->k]) &&
           channels_of(&g->tensors[a->v]) == channels_of(y) && channels_of(y) <= WIDTH_MAX &&
           (a->mask < 0 || channels_of(&g->tensors[a->mask]) == m->slots);
}

bool attention_of(const struct graph *g, const struct graph_node *n, struct gpu_attention *a)
{
    struct match m = { .g = g, .a = a, .slots = channels_of(graph_input(g, n, 0)) };
    const struct graph_node *softmax;

    *a = (struct gpu_attention){ .mask = -1, .slots = m.slots };
    if (graph_output(g, n, 0)->type != kTfLiteFloat32 || m.slots == 0 ||
        graph_output(g, n, 0)->elements == 0 ||
        !(softmax = take(&m, n->inputs[0], BUILTIN_SOFTMAX)) ||
        ((const TfLiteSoftmaxParams *)softmax->params)->beta != 1 ||
        !match_masked(&m, softmax->inputs[0]) || !read_operands(&m, n))
        return false;
    a->scale = (float)m.scale;
    a->cap = (float)m.cap;
    return isfinite(a->scale) && isfinite(a->cap);
}

/* ---- the plan ---- */

/* How the work is cut: rows of a workgroup, invocations of a key, workgroups of a row's slots. */
struct choice {
    uint32_t rows, team, parts, invocations;
};

enum { TEAM_MIN = 4, TEAM_MAX = 16 }; /* of 16 bytes each: from half a cache line to two */

static uint32_t quotient_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b > 0);
}

/* Bytes of the arrays that attention.comp shares. */
static uint64_t shared_bytes(const struct choice *c, uint32_t held)
{
    const uint32_t quads = c->rows / 4, block = c->invocations / c->team;

    return 16 * ((uint64_t)held + 1 + quads * (c->invocations + c->team + block + 4)) + 8 * c->rows;
}

/* Slices of q that a workgroup with teams holds there: of all its rows, or none. */
static uint32_t held_slices(const struct planner *p, const struct choice *c, uint32_t q_slices)
{
    const uint32_t held = c->team > 1 ? c->rows * q_slices : 0;

    return shared_bytes(c, held) <= p->limits->max_shared_memory_bytes ? held : 0;
}

/* Rows share what is loaded, up to ATTENTION_ROWS_MAX, and slots are shared out, as long as most
 * multiprocessors have a workgroup; where four rows of few elements for each fill the device, that
 * is faster.  No more invocations run than the keys or the values have slices, and no more make a
 * team than a key has.  All of it goes by one image, so that an image has the same bits in any
 * batch. */
static struct choice choose(const struct planner *p, const struct graph_node *n,
                            const struct attention_args *a)
{
    const struct graph_tensor *const y = graph_output(p->graph, n, 0);
    const uint32_t image_rows =
        (uint32_t)(y->elements / (size_t)y->dims[y->rank - 1] / graph_images(y));
    const struct reason_of why = planner_reason(p, KERNEL_attention_parts, n);
    const struct device_costs *const costs = device_costs_of(p->limits);
    const uint32_t run = a->run < image_rows ? a->run : image_rows, runs = image_rows / run;
    const uint64_t elements = 4 * (uint64_t)a->slots * (a->q_slices + a->v_slices);
    const uint64_t parts_max = elements / costs->attention.part_min;
    const uint64_t slices =
        (uint64_t)a->slots * (a->q_slices > a->v_slices ? a->q_slices : a->v_slices);
    struct choice c = { .rows = 4, .team = 1, .parts = 1 };
    uint64_t slots = a->slots;

    if ((elements <= costs->attention.elements_max &&
         (uint64_t)runs * quotient_up(run, c.rows) >= costs->multiprocessors) ||
        !planner_kernel(p, &why)) {
        slots = slots > a->v_slices ? slots : a->v_slices;
        c.invocations = softmax_invocations(p->limits, (uint32_t)slots);
        return c;
    }
    c.invocations =
        softmax_invocations(p->limits, (uint32_t)(slices < UINT32_MAX ? slices : UINT32_MAX));
    c.team = TEAM_MIN;
    while (c.rows < ATTENTION_ROWS_MAX && c.rows < run) {
        const struct choice more = { 2 * c.rows, c.team, 1, c.invocations };
        const uint64_t tiles = (uint64_t)runs * quotient_up(run, more.rows);

        if (tiles * (parts_max > 1 ? parts_max : 1) < costs->multiprocessors ||
            held_slices(p, &more, a->q_slices) == 0)
            break;
        c.rows = more.rows;
    }
    const uint64_t tiles = (uint64_t)runs * quotient_up(run, c.rows);
    while (2 * c.parts <= parts_max && 2 * c.parts * tiles <= costs->multiprocessors)
        c.parts *= 2;
    slots = quotient_up(a->slots, c.parts);
    c.parts = quotient_up(a->slots, (uint32_t)slots);
    while (c.team < TEAM_MAX && c.team < a->q_slices && 2 * c.team * slots <= c.invocations)
        c.team *= 2;
    return c;
}

static enum status plan_merge(struct planner *p, const struct graph_node *n, uint32_t parts,
                              int src, int dst)
{
    const struct plan_tensor *const y = &p->plan->tensors[dst];
    const struct attention_merge_args args = { .count = y->rows * y->slices,
                                               .out_slices = y->slices,
                                               .parts = parts };
    struct plan_step *const s = planner_step(p, "attention_merge", n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

/* *dst becomes the tensor that the step of attention writes: the parts, if there are several and
 * they fit a buffer. */
static enum status open_parts(struct planner *p, struct choice *c, int *dst)
{
    const struct plan_tensor *const y = &p->plan->tensors[*dst];
    const uint64_t rows = (uint64_t)c->parts * y->rows;

    if (c->parts > 1 && 16 * rows * (y->slices + 1) > p->limits->max_storage_buffer_range)
        c->parts = 1;
    if (c->parts > 1)
        *dst = planner_temp(p, (uint32_t)rows, 4 * (y->slices + 1), FORMAT_WIDE);
    return *dst < 0 ? STATUS_NO_MEMORY : STATUS_OK;
}

static void set_rows(struct attention_args *args, const struct gpu_attention *a)
{
    for (int d = 0; d < GPU_ATTENTION_DIMS; d++) {
        args->size[d] = a->size[d];
        args->q_stride[d] = a->stride[OF_Q][d];
        args->k_stride[d] = a->stride[OF_K][d];
        args->v_stride[d] = a->stride[OF_V][d];
        args->mask_stride[d] = a->stride[OF_MASK][d];
    }
    for (int d = GPU_ATTENTION_DIMS - 1; d >= 0; d--) {
        if (a->stride[OF_K][d] != 0 || a->stride[OF_V][d] != 0)
            break;
        args->run *= a->size[d];
    }
}

static enum status plan_attention(struct planner *p, const struct graph_node *n)
{
    const struct gpu_attention *const a = n->params;
    const int q = planner_tensor(p, n->inputs[OF_Q]), dst = planner_tensor(p, n->outputs[0]);
    struct attention_args args = { .slots = a->slots,
                                   .mask_slices = n->input_count > OF_MASK ? (a->slots + 3) / 4 : 0,
                                   .k_step = a->k_step,
                                   .v_step = a->v_step,
                                   .scale = a->scale,
                                   .cap = a->cap,
                                   .run = 1 };
    int written = dst;
    struct plan_step *s;
    struct choice c;

    if (q < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    args.depth = p->plan->tensors[q].channels;
    args.q_slices = p->plan->tensors[q].slices;
    args.v_slices = p->plan->tensors[dst].slices;
    set_rows(&args, a);
    c = choose(p, n, &args);
    TRY(open_parts(p, &c, &written));
    args.tiles = quotient_up(args.run, c.rows);
    args.count = p->plan->tensors[dst].rows / args.run * args.tiles * c.parts;
    const uint32_t held = held_slices(p, &c, args.q_slices);
    if (!(s = planner_step(p, "attention", n, c.invocations, 1, 1)))
        return STATUS_NO_MEMORY;
    step_spec(s, ATTENTION_SPEC_ROWS, c.rows);
    step_spec(s, ATTENTION_SPEC_TEAM, c.team);
    step_spec(s, ATTENTION_SPEC_PARTS, c.parts);
    step_spec(s, ATTENTION_SPEC_HELD, held);
    step_shared(s, (uint32_t)shared_bytes(&c, held));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, written);
    for (int i = 0; i < n->input_count; i++)
        TRY(operand_moved(p, s, 1 + i, n->inputs[i], dst));
    TRY(step_groups(p, s, args.count));
    return c.parts > 1 ? plan_merge(p, n, c.parts, written, dst) : STATUS_OK;
}

const struct gpu_op gpu_attention = { .plan = plan_attention };
