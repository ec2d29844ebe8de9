/* assay bench: latency, start and memory of a model. */
#include "conformance/suite/judge/node_host.h"
#include "conformance/tools/bench/bench.h"
#include "conformance/tools/bench/bench_ops.h"
#include "conformance/tools/bench/bench_print.h"
#include "conformance/tools/bench/timeline.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/benchmark_flags.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/output.h"
#include "conformance/util/watched.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    struct bench_request bench;
    struct benchmark_flags flags;
    struct node_host host;
    struct args_common common;
    const char *compare_to, *max_regression, *trace;
    const char *ops;  /* the glob of --ops; NULL: a model is measured */
    double limit;     /* of max_regression; 0.05 where none is given */
    double timeout_s; /* of a start or an inference */
};

/* ---- reports ---- */

static int print_result(const struct bench_report *b, const struct args_common *common)
{
    struct output out;

    if (!output_open(&out)) {
        message_error("bench", "out of memory");
        return EXIT_FAILED;
    }
    if (common->format == FORMAT_JSON)
        bench_print_json(out.file, b);
    else if (common->format == FORMAT_CSV)
        bench_print_csv(out.file, b);
    else
        bench_print_text(out.file, b);
    out.plain = common->format == FORMAT_TEXT;
    return output_close(&out, common->out, false);
}

static int print_steps(const struct bench_result *r, const char *path)
{
    struct output out;

    if (!path)
        return EXIT_AS_EXPECTED;
    if (!output_open(&out)) {
        message_error("bench", "out of memory");
        return EXIT_FAILED;
    }
    bench_print_steps_csv(out.file, r);
    return output_close(&out, path, false);
}

/* ---- the run ---- */

/* Nothing is compared with what was not measured. */
static bool compares(const struct request *q, const struct bench_result *r)
{
    return q->compare_to && !interrupt_signal() && r->status == CASE_PASS;
}

static int report(const struct request *q, const struct bench_result *r,
                  const struct bench_comparison *c)
{
    char reason[256];
    const struct bench_report b = { .request = &q->bench,
                                    .result = r,
                                    .comparison = c,
                                    .versus_limit = q->max_regression ? q->limit : -1 };
    const int steps = print_steps(r, q->flags.steps_path);
    const int code = print_result(&b, &q->common);

    if (code != EXIT_AS_EXPECTED || steps != EXIT_AS_EXPECTED)
        return code != EXIT_AS_EXPECTED ? code : steps;
    if (q->bench.use->left_count > 0)
        return EXIT_FAILED;
    if (q->flags.require_full_delegation && r->taken < r->nodes) {
        message_error("bench", "--require_full_delegation: %zu of %zu nodes are left to the CPU",
                      r->nodes - r->taken, r->nodes);
        return EXIT_FAILED;
    }
    return bench_report_judge(&b, reason, sizeof reason) == CASE_PASS ? EXIT_AS_EXPECTED
                                                                      : EXIT_FAILED;
}

static int print_ops(const struct ops_report *r, const struct args_common *common)
{
    json_t *const o = common->format == FORMAT_TEXT ? NULL : bench_ops_json(r);
    struct output out;

    if (!output_open(&out)) {
        json_decref(o);
        message_error("bench", "out of memory");
        return EXIT_FAILED;
    }
    if (common->format == FORMAT_JSON)
        json_dumpf(o, out.file, JSON_INDENT(2));
    else if (common->format == FORMAT_CSV)
        bench_print_leaves(out.file, o);
    else
        bench_ops_print_text(out.file, r);
    if (common->format == FORMAT_JSON)
        fputc('\n', out.file);
    json_decref(o);
    out.plain = common->format == FORMAT_TEXT;
    return output_close(&out, common->out, false);
}

static int measure_ops_here(void *user)
{
    const struct request *const q = user;
    struct ops_report r = { .count = 0 };
    struct diag diag = { .status = STATUS_OK };
    enum status s;
    int code;

    interrupt_begin();
    s = bench_ops(&r, &q->bench, q->ops, &diag);
    interrupt_end();
    message_progress_end();
    code = s == STATUS_OK ? print_ops(&r, &q->common) : message_fail("bench", &diag);
    bench_ops_close(&r);
    return code == EXIT_AS_EXPECTED && interrupt_signal() ? EXIT_FAILED : code;
}

static int measure_ops(struct request *q)
{
    struct diag diag = { .status = STATUS_OK };
    struct watched_end end;
    enum status s;

    interrupt_begin();
    s = watched_run(measure_ops_here, q, q->timeout_s, &end, &diag);
    interrupt_end();
    if (s != STATUS_OK)
        return message_fail("bench", &diag);
    if (!end.ended)
        return end.code;
    message_progress_end();
    message_error("bench", "--ops: %s: %s", end.late ? "timeout" : "crash", end.reason);
    return EXIT_FAILED;
}

static int serve(const struct request *q)
{
    struct diag diag = { .status = STATUS_OK };

    return bench_serve(&q->bench, stdin, stdout, &diag) == STATUS_OK ? EXIT_AS_EXPECTED
                                                                     : message_fail("bench", &diag);
}

static int measure_here(void *user)
{
    struct request *const q = user;
    struct bench_baseline baseline = { .path = NULL };
    struct bench_result r = { .subject = NULL };
    struct bench_comparison c;
    struct diag diag = { .status = STATUS_OK };
    enum status s = STATUS_OK;
    int code;

    if (q->compare_to)
        s = bench_baseline_open(&baseline, q->compare_to, q->bench.model, &diag);
    interrupt_begin();
    if (s == STATUS_OK)
        s = bench_run(&r, &q->bench, &diag);
    if (s != STATUS_OK && model_use_cut(&q->common.use, q->bench.model, s, &diag))
        s = bench_run(&r, &q->bench, &diag);
    interrupt_end();
    if (s == STATUS_OK && compares(q, &r))
        s = bench_compare(&c, &baseline, &r, q->limit, &diag);
    message_progress_end();
    code =
        s == STATUS_OK ? report(q, &r, compares(q, &r) ? &c : NULL) : message_fail("bench", &diag);
    if (code == EXIT_AS_EXPECTED && q->trace &&
        bench_trace(&q->bench, q->trace, &diag) != STATUS_OK)
        code = message_fail("bench --trace", &diag);
    bench_close(&r);
    bench_baseline_close(&baseline);
    return code;
}

/* In a process of its own, as a delegate may end it: that is a result, too. */
static int measure(struct request *q)
{
    struct bench_result r = { .subject = NULL };
    struct diag diag = { .status = STATUS_OK };
    struct watched_end end;
    enum status s;

    interrupt_begin();
    s = watched_run(measure_here, q, q->timeout_s, &end, &diag);
    interrupt_end();
    if (s == STATUS_OK && !end.ended)
        return end.code;
    message_progress_end();
    if (s == STATUS_OK)
        s = bench_name_result(&r, &q->bench, &diag);
    if (s != STATUS_OK)
        return message_fail("bench", &diag);
    r.status = end.late ? CASE_TIMEOUT : CASE_CRASH;
    snprintf(r.reason, sizeof r.reason, "%s", end.reason);
    end.code = report(q, &r, NULL);
    bench_close(&r);
    return end.code;
}

/* ---- the command line ---- */

/* "5%", "2.5%". */
static bool read_percent(const char *text, double *share)
{
    char *end;

    errno = 0;
    *share = strtod(text, &end) / 100;
    return end != text && strcmp(end, "%") == 0 && errno == 0 && *share >= 0 && *share <= 100;
}

/* A directory that is missing is found before minutes of measuring. */
static bool can_write(const char *path)
{
    struct diag diag = { .status = STATUS_OK };

    if (!path || timeline_check_path(path, &diag) == STATUS_OK)
        return true;
    message_fail("bench", &diag);
    return false;
}

static bool check(const struct request *q)
{
    const struct bench_request *const b = &q->bench;
    const char *why = NULL;

    if (q->ops && (b->model || q->compare_to || b->versus || b->threads > 0 || b->profile ||
                   b->serve || q->trace))
        why = "--ops measures models of its own, and leaves out what the other flags measure";
    else if (!b->model && !q->ops)
        why = "no model; `assay bench --help` shows how";
    else if (q->max_regression && !q->compare_to && !b->versus)
        why = "--max-regression: of what? give --compare-to=FILE or --versus=SUBJECT";
    else if (b->serve && (q->compare_to || b->versus || b->threads > 0 || b->profile || q->trace))
        why = "--serve runs inferences alone, and leaves out what the other flags measure";
    else if (b->dry_run && (q->compare_to || b->versus || b->threads > 0 || b->profile))
        why = "--dry_run=true measures no inference, which the other flags need";
    else if (q->common.use.host && b->threads > 0)
        why = "--threads: the nodes of a --host run one at a time";
    if (why)
        message_error("bench", "%s", why);
    else if (b->min_secs > b->max_secs)
        message_error("bench", "--min_secs=%.15g is more than --max_secs=%.15g", b->min_secs,
                      b->max_secs);
    else if (b->warmup_min_secs > b->max_secs)
        message_error("bench", "--warmup_min_secs=%.15g is more than --max_secs=%.15g",
                      b->warmup_min_secs, b->max_secs);
    else
        return can_write(q->common.out) && can_write(q->flags.steps_path) &&
               can_write(b->outputs_path) && can_write(q->trace);
    return false;
}

static bool apply(struct request *q, const struct args *args)
{
    struct bench_request *const b = &q->bench;
    struct diag diag = { .status = STATUS_OK };

    if (args->count == 1 && b->model) {
        message_error("bench", "expected one model, found %s and --graph=%s", args->items[0],
                      b->model);
        return false;
    }
    if (args->count == 1)
        b->model = args->items[0];
    if (b->model && model_use_choose(&q->common.use, b->model, &diag) != STATUS_OK) {
        message_fail("bench", &diag);
        return false;
    }
    if (q->common.use.host &&
        node_host_open(&q->host, q->common.use.host, 60, &diag) != STATUS_OK) {
        message_fail("bench", &diag);
        return false;
    }
    b->stand_in = q->common.use.host ? &q->host.stand_in : NULL;
    b->use = &q->common.use;
    b->delegate = q->common.delegate;
    b->delegate_options = q->common.delegate_option;
    b->seed = q->common.seed;
    b->quiet = q->common.quiet;
    /* A default gives way to --max_secs; a number that is given does not. */
    b->min_secs = b->min_secs < 0 ? fmin(1, b->max_secs) : b->min_secs;
    b->warmup_min_secs = b->warmup_min_secs < 0 ? fmin(0.5, b->max_secs) : b->warmup_min_secs;
    q->limit = 0.05;
    if (q->max_regression && !read_percent(q->max_regression, &q->limit)) {
        message_error("bench", "--max-regression=%s: expected a percentage, such as 5%%",
                      q->max_regression);
        return false;
    }
    if (benchmark_flags_apply(&q->flags, b, &diag) != STATUS_OK) {
        message_fail("bench", &diag);
        return false;
    }
    return check(q);
}

static bool parse(const struct command *self, int argc, char **argv, struct request *q,
                  struct args *args, int *code)
{
    struct bench_request *const b = &q->bench;
    bool no_starts = false;
    const struct args_flag own[] = {
        ARG("graph", ARGS_STRING, &b->model, "FILE", "the model"),
        ARG("subject", ARGS_STRING, &b->subject, "SPEC",
            "who runs the model: KIND:LIBRARY?KEY=VALUE&..., as in `assay conformance`"),
        { "num_runs", ARGS_UINT, &b->runs, "N", "minimum number of inferences (default 50)", 1, 1e9,
          NULL },
        { "min_secs", ARGS_DOUBLE, &b->min_secs, "S", "minimum seconds of inferences (default 1)",
          0, 1e6, NULL },
        { "max_secs", ARGS_DOUBLE, &b->max_secs, "S", "maximum seconds of inferences (default 150)",
          0, 1e6, NULL },
        { "warmup_runs", ARGS_UINT, &b->warmup_runs, "N",
          "minimum number of inferences before measuring (default 1)", 0, 1e9, NULL },
        { "warmup_min_secs", ARGS_DOUBLE, &b->warmup_min_secs, "S",
          "minimum seconds of inferences before measuring (default 0.5)", 0, 1e6, NULL },
        ARG("compare-to", ARGS_STRING, &q->compare_to, "FILE",
            "earlier JSON report of the same model; exit code 1 on a regression"),
        ARG("max-regression", ARGS_STRING, &q->max_regression, "P%",
            "how much slower or larger is accepted (default 5%)"),
        ARG("versus", ARGS_STRING, &b->versus, "SPEC",
            "another subject, run in turns with the first: their ratio, with its interval"),
        { "threads", ARGS_UINT, &b->threads, "N",
          "also run N interpreters at the same time: inferences a second", 1, BENCH_THREADS_MAX,
          NULL },
        ARG("profile", ARGS_BOOL, &b->profile, NULL,
            "measure the device time of each step, in a second pass"),
        ARG("roofline", ARGS_BOOL, &b->roofline, NULL,
            "also compare each step with the limits of the device, which are measured; implies "
            "--profile"),
        ARG("ops", ARGS_MAYBE, &q->ops, "GLOB",
            "no model: measure ops one by one, at the sizes of models of applications, and the "
            "limits "
            "of the device; GLOB: of names, such as 'mean.*'"),
        ARG("trace", ARGS_STRING, &q->trace, "FILE",
            "write the phases of a start and of inferences for Perfetto, in one more pass"),
        ARG("serve", ARGS_BOOL, &b->serve, NULL,
            "run inferences when told to: after a line N on stdin so many, whose latencies in ms "
            "are "
            "a line on stdout"),
        ARG("no-check", ARGS_BOOL, &b->no_check, NULL,
            "do not compare outputs with the scalar reference's"),
        { "timeout", ARGS_DOUBLE, &q->timeout_s, "SECONDS",
          "longest time of one start or inference (default 600)", 0.1, 1e6, NULL },
        ARG("no-starts", ARGS_BOOL, &no_starts, NULL, "do not measure starts in other processes"),
    };
    struct args_flag flags[sizeof own / sizeof own[0] + BENCHMARK_FLAGS];
    size_t count = sizeof own / sizeof own[0];

    memcpy(flags, own, sizeof own);
    count += benchmark_flags_rows(&q->flags, flags + count);
    if (!args_parse(self, argc, argv, flags, count,
                    ARGS_MODEL | ARGS_USE | ARGS_HOST | ARGS_DELEGATE | ARGS_FORMAT | ARGS_CSV |
                        ARGS_SEED | ARGS_QUIET,
                    &q->common, args, 0, 1, code))
        return false;
    b->starts = !no_starts;
    b->profile = b->profile || b->roofline;
    return true;
}

static int run(const struct command *self, int argc, char **argv)
{
    static struct request q;
    struct args args;
    int code = EXIT_USAGE;

    q = (struct request){ .timeout_s = 600,
                          .bench = { .runs = 50,
                                     .warmup_runs = 1,
                                     .min_secs = -1,
                                     .max_secs = 150,
                                     .warmup_min_secs = -1 } };
    if (!parse(self, argc, argv, &q, &args, &code))
        return code;
    if (apply(&q, &args))
        code = q.ops ? measure_ops(&q) : q.bench.serve ? serve(&q) : measure(&q);
    benchmark_flags_close(&q.flags);
    node_host_close(&q.host);
    model_use_close(&q.common.use);
    return code;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "measure a model: latency, start and memory",
    .synopsis = "MODEL [FLAG]...",
    .description =
        "Measures the start of a delegate, its first inference, the latency of further inferences, "
        "the copies of each, and memory on the device and the host.  Starts are measured in "
        "processes of their own: with empty shader caches, with warm ones, and twice with "
        "serialization.\n\n"
        "With --profile a second pass measures each dispatch with timestamps of the device.  "
        "--roofline adds the bytes and operations of each step, the device's measured limits, and "
        "what share of them the step reaches.  "
        "--trace=FILE writes a start and 9 inferences as trace events, which "
        "https://ui.perfetto.dev and chrome://tracing show.\n\n"
        "With --ops models of one op each are measured, in the sizes that 357 models of "
        "applications "
        "have: device time, bytes, multiply-adds, and how many times the least time it takes that "
        "these need at the limits of the device; over 10 times is marked.  Transfers and calls are "
        "left out: our delegate tells the time of its steps, of others chains with and without the "
        "op are compared.\n\n"
        "With --compare-to the inferences of an earlier JSON report and of this run are cut into "
        "at "
        "most 40 blocks each; the ratio is the median of all ratios of the medians of two blocks "
        "(Hodges and Lehmann), its interval of 99 % follows from the Mann-Whitney statistic, "
        "widened by the correlation of neighbouring blocks.  A regression is a ratio over the "
        "limit whose interval lies above 1, or more memory than the limit allows; the exit code is "
        "then 1.  Starts are compared in the same way, without blocks.\n\n"
        "With --versus two processes run blocks of inferences in turns, ABBA and BAAB; what drifts "
        "meanwhile cancels, and six such pairs show what differs from process to process.  "
        "conformance/doc/BENCH.md of the source has the arithmetic and the "
        "keys of "
        "JSON.",
    .examples = "  assay bench mobilenet.tflite\n"
                "  assay bench mobilenet.tflite --delegate=none --no-starts\n"
                "  assay bench mobilenet.tflite --delegate-option=precision=fp16 --profile\n"
                "  assay bench mobilenet.tflite --no-starts --roofline\n"
                "  assay bench mobilenet.tflite --no-starts --trace=trace.json\n"
                "  assay bench mobilenet.tflite --format=json --out=before.json\n"
                "  assay bench mobilenet.tflite --compare-to=before.json --max-regression=5%\n"
                "  assay bench mobilenet.tflite --versus='delegate:./libother.so?precision=fp16'\n"
                "  assay bench model.tflite --host=litert:cpu --no-starts\n"
                "  assay bench detector.tflite --input-shape=image:1,320,320,3\n"
                "  assay bench mobilenet.tflite --threads=4 --format=csv\n"
                "  assay bench --ops='mean.*' --subject=litert:cpu\n"
                "  assay bench --graph=mobilenet.tflite --use_gpu=true --num_runs=200\n",
    .suffix = ".tflite",
    .more_flag_at = benchmark_flags_at,
    .run = run,
};
