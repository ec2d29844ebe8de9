/* Kinds of nodes in words, their counts, and the shares of real nodes that have a case. */
#include "conformance/suite/census/cover.h"
#include "conformance/suite/census/real_nodes.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/tests/kit/test.h"
#include "reference/text/model_text.h"

#include <string.h>

static void count(struct census *c, const char *text, int fields)
{
    const struct model_text source = { .text = text, .count = strlen(text), .as_written = true };
    struct tflite_file file;
    struct model m;

    if (model_text_read(&source, &file, &err) != STATUS_OK ||
        tflite_read(&m, file.bytes, file.count, &err) != STATUS_OK)
        fail_msg("%s\n%s", err.text, text);
    assert_int_equal(census_add_model(c, &m, fields, &err), STATUS_OK);
    model_close(&m);
    mem_free(file.bytes);
}

TEST(kinds_in_words)
{
    static const struct {
        const char *text, *kind;
    } rows[] = {
        { "ADD {} x:f32[1,2,2,4] f32[4]=1,2,3,4 -> y", "ADD\tf32:4,f32:1c\t\t1\tbroadcast" },
        { "ADD {} x:f32[1,4] y:f32[1,4] -> z", "ADD\tf32:2,f32:2\t\t1\t" },
        { "MUL {fused_activation_function=RELU6} x:f32[4] y:f32[4] -> z",
          "MUL\tf32:1,f32:1\tfused_activation_function=RELU6\t1\t" },
        { "CONV_2D {padding=VALID stride_w=1 stride_h=2} x:f32[1,4,4,2] f32[3,3,1,2]=0 "
          "f32[3]=0 -> y",
          "CONV_2D\tf32:4,f32:4c,f32:1c\tpadding=VALID stride_w=1 stride_h=2 filter=3x1\t1\t" },
        { "FULLY_CONNECTED {} x:f32[1,4] f32[2,4]=0 - -> y",
          "FULLY_CONNECTED\tf32:2,f32:2c,-\t\t1\t" },
        { "RESHAPE {} x:f32[2,2] i32[1]=4 -> y", "RESHAPE\tf32:2,i32:1c\t\t1\t" },
        { "CUSTOM(NoSuchOp) x:f32[1,4] -> a:f32[1,4]", "CUSTOM:NoSuchOp\tf32:2\t\t1\t" },
        { "CONCATENATION {axis=-1} a:f32[1] b:f32[1] c:f32[1] d:f32[1] e:f32[1] -> y",
          "CONCATENATION\tf32:1,f32:1,f32:1,f32:1,+1\taxis=-1\t1\t" },
        { "DEQUANTIZE x:i8[2]q(0.5,3) -> y:f32[2]", "DEQUANTIZE\ti8:1/q\t\t1\t" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct census c CLOSED_BY(census_close) = { .count = 0 };

        count(&c, rows[i].text, CENSUS_FIELDS);
        assert_int_equal(c.count, 1);
        assert_string_equal(c.kinds[0].text, rows[i].kind);
    }
}

TEST(nodes_and_models)
{
    struct census c CLOSED_BY(census_close) = { .count = 0 };

    count(&c, "NEG x:f32[1] -> a\nNEG a -> b\nABS b -> y", 1);
    count(&c, "NEG x:f32[4] -> y", 1);
    census_sort_by_nodes(&c);
    assert_int_equal(c.models, 2);
    assert_int_equal(c.nodes, 4);
    assert_int_equal(c.count, 2);
    assert_string_equal(c.kinds[0].text, "NEG");
    assert_int_equal(c.kinds[0].nodes, 3);
    assert_int_equal(c.kinds[0].models, 2);
    assert_int_equal(c.kinds[1].models, 1);
}

TEST(custom_ops_without_a_row_are_left_out)
{
    assert_true(cover_leaves_out("CUSTOM:NoSuchOp\tf32:2"));
    assert_false(cover_leaves_out("CUSTOM:MaxUnpooling2D\tf32:4,i32:4"));
    assert_false(cover_leaves_out("ADD\tf32:2,f32:2"));
}

/* A kind below a bar wants a row in the suite of its op: `assay census --missing` lists them. */
TEST(real_nodes_have_cases)
{
    struct census real = { .count = 0 }, cases;
    const struct census_kind *k;
    struct cover_sum sum;

    for (size_t i = 0; (k = real_nodes_at(i)) != NULL; i++)
        assert_int_equal(census_add(&real, k, &err), STATUS_OK);
    assert_int_equal(cover_open(&cases, true, &err), STATUS_OK);
    sum = cover_sum(&cases, &real);
    if (cover_share(&sum, CENSUS_OPERANDS + 1) < 0.99)
        fail_msg("%.2f %% of real nodes share op and operands with a case, expected 99",
                 100 * cover_share(&sum, CENSUS_OPERANDS + 1));
    if (cover_share(&sum, CENSUS_OPTIONS + 1) < 0.97)
        fail_msg("%.2f %% of real nodes share op, operands and options with a case, expected 97",
                 100 * cover_share(&sum, CENSUS_OPTIONS + 1));
    census_close(&real);
    census_close(&cases);
}
