/* Reports summed up, and the board that is made of them: what is read is what was written, whatever
 * anybody has written; what became of cases is what `report compare` says. */
#include "conformance/report/forms/site.h"
#include "conformance/report/record/board.h"
#include "conformance/report/record/compare.h"
#include "conformance/tests/kit/record_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_FILE(.each_teardown = scratch_remove);

static void write_record(const char *name, const struct record *r,
                         enum status write(const struct record *r, FILE *f, struct diag *diag))
{
    FILE *const f = fopen(scratch("%s", name), "w");

    assert_non_null(f);
    assert_int_equal(write(r, f, NULL), STATUS_OK);
    assert_int_equal(fclose(f), 0);
}

static enum status add(void *board, const char *file)
{
    return board_add(board, file, &err);
}

/* The board of the directory. */
static void open_board(struct board *b)
{
    *b = (struct board){ .runs = NULL };
    assert_int_equal(board_files(scratch("."), add, b, NULL), STATUS_OK);
    assert_int_equal(board_settle(b, NULL), STATUS_OK);
}

static void expect_note(const struct notes *notes, const char *part)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strstr(notes->items[i], part))
            return;
    for (size_t i = 0; i < notes->count; i++)
        print_error("note: %s\n", notes->items[i]);
    fail_msg("no note has: %s", part);
}

static char *page_text(const struct board *b, size_t page)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    assert_non_null(f);
    if (page == SIZE_MAX)
        assert_int_equal(site_index(b, f, NULL), STATUS_OK);
    else
        assert_int_equal(site_page(b, &b->pages[page], f, NULL), STATUS_OK);
    assert_int_equal(fclose(f), 0);
    assert_true(bytes <= SITE_PAGE_BYTES);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("the page lacks: %s", part);
}

/* A report and its summary are the same run; the summary has a hundredth of the bytes. */
TEST(a_summary_says_what_the_report_says)
{
    struct record r CLOSED_BY(record_close);
    struct board b CLOSED_BY(board_close);
    struct stat whole, sum;

    record_kit_open(&r, 2000);
    record_kit_fill(&r);
    write_record("a.json", &r, record_write);
    write_record("b.json", &r, summary_write);
    assert_int_equal(stat(scratch("a.json"), &whole), 0);
    assert_int_equal(stat(scratch("b.json"), &sum), 0);
    assert_true(sum.st_size * 20 < whole.st_size);
    open_board(&b);
    assert_int_equal(b.broken.count, 0);
    assert_int_equal(b.run_count, 2);
    expect_note(&b.remarks, "the same run as in");
    expect_note(&b.remarks, "is not of all cases: ended early by SIGINT");
    for (size_t i = 0; i < 2; i++) {
        const bool judged = strcmp(b.runs[i]->x.subject, "reference") != 0;
        struct record_totals t = { .worst = SIZE_MAX };

        for (size_t k = 0; k < r.result_count; k++)
            if (r.results[k].subject == judged)
                record_totals_add(&t, &r, k);
        assert_memory_equal(b.runs[i]->count, t.count, sizeof t.count);
        assert_int_equal(b.runs[i]->bad, t.bad);
        assert_true(b.runs[i]->margin == t.margin);
        assert_int_equal(b.runs[i]->finding_count > 0, judged);
        assert_string_equal(b.runs[i]->x.version ? b.runs[i]->x.version : "",
                            judged ? "sha256 9f86d081" : "");
    }
}

/* A version has 63 letters at most, of however many. */
TEST(a_long_version_is_cut)
{
    char driver[] = "runtime 0123456789012345678901234567890123456789012345678901234567890123";
    struct record r CLOSED_BY(record_close);
    struct board b CLOSED_BY(board_close);

    assert_int_equal(strlen(driver), 8 + 64);
    record_kit_open(&r, 1000);
    record_kit_fill(&r);
    r.subjects[0].device.driver = driver;
    write_record("a.json", &r, summary_write);
    open_board(&b);
    assert_int_equal(b.run_count, 2);
    for (size_t i = 0; i < 2; i++)
        if (strcmp(b.runs[i]->x.subject, "reference") == 0)
            assert_int_equal(strlen(b.runs[i]->x.version), 63);
}

static size_t sum_of(const struct board_move *moves, size_t count, enum compare_kind kind,
                     bool loose)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += moves[i].kind == kind && moves[i].loose == loose ? moves[i].count : 0;
    return sum;
}

/* Gives the results of subject 1 other statuses, most of them not. */
static void change(struct record *r, const char *started, unsigned step)
{
    r->run.started = started;
    for (size_t i = r->case_count; i < r->result_count; i++)
        if (i % step < 4)
            r->results[i].status = (enum case_status)(i * step / 16 % CASE_STATUS_COUNT);
}

TEST(changes_are_those_of_compare)
{
    const struct compare_limits limits = compare_limits_default();
    struct record was CLOSED_BY(record_close), is CLOSED_BY(record_close);
    struct record_comparison c CLOSED_BY(compare_close);
    struct board b CLOSED_BY(board_close);
    struct arena arena CLOSED_BY(arena_close) = { .blocks = NULL };
    struct board_move *moves;
    size_t count, named = 0;

    record_kit_open(&was, 3000);
    record_kit_open(&is, 3000);
    change(&was, "2026-01-02T03:04:05Z", 17);
    change(&is, "2026-02-02T03:04:05Z", 23);
    assert_int_equal(compare_records(&c, &was, &is, &limits, NULL, 0, NULL), STATUS_OK);
    write_record("new.json", &is, record_write);
    write_record("old.json", &was, summary_write);
    open_board(&b);
    assert_int_equal(b.page_count, 2);
    assert_int_equal(b.pages[0].count, 2);
    assert_string_equal(b.pages[0].name, "libx.so precision=fp16");
    KIT_OK(board_moves(b.pages[0].runs[0], b.pages[0].runs[1], &arena, &moves, &count, NULL));
    for (int k = 0; k < COMPARE_KIND_COUNT; k++) {
        assert_int_equal(sum_of(moves, count, (enum compare_kind)k, false), c.kind_count[k]);
        assert_true(c.kind_count[k] > 0);
    }
    for (size_t i = 0; i < c.change_count && c.changes[i].kind == COMPARE_NEW_FAILURE; i++) {
        const char *const name = is.cases[is.results[c.changes[i].is].test_case].name;

        for (size_t k = 0; k < count && moves[k].kind == COMPARE_NEW_FAILURE; k++)
            for (size_t n = 0; n < moves[k].count; n++)
                named += strcmp(moves[k].names[n], name) == 0;
    }
    assert_int_equal(named, c.kind_count[COMPARE_NEW_FAILURE]);
}

/* Where an op has other cases in both, names alone tell, and both page and notes say so. */
TEST(other_lists_are_said)
{
    struct board b CLOSED_BY(board_close);
    struct arena arena CLOSED_BY(arena_close) = { .blocks = NULL };
    struct board_move *moves;
    struct record r;
    size_t count;
    char *page CLOSED_BY(kit_free);

    record_kit_open(&r, 100);
    r.results[100].status = r.results[101].status = CASE_FAIL;
    write_record("old.json", &r, record_write);
    record_close(&r);
    record_kit_open(&r, 101);
    r.run.started = "2027-01-01T00:00:00Z";
    r.run.list_sha256 = "00";
    r.run.version = "0.2.0";
    r.subjects[1].bounds = "fp32";
    r.results[101].status = r.results[103].status = CASE_CRASH;
    write_record("new.json", &r, record_write);
    record_close(&r);
    open_board(&b);
    expect_note(&b.remarks, "are of other lists of cases (100 and 101)");
    expect_note(&b.remarks, "is held to the bounds fp16");
    expect_note(&b.remarks, "is of Assay 0.1.0");
    KIT_OK(board_moves(b.pages[0].runs[0], b.pages[0].runs[1], &arena, &moves, &count, NULL));
    /* The first case fails in both, the second was fixed; the third fails anew. */
    assert_int_equal(sum_of(moves, count, COMPARE_NEW_FAILURE, false) +
                         sum_of(moves, count, COMPARE_NEW_FAILURE, true),
                     1);
    assert_int_equal(
        sum_of(moves, count, COMPARE_FIXED, false) + sum_of(moves, count, COMPARE_FIXED, true), 1);
    assert_int_equal(sum_of(moves, count, COMPARE_WORSE, false) +
                         sum_of(moves, count, COMPARE_WORSE, true) +
                         sum_of(moves, count, COMPARE_FIXED, true),
                     1);
    page = page_text(&b, 0);
    expect(page, "are of other lists of cases");
}

/* Nothing that a report says becomes markup, asks for anything, or leaves its directory. */
TEST(hostile_texts_are_texts)
{
    struct record r CLOSED_BY(record_close);
    struct board b CLOSED_BY(board_close);
    char *page;
    json_t *feed;

    record_kit_open(&r, 1000);
    record_kit_fill(&r);
    write_record("a.json", &r, record_write);
    scratch_text("b.json",
                 "{\"summary\": 1, \"runs\": [{\"subject\": \"../../<b>x\", \"version\": "
                 "\"<i>1\", \"device\": \"/..\", \"driver\": null, \"bounds\": null, "
                 "\"assay\": \"\\\"><script>\", \"git\": null, \"started\": \"</td>\", "
                 "\"host\": null, \"list_count\": 1, \"list_sha256\": null, \"lines\": "
                 "[{\"name\": \"<u>\", \"type\": \"&\", \"list\": \"<\", \"is\": \"f\", "
                 "\"bad\": [\"<s>\"]}], \"findings\": [{\"title\": \"<b>\", \"severity\": "
                 "\"' onclick='\", \"checks\": 1, \"judged\": 1, \"condition\": \"<b>\", "
                 "\"smallest\": \"<a href=x>\"}]}]}");
    open_board(&b);
    assert_int_equal(b.broken.count, 0);
    for (size_t i = 0; i <= b.page_count; i++) {
        page = page_text(&b, i == b.page_count ? SIZE_MAX : i);
        assert_null(strstr(page, "<script"));
        assert_null(strstr(page, "{{"));
        assert_null(strstr(page, "\xe2\x80\xae"));
        assert_null(strstr(page, "http:"));
        assert_null(strstr(page, "https:"));
        assert_null(strstr(page, "<b>x"));
        assert_null(strstr(page, "' onclick"));
        assert_null(strstr(page, "<a href=x"));
        expect(page, "content=\"default-src 'none'");
        free(page);
    }
    for (size_t i = 0; i < b.page_count; i++) {
        for (const char *p = b.pages[i].slug; *p; p++)
            assert_true((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '-' ||
                        (*p == '.' && p > b.pages[i].slug));
        PRINTED(badge, f, site_badge(&b.pages[i], f));
        assert_null(strstr(badge, "<b>"));
        expect(badge, "</svg>");
    }
    PRINTED(text, f, KIT_OK(site_feed(&b, f, NULL)));
    assert_non_null(feed = json_loads(text, 0, NULL));
    assert_int_equal(json_array_size(json_object_get(feed, "items")), b.run_count);
    json_decref(feed);
}

/* Subjects whose names differ in what a file name cannot have, or that are called as the index. */
TEST(pages_have_names_of_their_own)
{
    static const char *const names[] = { "Index", "index", "a b", "a-b", "A b", "", "a b.1" };
    char text[600], name[16];
    struct board b;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(text, sizeof text,
                 "{\"summary\": 1, \"runs\": [{\"subject\": \"%s\", \"version\": null, \"device\": "
                 "null, \"driver\": null, \"bounds\": null, \"assay\": \"0\", \"git\": null, "
                 "\"started\": null, \"host\": null, \"list_count\": 0, \"list_sha256\": null, "
                 "\"lines\": [], \"findings\": []}]}",
                 names[i]);
        snprintf(name, sizeof name, "%zu.json", i);
        scratch_text(name, text);
        open_board(&b);
        assert_int_equal(b.page_count, i + 1);
        for (size_t p = 0; p < b.page_count; p++) {
            assert_string_not_equal(b.pages[p].slug, "index");
            assert_true(*b.pages[p].slug != '\0');
            for (size_t k = 0; k < p; k++)
                assert_string_not_equal(b.pages[p].slug, b.pages[k].slug);
        }
        free(page_text(&b, 0));
        board_close(&b);
    }
}

/* Broken reports are named with what is wrong; the others are shown. */
TEST(broken_reports_are_named)
{
#define RUN(lines)                                                                                 \
    "{\"summary\": 1, \"runs\": [{\"subject\": \"x\", \"version\": null, \"device\": null, "       \
    "\"driver\": null, \"bounds\": null, \"assay\": \"0\", \"git\": null, \"started\": null, "     \
    "\"host\": null, \"list_count\": 0, \"list_sha256\": null, \"lines\": [" lines                 \
    "], \"findings\": []}]}"
#define LINE(is, rest)                                                                             \
    "{\"name\": \"add\", \"type\": \"f32\", \"list\": \"0\", \"is\": \"" is "\"" rest "}"
    static const struct {
        const char *text, *says;
    } files[] = {
        { "", "0.json: line 1" },
        { "[1, 2", "1.json: line 1" },
        { "{\"assay\": 7}", "2.json: expected a JSON report" },
        { "{\"summary\": 2, \"runs\": []}", "summary: expected 1, the form" },
        { "{\"summary\": 1}", "runs: expected an array" },
        { "{\"summary\": 1, \"runs\": [7]}", "runs[0]: expected an object" },
        { RUN("{}"), "lines[0].name: expected a value" },
        { RUN(LINE("3x", "")), "lines[0].is: expected letters" },
        { RUN(LINE("3", "")), "lines[0].is: expected letters" },
        { RUN(LINE("0p", "")), "lines[0].is: expected letters" },
        { RUN(LINE("4194304p", "")) "x", "line 1" },
        { RUN(LINE("4194305p", "")), "of 4194304 cases at most" },
        { RUN(LINE("99999999999999999999999p", "")), "lines[0].is: expected letters" },
        { RUN(LINE("4194304p", "") ", " LINE("p", "")), "of 4194304 cases at most" },
        { RUN(LINE("p", "") ", " LINE("p", "")), "found add f32 twice" },
        { RUN(LINE("f", "")), "lines[0].bad: expected an array" },
        { RUN(LINE("2fp", ", \"bad\": [\"a\"]")), "expected 2 names" },
        { RUN(LINE("2f", ", \"bad\": [\"b\", \"a\"]")), "expected names in order" },
        { RUN(LINE("2f", ", \"bad\": [\"a\", 7]")), "expected names in order" },
        { RUN(LINE("p", ", \"margin\": \"1\"")), "margin: expected a number" },
    };
    struct record r;
    struct board b CLOSED_BY(board_close);
    char name[16], *page;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(name, sizeof name, "%zu.json", i);
        scratch_text(name, files[i].text);
    }
    scratch_text("feed.json", "what a site wrote is not read");
    scratch_text("note.txt", "nor is this");
    record_kit_open(&r, 20);
    write_record("good.json", &r, record_write);
    record_close(&r);
    open_board(&b);
    assert_int_equal(b.run_count, 2);
    assert_int_equal(b.broken.count, sizeof files / sizeof files[0]);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        expect_note(&b.broken, files[i].says);
    page = page_text(&b, SIZE_MAX);
    expect(page, "Cannot be read:</strong> ");
    expect(page, "libx.so precision=fp16");
    free(page);
}

/* A page of more ops and names than fit has room left, and says what it lacks. */
TEST(pages_are_bounded)
{
    enum { LINES = 9000 };
    char *page CLOSED_BY(kit_free);
    struct board b CLOSED_BY(board_close);

    for (int version = 1; version <= 18; version++) {
        char name[32];
        FILE *f;

        snprintf(name, sizeof name, "%d.json", version);
        assert_non_null(f = fopen(scratch("%s", name), "w"));
        fprintf(f,
                "{\"summary\": 1, \"runs\": [{\"subject\": \"x\", \"version\": \"1.%d\", "
                "\"device\": null, \"driver\": null, \"bounds\": null, \"assay\": \"0\", \"git\": "
                "null, \"started\": null, \"host\": null, \"list_count\": 0, \"list_sha256\": "
                "null, \"lines\": [",
                version);
        for (int i = 0; i < (version > 16 ? LINES : 1); i++)
            fprintf(
                f,
                "%s{\"name\": \"op%d%0*d\", \"type\": \"f32\", \"list\": \"%d\", \"is\": \"f\", "
                "\"bad\": [\"<&%d%d\"]}",
                i ? "," : "", i, 50, 0, version, i, version);
        fputs("], \"findings\": []}]}", f);
        assert_int_equal(fclose(f), 0);
    }
    open_board(&b);
    assert_int_equal(b.broken.count, 0);
    assert_int_equal(b.page_count, 1);
    assert_string_equal(b.pages[0].runs[17]->x.version, "1.18"); /* not 1.9 */
    page = page_text(&b, 0);
    expect(page, "2 older runs are not shown");
    expect(page, "more ops are left out");
    expect(page, "more rows are left out");
}
