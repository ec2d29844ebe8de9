/* assay report statement: a directory that backs a claim of conformance, and its verification. */
#include "conformance/report/record/statement.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/json_text.h"
#include "reference/base/clean.h"

static const char what[] = "report statement";

/* ---- writing ---- */

static void print_name(const char *dir)
{
    printf("statement: ");
    clean_print(stdout, dir);
    printf(": ");
}

static int write_statement(struct statement_request *q)
{
    struct diag diag = { .status = STATUS_OK };

    if (statement_write(q, &diag) != STATUS_OK)
        return message_fail(what, &diag);
    print_name(q->dir);
    printf("%zu report%s\n", q->reports.count, q->reports.count == 1 ? "" : "s");
    return EXIT_AS_EXPECTED;
}

/* ---- verifying ---- */

static void print_text(const char *dir, const struct statement_facts *facts,
                       const struct notes *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        clean_print(stdout, problems->items[i]);
        putchar('\n');
    }
    print_name(dir);
    if (problems->count > 0)
        printf("%zu problem%s\n", problems->count, problems->count == 1 ? "" : "s");
    else
        printf("verified: %zu files, %zu report%s, %zu results, verdict %s%s\n", facts->files,
               facts->reports, facts->reports == 1 ? "" : "s", facts->results,
               facts->passed ? "pass" : "fail",
               facts->is_signed ? "; the signature is for gpg to verify" : "");
}

static void print_json(const struct statement_facts *facts, const struct notes *problems)
{
    json_t *const list = json_array();
    json_t *root;

    for (size_t i = 0; list && i < problems->count; i++)
        json_array_append_new(list, json_text(problems->items[i]));
    root = json_pack("{s:b,s:s,s:I,s:I,s:I,s:o}", "verified", problems->count == 0, "verdict",
                     facts->passed ? "pass" : "fail", "files", (json_int_t)facts->files, "reports",
                     (json_int_t)facts->reports, "results", (json_int_t)facts->results, "problems",
                     list);
    if (root) {
        json_dumpf(root, stdout, JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(root);
}

static int verify(const char *dir, int format)
{
    struct notes problems = { .count = 0 };
    struct diag diag = { .status = STATUS_OK };
    struct statement_facts facts;
    int code;

    if (statement_verify(dir, &facts, &problems, &diag) != STATUS_OK) {
        code = message_fail(what, &diag);
    } else {
        if (format == FORMAT_JSON)
            print_json(&facts, &problems);
        else
            print_text(dir, &facts, &problems);
        code = problems.count > 0 ? EXIT_FAILED : EXIT_AS_EXPECTED;
    }
    notes_close(&problems);
    return code;
}

/* ---- the command ---- */

int report_statement_run(const struct command *self, int argc, char **argv)
{
    struct statement_request q = { .dir = NULL };
    static const char *const formats[] = { "text", "json", NULL };
    int format = FORMAT_TEXT;
    bool verifies = false;
    const struct args_flag flags[] = {
        ARG("out", ARGS_STRING, &q.dir, "DIR",
            "the directory to be made; an existing one has to be empty"),
        ARG("waivers", ARGS_STRING, &q.waivers, "FILE",
            "the known failures that the runs were held against"),
        ARG("log", ARGS_LIST, &q.logs, "FILE", "a log to be included; repeatable"),
        ARG("verify", ARGS_BOOL, &verifies, NULL, "check the statement DIR instead of making one"),
        { "format", ARGS_CHOICE, &format, "FORMAT", "form of what --verify finds", 0, 0, formats },
    };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0], 0, NULL, &args, 1,
                    10000, &code))
        return code;
    q.reports = (struct string_list){ (const char **)(uintptr_t)args.items, args.count };
    if (verifies && (args.count > 1 || q.dir || q.waivers || q.logs.count > 0)) {
        message_error(what, "--verify takes one directory and no other flag but --format");
        return EXIT_USAGE;
    }
    if (verifies)
        return verify(args.items[0], format);
    if (!q.dir) {
        message_error(what, "expected --out=DIR, a directory to be made");
        return EXIT_USAGE;
    }
    return write_statement(&q);
}
