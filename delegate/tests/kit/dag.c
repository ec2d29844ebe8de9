#include "delegate/tests/kit/dag.h"

enum { DAG_MAX = 96 };

struct dag {
    struct builder b;
    uint64_t random;
    struct {
        int tensor, side, channels;
        bool read;
    } at[DAG_MAX];
    int count;
};

static int dag_tensor(struct dag *g, int side, int channels, int *place)
{
    *place = g->count;
    g->at[g->count].tensor =
        builder_tensor(&g->b, TENSOR_FLOAT32, "t", 4, (int32_t[]){ 1, side, side, channels });
    g->at[g->count].side = side;
    g->at[g->count].channels = channels;
    g->at[g->count].read = false;
    return g->at[g->count++].tensor;
}

/* Near the end more often than not, as in real nets. */
static int dag_pick(struct dag *g)
{
    const int back =
        kit_below(&g->random, 4) ? kit_below(&g->random, 3) : kit_below(&g->random, 14);
    const int i = g->count - 1 - back;

    g->at[i < 0 ? 0 : i].read = true;
    return i < 0 ? 0 : i;
}

/* A tensor of the same height and width as i, or -1. */
static int dag_partner(struct dag *g, int i, bool channels_too)
{
    const int first = kit_below(&g->random, g->count);

    for (int n = 0; n < g->count; n++) {
        const int j = (first + n) % g->count;

        if (j != i && g->at[j].side == g->at[i].side &&
            (!channels_too || g->at[j].channels == g->at[i].channels)) {
            g->at[j].read = true;
            return j;
        }
    }
    return -1;
}

static void dag_conv(struct dag *g, int i)
{
    static const float zeros[40];
    static float w[40 * 40];
    const int in = g->at[i].channels, out = 1 + kit_below(&g->random, 40);
    struct options o;
    int place, k, bias, y;

    for (int n = 0; n < in * out; n++)
        w[n] = kit_float(&g->random) / 4;
    k = builder_constant(&g->b, TENSOR_FLOAT32, "w", 4, (int32_t[]){ out, 1, 1, in }, w,
                         (size_t)(in * out) * sizeof w[0]);
    bias =
        builder_constant(&g->b, TENSOR_FLOAT32, "b", 1, &out, zeros, (size_t)out * sizeof zeros[0]);
    options_init(&o, OPTIONS_Conv2DOptions);
    options_set_int(&o, "stride_w", 1);
    options_set_int(&o, "stride_h", 1);
    y = dag_tensor(g, g->at[i].side, out, &place);
    builder_op(&g->b, BUILTIN_CONV_2D, 1, &o, 3, (int[]){ g->at[i].tensor, k, bias }, 1, &y);
}

static void dag_pool(struct dag *g, int i)
{
    struct options o;
    int place;
    const int y = dag_tensor(g, (g->at[i].side + 1) / 2, g->at[i].channels, &place);

    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "stride_w", 2);
    options_set_int(&o, "stride_h", 2);
    options_set_int(&o, "filter_width", 2);
    options_set_int(&o, "filter_height", 2);
    builder_op(&g->b, BUILTIN_AVERAGE_POOL_2D, 1, &o, 1, &g->at[i].tensor, 1, &y);
}

static void dag_concat(struct dag *g, int i, int j)
{
    struct options o;
    int place;
    const int y = dag_tensor(g, g->at[i].side, g->at[i].channels + g->at[j].channels, &place);

    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", 3);
    builder_op(&g->b, BUILTIN_CONCATENATION, 1, &o, 2, (int[]){ g->at[i].tensor, g->at[j].tensor },
               1, &y);
}

/* The first row of i, which is a view on its memory, added to i: read by all rows. */
static void dag_add_first_row(struct dag *g, int i)
{
    const int32_t begin[4] = { 0 }, strides[4] = { 1, 1, 1, 1 };
    const int32_t end[4] = { 1, 1, g->at[i].side, g->at[i].channels };
    struct options o;
    int place, row, k[3], y;

    row = builder_tensor(&g->b, TENSOR_FLOAT32, "row", 4, end);
    k[0] = builder_constant(&g->b, TENSOR_INT32, "begin", 1, (int32_t[]){ 4 }, begin, 16);
    k[1] = builder_constant(&g->b, TENSOR_INT32, "end", 1, (int32_t[]){ 4 }, end, 16);
    k[2] = builder_constant(&g->b, TENSOR_INT32, "strides", 1, (int32_t[]){ 4 }, strides, 16);
    options_init(&o, OPTIONS_StridedSliceOptions);
    builder_op(&g->b, BUILTIN_STRIDED_SLICE, 1, &o, 4, (int[]){ g->at[i].tensor, k[0], k[1], k[2] },
               1, &row);
    options_init(&o, OPTIONS_AddOptions);
    y = dag_tensor(g, g->at[i].side, g->at[i].channels, &place);
    builder_op(&g->b, BUILTIN_ADD, 1, &o, 2, (int[]){ g->at[i].tensor, row }, 1, &y);
}

static void dag_node(struct dag *g)
{
    const int i = dag_pick(g);
    const int side = g->at[i].side, channels = g->at[i].channels;
    struct options o;
    int place, y, j;

    switch (kit_below(&g->random, 8)) {
    case 0:
        y = dag_tensor(g, side, channels, &place);
        builder_op(&g->b, BUILTIN_RELU, 1, NULL, 1, &g->at[i].tensor, 1, &y);
        return;
    case 1:
        y = dag_tensor(g, side, channels, &place);
        builder_op(&g->b, BUILTIN_LOGISTIC, 1, NULL, 1, &g->at[i].tensor, 1, &y);
        return;
    case 2:
        if (side > 2) {
            dag_pool(g, i);
            return;
        }
        break;
    case 3:
        if ((j = dag_partner(g, i, false)) >= 0 && channels + g->at[j].channels <= 40) {
            dag_concat(g, i, j);
            return;
        }
        break;
    case 4: dag_add_first_row(g, i); return;
    case 5:
    case 6:
        if ((j = dag_partner(g, i, true)) >= 0) {
            options_init(&o, OPTIONS_AddOptions);
            y = dag_tensor(g, side, channels, &place);
            builder_op(&g->b, BUILTIN_ADD, 1, &o, 2, (int[]){ g->at[i].tensor, g->at[j].tensor }, 1,
                       &y);
            return;
        }
        break;
    default: break;
    }
    dag_conv(g, i);
}

void dag_make(struct model *m, uint64_t seed, int nodes, bool expose)
{
    struct dag g = { .random = seed };
    struct diag diag = { 0 };
    int ends[DAG_MAX], count = 0, place, x;

    assert_true(nodes < DAG_MAX);
    builder_init(&g.b);
    x = dag_tensor(&g, 4 + kit_below(&g.random, 14), 1 + kit_below(&g.random, 24), &place);
    builder_inputs(&g.b, 1, &x);
    for (int i = 0; i < nodes; i++)
        dag_node(&g);
    for (int i = 1; i < g.count; i++)
        if (expose || !g.at[i].read)
            ends[count++] = g.at[i].tensor;
    builder_outputs(&g.b, (size_t)count, ends);
    KIT_OK(builder_finish(&g.b, m, &diag));
}

/* Each read finds what was written for it, at the grain of offsets.  A value is a plan tensor that
 * a step writes; views are what they are views on. */
static int dag_value(const struct plan *p, const bool *written, int t)
{
    while (!written[t]) {
        assert_int_not_equal(p->tensors[t].view_of, t);
        t = p->tensors[t].view_of;
    }
    return t;
}

bool dag_in_arena(const struct plan *p, const struct plan_binding *n)
{
    return n->location == LOCATION_ARENA &&
           p->tensors[plan_owner(p, n->index)].location == LOCATION_ARENA;
}

void dag_check(const struct plan *p)
{
    const size_t cells = p->arena_bytes / PLAN_ALIGN;
    int *const value = calloc(cells + 1, sizeof *value);
    bool *const written = calloc((size_t)p->tensor_count + 1, sizeof *written);

    assert_true(value && written);
    for (int s = 0; s < p->step_count; s++)
        for (int pass = 0; pass < 2; pass++) /* reads, then writes */
            for (int b = 0; b < PLAN_BINDINGS; b++) {
                const struct plan_binding *n = &p->steps[s]->bindings[b];
                const size_t end = (n->offset + n->bytes + PLAN_ALIGN - 1) / PLAN_ALIGN;

                if (p->steps[s]->idle || !dag_in_arena(p, n) || n->writes != (pass == 1))
                    continue;
                assert_true(n->offset % PLAN_ALIGN == 0 && end <= cells);
                written[n->index] |= n->writes;
                for (size_t i = n->offset / PLAN_ALIGN; i < end; i++) {
                    if (pass == 1)
                        value[i] = n->index + 1;
                    else if (value[i] != dag_value(p, written, n->index) + 1)
                        fail_msg("step %d (%s) reads tensor %d, and finds %d in cell %zu", s,
                                 p->steps[s]->label, n->index, value[i] - 1, i);
                }
            }
    free(value);
    free(written);
}
