/* The steps of ops that move elements by a fixed map of indices: none where nothing has to move,
 * whole slices and blocks where these can, single elements else. */
#include "delegate/tests/kit/world.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/move/move.args.h"

enum { NO_MODE = 99 };

static void keep_channels(struct world *w)
{
    w->perm[0] = 1;
    w->perm[1] = 0;
    w->perm[2] = 2;
}

static void pack_last(struct world *w)
{
    w->pack.axis = 2;
}

static const struct expected {
    const char *name;
    int node;
    void (*edit)(struct world *w);
    const char *shaders[3]; /* between load and store */
    uint32_t mode;          /* of the last one, if it is "move" */
} moves[] = {
    { "channels to rows", TRANSPOSE, .shaders = { "move" }, .mode = MOVE_BLOCKS },
    { "channels kept", TRANSPOSE, keep_channels, { "move" }, MOVE_WHOLE },
    { "parts of rows", SPLIT, .shaders = { "move", "move" }, .mode = MOVE_WHOLE },
    { "parts of other lengths", SPLIT_V, .shaders = { "move", "move" }, .mode = MOVE_WHOLE },
    { "rows one by one", UNPACK, .shaders = { "move", "move" }, .mode = MOVE_WHOLE },
    { "a new dim inside", PACK, .shaders = { "concatenation" }, .mode = NO_MODE },
    { "inputs become channels", PACK, pack_last, { "concatenation", "move" }, MOVE_BLOCKS },
    { "channels from lane 2 on", PART, .shaders = { "move" }, .mode = MOVE_LANES },
    { "channels backwards", REVERSE, .shaders = { "move" }, .mode = MOVE_LANES },
    { "a dim of 1 less", SQUEEZE, .mode = NO_MODE },
    { "channels to columns", EXPAND, .shaders = { "repack" }, .mode = NO_MODE },
    { "channels repeated", TILE, .shaders = { "move" }, .mode = MOVE_LANES },
    { "blocks of three channels", TO_DEPTH, .shaders = { "move" }, .mode = MOVE_LANES },
    { "paddings first", TO_BATCH, .shaders = { "pad", "move" }, .mode = MOVE_WHOLE },
};

/* The output has the shape that follows from the edits. */
static void give_shapes(struct world *w, int node)
{
    const struct graph_node *n = &w->nodes[node];

    for (int i = 0; i < n->output_count; i++) {
        struct graph_tensor *y = &w->tensors[n->outputs[i]];
        struct graph_shape s = { 0 };

        assert_true(n->op->shape(&w->graph, n, i, &s));
        y->rank = s.rank;
        memcpy(y->dims, s.dims, sizeof y->dims);
    }
}

static void check_move(const struct expected *e)
{
    static struct world w;
    OPTIONS(o, NULL);
    int loads = 0, count = 0;

    world_make(&w);
    if (e->edit)
        e->edit(&w);
    give_shapes(&w, e->node);
    struct plan p CLOSED_BY(plan_close);
    KIT_OK(world_plan(&p, &w, e->node, &o, &err));
    for (int i = 0; i < p.step_count; i++) {
        const struct plan_step *s = p.steps[i];

        loads += strcmp(s->shader, "load_rows") == 0 || strcmp(s->shader, "store_rows") == 0;
        if (strcmp(s->shader, "load_rows") == 0 || strcmp(s->shader, "store_rows") == 0)
            continue;
        if (count >= 3 || !e->shaders[count] || strcmp(s->shader, e->shaders[count]) != 0)
            fail_msg("%s: step %d is %s", e->name, i, s->shader);
        if (strcmp(s->shader, "move") == 0 && s->spec[MOVE_SPEC_MODE] != e->mode)
            fail_msg("%s: mode %u, expected %u", e->name, s->spec[MOVE_SPEC_MODE], e->mode);
        count++;
    }
    if (loads < 2 || (count < 3 && e->shaders[count]))
        fail_msg("%s: %d steps, and then %s is missing", e->name, count,
                 count < 3 ? e->shaders[count] : "");
}

TEST(moves_do_as_little_as_they_can)
{
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        check_move(&moves[i]);
}

/* Every dim of a large TILE has two factors: more than the shader can have in one step. */
TEST(tile_of_many_dims)
{
    static const int32_t twos[] = { 2, 2, 2, 2, 2, 2, 2, 2 };
    static struct world w;
    OPTIONS(o, NULL);
    struct graph_tensor *x, *multiples;

    world_make(&w);
    x = &w.tensors[w.inputs[TILE][0]];
    multiples = &w.tensors[w.inputs[TILE][1]];
    x->rank = multiples->dims[0] = 8;
    multiples->elements = 8;
    multiples->data = twos;
    memcpy(x->dims, twos, sizeof twos);
    x->elements = 256;
    give_shapes(&w, TILE);
    w.tensors[w.outputs[TILE][0]].elements = 65536;
    struct plan p CLOSED_BY(plan_close);
    KIT_OK(world_plan(&p, &w, TILE, &o, &err));
    assert_int_equal(p.step_count, 4);
    assert_string_equal(p.steps[1]->shader, "move");
    assert_string_equal(p.steps[2]->shader, "move");
}
