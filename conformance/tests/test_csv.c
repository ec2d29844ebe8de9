/* CSV: what a reader of RFC 4180 gets back, and that no cell is a formula. */
#include "conformance/report/forms/forms.h"
#include "conformance/tests/kit/draft_record.h"
#include "conformance/tests/kit/record_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 64, CELL_BYTES = 2048 };

static const char header[] =
    "subject,spec,case,op,type,version,title,status,fails,required,regression,waiver,reason,set,"
    "frame,output,where,got,want,error,limit,max_abs,max_ulp,margin,bias,integers,unequal,ms,bytes,"
    "nodes,nodes_taken,inputs,rerun,repeats,repeats_wrong,design,cause,severity,not_judged\r\n";

static char cells[CELLS_MAX][CELL_BYTES];

static char *csv(const struct record *r)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    assert_int_equal(form_csv(r, f, &err), STATUS_OK);
    fclose(f);
    return text;
}

/* Reads a record as RFC 4180 has it; returns the number of cells, and moves *at behind it. */
static size_t read_line(const char **at)
{
    size_t n = 0;

    for (;; n++) {
        const bool quoted = **at == '"';
        size_t used = 0;

        assert_true(n < CELLS_MAX);
        *at += quoted;
        while (quoted ? **at != '"' || (*at)[1] == '"' : !strchr(",\r", **at)) {
            assert_true(**at && used + 1 < CELL_BYTES);
            assert_true(quoted || **at != '"');
            *at += quoted && **at == '"';
            cells[n][used++] = *(*at)++;
        }
        cells[n][used] = '\0';
        *at += quoted;
        if (**at != ',')
            break;
        ++*at;
    }
    assert_memory_equal(*at, "\r\n", 2);
    *at += 2;
    return n + 1;
}

static const char *cell(const char *name)
{
    const char *at = header;

    for (size_t i = 0; i < CELLS_MAX; i++) {
        const size_t length = strcspn(at, ",\r");

        if (length == strlen(name) && memcmp(at, name, length) == 0)
            return cells[i];
        at += length + 1;
    }
    fail_msg("no column %s", name);
    return NULL;
}

TEST(test_columns)
{
    struct record r CLOSED_BY(record_close);
    char *text CLOSED_BY(kit_free);
    const char *at;

    draft_open(&r);
    draft_subject(&r, "/opt", "libx.so", "fp32");
    draft_result(&r, 0, draft_case(&r, "add.f32.c1", "f32 [1, 5]"));
    draft_fail(&r.results[0], "over", "got \"1\", want 2\nlimit 0");
    r.results[0].where = "[0, 3]";
    r.results[0].got = 1;
    r.results[0].want = -0.1;
    r.results[0].margin = INFINITY;
    r.results[0].frame = 'B';
    r.results[0].not_judged = 7;
    draft_result(&r, 0, draft_case(&r, "add.f32.c2", NULL));
    draft_done(&r);
    text = csv(&r);
    assert_memory_equal(text, header, strlen(header));
    at = text + strlen(header);
    assert_int_equal(read_line(&at), 39);
    assert_string_equal(cell("subject"), "libx.so precision=fp32");
    assert_string_equal(cell("case"), "add.f32.c1");
    assert_string_equal(cell("op"), "add");
    assert_string_equal(cell("status"), "fail");
    assert_string_equal(cell("fails"), "1");
    assert_string_equal(cell("reason"), "got \"1\", want 2\nlimit 0");
    assert_string_equal(cell("where"), "[0, 3]");
    assert_string_equal(cell("frame"), "B");
    assert_string_equal(cell("want"), "-0.1");
    assert_string_equal(cell("margin"), "");
    assert_string_equal(cell("inputs"), "f32 [1, 5]");
    assert_string_equal(cell("cause"), "add f32");
    assert_string_equal(cell("severity"), "gross");
    assert_string_equal(cell("not_judged"), "7");
    assert_int_equal(read_line(&at), 39);
    assert_string_equal(cell("status"), "pass");
    assert_string_equal(cell("got"), "");
    assert_string_equal(cell("cause"), "");
    assert_string_equal(cell("severity"), "");
    assert_string_equal(cell("not_judged"), "");
    assert_string_equal(cell("margin"), "0.25");
    assert_string_equal(cell("ms"), "0.1");
    assert_string_equal(cell("frame"), "");
    assert_int_equal(*at, '\0');
}

/* What a spreadsheet would run begins with an apostrophe, within quotes. */
TEST(test_formulas)
{
    static const char *const bad[] = { "=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1" };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct record r CLOSED_BY(record_close);
        const char *at;
        char *text CLOSED_BY(kit_free);

        draft_open(&r);
        draft_subject(&r, "/opt", "libx.so", "fp32");
        draft_result(&r, 0, draft_case(&r, "add.f32.c1", NULL))->reason = bad[i];
        draft_done(&r);
        text = csv(&r);
        at = text + strlen(header);
        assert_non_null(strstr(at, ",\"'"));
        read_line(&at);
        assert_int_equal(cell("reason")[0], '\'');
        assert_string_equal(cell("reason") + 1, bad[i]);
    }
}

TEST(test_hostile)
{
    struct record r CLOSED_BY(record_close);
    char *text CLOSED_BY(kit_free);
    const char *at;
    size_t lines = 0;

    record_kit_open(&r, 300);
    record_kit_fill(&r);
    text = csv(&r);
    for (at = text; *at; lines++) {
        assert_int_equal(read_line(&at), 39);
        for (size_t i = 0; i < 39; i++) {
            char *end;

            if (strchr("=+-@\t\r", cells[i][0]) && cells[i][0])
                assert_true(strtod(cells[i], &end) < 0 && *end == '\0');
        }
    }
    assert_int_equal(lines, r.result_count + 1);
    assert_null(strchr(text, '\xff'));
}
