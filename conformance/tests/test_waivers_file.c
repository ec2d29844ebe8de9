/* Files of waivers: fields, dates, versions, and what is refused. */
#include "conformance/report/record/waiver.h"
#include "conformance/tests/kit/report_kit.h"
#include "conformance/util/version.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/compared.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct date today = { 2026, 11, 22 };

static void read_file(struct waivers *w, const char *text)
{
    const char *const path = scratch_text("file", text);

    KIT_OK(waivers_read(w, path, &err));
}

static void expect_text(const char *expected, const char *found)
{
    assert_non_null(found);
    assert_string_equal(found, expected);
}

TEST(test_fields)
{
    struct waivers w CLOSED_BY(waivers_close);

    read_file(&w,
              "\xef\xbb\xbf# cases | device | cause\r\n"
              "relu.* | NVIDIA* | wrong lanes | link=https://x.example/1#c2 | expires=2028-02-29"
              " | driver=>=24.0, <25 | device=NVIDIA H* | bounds=fp16,winograd | see there\r\n"
              "\n"
              "?add.f32.c1\tlitert:cpu*\tk=1 is wrong\tsmallest: add.f32.c1\tlink=#12\tmore # no\n"
              "mul.*|*|three fields\n");
    assert_int_equal(w.count, 3);
    assert_int_equal(w.rows[0].line, 2);
    expect_text("relu.*", w.rows[0].cases);
    expect_text("NVIDIA*", w.rows[0].device);
    expect_text("wrong lanes", w.rows[0].cause);
    expect_text("https://x.example/1#c2", w.rows[0].link);
    expect_text(">=24.0, <25", w.rows[0].driver);
    expect_text("NVIDIA H*", w.rows[0].device_name);
    expect_text("fp16,winograd", w.rows[0].bounds);
    expect_text("see there", w.rows[0].more);
    assert_int_equal(w.rows[0].expires.year, 2028);
    assert_int_equal(w.rows[0].expires.month, 2);
    assert_int_equal(w.rows[0].expires.day, 29);
    assert_false(w.rows[0].may_pass);
    assert_int_equal(w.rows[1].line, 4);
    assert_true(w.rows[1].may_pass);
    expect_text("add.f32.c1", w.rows[1].cases);
    expect_text("k=1 is wrong", w.rows[1].cause);
    expect_text("#12", w.rows[1].link);
    expect_text("smallest: add.f32.c1\tmore", w.rows[1].more);
    assert_null(w.rows[2].link);
    assert_int_equal(w.rows[2].expires.year, 0);
}

/* The files that the repository has stay readable. */
TEST(test_known_files)
{
    static const char *const paths[] = { "conformance/known/litert-2.3.0-cpu.tsv",
                                         "conformance/known/litert-2.3.0-webgpu-h200.tsv" };

    for (int i = 0; i < 2; i++) {
        struct waivers w CLOSED_BY(waivers_close);

        if (access(paths[i], R_OK) != 0)
            skip();
        KIT_OK(waivers_read(&w, paths[i], &err));
        assert_true(w.count > 10);
    }
}

TEST(test_empty)
{
    struct waivers w;

    read_file(&w, "");
    assert_int_equal(w.count, 0);
    waivers_close(&w);
    read_file(&w, "# nothing\n\n \t\r\n#");
    assert_int_equal(w.count, 0);
    waivers_close(&w);
}

TEST(test_refused)
{
    static const struct {
        const char *text, *where, *words;
    } rows[] = {
        { "a|b|c\nrelu.* | *\n", ":2: ", "found no cause of relu.*" },
        { "relu.* | * |  \n", ":1: ", "found no cause" },
        { "\n\nrelu.* | * | link=http://x | expires=2027-01-01\n", ":3: ", "found no cause" },
        { "relu.*\t \tc", ":1: ", "without a device" },
        { "?|*|c", ":1: ", "without cases" },
        { "relu.*", ":1: ", "CASES | DEVICE | CAUSE" },
        { "a|b|c|expires=2027-02-29", ":1: ", "a day of the calendar, found \"2027-02-29\"" },
        { "a|b|c|expires=2100-02-29", ":1: ", "2100-02-29" },
        { "a|b|c|expires=2027-04-31", ":1: ", "2027-04-31" },
        { "a|b|c|expires=2027-13-01", ":1: ", "2027-13-01" },
        { "a|b|c|expires=2027-00-01", ":1: ", "2027-00-01" },
        { "a|b|c|expires=2027-01-00", ":1: ", "2027-01-00" },
        { "a|b|c|expires=2027-1-1", ":1: ", "2027-1-1" },
        { "a|b|c|expires=31.01.2027", ":1: ", "31.01.2027" },
        { "a|b|c|expires=2027-01-31T00:00", ":1: ", "2027-01-31T00:00" },
        { "a|b|c|expires=never", ":1: ", "never" },
        { "a|b|c|expires=", ":1: ", "expected a value" },
        { "a|b|c|expires= ", ":1: ", "expected a value" },
        { "a|b|c|driver=new", ":1: ", "driver=RANGE" },
        { "a|b|c|driver=>=24.0,", ":1: ", "driver=RANGE" },
        { "a|b|c|driver=>=24.0;<25", ":1: ", "driver=RANGE" },
        { "a|b|c|driver=~24", ":1: ", "driver=RANGE" },
        { "a|b|c|link=see here", ":1: ", "without blanks" },
        { "a|b|c|bounds=fp17", ":1: ", "'fp17' is not known" },
        { "a|b|c|expire=2027-01-01", ":1: ", "did you mean expires=?" },
        { "a|b|c|link=x|link=y", ":1: ", "each field once" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const path = scratch_text("file", rows[i].text);
        char place[80];
        struct waivers w;
        struct diag diag = { .status = STATUS_OK };

        if (waivers_read(&w, path, &diag) != STATUS_USAGE)
            fail_msg("\"%s\" was read", rows[i].text);
        assert_null(w.rows);
        snprintf(place, sizeof place, "%s%s", path, rows[i].where);
        report_kit_expect(place, diag.text);
        report_kit_expect(rows[i].words, diag.text);
    }
}

TEST(test_unreadable)
{
    const char *const path = scratch_bytes("file", "a|b|c\nd|e\0|f\n", 13);
    struct waivers w;

    assert_int_equal(waivers_read(&w, path, &err), STATUS_USAGE);
    report_kit_expect(":2: expected text, found a byte 0", err.text);
    unlink(path);
    assert_int_equal(waivers_read(&w, path, &err), STATUS_IO);
    assert_int_equal(waivers_read(&w, "/tmp", &err), STATUS_IO);
}

/* Whichever allocation fails: of the text, of the rows, or of a field for people.  What does not
 * fit the arena's block is an allocation; so are the rows of many lines, but not those of one, for
 * which there is memory where there is none for the text. */
static void expect_no_memory(size_t lines, int allocations)
{
    enum { FIELD = 40000 };
    static const char start[] = "a|b|c|";
    char *text CLOSED_BY(kit_free) = malloc(lines + sizeof start + FIELD);
    const char *path;
    enum status s = STATUS_NO_MEMORY;
    int failures = 0;

    assert_non_null(text);
    sprintf(text, "%*s%s%*s", (int)lines, "", start, FIELD, "");
    memset(text, '\n', lines);
    memset(text + lines + sizeof start - 1, 'd', FIELD);
    path = scratch_text("file", text);
    for (long after = 0; s != STATUS_OK; after++) {
        struct waivers w CLOSED_BY(waivers_close);
        struct diag diag = { .text = "" };

        mem_fail_after(after);
        s = waivers_read(&w, path, &diag);
        mem_fail_after(-1);
        if (s == STATUS_OK) {
            assert_int_equal(w.count, 1);
            assert_int_equal(strlen(w.rows[0].more), FIELD);
        } else {
            assert_int_equal(s, STATUS_NO_MEMORY);
            report_kit_expect(after ? ": out of memory" : ": no memory for ", diag.text);
            assert_null(w.rows);
            assert_null(w.arena.blocks);
            failures++;
        }
    }
    assert_true(failures >= allocations);
}

TEST(test_no_memory)
{
    expect_no_memory(4000, 5); /* the file's bytes, path, text, rows, field */
    expect_no_memory(0, 4);
}

/* ---- dates ---- */

static struct date date_of(const char *text)
{
    struct date d;

    assert_true(date_read(text, &d));
    return d;
}

/* Each is a date but for one character, or one number. */
TEST(test_no_dates)
{
    static const char *const texts[] = { "2027/01-31",  "2027-01/31",
                                         "2027-01-31 ", "2027-01-3",
                                         "2027-1-031",  "202-01-31",
                                         "0000-01-01",  "2027-00-01",
                                         "2027-13-01",  "2027-99-01",
                                         "2027-01-00",  "2027-01-32",
                                         "2027-04-31",  "2027-02-29",
                                         "2027-02-1/",  "2027-01-0:",
                                         "2027-1/-01",  "2027-0:-01",
                                         "202/-01-31",  "202:-01-31",
                                         "-027-01-31",  "" };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct date d = { 1, 2, 3 };

        if (date_read(texts[i], &d))
            fail_msg("\"%s\" was read as %d-%d-%d", texts[i], d.year, d.month, d.day);
        assert_true(d.year == 1 && d.month == 2 && d.day == 3);
    }
    date_of("0001-01-01");
    date_of("9999-12-31");
}

TEST(test_dates)
{
    char text[DATE_TEXT_BYTES];

    assert_int_equal(date_days_between(date_of("2026-12-31"), date_of("2027-01-01")), 1);
    assert_int_equal(date_days_between(date_of("2028-02-28"), date_of("2028-03-01")), 2);
    assert_int_equal(date_days_between(date_of("2027-02-28"), date_of("2027-03-01")), 1);
    assert_int_equal(date_days_between(date_of("2000-01-01"), date_of("2400-01-01")), 146097);
    assert_int_equal(date_days_between(date_of("2027-03-01"), date_of("2026-03-01")), -365);
    assert_int_equal(date_days_between(date_of("2000-02-29"), date_of("2000-03-01")), 1);
    assert_string_equal(date_text(date_of("0987-06-05"), text), "0987-06-05");
    assert_true(date_today().year >= 2026);
}

/* ---- versions ---- */

TEST(test_version_order)
{
    static const char *const ascending[] = {
        "0.9",   "22.3.6", "24",         "24.0.1",     "24.1",
        "24.10", "580.82", "580.159.04", "580.159.10", "99999999999999999999.1"
    };

    for (size_t i = 0; i < sizeof ascending / sizeof ascending[0]; i++) {
        for (size_t k = 0; k < sizeof ascending / sizeof ascending[0]; k++) {
            const int order = version_compare(ascending[i], ascending[k]);

            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
    assert_int_equal(version_compare("24", "24.0.0"), 0);
    assert_int_equal(version_compare("580.159.04", "580.159.4"), 0);
}

static void expect_version(const char *driver, const char *version)
{
    char text[32];

    assert_int_equal(version_find(driver, text, sizeof text), version != NULL);
    if (version)
        assert_string_equal(text, version);
}

TEST(test_version_of_driver)
{
    expect_version("llvmpipe Mesa 22.3.6 (LLVM 15.0.6)", "22.3.6");
    expect_version("NVIDIA 580.159.04", "580.159.04");
    expect_version("radv Mesa 24.1.0-rc2", "24.1.0");
    expect_version("Adreno 512 driver", "512");
    expect_version("GLES3 driver", NULL);
    expect_version("version 0x5801040", NULL);
    expect_version("2 devices, 31.0.101.", "31.0.101");
    expect_version("", NULL);
    expect_version("12345678901234567890.12345678901234567890", NULL); /* does not fit */
}

TEST(test_ranges)
{
    assert_true(version_range_has(">=24.0,<25", "24.0"));
    assert_true(version_range_has(">=24.0,<25", "24.3.1"));
    assert_false(version_range_has(">=24.0,<25", "25.0"));
    assert_false(version_range_has(">=24.0,<25", "23.9.9"));
    assert_false(version_range_has(">580.82", "580.82"));
    assert_true(version_range_has("> 580.82", "580.159.04"));
    assert_true(version_range_has("<=22.3.6", "22.3.6"));
    assert_true(version_range_has("22.3.6", "22.3.6"));
    assert_false(version_range_has("=22.3.6", "22.3.60"));
    assert_true(version_range_has("!=22.3.6 , !=22.3.7", "22.3.8"));
    assert_false(version_range_has("!=22.3.6,!=22.3.7", "22.3.7"));
}

/* ---- which row speaks of a result ---- */

static const struct waiver *find(const struct waivers *w, const char *name, const char *bounds,
                                 const char *device, const char *driver)
{
    return waivers_find(w, &(struct waiver_target){ name, "libx.so", bounds, device, driver },
                        today);
}

TEST(test_find)
{
    static const char driver[] = "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)";
    struct waivers w CLOSED_BY(waivers_close);

    read_file(&w, "a.*|*|old|expires=2026-11-21\n"
                  "a.*|*|last day|expires=2026-11-22\n"
                  "b.*|libx*|range|driver=>=23\n"
                  "b.*|libx*|range|driver=<23\n"
                  "c.*|libx*|device|device=NV*\n"
                  "d.*|llvm*|bounds|bounds=fp16,exact\n"
                  "e.*|*|old|expires=2026-01-01\n");
    assert_int_equal(find(&w, "a.x", "", "", "")->line, 2);
    assert_int_equal(find(&w, "b.x", "", "llvmpipe", driver)->line, 4);
    assert_int_equal(find(&w, "b.x", "", "H200", "NVIDIA 580.82")->line, 3);
    assert_null(find(&w, "b.x", "", "llvmpipe", "no version"));
    assert_null(find(&w, "b.x", "", "", ""));
    assert_null(find(&w, "c.x", "", "llvmpipe", driver));
    assert_int_equal(find(&w, "c.x", "", "NVIDIA H200", driver)->line, 5);
    assert_int_equal(find(&w, "d.x", "fp16,exact", "llvmpipe", driver)->line, 6);
    assert_null(find(&w, "d.x", "fp16_arith,exact", "llvmpipe", driver));
    assert_null(find(&w, "d.x", "exact", "llvmpipe", driver));
    assert_int_equal(find(&w, "e.x", "", "", "")->line, 7);
    assert_true(waiver_is_expired(find(&w, "e.x", "", "", ""), today));
    assert_null(find(&w, "f.x", "", "", ""));
}

/* ---- many rows ---- */

/* Names are found, and not held against each row. */
TEST(test_many_names)
{
    enum { ROWS = 40000, BYTES = 40 };
    char *text CLOSED_BY(kit_mem_free) = mem_alloc(ROWS, BYTES), name[32];
    struct waivers w CLOSED_BY(waivers_close);
    size_t used = 0;

    assert_non_null(text);
    for (int i = 0; i < ROWS; i++)
        used += (size_t)snprintf(text + used, BYTES, "relu.f32.%d|%s|%d\n", i * 7919 % ROWS,
                                 i % 2 ? "none" : "*", i);
    compared = 0;
    read_file(&w, text);
    assert_int_equal(w.count, ROWS);
    assert_int_equal(w.pattern_count, 0);
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof name, "relu.f32.%d", i * 7919 % ROWS);
        assert_int_equal(find(&w, name, "", "", "") == NULL, i % 2);
    }
    assert_true(compared < 50l * ROWS); /* log2(ROWS) is below 16 */
}

TEST(test_too_many_patterns)
{
    enum { ROWS = 4097, BYTES = 16 };
    char *text CLOSED_BY(kit_mem_free) = mem_alloc(ROWS, BYTES);
    struct waivers w;
    size_t used = 0;
    const char *path;

    assert_non_null(text);
    for (int i = 0; i < ROWS - 1; i++)
        used += (size_t)snprintf(text + used, BYTES, "%d*|*|c\n", i);
    read_file(&w, text);
    assert_int_equal(w.pattern_count, ROWS - 1);
    waivers_close(&w);
    snprintf(text + used, BYTES, "x[ab]|*|c\n");
    path = scratch_text("file", text);
    assert_int_equal(waivers_read(&w, path, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, ":4097: expected at most 4096 rows with a pattern of cases; "
                                     "found another, x[ab]"));
}

/* Rows of names and patterns speak in the order of the file; the first that holds today counts. */
TEST(test_order_of_rows)
{
    struct waivers w;

    read_file(&w, "a.x|gpu|1\n"
                  "a.*|*|2|expires=2020-01-01\n"
                  "a.x|*|3|expires=2020-01-01\n"
                  "a.x|*|4\n"
                  "*|*|5\n"
                  "a.y|*|6\n"
                  "b[1]|*|7\n"
                  "b[1]|gpu [2]|8\n");
    assert_int_equal(w.pattern_count, 4);
    assert_int_equal(find(&w, "a.x", "", "gpu", "")->line, 1);
    assert_int_equal(find(&w, "a.x", "", "cpu", "")->line, 4);
    assert_int_equal(find(&w, "a.y", "", "cpu", "")->line, 5);
    assert_int_equal(find(&w, "b1", "", "", "")->line, 5);
    waivers_close(&w);
    read_file(&w, "a.x|*|1|expires=2020-01-01\na.*|*|2|expires=2020-01-01\nb[1]|gpu [2]|3\n");
    assert_int_equal(find(&w, "a.x", "", "", "")->line, 1);
    assert_int_equal(find(&w, "a.z", "", "", "")->line, 2);
    assert_int_equal(find(&w, "b[1]", "", "gpu [2]", "")->line, 3); /* itself, too */
    waivers_close(&w);
}
