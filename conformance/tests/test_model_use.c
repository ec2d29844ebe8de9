/* What of a model is run: signatures, shapes of inputs, and models of which the reference knows
 * some nodes only; as a model, in text and in JSON. */
#include "conformance/suite/io/model_file.h"
#include "conformance/suite/io/model_use.h"
#include "conformance/suite/subject/session.h"
#include "reference/format/write.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <stdlib.h>
#include <string.h>

/* The first subgraph calls the others, of which the second has a signature, too. */
static const char two[] =
    MODEL_FILE_PREFIX "WHILE {cond_subgraph_index=2 body_subgraph_index=1} x:bool[4] -> y:bool[4]\n"
                      "signature prefill in=x -> out=y\n"
                      "graph\n"
                      "LOGICAL_NOT a:bool[4]~[-1] -> b\n"
                      "signature decode ids=a -> out=b\n"
                      "graph\n"
                      "REDUCE_ANY {} r:bool[4] i32[1]=0 -> s:bool[]";

static const char unknown[] = MODEL_FILE_PREFIX "RELU x:f32[1,4] -> a\n"
                                                "CUSTOM(NoSuchOp) a -> b:f32[1,2]\n"
                                                "CUSTOM(NoSuchOp) c:f32[2]=1,2 -> d:f32[2]\n"
                                                "ADD {} b d -> e\n"
                                                "CUSTOM(NoSuchOp) e -> f:f32[1,2]\n"
                                                "NEG f -> g";

static struct model_use use;
static struct session session;

FIXTURE(forget)
{
    session_close(&session);
    model_use_close(&use);
    return 0;
}

static void choose(const char *path, const char *signature, const char *const *shapes, size_t count)
{
    use.signature = signature;
    use.shapes = (struct string_list){ (const char **)shapes, count };
    KIT_OK(model_use_choose(&use, path, &err));
    KIT_OK(session_open(&session, path, &err));
    KIT_OK(session_start(&session, &err));
}

static char *text_of(void)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    model_use_print(f, &use, &session.model, session.in, 10);
    fclose(f);
    return text;
}

TEST(the_first_subgraph)
{
    char *text CLOSED_BY(kit_free);
    json_t *o = json_object();

    choose(two, NULL, NULL, 0);
    text = text_of();
    assert_string_equal(text, "signature prefill, of prefill, decode (--signature=KEY)\n");
    model_use_json(o, &use, &session.model, session.in);
    assert_string_equal(json_string_value(json_object_get(o, "signature")), "prefill");
    assert_int_equal(json_array_size(json_object_get(o, "signatures")), 2);
    json_decref(o);
}

/* Its calls are those of before, the signature is first, and a size that the file leaves open. */
TEST(another_signature)
{
    static const char *const shapes[] = { "a:5" };
    char *text CLOSED_BY(kit_free);

    choose(two, "decode", shapes, 1);
    assert_int_equal(
        options_int(&session.model.subgraphs[1].operators[0].options, "body_subgraph_index"), 0);
    assert_int_equal(
        interpreter_tensor(session.in, interpreter_inputs(session.in, &(size_t){ 0 })[0])
            ->dims->data[0],
        5);
    assert_string_equal(session.model.signatures[0].key.text, "decode");
    assert_int_equal(session.model.signatures[0].subgraph_index, 0);
    assert_int_equal(session.model.signatures[1].subgraph_index, 1);
    text = text_of();
    assert_string_equal(text, "signature decode, of decode, prefill (--signature=KEY)\n"
                              "sizes     input a is [-1] in the file, and [5] here; "
                              "--input-shape=a:DIMS gives others\n");
}

/* By the name in the signature; a size that the file fixes may be another, too. */
TEST(a_shape)
{
    static const char *const shapes[] = { "ids:3,6" };

    choose(two, "decode", shapes, 1);
    assert_int_equal(session.model.subgraphs[0].tensors[0].shape.data[1], 6);
    assert_int_equal(session.model.subgraphs[0].tensors[0].shape_signature.count, 0);
}

TEST(what_is_refused)
{
    static const struct {
        const char *signature, *shape, *why;
        enum status status;
    } rows[] = {
        { "train", NULL, "--signature=train: the model has the signatures prefill, decode",
          STATUS_USAGE },
        { NULL, "x", "--input-shape=x: expected NAME:DIMS", STATUS_USAGE },
        { NULL, ":1", "--input-shape=:1: expected NAME:DIMS", STATUS_USAGE },
        { NULL, "a:2,4", "--input-shape=a:2,4: the model has the inputs x", STATUS_USAGE },
        { NULL, "x:", "sizes from 1 on", STATUS_USAGE },
        { NULL, "x:0", "sizes from 1 on", STATUS_USAGE },
        { NULL, "x:2,", "sizes from 1 on", STATUS_USAGE },
        { NULL, "x:2x3", "sizes from 1 on", STATUS_USAGE },
        { NULL, "x:2147483648", "sizes from 1 on", STATUS_USAGE },
        { NULL, "x:1,1,1,1,1,1,1,1,1", "up to 8 sizes", STATUS_USAGE },
        { NULL, "x:65536,65536", "4294967296 elements, at most", STATUS_LIMIT },
        { NULL, "x:2147483647,2147483647,2147483647", "elements, at most", STATUS_LIMIT },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct string_list shapes = { (const char **)&rows[i].shape, rows[i].shape != NULL };
        struct model_use u CLOSED_BY(model_use_close) = { .signature = rows[i].signature,
                                                          .shapes = shapes };
        struct diag diag = { .status = STATUS_OK };

        assert_int_equal(model_use_choose(&u, two, &diag), rows[i].status);
        if (!strstr(diag.text, rows[i].why))
            fail_msg("%s: %s", rows[i].why, diag.text);
    }
}

/* The nodes that are known, as one model, also where one that is not reads constants alone. */
TEST(unknown_nodes_are_cut_out)
{
    char missing[200], *text;
    json_t *o = json_object(), *first;
    size_t count;

    KIT_OK(session_open(&session, unknown, &err));
    assert_int_equal(session_start(&session, &err), STATUS_UNSUPPORTED);
    assert_false(model_use_cut(&use, unknown, STATUS_IO, &err));
    assert_true(model_use_cut(&use, unknown, STATUS_UNSUPPORTED, &err));
    assert_int_equal(use.left_count, 3);
    assert_int_equal(use.left[1].node, 2);
    session_close(&session);
    choose(unknown, NULL, NULL, 0);
    assert_int_equal(interpreter_node_count(session.in), 3);
    interpreter_inputs(session.in, &count);
    assert_int_equal(count, 4); /* x, b, d, f */
    interpreter_outputs(session.in, &count);
    assert_int_equal(count, 3); /* a, e, g */
    assert_int_equal(model_use_node(&use, 0), 0);
    assert_int_equal(model_use_node(&use, 1), 3);
    assert_int_equal(model_use_node(&use, 2), 5);

    model_use_missing(&use, missing, sizeof missing);
    assert_string_equal(missing, "3 of 6 nodes were not run: node 1, NoSuchOp, and others");
    text = text_of();
    assert_non_null(strstr(text, "not run   node 2: the custom op \"NoSuchOp\" version 1"));
    assert_non_null(strstr(text, "3 of 6 nodes are run, as a model of their own"));
    free(text);
    model_use_json(o, &use, &session.model, session.in);
    first = json_array_get(json_object_get(o, "nodes_not_run"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "index")), 1);
    assert_string_equal(json_string_value(json_object_get(first, "op")), "NoSuchOp");
    json_decref(o);
}

/* Types that the reference lacks, beside a loop, whose bodies come along. */
TEST(types_beside_a_loop)
{
    struct tflite_file file;
    struct model m;

    kit_text(&m, "tensors n:i32[1] k:i32[1] x:f32[1] i:i32[1] y:f32[1] z:f32[1]\n"
                 "WHILE {cond_subgraph_index=1 body_subgraph_index=2} n -> k\n"
                 "ADD {} x i -> y\n"
                 "NEG y -> z\n"
                 "inputs n x i; outputs k z\n"
                 "graph\n"
                 "LESS {} a:i32[1] i32[1]=3 -> bool[1]\n"
                 "graph\n"
                 "ADD {} b:i32[1] i32[1]=1 -> i32[1]");
    KIT_OK(tflite_write(&m, &file, &err));
    model_close(&m);
    KIT_OK(model_file_replace("types.tflite", &file, &err));
    assert_true(model_use_cut(&use, "types.tflite", STATUS_UNSUPPORTED, &err));
    assert_int_equal(use.left_count, 1);
    assert_non_null(strstr(use.left[0].why, "type i32, expected f32"));
    choose("types.tflite", NULL, NULL, 0);
    assert_int_equal(interpreter_node_count(session.in), 2);
    interpreter_tensor(session.in, 0)->data.i32[0] = 1;
    KIT_OK(interpreter_invoke(session.in, &err));
    assert_int_equal(interpreter_tensor(session.in, 1)->data.i32[0], 3);
}

TEST(nothing_is_left)
{
    static const char one[] = MODEL_FILE_PREFIX "CUSTOM(NoSuchOp) x:f32[1,4] -> y:f32[1,4]";

    assert_false(model_use_cut(&use, one, STATUS_UNSUPPORTED, &err));
    model_use_close(&use);
    /* Nor where all are known. */
    assert_false(
        model_use_cut(&use, MODEL_FILE_PREFIX "RELU x:f32[1,4] -> y", STATUS_UNSUPPORTED, &err));
    assert_int_equal(use.left_count, 0);
}

TEST_FILE(.each_teardown = forget);
