/* The log of a run: every field comes back, what was cut goes on, what is of another run is
 * refused. */
/* Wrap: fdopen */
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/judge/checkpoint.h"
#include "conformance/suite/judge/run_log.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/clock.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASES = 17 };
static struct test_case *cases;
static size_t case_count;
static struct subject subject;
static char directory[] = "/tmp/assay_log_XXXXXX", report[64], path[64];

static const struct judge_device device = { "Mock 3000", "1.2", "1.3" };

/* fdopen of libc, but the next call fails where a test says so. */
static bool fdopen_fails;
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode)
{
    if (!fdopen_fails)
        return __real_fdopen(fd, mode);
    fdopen_fails = false;
    errno = EMFILE;
    return NULL;
}

FIXTURE(set_up)
{
    const char *patterns[] = { "relu.f32.c[0-9]*" }, *options[] = { "fault=ulps" };
    const struct selection s = { .filters = { patterns, 1 } };
    const struct string_list list = { options, 1 };

    default_signals();
    if (!mkdtemp(directory))
        return -1;
    snprintf(report, sizeof report, "%s/r.json", directory);
    snprintf(path, sizeof path, "%s/r.json.partial", directory);
    return cases_list(&cases, &case_count, NULL) == STATUS_OK &&
                   select_cases(cases, &case_count, &s, NULL) == STATUS_OK && case_count == CASES &&
                   subject_init(&subject, mock_path("delegate.so"), &list, &err) == STATUS_OK
               ? 0
               : -1;
}

FIXTURE(tear_down)
{
    mem_free(cases);
    subject_close(&subject);
    unlink(path);
    return rmdir(directory);
}

static struct run_request request(void)
{
    return (struct run_request){ .subjects = &subject,
                                 .subject_count = 1,
                                 .cases = cases,
                                 .case_count = case_count,
                                 .seed = 1,
                                 .jobs = 2,
                                 .timeout_s = 60,
                                 .quiet = true };
}

static struct case_result sample(void)
{
    struct case_result r = { .status = CASE_FAIL,
                             .reason = "\"quoted\", \\ and \x01",
                             .max_abs = 0.1,
                             .max_ulp = INFINITY,
                             .margin = 1 / 3.0,
                             .bias = -INFINITY,
                             .integers = UINT64_MAX,
                             .ms = 1e-300,
                             .bytes = 1,
                             .nodes = -1,
                             .habits = UINT32_MAX,
                             .has_set = true,
                             .set = SET_POWERS,
                             .frame = 'B',
                             .has_element = true,
                             .output = 2,
                             .where = "n 0 h 1 w 2 c 3",
                             .got = NAN,
                             .want = -0.0,
                             .error = 5e-324,
                             .by_element = "0Vz",
                             .by_channel = "z",
                             .elements = 3,
                             .channels = 1,
                             .inputs = "f32 [3]" };

    r.worst.ratio = 2;
    strcpy(r.worst.where, "[4]");
    return r;
}

TEST(every_field_comes_back)
{
    const struct case_result r = sample();
    struct case_result back;
    json_t *const o = result_to_json(&r), *again;

    assert_non_null(o);
    assert_int_equal(result_from_json(o, &back, &err), STATUS_OK);
    again = result_to_json(&back);
    assert_true(json_equal(o, again));
    assert_string_equal(back.reason, r.reason);
    assert_true(back.margin == r.margin && back.integers == r.integers && isnan(back.got));
    assert_true(signbit(back.want) && back.error == r.error && isinf(back.bias) && back.bias < 0);
    assert_memory_equal(&back.worst, &r.worst, sizeof r.worst);
    json_decref(again);
    json_object_set_new(o, "set", json_integer(SET_COUNT));
    assert_int_equal(result_from_json(o, &back, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "set of a result is "));
    json_object_del(o, "set");
    assert_int_equal(result_from_json(o, &back, &err), STATUS_INVALID);
    assert_string_equal(err.text, "set of a result is missing");
    json_decref(o);
}

/* Writes a log of two results, and returns its text. */
static char *write_log(const struct run_request *run)
{
    const struct case_result r = sample();
    struct run_log log;
    struct run_keys keys;
    char *text = calloc(1, 65536);
    FILE *f;

    assert_int_equal(run_keys_make(&keys, run, &device, &err), STATUS_OK);
    assert_int_equal(run_log_open(&log, path, run, &keys, 10, &err), STATUS_OK);
    run_log_store(&log, 0, 3, &r);
    run_log_store(&log, 0, 1, &r);
    run_log_close(&log, true);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, 65535, f) > 0);
    fclose(f);
    return text;
}

static enum status read_log(const struct run_request *run, struct case_result **results,
                            double *seconds, struct diag *diag)
{
    struct run_keys keys;

    assert_int_equal(run_keys_make(&keys, run, &device, diag), STATUS_OK);
    return run_log_read(path, run, &keys, results, seconds, diag);
}

static void write_text(const char *text, size_t length)
{
    FILE *const f = fopen(path, "w");

    assert_int_equal(fwrite(text, 1, length, f), length);
    fclose(f);
}

TEST(reads_what_it_wrote)
{
    const struct run_request run = request();
    char *text CLOSED_BY(kit_free) = write_log(&run);
    struct case_result *results;
    struct stat st;
    double seconds;

    assert_int_equal(read_log(&run, &results, &seconds, &err), STATUS_OK);
    for (size_t i = 0; i < CASES; i++)
        assert_int_equal(results[i].absent, i != 1 && i != 3);
    assert_string_equal(results[3].where, sample().where);
    assert_true(seconds >= 10 && seconds < 60);
    mem_free(results);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0077, 0666 & ~022 & 0077); /* the usual umask */

    /* Wherever the last line is cut, the others are read. */
    for (size_t cut = 1; cut < 60; cut += 7) {
        write_text(text, strlen(text) - cut);
        assert_int_equal(read_log(&run, &results, &seconds, &err), STATUS_OK);
        assert_int_equal(results[1].absent, cut > 1); /* a line without its end may be whole */
        assert_false(results[3].absent);
        mem_free(results);
    }
}

static void expect_refusal(const struct run_request *run, enum status status, const char *why)
{
    struct case_result *results;
    double seconds;

    assert_int_equal(read_log(run, &results, &seconds, &err), status);
    if (!strstr(err.text, why))
        fail_msg("expected \"%s\", found \"%s\"", why, err.text);
    assert_null(results);
}

TEST(refuses_other_runs)
{
    const struct run_request run = request();
    char *text CLOSED_BY(kit_free) = write_log(&run);
    struct run_request other = run;
    struct subject changed = subject;
    char *at;

    other.seed = 7;
    expect_refusal(&other, STATUS_USAGE, "its seed is \"1\", here it is \"7\"");
    other = run;
    other.case_count--;
    expect_refusal(&other, STATUS_USAGE, "its number of cases is \"17\", here it is \"16\"");
    other = run;
    other.cases++;
    other.case_count--;
    expect_refusal(&other, STATUS_USAGE, "is of another run");
    other = run;
    other.subjects = &changed;
    changed.label = (char[]){ "another" };
    expect_refusal(&other, STATUS_USAGE, "its subject 1 is \"delegate.so fault=ulps\"");
    changed = subject;
    changed.sha256[0] ^= 1;
    expect_refusal(&other, STATUS_USAGE, "its library of subject 1 is");
    changed = subject;
    changed.bounds = BOUNDS_FP16;
    expect_refusal(&other, STATUS_USAGE, "its bounds of subject 1 is");

    at = strstr(text, "Mock 3000");
    memcpy(at, "Muck", 4);
    write_text(text, strlen(text));
    expect_refusal(&run, STATUS_USAGE, "its device is \"Muck 3000\", here it is \"Mock 3000\"");
}

/* Writes the log with one text in place of another, and expects that it is refused. */
static void expect_changed(const char *log, const char *from, const char *to, enum status status,
                           const char *why)
{
    const struct run_request run = request();
    const char *const at = strstr(log, from);
    char *text CLOSED_BY(kit_free) = calloc(1, strlen(log) + strlen(to) + 1);

    assert_non_null(at);
    assert_non_null(text);
    sprintf(text, "%.*s%s%s", (int)(at - log), log, to, at + strlen(from));
    write_text(text, strlen(text));
    expect_refusal(&run, status, why);
}

/* One member of an object is another one, or missing. */
TEST(refuses_each_member)
{
    static const struct {
        const char *from, *to;
        enum status status;
        const char *why;
    } rows[] = {
        { "assay run log 1", "assay run log 2", STATUS_USAGE,
          "(\"assay run log 1\"), found \"assay run log 2\"" },
        { "\"assay run log 1\"", "1", STATUS_USAGE, "(\"assay run log 1\"), found \"\"" },
        { "\"seed\":", "\"sead\":", STATUS_USAGE, "its seed is \"\", here it is \"1\"" },
        { "\"seed\":\"1\"", "\"seed\":1", STATUS_USAGE, "its seed is \"\", here it is \"1\"" },
        { "\"seed\":", "\"more\":\"1\",\"seed\":", STATUS_USAGE,
          "is of another run: it has 13 keys, expected 12" },
        { "\"subject\":0", "\"subject\":\"0\"", STATUS_INVALID, ":2: expected a subject below 1" },
        { "\"subject\":0", "\"subject\":0.0", STATUS_INVALID, ":2: expected a subject below 1" },
        { "\"subject\":0", "\"subject\":-1", STATUS_INVALID, ":2: expected a subject below 1" },
        { "\"subject\":0", "\"subject\":1", STATUS_INVALID, ":2: expected a subject below 1" },
        { "\"subject\":0,", "", STATUS_INVALID, ":2: expected a subject below 1" },
        { "\"case\":", "\"cases\":", STATUS_INVALID, ":2: case \"\" is not in the list" },
        { "\"case\":\"", "\"case\":3,\"name\":\"", STATUS_INVALID,
          ":2: case \"\" is not in the list" },
    };
    const struct run_request run = request();
    char *log CLOSED_BY(kit_free) = write_log(&run);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_changed(log, rows[i].from, rows[i].to, rows[i].status, rows[i].why);
}

/* Each subject has three keys, beside eight of the run. */
TEST(keys_of_many_subjects)
{
    enum { MOST = (RUN_KEYS_MAX - 9) / 3 };
    struct subject subjects[MOST + 1];
    struct run_request run = request();
    struct run_keys keys;

    for (size_t i = 0; i <= MOST; i++)
        subjects[i] = subject;
    run.subjects = subjects;
    run.subject_count = MOST;
    assert_int_equal(run_keys_make(&keys, &run, &device, &err), STATUS_OK);
    assert_int_equal(keys.count, 9 + 3 * MOST);
    run.subject_count++;
    assert_int_equal(run_keys_make(&keys, &run, &device, &err), STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "a run has more than 66 keys");
    assert_int_equal(keys.count, RUN_KEYS_MAX);
}

TEST(keys_without_memory)
{
    const struct run_request run = request();
    enum status s = STATUS_NO_MEMORY;
    bool no_names = false;

    for (long after = 0; s != STATUS_OK; after++) {
        struct run_keys keys;
        struct diag diag = { .text = "" };

        mem_fail_after(after);
        s = run_keys_make(&keys, &run, &device, &diag);
        mem_fail_after(-1);
        assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY);
        no_names = no_names || strcmp(diag.text, "17 names: out of memory") == 0;
    }
    assert_true(no_names);
}

/* Begins no log, and leaves no file. */
static void expect_no_log(const char *at, const char *why)
{
    const struct run_request run = request();
    struct run_log log;
    struct run_keys keys;

    assert_int_equal(run_keys_make(&keys, &run, &device, &err), STATUS_OK);
    assert_int_equal(run_log_open(&log, at, &run, &keys, 0, &err), STATUS_IO);
    assert_null(log.file);
    if (!strstr(err.text, why))
        fail_msg("expected \"%s\", found \"%s\"", why, err.text);
}

TEST(logs_that_cannot_begin)
{
    char longest[PATH_MAX];

    unlink(path);
    expect_no_log("/nowhere/r.json.partial", ": No such file or directory");
    fdopen_fails = true;
    expect_no_log(path, ": Too many open files");
    assert_false(fdopen_fails);
    assert_int_equal(rmdir(directory), 0); /* it is empty */
    assert_int_equal(mkdir(directory, 0700), 0);
    /* The name has 7 bytes more while it is written. */
    memset(longest, '/', sizeof longest);
    longest[PATH_MAX - 7] = '\0';
    expect_no_log(longest, "///...: the path is too long: 4089 bytes");
}

TEST(refuses_broken_logs)
{
    const struct run_request run = request();
    char *text CLOSED_BY(kit_free) = write_log(&run);
    char *const second = strchr(text, '\n') + 1;
    char *at;

    second[5] = '\n';
    write_text(text, strlen(text));
    expect_refusal(&run, STATUS_INVALID, ".partial:2: ");
    second[5] = 't';
    at = strstr(text, "relu.f32.");
    memcpy(at, "solu", 4);
    write_text(text, strlen(text));
    expect_refusal(&run, STATUS_INVALID, "case \"solu.f32.");
    write_text("", 0);
    expect_refusal(&run, STATUS_INVALID, "the file is empty");
    write_text("{\"assay\":1}\n", 12);
    expect_refusal(&run, STATUS_USAGE, "expected the log of a run");
    write_text("\x7f\x45\x4c\x46", 4);
    expect_refusal(&run, STATUS_INVALID, ".partial:1: ");
    unlink(path);
    expect_refusal(&run, STATUS_IO, "No such file");
    /* Nothing waits for a writer, nor reads what has no end. */
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refusal(&run, STATUS_IO, "a named pipe, expected a regular file");
    unlink(path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    expect_refusal(&run, STATUS_IO, "a character device, expected a regular file");
    unlink(path);
}

/* A log that cannot grow does not end the run. */
TEST(full_disk)
{
    const struct run_request run = request();
    const struct case_result r = sample();
    struct rlimit before, small;
    struct run_keys keys;
    struct run_log log;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4096;
    assert_int_equal(run_keys_make(&keys, &run, &device, &err), STATUS_OK);
    assert_int_equal(run_log_open(&log, path, &run, &keys, 0, &err), STATUS_OK);
    setrlimit(RLIMIT_FSIZE, &small);
    for (size_t i = 0; i < CASES; i++)
        run_log_store(&log, 0, i, &r);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_null(log.file);
    assert_non_null(strstr(log.broken.text, "File too large"));
    run_log_close(&log, false);
    assert_int_equal(access(path, F_OK), -1);
}

/* ---- whole runs ---- */

static void run_to_end(struct checkpoint *c, const char *resume, struct run_outcome *outcome)
{
    struct run_request run = request();

    if (checkpoint_open(c, &run, &device, report, resume, 0, &err) != STATUS_OK ||
        runner_run(&run, outcome, &err) != STATUS_OK)
        fail_msg("%s", err.text);
}

static size_t count_lines(void)
{
    FILE *const f = fopen(path, "r");
    size_t n = 0;
    int c;

    while (f && (c = getc(f)) != EOF)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

/* The process is killed; another one goes on, and finds what one alone finds. */
TEST(killed_and_resumed)
{
    struct run_outcome whole CLOSED_BY(run_outcome_close), rest CLOSED_BY(run_outcome_close);
    struct checkpoint c;
    pid_t child;

    run_to_end(&c, NULL, &whole);
    assert_int_equal(count_lines(), 1 + CASES);
    checkpoint_close(&c, &whole, true);
    assert_int_equal(access(path, F_OK), -1);

    child = fork();
    if (child == 0) {
        run_to_end(&c, NULL, &rest);
        _exit(0);
    }
    for (double until = clock_s() + 60; count_lines() < 4 && clock_s() < until;)
        usleep(1000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(count_lines() >= 4);

    run_to_end(&c, report, &rest);
    assert_true(c.known_count >= 3);
    assert_int_equal(rest.missing, 0);
    assert_int_equal(count_lines(), 1 + CASES);
    for (size_t i = 0; i < CASES; i++) {
        struct case_result a = whole.results[i], b = rest.results[i];
        json_t *x, *y;

        a.ms = b.ms = 0;
        x = result_to_json(&a);
        y = result_to_json(&b);
        assert_true(json_equal(x, y));
        json_decref(x);
        json_decref(y);
    }
    checkpoint_close(&c, &rest, false); /* its report could not be written */
    assert_int_equal(access(path, F_OK), 0);
}

/* --resume=auto goes on where it can, and starts anew where it cannot. */
TEST(resumes_by_itself)
{
    struct run_request run = request();
    struct checkpoint c;
    char *text;

    unlink(path);
    assert_int_equal(checkpoint_open(&c, &run, &device, NULL, "auto", 0, &err), STATUS_USAGE);
    assert_int_equal(checkpoint_open(&c, &run, &device, "/dev/null", "auto", 0, &err),
                     STATUS_USAGE);
    assert_int_equal(checkpoint_open(&c, &run, &device, report, "auto", 0, &err), STATUS_OK);
    assert_int_equal(c.known_count, 0);
    checkpoint_close(&c, &(struct run_outcome){ .count = 0 }, false);
    run = request();
    text = write_log(&run);
    free(text);
    assert_int_equal(checkpoint_open(&c, &run, &device, report, "auto", 0, &err), STATUS_OK);
    assert_int_equal(c.known_count, 2);
    assert_int_equal(count_lines(), 3); /* the new log begins with what is known */
    checkpoint_close(&c, &(struct run_outcome){ .count = 0 }, false);
    run = request();
    run.seed = 3;
    assert_int_equal(checkpoint_open(&c, &run, &device, report, "auto", 0, &err), STATUS_OK);
    assert_int_equal(c.known_count, 0);
    assert_int_equal(count_lines(), 1);
    checkpoint_close(&c, &(struct run_outcome){ .count = 0 }, false);
    run = request();
    assert_int_equal(checkpoint_open(&c, &run, &device, report, path, 0, &err), STATUS_USAGE);
}

TEST_FILE(.setup = set_up, .teardown = tear_down);
