/* The interpreter without delegates: values, shapes, dynamic shapes, variables, memory of the
 * caller, guard zones, poison, single nodes, and every allocation failing once. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/runtime/tensor_memory.h"

#include <math.h>

static const int32_t two[] = { 1, 2 };

/* ---- values ---- */

TEST(runs_a_graph)
{
    TfLiteTensor *x;
    size_t count;
    const int *outputs;

    MODEL_BY(m, kit_simple_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    assert_ptr_equal(interpreter_model(in), &m);
    assert_int_equal(interpreter_tensor_count(in), 5);
    assert_int_equal(interpreter_node_count(in), 3);
    assert_string_equal(interpreter_node_op(in, 0)->name, "add");
    assert_int_equal(interpreter_node_version(in, 2), 1);
    assert_int_equal(interpreter_node(in, 1)->outputs->data[0], 3);
    assert_null(interpreter_node_op(in, 3));
    assert_null(interpreter_node(in, -1));
    assert_null(interpreter_tensor(in, 5));
    assert_null(interpreter_tensor(in, -1));
    assert_int_equal(interpreter_partition_count(in), 0);
    assert_int_equal(interpreter_node_partition(in, 0), -1);
    assert_int_equal(interpreter_node_partition(in, 99), -1);

    /* The ABI's view of tensors and nodes. */
    x = interpreter_tensor(in, 0);
    assert_string_equal(x->name, "x");
    assert_int_equal(x->allocation_type, kTfLiteArenaRw);
    assert_int_equal(x->bytes, 8);
    assert_int_equal(x->buffer_handle, -1);
    assert_null(x->data.raw); /* not before allocate */
    assert_int_equal(interpreter_tensor(in, 1)->allocation_type, kTfLiteMmapRo);
    assert_non_null(interpreter_tensor(in, 1)->data.raw);
    assert_int_equal(((const TfLiteAddParams *)interpreter_node(in, 0)->builtin_data)->activation,
                     kTfLiteActNone);
    assert_true(((const TfLiteAddParams *)interpreter_node(in, 0)->builtin_data)->pot_scale_int16);
    assert_null(interpreter_node(in, 1)->builtin_data);

    assert_int_equal(interpreter_invoke(in, &err), STATUS_USAGE); /* not allocated */
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal((uintptr_t)x->data.raw % 64, 0);
    for (int frame = 0; frame < 3; frame++) {
        x->data.f[0] = 2 + (float)frame;
        x->data.f[1] = 2;
        KIT_OK(interpreter_invoke(in, &err));
        outputs = interpreter_outputs(in, &count);
        assert_int_equal(count, 4);
        assert_true(interpreter_tensor(in, outputs[0])->data.f[0] ==
                    (3 + (float)frame) * (3 + (float)frame));
        assert_true(interpreter_tensor(in, outputs[0])->data.f[1] == 0);
        assert_true(interpreter_tensor(in, outputs[1])->data.f[0] == 3 + (float)frame);
        assert_true(x->data.f[0] == 2 + (float)frame); /* inputs keep their value */
        assert_true(interpreter_tensor(in, outputs[3])->data.f[1] == -3);
    }
}

/* A chain needs two tensors at a time, whatever its length. */
TEST(the_arena_is_shared)
{
    MODEL(m, "RELU x:f32[1,16] -> a; RELU a -> b; RELU b -> c; RELU c -> d; RELU d -> e\n"
             "RELU e -> f; RELU f -> g; RELU g -> h; RELU h -> i; RELU i -> j; RELU j -> k");
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_arena_bytes(in), 3 * 64); /* the input stays, and two more */
    interpreter_close(in);
    in = kit_interpreter(&m, &(struct interpreter_options){ .preserve_all = true });
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_arena_bytes(in), 12 * 64);
    interpreter_close(in);
    in = kit_interpreter(&m, &(struct interpreter_options){ .guard_bytes = 1 });
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_arena_bytes(in), 12 * 3 * 64);
}

/* ---- shapes ---- */

TEST(resizes)
{
    MODEL_BY(m, kit_simple_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    /* Against the constant [1, 2], a batch of 3 broadcasts; 3 columns do not fit. */
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 3, 2 }, 2, &err));
    assert_int_equal(interpreter_invoke(in, &err), STATUS_USAGE);
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_tensor(in, 4)->dims->data[0], 3);
    assert_int_equal(interpreter_tensor(in, 4)->bytes, 24);
    kit_invoke(in, 1);

    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 3, 3 }, 2, &err));
    assert_int_equal(interpreter_allocate(in, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "node 0"));
    assert_int_equal(interpreter_invoke(in, &err), STATUS_USAGE);

    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 0, 2 }, 2, &err)); /* nothing to do */
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_tensor(in, 4)->bytes, 0);
    KIT_OK(interpreter_invoke(in, &err));

    KIT_OK(interpreter_resize_input(in, 0, two, 2, &err));
    KIT_OK(interpreter_allocate(in, &err));
    KIT_OK(interpreter_invoke(in, &err));
    KIT_OK(interpreter_resize_input(in, 0, two, 2, &err)); /* the same: nothing is lost */
    KIT_OK(interpreter_invoke(in, &err));

    assert_int_equal(interpreter_resize_input(in, 0, (int32_t[]){ 1, -1 }, 2, &err), STATUS_USAGE);
    assert_int_equal(interpreter_resize_input(in, 0, NULL, 2, &err), STATUS_USAGE);
    assert_int_equal(interpreter_resize_input(in, 0, two, -1, &err), STATUS_USAGE);
    assert_int_equal(interpreter_resize_input(in, 1, two, 2, &err), STATUS_USAGE);
    assert_int_equal(interpreter_resize_input(in, -1, two, 2, &err), STATUS_USAGE);
    assert_int_equal(
        interpreter_resize_input(in, 0, (int32_t[]){ INT32_MAX, INT32_MAX, INT32_MAX }, 3, &err),
        STATUS_USAGE);
    KIT_OK(interpreter_invoke(in, &err));
}

/* x [3] -> RESHAPE by the vector s, an input -> RELU -> ADD with itself. */
static void dynamic_graph(struct model *m)
{
    kit_text(m, "tensors x:f32[12] s:i32[2]\n"
                "RESHAPE x s -> y:f32[1,12]; RELU y -> r:f32[1,12]; ADD {} r r -> z:f32[1,12]");
}

TEST(follows_dynamic_shapes)
{
    static const int32_t shapes[][2] = { { 3, 4 }, { 12, 1 }, { 2, -1 }, { 3, 4 } };
    static const int32_t want[][2] = { { 3, 4 }, { 12, 1 }, { 2, 6 }, { 3, 4 } };
    const TfLiteTensor *z;

    MODEL_BY(m, dynamic_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(
                           &m, &(struct interpreter_options){
                                   .guard_bytes = 64, .poison = true, .poison_word = 0x7FC00000 }));
    z = interpreter_tensor(in, 4);
    for (int round = 0; round < 2; round++) {
        KIT_OK(interpreter_allocate(in, &err));
        for (int i = 2; i < 5; i++)
            assert_int_equal(interpreter_tensor(in, i)->allocation_type, kTfLiteDynamic);
        for (int k = 0; k < 4; k++) {
            TfLiteTensor *x = interpreter_tensor(in, 0);
            for (int i = 0; i < 12; i++)
                x->data.f[i] = (float)(i - 6 + k);
            memcpy(interpreter_tensor(in, 1)->data.i32, shapes[k], sizeof shapes[k]);
            KIT_OK(interpreter_invoke(in, &err));
            KIT_OK(interpreter_check_guards(in, &err));
            assert_int_equal(z->dims->size, 2);
            assert_memory_equal(z->dims->data, want[k], sizeof want[k]);
            assert_int_equal(z->bytes, 48);
            for (int i = 0; i < 12; i++) {
                const float v = (float)(i - 6 + k);
                assert_true(z->data.f[i] == (v > 0 ? 2 * v : 0));
            }
        }
        interpreter_tensor(in, 1)->data.i32[0] = 5; /* 12 elements do not go in 5 x 4 */
        assert_int_equal(interpreter_invoke(in, &err), STATUS_INVALID);
        assert_non_null(strstr(err.text, "node 0"));
        /* Prepared again from the beginning. */
        KIT_OK(interpreter_resize_input(in, 1, (int32_t[]){ 1 }, 1, &err));
        KIT_OK(interpreter_resize_input(in, 1, (int32_t[]){ 2 }, 1, &err));
    }
}

/* Shapes in the file need not fit before the inputs are resized. */
TEST(a_graph_may_need_a_resize_first)
{
    MODEL(m, "ADD {} x:f32[2] c:f32[3]=1,2,3 -> y:f32[2]");
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    assert_int_equal(interpreter_allocate(in, &err), STATUS_INVALID);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 3 }, 1, &err));
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 3);
    assert_true(interpreter_tensor(in, 2)->data.f[2] == interpreter_tensor(in, 0)->data.f[2] + 3);
}

/* ---- variables, memory of the caller ---- */

static void variable_graph(struct model *m)
{
    kit_text(m, "tensors x:f32[1,2] v:f32[1,2]! q:i8[1,2]q(1,-9)!; ADD {} x v -> y");
}

TEST(variables_keep_their_value)
{
    const int *variables;
    size_t count;
    TfLiteTensor *v, *q;

    MODEL_BY(m, variable_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, &(struct interpreter_options){
                                               .poison = true, .poison_word = 0x7FFFFFFF }));
    variables = interpreter_variables(in, &count);
    assert_int_equal(count, 2);
    assert_int_equal(variables[0], 1);
    v = interpreter_tensor(in, 1);
    q = interpreter_tensor(in, 2);
    assert_int_equal(v->allocation_type, kTfLiteArenaRwPersistent);
    assert_true(v->is_variable);
    assert_int_equal(interpreter_reset_variables(in), STATUS_USAGE); /* no memory yet */
    KIT_OK(interpreter_allocate(in, &err));
    assert_true(v->data.f[0] == 0 && v->data.f[1] == 0);
    assert_int_equal(q->data.int8[1], -9); /* zero is the zero point */
    v->data.f[0] = 10;
    for (int i = 0; i < 2; i++) {
        kit_invoke(in, 1);
        assert_true(interpreter_tensor(in, 3)->data.f[0] ==
                    interpreter_tensor(in, 0)->data.f[0] + 10);
    }
    KIT_OK(interpreter_allocate(in, &err)); /* nothing changed: nothing is reset */
    assert_true(v->data.f[0] == 10);
    assert_int_equal(interpreter_reset_variables(in), STATUS_OK);
    assert_true(v->data.f[0] == 0);
}

TEST(takes_memory_of_the_caller)
{
    char *block CLOSED_BY(kit_free) = aligned_alloc(64, 256);

    assert_non_null(block);
    memset(block, 0x55, 256);
    MODEL_BY(m, kit_simple_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    KIT_OK(interpreter_set_custom(in, 0, block, 8, false, &err));
    KIT_OK(interpreter_set_custom(in, 4, block + 64, 8, false, &err));
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_tensor(in, 0)->allocation_type, kTfLiteCustom);
    assert_ptr_equal(interpreter_tensor(in, 0)->data.raw, block);
    ((float *)block)[0] = 4;
    ((float *)block)[1] = 4;
    KIT_OK(interpreter_invoke(in, &err));
    assert_true(((float *)block)[16] == 25 && ((float *)block)[17] == 1);
    for (int i = 72; i < 256; i++)
        assert_int_equal(block[i], 0x55);

    /* Other memory between invokes; the old one is left alone. */
    KIT_OK(interpreter_set_custom(in, 4, block + 128, 8, false, &err));
    KIT_OK(interpreter_invoke(in, &err));
    assert_true(((float *)block)[32] == 25);

    assert_int_equal(interpreter_set_custom(in, 4, block + 4, 8, false, &err), STATUS_USAGE);
    KIT_OK(interpreter_set_custom(in, 4, block + 196, 8, true, &err));
    assert_int_equal(interpreter_set_custom(in, 4, block, 7, false, &err), STATUS_USAGE);
    assert_int_equal(interpreter_set_custom(in, 1, block, 8, false, &err), STATUS_USAGE);
    assert_int_equal(interpreter_set_custom(in, 9, block, 8, false, &err), STATUS_USAGE);
    assert_int_equal(interpreter_set_custom(in, 4, NULL, 8, false, &err), STATUS_USAGE);
    /* Too small after a resize. */
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2, 2 }, 2, &err));
    assert_int_equal(interpreter_allocate(in, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "expected at least 16"));
}

/* ---- guard zones, single nodes, cancelling ---- */

TEST(guards_show_a_write)
{
    TfLiteTensor *s;

    MODEL_BY(m, kit_simple_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, &(struct interpreter_options){ .guard_bytes = 100 }));
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 1);
    KIT_OK(interpreter_check_guards(in, &err));
    s = interpreter_tensor(in, 2);
    assert_int_equal((uintptr_t)s->data.raw % 64, 0);
    s->data.raw[8] ^= 1; /* right behind its 8 bytes */
    assert_int_equal(interpreter_check_guards(in, &err), STATUS_MISMATCH);
    assert_non_null(strstr(err.text, "tensor 2 (s): byte 8,"));
    s->data.raw[8] ^= 1;
    s->data.raw[8 + 127] ^= 1; /* the zone's last byte: 100 is rounded up */
    assert_int_equal(interpreter_check_guards(in, &err), STATUS_MISMATCH);
    s->data.raw[8 + 127] ^= 1;
    s->data.raw[-128] ^= 1;
    assert_int_equal(interpreter_check_guards(in, &err), STATUS_MISMATCH);
    assert_non_null(strstr(err.text, "tensor 2 (s): byte -128,"));
    s->data.raw[-128] ^= 1;
    KIT_OK(interpreter_check_guards(in, &err));
}

/* 7 bytes behind a multiple of 64, rounded down to 4 bytes of a float: the zones lie round it. */
TEST(tensors_lie_at_an_offset)
{
    MODEL_BY(m, kit_simple_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, &(struct interpreter_options){ .guard_bytes = 64,
                                                                          .offset_bytes = 7 }));
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 1);
    KIT_OK(interpreter_check_guards(in, &err));
    for (size_t i = 0; i < interpreter_tensor_count(in); i++) {
        TfLiteTensor *const t = interpreter_tensor(in, (int)i);

        if (t->allocation_type != kTfLiteArenaRw)
            continue;
        assert_int_equal((uintptr_t)t->data.raw % 64, 4);
        t->data.raw[t->bytes + 63] ^= 1;
        assert_int_equal(interpreter_check_guards(in, &err), STATUS_MISMATCH);
        t->data.raw[t->bytes + 63] ^= 1;
    }
}

TEST(guards_hold_the_byte_that_is_set)
{
    TfLiteTensor *s;
    float behind;

    MODEL_BY(m, kit_simple_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, &(struct interpreter_options){ .guard_bytes = 64 }));
    interpreter_set_guards(in, 0x11); /* before there is any */
    KIT_OK(interpreter_allocate(in, &err));
    KIT_OK(interpreter_check_guards(in, &err));
    interpreter_set_guards(in, INTERPRETER_GUARD_BYTE);
    s = interpreter_tensor(in, 2);
    memcpy(&behind, s->data.raw + s->bytes, sizeof behind);
    assert_true(isnan(behind));
    kit_invoke(in, 1);
    interpreter_set_guards(in, 0x5a);
    KIT_OK(interpreter_check_guards(in, &err));
    for (size_t i = 0; i < interpreter_tensor_count(in); i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, (int)i);

        if (t->allocation_type != kTfLiteArenaRw)
            continue;
        for (int at = 0; at < 64; at++) {
            assert_int_equal(t->data.uint8[-1 - at], 0x5a);
            assert_int_equal(t->data.uint8[t->bytes + (size_t)at], 0x5a);
        }
    }
    KIT_OK(interpreter_invoke(in, &err));
    KIT_OK(interpreter_check_guards(in, &err));
    s->data.uint8[s->bytes] = INTERPRETER_GUARD_BYTE;
    assert_int_equal(interpreter_check_guards(in, &err), STATUS_MISMATCH);
}

TEST(poison_covers_what_invoke_writes)
{
    MODEL_BY(m, variable_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, &(struct interpreter_options){ .poison = true,
                                                                          .poison_word = 0x11223344,
                                                                          .cancellable = true }));
    KIT_OK(interpreter_allocate(in, &err));
    kit_fill_inputs(in, 1);
    tensor_memory_poison(in); /* what invoke does first */
    assert_int_equal(interpreter_tensor(in, 3)->data.u32[0], 0x11223344);
    assert_int_equal(interpreter_tensor(in, 3)->data.u32[15], 0x11223344); /* the unused rest */
    assert_true(interpreter_tensor(in, 0)->data.u32[0] != 0x11223344);
    assert_int_equal(interpreter_tensor(in, 1)->data.u32[0], 0);
    KIT_OK(interpreter_invoke(in, &err));
    assert_true(interpreter_tensor(in, 3)->data.u32[0] != 0x11223344);
    assert_int_equal(interpreter_cancel(in), STATUS_OK); /* forgotten by the next invoke */
    KIT_OK(interpreter_invoke(in, &err));
    interpreter_close(in);

    in = kit_interpreter(&m, NULL);
    assert_int_equal(interpreter_cancel(in), STATUS_USAGE);
}

TEST(evaluates_one_node)
{
    double value[2], magnitude[2], terms[2];
    struct ref_detail detail = { value, magnitude, terms, NULL };

    MODEL_BY(m, kit_simple_graph(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, &(struct interpreter_options){ .preserve_all = true }));
    assert_int_equal(interpreter_eval_node(in, 2, &detail, &err), STATUS_USAGE);
    KIT_OK(interpreter_allocate(in, &err));
    interpreter_tensor(in, 3)->data.f[0] = 3;
    interpreter_tensor(in, 3)->data.f[1] = -0.1f;
    KIT_OK(interpreter_eval_node(in, 2, &detail, &err));
    assert_true(value[0] == 9 && interpreter_tensor(in, 4)->data.f[0] == 9);
    assert_true(value[1] == (double)-0.1f * (double)-0.1f);
    assert_true(interpreter_tensor(in, 4)->data.f[1] == (float)value[1]);
    assert_true(interpreter_tensor(in, 2)->data.f[0] == 0); /* no other node ran */
    assert_int_equal(interpreter_eval_node(in, 3, &detail, &err), STATUS_USAGE);
    assert_int_equal(interpreter_eval_node(in, -1, NULL, &err), STATUS_USAGE);
    interpreter_close(in);
    in = kit_interpreter(&m, NULL);
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_eval_node(in, 2, NULL, &err), STATUS_USAGE);
}

/* ---- every allocation fails once ---- */

static enum status one_life(const struct model *m, struct diag *diag)
{
    struct interpreter *in;
    enum status s = interpreter_open(&in, m, NULL, diag);

    if (s != STATUS_OK)
        return s;
    s = interpreter_allocate(in, diag);
    if (s == STATUS_OK) {
        memset(interpreter_tensor(in, 0)->data.raw, 0, interpreter_tensor(in, 0)->bytes);
        if (interpreter_tensor(in, 1)->type == kTfLiteInt32) {
            interpreter_tensor(in, 1)->data.i32[0] = 4;
            interpreter_tensor(in, 1)->data.i32[1] = 3;
        }
        s = interpreter_invoke(in, diag);
    }
    if (s == STATUS_OK)
        s = interpreter_resize_input(in, 0, (int32_t[]){ 2, 6 }, 2, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, diag);
    interpreter_close(in);
    return s;
}

TEST(survives_failed_allocations)
{
    void (*const graphs[])(struct model *) = { dynamic_graph, kit_folding_graph, variable_graph };

    for (size_t g = 0; g < 3; g++) {
        enum status want, s;
        long n = 0;

        struct model m CLOSED_BY(model_close);
        graphs[g](&m);
        mem_fail_after(-1);
        want = one_life(&m, &err); /* the last resize fits the first graph only */
        do {
            mem_fail_after(n++);
            s = one_life(&m, &err);
            mem_fail_after(-1);
            assert_true(s == want || s == STATUS_NO_MEMORY);
        } while (s != want && n < 1000);
        assert_int_equal(s, want);
        assert_true(n > 20);
    }
}

/* Leaks show under the sanitizer or valgrind. */
TEST(opens_and_closes_often)
{
    MODEL_BY(m, dynamic_graph(&m));
    for (int i = 0; i < 1000; i++)
        KIT_OK(one_life(&m, &err));
}
