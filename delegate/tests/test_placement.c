/* Which partitions are taken by the options placement, max_partitions and min_nodes, with rates
 * that are given here; the rates of the device that is there, and the file that keeps them. */
#include "delegate/tests/kit/cache_kit.h"
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/base/device_costs.h"
#include "delegate/graph/import.h"
#include "delegate/runtime/partition.h"
#include "delegate/runtime/serialize.h"

#include <math.h>

/* ---- made graphs ---- */

enum { ROWS = 64, NARROW = 4, WIDE = 256, LAST = 512 };

/* Partitions between nodes of LOGISTIC, which is excluded:
 *     0     a small product      64 * 4 * 256 multiply-adds
 *     2-5   four small nodes     8 * 256 elements
 *     7     a large product      64 * 256 * 4, then 64 * 512 * 256 in node 8
 */
static void make_model(struct model *m)
{
    kit_text(m,
             "FULLY_CONNECTED {} x:f32[%d,%d] f32[%d,%d]=0 -> a; LOGISTIC a -> b; RELU b -> c\n"
             "TANH c -> d; EXP d -> e; ABS e -> f; LOGISTIC f -> g\n"
             "FULLY_CONNECTED {} g f32[%d,%d]=0 -> h; FULLY_CONNECTED {} h f32[%d,%d]=0 -> y",
             ROWS, WIDE, NARROW, WIDE, WIDE, NARROW, LAST, WIDE);
}

/* ---- one decision ---- */

/* On the CPU 100 multiply-adds, or 12.5 elements, take a microsecond. */
#define CPU_RATE "100"
/* A device that is quick, and one whose submission takes longer than the four small nodes. */
static const struct device_rates quick = { 10, 1, 1000, 1e6 };
static const struct device_rates slow_submit = { 200, 1, 1000, 1e6 };

enum { NODES = 9, PARTS = 3 };
struct look {
    const char *const *options; /* beside exclude and cpu_rate */
    struct device_rates rates;
    long fail_after;                       /* the allocation that fails; -1: none */
    char taken[NODES + 1];                 /* out: "x.xxxx.xx" */
    char rules[PARTS][32];                 /* out: of the partitions; "" when taken */
    struct placement placements[PARTS];    /* out */
    char value[160], limit[80], hint[128]; /* out: of the last refusal that is an option's */
    enum status status;
};

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const char *pairs[16] = { "exclude", "LOGISTIC", "cpu_rate", CPU_RATE };
    struct look *l = delegate->data_;
    struct device_limits limits = gpu_large_limits();

    for (int i = 0; l->options[i]; i++)
        pairs[4 + i] = l->options[i];
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    struct graph g CLOSED_BY(graph_close);
    KIT_OK(graph_import(&g, context, &err));
    struct decision d CLOSED_BY(decision_close);
    KIT_OK(decision_make(&d, &g, &o, &limits, &err));
    d.rates.device = l->rates;
    mem_fail_after(l->fail_after);
    l->status = partition_apply_limits(context, &o, &limits, &g, &d, &err);
    mem_fail_after(-1);
    assert_true(l->status == STATUS_OK || d.placement_count <= PARTS);
    for (int i = 0; i < g.node_count; i++)
        l->taken[i] = d.take[i] ? 'x' : '.';
    for (int i = 0; l->status == STATUS_OK && i < d.placement_count; i++) {
        l->placements[i] = d.placements[i];
        snprintf(l->rules[i], sizeof l->rules[i], "%s",
                 d.placements[i].taken ? "" : rule_id(d.placements[i].rule));
    }
    for (int i = 0; i < d.refusal_count; i++)
        if (d.refusals[i].id != RULE_OPTION_EXCLUDE) {
            snprintf(l->value, sizeof l->value, "%s", d.refusals[i].value);
            snprintf(l->limit, sizeof l->limit, "%s", d.refusals[i].limit);
            snprintf(l->hint, sizeof l->hint, "%s", d.refusals[i].hint);
        }
    return kTfLiteOk;
}

static struct look look_at(const struct model *m, const struct device_rates *rates,
                           const char *const *options, long fail_after)
{
    struct look l = { .options = options, .rates = *rates, .fail_after = fail_after };
    TfLiteDelegate delegate = { .data_ = &l, .Prepare = prepare };
    struct interpreter *in CLOSED_BY(kit_interpreter_end);

    KIT_OK(interpreter_open(&in, m, NULL, &err));
    KIT_OK(interpreter_apply_delegate(in, &delegate, NULL, &err));
    return l;
}

static struct look look(const struct device_rates *rates, const char *const *options)
{
    struct look l;

    MODEL_BY(m, make_model(&m));
    l = look_at(&m, rates, options, -1);
    return l;
}

static void expect(const struct device_rates *rates, const char *placement, const char *most,
                   const char *least, const char *taken)
{
    const struct look l =
        look(rates, WITH("placement", placement, "max_partitions", most, "min_nodes", least));

    if (strcmp(l.taken, taken) != 0)
        fail_msg("placement=%s max_partitions=%s min_nodes=%s: %s, expected %s", placement, most,
                 least, l.taken, taken);
}

/* ---- tests ---- */

/* By nodes the four small ones come first, by saved time the large product. */
TEST(orders)
{
    expect(&quick, "nodes", "1", "1", "..xxxx...");
    expect(&quick, "nodes", "2", "1", "..xxxx.xx");
    expect(&quick, "nodes", "0", "1", "x.xxxx.xx");
    expect(&quick, "cost", "1", "1", ".......xx");
    expect(&quick, "cost", "2", "1", "x......xx");
    expect(&quick, "cost", "0", "1", "x.xxxx.xx");
    expect(&quick, "cost_table", "1", "1", ".......xx");
    expect(&quick, "cost_table", "0", "1", "x.xxxx.xx");
}

/* The copies and the submission of the four nodes take longer than their computation. */
TEST(small_ones_stay)
{
    struct look l;

    expect(&slow_submit, "cost", "0", "1", "x......xx");
    expect(&slow_submit, "cost", "2", "1", "x......xx");
    expect(&slow_submit, "cost", "1", "1", ".......xx");
    expect(&slow_submit, "nodes", "0", "1", "x.xxxx.xx");
    expect(&slow_submit, "nodes", "1", "1", "..xxxx...");
    expect(&slow_submit, "nodes", "-1", "1", "x.xxxx.xx");
    expect(&slow_submit, "cost", "-1", "1", "x......xx");
    l = look(&slow_submit, WITH("placement", "cost", "max_partitions", "0"));
    assert_string_equal(l.rules[0], "");
    assert_string_equal(l.rules[1], "option.placement");
    assert_string_equal(l.rules[2], "");
    assert_string_equal(l.value, "206.1 us"); /* 200 + 4 + 2048 / 1000 + 16384 / 1e6 */
    assert_string_equal(l.limit, "less than 163.8 us, the CPU's");
    l = look(&slow_submit, WITH("placement", "cost", "max_partitions", "1"));
    assert_string_equal(l.rules[0], "option.max_partitions");
    assert_string_equal(l.rules[1], "option.placement");
    assert_string_equal(l.rules[2], "");
}

/* A partition that min_nodes leaves to the CPU does not count as one of max_partitions. */
TEST(least_nodes)
{
    expect(&quick, "cost", "1", "3", "..xxxx...");
    expect(&quick, "cost", "1", "2", ".......xx");
    expect(&quick, "nodes", "1", "2", "..xxxx...");
    expect(&quick, "cost", "0", "2", "..xxxx.xx");
}

/* The default is by nodes: the largest partition, and of the others those that save time. */
TEST(default_order)
{
    struct look l = look(&slow_submit, WITH("min_nodes", "1"));

    assert_string_equal(l.taken, "x.xxxx.xx");
    l = look(&slow_submit, WITH("max_partitions", "0"));
    assert_string_equal(l.taken, "x.xxxx.xx");
}

TEST(estimates)
{
    const struct look l = look(&quick, WITH("placement", "cost", "max_partitions", "0"));
    const struct placement *p = l.placements;

    assert_int_equal(p[0].first_node, 0);
    assert_int_equal(p[1].first_node, 2);
    assert_int_equal(p[2].first_node, 7);
    assert_int_equal(p[0].nodes, 1);
    assert_int_equal(p[1].nodes, 4);
    assert_int_equal(p[2].nodes, 2);
    assert_true(p[0].macs == 64 * 4 * 256 && p[0].elements == 0);
    assert_true(p[1].macs == 0 && p[1].elements == 8 * 64 * 4);
    assert_true(p[2].macs == 64 * 256 * 4 + 64 * 512 * 256 && p[2].elements == 0);
    /* Weights are no inputs. */
    assert_true(p[0].bytes_in == 64 * 256 * 4 && p[0].bytes_out == 64 * 4 * 4);
    assert_true(p[1].bytes_in == 64 * 4 * 4 && p[1].bytes_out == 64 * 4 * 4);
    assert_true(p[2].bytes_in == 64 * 4 * 4 && p[2].bytes_out == 64 * 512 * 4);
    assert_true(p[1].cpu_us == 8 * 64 * 4 * 8 / 100.0);
    assert_true(p[1].device_us == 10 + 4 * 1.0 + 2048 / 1000.0 + 16384 / 1e6);
}

/* A convolution; and products of two inputs, one of which is the same for each of the batch. */
TEST(multiply_adds)
{
    struct look l;

    MODEL(m, "tensors x:f32[1,6,7,5] a:f32[2,3,4] b:f32[4,9] d:f32[7,4,9]\n"
             "CONV_2D {stride_w=1 stride_h=1} x f32[8,3,3,5]=0 f32[8]=0 -> y\n"
             "BATCH_MATMUL {} a b -> c\n"
             /* [4, 9] by [7, 4, 9], turned */
             "BATCH_MATMUL {adj_y=true} b d -> e\n"
             "inputs x a b d");
    l = look_at(&m, &quick, WITH("placement", "nodes"), -1);
    assert_string_equal(l.taken, "xxx");
    assert_int_equal(l.placements[0].nodes, 3);
    assert_int_equal(l.placements[0].macs, 6 * 7 * 8 * 3 * 3 * 5 + 2 * 3 * 4 * 9 + 7 * 4 * 9 * 4);
    assert_true(l.placements[0].elements == 0);
}

/* The same rates give the same decision, and equal partitions are taken in the host's order. */
TEST(deterministic)
{
    const struct device_rates even = { 1e-3, 1e-3, 1e12, 1e12 };

    for (int i = 0; i < 3; i++) {
        const struct look a = look(&quick, WITH("placement", "cost"));
        const struct look c = look(&quick, WITH("placement", "cost"));

        assert_string_equal(a.taken, c.taken);
        assert_memory_equal(a.rules, c.rules, sizeof a.rules);
    }
    MODEL(m, "RELU x:f32[%d,%d] -> a; LOGISTIC a -> b; RELU b -> c; LOGISTIC c -> d; RELU d -> e",
          ROWS, NARROW);
    for (int n = 1; n <= 3; n++) {
        static const char *const taken[] = { "x....", "x.x..", "x.x.x" };
        char most[2] = { (char)('0' + n), '\0' };

        for (int by = 0; by < 2; by++) {
            const struct look l = look_at(
                &m, &even, WITH("placement", by ? "cost" : "nodes", "max_partitions", most), -1);

            assert_string_equal(l.taken, taken[n - 1]);
        }
    }
}

TEST(no_memory)
{
    long n = 0;

    MODEL_BY(m, make_model(&m));
    for (;; n++) {
        const struct look l =
            look_at(&m, &quick, WITH("placement", "cost", "max_partitions", "0"), n);

        if (l.status == STATUS_OK)
            break;
        if (l.status != STATUS_INVALID) /* of the host's preview */
            assert_int_equal(l.status, STATUS_NO_MEMORY);
    }
    assert_true(n > 3);
}

TEST(rates_are_checked)
{
    const double bad[] = { 0, -1, (double)INFINITY, (double)NAN };

    for (int c = 0; c < DEVICE_CLASSES; c++) {
        const struct device_limits limits = { .device_class = (enum device_class)c };

        assert_true(device_rates_are_valid(&device_costs_of(&limits)->rates));
    }
    for (int i = 0; i < 4; i++)
        for (int field = 0; field < 4; field++) {
            struct device_rates r = quick;

            memcpy((char *)&r + (size_t)field * sizeof(double), &bad[i], sizeof bad[i]);
            assert_false(device_rates_are_valid(&r));
        }
}

/* ---- on the device ---- */

static struct assay_gpu_placement placement_of_start(const char *const *options, int refused)
{
    struct assay_gpu_placement p = { .struct_size = sizeof p };
    static const int nodes[PARTS] = { 1, 4, 2 };

    MODEL_BY(m, make_model(&m));
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(options);
    INTERPRETER_BY(in, kit_open(&m, d));
    assert_int_equal(assay_gpu_get_placement(d, &p), 0);
    assert_int_equal(p.partitions, PARTS);
    for (int i = 0; i < PARTS; i++) {
        struct assay_gpu_partition part = { .struct_size = sizeof part };

        assert_int_equal(assay_gpu_get_partition(d, i, &part), 0);
        assert_int_equal(part.nodes, nodes[i]);
        assert_true(part.cpu_us > 0 && part.device_us > p.submit_us);
        assert_int_equal(part.taken, part.rule == NULL);
        refused -= !part.taken;
    }
    assert_int_equal(refused, 0);
    return p;
}

#define COST(...) WITH("exclude", "LOGISTIC", "max_partitions", "0", "placement", __VA_ARGS__)

TEST(measured)
{
    struct assay_gpu_placement p;

    NEEDS_DEVICE;
    p = placement_of_start(COST("cost", "cpu_rate", "1000000000"), PARTS); /* not to be beaten */
    assert_string_equal(p.order, "cost");
    assert_string_equal(p.rates, "measured");
    assert_true(p.submit_us > 0 && p.step_us > 0 && p.bytes_per_us > 0 && p.macs_per_us > 0);
    assert_true(p.cpu_macs_per_us == 1e9);
    p = placement_of_start(COST("cost", "cpu_rate", "1"), 0);
    assert_string_equal(p.rates, "measured");
    assert_true(p.cpu_macs_per_us == 1);
    p = placement_of_start(COST("cost_table", "cpu_rate", "1"), 0);
    assert_string_equal(p.order, "cost_table");
    assert_string_equal(p.rates, "table");
    p = placement_of_start(COST("nodes"), 0);
    assert_string_equal(p.order, "nodes");
    assert_string_equal(p.rates, "table");
}

/* Two delegates of one device: it is measured once. */
TEST(measured_once)
{
    struct assay_gpu_placement a, b;
    TfLiteDelegate *keeps CLOSED_BY(kit_delegate_end);

    NEEDS_DEVICE;
    keeps = kit_delegate(WITH("wait", "passive")); /* the device stays open */
    a = placement_of_start(COST("cost", "cpu_rate", "1"), 0);
    b = placement_of_start(COST("cost", "cpu_rate", "1"), 0);
    assert_memory_equal(&a, &b, sizeof a);
}

static void rates_file(char path[512], const char *dir)
{
    struct dirent *e;
    DIR *const list = opendir(dir);

    assert_non_null(list);
    path[0] = '\0';
    while ((e = readdir(list)))
        if (strncmp(e->d_name, "rates_", 6) == 0)
            cache_path(path, dir, e->d_name);
    closedir(list);
    assert_true(path[0]);
}

/* The device is closed between two starts. */
static struct assay_gpu_placement start_in(const char *dir)
{
    return placement_of_start(COST("cost", "cpu_rate", "1", "serialization_dir", dir), 0);
}

static void same_rates(const struct assay_gpu_placement *a, const struct assay_gpu_placement *b)
{
    assert_true(a->submit_us == b->submit_us && a->step_us == b->step_us &&
                a->bytes_per_us == b->bytes_per_us && a->macs_per_us == b->macs_per_us);
}

TEST(kept_in_a_file)
{
    struct assay_gpu_placement first, p;
    char path[512];
    size_t bytes;

    NEEDS_DEVICE;
    CACHE_DIR(dir);
    first = start_in(dir.path);
    assert_string_equal(first.rates, "measured");
    p = start_in(dir.path);
    assert_string_equal(p.rates, "file");
    same_rates(&first, &p);

    /* A bit of the rates, of the pipelines, of the identity; cut short; signed, for another plan.
     */
    rates_file(path, dir.path);
    uint8_t *file CLOSED_BY(kit_free) = cache_read_file(path, &bytes);
    for (int i = 0; i < 5; i++) {
        const size_t at[] = { bytes - 1, CACHE_HEADER_BYTES, CACHE_AT_IDENTITY, 0,
                              CACHE_AT_IDENTITY + offsetof(struct cache_identity, plan) };
        /* What a driver gives begins with the size of its header, which no rate has the bits of. */
        const bool pipelines = memcmp(file + CACHE_HEADER_BYTES, &(uint32_t){ 32 }, 4) == 0;
        const char *const words[] = { "checksum mismatch: constants",
                                      pipelines ? "checksum mismatch: pipelines"
                                                : "checksum mismatch: constants",
                                      "checksum mismatch: header", "truncated",
                                      "made for another plan" };
        uint8_t *const bad = malloc(bytes);

        assert_non_null(bad);
        memcpy(bad, file, bytes);
        bad[at[i]] ^= i != 3;
        if (i == 4)
            cache_sign(bad);
        cache_write_file(path, bad, i == 3 ? bytes - 1 : bytes);
        free(bad);
        p = start_in(dir.path);
        assert_string_equal(p.rates, "measured");
        if (!strstr(kit_said, "WARNING: serialization in ") || !strstr(kit_said, words[i]))
            fail_msg("\"%s\", '%s' wanted", kit_said, words[i]);
        first = start_in(dir.path);
        assert_string_equal(first.rates, "file");
        same_rates(&first, &p);
    }
}

static void report(TfLiteContext *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

/* A file with all checksums right, whose rates nothing can be divided by. */
TEST(wrong_rates_in_a_file)
{
    const struct device_rates wrong = { 1, 1, 0, 1 };
    TfLiteContext context = { .ReportError = report };
    struct serialization file = { .on = false };
    struct assay_gpu_placement p;
    struct device_rates found;
    TfLiteDelegate *d;

    NEEDS_DEVICE;
    CACHE_DIR(dir);
    d = kit_delegate(WITH("serialization_dir", dir.path));
    assert_false(serialization_find_rates(&file, d->data_, &context, &found));
    assert_non_null(serialization_open_pipelines(&file, d->data_, &context));
    serialization_write_rates(&file, d->data_, &context, &wrong);
    serialization_close(&file);
    tflite_plugin_destroy_delegate(d);
    p = start_in(dir.path);
    assert_string_equal(p.rates, "measured");
    assert_non_null(strstr(kit_said, "expected rates above 0"));
    p = start_in(dir.path);
    assert_string_equal(p.rates, "file");
}

/* placement=nodes writes no rates, and measures nothing. */
TEST(nodes_measure_nothing)
{
    struct assay_gpu_placement p;

    NEEDS_DEVICE;
    CACHE_DIR(dir);
    p = placement_of_start(COST("nodes", "serialization_dir", dir.path), 0);
    assert_string_equal(p.rates, "table");
    assert_int_equal(cache_dir_count(dir.path, NULL), PARTS);
    start_in(dir.path);
    assert_int_equal(cache_dir_count(dir.path, NULL), PARTS + 1);
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = kit_find_device);
