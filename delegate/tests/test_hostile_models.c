/* The hostile models of fuzz/hostile: each ends as its manifest says, in the verifier, the
 * reference and the delegate, with a device and without, within bounds of time and memory.
 *
 *     test_hostile_models --write DIRECTORY      the models as files, and manifest.tsv
 *     test_hostile_models --print [NAME]         what rows whose names begin so come to, on stdout
 */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/hostile_run.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/tests/kit/test.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "fuzz/hostile";
enum { ROWS_MIN = 230 };
/* What the libraries may hold for any of these models. */
static const long long peak_bytes_max = 64LL << 20;

static struct hostile_table table;

/* ---- a row and what came of it ---- */

static bool same(double a, double b)
{
    if (isnan(a) || isinf(a) || isinf(b))
        return isnan(a) ? isnan(b) : a == b;
    return fabs(a - b) <= 1e-5 * fmax(fabs(a), fabs(b));
}

/* The runtime clamps where devices may overflow (conformance/doc/TOLERANCES.md): the largest number
 * is infinite, too. */
static bool same_on_device(double a, double b)
{
    return same(a, b) || (fabs(a) > 0.999 * (double)FLT_MAX && fabs(b) > 0.999 * (double)FLT_MAX &&
                          signbit(a) == signbit(b));
}

static enum status judge_results(const struct hostile_row *row, const struct hostile_outcome *o,
                                 bool (*same_values)(double, double), struct diag *diag)
{
    const char *text = row->result;
    int i = 0;

    for (; text && *text; i++) {
        char *end;
        const double expected = strtod(text, &end);

        if (i >= o->result_count || !same_values(expected, o->results[i]))
            return diag_fail(diag, STATUS_MISMATCH, "element %d of the result is %g, expected %g",
                             i, i < o->result_count ? o->results[i] : NAN, expected);
        text = end + (*end == ',');
    }
    if (row->result && i != o->result_count)
        return diag_fail(diag, STATUS_MISMATCH, "%d results, expected %d", o->result_count, i);
    return STATUS_OK;
}

/* Where it ended, and how much that took. */
static enum status judge_end(const struct hostile_row *row, const struct hostile_outcome *o,
                             struct diag *diag)
{
    if (!o->finished)
        return diag_fail(diag, STATUS_MISMATCH, "the process ended: %s", o->message);
    if (o->stage != row->stage || o->status != row->status)
        return diag_fail(diag, STATUS_MISMATCH, "%s, %s, expected %s, %s: %s",
                         hostile_stage_text(o->stage), status_text(o->status),
                         hostile_stage_text(row->stage), status_text(row->status), o->message);
    if (!o->guards_whole)
        return diag_fail(diag, STATUS_MISMATCH, "memory outside of a tensor was written to");
    if (o->peak_bytes > peak_bytes_max)
        return diag_fail(diag, STATUS_MISMATCH, "%lld bytes were held, at most %lld may be",
                         o->peak_bytes, peak_bytes_max);
    return STATUS_OK;
}

/* Rows whose sizes need more than 32 bits.  Where size_t has no more, they are refused too, but
 * sooner: when the size is computed and not when it is compared with a limit. */
static bool is_wide(const struct hostile_row *row)
{
    static const char *const names[] = { "conv_2d.im2col_huge", "reshape.product_overflows",
                                         "concatenation.sum_overflows", "pad.constant_to_huge" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(row->name, names[i]) == 0)
            return true;
    return false;
}

static enum status judge_narrow(const struct hostile_row *row, const struct hostile_outcome *o,
                                struct diag *diag)
{
    struct hostile_row expected = *row;

    print_message("%s: a size_t of 32 bits: any refusal will do\n", row->name);
    if (row->stage != HOSTILE_RUNS && o->stage == HOSTILE_RUNS)
        return diag_fail(diag, STATUS_MISMATCH, "it runs, expected a refusal");
    expected.stage = o->stage;
    expected.status = o->status;
    return judge_end(&expected, o, diag);
}

static enum status judge_host(const struct hostile_row *row, const struct hostile_outcome *o,
                              struct diag *diag)
{
    TRY(judge_end(row, o, diag));
    TRY(row->stage == HOSTILE_RUNS ? judge_results(row, o, same, diag)
                                   : hostile_row_judge(row, o->message, diag));
    return hostile_judge_delegate(row, o, diag);
}

static enum status judge_device(const struct hostile_row *row, const struct hostile_outcome *o,
                                struct diag *diag)
{
    struct hostile_row expected = *row;

    if (row->device) {
        expected.stage = HOSTILE_RUNS;
        expected.status = STATUS_OK;
    }
    TRY(judge_end(&expected, o, diag));
    return judge_results(row, o, same_on_device, diag);
}

/* ---- tests ---- */

TEST(table_is_whole)
{
    assert_true(table.count >= ROWS_MIN);
    for (size_t i = 0; i < table.count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(table.rows[i].name, table.rows[j].name) == 0)
                fail_msg("%s:%d: a second %s", table.rows[i].file, table.rows[i].line,
                         table.rows[i].name);
}

typedef enum status judge(const struct hostile_row *, const struct hostile_outcome *,
                          struct diag *);

/* Not those of test_rules, and on the device not those of which nothing comes there: the delegate
 * is not asked, the model not yet bounded, or the device another. */
static bool is_run(const struct hostile_row *row, bool device)
{
    if (row->graph)
        return false;
    return !device ||
           !(row->stage == HOSTILE_VERIFY || row->stage == HOSTILE_OPEN || row->pending ||
             row->limits || (row->edit && strcmp(row->rule, "taken") != 0));
}

/* Prints a row that is not as expected, and returns whether it is one. */
static bool is_wrong(const struct hostile_row *row, const struct hostile_outcome *o, judge *judges,
                     const char *what)
{
    struct diag diag = { 0 };
    const bool as_expected =
        (SIZE_MAX < UINT64_MAX && is_wide(row) ? judge_narrow : judges)(row, o, &diag) == STATUS_OK;

    if (row->pending)
        print_message("pending: %s: %s: %s\n", row->name, row->pending,
                      as_expected ? "reached; the row's line 'pending' can go" : diag.text);
    else if (!as_expected)
        print_error("%s:%d: %s: %s: %s\n", row->file, row->line, row->name, what, diag.text);
    return !as_expected && !row->pending;
}

/* Runs all rows, and prints every one that is not as expected before it fails. */
static void run_all(bool device, judge *judges, const char *what)
{
    const struct hostile_row *batch[HOSTILE_BATCH_MAX];
    static struct hostile_outcome outcomes[HOSTILE_BATCH_MAX];
    size_t in_batch = 0;
    int wrong = 0, pending = 0, seen = 0;

    for (size_t i = 0; i <= table.count; i++) {
        const struct hostile_row *const row = i < table.count ? &table.rows[i] : NULL;

        if (row && is_run(row, device)) {
            batch[in_batch++] = row;
            pending += row->pending != NULL;
        }
        if (row && in_batch < HOSTILE_BATCH_MAX)
            continue;
        hostile_rows_run(batch, in_batch, device, outcomes);
        for (size_t r = 0; r < in_batch; r++)
            wrong += is_wrong(batch[r], &outcomes[r], judges, what);
        seen += (int)in_batch;
        in_batch = 0;
    }
    print_message("%s: %d models, %d of them pending\n", what, seen, pending);
    if (wrong)
        fail_msg("%d models are not as their rows say", wrong);
}

TEST(host_gives_the_verdicts)
{
    run_all(false, judge_host, "without a device");
}

TEST(device_gives_the_verdicts)
{
    NEEDS_DEVICE;
    run_all(true, judge_device, "on the device");
}

static const struct hostile_row *find_row(const char *name)
{
    for (size_t i = 0; i < table.count; i++)
        if (strcmp(table.rows[i].name, name) == 0)
            return &table.rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

/* A row with a wrong node, tensor, field, status, stage, rule or result is noticed. */
TEST(wrong_rows_are_noticed)
{
    const struct hostile_row *const refused = find_row("conv_2d.stride_0_in_node_1");
    const struct hostile_row *const runs = find_row("values.sqrt");
    struct hostile_outcome o;

    hostile_row_run(refused, false, &o);
    assert_int_equal(judge_host(refused, &o, &err), STATUS_OK);
#define NOTICES(row, member, other)                                                                \
    do {                                                                                           \
        struct hostile_row wrong = *(row);                                                         \
        wrong.member = other;                                                                      \
        assert_int_equal(judge_host(&wrong, &o, &err), STATUS_MISMATCH);                           \
    } while (0)
    NOTICES(refused, node, 0);
    NOTICES(refused, tensor, 7);
    NOTICES(refused, field, "stride width");
    NOTICES(refused, words[0], "is 1");
    NOTICES(refused, status, STATUS_UNSUPPORTED);
    NOTICES(refused, stage, HOSTILE_RUNS);
    NOTICES(refused, rule, "taken");
    NOTICES(refused, rule_words[0], "stride_w");
    hostile_row_run(runs, false, &o);
    assert_int_equal(judge_host(runs, &o, &err), STATUS_OK);
    NOTICES(runs, result, "nan,0,2,1");
    NOTICES(runs, result, "nan");
    NOTICES(runs, result, "nan,-0,0,2,3.40282347e38,nan,nan,1");
    o.peak_bytes = peak_bytes_max + 1;
    NOTICES(runs, feed, NULL);
    o.peak_bytes = 0;
    o.guards_whole = false;
    NOTICES(runs, feed, NULL);
    o.guards_whole = true;
    o.finished = false;
    NOTICES(runs, feed, NULL);
#undef NOTICES
}

TEST(broken_tables_are_refused)
{
    static const struct {
        const char *model, *damage, *edit;
    } bad[] = {
        { "CONV_3E f32[1] -> f32[1]", NULL, NULL },
        { "RELU f33[1] -> f32[1]", NULL, NULL },
        { "RELU x -> f32[1]", NULL, NULL },
        { "RELU SoftmaxOptions{gamma=1} f32[1] -> f32[1]", NULL, NULL },
        { "RELU f32[1] -> f32[1] ) ", NULL, NULL },
        { "base", "subgraphs[0].tensor[1].shape[0] = 1", NULL },
        { "base", "subgraphs[0].tensors[0].quantization.scale[0] = 1", NULL },
        { "base", "subgraphs[0].tensors[0].shape[9] = 1", NULL },
        { "base", "subgraphs[0].tensors[0].shape[0]", NULL },
        { "base", "file.size = 1000000", NULL },
        { "RELU f32[1] -> f32[1]", NULL, "in1.dims[0]=2" },
        { "RELU f32[1] -> f32[1]", NULL, "in0.dims[1]=2" },
        { "RELU f32[1] -> f32[1]", NULL, "op1.in0=-" },
        { "RELU f32[1] -> f32[1]", NULL, "options.axis=1" },
        { "SOFTMAX {} f32[1] -> f32[1]", NULL, "options.axis=1" },
        { "RELU f32[1] -> f32[1]", NULL, "in0.data[0]=1" },
        { "RELU f32[1] -> f32[1]", NULL, "in0.q=(1|2,1|2|3)" },
        { "RELU f32[1] -> f32[1]", NULL, "in0.color=1" },
        { "RELU f32[1] -> f32[1]", NULL, "version=9 9" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hostile_row row = {
            .name = "bad", .model = bad[i].model, .edit = bad[i].edit, .file = "table"
        };
        struct tflite_file file;
        struct diag diag = { 0 };

        if (bad[i].damage)
            row.damage[row.damage_count++] = bad[i].damage;
        assert_int_equal(hostile_row_write(&row, &file, &diag), STATUS_INVALID);
        if (!strstr(diag.text, "table:0: bad: ") ||
            (bad[i].edit && !strstr(diag.text, "bad: line 1, column ")))
            fail_msg("%s", diag.text);
        mem_free(file.bytes);
    }
}

TEST(wrong_edits_are_no_rows)
{
    static const struct {
        const char *lines, *message;
    } bad[] = {
        { "a\n base b\n verdict runs\n delegate taken\n",
          ":1: no row with a model has the name: b" },
        { "a\n base a\n verdict runs\n delegate taken\n",
          ":1: no row with a model has the name: a" },
        { "a\n model RELU f32[1] -> f32[1]\n verdict runs\n delegate taken\n"
          "b\n base a\n edit in0.dims[0]=2; in0.dims[1]=2\n verdict runs\n delegate taken\n",
          ":5: b: line 1, column 25: expected an index" },
        { "a\n model RELU f32[1] -> f32[1]\n edit version=1\n verdict runs\n delegate taken\n",
          ":1: a: expected a model, or a base" },
        { "a\n model RELU f32[1] -> f32[1]\n graph params=-\n verdict runs\n delegate taken\n",
          ":1: a: lacks verdict or delegate, or has a verdict with graph" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hostile_table t CLOSED_BY(hostile_table_close);

        scratch_text("rows.txt", bad[i].lines);
        assert_int_equal(hostile_table_read(&t, scratch("."), &err), STATUS_INVALID);
        if (!strstr(err.text, bad[i].message))
            fail_msg("%s, expected %s", err.text, bad[i].message);
    }
}

/* ---- for others ---- */

static void write_field(FILE *f, const char *text)
{
    fprintf(f, "\t%s", text ? text : "");
}

static int write_row(FILE *manifest, const struct hostile_row *row, const char *directory)
{
    struct tflite_file file;
    char path[512];

    snprintf(path, sizeof path, "%s/%s.tflite", directory, row->name);
    if (hostile_row_write(row, &file, &err) != STATUS_OK ||
        file_write(path, file.bytes, file.count, &err) != STATUS_OK) {
        fprintf(stderr, "test_hostile_models: %s\n", err.text);
        return 1;
    }
    mem_free(file.bytes);
    fprintf(manifest, "%s\t%s\t%s\t%d\t%d", row->name, hostile_stage_text(row->stage),
            row->stage == HOSTILE_RUNS ? "" : status_text(row->status), row->node, row->tensor);
    write_field(manifest, row->field);
    fputc('\t', manifest);
    for (int i = 0; i < row->word_count; i++)
        fprintf(manifest, "%s%s", i ? " | " : "", row->words[i]);
    /* LiteRT's delegate has the default options. */
    write_field(manifest, row->options || row->limits ? NULL : row->rule);
    write_field(manifest, row->litert);
    write_field(manifest, row->host);
    write_field(manifest, row->device);
    write_field(manifest, row->feed);
    write_field(manifest, row->result);
    write_field(manifest, row->pending);
    write_field(manifest, row->why);
    fputc('\n', manifest);
    return 0;
}

static int write_all(const char *directory)
{
    size_t written = 0;
    char path[512];
    FILE *f;
    int failed = 0;

    snprintf(path, sizeof path, "%s/manifest.tsv", directory);
    if ((mkdir(directory, 0777) != 0 && errno != EEXIST) || !(f = fopen(path, "w"))) {
        fprintf(stderr, "test_hostile_models: %s: %s\n", path, strerror(errno));
        return 1;
    }
    fputs("name\tstage\tstatus\tnode\ttensor\tfield\twords\tdelegate\tlitert\thost\tdevice\tfeed\tr"
          "esult"
          "\tpending"
          "\twhy\n",
          f);
    for (size_t i = 0; i < table.count && !failed; i++)
        if (!table.rows[i].graph) { /* no file has what it changes */
            failed = write_row(f, &table.rows[i], directory);
            written++;
        }
    if (fclose(f) != 0)
        failed = 1;
    if (!failed)
        printf("hostile: %zu models in %s\n", written, directory);
    return failed;
}

static int print_rows(const char *prefix)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct hostile_row *const row = &table.rows[i];
        struct hostile_outcome o;

        if (strncmp(row->name, prefix, strlen(prefix)) != 0)
            continue;
        if (row->graph)
            hostile_row_decide(row, &o);
        else
            hostile_row_run(row, false, &o);
        printf("%s\n    %s %s %s\n    delegate %s %s\n    plans %d %s peak %lld\n", row->name,
               hostile_stage_text(o.stage), status_text(o.status), o.message, o.rule, o.refusal,
               o.plans, o.plan_failure, o.peak_bytes);
        for (int r = 0; r < o.result_count; r++)
            printf("%s%g%s", r ? "," : "    result ", o.results[r],
                   r + 1 == o.result_count ? "\n" : "");
    }
    return 0;
}

FIXTURE(open_table)
{
    if (hostile_table_read(&table, folder, &err) == STATUS_OK)
        return 0;
    fprintf(stderr, "test_hostile_models: %s\n", err.text);
    return 1;
}

FIXTURE(close_table)
{
    hostile_table_close(&table);
    return 0;
}

/* --write DIRECTORY, --print [PREFIX]. */
static int write_or_print(int argc, char **argv)
{
    const bool writes = argc == 3 && strcmp(argv[1], "--write") == 0;
    int result;

    if (!writes && strcmp(argv[1], "--print") != 0)
        return -1;
    if (open_table(NULL) != 0)
        return 1;
    result = writes ? write_all(argv[2]) : print_rows(argc > 2 ? argv[2] : "");
    close_table(NULL);
    return result;
}

/* AddressSanitizer cannot live with a limit of address space. */
TEST_FILE(.before = kit_find_device, .setup = open_table, .teardown = close_table,
          .main = write_or_print,
          .asan_options = "allocator_may_return_null=1:max_allocation_size_mb=1024");
