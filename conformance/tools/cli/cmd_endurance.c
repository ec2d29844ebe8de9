/* assay endurance: whether memory stays flat over many starts and inferences. */
#include "conformance/suite/io/model_use.h"
#include "conformance/tools/bench/endurance.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/benchmark_flags.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/json_text.h"
#include "conformance/util/output.h"
#include "conformance/util/watched.h"

#include <jansson.h>

static double mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static bool is_flat(const struct endurance_series *s)
{
    const struct endurance_verdict v = endurance_judge(s);

    return v.rss_flat && v.device_flat && s->same_bits;
}

/* The verdict that text, JSON and exit code tell. */
static enum case_status verdict(const struct endurance_result *r)
{
    return r->status != CASE_PASS                       ? r->status
           : !is_flat(&r->starts) || !is_flat(&r->runs) ? CASE_FAIL
           : interrupt_signal()                         ? CASE_MISSING
                                                        : CASE_PASS;
}

static void print_series(FILE *f, const char *what, const struct endurance_series *s)
{
    const struct endurance_verdict v = endurance_judge(s);

    if (s->count == 0)
        return;
    fprintf(f, "%-11s %llu in %.1f s: %.3f ms each; %s\n", what, (unsigned long long)s->count,
            s->seconds, s->seconds * 1e3 / (double)s->count,
            s->same_bits ? "the same bits" : "NOT THE SAME BITS");
    if (v.rss_last == 0)
        fprintf(f, "  host      the agent does not say what memory it has\n");
    else
        fprintf(f, "  host      %.2f MiB resident early, %.2f late, at most %.2f: %s\n",
                mib(v.rss_first), mib(v.rss_last), mib(v.rss_allowed),
                v.rss_flat ? "flat" : "GROWS");
    if (v.held_blocks == 0)
        return;
    fprintf(f, "  device    %.2f MiB in %llu blocks", mib(v.held_bytes),
            (unsigned long long)v.held_blocks);
    if (v.used_last)
        fprintf(f, "; the driver says %.2f MiB early, %.2f late", mib(v.used_first),
                mib(v.used_last));
    fprintf(f, ": %s\n", v.device_flat ? "flat" : "GROWS");
}

static void print_text(FILE *f, const struct endurance_result *r, const struct endurance_request *q,
                       const char *signature)
{
    fprintf(f, "model       %s\n", q->model ? q->model : "a small one, of three nodes");
    if (signature)
        fprintf(f, "signature   %s\n", signature);
    fprintf(f, "run by      %s%s%s\n", r->subject, r->device[0] ? " on " : "", r->device);
    print_series(f, "starts", &r->starts);
    print_series(f, "inferences", &r->runs);
    if (interrupt_signal())
        fprintf(f, "interrupted: %s\n", interrupt_name());
    switch (verdict(r)) {
    case CASE_PASS: fprintf(f, "endurance: passed\n"); break;
    case CASE_MISSING: fprintf(f, "endurance: not finished\n"); break;
    case CASE_FAIL: fprintf(f, "endurance: FAILED\n"); break;
    default: fprintf(f, "endurance: FAILED: %s: %s\n", case_status_name(r->status), r->reason);
    }
}

static json_t *series_json(const struct endurance_series *s)
{
    const struct endurance_verdict v = endurance_judge(s);
    json_t *const samples = json_array();

    for (size_t i = 0; i < s->sample_count; i++) {
        const struct endurance_sample *const p = &s->samples[i];

        json_array_append_new(
            samples, json_pack("{s:I, s:I, s:I, s:I, s:I}", "done", (json_int_t)p->done,
                               "rss_bytes", (json_int_t)p->rss_bytes, "held_bytes",
                               (json_int_t)p->held_bytes, "held_blocks", (json_int_t)p->held_blocks,
                               "used_bytes", (json_int_t)p->used_bytes));
    }
    return json_pack("{s:I, s:f, s:b, s:b, s:b, s:I, s:I, s:I, s:o}", "count", (json_int_t)s->count,
                     "seconds", s->seconds, "same_bits", s->same_bits, "host_flat", v.rss_flat,
                     "device_flat", v.device_flat, "rss_early_bytes", (json_int_t)v.rss_first,
                     "rss_late_bytes", (json_int_t)v.rss_last, "rss_allowed_bytes",
                     (json_int_t)v.rss_allowed, "samples", samples);
}

static void print_json(FILE *f, const struct endurance_result *r, const struct endurance_request *q,
                       const char *signature)
{
    json_t *const o = json_object();

    json_object_set_new(o, "model", json_text(q->model));
    json_object_set_new(o, "signature", json_text(signature));
    json_object_set_new(o, "subject", json_text(r->subject));
    json_object_set_new(o, "device", json_text(r->device[0] ? r->device : NULL));
    json_object_set_new(o, "interrupted", json_text(interrupt_name()));
    json_object_set_new(o, "status", json_string(case_status_name(verdict(r))));
    json_object_set_new(o, "reason", json_text(r->reason));
    json_object_set_new(o, "starts", r->reason[0] ? json_null() : series_json(&r->starts));
    json_object_set_new(o, "inferences", r->reason[0] ? json_null() : series_json(&r->runs));
    json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', f);
    json_decref(o);
}

static int print_result(const struct endurance_result *r, const struct endurance_request *q,
                        const struct args_common *common)
{
    struct output out;
    int code;

    if (!output_open(&out)) {
        message_error("endurance", "out of memory");
        return EXIT_FAILED;
    }
    if (common->format == FORMAT_JSON)
        print_json(out.file, r, q, common->use.signature);
    else
        print_text(out.file, r, q, common->use.signature);
    out.plain = common->format == FORMAT_TEXT;
    code = output_close(&out, common->out, false);
    if (code == EXIT_AS_EXPECTED && verdict(r) != CASE_PASS)
        code = EXIT_FAILED;
    return code;
}

/* Model and delegate, each of which two flags may name, and the rest of the request. */
static bool complete(struct endurance_request *q, const struct args_common *common,
                     const struct args *args, const char *path)
{
    if (args->count == 1 && q->model) {
        message_error("endurance", "expected one model, found %s and --graph=%s", args->items[0],
                      q->model);
        return false;
    }
    if (path && common->delegate) {
        message_error("endurance",
                      "expected one of --delegate and --external_delegate_path, found both");
        return false;
    }
    if (args->count == 1)
        q->model = args->items[0];
    if (!q->model && (common->use.signature || common->use.shapes.count > 0)) {
        message_error("endurance",
                      "expected a model for --signature and --input-shape, found none");
        return false;
    }
    if (q->subject && (path || common->delegate)) {
        message_error("endurance", "expected --subject or a delegate, found both");
        return false;
    }
    q->delegate = path ? path : common->delegate;
    q->delegate_options = common->delegate_option;
    q->seed = common->seed;
    q->quiet = common->quiet;
    return true;
}

struct errand {
    struct endurance_request request;
    struct args_common common;
    double timeout_s; /* of a start or an inference */
};

static int endure_here(void *user)
{
    const struct errand *const e = user;
    struct endurance_result r;
    struct diag diag = { .status = STATUS_OK };
    enum status s;
    int code;

    interrupt_begin();
    s = endurance_run(&r, &e->request, &diag);
    interrupt_end();
    if (s != STATUS_OK)
        return message_fail("endurance", &diag);
    code = print_result(&r, &e->request, &e->common);
    endurance_close(&r);
    return code;
}

/* In a process of its own, as a delegate may end it: that is a result, too. */
static int endure(struct errand *e)
{
    struct endurance_result r = { .subject = NULL };
    struct diag diag = { .status = STATUS_OK };
    struct watched_end end;
    enum status s;
    int code;

    interrupt_begin();
    s = watched_run(endure_here, e, e->timeout_s, &end, &diag);
    interrupt_end();
    if (s == STATUS_OK && !end.ended)
        return end.code;
    if (s == STATUS_OK)
        s = endurance_end(&r, &e->request, end.late ? CASE_TIMEOUT : CASE_CRASH, end.reason, &diag);
    if (s != STATUS_OK)
        return message_fail("endurance", &diag);
    code = print_result(&r, &e->request, &e->common);
    endurance_close(&r);
    return code;
}

static int run(const struct command *self, int argc, char **argv)
{
    const char *path = NULL, *options = NULL;
    struct errand e = { .request = { .starts = 1000, .runs = 100000 }, .timeout_s = 600 };
    struct endurance_request *const q = &e.request;
    const struct args_flag flags[] = {
        { "starts", ARGS_UINT, &q->starts, "N",
          "how often a delegate and an interpreter are opened, run once and closed (default 1000)",
          0, 1e9, NULL },
        { "runs", ARGS_UINT, &q->runs, "N", "number of inferences (default 100000)", 0, 1e12,
          NULL },
        ARG("subject", ARGS_STRING, &q->subject, "SPEC",
            "who runs the model: KIND:LIBRARY?KEY=VALUE&..., as in `assay conformance`; through an "
            "agent the memory is the agent's"),
        ARG("graph", ARGS_STRING, &q->model, "FILE", "the model, as in benchmark_model"),
        { "num_runs", ARGS_UINT, &q->runs, "N", "the same as --runs", 0, 1e12, NULL },
        ARG("external_delegate_path", ARGS_STRING, &path, "PATH", "the same as --delegate"),
        ARG("external_delegate_options", ARGS_STRING, &options, "TEXT",
            "options of the delegate: KEY:VALUE;KEY:VALUE"),
        { "timeout", ARGS_DOUBLE, &e.timeout_s, "SECONDS",
          "longest time of one start or inference (default 600)", 0.1, 1e6, NULL },
    };
    struct arena arena = { .blocks = NULL };
    struct diag diag = { .status = STATUS_OK };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_MODEL | ARGS_USE | ARGS_DELEGATE | ARGS_FORMAT | ARGS_SEED | ARGS_QUIET,
                    &e.common, &args, 0, 1, &code))
        return code;
    if (!complete(q, &e.common, &args, path))
        return EXIT_USAGE;
    if (options && external_options_read(options, &arena, &q->delegate_options, &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    else if (q->model && model_use_choose(&e.common.use, q->model, &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    else
        code = endure(&e);
    model_use_close(&e.common.use);
    arena_close(&arena);
    return code;
}

const struct command command_endurance = {
    .name = "endurance",
    .summary = "check that memory stays flat over many starts and inferences",
    .synopsis = "[MODEL] [FLAG]...",
    .description =
        "Opens and closes a delegate and an interpreter many times, then runs one of them many "
        "times.  It fails when the outputs change, when the resident set grows, or when the "
        "delegate's device memory is not the same to the byte, or when the process that runs it "
        "crashes or stands still.  Without MODEL it runs a graph of three nodes.",
    .examples = "  assay endurance\n"
                "  assay endurance model.tflite --starts=100 --runs=1000000 --format=json\n"
                "  assay endurance --subject='exec:assay-agent --subject=litert:cpu'\n",
    .suffix = ".tflite",
    .run = run,
};
