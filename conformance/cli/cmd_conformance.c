/* assay conformance: the suite against a delegate. */
#include "conformance/cases/case_list.h"
#include "conformance/cases/random_cases.h"
#include "conformance/cases/select.h"
#include "conformance/cli/args.h"
#include "conformance/cli/commands.h"
#include "conformance/models/digits_judge.h"
#include "conformance/report/expectations.h"
#include "conformance/report/ledger.h"
#include "conformance/report/minimal_graphs.h"
#include "conformance/report/report.h"
#include "conformance/subject/subject_spec.h"
#include "conformance/util/output.h"
#include "conformance/util/process.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUBJECTS_MAX = 16, SUBJECTS_OURS = 4 };

struct request {
    struct args_common common;
    struct selection selection;
    struct string_list require, subjects;
    const char *shard, *waivers, *write_waivers, *baseline, *repro_dir, *mutants, *versions;
    double timeout_s;
    uint64_t graphs;
    const char *bounds; /* classes; NULL: as the subject's options say */
    uint64_t minimize_steps;
    bool list, no_models, require_integers, minimize;
};

/* ---- what runs ---- */

static bool names_option(const struct string_list *options, const char *key)
{
    const size_t length = strlen(key);

    for (size_t i = 0; i < options->count; i++) {
        if (strncmp(options->items[i], key, length) == 0 && options->items[i][length] == '=')
            return true;
    }
    return false;
}

/* Whether the subjects are our delegate as it is: it has to take what reference/ops.def says. */
static bool runs_ours(const struct request *q)
{
    const struct args_common *const common = &q->common;

    return q->subjects.count == 0 && !common->delegate &&
           common->delegate_option.count == (common->device ? 1 : 0);
}

/* Opens one more subject, with one more option where value is not NULL. */
static enum status open_subject(const struct request *q, struct subject *subjects, size_t *count,
                                const char *key, const char *value, struct diag *diag)
{
    const struct args_common *const common = &q->common;
    struct subject *const s = &subjects[*count];

    TRY(subject_init(s, common->delegate, &common->delegate_option, diag));
    ++*count;
    if (value)
        TRY(subject_set(s, key, value, diag));
    return q->bounds ? subject_hold_to(s, q->bounds, diag) : STATUS_OK;
}

/* Opens what --subject names, a column each. */
static enum status open_named_subjects(const struct request *q, struct subject *subjects,
                                       size_t *count, struct diag *diag)
{
    if (q->common.delegate || q->common.delegate_option.count > 0)
        return diag_fail(diag, STATUS_USAGE,
                         "--subject and %s do not mix; options of a subject stand behind its "
                         "name: --subject='delegate:PATH?KEY=VALUE&KEY=VALUE'",
                         q->common.delegate ? "--delegate" : "--delegate-option");
    if (q->subjects.count > SUBJECTS_MAX)
        return diag_fail(diag, STATUS_USAGE, "expected at most %d --subject, found %zu",
                         SUBJECTS_MAX, q->subjects.count);
    for (size_t i = 0; i < q->subjects.count; i++) {
        struct subject *const s = &subjects[*count];

        TRY(subject_parse(s, q->subjects.items[i], diag));
        ++*count;
        if (q->bounds && !s->bounds_given)
            TRY(subject_hold_to(s, q->bounds, diag));
    }
    return STATUS_OK;
}

/* Our delegate is four subjects: floats in fp32 and fp16, 8-bit models exact and in float view.
 * Where an option names one of these modes, or --delegate a library, one subject runs all cases. */
static enum status open_subjects(const struct request *q, struct subject *subjects, size_t *count,
                                 struct diag *diag)
{
    static const struct {
        const char *key, *value;
        bool skips_floats, skips_quantized;
    } ours[SUBJECTS_OURS] = {
        { "precision", "fp32", false, true },
        { "precision", "fp16", false, true },
        { "quantized", "exact", true, false },
        { "quantized", "float_view", true, false },
    };
    const struct string_list *const options = &q->common.delegate_option;

    if (q->subjects.count > 0)
        return open_named_subjects(q, subjects, count, diag);
    if (q->common.delegate || names_option(options, "precision") ||
        names_option(options, "allow_precision_loss") || names_option(options, "quantized"))
        return open_subject(q, subjects, count, NULL, NULL, diag);
    for (size_t i = 0; i < SUBJECTS_OURS; i++) {
        TRY(open_subject(q, subjects, count, ours[i].key, ours[i].value, diag));
        subjects[i].skips_floats = ours[i].skips_floats;
        subjects[i].skips_quantized = ours[i].skips_quantized;
    }
    return STATUS_OK;
}

/* Drops the subjects that run none of the cases. */
static void drop_idle_subjects(struct report *r, struct subject *subjects)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->subject_count; i++) {
        bool runs = r->case_count == 0;

        for (size_t c = 0; c < r->case_count && !runs; c++)
            runs = subject_runs(&subjects[i], &r->cases[c]);
        if (!runs) {
            subject_close(&subjects[i]);
        } else {
            const struct subject s = subjects[i];

            if (kept < i)
                subjects[i] = (struct subject){ .path = NULL };
            subjects[kept++] = s;
        }
    }
    r->subject_count = kept;
}

static enum status open_cases(const struct request *q, struct test_case **cases, size_t *count,
                              struct random_row **graphs, struct diag *diag)
{
    TRY(cases_list(cases, count, diag));
    TRY(random_cases_append(q->common.seed, q->graphs, cases, count, graphs, diag));
    return select_cases(*cases, count, &q->selection, diag);
}

/* ---- before the run ---- */

/* Fails when the report could not be written, before minutes of work are spent on it. */
static enum status try_output(const char *path, struct diag *diag)
{
    char name[PATH_MAX];
    struct stat st;
    int fd;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        if (S_ISDIR(st.st_mode))
            return diag_fail(diag, STATUS_IO, "%s: is a directory", path);
        return access(path, W_OK) == 0
                   ? STATUS_OK
                   : diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    }
    if (snprintf(name, sizeof name, "%s.XXXXXX", path) >= (int)sizeof name)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", path);
    fd = mkstemp(name);
    if (fd < 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    close(fd);
    unlink(name);
    return STATUS_OK;
}

/* Likewise for the directory of --repro-dir. */
static enum status try_directory(const char *path, struct diag *diag)
{
    struct stat st;

    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || access(path, W_OK | X_OK) != 0)
        return diag_fail(diag, STATUS_IO, "%s: expected a directory that can be written to", path);
    return STATUS_OK;
}

/* Makes Mesa keep the many shaders of the suite apart from those of the user's programs. */
static void use_private_shader_cache(void)
{
    static const char name[] = "MESA_SHADER_CACHE_DIR";
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    char path[PATH_MAX];
    int n = -1;

    if (getenv(name))
        return;
    if (cache && cache[0] == '/')
        n = snprintf(path, sizeof path, "%s/assay", cache);
    else if (home && home[0] == '/')
        n = snprintf(path, sizeof path, "%s/.cache/assay", home);
    if (n < 0 || (size_t)n >= sizeof path - 16)
        return;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
    strcat(path, "/shaders");
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        setenv(name, path, 0);
}

/* Sets environment variables that worker processes inherit. */
static void prepare_environment(size_t jobs)
{
    use_private_shader_cache();
    if (jobs != 1) /* else lavapipe starts a thread for each processor in each worker */
        setenv("LP_NUM_THREADS", "1", 0);
}

/* Checks that each subject works here at all, before thousands of cases fail for one reason. */
static enum status probe(const struct request *q, struct report *r, struct subject *subjects,
                         struct diag *diag)
{
    for (size_t i = 0; i < r->subject_count; i++) {
        struct judge_device device;
        const enum status s = runner_probe(&subjects[i], q->timeout_s, &device, diag);

        if (s == STATUS_NO_DEVICE && i > 0 && bounds_half(subjects[i].bounds)) /* f16 storage */
            diag_prefix(diag, s, "--delegate-option=precision=fp32 alone can run here");
        if (s != STATUS_OK)
            return s;
        if (!r->device.name[0])
            r->device = device;
    }
    return STATUS_OK;
}

/* Whole models end a run of all cases; of several shards the first runs them. */
static bool wants_models(const struct request *q)
{
    return !q->no_models && q->selection.filters.count == 0 && q->selection.shard == 0;
}

static enum status run_models(const struct request *q, struct report *r, struct subject *subjects,
                              struct digits_report *digits, struct diag *diag)
{
    const struct digits_options options = { .jobs = q->common.jobs, .quiet = q->common.quiet };

    if (!wants_models(q))
        return STATUS_OK;
    r->digits = digits;
    return digits_run(digits, subjects, r->subject_count, &options, diag);
}

/* ---- reports ---- */

/* Writes text to stdout or --out.  With --format=json --out=FILE, the text goes to stdout too. */
static int write_reports(const struct request *q, const struct report *r)
{
    struct diag diag = { .status = STATUS_OK };
    struct output o;
    bool failed;
    int code;

    if (q->common.format == FORMAT_TEXT || q->common.out) {
        if (!output_open(&o))
            return EXIT_FAILED;
        report_text(r, o.file);
        code = output_close(&o, q->common.format == FORMAT_TEXT ? q->common.out : NULL, false);
        if (code != EXIT_AS_EXPECTED || q->common.format == FORMAT_TEXT)
            return code;
    }
    if (!output_open(&o))
        return EXIT_FAILED;
    failed = report_json(r, o.file, &diag) != STATUS_OK;
    code = output_close(&o, q->common.out, failed);
    return failed ? message_fail("report", &diag) : code;
}

static struct run_request make_run(const struct request *q, const struct report *r,
                                   struct subject *subjects)
{
    return (struct run_request){
        .subjects = subjects,
        .subject_count = r->subject_count,
        .cases = r->cases,
        .case_count = r->case_count,
        .seed = q->common.seed,
        .jobs = (size_t)q->common.jobs,
        .timeout_s = q->timeout_s,
        .repro_dir = q->repro_dir,
        .quiet = q->common.quiet,
    };
}

static enum status run_all(const struct request *q, struct report *r, struct subject *subjects,
                           struct diag *diag)
{
    const struct run_request run = make_run(q, r, subjects);

    r->seed = q->common.seed;
    r->shard = q->selection.shard;
    r->shards = q->selection.shards;
    r->bounds = q->bounds;
    return runner_run(&run, &r->outcome, diag);
}

/* What --graphs found wrong, in the smallest form. */
static enum status find_minimal(const struct request *q, struct report *r, struct subject *subjects,
                                struct diag *diag)
{
    const struct minimal_graphs_options options = { .subjects = subjects,
                                                    .timeout_s = q->timeout_s,
                                                    .repro_dir = q->repro_dir,
                                                    .quiet = q->common.quiet };

    return q->graphs > 0 ? minimal_graphs_find(r, &options, diag) : STATUS_OK;
}

static enum status minimize(const struct request *q, struct report *r, struct subject *subjects,
                            struct minimal_forms *forms, struct diag *diag)
{
    const struct run_request run = make_run(q, r, subjects);

    if (!q->minimize)
        return STATUS_OK;
    r->forms = forms;
    return minimal_forms_find(&run, &r->outcome, (size_t)q->minimize_steps, forms, diag);
}

/* Opens the ledger, whose check needs the results of all cases. */
static enum status open_ledger(const struct request *q, struct ledger *ledger, struct diag *diag)
{
    if (!q->versions)
        return STATUS_OK;
    if (q->selection.filters.count || q->selection.limit || q->selection.shards > 1)
        return diag_fail(diag, STATUS_USAGE,
                         "--versions needs all cases: not with --filter, --limit or --shard");
    return ledger_open(ledger, q->versions, diag);
}

/* Returns how many problems the ledger has. */
static size_t check_ledger(const struct request *q, const struct ledger *ledger,
                           const struct report *r)
{
    struct ledger_problems problems = { .out = stderr };

    if (!q->versions)
        return 0;
    ledger_check_run(ledger, r, &problems);
    return problems.count;
}

/* A run in which nothing ran, or all was declined, shows nothing: its exit code is no success. */
static bool proves_something(const struct totals *totals)
{
    size_t all = 0;

    for (int i = 0; i < CASE_STATUS_COUNT; i++)
        all += totals->count[i];
    if (all > totals->count[CASE_DECLINED])
        return true;
    if (all == 0)
        message_error("conformance", "nothing was checked: the subjects run none of the cases");
    else
        message_error("conformance", "nothing was checked: the subjects declined all of %zu cases",
                      all);
    return false;
}

static int list_cases(const struct request *q, const struct test_case *cases, size_t count)
{
    struct output o;

    if (!output_open(&o))
        return EXIT_FAILED;
    for (size_t i = 0; i < count; i++)
        fprintf(o.file, "%s\n", cases[i].name);
    return output_close(&o, q->common.out, false);
}

static int check(const struct request *q)
{
    struct subject subjects[SUBJECTS_MAX] = { { .path = NULL } };
    struct expectations expected = { .baseline = NULL };
    const struct expectation_flags expect = { .waivers = q->waivers,
                                              .baseline = q->baseline,
                                              .require = q->require,
                                              .require_integers = q->require_integers,
                                              .require_supported = runs_ours(q) };
    struct report report = { .subjects = NULL };
    struct digits_report digits = { .count = 0 };
    struct minimal_forms forms = { .count = 0 };
    struct tsv mutants = { .rows = 0 };
    struct ledger ledger = { .count = 0 };
    struct test_case *cases = NULL;
    struct random_row *graphs = NULL;
    size_t case_count = 0;
    struct totals totals;
    struct diag diag = { .status = STATUS_OK };
    int code = EXIT_AS_EXPECTED;

    if (open_cases(q, &cases, &case_count, &graphs, &diag) != STATUS_OK)
        code = message_fail("conformance", &diag);
    else if (q->list)
        code = list_cases(q, cases, case_count);
    else if ((q->common.out && try_output(q->common.out, &diag) != STATUS_OK) ||
             (q->write_waivers && try_output(q->write_waivers, &diag) != STATUS_OK) ||
             (q->repro_dir && try_directory(q->repro_dir, &diag) != STATUS_OK) ||
             expectations_open(&expected, &expect, cases, case_count, &diag) != STATUS_OK ||
             open_ledger(q, &ledger, &diag) != STATUS_OK ||
             (q->mutants && tsv_read(&mutants, q->mutants, mutants_columns, MUTANT_COLUMNS,
                                     &diag) != STATUS_OK) ||
             open_subjects(q, subjects, &report.subject_count, &diag) != STATUS_OK)
        code = message_fail("conformance", &diag);
    report.mutants = q->mutants ? &mutants : NULL;
    report.subjects = subjects;
    report.cases = cases;
    report.case_count = case_count;
    drop_idle_subjects(&report, subjects);
    if (code == EXIT_AS_EXPECTED && !q->list) {
        prepare_environment(q->common.jobs ? (size_t)q->common.jobs : process_count_processors());
        if (probe(q, &report, subjects, &diag) != STATUS_OK ||
            run_all(q, &report, subjects, &diag) != STATUS_OK ||
            find_minimal(q, &report, subjects, &diag) != STATUS_OK ||
            run_models(q, &report, subjects, &digits, &diag) != STATUS_OK) {
            code = message_fail("conformance", &diag);
        } else if (expectations_apply(&expected, &report),
                   minimize(q, &report, subjects, &forms, &diag) != STATUS_OK) {
            code = message_fail("conformance", &diag);
        } else {
            totals = report_totals(&report);
            code = write_reports(q, &report);
            if (q->write_waivers &&
                waivers_write(&expected.waivers, &report, q->write_waivers, &diag) != STATUS_OK)
                code = message_fail("conformance", &diag);
            if (code == EXIT_AS_EXPECTED && (check_ledger(q, &ledger, &report) > 0 ||
                                             totals.bad > 0 || report.outcome.broken_ends > 0 ||
                                             digits_failed(&digits) || !proves_something(&totals)))
                code = EXIT_FAILED;
        }
    }
    minimal_graphs_close(&report);
    run_outcome_close(&report.outcome);
    digits_close(&digits);
    minimal_forms_close(&forms);
    expectations_close(&expected);
    tsv_close(&mutants);
    ledger_close(&ledger);
    for (size_t i = 0; i < SUBJECTS_MAX; i++)
        subject_close(&subjects[i]);
    mem_free(graphs);
    mem_free(cases);
    return code;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct request q = { .timeout_s = 60, .minimize_steps = MINIMIZE_STEPS };
    const struct args_flag flags[] = {
        { .name = "filter",
          .kind = ARGS_LIST,
          .target = &q.selection.filters,
          .value = "GLOB",
          .help = "cases to run, such as 'conv_2d.*'; repeatable" },
        { .name = "graphs",
          .kind = ARGS_UINT,
          .target = &q.graphs,
          .value = "N",
          .help = "run N random graphs, too; --seed draws others",
          .min = 0,
          .max = 1e6 },
        { .name = "list",
          .kind = ARGS_BOOL,
          .target = &q.list,
          .help = "print the names of the cases, and run none" },
        { .name = "limit",
          .kind = ARGS_UINT,
          .target = &q.selection.limit,
          .value = "N",
          .help = "at most N cases for each op and for each title of the gap suite",
          .min = 1,
          .max = 1e9 },
        { .name = "shard",
          .kind = ARGS_STRING,
          .target = &q.shard,
          .value = "I/N",
          .help = "run part I of N, counted from 0; /N: I from the environment of Bazel, Slurm or "
                  "Kubernetes; env: both" },
        { .name = "subject",
          .kind = ARGS_LIST,
          .target = &q.subjects,
          .value = "KIND:LIBRARY?KEY=VALUE&...",
          .help = "who is judged: delegate:PATH, tflite-c:PATH?delegate=PATH, litert:cpu, "
                  "litert:gpu, litert:npu or reference; repeatable, a column each" },
        { .name = "bounds",
          .kind = ARGS_STRING,
          .target = &q.bounds,
          .value = "CLASSES",
          .help = "what results are held to, a list such as fp16,winograd,one_step: for floats "
                  "fp32, fp16 or fp16_arith, with rtz, winograd and hybrid as the design needs; "
                  "for 8 bits exact, one_step or float_view; conformance/TOLERANCES.md says which "
                  "is for which (default: by the options of our delegate; another's are fp32 and "
                  "float_view)" },
        { .name = "timeout",
          .kind = ARGS_DOUBLE,
          .target = &q.timeout_s,
          .value = "SECONDS",
          .help = "time limit of one case (default 60)",
          .min = 0.01,
          .max = 1e6 },
        { .name = "require",
          .kind = ARGS_LIST,
          .target = &q.require,
          .value = "GLOB",
          .help = "cases that must not be declined; repeatable" },
        { .name = "require-integers",
          .kind = ARGS_BOOL,
          .target = &q.require_integers,
          .help =
              "8-bit cases must not be declined of ops that reference/ops.def says our delegate "
              "takes in full" },
        { .name = "waivers",
          .kind = ARGS_STRING,
          .target = &q.waivers,
          .value = "FILE",
          .help = "known failures, one on each line: CASES | DEVICE | CAUSE" },
        { .name = "write-waivers",
          .kind = ARGS_STRING,
          .target = &q.write_waivers,
          .value = "FILE",
          .help = "write the failures of this run as a file of waivers, to be explained" },
        { .name = "baseline",
          .kind = ARGS_STRING,
          .target = &q.baseline,
          .value = "FILE",
          .help = "JSON report of an earlier run; what passed there must pass" },
        { .name = "versions",
          .kind = ARGS_STRING,
          .target = &q.versions,
          .value = "FILE",
          .help = "version ledger, conformance/versions.tsv; each row needs its proof" },
        { .name = "mutants",
          .kind = ARGS_STRING,
          .target = &q.mutants,
          .value = "FILE",
          .help = "table that `make mutants` wrote, to be shown in the report" },
        { .name = "no-models",
          .kind = ARGS_BOOL,
          .target = &q.no_models,
          .help = "do not run the trained models that end a run of all cases" },
        { .name = "repro-dir",
          .kind = ARGS_STRING,
          .target = &q.repro_dir,
          .value = "DIR",
          .help = "directory for model, tensors, limits and command of failed cases" },
        { .name = "minimize",
          .kind = ARGS_BOOL,
          .target = &q.minimize,
          .help = "make one failure of each kind smaller while it fails the same way, and print "
                  "its minimal form; with --repro-dir write its model" },
        { .name = "minimize-steps",
          .kind = ARGS_UINT,
          .target = &q.minimize_steps,
          .value = "N",
          .help = "most steps for each minimal form (default 300)",
          .min = 1,
          .max = 1e6 },
    };
    struct args args;
    struct diag diag;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_DELEGATE | ARGS_FORMAT | ARGS_SEED | ARGS_JOBS | ARGS_QUIET, &q.common,
                    &args, 0, 0, &code))
        return code;
    if (select_shard(&q.selection, q.shard, &diag) != STATUS_OK)
        return message_fail("conformance", &diag);
    return check(&q);
}

const struct command command_conformance = {
    .name = "conformance",
    .summary = "run the conformance suite against a delegate",
    .synopsis = "[--filter=GLOB]... [--delegate=PATH] [FLAG]...",
    .description =
        "Builds a model for each case, runs it on the scalar reference and on the delegate, in "
        "worker processes, and compares the results element by element, each with a bound of its "
        "own.  It also compares runs of the delegate with each other: with poisoned unused memory, "
        "in batches, repeated, and with every intermediate tensor as an output.\n\n"
        "A case is named op.type.variant, for instance softmax.f32.rank1.  It passes, fails, is "
        "declined (the delegate does not take the op), crashes, times out, is waived, or passes "
        "although it is waived.  Declined is never counted as passed.\n\n"
        "Without --delegate, Assay's own delegate runs as four subjects: precision=fp32 and "
        "precision=fp16 on cases of floats, quantized=exact and quantized=float_view on 8-bit "
        "cases.\n\n"
        "--subject names others: a delegate, a TensorFlow Lite C library, or an accelerator of "
        "LiteRT's CompiledModel API, whose libLiteRt.so is looked for in library=PATH, "
        "LITERT_LIBRARY, the loader's path and the packages of python3; SUBJECTS.md of the source "
        "describes their keys.\n\n"
        "A failure prints the case, seed, first wrong element, both values, error, limit, and the "
        "command that runs it again.\n\n"
        "Work is split by --shard=I/N; --shard=env reads both of Bazel (TEST_SHARD_INDEX, "
        "TEST_TOTAL_SHARDS), of a Slurm job array (SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT), "
        "or of an indexed Kubernetes Job (JOB_COMPLETION_INDEX, JOB_COMPLETIONS).",
    .examples = "  assay conformance\n"
                "  assay conformance --filter='conv_2d.*' --delegate-option=precision=fp16\n"
                "  assay conformance --delegate=./libother.so --bounds=fp16 \\\n"
                "      --format=json --out=report.json\n"
                "  assay conformance --subject=tflite-c:./libtensorflowlite_c.so \\\n"
                "      --subject='delegate:./libother.so?threads=4&bounds=fp16'\n"
                "  assay conformance --subject=litert:cpu --write-waivers=known.tsv\n"
                "  assay conformance --subject='litert:gpu?precision=fp32' --waivers=known.tsv\n"
                "  assay conformance --baseline=report.json --repro-dir=failures --minimize\n",
    .run = run,
};
