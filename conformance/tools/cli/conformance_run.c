#include "conformance/tools/cli/conformance_run.h"

#include "conformance/report/record/classes.h"
#include "conformance/report/record/expectations.h"
#include "conformance/report/record/from_run.h"
#include "conformance/report/record/ledger.h"
#include "conformance/report/record/resume.h"
#include "conformance/report/record/shrunk_graphs.h"
#include "conformance/suite/judge/checkpoint.h"
#include "conformance/suite/models/digits_judge.h"
#include "conformance/tools/cli/conformance_setup.h"
#include "conformance/tools/cli/write_form.h"
#include "conformance/util/clock.h"
#include "conformance/util/git_state.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/output.h"
#include "conformance/util/process.h"
#include "conformance/util/shell_word.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

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

/* Notes what the device lacks, without the label that a message begins with. */
static void note_lack(struct subject *s, const char *text)
{
    const size_t label = strlen(s->label);
    const bool labelled =
        strncmp(text, s->label, label) == 0 && strncmp(text + label, ": ", 2) == 0;

    snprintf(s->not_run, sizeof s->not_run, "%.479s", labelled ? text + label + 2 : text);
}

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
            note_lack(&x->subjects[i], why.text);
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
        .repro_dir = q->repro_dir,
        .repeat = q->repeat,
        .give_up = q->give_up,
        .quiet = q->common.quiet,
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

static enum status run_parts(struct run *x, struct diag *diag)
{
    TRY(run_cases(x, diag));
    TRY(find_minimal(x, diag));
    TRY(run_models(x, diag));
    expectations_apply(&x->expected, &x->report);
    return minimize(x, diag);
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
    const struct conformance_request *const q = x->q;

    if (!q->versions)
        return STATUS_OK;
    if (!is_whole(q))
        return diag_fail(
            diag, STATUS_USAGE,
            "--versions needs all cases: not with --filter, --limit, --quick or --shard");
    return ledger_open(&x->ledger, q->versions, diag);
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

    if (common->out && common->format != FORMAT_TEXT)
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
        return message_fail("conformance", &diag);
    if (check_support(x, &record, &diag) != STATUS_OK) {
        record_close(&record);
        return message_fail("conformance", &diag);
    }
    code = write_reports(x, &record);
    checkpoint_close(&x->checkpoint, &x->report.outcome, code == EXIT_AS_EXPECTED);
    if (x->q->write_waivers && waivers_write(&x->expected.waivers, &x->report, x->q->write_waivers,
                                             x->expected.today, &diag) != STATUS_OK)
        code = message_fail("conformance", &diag);
    if (code == EXIT_AS_EXPECTED) {
        say_if_nothing(&record);
        code = record_failed(&record) ? EXIT_FAILED : EXIT_AS_EXPECTED;
    }
    record_close(&record);
    return code;
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
        code = message_fail("conformance", &diag);
    } else if (conformance_open_cases(q, &x.cases, &diag) != STATUS_OK) {
        code = message_fail("conformance", &diag);
    } else if (q->list) {
        code = list_cases(&x);
    } else if (open_all(&x, &diag) != STATUS_OK) {
        code = message_fail("conformance", &diag);
    } else {
        conformance_prepare_environment(q->common.jobs ? (size_t)q->common.jobs
                                                       : process_count_processors());
        code = run_all(&x, &diag) == STATUS_OK ? finish(&x) : message_fail("conformance", &diag);
    }
    close_all(&x);
    return code;
}
