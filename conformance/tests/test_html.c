/* The HTML report: one page that asks for nothing, whatever the report says.  With
 * arguments, COUNT FILE [compared|json], it writes the page of a made-up report of COUNT cases, of
 * a comparison with another one, or the report itself, for ci/html-test.py. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/forms/html_text.h"
#include "conformance/report/record/compare.h"
#include "conformance/tests/kit/record_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *page_of(const struct record *r)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    assert_non_null(f);
    assert_int_equal(form_html(r, f, NULL), STATUS_OK);
    assert_int_equal(fclose(f), 0);
    /* No byte of the report ends the page early. */
    assert_int_equal(strlen(text), bytes);
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        n++;
    return n;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("the page lacks: %s", part);
}

/* The data of a page, to be released. */
static json_t *data_of(const char *page)
{
    static const char open[] = "<script type=\"application/json\" id=\"data\">";
    const char *const from = strstr(page, open);
    const char *const to = from ? strstr(from, "</script>") : NULL;
    json_error_t error;
    json_t *data;

    assert_non_null(to);
    for (const char *p = from + sizeof open - 1; p < to; p++)
        assert_true(*p >= ' ' && *p < 0x7f && *p != '<' && *p != '>' && *p != '&');
    data = json_loadb(from + sizeof open - 1, (size_t)(to - from) - sizeof open + 1, 0, &error);
    if (!data)
        fail_msg("data: line %d column %d: %s", error.line, error.column, error.text);
    return data;
}

static json_int_t at(json_t *data, const char *table, const char *column, size_t row)
{
    return json_integer_value(
        json_array_get(json_object_get(json_object_get(data, table), column), row));
}

static const char *text_at(json_t *data, const char *table, const char *column, size_t row)
{
    const json_int_t id = at(data, table, column, row);

    return id ? json_string_value(json_array_get(json_object_get(data, "strings"), (size_t)id - 1))
              : NULL;
}

TEST(test_plain)
{
    struct record r CLOSED_BY(record_close);
    char *page CLOSED_BY(kit_free);
    json_t *data;

    record_kit_open(&r, 200);
    page = page_of(&r);
    assert_int_equal(strncmp(page, "<!DOCTYPE html>\n", 16), 0);
    expect(page, "<title>libx.so precision=fp16 - Assay</title>");
    expect(page, "Passed<span class=\"why\"> nothing failed in 400 checks</span>");
    expect(page, "Mock GPU &lt;9000&gt;");
    expect(page, "<dt>Seed</dt><dd><span>1</span>");
    expect(page, "<code>assay conformance --filter=&#39;*&#39; --format=html</code>");
    expect(page, "5faf3b7-dirty");
    expect(page, "3 min 03 s");
    assert_null(strstr(page, "class=\"banner\"><strong>"));
    assert_int_equal(count_of(page, "{{"), 0);
    data = data_of(page);
    assert_int_equal(at(data, "cases", "rows", 0), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(data, "results"), "rows")),
                     400);
    assert_string_equal(text_at(data, "cases", "name", 1), "conv_2d.f32.h0_w1_c2");
    assert_string_equal(text_at(data, "results", "by_channel", 201), "0MV0T");
    assert_int_equal(at(data, "results", "bytes", 3), 4096 + 3 * 64);
    /* What no result has is left out. */
    assert_null(json_object_get(json_object_get(data, "results"), "waiver"));
    json_decref(data);
}

/* An error of zero was measured, and one that is not known was not. */
TEST(test_zero)
{
    struct record r CLOSED_BY(record_close);
    char *page CLOSED_BY(kit_free);
    json_t *data, *results;

    record_kit_open(&r, 10);
    r.result_count = 10;
    for (size_t i = 0; i < r.result_count; i++)
        r.results[i].bias = NAN;
    page = page_of(&r);
    data = data_of(page);
    results = json_object_get(data, "results");
    assert_int_equal(json_array_size(json_object_get(results, "margin")), 10);
    assert_null(json_object_get(results, "bias"));
    json_decref(data);
}

TEST(test_failures)
{
    struct record r CLOSED_BY(record_close);
    char *page CLOSED_BY(kit_free);
    json_t *data;

    record_kit_open(&r, 500);
    record_kit_fill(&r);
    page = page_of(&r);
    expect(page, "<title>2 failed - ");
    expect(page, "Failed<span class=\"why\"> 2 of 998 checks, 1 whole model</span>");
    expect(page, "ended early by SIGINT");
    expect(page, "did not come to 2 checks");
    data = data_of(page);
    assert_int_equal(json_array_size(json_object_get(data, "bad")), 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(data, "bad"), 0)), 500);
    assert_string_equal(text_at(data, "wrong", "where", 0), "n 0 h 1 w 2 c 3");
    assert_string_equal(json_string_value(json_array_get(
                            json_object_get(json_object_get(data, "wrong"), "worst_ratio"), 0)),
                        "inf");
    assert_string_equal(text_at(data, "models", "reason", 1), "other classes");
    assert_int_equal(at(data, "mutants", "caught", 0), 1);
    assert_int_equal(at(data, "missing", "case", 1), 3);
    assert_true(json_integer_value(json_object_get(json_object_get(data, "findings"), "rows")) > 0);
    json_decref(data);
}

/* Nothing that a report says becomes markup, ends a script, or turns the direction of the text. */
TEST(test_hostile)
{
    struct record r CLOSED_BY(record_close);
    char *page, *plain;
    json_t *data;

    record_kit_open(&r, 500);
    plain = page_of(&r);
    record_kit_fill(&r);
    page = page_of(&r);
    assert_int_equal(count_of(page, "<script"), count_of(plain, "<script"));
    assert_int_equal(count_of(page, "</script"), count_of(plain, "</script"));
    assert_int_equal(count_of(page, "<!--"), count_of(plain, "<!--"));
    assert_null(strstr(page, "alert(1)</script>"));
    expect(page, "&lt;/script&gt;&lt;script&gt;alert(1)");
    expect(page, "&#39;&quot;&amp;amp;");
    assert_null(strstr(page, "\xe2\x80\xae"));
    expect(page, "conv_2d.f32.\\u202esdrawkcab");
    for (const char *p = page; *p; p++)
        assert_true((unsigned char)*p >= ' ' || *p == '\n' || *p == '\t');
    data = data_of(page);
    assert_int_equal(strncmp(text_at(data, "cases", "name", 0), RECORD_KIT_HOSTILE, 50), 0);
    /* json_string accepts UTF-8 alone, so what is read back of invalid bytes is not they. */
    assert_null(strstr(text_at(data, "cases", "name", 0), "\xff"));
    expect(text_at(data, "cases", "name", 0), "\xef\xbf\xbd");
    json_decref(data);
    free(plain);
    free(page);
}

/* The page names no other place, and its policy lets it ask for none. */
TEST(test_no_request)
{
    static const char *const asks[] = { "http:",   "https:",     " src=",      "@import",
                                        "url(",    "fetch(",     "XMLHttp",    "WebSocket",
                                        "import(", "sendBeacon", "EventSource" };
    struct record r CLOSED_BY(record_close);
    char *page, *policy;

    record_kit_open(&r, 10);
    page = page_of(&r);
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        const char *const found = strstr(page, asks[i]);

        /* The name of SVG's elements is an address, and asks for nothing. */
        if (found && strncmp(found, "http://www.w3.org/2000/svg'", 27) != 0)
            fail_msg("the page has %.40s", found);
    }
    policy = strstr(page, "content=\"default-src 'none'");
    assert_non_null(policy);
    *strstr(policy, "\">") = '\0';
    assert_int_equal(count_of(policy, "'sha256-"), 2);
    assert_null(strstr(policy, "unsafe"));
    free(page);
}

/* The policy names what stands between the tags, to the byte. */
static void expect_hash(const char *page, const char *open, const char *close)
{
    const char *const from = strstr(page, open) + strlen(open);
    PRINTED(hash, f, html_policy_hash(f, from, (size_t)(strstr(from, close) - from)));
    expect(page, hash);
}

TEST(test_policy_names)
{
    struct record r CLOSED_BY(record_close);
    char *page CLOSED_BY(kit_free);

    record_kit_open(&r, 10);
    page = page_of(&r);
    expect_hash(page, "<style>", "</style>");
    expect_hash(page, "<script>", "</script>");
}

TEST(test_policy_hash)
{
    MEMORY_FILE(f, text);

    /* The example of the Content Security Policy specification. */
    html_policy_hash(f, "alert('Hello, world.');", 23);
    fclose(f);
    assert_string_equal(text, "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
}

/* A report of nothing has a page, too. */
TEST(test_empty)
{
    struct record r CLOSED_BY(record_close) = { 0 };
    char *page CLOSED_BY(kit_free);

    page = page_of(&r);
    expect(page, "Nothing was shown");
    json_decref(data_of(page));
}

/* Writes the comparison of a report in which all is well with one that is hostile to markup. */
static enum status write_comparison(size_t cases, FILE *f)
{
    const struct compare_limits limits = compare_limits_default();
    /* The hostile report names the delegate otherwise. */
    const struct compare_couple couples[] = { { 0, 0 }, { 1, 1 } };
    struct record was CLOSED_BY(record_close), is CLOSED_BY(record_close);
    struct record_comparison c CLOSED_BY(compare_close);
    enum status s;

    record_kit_open(&was, cases);
    record_kit_open(&is, cases);
    record_kit_fill(&is);
    assert_int_equal(compare_records(&c, &was, &is, &limits, couples, 2, NULL), STATUS_OK);
    s = html_comparison(&c, f, NULL);
    return s;
}

TEST(test_comparison)
{
    char *page CLOSED_BY(kit_free) = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&page, &bytes);
    json_t *data;

    assert_non_null(f);
    assert_int_equal(write_comparison(500, f), STATUS_OK);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(strlen(page), bytes);
    expect(page, "<title>Worse - ");
    expect(page, "Worse<span class=\"why\"> in ");
    assert_int_equal(count_of(page, "<script"), 2);
    assert_int_equal(count_of(page, "</script"), 2);
    assert_int_equal(count_of(page, "{{"), 0);
    expect_hash(page, "<style>", "</style>");
    expect_hash(page, "<script>", "</script>");
    data = data_of(page);
    /* One fails that passed; another is declined that passed; the first one has another name. */
    assert_int_equal(json_integer_value(json_object_get(json_object_get(data, "changes"), "rows")),
                     2);
    assert_int_equal(at(data, "changes", "is_status", 0), CASE_FAIL + 1);
    assert_int_equal(at(data, "changes", "was_status", 0), CASE_PASS + 1);
    assert_non_null(text_at(data, "changes", "is_reason", 0));
    json_decref(data);
}

static int write_page(int argc, char **argv)
{
    const size_t cases = strtoul(argv[1], NULL, 10);
    const char *const path = argc > 2 ? argv[2] : "";
    const bool compared = argc == 4 && strcmp(argv[3], "compared") == 0;
    const bool json = argc == 4 && !compared;
    FILE *const f = fopen(path, "w");
    struct record r;
    bool written;

    if (!f)
        return 1;
    if (compared) {
        written = write_comparison(cases, f) == STATUS_OK;
    } else {
        record_kit_open(&r, cases);
        record_kit_fill(&r);
        written = (json ? form_json : form_html)(&r, f, NULL) == STATUS_OK;
        record_close(&r);
    }
    return fclose(f) == 0 && written ? 0 : 1;
}

TEST_FILE(.main = write_page);
