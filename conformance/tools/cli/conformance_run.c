/* A run of the suite, from the flags of `assay conformance` or `assay hostile` to its reports. */
#include "conformance/report/record/classes.h"
#include "conformance/report/record/cluster.h"
#include "conformance/report/record/expectations.h"
#include "conformance/report/record/exposure.h"
#include "conformance/report/record/from_run.h"
#include "conformance/report/record/ledger.h"
#include "conformance/report/record/report.h"
#include "conformance/report/record/resume.h"
#include "conformance/report/record/shrunk_graphs.h"
#include "conformance/suite/hostile/hostile.h"
#include "conformance/suite/judge/checkpoint.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/models/digits_judge.h"
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/tools/cli/conformance_setup.h"
#include "conformance/tools/cli/write_form.h"
#include "conformance/util/clock.h"
#include "conformance/util/git_state.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/message.h"
#include "conformance/util/output.h"
#include "conformance/util/process.h"
#include "conformance/util/shell_word.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* ---- of --repro-dir: a directory for each finding of a run ---- */

enum { REPRO_FINDINGS_MAX = 200 };

/* The outcome of a result of the record, which leaves out cases that no subject runs. */
static size_t outcome_of(const struct report *report, const struct record *r, size_t result)
{
    const char *const name = r->cases[r->results[result].test_case].name;
    size_t i = 0;

    while (i < report->case_count && strcmp(report->cases[i].name, name) != 0)
        i++;
    return i == report->case_count ? SIZE_MAX : r->results[result].subject * report->case_count + i;
}

static enum status save(const struct run_request *run, const struct report *report,
                        const struct finding *f, size_t result, size_t step_limit,
                        struct shrunk_forms *forms, struct diag *diag)
{
    struct shrunk shrunk;

    TRY(shrunk_forms_save(run, &report->outcome, result, step_limit, &shrunk, diag));
    if (forms && forms->count < SHRUNK_FORMS_MAX)
        forms->items[forms->count++] = (struct shrunk_form){ result, f->count - 1, shrunk };
    else
        shrunk_close(&shrunk);
    return STATUS_OK;
}

/* Writes the smallest case of each finding and its minimal form.  The first forms are kept in
 * `forms`; NULL: none is.  A status other than OK: a file could not be written, or this program
 * failed. */
static enum status repro_findings(const struct run_request *run, const struct report *report,
                                  size_t step_limit, struct shrunk_forms *forms, struct diag *diag)
{
    struct arena arena = { .blocks = NULL };
    struct finding *findings = NULL;
    struct exposure exposure;
    struct record r;
    size_t count = 0, failed = 0;
    enum status s;

    while (failed < report->outcome.count &&
           !case_status_fails(report->outcome.results[failed].status))
        failed++;
    if (failed == report->outcome.count)
        return STATUS_OK;
    TRY(record_from_run(&r, report, diag));
    s = exposure_open(&exposure, &r, &arena, diag);
    if (s == STATUS_OK)
        s = cluster_findings(&r, &arena, &findings, &count, diag);
    for (size_t i = 0; i < count && i < REPRO_FINDINGS_MAX && s == STATUS_OK && !interrupt_signal();
         i++) {
        const size_t result = outcome_of(report, &r, findings[i].smallest);

        if (result != SIZE_MAX && case_status_fails(report->outcome.results[result].status))
            s = save(run, report, &findings[i], result, step_limit, forms, diag);
    }
    arena_close(&arena);
    record_close(&r);
    return s;
}

/* ---- the run ---- */

/* A run, from its flags to its report; close frees all of it. */
struct run {
    const struct conformance_request *q;
    struct subject subjects[CONFORMANCE_SUBJECTS_MAX];
    struct judge_device devices[CONFORMANCE_SUBJECTS_MAX];
    struct conformance_cases cases;
    struct expectations expected;
    struct report report;
    struct checkpoint checkpoint;
    struct digits_report digits;
    struct shrunk_forms forms;
    struct tsv mutants;
    struct ledger ledger;
    struct class_claims claims;
    /* How it was made, for the report. */
    char started[32], host[256];
    double began_s;
    char *command;
    bool failed; /* to write what was asked for */
};

/* ---- how it was made ---- */

/* The command as it was typed, quoted for a shell; NULL when out of memory. */
static char *command_text(const struct conformance_request *q)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    if (!f)
        return NULL;
    fputs("assay", f);
    for (int i = 0; i < q->argc; i++) {
        fputc(' ', f);
        shell_word_print(q->argv[i], f);
    }
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

static void note_start(struct run *x)
{
    const time_t now = time(NULL);
    struct tm utc;
    struct utsname host;
    const size_t processors = process_count_processors();

    x->began_s = clock_s();
    x->command = command_text(x->q);
    if (gmtime_r(&now, &utc))
        strftime(x->started, sizeof x->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (uname(&host) == 0)
        snprintf(x->host, sizeof x->host, "%.60s %.60s %.60s, %zu processor%s", host.sysname,
                 host.release, host.machine, processors, processors == 1 ? "" : "s");
}

static void note_run(struct run *x)
{
    const struct conformance_request *const q = x->q;

    x->report.run = (struct record_run){
        .version = ASSAY_VERSION,
        .git = git_state(),
        .command = x->command,
        .started = x->started,
        .host = x->host,
        .seconds = clock_s() - x->began_s + x->checkpoint.before_s,
        .interrupted = x->report.outcome.missing > 0 || x->report.outcome.signal
                           ? x->report.outcome.stopped
                           : NULL,
        .graphs = q->graphs,
        .limit = q->selection.limit,
        .filters = q->selection.filters.items,
        .filter_count = q->selection.filters.count,
        .timeout_s = q->timeout_s,
        .repeat = q->repeat.runs,
        .statistics = q->statistics,
        .quick_of = x->cases.quick_of,
        .list_count = x->cases.list_count,
        .list_sha256 = x->cases.list_sha256,
    };
}

/* ---- running ---- */

/* Checks that each subject works here at all, before thousands of cases fail for one reason.  One
 * that nobody named may lack a device; not all may. */
static enum status probe(struct run *x, struct diag *diag)
{
    struct report *const r = &x->report;
    struct prober prober = { .subjects = x->subjects, .timeout_s = x->q->timeout_s };
    enum status s = STATUS_OK;
    size_t lacking = 0;

    for (size_t i = 0; i < r->subject_count && s == STATUS_OK; i++) {
        struct judge_device *const device = &x->devices[i];
        struct diag why = { .status = STATUS_OK };

        s = prober_try(&prober, i, device, &why);
        if (s != STATUS_OK && lacking == 0)
            *diag = why;
        if (s == STATUS_NO_DEVICE && x->subjects[i].optional) {
            snprintf(x->subjects[i].not_run, sizeof x->subjects[i].not_run, "%.479s",
                     conformance_lack(&x->subjects[i], why.text));
            lacking++;
            s = STATUS_OK;
        } else if (s != STATUS_OK) {
            *diag = why;
        }
        if (!r->device.name[0])
            r->device = *device;
    }
    prober_close(&prober);
    r->devices = x->devices;
    TRY(s);
    return lacking > 0 && lacking == r->subject_count ? STATUS_NO_DEVICE : STATUS_OK;
}

static bool saves_all(const struct conformance_request *q)
{
    return q->repro && strcmp(q->repro, "all") == 0;
}

static struct run_request make_request(struct run *x)
{
    const struct conformance_request *const q = x->q;

    return (struct run_request){
        .subjects = x->subjects,
        .subject_count = x->report.subject_count,
        .cases = x->report.cases,
        .case_count = x->report.case_count,
        .seed = q->common.seed,
        .jobs = (size_t)q->common.jobs,
        .timeout_s = q->timeout_s,
        .repro_dir = saves_all(q) ? q->repro_dir : NULL,
        .repeat = q->repeat,
        .give_up = q->give_up,
        .quiet = q->common.quiet,
        .what = q->name,
        .run_case = q->hostile ? hostile_judge : NULL,
        .run_user = q->hostile,
    };
}

static enum status run_cases(struct run *x, struct diag *diag)
{
    const struct conformance_request *const q = x->q;
    const bool from_report = q->resume && !checkpoint_is_log(q->resume);
    struct run_request request = make_request(x);
    struct case_result *known = NULL;
    double before_s = 0;
    enum status s;

    if (from_report) {
        note_run(x); /* which run it is */
        TRY(resume_from_report(q->resume, &x->report, &known, &before_s, diag));
        request.known = known;
    }
    s = checkpoint_open(&x->checkpoint, &request, &x->report.device, q->common.out,
                        from_report ? NULL : q->resume, before_s, diag);
    if (s != STATUS_OK) {
        mem_free(known);
        return s;
    }
    s = runner_run(&request, &x->report.outcome, diag);
    mem_free(known);
    return s;
}

/* What --graphs found wrong, in the smallest form. */
static enum status find_minimal(struct run *x, struct diag *diag)
{
    const struct conformance_request *const q = x->q;
    const struct shrunk_graphs_options options = { .subjects = x->subjects,
                                                   .timeout_s = q->timeout_s,
                                                   .repro_dir = q->repro_dir,
                                                   .quiet = q->common.quiet };

    return q->graphs > 0 && !interrupt_signal() ? shrunk_graphs_find(&x->report, &options, diag)
                                                : STATUS_OK;
}

/* Whole models end the run; of several shards the first runs them.  A run that was cut lists them
 * as missing. */
static bool wants_models(const struct conformance_request *q, const struct run_outcome *o)
{
    return (o->missing == 0 || o->signal) && q->models && q->selection.shard == 0;
}

static enum status run_models(struct run *x, struct diag *diag)
{
    const struct digits_options options = { .filters = x->q->selection.filters,
                                            .jobs = x->q->common.jobs,
                                            .quiet = x->q->common.quiet };

    if (!wants_models(x->q, &x->report.outcome))
        return STATUS_OK;
    x->report.digits = &x->digits;
    return digits_run(&x->digits, x->subjects, x->report.subject_count, &options, diag);
}

static enum status minimize(struct run *x, struct diag *diag)
{
    const struct run_request request = make_request(x);

    if (!x->q->minimize || interrupt_signal())
        return STATUS_OK;
    x->report.forms = &x->forms;
    return shrunk_forms_find(&request, &x->report.outcome, (size_t)x->q->minimize_steps, &x->forms,
                             diag);
}

/* What --repro=all could not write: the first of it. */
static void check_saved(struct run *x)
{
    for (size_t i = 0; i < x->report.outcome.count && !x->failed; i++) {
        const char *why = strstr(x->report.outcome.results[i].reason, SHRUNK_SAVE_FAILED);

        if (!why)
            continue;
        why += strlen(SHRUNK_SAVE_FAILED);
        message_error(x->q->name, "--repro-dir: %.*s", (int)strcspn(why, ")"), why);
        x->failed = true;
    }
}

/* A directory for each finding.  A disk that is full ends no run: the report is written. */
static void save_findings(struct run *x)
{
    const struct conformance_request *const q = x->q;
    struct run_request request = make_request(x);
    struct diag diag;

    if (q->repro_dir && saves_all(q))
        check_saved(x);
    if (!q->repro_dir || saves_all(q) || interrupt_signal())
        return;
    request.repro_dir = q->repro_dir;
    if (repro_findings(&request, &x->report, (size_t)q->minimize_steps,
                       q->minimize ? NULL : &x->forms, &diag) != STATUS_OK) {
        message_error(q->name, "--repro-dir: %s", diag.text);
        x->failed = true;
    }
    if (!q->minimize)
        x->report.forms = &x->forms;
}

static enum status run_parts(struct run *x, struct diag *diag)
{
    TRY(run_cases(x, diag));
    TRY(find_minimal(x, diag));
    TRY(run_models(x, diag));
    expectations_apply(&x->expected, &x->report);
    TRY(minimize(x, diag));
    save_findings(x);
    return STATUS_OK;
}

/* A signal ends what is being done, and leaves out what is not begun. */
static enum status run_all(struct run *x, struct diag *diag)
{
    struct run_outcome *const o = &x->report.outcome;
    enum status s;

    TRY(probe(x, diag));
    interrupt_begin();
    s = run_parts(x, diag);
    interrupt_end();
    if (interrupt_signal() && !o->signal) { /* behind the last case */
        o->signal = interrupt_name();
        snprintf(o->stopped, sizeof o->stopped, "%s", o->signal);
    }
    return s;
}

/* ---- the ledger ---- */

/* Whether the run has all cases, so that a class without one is a class that is lost. */
static bool is_whole(const struct conformance_request *q)
{
    return !q->selection.filters.count && !q->selection.limit && !q->quick &&
           q->selection.shards <= 1;
}

/* Opens the ledger, whose check needs the results of all cases. */
static enum status open_ledger(struct run *x, struct diag *diag)
{
    if (!x->q->versions)
        return STATUS_OK;
    if (!is_whole(x->q))
        return diag_fail(
            diag, STATUS_USAGE,
            "--versions needs all cases: not with --filter, --limit, --quick or --shard");
    return ledger_open(&x->ledger, x->q->versions, diag);
}

static enum status open_claims(struct run *x, struct diag *diag)
{
    const struct conformance_request *const q = x->q;

    if (q->write_classes)
        TRY(conformance_try_output(q->write_classes, diag));
    if (!q->require_classes)
        return STATUS_OK;
    TRY(class_claims_open(&x->claims, q->require_classes, diag));
    if (x->claims.path && !is_whole(q))
        return diag_fail(diag, STATUS_USAGE,
                         "--require-classes=FILE needs all cases: not with --filter, --limit, "
                         "--quick or --shard; a list OP.TYPE:CLASS does not");
    return STATUS_OK;
}

/* A run that was cut has not shown what is lost. */
static enum status check_support(const struct run *x, struct record *r, struct diag *diag)
{
    struct ledger_problems problems = { .out = stderr };

    if (x->report.outcome.missing > 0)
        return STATUS_OK;
    if (x->q->require_classes)
        TRY(class_claims_check(&x->claims, r, &problems, diag));
    r->ledger_problems += problems.count;
    return x->q->write_classes ? classes_write(r, x->q->write_classes, diag) : STATUS_OK;
}

static void check_ledger(struct run *x)
{
    struct ledger_problems problems = { .out = stderr };

    if (!x->q->versions || x->report.outcome.missing > 0)
        return;
    ledger_check_run(&x->ledger, &x->report, &problems);
    x->report.ledger_problems = problems.count;
}

/* ---- reports ---- */

/* A run in which nothing ran, or all was declined, shows nothing: its exit code is no success. */
static void say_if_nothing(const struct record *r)
{
    const struct record_totals t = record_totals(r);

    if (r->run.interrupted || !record_shows_nothing(r))
        return; /* an interruption is told in its own words */
    if (t.all == 0)
        message_error("conformance", "nothing was checked: the subjects run none of the cases");
    else
        message_error("conformance", "nothing was checked: the subjects declined all of %zu cases",
                      t.all);
}

/* Writes the report to stdout or --out.  Where --out has another form than text, the text goes to
 * stdout too. */
static int write_reports(const struct run *x, const struct record *r)
{
    const struct args_common *const common = &x->q->common;
    int code = EXIT_AS_EXPECTED;

    if (x->q->hostile && (common->out || common->format == FORMAT_TEXT)) {
        code = hostile_text(&x->report, x->q->hostile,
                            common->format == FORMAT_TEXT ? common->out : NULL);
        if (common->format == FORMAT_TEXT)
            return code;
    } else if (common->out && common->format != FORMAT_TEXT)
        code = write_form(r, FORMAT_TEXT, NULL);
    return code == EXIT_AS_EXPECTED ? write_form(r, common->format, common->out) : code;
}

/* Writes all that was asked for; returns the exit code. */
static int finish(struct run *x)
{
    struct diag diag = { .status = STATUS_OK };
    struct record record;
    int code;

    check_ledger(x);
    note_run(x);
    if (record_from_run(&record, &x->report, &diag) != STATUS_OK)
        return message_fail(x->q->name, &diag);
    if (check_support(x, &record, &diag) != STATUS_OK) {
        record_close(&record);
        return message_fail(x->q->name, &diag);
    }
    code = write_reports(x, &record);
    checkpoint_close(&x->checkpoint, &x->report.outcome, code == EXIT_AS_EXPECTED);
    if (x->q->write_waivers && waivers_write(&x->expected.waivers, &x->report, x->q->write_waivers,
                                             x->expected.today, &diag) != STATUS_OK)
        code = message_fail(x->q->name, &diag);
    if (code == EXIT_AS_EXPECTED && x->q->hostile) { /* that all are refused is as it should be */
        code = record_totals(&record).bad > 0 || record.run.interrupted || record.result_count == 0
                   ? EXIT_FAILED
                   : EXIT_AS_EXPECTED;
    } else if (code == EXIT_AS_EXPECTED) {
        say_if_nothing(&record);
        code = record_failed(&record) ? EXIT_FAILED : EXIT_AS_EXPECTED;
    }
    record_close(&record);
    return x->failed ? EXIT_USAGE : code;
}

static int list_cases(const struct run *x)
{
    struct output o;

    if (!output_open(&o))
        return EXIT_FAILED;
    for (size_t i = 0; i < x->cases.count; i++)
        fprintf(o.file, "%s\n", x->cases.items[i].name);
    o.plain = true;
    return output_close(&o, x->q->common.out, false);
}

/* ---- the whole ---- */

/* Opens all that flags name, and fails before minutes of work are spent on what cannot end well. */
static enum status open_all(struct run *x, struct diag *diag)
{
    const struct conformance_request *const q = x->q;
    const struct expectation_flags expect = { .waivers = q->waivers,
                                              .baseline = q->baseline,
                                              .require = q->require,
                                              .require_integers = q->require_integers,
                                              .require_supported = conformance_runs_ours(q),
                                              .strict_waivers = q->strict_waivers,
                                              .today = q->today };

    if (q->common.out)
        TRY(conformance_try_output(q->common.out, diag));
    if (q->write_waivers)
        TRY(conformance_try_output(q->write_waivers, diag));
    if (q->repro && strcmp(q->repro, "all") != 0 && strcmp(q->repro, "findings") != 0)
        return diag_fail(diag, STATUS_USAGE, "--repro=%s: expected findings or all", q->repro);
    if (q->repro && !q->repro_dir)
        return diag_fail(diag, STATUS_USAGE, "--repro=%s needs --repro-dir=DIR", q->repro);
    if (q->repro_dir)
        TRY(conformance_try_directory(q->repro_dir, diag));
    TRY(expectations_open(&x->expected, &expect, x->cases.items, x->cases.count, diag));
    TRY(open_ledger(x, diag));
    TRY(open_claims(x, diag));
    if (q->mutants) {
        TRY(tsv_read(&x->mutants, q->mutants, mutants_columns, MUTANT_COLUMNS, diag));
        x->report.mutants = &x->mutants;
    }
    TRY(conformance_open_subjects(q, x->subjects, &x->report.subject_count, diag));
    TRY(expectations_check_subjects(&x->expected, x->subjects, x->report.subject_count, diag));
    x->report.notes = &x->expected.notes;
    x->report.subjects = x->subjects;
    x->report.cases = x->cases.items;
    x->report.case_count = x->cases.count;
    x->report.indices = x->cases.indices;
    x->report.seed = q->common.seed;
    x->report.shard = q->selection.shard;
    x->report.shards = q->selection.shards;
    x->report.bounds = q->bounds;
    conformance_drop_idle(&x->cases, x->subjects, &x->report.subject_count);
    return STATUS_OK;
}

static void close_all(struct run *x)
{
    checkpoint_close(&x->checkpoint, &(struct run_outcome){ .count = 0 }, false);
    shrunk_graphs_close(&x->report);
    run_outcome_close(&x->report.outcome);
    digits_close(&x->digits);
    shrunk_forms_close(&x->forms);
    expectations_close(&x->expected);
    tsv_close(&x->mutants);
    ledger_close(&x->ledger);
    class_claims_close(&x->claims);
    for (size_t i = 0; i < CONFORMANCE_SUBJECTS_MAX; i++)
        subject_close(&x->subjects[i]);
    conformance_close_cases(&x->cases);
    free(x->command); /* from open_memstream, hence not of mem_alloc */
}

int conformance_run(const struct conformance_request *q)
{
    struct run x = { .q = q };
    struct diag diag = { .status = STATUS_OK };
    int code;

    note_start(&x);
    if (!x.command) {
        diag_fail(&diag, STATUS_NO_MEMORY, "no memory for the command that the report names");
        code = message_fail(q->name, &diag);
    } else if (conformance_open_cases(q, &x.cases, &diag) != STATUS_OK ||
               (!q->list && open_all(&x, &diag) != STATUS_OK)) {
        code = message_fail(q->name, &diag);
    } else if (q->list) {
        code = list_cases(&x);
    } else {
        conformance_prepare_environment(q->common.jobs ? (size_t)q->common.jobs
                                                       : process_count_processors());
        code = run_all(&x, &diag) == STATUS_OK ? finish(&x) : message_fail(q->name, &diag);
    }
    close_all(&x);
    return code;
}
