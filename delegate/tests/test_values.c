/* Shape arithmetic: values that the delegate computes on the host, against those of the reference;
 * partitions that it no longer cuts, and sizes that change and come back. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/ops/values.h"
#include "reference/base/limits.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* clang-format off */
/* ---- values ---- */

/* Behind x [2, -3 is no size, 5, 7]; how many nodes are known. */
static const struct {
    const char *nodes;
    int known;
} arithmetic[] = {
    { "SHAPE {out_type=i64} x -> i64[3]", 2 },
    { "STRIDED_SLICE {shrink_axis_mask=1} s i32[1]=-1 i32[1]=0 i32[1]=1 -> i32[]", 2 },
    { "STRIDED_SLICE {begin_mask=1} s i32[1]=2 i32[1]=-1 i32[1]=1 -> i32[2]", 2 },
    { "STRIDED_SLICE {begin_mask=1 shrink_axis_mask=1} s i32[1]=2 i32[1]=0 i32[1]=1 -> i32[]", 2 },
    { "STRIDED_SLICE {end_mask=1} s i32[1]=1 i32[1]=1 i32[1]=1 -> i32[2]", 2 },
    { "STRIDED_SLICE {begin_mask=1 end_mask=1} s i32[1]=0 i32[1]=0 i32[1]=-1 -> i32[3]", 2 },
    { "STRIDED_SLICE {} s i32[1]=-2 i32[1]=-9 i32[1]=-2 -> i32[1]", 2 },
    { "STRIDED_SLICE {} s i32[1]=0 i32[1]=9 i32[1]=2 -> i32[2]", 2 },
    { "STRIDED_SLICE {} s i32[1]=0 i32[1]=-9 i32[1]=-1 -> i32[1]", 2 },
    { "STRIDED_SLICE {new_axis_mask=1} s i32[1]=0 i32[1]=1 i32[1]=1 -> i32[1,3]", 1 },
    { "PACK {values_count=2} s i32[3]=7,8,9 -> p:i32[2,3]; STRIDED_SLICE {begin_mask=1} p i32[2]=1,-1"
      " i32[2]=2,-9 i32[2]=1,-2 -> i32[2,2]", 3 },
    { "PACK {values_count=2} s i32[3]=7,8,9 -> p:i32[2,3]; STRIDED_SLICE {shrink_axis_mask=2} p"
      " i32[2]=0,-2 i32[2]=2,9 i32[2]=1,1 -> i32[2]", 3 },
    { "PACK {values_count=2} s i32[3]=7,8,9 -> p:i32[2,3]; STRIDED_SLICE {shrink_axis_mask=1} p"
      " i32[1]=-1 i32[1]=0 i32[1]=1 -> i32[3]", 3 },
    { "SLICE {} s i32[1]=1 i32[1]=-1 -> i32[2]", 2 },
    { "SLICE {} s i64[1]=0 i64[1]=2 -> i32[2]", 2 },
    { "GATHER {} s i32[2,2]=2,0,1,1 -> i32[2,2]", 2 },
    { "GATHER {} s i32[]=2 -> i32[]", 2 },
    { "PACK {values_count=2} s i32[3]=7,8,9 -> i32[2,3]", 2 },
    { "PACK {values_count=2 axis=-1} s i32[3]=7,8,9 -> i32[3,2]", 2 },
    { "PACK {values_count=2} i32[]=-1 i32[]=8 -> i32[2]", 2 },
    { "CONCATENATION {axis=-1} s i32[1]=4 s -> i32[7]", 2 },
    { "PACK {values_count=1} s -> p:i32[1,3]; CONCATENATION {axis=1} p i32[1,1]=6 -> i32[1,4]", 3 },
    { "UNPACK {num=3} s -> i32[] i32[] i32[]", 2 },
    { "SPLIT_V {num_splits=2} s i32[2]=2,1 i32[]=0 -> i32[2] i32[1]", 2 },
    { "SPLIT_V {num_splits=3} s i32[3]=1,-1,0 i32[]=0 -> i32[1] i32[2] i32[0]", 2 },
    { "RESHAPE s i32[2]=3,-1 -> i32[3,1]", 2 },
    { "RESHAPE {new_shape=[1,3]} s -> i32[1,3]", 2 },
    { "EXPAND_DIMS {} s i32[]=-1 -> i32[3,1]", 2 },
    { "EXPAND_DIMS {} s i32[]=0 -> e:i32[1,3]; SQUEEZE {squeeze_dims=[0]} e -> i32[3]", 3 },
    { "SLICE {} s i32[1]=0 i32[1]=1 -> e:i32[1]; SQUEEZE {} e -> i32[]", 3 },
    { "TILE {} s i32[1]=2 -> i32[6]", 2 },
    { "TILE i8[2,1,3]=~1q(0.5,3) s -> t:i8[4,5,21]q(0.5,3); CONCATENATION {axis=1} t t -> c:i8[4,10,21]q(0.5,3);"
      "RESHAPE c i32[1]=-1 -> r:i8[840]q(0.5,3); DEQUANTIZE r -> f32[840]", 5 },
    { "TILE i8[2,1,3]=~1q(0.5,3) i32[3]=1,2,1 -> i8[2,2,3]q(0.5,3)", 1 }, /* of a weight */
    { "FILL {} s i32[]=3 -> i32[2,5,7]", 2 },
    { "FILL {} s f32[]=0.5 -> f32[2,5,7]", 2 },
    { "SLICE {} s i32[1]=0 i32[1]=1 -> e:i32[1]; BROADCAST_TO:2 e i32[2]=2,3 -> i32[2,3]", 3 },
    { "BROADCAST_ARGS s i32[4]=3,1,5,1 -> i32[4]", 2 },
    { "RANGE i32[]=7 i32[]=0 i32[]=-2 -> i32[4]", 2 },
    { "RANGE i64[]=-3 i64[]=4 i64[]=3 -> i64[3]", 2 },
    { "ADD {} s i32[1]=2147483647 -> i32[3]", 2 },
    { "SUB {} i32[]=1 s -> i32[3]", 2 },
    { "SUB {} i32[4,1]=10,20,30,40 s -> i32[4,3]", 2 },
    { "EXPAND_DIMS {} s i32[]=1 -> e:i32[3,1]; ADD {} i32[2,1,2]=1,10,100,1000 e -> i32[2,3,2]", 3 },
    { "LESS {} i32[2,1]=3,6 s -> bool[2,3]", 2 },
    { "MUL {} s i32[3]=-2,65536,1073741824 -> i32[3]", 2 },
    { "DIV {} s i32[3]=-2,3,-4 -> i32[3]", 2 },
    { "DIV {} i32[]=-7 s -> i32[3]", 2 },
    { "FLOOR_DIV s i32[3]=-4,3,-4 -> i32[3]", 2 },
    { "FLOOR_DIV i32[]=-7 s -> i32[3]", 2 },
    { "FLOOR_MOD s i32[3]=-4,3,-4 -> i32[3]", 2 },
    { "FLOOR_MOD i32[]=-7 s -> i32[3]", 2 },
    { "MAXIMUM {} s i32[]=5 -> i32[3]", 2 },
    { "MINIMUM {} s i32[]=5 -> i32[3]", 2 },
    { "GREATER {} s i32[]=5 -> g:bool[3]; SELECT g s i32[3]=-1,-2,-3 -> i32[3]", 3 },
    { "LESS_EQUAL {} s i32[]=5 -> g:bool[3]; NOT_EQUAL {} s i32[]=2 -> h:bool[3];"
      "LOGICAL_AND g h -> a:bool[3]; SELECT_V2 a s i32[3]=-1,-2,-3 -> i32[3]", 5 },
    { "CAST {in_data_type=i32 out_data_type=i64} s -> i64[3]", 2 },
    { "CAST {in_data_type=i32 out_data_type=f32} s -> f:f32[3]; MUL {} f f32[]=0.7 -> g:f32[3];"
      "CEIL g -> c:f32[3]; FLOOR g -> d:f32[3]; ADD {} c d -> e:f32[3]; DIV {} e f32[]=-0.3 -> q:f32[3];"
      "SUB {} q f32[]=0.5 -> r:f32[3]; CAST {in_data_type=f32 out_data_type=i32} r -> i32[3]", 9 },
    { "CAST {in_data_type=i32 out_data_type=f32} s -> f:f32[3]; DIV {} f f32[3]=0,-0.0,1 -> f32[3]", 3 },
    { "CAST {in_data_type=i32 out_data_type=bool} s -> bool[3]", 2 },
    { "SUM {} s i32[1]=0 -> i32[]", 2 },
    { "REDUCE_PROD {keep_dims=true} s i32[1]=-1 -> i32[1]", 2 },
    { "REDUCE_MAX {} s i32[]=0 -> i32[]", 2 },
    { "REDUCE_MIN {} s i32[1]=0 -> i32[]", 2 },
    { "RANGE i32[]=0 i32[]=1048576 i32[]=1 -> i32[1048576]", 2 },
    { "RANGE i32[]=0 i32[]=1048577 i32[]=1 -> i32[1048577]", 1 }, /* too many */
    { "CUMSUM {} s i32[]=0 -> i32[3]", 1 },
    { "MUL {} f32[2]=1,2 f32[]=3 -> f32[2]", 1 }, /* of weights: transform/fold.c */
    { "RELU x -> r; SHAPE {out_type=i32} r -> t:i32[3]; MUL {} s t -> i32[3]", 3 },
};
/* clang-format on */

struct look {
    const struct model *m;
    const char *text;
    int known;
};

/* Every known tensor has the elements of the reference's, whose kernels are others. */
static void look_known(struct graph *g, void *user)
{
    struct look *look = user;
    OPTIONS(o, NULL);
    struct interpreter *truth =
        kit_interpreter(look->m, &(struct interpreter_options){ .preserve_all = true });

    KIT_OK(interpreter_allocate(truth, &err));
    kit_invoke(truth, 1);
    KIT_OK(values_find(g, &o, &err));
    for (int i = 0; i < g->node_count; i++) {
        look->known += g->nodes[i].known;
        for (int k = 0; k < g->nodes[i].output_count && g->nodes[i].known; k++) {
            const struct graph_tensor *y = graph_output(g, &g->nodes[i], k);
            const TfLiteTensor *t = interpreter_tensor(truth, g->nodes[i].outputs[k]);

            assert_non_null(y->data);
            assert_int_equal(y->rank, t->dims->size);
            if (y->rank > 0)
                assert_memory_equal(y->dims, t->dims->data, (size_t)y->rank * sizeof y->dims[0]);
            if (memcmp(y->data, t->data.raw, t->bytes) != 0)
                fail_msg("%s: node %d: other elements", look->text, i);
        }
    }
    interpreter_close(truth);
}

TEST(values_of_the_reference)
{
    for (size_t i = 0; i < sizeof arithmetic / sizeof arithmetic[0]; i++) {
        struct look look = { .text = arithmetic[i].nodes };

        MODEL(m, "SHAPE {out_type=i32} x:f32[2,5,7] -> s:i32[3];%s", look.text);
        look.m = &m;
        gpu_look(&m, look_known, &look);
        if (look.known != arithmetic[i].known)
            fail_msg("%s: %d nodes are known, expected %d", look.text, look.known,
                     arithmetic[i].known);
    }
}

/* A DEQUANTIZE makes floats, which do not fit a byte. */
static void look_dequantized(struct graph *g, void *user)
{
    const bool bytes = *(const bool *)user;
    struct graph_node *const n = &g->nodes[2];
    uint64_t used = 0;

    if (bytes)
        g->tensors[n->outputs[0]].type = kTfLiteBool;
    for (int i = 0; i < g->node_count; i++)
        KIT_OK(values_compute(g, &g->nodes[i], false, &used, &err));
    assert_int_equal(n->known, !bytes);
    assert_int_equal(used, 3 * 4 + 70 + (bytes ? 0 : 70 * 4));
}

TEST(bytes_are_not_dequantized_to_bytes)
{
    for (int bytes = 0; bytes < 2; bytes++) {
        MODEL(m, "SHAPE {out_type=i32} x:f32[2,5,7] -> s:i32[3]; TILE i8[1,1,1]=4q(0.5,3) s -> "
                 "t:i8[2,5,7]q(0.5,3); DEQUANTIZE t -> f32[2,5,7]");
        gpu_look(&m, look_dequantized, &(bool){ bytes > 0 });
    }
}

/* A host that does not prepare nodes before the delegate is asked shows sizes and an axis of any
 * number: fewer than are read lie at the end of what may be read. */
static void look_split(struct graph *g, void *user)
{
    const int fewer = *(const int *)user;
    struct graph_node *const n = &g->nodes[1];
    uint64_t used = 0;

    if (fewer > 0)
        g->tensors[n->inputs[fewer]].elements--;
    for (int i = 0; i < g->node_count; i++)
        KIT_OK(values_compute(g, &g->nodes[i], false, &used, &err));
    assert_int_equal(n->known, fewer == 0);
}

TEST(split_v_reads_a_size_of_each_output_and_an_axis)
{
    for (int fewer = 0; fewer < 3; fewer++) {
        MODEL(m, "SHAPE {out_type=i32} x:f32[2,5,7] -> s:i32[3];"
                 "SPLIT_V {num_splits=2} s i32[2]=2,1 i32[]=0 -> i32[2] i32[1]");
        gpu_look(&m, look_split, &fewer);
    }
}

/* It shows an axis that the result does not have, too. */
static void look_axis(struct graph *g, void *user)
{
    static const TfLitePackParams pack = { .values_count = 2, .axis = -3 };
    static const int32_t expand = 2;
    uint64_t used = 0;

    (void)user;
    g->nodes[1].params = &pack;
    g->tensors[g->nodes[2].inputs[1]].data = &expand;
    for (int i = 0; i < g->node_count; i++)
        KIT_OK(values_compute(g, &g->nodes[i], false, &used, &err));
    assert_true(g->nodes[0].known && !g->nodes[1].known && !g->nodes[2].known);
}

TEST(an_axis_is_one_of_the_result)
{
    MODEL(m, "SHAPE {out_type=i32} x:f32[2,5,7] -> s:i32[3]; PACK {values_count=2} s s -> i32[2,3];"
             "EXPAND_DIMS {} s i32[]=0 -> i32[1,3]");
    gpu_look(&m, look_axis, NULL);
}

/* Quotients by zero of the shape s, the first of which fits `room`. */
static void look_failed(struct graph *g, void *user)
{
    const uint64_t limit = limit_of(LIMIT_FOLDED_BYTES), room = *(const uint64_t *)user;
    uint64_t used = limit - room;

    for (int i = 0; i < g->node_count; i++)
        KIT_OK(values_compute(g, &g->nodes[i], false, &used, &err));
    assert_true(g->nodes[0].known && !g->nodes[1].known && !g->nodes[2].known);
    assert_int_equal(used, limit - room + 24);
}

/* A file of many such nodes must not fill the memory beyond the limit. */
TEST(memory_of_failed_nodes_counts)
{
    MODEL(m, "SHAPE {out_type=i32} x:f32[2,5,7] -> s:i32[3]; DIV {} s i32[3]=0 -> i32[3];"
             "DIV {} s i32[3]=0 -> i32[3]");
    for (uint64_t room = 24; room < 36; room += 4)
        gpu_look(&m, look_failed, &room);
}

/* ---- partitions and sizes ---- */

struct chain {
    const char *name, *text;
    int partitions, refused;
    int input, axis;     /* that is resized to 3, 5 and 3 again */
    const char *exclude; /* nodes that run on the CPU */
};

#define BATCH(x)                                                                                   \
    "SHAPE {out_type=i32} " x " -> s:i32[4];"                                                      \
    "STRIDED_SLICE {shrink_axis_mask=1} s i32[1]=0 i32[1]=1 i32[1]=1 -> n:i32[];"
#define SIDES(x)                                                                                   \
    "SHAPE {out_type=i32} " x " -> s:i32[4];"                                                      \
    "STRIDED_SLICE {} s i32[1]=1 i32[1]=3 i32[1]=1 -> hw:i32[2];"

static const struct chain chains[] = {
    { "reshape behind concatenation",
      "RELU x:f32[3,3,4,3]~[-1,-1,4,3] -> r;" SIDES(
          "r") "STRIDED_SLICE {} s i32[1]=0 i32[1]=1 i32[1]=1 -> n:i32[1];"
               "CONCATENATION {} n i32[1]=-1 -> to:i32[2]; RESHAPE r to -> f:f32[3,36]; RELU f -> "
               "y",
      1, 1, 0, 0, "none" },
    { "reshape behind pack",
      "RELU x:f32[3,3,4,3] -> r;" BATCH(
          "r") "PACK {values_count=2} n i32[]=-1 -> to:i32[2];"
               "RESHAPE r to -> f:f32[3,36]; MUL {} f f -> y:f32[3,36]",
      1, 0, 0, 0, "none" },
    { "reshape of another axis",
      "RELU x:f32[3,3,4,3] -> r; SHAPE {out_type=i32} r -> s:i32[4];"
      "STRIDED_SLICE {shrink_axis_mask=1} s i32[1]=1 i32[1]=2 i32[1]=1 -> h:i32[];"
      "PACK {values_count=3} i32[]=-1 h i32[]=6 -> to:i32[3];"
      "RESHAPE r to -> f:f32[6,3,6]; MUL {} f f -> y:f32[6,3,6]",
      1, 0, 0, 1, "none" },
    { "slice",
      "RELU x:f32[3,3,4,3] -> r; SHAPE {out_type=i32} r -> s:i32[4]; SUB {} s i32[4]=1,1,1,1 -> "
      "to:i32[4];"
      "SLICE {} r i32[4]=1,1,0,0 to -> f:f32[2,2,3,2]~[-1,-1,3,2]; MUL {} f f -> y:f32[2,2,3,2]",
      1, 0, 0, 1, "none" },
    { "paddings",
      "RELU x:f32[3,3,4,3] -> r; SHAPE {out_type=i32} r -> s:i32[4]; FLOOR_MOD s i32[]=2 -> "
      "odd:i32[4];"
      "PACK {values_count=2 axis=1} i32[4]=0 odd -> to:i32[4,2]; PAD r to -> f:f32[4,4,4,4];"
      "MUL {} f f -> y:f32[4,4,4,4]",
      1, 0, 0, 2, "none" },
    { "size",
      "RELU x:f32[3,3,4,3] -> r;" SIDES(
          "r") "ADD {} hw hw -> to:i32[2];"
               "RESIZE_NEAREST_NEIGHBOR {} r to -> f:f32[3,6,8,3]; MUL {} f f -> y:f32[3,6,8,3]",
      1, 0, 0, 2, "none" },
    /* The partition of z has inputs of the same shapes when x changes. */
    { "size of another input",
      "tensors x:f32[3,3,4,3]~[-1,-1,4,3] z:f32[1,2,2,3]; inputs x z; RELU x -> r;" SIDES(
          "r") "PACK {values_count=2} i32[]=1 i32[]=2 -> one:i32[2]; MUL {} hw one -> to:i32[2];"
               "RESIZE_BILINEAR {} z to -> f:f32[1,3,8,3]; MUL {} f f -> y:f32[1,3,8,3]; outputs y "
               "r",
      1, 0, 0, 1, "none" },
    { "two partitions",
      "tensors x:f32[3,3,4,3]~[-1,-1,4,3] z:f32[1,2,2,3]; inputs x z; RELU x -> r;" SIDES(
          "r") "ADD {} hw hw -> to:i32[2]; CUMSUM {} z i32[]=1 -> c:f32[1,2,2,3];"
               "RESIZE_BILINEAR {} c to -> f:f32[1,6,8,3]; MUL {} f f -> y:f32[1,6,8,3]; outputs y "
               "r",
      2, 1, 0, 1, "CUMSUM" },
    /* What the device reads is read by the CPU, too, in its prepare and in invoke. */
    { "read by both",
      "RELU x:f32[3,3,4,3] -> r;" BATCH(
          "r") "PACK {values_count=2} n i32[]=-1 -> to:i32[2];"
               "RESHAPE r to -> f:f32[3,36]; MUL {} f f -> y:f32[3,36];"
               "RANGE i32[]=0 n i32[]=1 -> i:i32[3]; CAST {in_data_type=i32 out_data_type=f32} i "
               "-> j:f32[3];"
               "CUMSUM {} to i32[]=0 -> k:i32[2]; CAST {in_data_type=i32 out_data_type=f32} k -> "
               "l:f32[2];"
               "outputs y j l",
      1, 4, 0, 0, "CUMSUM" },
    { "outputs",
      "RELU x:f32[3,3,4,3] -> r;" BATCH(
          "r") "PACK {values_count=2} n i32[]=-1 -> to:i32[2];"
               "RESHAPE r to -> f:f32[3,36]; MUL {} f f -> y:f32[3,36]; outputs y to n",
      1, 0, 0, 0, "none" },
    /* Shape arithmetic alone wins no partition. */
    { "the longer chain",
      "tensors x:f32[3,3,4,3]; RELU x -> r;" BATCH(
          "r") "ADD {} n i32[]=1 -> a:i32[]; ADD {} a i32[]=1 -> b:i32[]; ADD {} b i32[]=-2 -> "
               "c:i32[];"
               "PACK {values_count=2} c i32[]=-1 -> to:i32[2]; CUMSUM {} r i32[]=1 -> "
               "k:f32[3,3,4,3];"
               "RESHAPE k to -> f:f32[3,36]; MUL {} f f -> g:f32[3,36]; MUL {} g f -> y:f32[3,36]",
      1, 8, 0, 0, "CUMSUM" },
    { "left out by its user",
      "RELU x:f32[3,3,4,3] -> r;" BATCH(
          "r") "PACK {values_count=2} n i32[]=-1 -> to:i32[2];"
               "RESHAPE r to -> f:f32[3,36]; MUL {} f f -> y:f32[3,36]",
      2, 3, 0, 0, "SHAPE,STRIDED_SLICE,PACK" },
};

static void resize(struct interpreter *in, const struct chain *c, int size)
{
    const TfLiteTensor *t = interpreter_tensor(in, c->input);
    int32_t dims[8];

    memcpy(dims, t->dims->data, (size_t)t->dims->size * sizeof dims[0]);
    dims[c->axis] = size;
    KIT_OK(interpreter_resize_input(in, c->input, dims, t->dims->size, &err));
    KIT_OK(interpreter_allocate(in, &err));
    for (int run = 1; run <= 2; run++) {
        kit_invoke(in, (uint64_t)(size + run));
    }
}

static void expect_close(const struct chain *c, struct interpreter *a, struct interpreter *b,
                         int size)
{
    size_t count;
    const int *outputs = interpreter_outputs(a, &count);

    for (size_t o = 0; o < count; o++) {
        const TfLiteTensor *x = interpreter_tensor(a, outputs[o]);
        const TfLiteTensor *y = interpreter_tensor(b, outputs[o]);

        if (x->dims->size != y->dims->size || x->bytes != y->bytes)
            fail_msg("%s, size %d: output %zu has another shape", c->name, size, o);
        if (x->type != kTfLiteFloat32) {
            if (memcmp(x->data.raw, y->data.raw, x->bytes) != 0)
                fail_msg("%s, size %d: output %zu has other elements", c->name, size, o);
            continue;
        }
        for (size_t i = 0; i < x->bytes / sizeof(float); i++)
            if (!(fabsf(x->data.f[i] - y->data.f[i]) <= 1e-4f * fmaxf(1, fabsf(x->data.f[i]))))
                fail_msg("%s, size %d: output %zu, element %zu: %g and %g", c->name, size, o, i,
                         (double)x->data.f[i], (double)y->data.f[i]);
    }
}

TEST(sizes_come_back)
{
    NEEDS_DEVICE;
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        const struct chain *const c = &chains[i];
        TfLiteDelegate *const d =
            kit_delegate(WITH("precision", "fp32", "exclude", c->exclude, "max_partitions",
                              c->partitions == 1 ? "1" : "0"));
        struct interpreter *ours, *reference;

        MODEL(m, "%s", c->text);
        reference = kit_open(&m, NULL);
        ours = kit_open(&m, d);
        if (interpreter_partition_count(ours) != c->partitions ||
            assay_gpu_refusal_count(d) != c->refused)
            fail_msg("%s: %d partitions, %d refused; expected %d, %d", c->name,
                     interpreter_partition_count(ours), assay_gpu_refusal_count(d), c->partitions,
                     c->refused);
        for (int k = 0; k < 3; k++) {
            const int size = k == 1 ? 5 : 3;

            resize(reference, c, size);
            resize(ours, c, size);
            expect_close(c, reference, ours, size);
        }
        interpreter_close(ours);
        interpreter_close(reference);
        tflite_plugin_destroy_delegate(d);
    }
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = kit_find_device);
