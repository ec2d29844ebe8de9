/* JUnit XML: well-formed whatever texts hold, valid by conformance/report/junit.xsd, and no failure
 * lost.
 */
#include "conformance/report/forms/forms.h"
#include "conformance/tests/kit/draft_record.h"
#include "conformance/tests/kit/record_kit.h"
#include "reference/base/utf8.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char *junit(const struct record *r)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    assert_int_equal(form_junit(r, f, &err), STATUS_OK);
    fclose(f);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("expected '%s' in:\n%s", part, text);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

static bool has_xmllint(void)
{
    return system("xmllint --version >/dev/null 2>&1") == 0;
}

/* Whether xmllint accepts the text; `with` is NULL, or the schema. */
static bool is_accepted(const char *text, const char *with)
{
    char command[500];
    const char *const path = scratch_text("junit.xml", text);
    int code;

    snprintf(command, sizeof command, "xmllint --huge --nonet --noout %s%s %s >%s.log 2>&1",
             with ? "--schema " : "", with ? with : "", path, path);
    code = system(command);
    assert_true(WIFEXITED(code));
    return WEXITSTATUS(code) == 0;
}

static void expect_valid(const char *text)
{
    if (!has_xmllint()) {
        print_message("skipped: no xmllint (Debian: libxml2-utils), so no document is validated\n");
        skip();
    }
    if (!is_accepted(text, "conformance/report/junit.xsd"))
        fail_msg("not valid: %s", text);
}

TEST(test_suites)
{
    struct record r CLOSED_BY(record_close);
    char *text CLOSED_BY(kit_free);

    draft_open(&r);
    draft_subject(&r, "/opt", "libx.so", "fp32");
    for (int i = 0; i < 6; i++) {
        char name[32];

        snprintf(name, sizeof name, "add.f32.c%d", i);
        draft_result(&r, 0, draft_case(&r, name, "f32 [1]"));
    }
    draft_fail(&r.results[1], "over", "got 3 < 4");
    r.results[2].status = CASE_CRASH;
    r.results[2].reason = "SIGSEGV in S0: invoke";
    r.results[3].status = CASE_DECLINED;
    r.results[3].reason = "rank 5, at most 4";
    r.results[4].status = CASE_WAIVED;
    r.results[4].waiver = "the driver rounds up";
    r.results[5].status = CASE_DECLINED;
    r.results[5].required = true;
    draft_done(&r);
    text = junit(&r);
    expect(text, "<testsuite name=\"libx.so precision=fp32\" tests=\"6\" failures=\"2\" "
                 "errors=\"1\" skipped=\"2\" time=\"0.000600\" "
                 "timestamp=\"2026-01-02T03:04:05Z\">");
    expect(text, "<property name=\"option.precision\" value=\"fp32\"/>");
    expect(text, "<property name=\"git\" value=\"5faf3b7\"/>");
    expect(text, "<property name=\"list_sha256\" value=\"ab12\"/>");
    expect(text, "<testcase classname=\"add.f32\" name=\"c0\" time=\"0.000100\"/>\n");
    expect(text, "name=\"c1\" time=\"0.000100\">\n   <failure type=\"fail\" message=\"got 3 &#60; "
                 "4\">got 3 &#60; 4\ncause: over\nseverity: broken\ninputs: f32 [1]\nrerun: assay "
                 "conformance --filter=one\n"
                 "</failure>\n   <system-out>margin 3 ");
    expect(text, "<error type=\"crash\" message=\"SIGSEGV in S0: invoke\">SIGSEGV in S0: invoke\n"
                 "cause: SIGSEGV in S#: invoke\nseverity: crash\n");
    expect(text, "<skipped type=\"declined\" message=\"rank 5, at most 4\"/>");
    expect(text, "<skipped type=\"waived\" message=\"the driver rounds up\"/>");
    expect(text, "<failure type=\"required\" message=\"declined\">");
    expect(text, "<testcase classname=\"assay\" name=\"exit_code\" time=\"1.500000\">\n"
                 "   <failure type=\"run\"");
    expect_valid(text);
}

/* A run that exits with 0 has no failure, and one that exits with 1 has one, whatever the cause. */
TEST(test_exit_code)
{
    struct record r CLOSED_BY(record_close);
    char *text;

    draft_open(&r);
    draft_subject(&r, "/opt", "libx.so", "fp32");
    draft_result(&r, 0, draft_case(&r, "add.f32.c1", NULL));
    draft_done(&r);
    text = junit(&r);
    assert_int_equal(count(text, "<failure"), 0);
    expect(text, "name=\"exit_code\" time=\"1.500000\"/>");
    free(text);
    r.broken_end = "SIGSEGV <in> destroy";
    r.broken_ends = 1;
    text = junit(&r);
    assert_int_equal(count(text, "<failure"), 1);
    expect(text, "after its last case: SIGSEGV &#60;in&#62; destroy");
    free(text);
    r.broken_ends = 0;
    r.run.interrupted = "SIGINT";
    text = junit(&r);
    expect(text, "it was ended early by SIGINT");
    assert_int_equal(count(text, "<failure"), 1);
    free(text);
}

/* Two subjects run the same cases: readers would take one for the other. */
TEST(test_two_subjects)
{
    struct record r CLOSED_BY(record_close);
    char *text CLOSED_BY(kit_free);
    size_t c;

    draft_open(&r);
    draft_subject(&r, "/opt", "libx.so", "fp32");
    draft_subject(&r, "/opt", "libx.so", "fp16");
    c = draft_case(&r, "gap.f32.add_c1.5", NULL);
    draft_result(&r, 0, c);
    draft_result(&r, 1, c);
    draft_done(&r);
    text = junit(&r);
    expect(text, "classname=\"libx_so precision=fp32.gap.f32\" name=\"add_c1.5\"");
    expect(text, "classname=\"libx_so precision=fp16.gap.f32\" name=\"add_c1.5\"");
    expect_valid(text);
}

/* Bytes that XML cannot hold, in every string. */
TEST(test_hostile)
{
    struct record r CLOSED_BY(record_close);
    char *text CLOSED_BY(kit_free);

    record_kit_open(&r, 300);
    record_kit_fill(&r);
    text = junit(&r);
    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at >= ' ' || *at == '\n');
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "\xed\xa0\x80"));
    assert_true(count(text, "type=\"not_run\"") == r.missing_count && r.missing_count > 0);
    expect(text, "<testsuite name=\"whole models\"");
    expect_valid(text);
}

/* The schema refuses what readers would misread. */
TEST(test_schema_refuses)
{
    static const char *const bad[] = {
        "<testsuites name=\"a\" time=\"1e-3\"><testsuite name=\"b\" tests=\"0\" failures=\"0\" "
        "errors=\"0\" skipped=\"0\" time=\"0\"/></testsuites>",
        "<testsuites name=\"a\" time=\"1\"><testsuite name=\"b\" tests=\"-1\" failures=\"0\" "
        "errors=\"0\" skipped=\"0\" time=\"0\"/></testsuites>",
        "<testsuites name=\"a\" time=\"1\"><testsuite name=\"b\" tests=\"0\" failures=\"0\" "
        "errors=\"0\" skipped=\"0\" time=\"0\"><case/></testsuite></testsuites>",
        "<testsuites name=\"a\" time=\"1\"/>",
    };
    static const char good[] =
        "<testsuites name=\"a\" time=\"1\"><testsuite name=\"b\" tests=\"0\" failures=\"0\" "
        "errors=\"0\" skipped=\"0\" time=\"0\"/></testsuites>";

    expect_valid(good);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_true(is_accepted(bad[i], NULL));
        if (is_accepted(bad[i], "conformance/report/junit.xsd"))
            fail_msg("accepted: %s", bad[i]);
    }
    assert_false(is_accepted("<testsuites name=\"\x01\"/>", NULL));
}

static void expect_code(const char *text, uint32_t code, size_t length)
{
    uint32_t found;

    assert_int_equal(utf8_decode(text, &found), length);
    assert_int_equal(found, code);
}

TEST(test_utf8)
{
    expect_code("", 0, 0);
    expect_code("a", 'a', 1);
    expect_code("\xc3\xa9", 0xe9, 2);
    expect_code("\xe2\x80\xa8", 0x2028, 3);
    expect_code("\xf0\x9f\x98\x80", 0x1f600, 4);
    expect_code("\xc0\x80", UTF8_REPLACEMENT, 1);         /* overlong */
    expect_code("\xe0\x80\x80", UTF8_REPLACEMENT, 1);     /* overlong */
    expect_code("\xed\xa0\x80", UTF8_REPLACEMENT, 1);     /* a surrogate */
    expect_code("\xf4\x90\x80\x80", UTF8_REPLACEMENT, 1); /* past U+10FFFF */
    expect_code("\xe2\x80", UTF8_REPLACEMENT, 1);         /* cut */
    expect_code("\x80", UTF8_REPLACEMENT, 1);
    expect_code("\xff", UTF8_REPLACEMENT, 1);
}
