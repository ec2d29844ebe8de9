/* ADD becomes part of the convolution that computes one operand, in the memory of the other. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

static const struct kit_conv conv_3x3 = { .kernel = 3, .same = true };

/* The block of a residual network: t is read by the convolution before, then by ADD alone. */
static void block(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, x);
    const struct kit_tensor u = kit_conv_2d(b, t, (struct kit_conv){ .channels = 6 });

    (void)z;
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, u, (struct kit_conv){ .channels = 5 }),
                        t.index, kTfLiteActNone);
}

/* The convolution is the second operand; ADD has an activation, and a RELU6 follows. */
static void clamped(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                    struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU6, z);

    out[0] =
        kit_unary(b, BUILTIN_RELU6,
                  kit_binary(b, BUILTIN_ADD, t, kit_conv_2d(b, x, conv_3x3).index, kTfLiteActRelu));
}

/* Two branches: the convolution that runs last adds the result of the other. */
static void branches(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_conv_2d(b, x, conv_3x3);
    const struct kit_tensor u = kit_conv_2d(b, z, (struct kit_conv){ .kernel = 1 });

    out[0] = kit_binary(b, BUILTIN_ADD, t, u.index, kTfLiteActNone);
}

/* The end of a branch adds the shortcut, which comes last in the model and depends on less. */
static void shortcut(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_conv_2d(b, x, conv_3x3);
    const struct kit_tensor u = kit_conv_2d(b, t, (struct kit_conv){ .kernel = 1 });

    (void)z;
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), u.index, kTfLiteActRelu);
}

/* The end of the branch cannot run later: t is overwritten by then. */
static void overwritten_branch(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                               struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor u = kit_conv_2d(b, t, conv_3x3);

    out[1] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), t.index, kTfLiteActNone);
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), u.index, kTfLiteActNone);
}

/* The end of the branch runs later, and reads t then: the second sum cannot overwrite it before. */
static void read_by_moved(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor u = kit_conv_2d(b, t, conv_3x3);
    const struct kit_tensor v = kit_conv_2d(b, x, conv_3x3);

    out[0] = kit_binary(b, BUILTIN_ADD, u, kit_conv_2d(b, x, conv_3x3).index, kTfLiteActNone);
    out[1] = kit_binary(b, BUILTIN_ADD, v, t.index, kTfLiteActNone);
}

/* The shortcut runs earlier, and has read t when the second sum overwrites it. */
static void read_before(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                        struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor u = kit_conv_2d(b, kit_unary(b, BUILTIN_RELU, x), conv_3x3);
    const struct kit_tensor v = kit_conv_2d(b, x, conv_3x3);

    out[0] = kit_binary(b, BUILTIN_ADD, u, kit_conv_2d(b, t, conv_3x3).index, kTfLiteActNone);
    out[1] = kit_binary(b, BUILTIN_ADD, v, t.index, kTfLiteActNone);
}

/* The other convolution, which cannot add, comes later in the model, but may run earlier ... */
static void with_activation(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                            struct kit_tensor out[3])
{
    const struct kit_conv clamps = { .kernel = 3, .same = true, .activation = kTfLiteActRelu };
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor u = kit_conv_2d(b, x, conv_3x3);

    out[0] = kit_binary(b, BUILTIN_ADD, u, kit_conv_2d(b, t, clamps).index, kTfLiteActNone);
}

/* ... but not before what it reads ... */
static void with_later_activation(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                                  struct kit_tensor out[3])
{
    const struct kit_conv clamps = { .kernel = 3, .same = true, .activation = kTfLiteActRelu };
    const struct kit_tensor u = kit_conv_2d(b, x, conv_3x3);
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);

    out[0] = kit_binary(b, BUILTIN_ADD, u, kit_conv_2d(b, t, clamps).index, kTfLiteActNone);
}

/* ... and not before what it adds. */
static void with_sum(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor u = kit_conv_2d(b, x, conv_3x3);
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor v =
        kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), t.index, kTfLiteActNone);

    out[0] = kit_binary(b, BUILTIN_ADD, v, u.index, kTfLiteActNone);
}

/* Several sums in a row in one memory. */
static void chain(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3])
{
    struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);

    for (int i = 0; i < 3; i++) {
        const struct kit_tensor u = kit_unary(b, BUILTIN_RELU, i ? t : x);

        t = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, u, (struct kit_conv){ .kernel = 1 }), t.index,
                       kTfLiteActRelu6);
    }
    out[0] = t;
}

/* The convolution reads what it would overwrite; also a 1x1 one, which reads the same pixel. */
static void reads_it(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, x);

    (void)z;
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, t, (struct kit_conv){ .kernel = 1 }),
                        t.index, kTfLiteActNone);
}

/* ... and through a PAD, which would become part of it. */
static void reads_it_padded(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                            struct kit_tensor out[3])
{
    static const int32_t pads[8] = { 0, 0, 1, 1, 1, 1, 0, 0 };
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, x);

    (void)z;
    out[0] = kit_binary(b, BUILTIN_ADD,
                        kit_conv_2d(b, kit_pad(b, t, pads), (struct kit_conv){ .kernel = 3 }),
                        t.index, kTfLiteActNone);
}

static void read_later(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                       struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor u =
        kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), t.index, kTfLiteActNone);

    out[0] = kit_binary(b, BUILTIN_SUB, u, t.index, kTfLiteActNone);
}

/* A view of the operand is read later. */
static void viewed_later(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                         struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const int32_t n = t.dims[0] * t.dims[1] * t.dims[2];
    const struct kit_tensor view = kit_reshape(b, t, KIT_DIMS(n, t.dims[3]));

    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), t.index, kTfLiteActNone);
    out[1] = kit_unary(b, BUILTIN_RELU6, view);
}

static void is_output(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    out[1] = kit_unary(b, BUILTIN_RELU, z);
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), out[1].index, kTfLiteActNone);
}

static void conv_is_output(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                           struct kit_tensor out[3])
{
    out[1] = kit_conv_2d(b, x, conv_3x3);
    out[0] =
        kit_binary(b, BUILTIN_ADD, out[1], kit_unary(b, BUILTIN_RELU, z).index, kTfLiteActNone);
}

static void conv_read_twice(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                            struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_conv_2d(b, x, conv_3x3);

    (void)z;
    out[0] = kit_binary(b, BUILTIN_ADD, t, t.index, kTfLiteActNone);
}

static void own_activation(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                           struct kit_tensor out[3])
{
    const struct kit_conv c = { .kernel = 3, .same = true, .activation = kTfLiteActRelu };

    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, c), kit_unary(b, BUILTIN_RELU, z).index,
                        kTfLiteActNone);
}

/* The other operand comes after the convolution. */
static void too_late(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_conv_2d(b, x, conv_3x3);

    out[0] = kit_binary(b, BUILTIN_ADD, t, kit_unary(b, BUILTIN_RELU, z).index, kTfLiteActNone);
}

static void broadcast(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor u = kit_tensor(b, "u", KIT_DIMS(1, 1, 1, t.dims[3]));
    const int axes = kit_ints(b, KIT_DIMS(2), (const int32_t[]){ 1, 2 });
    struct options o;

    options_init(&o, OPTIONS_ReducerOptions);
    options_set_int(&o, "keep_dims", 1);
    builder_op(b, BUILTIN_MEAN, 1, &o, 2, (int[]){ t.index, axes }, 1, &u.index);
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), u.index, kTfLiteActNone);
}

static void constant(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3),
                        kit_integers(b, x.rank, x.dims, 8), kTfLiteActNone);
}

static void grouped(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                    struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_conv c = { .kernel = 3, .same = true, .groups = 2 };

    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, c), t.index, kTfLiteActNone);
}

/* An input in the arena may be overwritten: the next inference loads it again. */
static void onto_an_input(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), z.index, kTfLiteActNone);
}

static const struct transform_case cases[] = {
    { "block", block, { 1, 4, 5, 5 }, 1, "CONV_2D+ADD node 2 'b'" },
    { "clamped, many channels", clamped, { 2, 3, 3, 21 }, 1, "CONV_2D+ADD+RELU6 " },
    { "branches", branches, { 1, 7, 3, 8 }, 1, "CONV_2D+ADD " },
    { "shortcut", shortcut, { 1, 5, 4, 7 }, 1, "CONV_2D+ADD node 1 'b'" },
    { "overwritten branch", overwritten_branch, { 1, 4, 4, 8 }, 2, "CONV_2D+ADD node 4 'b'" },
    { "read by what has moved", read_by_moved, { 1, 4, 4, 8 }, 1, "CONV_2D+ADD node 1 'b'" },
    { "read before by what has moved", read_before, { 1, 4, 4, 8 }, 2, "CONV_2D+ADD node 2 'b'" },
    { "beside an activation", with_activation, { 1, 4, 4, 8 }, 1, "CONV_2D+ADD node 1 'b'" },
    { "before a later activation", with_later_activation, { 1, 4, 4, 8 }, 0, "ADD " },
    { "beside a sum", with_sum, { 1, 4, 4, 8 }, 1, "CONV_2D+ADD node 2" },
    { "chain", chain, { 1, 1, 1, 13 }, 3, "CONV_2D+ADD " },
    { "onto an input", onto_an_input, { 1, 3, 3, 4 }, 1, "CONV_2D+ADD " },
    { "reads it", reads_it, { 1, 3, 3, 4 }, 0, "ADD " },
    { "reads it padded", reads_it_padded, { 1, 3, 3, 4 }, 0, "ADD " },
    { "read later", read_later, { 1, 3, 3, 4 }, 0, "ADD " },
    { "viewed later", viewed_later, { 1, 3, 3, 4 }, 0, "ADD " },
    { "graph output", is_output, { 1, 3, 3, 4 }, 0, "ADD " },
    { "convolution is a graph output", conv_is_output, { 1, 3, 3, 4 }, 0, "ADD " },
    { "second reader", conv_read_twice, { 1, 3, 3, 4 }, 0, "ADD " },
    { "activation", own_activation, { 1, 3, 3, 4 }, 0, "ADD " },
    { "too late", too_late, { 1, 3, 3, 4 }, 0, "ADD " },
    { "broadcast", broadcast, { 1, 4, 2, 4 }, 0, "ADD " },
    { "constant", constant, { 1, 3, 3, 4 }, 0, "ADD " },
    { "grouped", grouped, { 1, 3, 3, 4 }, 0, "ADD " },
};
TRANSFORM_TESTS(TRANSFORM_residual, cases)

/* The transforms in any order: an overwritten tensor gets no new readers, and becomes no output. */
static void padded_reader(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    const struct kit_tensor copy = kit_pad(b, z, (const int32_t[8]){ 0 });

    out[0] = kit_binary(b, BUILTIN_MUL,
                        kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), z.index, 0),
                        copy.index, kTfLiteActNone);
}

static void copied(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                   struct kit_tensor out[3])
{
    const struct kit_tensor copy = kit_pad(b, z, (const int32_t[8]){ 0 });

    out[0] = kit_binary(b, BUILTIN_MUL,
                        kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, conv_3x3), copy.index, 0),
                        z.index, kTfLiteActNone);
}

static void look_backwards(struct graph *g, void *user)
{
    struct gpu_options o = gpu_options_of((const char *[]){ "no_transform", "all", NULL });
    const struct device_limits limits = gpu_large_limits();
    const int *first = user; /* the transform after residual */
    int nodes[KIT_TENSORS], output = g->nodes[g->node_count - 1].outputs[0];
    struct transform_request r = { .graph = g,
                                   .options = &o,
                                   .limits = &limits,
                                   .nodes = nodes,
                                   .outputs = &output,
                                   .output_count = 1 };
    struct diag diag = { 0 };
    struct rewrite w;
    bool changed = false;

    for (int i = 0; i < g->node_count; i++)
        nodes[r.node_count++] = g->nodes[i].host_node;
    KIT_OK(transform_partition(&w, &r, &diag));
    KIT_OK(transform_apply(&w, TRANSFORM_residual, &changed));
    assert_true(changed);
    changed = false;
    KIT_OK(transform_apply(&w, (enum transform_id) * first, &changed));
    assert_false(changed);
    rewrite_close(&w);
    options_close(&o);
}

TEST(any_order)
{
    static const struct {
        struct transform_case c;
        int then;
    } rows[] = {
        { { "reader", padded_reader, { 1, 3, 3, 4 }, 0, NULL }, TRANSFORM_identity },
        { { "other tensor", copied, { 1, 3, 3, 4 }, 0, NULL }, TRANSFORM_identity },
        { { "padded", reads_it_padded, { 1, 3, 3, 4 }, 0, NULL }, TRANSFORM_pad },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int then = rows[i].then;
        struct model m;

        transform_model(&rows[i].c, &m);
        gpu_look(&m, look_backwards, &then);
        model_close(&m);
    }
}

TEST_FILE(.before = transform_find_device);
