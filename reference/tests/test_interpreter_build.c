/* What an interpreter makes of a model: constants, folding, quantization, sizes of elements, and
 * the graphs that are refused. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

/* What is wrong with the model of a text, when it is opened or allocated. */
static void expect_fails(const char *model, enum status want, const char *text)
{
    struct diag diag = { 0 };
    struct interpreter *in = (struct interpreter *)&diag;
    enum status s;

    MODEL(m, "%s", model);
    s = interpreter_open(&in, &m, NULL, &diag);
    if (s == STATUS_OK) {
        s = interpreter_allocate(in, &diag);
        interpreter_close(in);
    } else {
        assert_null(in);
    }
    assert_int_equal(s, want);
    if (!strstr(diag.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, diag.text);
}

/* ---- constants ---- */

TEST(folds_constants)
{
    const TfLiteTensor *f;

    MODEL_BY(m, kit_folding_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(
                           &m, &(struct interpreter_options){
                                   .guard_bytes = 64, .poison = true, .poison_word = 0xDEADBEEF }));
    f = interpreter_tensor(in, 2);
    assert_int_equal(f->allocation_type, kTfLitePersistentRo); /* before allocate */
    assert_true(f->data.f[0] == 1.5f && f->data.f[1] == -2);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 4, 2 }, 2, &err));
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 7);
    KIT_OK(interpreter_check_guards(in, &err));
    assert_true(f->data.f[0] == 1.5f && f->data.f[1] == -2);
    for (int i = 0; i < 8; i++)
        assert_true(interpreter_tensor(in, 3)->data.f[i] ==
                    interpreter_tensor(in, 0)->data.f[i] + f->data.f[i % 2]);
}

static const TfLiteTensor *output(struct interpreter *in, size_t i)
{
    size_t count;

    return interpreter_tensor(in, interpreter_outputs(in, &count)[i]);
}

/* The elements of a tensor of i32. */
static const char *words(const TfLiteTensor *t)
{
    static char text[256];
    int used = 0;

    for (size_t i = 0; i < t->bytes / sizeof(int32_t); i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%d", i > 0 ? " " : "",
                         (int)t->data.i32[i]);
    return text;
}

/* Each op of OPS.md, results of prepare, and those that have none, behind x [2, 3, 4], whose batch
 * is then 5, and 2 again; `values` are those of n, for batch 2 and 5.  NULL: known in invoke. */
TEST(computes_results_of_prepare)
{
    static const struct {
        const char *nodes; /* behind SHAPE of x -> s:i32[3] */
        const char *values[2];
    } rows[] = {
        { "ABS s -> n:i32[3]", { NULL, NULL } },
        { "STRIDED_SLICE {shrink_axis_mask=1} s i32[1]=0 i32[1]=1 i32[1]=1 -> n:i32[]",
          { "2", "5" } },
        { "CONCATENATION {} s i32[1]=7 -> n:i32[4]", { "2 3 4 7", "5 3 4 7" } },
        { "GATHER {} s i32[2]=2,0 -> n:i32[2]", { "4 2", "4 5" } },
        { "MUL {} s i32[1]=-2 -> n:i32[3]", { "-4 -6 -8", "-10 -6 -8" } },
        { "RESHAPE s i32[2]=3,1 -> n:i32[3,1]", { "2 3 4", "5 3 4" } },
        { "TILE {} s i32[1]=2 -> n:i32[6]", { "2 3 4 2 3 4", "5 3 4 5 3 4" } },
        { "BROADCAST_ARGS s i32[3]=1 -> n:i32[3]", { "2 3 4", "5 3 4" } },
        { "REDUCE_PROD {} s i32[1]=0 -> n:i32[]", { "24", "60" } },
        { "TILE {} s i32[1]=3 -> t:i32[9]; RESHAPE t i32[2]=1,9 -> u:i32[1,9];"
          "REDUCE_PROD {} u i32[1]=0 -> n:i32[9]",
          { NULL, NULL } }, /* over 8 elements */
        { "STRIDED_SLICE {shrink_axis_mask=1} s i32[1]=0 i32[1]=1 i32[1]=1 -> c:i32[];"
          "RANGE i32[]=0 c i32[]=1 -> n:i32[2]",
          { "0 1", "0 1 2 3 4" } },
        { "SLICE {} s i32[1]=0 i32[1]=1 -> n:i32[1]", { NULL, NULL } },
        { "PACK {values_count=1} s -> n:i32[1,3]", { NULL, NULL } },
        { "ADD {} s s -> n:i32[3]", { NULL, NULL } },
        { "SUM {} s i32[1]=0 -> n:i32[]", { NULL, NULL } },
        { "CAST {in_data_type=i32 out_data_type=i32} s -> n:i32[3]", { NULL, NULL } },
        { "SQUEEZE {} s -> n:i32[3]", { NULL, NULL } },
        { "FILL {} s i32[]=1 -> n:i32[2,3,4]", { NULL, NULL } },
    };
    static const int batches[] = { 2, 5, 2 };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const TfLiteTensor *n;

        MODEL(m, "SHAPE {out_type=i32} x:f32[2,3,4] -> s:i32[3];%s", rows[r].nodes);
        INTERPRETER_BY(in, kit_interpreter(&m, &(struct interpreter_options){ .guard_bytes = 64 }));
        n = output(in, 0);
        for (int i = 0; i < 3; i++) {
            const char *const values = rows[r].values[i % 2];

            KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ batches[i], 3, 4 }, 3, &err));
            KIT_OK(interpreter_allocate(in, &err));
            if ((n->allocation_type == kTfLitePersistentRo) != (values != NULL))
                fail_msg("%s: allocation type %d", rows[r].nodes, (int)n->allocation_type);
            if (values)
                assert_string_equal(words(n), values);
            KIT_OK(interpreter_invoke(in, &err));
            KIT_OK(interpreter_check_guards(in, &err));
        }
    }
}

/* What DEQUANTIZE makes of a constant is none to a node that reads it, as in the runtime. */
TEST(weights_are_no_results_of_prepare)
{
    MODEL(m, "DEQUANTIZE {} f16[2]=1,2 -> w:f32[2]; RESHAPE w i32[2]=2,1 -> y:f32[2,1];"
             "RESHAPE f32[2]=3,4 i32[2]=2,1 -> z:f32[2,1]");
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    assert_int_equal(output(in, 0)->allocation_type, kTfLiteArenaRw);
    assert_int_equal(output(in, 1)->allocation_type, kTfLitePersistentRo);
}

/* A few bytes of a file, and no memory for what follows from them. */
TEST(results_of_prepare_have_a_limit)
{
    expect_fails("TILE {} f32[1,2]=1 i32[2]=20000,10000 -> f32[20000,20000]", STATUS_LIMIT,
                 "TILE: node 0: output 0: tensor 2 (t2): a constant of 1600000000 bytes, "
                 "1600000000 with those of the nodes before");
    expect_fails("SHAPE {out_type=i32} x:f32[2,3] -> s:i32[2]; GATHER {} s i32[1]=2 -> i32[1]",
                 STATUS_INVALID, "GATHER: node 1: ");
}

/* Kernels read elements in place; a file may have them anywhere. */
TEST(copies_unaligned_constants)
{
    uint8_t bytes[9 + 16];
    const float w[] = { 5, 6 };
    struct model_buffer buffers[2];
    struct model changed;
    const TfLiteTensor *c;

    MODEL_BY(m, kit_simple_graph(&m));
    memcpy(bytes + 1, w, sizeof w);
    memset(buffers, 0, sizeof buffers);
    buffers[1].data = (struct model_bytes){ bytes + 1, sizeof w };
    changed = m;
    assert_int_equal(m.buffer_count, 2);
    changed.buffers = buffers;
    INTERPRETER_BY(in, kit_interpreter(&changed, NULL));
    c = interpreter_tensor(in, 1);
    assert_int_equal((uintptr_t)c->data.raw % sizeof(float), 0);
    assert_true(c->data.f[1] == 6);
    interpreter_close(in);

    buffers[1].data.count = 7; /* too small for its shape */
    in = NULL;
    assert_int_equal(interpreter_open(&in, &changed, NULL, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "tensor 1 (w): 7 bytes"));
    buffers[1].data.count = 9; /* larger is accepted */
    in = kit_interpreter(&changed, NULL);
    assert_int_equal(interpreter_tensor(in, 1)->bytes, 8);
}

TEST(fills_quantization)
{
    struct interpreter *in;
    struct model m;
    const TfLiteAffineQuantization *q;

    kit_text(&m, "tensors t:i8[2,3]q(0.5,-7) u:i8[2,3]q(1|2|3,0,1) v:i8[2,3]\n"
                 "inputs t u v; outputs t");
    in = kit_interpreter(&m, NULL);
    assert_true(interpreter_tensor(in, 0)->params.scale == 0.5f);
    assert_int_equal(interpreter_tensor(in, 0)->params.zero_point, -7);
    assert_int_equal(interpreter_tensor(in, 0)->quantization.type, kTfLiteAffineQuantization);
    assert_true(interpreter_tensor(in, 1)->params.scale == 0);
    q = interpreter_tensor(in, 1)->quantization.params;
    assert_int_equal(q->scale->size, 3);
    assert_int_equal(q->zero_point->size, 3);
    assert_true(q->scale->data[2] == 3);
    assert_int_equal(q->quantized_dimension, 1);
    assert_int_equal(interpreter_tensor(in, 2)->quantization.type, kTfLiteNoQuantization);
    interpreter_close(in);
    model_close(&m);

    expect_fails("tensors t:i8[2,3]q(0.5,-9223372036854775808)", STATUS_INVALID, "zero point");
}

TEST(fills_blockwise_quantization)
{
    const TfLiteBlockwiseQuantization *q;
    const TfLiteTensor *w;

    MODEL(m, "tensors s:f16[2,2]=0.5,1,2,0.25\n"
             "FULLY_CONNECTED {} x:f32[1,6] i4[2,6]=-8,7,1,0,2,3blocks(s,3) - -> f32[1,2]");
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    w = interpreter_tensor(in, 2);
    q = w->quantization.params;
    assert_int_equal(w->quantization.type, kTfLiteBlockwiseQuantization);
    assert_true(w->params.scale == 0);
    assert_int_equal(q->scale, 0);
    assert_int_equal(q->zero_point, -1);
    assert_int_equal(q->blocksize, 3);
    assert_int_equal(q->quantized_dimension, 0);
    assert_int_equal(w->bytes, 6); /* packed, as in the file */
    assert_int_equal(interpreter_tensor(in, 0)->allocation_type, kTfLiteMmapRo);
}

/* ---- graphs that are refused ---- */

/* x, an op that the reference lacks or has in another version only, RELU. */
static void make_unknown(struct model *m, int32_t code, int32_t version)
{
    kit_text(m,
             "tensors x:f32[1,2] y:f32[2,1,5] z:f32[]\n" /* the shape of z is not in the file */
             "code:%d:%d x -> y\n"
             "RELU y -> z",
             code, version);
}

TEST(shapes_without_the_op)
{
    static const int32_t ops[][2] = { { BUILTIN_UNIQUE, 2 }, { BUILTIN_TANH, 99 }, { 9999, 1 } };
    const struct interpreter_options options = { .shapes_only = true };

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        struct diag diag = { 0 };

        MODEL_BY(m, make_unknown(&m, ops[i][0], ops[i][1]));
        struct interpreter *in CLOSED_BY(kit_interpreter_end);
        KIT_OK_DIAG(interpreter_open(&in, &m, &options, &diag), diag);
        KIT_OK_DIAG(interpreter_allocate(in, &diag), diag);
        assert_int_equal(interpreter_tensor(in, 1)->dims->size, 3);
        assert_int_equal(interpreter_tensor(in, 2)->bytes, 40);
        assert_int_equal(interpreter_invoke(in, &diag), STATUS_USAGE);
        assert_non_null(strstr(diag.text, "shapes only"));
    }
}

TEST(refuses_bad_graphs)
{
    static const struct {
        const char *node, *text;
        enum status status;
    } rows[] = {
        { "UNIQUE:2 x -> y", "node 0: the op UNIQUE (code 103) version 2 is not known",
          STATUS_UNSUPPORTED },
        { "RELU:99 x -> y", "node 0: RELU version 99, expected 1 to", STATUS_UNSUPPORTED },
        { "RELU:0 x -> y", "node 0: RELU version 0, expected 1 to", STATUS_UNSUPPORTED },
        { "code:9999 x -> y", "version 1 is not known", STATUS_UNSUPPORTED },
        { "CUSTOM x -> y", "custom op", STATUS_UNSUPPORTED },
        { "ADD Conv2DOptions{} x x -> y", "option table Conv2DOptions", STATUS_INVALID },
        { "RELU x x -> y", "RELU with 2 inputs", STATUS_INVALID },
        { "ADD x -> y", "ADD with 1 inputs", STATUS_INVALID },
        { "RELU x", "RELU with 0 outputs", STATUS_INVALID },
        { "RELU @2 -> y", "input 0: no such tensor: 2", STATUS_INVALID },
        { "RELU - -> y", "input 0 is absent", STATUS_INVALID },
        { "RELU x -> @2", "output 0: no such tensor: 2", STATUS_INVALID },
        { "RELU x -> -", "output 0: no such tensor: -1", STATUS_INVALID },
        { "RELU y -> y", "tensor 1 (y) is read before it is written", STATUS_INVALID },
        { "RELU x -> x", "tensor 0 (x) is an input, a constant or written before", STATUS_INVALID },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char model[128];

        snprintf(model, sizeof model, "tensors x:f32[1,2] y:f32[1,2]; %s; inputs x; outputs y",
                 rows[i].node);
        expect_fails(model, rows[i].status, rows[i].text);
    }
}

/* Sizes that do not fit a size_t, or exceed the machine's memory. */
TEST(refuses_what_does_not_fit)
{
    static const char large[] = "RELU x:f32[2147483647,1048576] -> y:f32[2147483647,1048576]";

    expect_fails("tensors x:f32[2147483647x3]; inputs x", STATUS_INVALID, "tensor 0 (x)");
    expect_fails("tensors x:f32[1,-2147483648]; inputs x", STATUS_INVALID, "tensor 0 (x)");
    if (sizeof(size_t) == 4) { /* sooner: its bytes cannot be counted */
        expect_fails(large, STATUS_INVALID, "tensor 0 (x)");
        return;
    }
    MODEL(m, "%s", large);
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    assert_int_equal(interpreter_allocate(in, &err), STATUS_LIMIT);
    assert_non_null(strstr(err.text, "elements, at most"));
    assert_int_equal(interpreter_invoke(in, &err), STATUS_USAGE);
}

/* ---- element sizes ---- */

/* ---- models that no verifier has seen: made in memory ---- */

static struct model_tensor *tensor_of(struct model *m, size_t index)
{
    return (struct model_tensor *)(uintptr_t)m->subgraphs[0].tensors + index;
}

static struct model_operator *operator_of(struct model *m)
{
    return (struct model_operator *)(uintptr_t)m->subgraphs[0].operators;
}

#define EDIT(name_, ...)                                                                           \
    static void name_(struct model *m)                                                             \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    struct model

EDIT(details, tensor_of(m, 0)->quantization.details_type = 1);
static void blocks(struct model *m)
{
    struct model_tensor *const w = tensor_of(m, 1);

    w->type = TENSOR_INT4;
    w->quantization.details_type = DETAILS_BLOCKWISE;
    w->quantization.block_scales = 99;
    w->quantization.block_zero_points = -1;
    w->quantization.block_size = 1;
}
static void zero_points(struct model *m)
{
    static const float scale[] = { 1, 2 };
    static const int64_t zero[] = { 0, 0, 0 };

    tensor_of(m, 0)->quantization.scale.data = scale;
    tensor_of(m, 0)->quantization.scale.count = 2;
    tensor_of(m, 0)->quantization.zero_point.data = zero;
    tensor_of(m, 0)->quantization.zero_point.count = 3;
}
EDIT(type, tensor_of(m, 0)->type = 99);
EDIT(sparse, tensor_of(m, 0)->sparsity.present = true);
EDIT(external, tensor_of(m, 0)->external_buffer = 4);
EDIT(buffer, tensor_of(m, 0)->buffer = 99);
EDIT(variable, tensor_of(m, 1)->is_variable = true);
EDIT(opcode, operator_of(m)->opcode_index = 99);
static void input(struct model *m)
{
    static const int32_t absent[] = { 0, 99 };

    operator_of(m)->inputs.data = absent;
    operator_of(m)->inputs.count = 2;
}
static void graph_input(struct model *m)
{
    static const int32_t absent[] = { -1 };

    ((struct model_subgraph *)(uintptr_t)m->subgraphs)->inputs.data = absent;
    ((struct model_subgraph *)(uintptr_t)m->subgraphs)->inputs.count = 1;
}
EDIT(no_graph, m->subgraph_count = 0);

TEST(refuses_what_no_verifier_has_seen)
{
    static const struct {
        void (*edit)(struct model *m);
        enum status status;
        const char *text;
    } rows[] = {
        { details, STATUS_UNSUPPORTED, "tensor 0 (x): quantization details of kind 1" },
        { blocks, STATUS_INVALID,
          "tensor 1 (w): BlockwiseQuantization.scales: 99, the subgraph has 3 tensors" },
        { zero_points, STATUS_INVALID, "tensor 0 (x): 2 scales and 3 zero points" },
        { type, STATUS_INVALID, "tensor 0 (x): unknown type 99" },
        { sparse, STATUS_UNSUPPORTED, "tensor 0 (x): sparse" },
        { external, STATUS_UNSUPPORTED, "tensor 0 (x): data in external buffer 4" },
        { buffer, STATUS_INVALID, "tensor 0 (x): no such buffer: 99" },
        { variable, STATUS_INVALID, "tensor 1 (w): a variable with constant data" },
        { opcode, STATUS_INVALID, "node 0: no such operator code: 99" },
        { input, STATUS_INVALID, "no such tensor: 99" },
        { graph_input, STATUS_INVALID, "no such tensor: -1" },
        { no_graph, STATUS_INVALID, "the model has no subgraph" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diag diag = { 0 };
        struct interpreter *in;
        struct model edited;

        MODEL(m, "ADD x:f32[1,2] w:f32[1,2]=1,1 -> y:f32[1,2]");
        edited = m;
        rows[i].edit(&edited);
        assert_int_equal(interpreter_open(&in, &edited, NULL, &diag), rows[i].status);
        assert_null(in);
        if (!strstr(diag.text, rows[i].text))
            fail_msg("\"%s\" is not in \"%s\"", rows[i].text, diag.text);
    }
}

/* The last byte has no bits of the memory in which it lies. */
TEST(pads_packed_elements_with_zeros)
{
    const struct interpreter_options options = { .poison = true,
                                                 .poison_word = 0xffffffff,
                                                 .num_threads = -1 };
    static const float x[] = { 1, -8, 3, -1, 7 };
    static const uint8_t i4[] = { 0x81, 0xf3, 0x07 }, i2[] = { 0xd9, 0x01 };

    MODEL(m, "CAST {} x:f32[5] -> y:i4[5]\nCAST {} x -> z:i2[5]");
    INTERPRETER_BY(in, kit_interpreter(&m, &options));
    assert_int_equal(interpreter_allocate(in, &err), STATUS_OK);
    memcpy(interpreter_tensor(in, 0)->data.f, x, sizeof x);
    assert_int_equal(interpreter_invoke(in, &err), STATUS_OK);
    assert_memory_equal(interpreter_tensor(in, 1)->data.raw, i4, sizeof i4);
    assert_memory_equal(interpreter_tensor(in, 2)->data.raw, i2, sizeof i2);
}

TEST(knows_all_element_sizes)
{
    static const struct {
        int32_t type;
        size_t bytes; /* of 5 elements */
    } rows[] = { { TENSOR_INT8, 5 },     { TENSOR_BOOL, 5 },        { TENSOR_FLOAT16, 10 },
                 { TENSOR_INT16, 10 },   { TENSOR_INT32, 20 },      { TENSOR_INT64, 40 },
                 { TENSOR_FLOAT64, 40 }, { TENSOR_COMPLEX128, 80 }, { TENSOR_INT4, 3 },
                 { TENSOR_UINT4, 3 },    { TENSOR_INT2, 2 } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        MODEL(m,
              "RESHAPE {new_shape=[1,-1]} x:%s[5] -> y:%s[5]\n"
              "RESHAPE {new_shape=[1,-1]} y -> z:%s[5]",
              tensor_type_name(rows[i].type), tensor_type_name(rows[i].type),
              tensor_type_name(rows[i].type));
        struct interpreter *in CLOSED_BY(kit_interpreter_end);
        in =
            kit_interpreter(&m, &(struct interpreter_options){ .guard_bytes = 64, .poison = true });
        KIT_OK(interpreter_allocate(in, &err));
        assert_int_equal(interpreter_tensor(in, 0)->bytes, rows[i].bytes);
        memset(interpreter_tensor(in, 0)->data.raw, 0x1B + (int)i, rows[i].bytes);
        KIT_OK(interpreter_invoke(in, &err));
        KIT_OK(interpreter_check_guards(in, &err));
        assert_int_equal(interpreter_tensor(in, 2)->bytes, rows[i].bytes);
        assert_memory_equal(interpreter_tensor(in, 2)->data.raw,
                            interpreter_tensor(in, 0)->data.raw, rows[i].bytes);
    }
}
