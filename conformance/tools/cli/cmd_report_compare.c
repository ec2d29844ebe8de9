/* assay report compare: what got worse between two runs. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/record/compare.h"
#include "conformance/report/record/match.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/output.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUPLES_MAX = 64 };

static const char *const formats[] = { "text", "json", "html", NULL };
static compare_write_fn *const writers[] = { compare_text, compare_json, html_comparison };

struct request {
    const char *old_path, *new_path, *out;
    int format;
    const char *margin_growth, *slowdown, *run_slowdown, *memory_growth; /* "5%"; NULL: default */
    struct string_list ignore, pair, old_times, new_times;
    struct compare_limits limits;
    struct compare_couple couples[COUPLES_MAX];
    size_t couple_count;
};

/* ---- flags ---- */

/* "5%" to 0.05, "off" to infinity; NULL leaves *share as it is. */
static bool read_share(const char *flag, const char *text, double *share)
{
    char *end;
    double value;

    if (!text)
        return true;
    if (strcmp(text, "off") == 0) {
        *share = INFINITY;
        return true;
    }
    value = strtod(text, &end);
    if (end == text || isspace((unsigned char)text[0]) || strcmp(end, "%") != 0 ||
        !(value >= 0 && value <= 1e6)) {
        message_error("report compare",
                      "--%s=%s: expected a percentage such as 5%%, from 0%% to 1e6%%, or off", flag,
                      text);
        return false;
    }
    *share = value / 100;
    return true;
}

/* One word of --ignore. */
static bool read_ignored(struct compare_limits *limits, const char *word, size_t length)
{
    const struct {
        const char *name;
        bool *flag;
    } names[] = { { "margins", &limits->no_margins },
                  { "memory", &limits->no_memory },
                  { "models", &limits->no_models },
                  { "support", &limits->no_support },
                  { "times", &limits->no_times } };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].name) == length && memcmp(names[i].name, word, length) == 0) {
            *names[i].flag = true;
            return true;
        }
    }
    message_error("report compare",
                  "--ignore=%.*s: expected margins, memory, models, support or times", (int)length,
                  word);
    return false;
}

static bool read_all_ignored(struct request *q)
{
    for (size_t i = 0; i < q->ignore.count; i++) {
        const char *at = q->ignore.items[i];

        do {
            const size_t length = strcspn(at, ",");

            if (!read_ignored(&q->limits, at, length))
                return false;
            at += length;
        } while (*at++ == ',');
    }
    return true;
}

/* "0:2", numbers of subjects of OLD and NEW. */
static bool read_pairs(struct request *q)
{
    for (size_t i = 0; i < q->pair.count; i++) {
        const char *const text = q->pair.items[i];
        const size_t digits = strspn(text, "0123456789");
        const char *const second = text + digits + 1;

        if (digits == 0 || digits > 9 || text[digits] != ':' ||
            strspn(second, "0123456789") != strlen(second) || !*second || strlen(second) > 9) {
            message_error("report compare",
                          "--pair=%s: expected OLD:NEW, numbers of subjects, from 0 on", text);
            return false;
        }
        if (q->couple_count == COUPLES_MAX) {
            message_error("report compare", "--pair: expected at most %d", COUPLES_MAX);
            return false;
        }
        q->couples[q->couple_count++] =
            (struct compare_couple){ strtoul(text, NULL, 10), strtoul(second, NULL, 10) };
    }
    return true;
}

/* ---- the command ---- */

/* Reads a report, and the times of more runs of it. */
static enum status read_side(struct record *r, const char *path, const struct string_list *more,
                             struct diag *diag)
{
    enum status s = record_read(r, path, diag);

    for (size_t i = 0; i < more->count && s == STATUS_OK; i++) {
        struct record other = { .case_count = 0 };

        s = record_read(&other, more->items[i], diag);
        if (s == STATUS_OK)
            s = diag_prefix(diag, record_take_fastest(r, &other, diag), "times of %s",
                            more->items[i]);
        record_close(&other);
    }
    return s;
}

static int write_form(const struct record_comparison *c, const struct request *q)
{
    struct diag diag = { .status = STATUS_OK };
    struct output out;
    int code;

    if (!output_open(&out)) {
        message_error("report compare", "out of memory");
        return EXIT_FAILED;
    }
    if (writers[q->format](c, out.file, &diag) != STATUS_OK) {
        output_close(&out, NULL, true);
        return message_fail("report compare", &diag);
    }
    out.plain = q->format == FORMAT_TEXT;
    code = output_close(&out, q->out, false);
    return code == EXIT_AS_EXPECTED && c->failure_count > 0 ? EXIT_FAILED : code;
}

static int compare(const struct request *q)
{
    struct record was = { .case_count = 0 }, is = { .case_count = 0 };
    struct record_comparison c = { .was = NULL };
    struct diag diag = { .status = STATUS_OK };
    int code;

    if (read_side(&was, q->old_path, &q->old_times, &diag) != STATUS_OK ||
        read_side(&is, q->new_path, &q->new_times, &diag) != STATUS_OK ||
        compare_records(&c, &was, &is, &q->limits, q->couples, q->couple_count, &diag) != STATUS_OK)
        code = message_fail("report compare", &diag);
    else
        code = write_form(&c, q);
    compare_close(&c);
    record_close(&is);
    record_close(&was);
    return code;
}

int report_compare_run(const struct command *self, int argc, char **argv)
{
    struct request q = { .limits = compare_limits_default() };
    uint64_t memory_floor = q.limits.memory_floor;
    const struct args_flag flags[] = {
        { "format", ARGS_CHOICE, &q.format, "FORMAT", "form of the comparison", 0, 0, formats },
        ARG("out", ARGS_STRING, &q.out, "PATH",
            "file of the comparison (default: standard output)"),
        ARG("ignore", ARGS_LIST, &q.ignore, "WHAT",
            "do not look at margins, memory, models, support or times; a list with commas"),
        ARG("max-margin-growth", ARGS_STRING, &q.margin_growth, "PERCENT",
            "how much the margin of a case may grow (default 10%)"),
        { "margin-floor", ARGS_DOUBLE, &q.limits.margin_floor, "X",
          "a smaller step of a margin is no growth (default 0.05)", 0, 1e6, NULL },
        ARG("max-slowdown", ARGS_STRING, &q.slowdown, "PERCENT",
            "how much slower an op in a type may become, apart from the whole run (default 5%)"),
        ARG("max-run-slowdown", ARGS_STRING, &q.run_slowdown, "PERCENT",
            "how much slower the whole run may become (default: off, as load does that)"),
        ARG("max-memory-growth", ARGS_STRING, &q.memory_growth, "PERCENT",
            "how much more memory a case may take (default 2%)"),
        { "memory-floor", ARGS_UINT, &memory_floor, "BYTES",
          "a smaller step of memory is no growth (default 4096)", 0, 1e15, NULL },
        ARG("same-cases", ARGS_BOOL, &q.limits.same_cases, NULL,
            "cases of OLD that NEW lacks fail, too"),
        ARG("pair", ARGS_LIST, &q.pair, "OLD:NEW",
            "compare these subjects, by number, whatever they are; repeatable"),
        ARG("old-times", ARGS_LIST, &q.old_times, "FILE",
            "report of another run of OLD: the fastest time of each case counts; repeatable"),
        ARG("new-times", ARGS_LIST, &q.new_times, "FILE", "the same of NEW"),
    };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0], 0, NULL, &args, 2, 2,
                    &code))
        return code;
    if (!read_share("max-margin-growth", q.margin_growth, &q.limits.margin_growth) ||
        !read_share("max-slowdown", q.slowdown, &q.limits.slowdown) ||
        !read_share("max-run-slowdown", q.run_slowdown, &q.limits.run_slowdown) ||
        !read_share("max-memory-growth", q.memory_growth, &q.limits.memory_growth) ||
        !read_all_ignored(&q) || !read_pairs(&q))
        return EXIT_USAGE;
    q.limits.memory_floor = memory_floor;
    q.old_path = args.items[0];
    q.new_path = args.items[1];
    return compare(&q);
}
