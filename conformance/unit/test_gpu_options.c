/* Options of the delegate: every key, defaults, and errors that name key and value. */
#include "conformance/unit/gpu_kit.h"

static void defaults(void **state)
{
    struct gpu_options o = gpu_options_of((const char *const[]){ NULL });

    (void)state;
    assert_int_equal(o.precision, PRECISION_FP32);
    assert_int_equal(o.wait, WAIT_PASSIVE);
    assert_int_equal(o.poison, POISON_OFF);
    assert_null(o.device);
    assert_null(o.include);
    assert_null(o.exclude);
    assert_true(o.enable_quantization);
    assert_int_equal(o.first_node, -1);
    assert_int_equal(o.last_node, -1);
    assert_int_equal(o.max_partitions, 1);
    assert_int_equal(o.min_nodes, 1);
    options_close(&o);
}

static void every_key(void **state)
{
    struct gpu_options o = gpu_options_of((const char *const[]){ "precision",
                                                                 "fp16",
                                                                 "enable_quantization",
                                                                 "False",
                                                                 "wait",
                                                                 "active",
                                                                 "device",
                                                                 "llvm",
                                                                 "first_node",
                                                                 "2",
                                                                 "last_node",
                                                                 "7",
                                                                 "include",
                                                                 "CONV_2D,3-5",
                                                                 "exclude",
                                                                 "softmax*",
                                                                 "max_partitions",
                                                                 "0",
                                                                 "min_nodes",
                                                                 "4",
                                                                 "poison",
                                                                 "inf",
                                                                 NULL });

    (void)state;
    assert_int_equal(o.precision, PRECISION_FP16);
    assert_false(o.enable_quantization);
    assert_int_equal(o.wait, WAIT_ACTIVE);
    assert_string_equal(o.device, "llvm");
    assert_int_equal(o.first_node, 2);
    assert_int_equal(o.last_node, 7);
    assert_string_equal(o.include, "CONV_2D,3-5");
    assert_string_equal(o.exclude, "softmax*");
    assert_int_equal(o.max_partitions, 0);
    assert_int_equal(o.min_nodes, 4);
    assert_int_equal(o.poison, POISON_INF);
    options_close(&o);
}

static void aliases(void **state)
{
    struct gpu_options o = gpu_options_of(
        (const char *const[]){ "allow_precision_loss", "True", "wait_type", "do_not_wait", NULL });

    (void)state;
    assert_int_equal(o.precision, PRECISION_FP16);
    assert_int_equal(o.wait, WAIT_NONE);
    options_close(&o);
}

static void errors_name_key_and_value(void **state)
{
    static const char *const bad[][3] = {
        { "colour", "blue", "colour" },      { "precision", "fp64", "fp64" },
        { "precision", "", "precision" },    { "allow_precision_loss", "maybe", "maybe" },
        { "wait", "long", "long" },          { "device", "", "device" },
        { "first_node", "-1", "-1" },        { "first_node", "two", "two" },
        { "first_node", "3x", "3x" },        { "last_node", "99999999999999999999", "9999" },
        { "min_nodes", "0", "min_nodes" },   { "max_partitions", "-2", "-2" },
        { "poison", "arsenic", "arsenic" },  { "profile", "9", "9" },
        { "enable_quantization", "2", "2" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct diag diag = { 0 };
        struct gpu_options o;

        assert_int_equal(options_parse(&o, &bad[i][0], &bad[i][1], 1, &diag), STATUS_USAGE);
        if (!strstr(diag.text, bad[i][0]) || !strstr(diag.text, bad[i][2]))
            fail_msg("%s=%s: \"%s\"", bad[i][0], bad[i][1], diag.text);
    }
}

static void bad_calls(void **state)
{
    const char *const keys[] = { "first_node", "last_node" };
    const char *const values[] = { "5", "4" };
    const char *const none[] = { NULL };
    struct diag diag = { 0 };
    struct gpu_options o;

    (void)state;
    assert_int_equal(options_parse(&o, NULL, NULL, 1, &diag), STATUS_USAGE);
    assert_int_equal(options_parse(&o, keys, none, 1, &diag), STATUS_USAGE);
    assert_int_equal(options_parse(&o, keys, values, 2, &diag), STATUS_USAGE);
    assert_non_null(strstr(diag.text, "behind last_node"));
    assert_int_equal(options_parse(&o, NULL, NULL, 0, &diag), STATUS_OK);
    options_close(&o);
}

static void help_has_every_key(void **state)
{
    static const char *const keys[] = { "precision",
                                        "allow_precision_loss",
                                        "enable_quantization",
                                        "wait",
                                        "device",
                                        "first_node",
                                        "last_node",
                                        "include",
                                        "exclude",
                                        "min_nodes",
                                        "max_partitions",
                                        "poison" };

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(strstr(options_help(), keys[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),  cmocka_unit_test(every_key),
        cmocka_unit_test(aliases),   cmocka_unit_test(errors_name_key_and_value),
        cmocka_unit_test(bad_calls), cmocka_unit_test(help_has_every_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
