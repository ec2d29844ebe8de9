/* assay golden list|check|export: the answers of the real runtime, kept in HDF5 files. */
#include "conformance/suite/cases/select.h"
#include "conformance/suite/golden/file.h"
#include "conformance/suite/golden/golden.h"
#include "conformance/suite/models/digits.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/directory.h"
#include "conformance/util/json_text.h"
#include "conformance/util/output.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>

/* Who answered: the runtime, or a delegate held to bounds, in the order of enum bounds. */
static const char *const sources[] = { "runtime", "fp32", "fp16", NULL };
static const char *const precisions[] = { "fp32", "fp16", NULL };

struct golden_flags {
    const char *dir;
    struct string_list filters;
    int source;    /* of check: index into sources */
    int precision; /* of export: enum bounds */
    bool models;   /* of export */
    uint64_t limit, graphs;
    struct args_common common;
    struct args args;
    char directory[PATH_MAX];
};

static const char filter_help[] =
    "cases whose name matches, such as 'conv_2d.*'; repeatable (default: all)";

static const char graphs_help[] =
    "N random graphs of --seed are cases, too, as in `assay conformance --graphs`";

/* Reads the flags of list and check; only check has the last two. */
static bool parse_reader(const struct command *self, int argc, char **argv, bool check,
                         struct golden_flags *f, int *exit_code)
{
    const struct args_flag flags[] = {
        ARG("dir", ARGS_STRING, &f->dir, "DIR",
            "directory of the golden files (default: golden/ here or in a directory above, "
            "otherwise ../golden, ../share/assay/golden or golden beside the program)"),
        ARG("filter", ARGS_LIST, &f->filters, "GLOB", filter_help),
        { "bounds", ARGS_CHOICE, &f->source, "CLASS",
          "who answered: the real runtime (default), or a delegate in it for some of the "
          "cases, held to the bounds of fp32 or fp16",
          0, 0, sources },
        { "graphs", ARGS_UINT, &f->graphs, "N", graphs_help, 0, 1e6, NULL },
    };
    struct diag diag = { .status = STATUS_OK };

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0] - (check ? 0 : 2),
                    check ? ARGS_FORMAT | ARGS_QUIET | ARGS_SEED : ARGS_FORMAT, &f->common,
                    &f->args, 0, 0, exit_code))
        return false;
    if (f->dir) {
        if ((size_t)snprintf(f->directory, sizeof f->directory, "%s", f->dir) < sizeof f->directory)
            return true;
        diag_fail(&diag, STATUS_USAGE, "--dir: the path is too long");
    } else if (golden_find_directory(f->directory, &diag) == STATUS_OK) {
        return true;
    }
    *exit_code = message_fail(self->name, &diag);
    return false;
}

static int write_json(FILE *file, json_t *root)
{
    const int failed =
        !root || json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0;

    fputc('\n', file);
    json_decref(root);
    return failed;
}

/* ---- list ---- */

static json_t *case_json(const struct golden_case *c)
{
    return json_pack("{s:s s:I s:I s:I s:s s:s s:s s:s* s:s*}", "case", c->name, "builtin_code",
                     (json_int_t)c->builtin_code, "version", (json_int_t)c->op_version, "seed",
                     (json_int_t)c->seed, "data_set", data_set_name((enum data_set)c->set),
                     "model_sha256", c->model_sha256, "inputs_sha256", c->inputs_sha256, "skipped",
                     c->skipped[0] ? c->skipped : NULL, "wrong", c->wrong[0] ? c->wrong : NULL);
}

static void print_case(FILE *out, const struct golden_case *c)
{
    const char *const name = builtin_name(c->builtin_code);

    fprintf(out, "%-48s %s v%" PRId32 " seed %" PRIu64 " %s%s%s%s%s\n", c->name, name ? name : "?",
            c->op_version, c->seed, data_set_name((enum data_set)c->set),
            c->skipped[0] ? " skipped: " : "", c->skipped, c->wrong[0] ? " wrong: " : "", c->wrong);
}

static enum status list_file(const char *path, const struct string_list *filters, FILE *out,
                             json_t *cases, size_t *shown, struct diag *diag)
{
    struct golden_file file;
    size_t count = 0;

    TRY(golden_open(&file, path, diag));
    for (size_t i = 0; i < file.head.count; i++) {
        if (!select_matches(file.cases[i].name, filters))
            continue;
        if (!cases && count++ == 0)
            fprintf(out, "# %s: %s %s %s\n", path, file.head.runtime, file.head.runtime_version,
                    file.head.resolver);
        ++*shown;
        if (cases)
            json_array_append_new(cases, case_json(&file.cases[i]));
        else
            print_case(out, &file.cases[i]);
    }
    golden_close(&file);
    return STATUS_OK;
}

static int list_run(const struct command *self, int argc, char **argv)
{
    struct golden_flags f = { .dir = NULL };
    struct diag diag = { .status = STATUS_OK };
    struct output output;
    char **paths = NULL;
    size_t count = 0, shown = 0;
    json_t *cases = NULL;
    enum status s;
    int code = 0;

    if (!parse_reader(self, argc, argv, false, &f, &code))
        return code;
    s = golden_list_files(f.directory, &paths, &count, &diag);
    if (s != STATUS_OK)
        return message_fail(self->name, &diag);
    if (!output_open(&output)) {
        directory_free(paths, count);
        message_error(self->name, "out of memory");
        return EXIT_FAILED;
    }
    if (f.common.format == FORMAT_JSON)
        cases = json_array();
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        s = list_file(paths[i], &f.filters, output.file, cases, &shown, &diag);
    if (s == STATUS_OK && shown == 0)
        s = diag_fail(&diag, STATUS_USAGE, "no case matches the filter '%s'",
                      f.filters.count ? f.filters.items[0] : "");
    if (cases &&
        write_json(output.file, json_pack("{s:s s:o}", "assay", ASSAY_VERSION, "cases", cases)) !=
            0 &&
        s == STATUS_OK)
        s = diag_fail(&diag, STATUS_NO_MEMORY, "out of memory");
    directory_free(paths, count);
    code = output_close(&output, f.common.out, s != STATUS_OK);
    return s != STATUS_OK ? message_fail(self->name, &diag) : code;
}

/* ---- check ---- */

static void print_report(FILE *out, const struct golden_report *r)
{
    fprintf(out, "%-20s %6s %6s %7s %7s  %-8s %s\n", "op", "cases", "failed", "missing", "skipped",
            "margin", "worst");
    for (size_t i = 0; i < r->op_count; i++) {
        const struct golden_op *const op = &r->ops[i];

        fprintf(out, "%-20s %6zu %6zu %7zu %7zu  ", op->name, op->cases, op->failed, op->missing,
                op->skipped);
        if (op->margin > 0)
            fprintf(out, "%-8.3g %s %s\n", op->margin, op->worst_case, op->element);
        else
            fprintf(out, "%-8s -\n", "exact");
    }
    for (size_t i = 0; i < r->failure_count; i++)
        fprintf(out, "%s%s: %s\n", i == 0 ? "\n" : "", r->failures[i].name, r->failures[i].reason);
    fprintf(out,
            "\n%zu cases against %s %s (%s): %zu passed, %zu failed, %zu missing, %zu skipped\n",
            r->cases, r->runtime, r->runtime_version, r->resolver, r->cases - r->failed, r->failed,
            r->missing, r->skipped);
    if (r->wrong > 0)
        fprintf(out, "in %zu of them the runtime is wrong, and the reference differs from it\n",
                r->wrong);
}

static json_t *report_json(const struct golden_report *r)
{
    json_t *const ops = json_array(), *const failures = json_array();

    for (size_t i = 0; i < r->op_count; i++) {
        const struct golden_op *const op = &r->ops[i];

        json_array_append_new(
            ops, json_pack("{s:s s:I s:I s:I s:I s:o s:s}", "op", op->name, "cases",
                           (json_int_t)op->cases, "failed", (json_int_t)op->failed, "missing",
                           (json_int_t)op->missing, "skipped", (json_int_t)op->skipped, "margin",
                           json_number(op->margin), "worst_case", op->worst_case));
    }
    for (size_t i = 0; i < r->failure_count; i++)
        json_array_append_new(failures, json_pack("{s:s s:s}", "case", r->failures[i].name,
                                                  "reason", r->failures[i].reason));
    return json_pack("{s:s s:{s:s s:s s:s} s:{s:I s:I s:I s:I s:I} s:o s:o}", "assay",
                     ASSAY_VERSION, "golden", "runtime", r->runtime, "version", r->runtime_version,
                     "resolver", r->resolver, "totals", "cases", (json_int_t)r->cases, "failed",
                     (json_int_t)r->failed, "missing", (json_int_t)r->missing, "skipped",
                     (json_int_t)r->skipped, "wrong", (json_int_t)r->wrong, "ops", ops, "failures",
                     failures);
}

static int check_run(const struct command *self, int argc, char **argv)
{
    struct golden_flags f = { .dir = NULL };
    struct golden_request request;
    struct diag diag = { .status = STATUS_OK };
    struct golden_report report;
    struct output output;
    bool failed, discard = false;
    int code = 0;

    if (!parse_reader(self, argc, argv, true, &f, &code))
        return code;
    request =
        (struct golden_request){ .filters = f.filters,
                                 .quiet = f.common.quiet,
                                 .bounds = f.source > 0 ? (enum bounds)(f.source - 1) : BOUNDS_FP32,
                                 .seed = f.common.seed,
                                 .graphs = (size_t)f.graphs,
                                 .directory = f.directory,
                                 .delegate = f.source > 0 };
    if (golden_check(&request, &report, &diag) != STATUS_OK)
        return message_fail(self->name, &diag);
    failed = report.failed + report.missing > 0;
    if (!output_open(&output)) {
        golden_report_close(&report);
        message_error(self->name, "out of memory");
        return EXIT_FAILED;
    }
    if (f.common.format == FORMAT_JSON)
        discard = write_json(output.file, report_json(&report)) != 0;
    else
        print_report(output.file, &report);
    golden_report_close(&report);
    output.plain = f.common.format == FORMAT_TEXT;
    code = output_close(&output, f.common.out, discard);
    if (discard) {
        message_error(self->name, "out of memory");
        return EXIT_FAILED;
    }
    return code != 0 ? code : failed ? EXIT_FAILED : EXIT_AS_EXPECTED;
}

/* ---- export ---- */

static int export_run(const struct command *self, int argc, char **argv)
{
    struct golden_flags f = { .dir = NULL };
    const struct args_flag flags[] = {
        ARG("filter", ARGS_LIST, &f.filters, "GLOB", filter_help),
        { "limit", ARGS_UINT, &f.limit, "N", "at most N cases for each op, spread over its rows", 1,
          1e9, NULL },
        { "precision", ARGS_CHOICE, &f.precision, "CLASS",
          "precision of inputs and constants; fp16 rounds them to f16 values", 0, 0, precisions },
        { "graphs", ARGS_UINT, &f.graphs, "N", graphs_help, 0, 1e6, NULL },
        ARG("models", ARGS_BOOL, &f.models, NULL,
            "write what the reference answers with the trained models, in place of cases, "
            "as golden/digits/reference.h5 holds it"),
    };
    struct golden_request request;
    struct diag diag = { .status = STATUS_OK };
    uint8_t *bytes;
    size_t count;
    enum status s;
    int code = 0;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0], ARGS_SEED | ARGS_QUIET,
                    &f.common, &f.args, 1, 1, &code))
        return code;
    if (f.models) {
        s = digits_export(f.args.items[0], &(struct digits_options){ .quiet = f.common.quiet },
                          &diag);
        return s == STATUS_OK ? EXIT_AS_EXPECTED : message_fail(self->name, &diag);
    }
    request = (struct golden_request){ .filters = f.filters,
                                       .quiet = f.common.quiet,
                                       .bounds = (enum bounds)f.precision,
                                       .seed = f.common.seed,
                                       .graphs = (size_t)f.graphs,
                                       .limit = (size_t)f.limit };
    s = golden_export(&request, &bytes, &count, &diag);
    if (s == STATUS_OK) {
        s = output_write_file(f.args.items[0], bytes, count, &diag);
        mem_free(bytes);
    }
    return s == STATUS_OK ? EXIT_AS_EXPECTED : message_fail(self->name, &diag);
}

/* ---- the parts ---- */

static const struct command parts[] = {
    {
        .name = "golden list",
        .summary = "list the cases of the golden files",
        .synopsis = "[FLAG]...",
        .description = "Lists the cases that the golden files hold answers for.",
        .examples = "  assay golden list --filter='conv_2d.*'\n",
        .run = list_run,
    },
    {
        .name = "golden check",
        .summary = "check the scalar reference against the golden files",
        .synopsis = "[FLAG]...",
        .description = "Builds the cases of the golden files again, runs them on the scalar "
                       "reference, and compares the results with the answers of the real runtime.",
        .examples = "  assay golden check\n"
                    "  assay golden check --filter='softmax.*' --format=json\n",
        .run = check_run,
    },
    {
        .name = "golden export",
        .summary = "write cases, models and inputs for golden/mint.py",
        .synopsis = "[FLAG]... FILE.h5",
        .description = "Writes the suite's cases, with models and inputs, to an HDF5 file, from "
                       "which golden/mint.py asks the real runtime for its answers.",
        .examples = "  assay golden export cases.h5 && golden/mint.py cases.h5 golden\n"
                    "  assay golden export --models golden/digits/reference.h5\n",
        .suffix = ".h5",
        .run = export_run,
    },
};
enum { PARTS = sizeof parts / sizeof parts[0] };

const struct command command_golden = {
    .name = "golden",
    .summary = "check the scalar reference against answers of the real runtime",
    .synopsis = "list|check|export [FLAG]... [FILE.h5]",
    .description =
        "Golden files hold what the real LiteRT, with its reference kernels, computes for the "
        "suite's cases.  They are HDF5 files, one for each op.  Models and inputs are built again "
        "from seeds and checked by SHA-256.",
    .examples = "  assay golden list\n"
                "  assay golden check --filter='conv_2d.*'\n"
                "  assay golden export cases.h5\n"
                "  assay golden check --help\n",
    .parts = parts,
    .part_count = PARTS,
    .run = parts_run,
};
