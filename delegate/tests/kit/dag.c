#include "delegate/tests/kit/dag.h"

#include "reference/tests/kit/text_kit.h"

#include <stdio.h>

enum { DAG_MAX = 96 };

/* Tensor i of the text is ti. */
struct dag {
    FILE *text;
    uint64_t random;
    struct {
        int side, channels;
        bool read;
    } at[DAG_MAX];
    int count;
};

/* Ends an operator with its result; the first one is the input. */
static void dag_result(struct dag *g, int side, int channels)
{
    fprintf(g->text, "%s t%d:f32[1,%d,%d,%d]\n", g->count ? " ->" : "", g->count, side, side,
            channels);
    g->at[g->count].side = side;
    g->at[g->count].channels = channels;
    g->at[g->count++].read = false;
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

static void dag_node(struct dag *g)
{
    const int i = dag_pick(g), kind = kit_below(&g->random, 8);
    const int side = g->at[i].side, channels = g->at[i].channels;
    const int j = kind == 3 || kind == 5 || kind == 6 ? dag_partner(g, i, kind != 3) : -1;
    int made = channels;

    if (kind < 2) {
        fprintf(g->text, "%s t%d", kind ? "LOGISTIC" : "RELU", i);
    } else if (kind == 2 && side > 2) {
        fprintf(g->text,
                "AVERAGE_POOL_2D {stride_w=2 stride_h=2 filter_width=2 filter_height=2} t%d", i);
        dag_result(g, (side + 1) / 2, channels);
        return;
    } else if (kind == 3 && j >= 0 && channels + g->at[j].channels <= 40) {
        fprintf(g->text, "CONCATENATION {axis=3} t%d t%d", i, j);
        made += g->at[j].channels;
    } else if (kind == 4) {
        /* The first row of i, which is a view on its memory, added to i: read by all rows. */
        fprintf(g->text,
                "STRIDED_SLICE {} t%d i32[4]=0 i32[4]=1,1,%d,%d i32[4]=1 -> row%d; "
                "ADD {} t%d row%d",
                i, side, channels, g->count, i, g->count);
    } else if ((kind == 5 || kind == 6) && j >= 0) {
        fprintf(g->text, "ADD {} t%d t%d", i, j);
    } else {
        made = 1 + kit_below(&g->random, 40);
        fprintf(g->text,
                "CONV_2D {stride_w=1 stride_h=1} t%d f32[%d,1,1,%d]=~%d(-0.25,0.25) f32[%d]=0", i,
                made, channels, kit_below(&g->random, 1000), made);
    }
    dag_result(g, side, made);
}

void dag_make(struct model *m, uint64_t seed, int nodes, bool expose)
{
    struct dag g = { .random = seed };
    char *text CLOSED_BY(kit_free) = NULL;
    size_t count;
    int side;

    assert_true(nodes < DAG_MAX);
    g.text = open_memstream(&text, &count);
    assert_non_null(g.text);
    fputs("tensors", g.text);
    side = 4 + kit_below(&g.random, 14);
    dag_result(&g, side, 1 + kit_below(&g.random, 24));
    for (int i = 0; i < nodes; i++)
        dag_node(&g);
    fputs("outputs", g.text);
    for (int i = 1; i < g.count; i++)
        if (expose || !g.at[i].read)
            fprintf(g.text, " t%d", i);
    fclose(g.text);
    kit_text(m, "%s", text);
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
    int *value CLOSED_BY(kit_free) = calloc(cells + 1, sizeof *value);
    bool *written CLOSED_BY(kit_free) = calloc((size_t)p->tensor_count + 1, sizeof *written);

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
}
