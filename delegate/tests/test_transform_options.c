/* The option no_transform, and the rewrites in the public API. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

TEST(names)
{
    OPTIONS(o, NULL);

    assert_int_equal(o.no_transform, 0);
    options_close(&o);
    for (int i = 0; i < TRANSFORM_COUNT; i++) {
        const char *name = transform_name((enum transform_id)i);

        assert_true(transform_meaning((enum transform_id)i)[0]);
        if (!strstr(options_help(), name))
            fail_msg("the help of the options does not name %s", name);
        o = gpu_options_of((const char *const[]){ "no_transform", name, NULL });
        assert_int_equal(o.no_transform, 1u << i);
        options_close(&o);
    }
    o = gpu_options_of((const char *const[]){ "no_transform", "pad,unused", NULL });
    assert_int_equal(o.no_transform, 1u << TRANSFORM_pad | 1u << TRANSFORM_unused);
    options_close(&o);
    o = gpu_options_of((const char *const[]){ "no_transform", "all", NULL });
    for (int i = 0; i < TRANSFORM_COUNT; i++)
        assert_true(o.no_transform & 1u << i);
}

TEST(unknown_names)
{
    static const char *const wrong[][2] = { { "pads", "expected one of all, fold" },
                                            { "pa", "expected one of all, fold" },
                                            { "pad,", "found ''" },
                                            { "", "found ''" },
                                            { "pad,,fold", "found ''" },
                                            { "all,al", "found 'al'" },
                                            { "pad unused", "found 'pad unused'" } };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct diag diag = { 0 };
        struct gpu_options o;

        assert_int_equal(
            options_parse(&o, (const char *[]){ "no_transform" }, &wrong[i][0], 1, &diag),
            STATUS_USAGE);
        if (!strstr(diag.text, wrong[i][1]) || !strstr(diag.text, "no_transform"))
            fail_msg("\"%s\": \"%s\"", wrong[i][0], diag.text);
    }
}

/* ADD, then RELU: one rewrite, one node less. */
TEST(what_fired)
{
    static const struct transform_case c = { .dims = { 1, 2, 3, 5 },
                                             .text = "ADD {} x z -> t; RELU t -> y" };
    struct assay_gpu_transform t = { .struct_size = sizeof t };
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    struct interpreter *in;

    if (!transform_device)
        skip();
    MODEL_BY(m, transform_model(&c, &m));
    DELEGATE_BY(d, transform_delegate("fp32", "off", "pad"));
    in = transform_run(&m, d);
    assert_int_equal(assay_gpu_get_stats(d, &stats), 0);
    assert_int_equal(stats.nodes, 2);
    assert_int_equal(stats.transforms, 1);
    assert_int_equal(stats.merged, 1);
    assert_int_equal(stats.dispatches, 2 + 1 + 1); /* two loads, ADD+RELU, a store */
    for (int i = 0; i < TRANSFORM_COUNT; i++) {
        assert_int_equal(assay_gpu_get_transform(d, i, &t), 0);
        assert_string_equal(t.name, transform_name((enum transform_id)i));
        assert_int_equal(t.enabled, i != TRANSFORM_pad);
        assert_int_equal(t.applied, i == TRANSFORM_activation);
    }
    assert_int_equal(assay_gpu_get_transform(d, TRANSFORM_COUNT, &t), -1);
    assert_int_equal(assay_gpu_get_transform(d, -1, &t), -1);
    assert_int_equal(assay_gpu_get_transform(NULL, 0, &t), -1);
    assert_int_equal(assay_gpu_get_transform(d, 0, NULL), -1);
    interpreter_close(in);
    assert_int_equal(assay_gpu_get_transform(d, TRANSFORM_activation, &t), 0);
    assert_int_equal(t.applied, 0); /* of the partitions that are there */
}

TEST_FILE(.before = transform_find_device);
