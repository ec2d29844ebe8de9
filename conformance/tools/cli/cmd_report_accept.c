/* assay report accept: the next baseline, and what it gives up. */
#include "conformance/report/record/accept.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/output.h"

struct accept_request {
    const char *path, *baseline, *out;
    int format; /* of what is given up */
    struct accept_options options;
    bool dry_run;
};

static enum status print(const struct acceptance *a, int format, struct diag *diag)
{
    if (format == FORMAT_JSON)
        return accept_json(a, stdout, diag);
    accept_print(a, stdout);
    return STATUS_OK;
}

static int write_next(const struct accept_request *q, const struct record *next)
{
    struct diag diag = { .status = STATUS_OK };
    struct output o;
    bool failed;
    int code;

    if (!output_open(&o))
        return EXIT_FAILED;
    failed = record_write(next, o.file, &diag) != STATUS_OK;
    code = output_close(&o, q->out, failed);
    return failed ? message_fail("report accept", &diag) : code;
}

static int accept_records(const struct accept_request *q, const struct record *was,
                          const struct record *is)
{
    struct diag diag = { .status = STATUS_OK };
    struct acceptance a;
    int code;

    if (accept_open(&a, was, is, &q->options, &diag) != STATUS_OK ||
        print(&a, q->format, &diag) != STATUS_OK)
        code = message_fail("report accept", &diag);
    else if (a.refused > 0)
        code = EXIT_FAILED;
    else
        code = q->dry_run ? EXIT_AS_EXPECTED : write_next(q, is);
    accept_close(&a);
    return code;
}

static int accept(const struct accept_request *q)
{
    struct record was = { .case_count = 0 }, is = { .case_count = 0 };
    struct diag diag = { .status = STATUS_OK };
    const bool ok = record_read(&was, q->baseline, &diag) == STATUS_OK &&
                    record_read(&is, q->path, &diag) == STATUS_OK;
    const int code = ok ? accept_records(q, &was, &is) : message_fail("report accept", &diag);

    record_close(&is);
    record_close(&was);
    return code;
}

int report_accept_run(const struct command *self, int argc, char **argv)
{
    static const char *const formats[] = { "text", "json", NULL };
    struct accept_request q = { .format = FORMAT_TEXT };
    const struct args_flag flags[] = {
        ARG("baseline", ARGS_STRING, &q.baseline, "FILE", "the baseline up to now"),
        ARG("out", ARGS_STRING, &q.out, "FILE",
            "the next baseline, as JSON; it may be the file of --baseline"),
        ARG("give-up", ARGS_LIST, &q.options.give_up, "GLOB",
            "cases, models or subjects that may be worse from now on; repeatable"),
        ARG("allow-worse", ARGS_BOOL, &q.options.allow_worse, NULL,
            "everything may be worse from now on"),
        ARG("dry-run", ARGS_BOOL, &q.dry_run, NULL, "show what is given up, and write nothing"),
        { "format", ARGS_CHOICE, &q.format, "FORMAT", "form of what is given up", 0, 0, formats },
    };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0], 0, NULL, &args, 1, 1,
                    &code))
        return code;
    if (!q.baseline || (!q.out && !q.dry_run)) {
        message_error("report accept", "expected --baseline=OLD and --out=NEXT, or --dry-run");
        return EXIT_USAGE;
    }
    q.path = args.items[0];
    return accept(&q);
}
