/* Every rule of delegate/accept/rules.def: a graph that passes, one that fails, one at the
 * boundary.  They are rows of fuzz/hostile: those of its bases pass; a row that fails a rule says
 * so under `delegate`, one at a boundary under `boundary`.  A rule needs a row that fails and one
 * at the boundary.  What the delegate makes of each row is seen here without a device;
 * test_hostile_models runs the rows. */
#include "delegate/tests/kit/gpu_kit.h"
#include "delegate/tests/kit/hostile_run.h"
#include "reference/tests/kit/test.h"

#include "delegate/graph/import.h"
#include "delegate/runtime/partition.h"

#include <math.h>

enum { FAILS, BOUNDARY, KINDS };

static bool seen[RULE_COUNT][KINDS];
static struct hostile_table table;

static void all_present(const struct refusal *r)
{
    assert_non_null(r->rule);
    assert_string_equal(r->rule, rule_id(r->id));
    assert_true(r->op[0] && r->field[0] && r->value[0] && r->limit[0]);
    assert_true(r->hint && r->hint[0]);
    assert_true(r->tensor < 0 || r->tensor_name[0]);
}

static bool check_row(const struct hostile_row *row)
{
    struct hostile_outcome o;

    hostile_row_decide(row, &o);
    if (hostile_judge_delegate(row, &o, &err) == STATUS_OK)
        return true;
    print_error("%s:%d: %s: %s\n", row->file, row->line, row->name, err.text);
    return false;
}

/* The rule whose id stands at the text, up to a blank. */
static int find_rule(const char *text)
{
    const size_t length = strcspn(text, " ");

    for (int i = 0; i < RULE_COUNT; i++)
        if (strlen(rule_id((enum rule)i)) == length &&
            strncmp(rule_id((enum rule)i), text, length) == 0)
            return i;
    return -1;
}

static void note_rules(const struct hostile_row *row)
{
    const int fails = find_rule(row->rule);

    if (fails >= 0)
        seen[fails][FAILS] = true;
    for (const char *text = row->boundary; text && *text;
         text += strcspn(text, " "), text += strspn(text, " ")) {
        const int rule = find_rule(text);

        if (rule < 0 || rule == fails)
            fail_msg("%s:%d: %s: no such boundary: %s", row->file, row->line, row->name, text);
        seen[rule][BOUNDARY] = true;
    }
}

FIXTURE(open_table)
{
    setenv("ASSAY_LIMITS", "activation_bytes=64M,folded_bytes=64M", 1);
    if (hostile_table_read(&table, "fuzz/hostile", &err) == STATUS_OK)
        return 0;
    fprintf(stderr, "test_rules: %s\n", err.text);
    return 1;
}

FIXTURE(close_table)
{
    hostile_table_close(&table);
    return 0;
}

TEST_FILE(.setup = open_table, .teardown = close_table);

TEST(rows_of_the_table)
{
    int wrong = 0;

    for (size_t i = 0; i < table.count; i++) {
        if (table.rows[i].pending)
            continue;
        wrong += !check_row(&table.rows[i]);
        note_rules(&table.rows[i]);
    }
    assert_int_equal(wrong, 0);
}

/* In half precision, too; how they pass in single is what their rows say. */
TEST(bases_pass)
{
    int bases = 0, wrong = 0;

    for (size_t i = 0; i < table.count; i++) {
        struct hostile_row row = table.rows[i];

        if (!row.is_base)
            continue;
        assert_string_equal(row.rule, "taken");
        row.options = "precision=fp16";
        wrong += !check_row(&row);
        bases++;
    }
    assert_int_equal(wrong, 0);
    assert_true(bases > 50);
}

/* ---- partitions, as the host makes them ---- */

/* x -> RELU -> RELU6 -> LOGISTIC -> RELU, with LOGISTIC excluded: partitions of two nodes and one.
 */
static void make_parts(struct model *m)
{
    struct builder b;
    int t[5];

    builder_init(&b);
    for (int i = 0; i < 5; i++)
        t[i] = builder_tensor(&b, TENSOR_FLOAT32, "t", 2, (int32_t[]){ 100, 4 });
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[0], 1, &t[1]);
    builder_op(&b, BUILTIN_RELU6, 1, NULL, 1, &t[1], 1, &t[2]);
    builder_op(&b, BUILTIN_LOGISTIC, 1, NULL, 1, &t[2], 1, &t[3]);
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[3], 1, &t[4]);
    builder_inputs(&b, 1, &t[0]);
    builder_outputs(&b, 1, &t[4]);
    KIT_OK(builder_finish(&b, m, &err));
}

struct parts {
    const char *key, *value;
    struct device_limits limits;
    const char *taken;      /* of the four nodes: "xx.x" */
    enum rule rule;         /* of the nodes beside LOGISTIC that are not taken */
    struct refusal refusal; /* out: the first of them */
    bool no_preview;
    bool circle;               /* the first node reads what the last one writes */
    struct device_rates rates; /* for placement=cost */
};

static TfLiteStatus parts_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct parts *p = delegate->data_;
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of((const char *const[]){
        "exclude", "LOGISTIC", "cpu_rate", "100", "max_partitions", "0", p->key, p->value, NULL });
    char got[5] = { 0 };
    struct graph g CLOSED_BY(graph_close);

    KIT_OK(graph_import(&g, context, &err));
    struct decision d CLOSED_BY(decision_close);
    KIT_OK(decision_make(&d, &g, &o, &p->limits, &err));
    d.rates.device = p->rates;
    if (p->no_preview)
        context->PreviewDelegatePartitioning = NULL;
    if (p->circle)
        g.tensors[g.nodes[0].inputs[0]].producer = 3;
    KIT_OK(partition_apply_limits(context, &o, &p->limits, &g, &d, &err));
    for (int i = 0; i < 4; i++)
        got[i] = d.take[i] ? 'x' : '.';
    if (strcmp(got, p->taken) != 0)
        fail_msg("%s=%s: %s, expected %s", p->key ? p->key : "", p->value ? p->value : "", got,
                 p->taken);
    for (int i = 0; i < d.refusal_count; i++) {
        all_present(&d.refusals[i]);
        if (d.refusals[i].host_node == 2)
            continue;
        assert_string_equal(d.refusals[i].rule, rule_id(p->rule));
        p->refusal = d.refusals[i];
        seen[p->rule][FAILS] = true;
    }
    return kTfLiteOk;
}

static struct refusal look_parts(const struct model *m, struct parts parts)
{
    TfLiteDelegate delegate = { .data_ = &parts, .Prepare = parts_prepare };
    struct interpreter *in CLOSED_BY(kit_interpreter_end);

    KIT_OK(interpreter_open(&in, m, NULL, &err));
    KIT_OK(interpreter_apply_delegate(in, &delegate, NULL, &err));
    return parts.refusal;
}

TEST(partitions)
{
    const struct device_limits limits = gpu_large_limits();
    struct refusal r;

    MODEL_BY(m, make_parts(&m));
    look_parts(&m, (struct parts){ .limits = limits, .taken = "xx.x" });
    r = look_parts(&m, (struct parts){ .key = "min_nodes",
                                       .value = "2",
                                       .limits = limits,
                                       .taken = "xx..",
                                       .rule = RULE_OPTION_MIN_NODES });
    assert_string_equal(r.value, "1");
    assert_non_null(strstr(r.limit, "at least 2"));
    look_parts(&m, (struct parts){ .key = "min_nodes",
                                   .value = "3",
                                   .limits = limits,
                                   .taken = "....",
                                   .rule = RULE_OPTION_MIN_NODES });
    look_parts(
        &m, (struct parts){ .key = "min_nodes", .value = "1", .limits = limits, .taken = "xx.x" });
    seen[RULE_OPTION_MIN_NODES][BOUNDARY] = true;
    /* The one node computes 800 elements in 64 us on the CPU, the two twice as many. */
    r = look_parts(&m, (struct parts){ .key = "placement",
                                       .value = "cost",
                                       .limits = limits,
                                       .taken = "xx..",
                                       .rule = RULE_OPTION_PLACEMENT,
                                       .rates = { 63, 1, 1e300, 1e300 } });
    assert_string_equal(r.value, "64.0 us");
    assert_string_equal(r.limit, "less than 64.0 us, the CPU's");
    look_parts(&m, (struct parts){ .key = "placement",
                                   .value = "cost",
                                   .limits = limits,
                                   .taken = "xx.x",
                                   .rates = { 63, 0.5, 1e300, 1e300 } });
    seen[RULE_OPTION_PLACEMENT][BOUNDARY] = true;
    look_parts(&m, (struct parts){ .key = "max_partitions",
                                   .value = "1",
                                   .limits = limits,
                                   .taken = "xx..",
                                   .rule = RULE_OPTION_MAX_PARTITIONS });
    look_parts(&m, (struct parts){
                       .key = "max_partitions", .value = "2", .limits = limits, .taken = "xx.x" });
    /* The default takes the largest whatever it costs, and others that save time. */
    r = look_parts(&m, (struct parts){ .key = "max_partitions",
                                       .value = "-1",
                                       .limits = limits,
                                       .taken = "xx..",
                                       .rule = RULE_OPTION_MAX_PARTITIONS,
                                       .rates = { 63, 1, 1e300, 1e300 } });
    assert_string_equal(r.value, "64.0 us");
    assert_string_equal(r.limit, "less than 64.0 us, the CPU's");
    look_parts(&m, (struct parts){ .key = "max_partitions",
                                   .value = "-1",
                                   .limits = limits,
                                   .taken = "xx.x",
                                   .rates = { 63, 0.5, 1e300, 1e300 } });
    seen[RULE_OPTION_MAX_PARTITIONS][BOUNDARY] = true;
    look_parts(&m, (struct parts){ .key = "max_partitions",
                                   .value = "1",
                                   .limits = limits,
                                   .no_preview = true,
                                   .taken = "xx.x" });
    look_parts(&m,
               (struct parts){
                   .limits = limits, .circle = true, .taken = "....", .rule = RULE_GRAPH_ORDER });
    seen[RULE_GRAPH_ORDER][BOUNDARY] = true;
}

TEST(memory_of_partitions)
{
    struct device_limits limits = gpu_large_limits();
    const struct parts none = { .taken = "....", .rule = RULE_LIMITS_PARTITION };
    struct parts parts = none;
    unsigned long long need;
    struct refusal r;
    char text[64];

    MODEL_BY(m, make_parts(&m));
    parts.limits = limits;
    parts.limits.memory_bytes = 1;
    r = look_parts(&m, parts);
    assert_int_equal(sscanf(r.value, "%llu bytes", &need), 1);
    assert_int_equal(need, 3 * 1792); /* input, tensor and output of 1600, aligned */
    parts.limits.memory_bytes = need - 1;
    r = look_parts(&m, parts);
    snprintf(text, sizeof text, "%llu bytes", need - 1);
    assert_non_null(strstr(r.limit, text));
    parts.taken = "xx..";
    parts.limits.memory_bytes = need; /* of both partitions, but not for both */
    look_parts(&m, parts);
    parts.limits.memory_bytes = 2 * need - 1;
    r = look_parts(&m, parts);
    assert_int_equal(r.host_node, 3);
    snprintf(text, sizeof text, "%llu bytes, free of %llu", need - 1, 2 * need - 1);
    assert_string_equal(r.limit, text);
    parts.taken = "xx.x";
    parts.limits.memory_bytes = 2 * need;
    look_parts(&m, parts);
    seen[RULE_LIMITS_PARTITION][BOUNDARY] = true;

    parts.limits = limits;
    parts.limits.max_memory_allocation_bytes = 1792;
    look_parts(&m, parts);
    parts = none;
    parts.limits = limits;
    parts.limits.max_memory_allocation_bytes = 1791;
    r = look_parts(&m, parts);
    assert_non_null(strstr(r.value, "1792 bytes of "));
    assert_non_null(strstr(r.limit, "1791 bytes in one block (maxMemoryAllocationSize)"));

    /* A limit other than memory. */
    parts.limits = limits;
    parts.limits.max_workgroup_count[0] = parts.limits.max_workgroup_count[1] = 1;
    r = look_parts(&m, parts);
    assert_non_null(strstr(r.value, "2 workgroups, the device allows 1 x 1"));

    /* The unit of the option is MiB. */
    parts =
        (struct parts){ .key = "memory_limit", .value = "1", .limits = limits, .taken = "xx.x" };
    look_parts(&m, parts);
}

/* ---- the table ---- */

TEST(ids)
{
    for (int i = 0; i < RULE_COUNT; i++) {
        const char *const id = rule_id((enum rule)i);

        assert_non_null(id);
        assert_true(rule_meaning((enum rule)i)[0]);
        if (strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_.") != strlen(id) ||
            !strchr(id, '.') || strchr(id, '.') != strrchr(id, '.'))
            fail_msg("rule %d: \"%s\"", i, id);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(id, rule_id((enum rule)j));
    }
}

/* Runs last. */
TEST(every_rule_has_both)
{
    int missing = 0;

    for (int i = 0; i < RULE_COUNT; i++) {
        if (!seen[i][FAILS])
            print_message("%s: no graph that fails\n", rule_id((enum rule)i));
        if (!seen[i][BOUNDARY])
            print_message("%s: no graph at the boundary\n", rule_id((enum rule)i));
        missing += !seen[i][FAILS] + !seen[i][BOUNDARY];
    }
    assert_int_equal(missing, 0);
}
