/* assay_gpu_query_support on described devices; on the device of this machine its result is what a
 * delegate does. */
#include "conformance/tests/kit/nets.h"
#include "delegate/tests/kit/device_kit.h"
#include "reference/runtime/report.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "assay_gpu.h"

/* A delegate that queries, and takes no nodes. */
struct asker {
    TfLiteDelegate base;
    struct assay_gpu_support_query query;
    int result;
    long fail_after; /* the allocation of the query that fails; -1: none */
    int refused;
    char first[128]; /* refusal: "node rule value" */
};

static void note(void *user, const struct assay_gpu_refusal *r)
{
    struct asker *const a = user;

    assert_int_equal(r->struct_size, sizeof *r);
    assert_true(r->op[0] && r->version >= 1 && r->rule[0] && r->field[0] && r->value[0] &&
                r->limit[0] && r->hint[0]);
    if (a->refused++ == 0)
        snprintf(a->first, sizeof a->first, "%d %s %s", r->node, r->rule, r->value);
}

static TfLiteStatus ask(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct asker *const a = delegate->data_;

    if (a->fail_after >= 0)
        mem_fail_after(a->fail_after);
    a->result = assay_gpu_query_support(context, &a->query);
    mem_fail_after(-1);
    return kTfLiteOk;
}

static void ask_failing(struct asker *a, const struct model *m, const char *const *pairs,
                        const struct assay_gpu_device *device, long fail_after)
{
    const struct interpreter_options quiet = { .report = report_nothing };
    const char *keys[8] = { NULL }, *values[8] = { NULL };
    struct interpreter *in CLOSED_BY(kit_interpreter_end);

    *a = (struct asker){
        .base = { .data_ = a, .Prepare = ask },
        .query = { .struct_size = sizeof a->query,
                   .keys = keys,
                   .values = values,
                   .device = device,
                   .refused = note,
                   .user = a },
        .result = -2,
        .fail_after = fail_after,
    };
    for (; pairs[2 * a->query.count]; a->query.count++) {
        keys[a->query.count] = pairs[2 * a->query.count];
        values[a->query.count] = pairs[2 * a->query.count + 1];
    }
    KIT_OK(interpreter_open(&in, m, &quiet, &err));
    KIT_OK(interpreter_apply_delegate(in, &a->base, NULL, &err));
    assert_int_equal(interpreter_partition_count(in), 0); /* nothing was taken */
    assert_int_not_equal(a->result, -2);
}

static void ask_about(struct asker *a, const struct model *m, const char *const *pairs,
                      const struct assay_gpu_device *device)
{
    ask_failing(a, m, pairs, device, -1);
}

#define WITH(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define PLAIN     ((const char *const[]){ NULL })

static struct model net;

FIXTURE(make_net)
{
    net_mobilenet(&net);
    return 0;
}

FIXTURE(drop_net)
{
    model_close(&net);
    return 0;
}

TEST(on_the_least_device)
{
    struct asker a;

    ask_about(&a, &net, PLAIN, NULL);
    assert_int_equal(a.result, 0);
    assert_int_equal(a.query.partitions, 1);
    assert_true(a.query.nodes > 20 && a.query.taken == a.query.nodes);
    assert_int_equal(a.refused, 0);
    assert_int_equal(a.query.activation_bytes, 4816896);
    assert_int_equal(a.query.activation_bound, 4816896);
    assert_true(a.query.constant_bytes > 16000000 && a.query.staging_bytes > 600000);

    ask_about(&a, &net, WITH("precision", "fp16"), NULL);
    assert_int_equal(a.result, 0);
    assert_int_equal(a.query.taken, 0);
    assert_int_equal(a.query.partitions, 0);
    assert_int_equal(a.refused, a.query.nodes);
    assert_string_equal(a.first, "0 limits.storage_16bit false");
}

TEST(on_a_device_that_is_described)
{
    struct assay_gpu_device device = { .struct_size = sizeof device, .storage_16bit = 1 };
    struct asker a;

    ask_about(&a, &net, WITH("precision", "fp16"), &device);
    assert_int_equal(a.query.taken, a.query.nodes);
    assert_int_equal(a.query.activation_bytes, 2408448);
    /* Not enough memory for the one partition: all nodes are refused. */
    device.memory_budget_bytes = 4000000;
    ask_about(&a, &net, WITH("precision", "fp16"), &device);
    assert_int_equal(a.query.taken, 0);
    assert_non_null(strstr(a.first, "0 limits.partition "));
    /* A shorter struct. */
    device.struct_size = offsetof(struct assay_gpu_device, memory_budget_bytes);
    ask_about(&a, &net, WITH("precision", "fp16"), &device);
    assert_int_equal(a.query.taken, a.query.nodes);
    device.struct_size = sizeof device;
    device.storage_16bit = 0;
    ask_about(&a, &net, WITH("precision", "fp16"), &device);
    assert_string_equal(a.first, "0 limits.storage_16bit false");
    device.memory_budget_bytes = 0;
    /* Less than an intermediate tensor of the second block. */
    device.max_storage_buffer_range = 112 * 112 * 64 * 4 - 1;
    ask_about(&a, &net, WITH("max_partitions", "0"), &device);
    assert_true(a.query.taken > 0 && a.refused > 0);
    assert_int_equal(a.query.taken + a.refused, a.query.nodes);
    assert_non_null(strstr(a.first, " limits.tensor_bytes 3211264"));
}

/* The rates of the table, by the class of the device. */
TEST(by_cost)
{
    struct assay_gpu_device device = { .struct_size = sizeof device, .type = "cpu" };
    struct asker a;

    ask_about(&a, &net, WITH("placement", "cost"), &device);
    assert_int_equal(a.result, 0);
    assert_int_equal(a.query.taken, 0);
    assert_non_null(strstr(a.first, "0 option.placement "));
    ask_about(&a, &net, WITH("placement", "cost", "cpu_rate", "100"), &device);
    assert_int_equal(a.query.taken, a.query.nodes);
    snprintf(device.type, sizeof device.type, "discrete");
    device.vendor_id = 0x10de;
    ask_about(&a, &net, WITH("placement", "cost"), &device);
    assert_int_equal(a.query.taken, a.query.nodes);
    /* A struct that ends before the vendor is of no class. */
    device.struct_size = offsetof(struct assay_gpu_device, vendor_id);
    ask_about(&a, &net, WITH("placement", "cost_table", "cpu_rate", "1000000"), &device);
    assert_int_equal(a.query.taken, 0);
    ask_about(&a, &net, WITH("placement", "cost", "cpu_rate", "0"), &device);
    assert_int_equal(a.result, -1);
    assert_non_null(strstr(a.query.error, "cpu_rate"));
}

TEST(with_options)
{
    struct asker a;

    ask_about(&a, &net, WITH("exclude", "DEPTHWISE_CONV_2D", "max_partitions", "0"), NULL);
    assert_int_equal(a.query.partitions, 14);
    assert_int_equal(a.refused, 13);
    assert_string_equal(a.first, "1 option.exclude 1");
    ask_about(&a, &net, WITH("exclude", "DEPTHWISE_CONV_2D", "max_partitions", "1"), NULL);
    assert_int_equal(a.query.partitions, 1);
    /* Those that save time by the table. */
    ask_about(&a, &net, WITH("exclude", "DEPTHWISE_CONV_2D"), NULL);
    assert_in_range(a.query.partitions, 2, 13);
}

TEST(bad_queries)
{
    struct asker a;
    struct assay_gpu_support_query q = { .struct_size = 8 };
    const char *id, *meaning;
    TfLiteContext context = { 0 };
    int i;

    ask_about(&a, &net, WITH("colour", "blue"), NULL);
    assert_int_equal(a.result, -1);
    assert_non_null(strstr(a.query.error, "colour"));
    ask_about(&a, &net, WITH("precision", "fp64"), NULL);
    assert_int_equal(a.result, -1);
    assert_non_null(strstr(a.query.error, "fp64"));
    assert_int_equal(assay_gpu_query_support(&context, &q), -1);
    assert_int_equal(assay_gpu_query_support(NULL, &a.query), -1);
    assert_int_equal(assay_gpu_query_support(&context, NULL), -1);
    for (i = 0; assay_gpu_rule(i, &id, &meaning) == 0; i++)
        assert_true(id[0] && meaning[0]);
    assert_true(i > 80);
    assert_int_equal(assay_gpu_rule(-1, &id, &meaning), -1);
    assert_int_equal(assay_gpu_rule(0, NULL, NULL), 0);
}

/* Each allocation fails once, with partitions, refusals and a partition that is dropped. */
TEST(no_memory)
{
    struct asker a;
    long n = 0;

    do {
        assert_true(n < 10000);
        ask_failing(&a, &net, WITH("exclude", "DEPTHWISE_CONV_2D", "max_partitions", "3"), NULL, n);
        if (a.result != 0)
            assert_true(a.query.error[0]);
        n += n < 50 ? 1 : 37;
    } while (a.result != 0);
    assert_true(n > 20);
    assert_int_equal(a.query.partitions, 3);
}

static void report(const char *text)
{
    print_message("%s\n", text);
}

/* The result for this machine's device is what a delegate does on it. */
TEST(before_and_after)
{
    struct assay_gpu_device device = { .struct_size = sizeof device };
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    struct asker a;
    char error[256];

    if (assay_gpu_devices(&device, 1, error, sizeof error) <= 0) {
        print_message("skipped: asking about the device that is here: %s\n", error);
        skip();
    }
    ask_about(&a, &net, WITH("device", "0", "exclude", "SOFTMAX"), &device);
    DELEGATE_BY(d, tflite_plugin_create_delegate(WITH("device", "exclude"), WITH("0", "SOFTMAX"), 2,
                                                 report));
    assert_non_null(d);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    KIT_OK(interpreter_open(&in, &net, NULL, &err));
    KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(assay_gpu_get_stats(d, &stats), 0);
    assert_int_equal(a.query.partitions, stats.partitions);
    assert_int_equal(a.query.taken, stats.nodes);
    assert_int_equal(a.refused, assay_gpu_refusal_count(d));
    assert_int_equal(a.query.constant_bytes, stats.constant_bytes);
    assert_int_equal(a.query.activation_bytes, stats.activation_bytes);
    assert_int_equal(a.query.staging_bytes, stats.staging_bytes);
}

/* c = a * b of constants, which the delegate folds; y = x + c. */
TEST(folded_nodes_are_taken)
{
    struct asker a;

    MODEL(m, "MUL {} f32[1,4]=1,2,3,4 f32[1,4]=1,2,3,4 -> c; ADD {} x:f32[1,4] c -> y");
    ask_about(&a, &m, PLAIN, NULL);
    assert_int_equal(a.result, 0);
    assert_int_equal(a.query.taken, 2);
    assert_int_equal(a.refused, 0);

    ask_about(&a, &m, WITH("no_transform", "fold"), NULL);
    assert_int_equal(a.result, 0);
    assert_int_equal(a.query.taken, 1);
    assert_string_equal(a.first, "0 binary.constants two");
}

TEST_FILE(.setup = make_net, .teardown = drop_net);
