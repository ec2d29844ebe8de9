/* `assay report compare` on real runs: delegates with planted faults, beside the same one without.
 *
 * The fault is an option, which makes another subject of the delegate, so --pair names the two. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: assay */
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static char assay[4096];
static char text[1 << 16];

/* Runs a command; its output, stderr too, is in `text`.  Returns the exit code. */
static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...)
{
    char command[8192];
    va_list args;
    size_t count;
    FILE *f;
    int code;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    f = popen(command, "r");
    assert_non_null(f);
    count = fread(text, 1, sizeof text - 1, f);
    text[count] = '\0';
    code = pclose(f);
    assert_true(WIFEXITED(code));
    return WEXITSTATUS(code);
}

/* A report `name` of a mock with options. */
static void run_mock(const char *name, const char *library, const char *options)
{
    char path[4096];
    int code;

    snprintf(path, sizeof path, "%s", mock_path(library));
    code = shell("%s conformance --filter='add.f32.c*' --filter='softmax.f32.c*' --limit=12 "
                 "--quiet --jobs=2 --subject='delegate:%s?%s' --format=json "
                 "--out=%s/%s.json 2>&1",
                 assay, path, options, scratch("."), name);
    if (code > 1)
        fail_msg("%s", text);
}

static int compare(const char *was, const char *is, const char *flags)
{
    return shell("cd %s && %s report compare %s.json %s.json %s 2>&1", scratch("."), assay, was, is,
                 flags);
}

static void expect(const char *part)
{
    if (!strstr(text, part))
        fail_msg("expected '%s' in:\n%s", part, text);
}

FIXTURE(make_reports)
{
    snprintf(assay, sizeof assay, "%s", build_path(".", "assay"));
    run_mock("good", "delegate.so", "fault=none");
    run_mock("again", "delegate.so", "fault=none");
    run_mock("wrong", "delegate.so", "fault=ulps&ulps=5000");
    run_mock("lost", "delegate.so", "fault=decline");
    run_mock("crash", "delegate.so", "fault=crash");
    run_mock("small", "gpu.so", "fault=none");
    run_mock("large", "gpu.so", "fault=none&memory=100000");
    return 0;
}

TEST(test_silent)
{
    assert_int_equal(compare("good", "again", ""), 0);
    expect("0 new failures, 0 lost support, 0 fixed\n");
    assert_null(strstr(text, "worse than before"));
}

TEST(test_wrong_kernel)
{
    assert_int_equal(compare("good", "wrong", "--pair=0:0"), 1);
    expect("  new failures: 24\n    add f32: 12\n");
    expect("pass, now fail: ");
    expect("rerun: ");
    expect("worse than before:\n  new failures: 24\n");
    assert_int_equal(compare("wrong", "good", "--pair=0:0"), 0);
    expect("24 fixed\n");
}

TEST(test_lost_op)
{
    assert_int_equal(compare("good", "lost", "--pair=0:0"), 1);
    expect("  lost support: 24\n    add f32: 12\n");
    assert_int_equal(compare("good", "lost", "--pair=0:0 --ignore=support"), 0);
    assert_int_equal(compare("lost", "good", "--pair=0:0"), 0);
    expect("24 gained support\n");
}

TEST(test_crash)
{
    assert_int_equal(compare("wrong", "crash", "--pair=0:0"), 1);
    expect("  fail in a worse way: 24\n");
    expect("fail, now crash: ");
}

TEST(test_memory)
{
    assert_int_equal(compare("small", "large", "--pair=0:0"), 1);
    expect("  memory, by more than 2 % and 4096 bytes: 24 grew, 0 shrank\n");
    expect("       1230      101230  +8130.1 %\n");
    assert_int_equal(compare("small", "large", "--pair=0:0 --memory-floor=100000"), 0);
    assert_int_equal(compare("small", "large", "--pair=0:0 --max-memory-growth=9000%"), 0);
    assert_int_equal(compare("small", "large", "--pair=0:0 --ignore=memory"), 0);
}

/* A baseline of another subject would compare nothing. */
TEST(test_other_subject)
{
    assert_int_equal(compare("good", "lost", ""), 2);
    expect("assay: report compare: no subject of OLD ('delegate.so fault=none') has the library "
           "and the options of one of NEW ('delegate.so fault=decline'); --pair=OLD:NEW names two "
           "by their numbers\n");
    assert_int_equal(compare("good", "small", ""), 2);
    assert_int_equal(compare("good", "lost", "--pair=0:1"), 2);
    expect("no pair of subjects 0 and 1: OLD has 1, NEW 1, from 0 on\n");
}

TEST(test_bad_input)
{
    assert_int_equal(compare("good", "nosuch", ""), 2);
    expect("nosuch.json");
    scratch_text("foreign.json", "{\"a\":1}\n");
    scratch_text("broken.json", "{\n");
    assert_int_equal(compare("good", "foreign", ""), 2);
    expect("foreign.json");
    assert_int_equal(compare("broken", "good", ""), 2);
    expect("broken.json");
    assert_int_equal(compare("good", "again", "--max-slowdown=5"), 2);
    expect("--max-slowdown=5: expected a percentage such as 5%, from 0% to 1e6%, or off\n");
    assert_int_equal(compare("good", "again", "--max-slowdown=-5%"), 2);
    assert_int_equal(compare("good", "again", "--max-slowdown=nan%"), 2);
    assert_int_equal(compare("good", "again", "--ignore=margins,time"), 2);
    expect("--ignore=time: expected margins, memory, models, support or times\n");
    assert_int_equal(compare("good", "again", "--pair=0"), 2);
    expect("--pair=0: expected OLD:NEW, numbers of subjects, from 0 on\n");
    assert_int_equal(compare("good", "", ""), 2);
    assert_int_equal(compare("good", "again", "--out=/nosuch/dir/out.txt"), 2);
}

TEST(test_flags)
{
    assert_int_equal(compare("good", "again",
                             "--max-slowdown=off --max-run-slowdown=1e6% --ignore=times,margins "
                             "--ignore=memory --same-cases --old-times=again.json "
                             "--new-times=good.json"),
                     0);
    assert_null(strstr(text, "times:"));
    assert_int_equal(compare("good", "again", "--new-times=small.json"), 2);
    expect("times of small.json: no case passes on a subject of the same library and options\n");
}

TEST(test_json)
{
    json_error_t error;
    json_t *root;

    assert_int_equal(compare("good", "wrong", "--pair=0:0 --format=json --out=out.json"), 1);
    assert_string_equal(text, "");
    assert_int_equal(shell("cat %s", scratch("out.json")), 0);
    if (!(root = json_loads(text, 0, &error)))
        fail_msg("line %d: %s", error.line, error.text);
    assert_true(json_is_true(json_object_get(root, "worse")));
    assert_int_equal(json_array_size(json_object_get(root, "changes")), 24);
    json_decref(root);
}

TEST_FILE(.setup = make_reports);
