/* Options of the delegate: every key, defaults, and errors that name key and value. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/plan/memory.h"
#include "delegate/vulkan/device_choose.h"
#include "reference/base/memory.h"

TEST(defaults)
{
    OPTIONS(o, NULL);

    assert_int_equal(o.precision, PRECISION_FP32);
    assert_int_equal(o.wait, WAIT_PASSIVE);
    assert_int_equal(o.poison, POISON_OFF);
    assert_null(o.device);
    assert_null(o.include);
    assert_null(o.exclude);
    assert_true(o.enable_quantization);
    assert_int_equal(o.first_node, -1);
    assert_int_equal(o.last_node, -1);
    assert_int_equal(o.max_partitions, -1);
    assert_int_equal(o.min_nodes, 1);
    assert_int_equal(o.placement, PLACEMENT_NODES);
    assert_int_equal(o.cpu_rate, 40000);
}

TEST(every_key)
{
    OPTIONS(o, "precision", "fp16", "enable_quantization", "False", "wait", "active", "device",
            "llvm", "first_node", "2", "last_node", "7", "include", "CONV_2D,3-5", "exclude",
            "softmax*", "max_partitions", "0", "min_nodes", "4", "placement", "cost", "cpu_rate",
            "500", "no_kernel", "gemm,gemm_int8", "poison", "inf");

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
    assert_int_equal(o.placement, PLACEMENT_COST);
    assert_int_equal(o.cpu_rate, 500);
    assert_false(options_kernel(&o, KERNEL_gemm));
    assert_true(options_kernel(&o, KERNEL_matrix));
    assert_false(options_kernel(&o, KERNEL_gemm_int8));
    assert_int_equal(o.poison, POISON_INF);
}

TEST(precisions)
{
    static const struct {
        const char *value;
        enum gpu_precision precision;
        bool half;
    } rows[] = { { "fp32", PRECISION_FP32, false },
                 { "fp16", PRECISION_FP16, true },
                 { "fast", PRECISION_FAST, true } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gpu_options o =
            gpu_options_of((const char *const[]){ "precision", rows[i].value, NULL });

        assert_int_equal(o.precision, rows[i].precision);
        assert_int_equal(options_half(&o), rows[i].half);
        options_close(&o);
    }
}

TEST(aliases)
{
    OPTIONS(o, "allow_precision_loss", "True", "wait_type", "do_not_wait");

    assert_int_equal(o.precision, PRECISION_FP16);
    assert_int_equal(o.wait, WAIT_NONE);
}

TEST(errors_name_key_and_value)
{
    static const char *const bad[][3] = {
        { "colour", "blue", "colour" },
        { "precision", "fp64", "fp32, fp16, fast, found 'fp64'" },
        { "precision", "", "precision" },
        { "allow_precision_loss", "maybe", "maybe" },
        { "wait", "long", "long" },
        { "device", "", "device" },
        { "first_node", "-1", "-1" },
        { "first_node", "two", "two" },
        { "first_node", "3x", "3x" },
        { "last_node", "99999999999999999999", "9999" },
        { "min_nodes", "0", "min_nodes" },
        { "max_partitions", "-2", "-2" },
        { "no_kernel", "gemm,fast", "fast" },
        { "no_kernel", "", "all, gemm" },
        { "poison", "arsenic", "arsenic" },
        { "profile", "9", "9" },
        { "enable_quantization", "2", "2" },
        { "memory_limit", "0", "memory_limit" },
        { "placement", "speed", "nodes, cost, cost_table, found 'speed'" },
        { "placement", "", "nodes, cost" },
        { "cpu_rate", "0", "from 1 to 1000000000, found '0'" },
        { "cpu_rate", "fast", "fast" },
        { "cpu_rate", "1e9", "1e9" },
        { "memory_limit", "1G", "1G" },
        { "in_place", "sometimes", "sometimes" },
        { "min_nodes", "1000000001", "1000000000, found '1000000001'" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct diag diag = { 0 };
        struct gpu_options o;

        assert_int_equal(options_parse(&o, &bad[i][0], &bad[i][1], 1, &diag), STATUS_USAGE);
        if (!strstr(diag.text, bad[i][0]) || !strstr(diag.text, bad[i][2]))
            fail_msg("%s=%s: \"%s\"", bad[i][0], bad[i][1], diag.text);
    }
}

TEST(bad_calls)
{
    const char *const keys[] = { "first_node", "last_node" };
    const char *const values[] = { "5", "4" };
    const char *const none[] = { NULL };
    struct gpu_options o CLOSED_BY(options_close);

    assert_int_equal(options_parse(&o, NULL, NULL, 1, &err), STATUS_USAGE);
    assert_int_equal(options_parse(&o, keys, none, 1, &err), STATUS_USAGE);
    assert_int_equal(options_parse(&o, keys, values, 2, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "at most last_node, 4, found 5"));
    assert_int_equal(options_parse(&o, NULL, NULL, 0, &err), STATUS_OK);
}

/* Every key is in the help, at the start of a line (an alias after its key), and in the message
 * about an unknown key; each refuses an empty value. */
TEST(every_key_is_told)
{
    const char *const unknown = "colour", *const value = "blue", *const empty = "";
    struct diag known = { 0 };
    struct gpu_options o;
    size_t count = 0;

    assert_int_equal(options_parse(&o, &unknown, &value, 1, &known), STATUS_USAGE);
    for (const char *key; (key = options_key(count)); count++) {
        const char *at = strstr(options_help(), key);
        struct diag diag = { 0 };

        while (at && at != options_help() && !strchr("\n(", at[-1]))
            at = strstr(at + 1, key);
        if (!at || !strstr(known.text, key))
            fail_msg("%s is not in the help, or not in \"%s\"", key, known.text);
        assert_int_equal(options_parse(&o, &key, &empty, 1, &diag), STATUS_USAGE);
        assert_non_null(strstr(diag.text, key));
    }
    assert_true(count > 20);
}

TEST(no_memory_for_a_text)
{
    static const char *const key = "device", *const value = "llvm";
    struct gpu_options o;

    mem_fail_after(0);
    assert_int_equal(options_parse(&o, &key, &value, 1, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    assert_non_null(strstr(err.text, "option device: out of memory"));
}

TEST(memory)
{
    OPTIONS(o, NULL);
    struct device_limits l = gpu_large_limits();

    assert_true(o.in_place);
    assert_true(plan_memory_limit(&o, &l) == UINT64_MAX);
    l.memory_bytes = 5u << 20;
    assert_true(plan_memory_limit(&o, &l) == 5u << 20);
    options_close(&o);
    o = gpu_options_of((const char *const[]){ "memory_limit", "6", "in_place", "0", NULL });
    assert_false(o.in_place);
    assert_true(plan_memory_limit(&o, &l) == 5u << 20);
    l.memory_bytes = 7u << 20;
    assert_true(plan_memory_limit(&o, &l) == 6u << 20);
}

/* ---- the option device ---- */

static struct device_candidate candidate(const char *name, const char *type, bool usable, bool half)
{
    struct device_candidate c = { .info = { .usable = usable, .storage_16bit = half } };

    snprintf(c.info.name, sizeof c.info.name, "%s", name);
    snprintf(c.info.type, sizeof c.info.type, "%s", type);
    snprintf(c.info.why_not, sizeof c.info.why_not, "%s", usable ? "" : "no compute queue");
    return c;
}

TEST(devices)
{
    const struct device_candidate c[] = { candidate("Display", "discrete", false, true),
                                          candidate("Soft Pipe", "cpu", true, true),
                                          candidate("Old Card", "discrete", true, false),
                                          candidate("Card 3", "integrated", true, true) };
    static const struct {
        const char *wanted;
        bool half;
        int index;
        const char *text;
    } rows[] = {
        { NULL, false, 2, NULL },
        { NULL, true, 3, NULL }, /* the best with 16-bit storage */
        { "soft", true, 1, NULL },
        { "1", false, 1, NULL },
        { "card", false, 2, NULL },
        { "card", true, 3, NULL },
        { "Old", true, -1,
          "device 2 'Old Card' lacks storageBuffer16BitAccess, which precision=fp16 needs" },
        { "2", true, -1, "device 2 'Old Card' lacks storageBuffer16BitAccess" },
        { "0", false, -1, "device 0 'Display': no compute queue" },
        { "4", false, -1,
          "device '4': expected an index or a part of a name of 0 'Display', 1 'Soft Pipe'" },
        { "-1", false, -1, "option device '-1': expected an index" },
        { "none", false, -1, "option device 'none': expected an index" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diag diag = { 0 };
        const int got = device_choose(c, 4, rows[i].wanted, rows[i].half, &diag);

        if (got != rows[i].index)
            fail_msg("%s: device %d, expected %d", rows[i].wanted ? rows[i].wanted : "the best",
                     got, rows[i].index);
        if (got >= 0)
            assert_int_equal(diag.status, STATUS_OK);
        else if (diag.status != STATUS_NO_DEVICE || !strstr(diag.text, rows[i].text))
            fail_msg("\"%s\" is not in \"%s\"", rows[i].text, diag.text);
        assert_int_equal(device_choose(c, 4, rows[i].wanted, rows[i].half, NULL), got);
    }
}
