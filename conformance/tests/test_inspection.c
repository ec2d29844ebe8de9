/* `assay inspect`: what it says of a model that runs, of one that is refused, of one that cannot
 * run; as JSON and as text. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/tools/inspect/inspection.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path;

FIXTURE(make_file)
{
    path = scratch("model.tflite");
    return 0;
}

/* The model as text, to the file. */
static void write_text(const char *text)
{
    MODEL(m, "%s", text);

    kit_save(&m, path);
}

/* x, RELU6 to y, ADD of y and a constant to z, then `last` to w. */
static void write_model(int32_t last)
{
    char text[512];

    snprintf(text, sizeof text,
             "tensors \"x\\xff\\x0a\":f32[1,4] y:f32[1,4]q(0.5,3) z:f32[1,4] w:f32[1,4]\n"
             "RELU6 @0 -> y\n"
             "ADD {fused_activation_function=RELU} y c:f32[1,4]=1,2,3,4 -> z\n"
             "%s z -> w",
             builtin_name(last));
    write_text(text);
}

/* What is printed of the model at `path`; the caller frees it. */
static char *inspect(const char *delegate, const char *option,
                     bool (*print)(FILE *f, const struct inspection *n))
{
    const struct string_list options = { &option, option ? 1 : 0 };
    struct inspection n;
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    KIT_OK(inspection_open(&n, path, delegate, &options, true, &err));
    assert_true(print(f, &n));
    inspection_close(&n);
    fclose(f);
    return text;
}

static bool print_json(FILE *f, const struct inspection *n)
{
    inspection_print_json(f, n);
    return true;
}

static json_t *inspect_json(const char *delegate, const char *option)
{
    char *text CLOSED_BY(kit_free) = inspect(delegate, option, print_json);
    json_t *const report = json_loads(text, 0, NULL);

    assert_non_null(report);
    return report;
}

static const char *string_at(json_t *o, const char *list, size_t i, const char *key)
{
    return json_string_value(json_object_get(json_array_get(json_object_get(o, list), i), key));
}

static json_t *value_at(json_t *o, const char *list, size_t i, const char *key)
{
    return json_object_get(json_array_get(json_object_get(o, list), i), key);
}

TEST(a_model_that_is_taken)
{
    json_t *r;

    write_model(BUILTIN_RELU);
    r = inspect_json(mock_path("gpu.so"), NULL);
    assert_int_equal(json_array_size(json_object_get(r, "tensors")), 5);
    assert_string_equal(string_at(r, "tensors", 0, "name"), "x\xef\xbf\xbd\n");
    assert_string_equal(string_at(r, "tensors", 0, "kind"), "input");
    assert_string_equal(string_at(r, "tensors", 0, "type"), "FLOAT32");
    assert_string_equal(string_at(r, "tensors", 1, "kind"), "activation");
    assert_string_equal(string_at(r, "tensors", 3, "kind"), "output");
    assert_string_equal(string_at(r, "tensors", 4, "kind"), "constant");
    assert_int_equal(json_integer_value(value_at(r, "tensors", 4, "bytes")), 16);
    assert_int_equal(
        json_integer_value(json_array_get(
            json_object_get(value_at(r, "tensors", 1, "quantization"), "zero_point"), 0)),
        3);
    assert_int_equal(json_array_size(json_object_get(r, "nodes")), 3);
    assert_string_equal(string_at(r, "nodes", 1, "op"), "ADD");
    assert_string_equal(json_string_value(json_object_get(value_at(r, "nodes", 1, "options"),
                                                          "fused_activation_function")),
                        "RELU");
    for (size_t i = 0; i < 3; i++) {
        assert_true(json_is_true(value_at(r, "nodes", i, "taken")));
        assert_true(json_is_true(value_at(r, "nodes", i, "known")));
        assert_true(json_is_null(value_at(r, "nodes", i, "rule")));
    }
    assert_int_equal(json_integer_value(json_object_get(r, "partitions")), 1);
    assert_string_equal(json_string_value(json_object_get(json_object_get(r, "subject"), "device")),
                        "Mock 3000");
    json_decref(r);
}

TEST(a_model_that_is_refused)
{
    json_t *r;

    write_model(BUILTIN_RELU);
    r = inspect_json(mock_path("gpu.so"), "fault=decline");
    assert_true(json_is_false(value_at(r, "nodes", 0, "taken")));
    assert_true(json_is_null(value_at(r, "nodes", 0, "rule"))); /* the mock blames the last node */
    assert_true(json_is_null(value_at(r, "nodes", 2, "tensor")));
    assert_string_equal(string_at(r, "nodes", 2, "rule"), "mock.rule");
    assert_string_equal(string_at(r, "nodes", 2, "field"), "dims[3]");
    assert_string_equal(string_at(r, "nodes", 2, "limit"), "4");
    assert_true(json_is_null(value_at(r, "nodes", 2, "tensor_name")));
    assert_int_equal(json_integer_value(json_object_get(r, "partitions")), 0);
    json_decref(r);
}

TEST(a_model_without_a_delegate)
{
    json_t *r;

    write_model(BUILTIN_RELU);
    r = inspect_json("none", NULL);
    assert_true(json_is_null(value_at(r, "nodes", 0, "taken")));
    assert_true(json_is_null(json_object_get(r, "not_run")));
    assert_true(json_is_null(json_object_get(r, "partitions")));
    json_decref(r);
}

TEST(a_model_that_cannot_run)
{
    json_t *r;

    write_model(BUILTIN_SEGMENT_SUM);
    r = inspect_json(mock_path("gpu.so"), "fault=decline");
    assert_string_equal(string_at(r, "nodes", 2, "op"), "SEGMENT_SUM");
    assert_true(json_is_false(value_at(r, "nodes", 2, "known")));
    assert_true(json_is_true(value_at(r, "nodes", 0, "known")));
    assert_true(json_is_null(json_object_get(r, "not_run")));
    assert_true(json_is_false(value_at(r, "nodes", 0, "taken"))); /* it was asked */
    assert_string_equal(string_at(r, "nodes", 2, "rule"), "mock.rule");
    json_decref(r);
}

TEST(an_unknown_op_as_text)
{
    char *text CLOSED_BY(kit_free);

    write_model(BUILTIN_SEGMENT_SUM);
    text = inspect(mock_path("gpu.so"), "fault=decline", inspection_print_text);
    assert_non_null(strstr(text, "not run by the reference: unknown op SEGMENT_SUM version 1\n"));
    assert_non_null(strstr(text, "takes 0 of 3 nodes"));
}

/* What runs a model says which op is missing, and what can be done without it. */
TEST(a_session_says_what_it_lacks)
{
    struct session s CLOSED_BY(session_close);

    write_model(BUILTIN_SEGMENT_SUM);
    assert_int_equal(session_open(&s, path, &err), STATUS_OK);
    assert_int_equal(session_start(&s, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "node 2: the op SEGMENT_SUM "));
    assert_non_null(strstr(err.text, "`assay inspect`"));
}

/* One node that the reference cannot prepare, here for its types, leaves the others decided, from
 * the shapes of the file. */
TEST(a_node_that_is_not_prepared)
{
    char *text CLOSED_BY(kit_free);
    json_t *r;

    write_text("tensors x:f32[1,4]~[1,-1] i:i32[1,4] y:f32[1,4] z:f32[1,4] w:f32[1,4]\n"
               "RELU x -> y\nADD AddOptions{} y i -> z\nRELU z -> w\ninputs x i; outputs w");
    r = inspect_json(mock_path("gpu.so"), NULL);
    assert_true(json_is_null(json_object_get(r, "not_run")));
    assert_true(json_is_true(value_at(r, "nodes", 0, "taken")));
    assert_true(json_is_null(value_at(r, "nodes", 0, "not_prepared")));
    assert_true(json_is_null(value_at(r, "nodes", 1, "taken")));
    assert_true(json_is_true(value_at(r, "nodes", 1, "known")));
    assert_non_null(strstr(string_at(r, "nodes", 1, "not_prepared"), "ADD: node 1: "));
    assert_true(json_is_true(value_at(r, "nodes", 2, "taken")));
    assert_int_equal(json_integer_value(json_object_get(r, "partitions")), 2);
    assert_true(json_is_null(value_at(r, "tensors", 1, "shape_signature")));
    assert_int_equal(
        json_integer_value(json_array_get(value_at(r, "tensors", 0, "shape_signature"), 1)), -1);
    json_decref(r);

    text = inspect(mock_path("gpu.so"), NULL, inspection_print_text);
    assert_non_null(strstr(text, "unknown   ADD: node 1: "));
    assert_non_null(strstr(text, "takes 2 of 3 nodes, 2 partitions\n"));
    assert_non_null(strstr(text, "-> (3)  not prepared by the reference, and not offered"));
    assert_non_null(strstr(text, "of [1, -1]  x\n"));
}

TEST(as_text)
{
    char *text CLOSED_BY(kit_free);

    write_model(BUILTIN_RELU);
    text = inspect(mock_path("gpu.so"), NULL, inspection_print_text);
    assert_non_null(strstr(text, "gpu.so on Mock 3000: takes 3 of 3 nodes, 1 partition\n"));
    assert_non_null(strstr(text, "  ADD version 1: 1, taken 1\n"));
    assert_non_null(strstr(text, "fused_activation_function=RELU"));
    assert_non_null(strstr(text, "x\\xff\\x0a\n")); /* the name's line end is no line end */
}

/* Without memory nothing is known of the model: that is no inspection. */
TEST(no_memory)
{
    const struct string_list options = { NULL, 0 };
    long least = 0, most = 1 << 20;

    write_model(BUILTIN_RELU);
    for (long after = 0; after < 1 << 20; after += 1 + after / 8) {
        struct inspection n;
        enum status s;

        mem_fail_after(after);
        s = inspection_open(&n, path, "none", &options, true, &err);
        most = mem_fail_after(-1);
        if (s == STATUS_OK && most > after)
            fail_msg("allocation %ld failed: %s", after, n.why_not);
        if (s != STATUS_OK)
            assert_int_equal(s, STATUS_NO_MEMORY);
        inspection_close(&n);
        if (s == STATUS_OK)
            break;
        least = after;
    }
    assert_true(least > 10);
    assert_true(most <= 1 << 20);
}

/* Names as terminals must not see them. */
TEST(names_are_escaped)
{
    const struct string_list options = { NULL, 0 };
    struct inspection n;
    char *text CLOSED_BY(kit_free) = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    write_model(BUILTIN_RELU);
    assert_int_equal(inspection_open(&n, path, "none", &options, true, &err), STATUS_OK);
    n.path = "a\x1b[2Jb";
    snprintf(n.why_not, sizeof n.why_not, "tensor '\x1b]0;title\a'");
    assert_true(inspection_print_text(f, &n));
    n.path = path;
    inspection_close(&n);
    fclose(f);
    assert_null(memchr(text, 0x1b, bytes));
    assert_non_null(strstr(text, "model     a\\x1b[2Jb\n"));
    assert_non_null(strstr(text, "not run   tensor '\\x1b]0;title\\x07'\n"));
}

/* A named delegate must work; without one, the model is shown anyway. */
TEST(no_device)
{
    const char *option = "fault=no_device";
    const struct string_list options = { &option, 1 };
    struct inspection n;

    write_model(BUILTIN_RELU);
    assert_int_equal(inspection_open(&n, path, mock_path("gpu.so"), &options, true, &err),
                     STATUS_NO_DEVICE);
    inspection_close(&n);
    KIT_OK(inspection_open(&n, path, mock_path("gpu.so"), &options, false, &err));
    assert_int_not_equal(n.why_not[0], '\0');
    assert_int_equal(n.notes[0].state, NODE_UNDECIDED);
    inspection_close(&n);
}

TEST_FILE(.setup = make_file);

/* Names are the file's: what a terminal would obey is written out. */
TEST(nodes_of_composites_name_them)
{
    json_t *r, *composite;
    char *text;

    write_text("NEG {} x:f32[2] -> y:f32[2]\n"
               "STABLEHLO_COMPOSITE {name=\"my\\x0aop\" decomposition_subgraph_index=1 "
               "composite_attributes=flex()} y -> z:f32[2]\n"
               "graph\nABS {} a:f32[2] -> b:f32[2]");
    text = inspect("none", NULL, inspection_print_text);
    assert_non_null(strstr(text, "of the composite my\\x0aop, operator 1 of the file\n"));
    free(text);
    r = inspect_json("none", NULL);
    composite = value_at(r, "nodes", 1, "composite");
    assert_string_equal(json_string_value(json_object_get(composite, "name")), "my\nop");
    assert_int_equal(json_integer_value(json_object_get(composite, "operator")), 1);
    assert_null(value_at(r, "nodes", 0, "composite"));
    json_decref(r);
}
