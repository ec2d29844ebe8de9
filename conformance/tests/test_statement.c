/* Statements: what they hold, what is refused, and that verification sees every change. */
/* Wrap: opendir */
#include "conformance/report/record/statement.h"
#include "conformance/tests/kit/report_kit.h"
#include "conformance/tests/kit/sample_record.h"
#include "conformance/util/sums.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory for each test, which is the working directory meanwhile. */
static char before[4096];

/* opendir of libc, or this error where it is not 0. */
static int opendir_error;
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    if (opendir_error == 0)
        return __real_opendir(path);
    errno = opendir_error;
    return NULL;
}

FIXTURE(open_folder)
{
    return getcwd(before, sizeof before) && chdir(scratch(".")) == 0 ? 0 : -1;
}

FIXTURE(close_folder)
{
    scratch_remove(NULL);
    return chdir(before);
}

static char *read_text(const char *path)
{
    static char text[1 << 20];
    FILE *const f = fopen(path, "r");

    if (!f)
        fail_msg("%s: %s", path, strerror(errno));
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

/* A request for the statement "s" of these reports. */
static struct statement_request request_of(const char **reports, size_t count)
{
    return (struct statement_request){ .dir = "s", .reports = { reports, count } };
}

/* Writes a report with one waived result, waivers and a log, and makes the statement. */
static void make_statement(void)
{
    const char *reports[] = { "report.json" }, *logs[] = { "run one.log" };
    struct statement_request q = request_of(reports, 1);
    struct record r;

    sample_record_open(&r, 5);
    sample_record_result(&r, 1, 2)->status = CASE_WAIVED;
    sample_record_result(&r, 1, 2)->waiver = "wrong lanes";
    sample_record_result(&r, 1, 2)->reason = "wrong lanes (fail: over the limit)";
    sample_record_write(&r, "report.json");
    record_close(&r);
    scratch_text("known.tsv",
                 "relu.f32.c002|libx.so*|wrong lanes|driver=>=1.5,<2|expires=2026-11-22\n");
    scratch_text("run one.log", "all went well\n");
    q.waivers = "known.tsv";
    q.logs = (struct string_list){ logs, 1 };
    KIT_OK(statement_write(&q, &err));
}

/* Verifies "s": returns how many problems, one of which has these words. */
static size_t verify(const char *words, struct statement_facts *facts)
{
    struct notes problems CLOSED_BY(notes_close) = { .count = 0 };
    size_t count;
    bool found = words == NULL;

    KIT_OK(statement_verify("s", facts, &problems, &err));
    count = problems.count;
    for (size_t i = 0; i < count; i++)
        found = found || strstr(problems.items[i], words);
    if (!found)
        fail_msg("\"%s\" is not among %zu problems: %s", words, count,
                 count > 0 ? problems.items[0] : "none");
    if (!words && count > 0)
        fail_msg("%s", problems.items[0]);
    return count;
}

static void expect_problem(const char *words)
{
    struct statement_facts facts;

    assert_true(verify(words, &facts) > 0);
}

/* Gives a file of the statement its right sum again, so that other checks have to see the change.
 */
static void sum_again(const char *name)
{
    struct sums sums CLOSED_BY(sums_close);
    char path[128];
    FILE *f;

    assert_int_equal(sums_read(&sums, "s/SHA256SUMS", &err), STATUS_OK);
    for (size_t i = 0; i < sums.count; i++) {
        snprintf(path, sizeof path, "s/%s", sums.items[i].name);
        if (strcmp(sums.items[i].name, name) == 0)
            assert_int_equal(sha256_file(path, sums.items[i].hex, &err), STATUS_OK);
    }
    f = fopen("s/SHA256SUMS", "w");
    assert_non_null(f);
    sums_print(&sums, f);
    fclose(f);
}

/* Replaces the first `from` in a file by `to`. */
static void replace(const char *path, const char *from, const char *to)
{
    char *const text = read_text(path), *const at = strstr(text, from);
    FILE *f;

    if (!at)
        fail_msg("%s has no \"%s\":\n%s", path, from, text);
    f = fopen(path, "w");
    assert_non_null(f);
    fwrite(text, 1, (size_t)(at - text), f);
    fprintf(f, "%s%s", to, at + strlen(from));
    fclose(f);
}

/* ---- making ---- */

TEST(test_whole)
{
    struct statement_facts facts;

    make_statement();
    verify(NULL, &facts);
    assert_int_equal(facts.files, 3);
    assert_int_equal(facts.reports, 1);
    assert_int_equal(facts.results, 10);
    assert_true(facts.passed);
    assert_false(facts.is_signed);
    report_kit_expect("all went well", read_text("s/log-run_one.log"));
    report_kit_expect("\"driver\": \"driver 1.5.2\"", read_text("s/report.json"));
    assert_true(strstr(read_text("s/SHA256SUMS"), "  report.json\n") <
                strstr(read_text("s/SHA256SUMS"), "  waivers.tsv\n"));
    assert_int_equal(system("cd s && sha256sum --strict --status -c SHA256SUMS"), 0);
    scratch_text("s/SHA256SUMS.asc", "-----BEGIN PGP SIGNATURE-----\n");
    verify(NULL, &facts);
    assert_true(facts.is_signed);
}

/* A failure makes the verdict, not the statement, fail. */
TEST(test_verdict)
{
    const char *reports[] = { "a.json", "b.json" };
    const struct statement_request q = request_of(reports, 2);
    struct statement_facts facts;
    struct record r;

    sample_record_open(&r, 5);
    sample_record_write(&r, "a.json");
    sample_record_result(&r, 0, 1)->status = CASE_FAIL;
    sample_record_write(&r, "b.json");
    record_close(&r);
    assert_int_equal(statement_write(&q, &err), STATUS_OK);
    verify(NULL, &facts);
    assert_false(facts.passed);
    assert_int_equal(facts.reports, 2);
    assert_int_equal(facts.results, 20);
}

static size_t count_entries(const char *path)
{
    DIR *const d = opendir(path);
    size_t count = 0;

    assert_non_null(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count - 2;
}

/* Nothing is left behind, and the message has the words. */
static void expect_refused(const struct statement_request *q, enum status expected,
                           const char *words)
{
    const size_t entries = count_entries(".");
    struct diag diag = { .status = STATUS_OK };

    assert_int_equal(statement_write(q, &diag), expected);
    report_kit_expect(words, diag.text);
    assert_int_equal(count_entries("."), entries);
}

TEST(test_target)
{
    const char *reports[] = { "report.json" };
    struct statement_request q = request_of(reports, 1);
    struct statement_facts facts;

    make_statement();
    q.waivers = "known.tsv";
    expect_refused(&q, STATUS_USAGE, "s: exists, and is not empty");
    q.dir = "report.json";
    expect_refused(&q, STATUS_USAGE, "exists, and is no directory");
    q.dir = "no/such/place";
    expect_refused(&q, STATUS_IO, "no/such/place");
    q.dir = "";
    expect_refused(&q, STATUS_USAGE, "path of a directory");
    assert_int_equal(scratch_run("rm -rf s"), 0);
    assert_int_equal(mkdir("s", 0777), 0);
    q.dir = "s//";
    assert_int_equal(statement_write(&q, &err), STATUS_OK);
    verify(NULL, &facts);
}

TEST(test_inputs)
{
    const char *reports[] = { "report.json", "other.json" }, *logs[] = { "/dev/zero" };
    struct statement_request q = request_of(reports, 1);
    struct record r;

    make_statement();
    q.dir = "t";
    expect_refused(&q, STATUS_USAGE, "relu.f32.c002 on libx.so precision=fp16 is waived");
    q.waivers = "known.tsv";
    q.logs = (struct string_list){ logs, 1 };
    expect_refused(&q, STATUS_IO, "/dev/zero: a character device, expected a regular file");
    q.logs.count = 0;
    scratch_text("known.tsv", "relu.f32.c002|libx.so*|another cause\n");
    expect_refused(&q, STATUS_USAGE, "no waiver of that cause");
    scratch_text("known.tsv", "relu.f32.c002|libx.so*|wrong lanes|expires=2026-11-21\n");
    expect_refused(&q, STATUS_USAGE, "no waiver of that cause");
    scratch_text("known.tsv", "relu.f32.c002|libx.so*|wrong lanes|driver=<1.5\n");
    expect_refused(&q, STATUS_USAGE, "no waiver of that cause");
    scratch_text("known.tsv", "relu.f32.c002|libx.so*\n");
    expect_refused(&q, STATUS_USAGE, "waivers.tsv:1: ");
    scratch_text("known.tsv", "relu.f32.c002|libx.so*|wrong lanes\n");
    sample_record_open(&r, 4);
    sample_record_write(&r, "other.json");
    record_close(&r);
    q.reports.count = 2;
    expect_refused(&q, STATUS_USAGE, "report-2.json: it is of another list of cases");
    reports[1] = "report.json";
    expect_refused(&q, STATUS_USAGE, "report-2.json: it is report-1.json once more");
    reports[0] = "known.tsv";
    q.reports.count = 1;
    expect_refused(&q, STATUS_USAGE, "report.json: line 1: ");
    q.reports.count = 0;
    expect_refused(&q, STATUS_USAGE, "expected a report, report.json, found none");
}

TEST(test_parts)
{
    const char *reports[] = { "part.json" };
    const struct statement_request q = request_of(reports, 1);
    struct record r CLOSED_BY(record_close);

    sample_record_open(&r, 5);
    r.run.shards = 4;
    r.run.shard = 1;
    sample_record_write(&r, "part.json");
    expect_refused(&q, STATUS_USAGE, "report.json: it is of a part of 4 shards");
    r.run.shards = 0;
    r.run.shard = 0;
    r.run.interrupted = "SIGINT";
    sample_record_write(&r, "part.json");
    expect_refused(&q, STATUS_USAGE, "report.json: its run was ended by SIGINT");
    r.run.interrupted = NULL;
    r.run.list_sha256 = "00ff";
    sample_record_write(&r, "part.json");
    expect_refused(&q, STATUS_USAGE, "report.json: it has no hash of its list of cases");
}

/* ---- verifying ---- */

TEST(test_changed_files)
{
    make_statement();
    replace("s/log-run_one.log", "well", "ill");
    expect_problem("log-run_one.log: its SHA-256 is ");
    sum_again("log-run_one.log");
    scratch_text("s/extra.txt", "");
    expect_problem("extra.txt: is not listed in SHA256SUMS");
    unlink("s/extra.txt");
    unlink("s/log-run_one.log");
    expect_problem("log-run_one.log: is listed in SHA256SUMS: ");
}

/* Changes with right sums. */
static void expect_lie(const char *name, const char *from, const char *to, const char *words)
{
    char path[128];

    assert_int_equal(scratch_run("rm -rf s"), 0);
    make_statement();
    snprintf(path, sizeof path, "s/%s", name);
    replace(path, from, to);
    sum_again(name);
    expect_problem(words);
}

TEST(test_lies)
{
    expect_lie("report.json", "\"interrupted\": null", "\"interrupted\": \"SIGINT\"",
               "its run was ended by SIGINT");
    expect_lie("waivers.tsv", "wrong lanes", "other cause", "no waiver of that cause");
    expect_lie("waivers.tsv", "expires=2026-11-22", "expires=2026-11-21",
               "no waiver of that cause");
    expect_lie("report.json", "\"waived\"", "\"pass\"", "report");
    expect_lie("report.json", "{", "", "report.json");
    assert_int_equal(scratch_run("rm -rf s"), 0);
    make_statement();
    unlink("s/waivers.tsv");
    expect_problem("there is no file of waivers");
    /* A second name for the report: it would count twice. */
    assert_int_equal(scratch_run("rm -rf s"), 0);
    make_statement();
    assert_int_equal(system("cd s && cp report.json report-2.json && "
                            "sha256sum report-2.json >>SHA256SUMS"),
                     0);
    expect_problem("report-2.json: it is report.json once more");
}

TEST(test_hostile_entries)
{
    make_statement();
    assert_int_equal(symlink("/etc/passwd", "s/link"), 0);
    expect_problem("link: expected a regular file, found a symbolic link");
    unlink("s/link");
    assert_int_equal(mkfifo("s/fifo", 0666), 0);
    expect_problem("fifo: expected a regular file, found a FIFO");
    unlink("s/fifo");
    assert_int_equal(mkdir("s/logs", 0777), 0);
    expect_problem("logs: expected a regular file, found a directory");
    rmdir("s/logs");
    scratch_text("s/two\nlines\033[31m", "");
    expect_problem("two\nlines\033[31m: is not listed"); /* escaped where it is printed */
    unlink("s/two\nlines\033[31m");
    /* A listed file that is a FIFO: it must not be opened. */
    unlink("s/report.json");
    assert_int_equal(mkfifo("s/report.json", 0666), 0);
    expect_problem("report.json: expected a regular file, found a FIFO");
    unlink("s/report.json");
    assert_int_equal(open("s/report.json", O_CREAT | O_WRONLY, 0666) >= 0, 1);
    assert_int_equal(truncate("s/report.json", 3 << 29), 0); /* sparse */
    expect_problem("report.json: expected at most 1073741824 bytes, found 1610612736");
}

/* Sizes, numbers of entries and calls that are refused, and what is no file at all. */
TEST(test_limits)
{
    struct notes problems CLOSED_BY(notes_close) = { .count = 0 };
    struct statement_facts facts;
    char name[32];

    make_statement();
    opendir_error = EMFILE;
    assert_int_equal(statement_verify("s", &facts, &problems, &err), STATUS_IO);
    report_kit_expect("s: Too many open files", err.text);
    opendir_error = 0;
    for (int i = 0; i < 4096; i++) {
        snprintf(name, sizeof name, "s/x%d", i);
        scratch_text(name, "");
    }
    assert_int_equal(statement_verify("s", &facts, &problems, &err), STATUS_USAGE);
    report_kit_expect("s: more than 4096 entries", err.text);
    unlink("s/SHA256SUMS");
    assert_int_equal(statement_verify("s", &facts, &problems, &err), STATUS_USAGE);
    report_kit_expect("no regular file SHA256SUMS", err.text);
}

/* Whichever allocation fails: there is no verdict, for a check may have been left out. */
TEST(test_no_memory)
{
    enum status s = STATUS_NO_MEMORY;
    long after;

    make_statement();
    for (after = 0; s != STATUS_OK; after++) {
        struct notes problems CLOSED_BY(notes_close) = { .count = 0 };
        struct statement_facts facts;
        const long failures = mem_failures();

        mem_fail_after(after);
        s = statement_verify("s", &facts, &problems, &err);
        mem_fail_after(-1);
        if (s != (mem_failures() == failures ? STATUS_OK : STATUS_NO_MEMORY))
            fail_msg("allocation %ld: status %d, '%s'", after, (int)s, err.text);
    }
    assert_true(after > 5);
}

static void expect_no_statement(const char *sums, const char *words)
{
    struct notes problems CLOSED_BY(notes_close) = { .count = 0 };
    struct statement_facts facts;
    struct diag diag = { .status = STATUS_OK };

    scratch_text("s/SHA256SUMS", sums);
    assert_int_equal(statement_verify("s", &facts, &problems, &diag), STATUS_USAGE);
    report_kit_expect(words, diag.text);
}

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

TEST(test_hostile_sums)
{
    struct notes problems = { .count = 0 };
    struct statement_facts facts;
    char line[80];

    make_statement();
    expect_no_statement(ZEROS "  ../../etc/passwd\n", "found \"../../etc/passwd\"");
    expect_no_statement(ZEROS "  .\n", "expected a name");
    expect_no_statement(ZEROS "  a\n" ZEROS "  a\n", ":2: a second line for a");
    expect_no_statement("\\" ZEROS "  a\\nb\n", "expected 64 hexadecimal digits");
    expect_no_statement("0" ZEROS "  a\n", "expected 64 hexadecimal digits");
    expect_no_statement(ZEROS " a\n", "two blanks");
    expect_no_statement(ZEROS "\t a\n", "two blanks");
    snprintf(line, sizeof line, "%s  a\n", ZEROS);
    line[9] = 'g';
    expect_no_statement(line, "expected 64 hexadecimal digits");
    expect_no_statement("no sums", "SHA256SUMS:1: expected 64");
    unlink("s/SHA256SUMS");
    assert_int_equal(symlink("/dev/zero", "s/SHA256SUMS"), 0);
    assert_int_equal(statement_verify("s", &facts, &problems, &err), STATUS_USAGE);
    report_kit_expect("no regular file SHA256SUMS", err.text);
    assert_int_equal(statement_verify("known.tsv", &facts, &problems, &err), STATUS_USAGE);
    report_kit_expect("expected a directory", err.text);
    assert_int_equal(statement_verify("nosuch", &facts, &problems, &err), STATUS_IO);
    notes_close(&problems);
    unlink("s/SHA256SUMS");
    scratch_text("s/SHA256SUMS", "");
    expect_problem("expected a report, report.json, found none");
}

TEST_FILE(.each_setup = open_folder, .each_teardown = close_folder);
