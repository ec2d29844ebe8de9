/* What an interpreter makes of a model: constants, folding, quantization, sizes of elements, and
 * the graphs that are refused. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/base/half.h"

/* What is wrong with the model of a text. */
static void expect_open_fails(const char *model, enum status want, const char *text)
{
    struct diag diag = { 0 };
    struct interpreter *in = (struct interpreter *)&diag;
    struct model m;

    kit_text(&m, "%s", model);
    assert_int_equal(interpreter_open(&in, &m, NULL, &diag), want);
    assert_null(in);
    if (!strstr(diag.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, diag.text);
    model_close(&m);
}

/* ---- constants ---- */

TEST(folds_constants)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    const TfLiteTensor *f;

    kit_folding_graph(&m);
    in = kit_interpreter(&m, &(struct interpreter_options){
                                 .guard_bytes = 64, .poison = true, .poison_word = 0xDEADBEEF });
    f = interpreter_tensor(in, 2);
    assert_int_equal(f->allocation_type, kTfLitePersistentRo); /* before allocate */
    assert_true(f->data.f[0] == 1.5f && f->data.f[1] == -2);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 4, 2 }, 2, &diag));
    KIT_OK(interpreter_allocate(in, &diag));
    kit_fill_inputs(in, 7);
    KIT_OK(interpreter_invoke(in, &diag));
    KIT_OK(interpreter_check_guards(in, &diag));
    assert_true(f->data.f[0] == 1.5f && f->data.f[1] == -2);
    for (int i = 0; i < 8; i++)
        assert_true(interpreter_tensor(in, 3)->data.f[i] ==
                    interpreter_tensor(in, 0)->data.f[i] + f->data.f[i % 2]);
    interpreter_close(in);
    model_close(&m);
}

/* Kernels read elements in place; a file may have them anywhere. */
TEST(copies_unaligned_constants)
{
    uint8_t bytes[9 + 16];
    const float w[] = { 5, 6 };
    struct model_buffer buffers[2];
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m, changed;
    const TfLiteTensor *c;

    kit_simple_graph(&m);
    memcpy(bytes + 1, w, sizeof w);
    memset(buffers, 0, sizeof buffers);
    buffers[1].data = (struct model_bytes){ bytes + 1, sizeof w };
    changed = m;
    assert_int_equal(m.buffer_count, 2);
    changed.buffers = buffers;
    in = kit_interpreter(&changed, NULL);
    c = interpreter_tensor(in, 1);
    assert_int_equal((uintptr_t)c->data.raw % sizeof(float), 0);
    assert_true(c->data.f[1] == 6);
    interpreter_close(in);

    buffers[1].data.count = 7; /* too small for its shape */
    in = NULL;
    assert_int_equal(interpreter_open(&in, &changed, NULL, &diag), STATUS_INVALID);
    assert_non_null(strstr(diag.text, "tensor 1 (w): 7 bytes"));
    buffers[1].data.count = 9; /* larger is accepted */
    in = kit_interpreter(&changed, NULL);
    assert_int_equal(interpreter_tensor(in, 1)->bytes, 8);
    interpreter_close(in);
    model_close(&m);
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

    expect_open_fails("tensors t:i8[2,3]q(0.5,-9223372036854775808)", STATUS_INVALID, "zero point");
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
        struct interpreter *in;
        struct model m;

        make_unknown(&m, ops[i][0], ops[i][1]);
        KIT_OK(interpreter_open(&in, &m, &options, &diag));
        KIT_OK(interpreter_allocate(in, &diag));
        assert_int_equal(interpreter_tensor(in, 1)->dims->size, 3);
        assert_int_equal(interpreter_tensor(in, 2)->bytes, 40);
        assert_int_equal(interpreter_invoke(in, &diag), STATUS_USAGE);
        assert_non_null(strstr(diag.text, "shapes only"));
        interpreter_close(in);
        model_close(&m);
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
        expect_open_fails(model, rows[i].status, rows[i].text);
    }
}

/* Sizes that do not fit a size_t, or exceed the machine's memory. */
TEST(refuses_what_does_not_fit)
{
    static const char large[] = "RELU x:f32[2147483647,1048576] -> y:f32[2147483647,1048576]";
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;

    expect_open_fails("tensors x:f32[2147483647x3]; inputs x", STATUS_INVALID, "tensor 0 (x)");
    expect_open_fails("tensors x:f32[1,-2147483648]; inputs x", STATUS_INVALID, "tensor 0 (x)");
    if (sizeof(size_t) == 4) { /* sooner: its bytes cannot be counted */
        expect_open_fails(large, STATUS_INVALID, "tensor 0 (x)");
        return;
    }
    kit_text(&m, "%s", large);
    in = kit_interpreter(&m, NULL);
    assert_int_equal(interpreter_allocate(in, &diag), STATUS_LIMIT);
    assert_non_null(strstr(diag.text, "elements, at most"));
    assert_int_equal(interpreter_invoke(in, &diag), STATUS_USAGE);
    interpreter_close(in);
    model_close(&m);
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

static void details(struct model *m)
{
    tensor_of(m, 0)->quantization.details_type = 1;
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
static void type(struct model *m)
{
    tensor_of(m, 0)->type = 99;
}
static void sparse(struct model *m)
{
    tensor_of(m, 0)->sparsity.present = true;
}
static void external(struct model *m)
{
    tensor_of(m, 0)->external_buffer = 4;
}
static void buffer(struct model *m)
{
    tensor_of(m, 0)->buffer = 99;
}
static void variable(struct model *m)
{
    tensor_of(m, 1)->is_variable = true;
}
static void opcode(struct model *m)
{
    operator_of(m)->opcode_index = 99;
}
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
static void no_graph(struct model *m)
{
    m->subgraph_count = 0;
}

TEST(refuses_what_no_verifier_has_seen)
{
    static const struct {
        void (*edit)(struct model *m);
        enum status status;
        const char *text;
    } rows[] = {
        { details, STATUS_UNSUPPORTED, "tensor 0 (x): quantization details of kind 1" },
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
        struct model m, edited;

        kit_text(&m, "ADD x:f32[1,2] w:f32[1,2]=1,1 -> y:f32[1,2]");
        edited = m;
        rows[i].edit(&edited);
        assert_int_equal(interpreter_open(&in, &edited, NULL, &diag), rows[i].status);
        assert_null(in);
        if (!strstr(diag.text, rows[i].text))
            fail_msg("\"%s\" is not in \"%s\"", rows[i].text, diag.text);
        model_close(&m);
    }
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
        struct diag diag = { 0 };
        struct interpreter *in;
        struct model m;

        kit_text(&m,
                 "RESHAPE {new_shape=[1,-1]} x:%s[5] -> y:%s[5]\n"
                 "RESHAPE {new_shape=[1,-1]} y -> z:%s[5]",
                 tensor_type_name(rows[i].type), tensor_type_name(rows[i].type),
                 tensor_type_name(rows[i].type));
        in =
            kit_interpreter(&m, &(struct interpreter_options){ .guard_bytes = 64, .poison = true });
        KIT_OK(interpreter_allocate(in, &diag));
        assert_int_equal(interpreter_tensor(in, 0)->bytes, rows[i].bytes);
        memset(interpreter_tensor(in, 0)->data.raw, 0x1B + (int)i, rows[i].bytes);
        KIT_OK(interpreter_invoke(in, &diag));
        KIT_OK(interpreter_check_guards(in, &diag));
        assert_int_equal(interpreter_tensor(in, 2)->bytes, rows[i].bytes);
        assert_memory_equal(interpreter_tensor(in, 2)->data.raw,
                            interpreter_tensor(in, 0)->data.raw, rows[i].bytes);
        interpreter_close(in);
        model_close(&m);
    }
}
