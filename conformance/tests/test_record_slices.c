/* The scanner of the cases of a report: what it finds, and in which texts it finds nothing. */
#include "reference/tests/kit/test.h"

#include "conformance/report/record/record_slices.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Looks for "cases" in a copy of exactly these bytes, so that a sanitizer sees a read behind. */
static bool find(struct record_slices *s, struct arena *arena, const char *text, size_t bytes,
                 char **copy)
{
    *copy = malloc(bytes ? bytes : 1);
    assert_non_null(*copy);
    memcpy(*copy, text, bytes);
    *arena = (struct arena){ 0 };
    return record_slices_find(s, arena, *copy, bytes, "cases");
}

static bool is(const char *expected, const char *found, size_t bytes)
{
    return strlen(expected) == bytes && memcmp(expected, found, bytes) == 0;
}

TEST(test_found)
{
    /* clang-format off */
    static const struct {
        const char *text, *rest;
        size_t count;
        const char *items[3];
    } rows[] = {
        { "{\"cases\":[{}]}", "{\"cases\":[]}", 1, { "{}" } },
        { " { \"cases\" : [ {} , {\"a\":1}\n,\n{}]}", " { \"cases\" : [ ]}", 3,
          { "{}", "{\"a\":1}", "{}" } },
        { "{\n\"a\":1,\"case\":[],\"cases2\":[{}],\n\"cases\":[{}],\"b\":2}",
          "{\n\"a\":1,\"case\":[],\"cases2\":[{}],\n\"cases\":[],\"b\":2}", 1, { "{}" } },
        /* Brackets and commas of strings end nothing, and an escaped quote ends no string. */
        { "{\"a\":\"x,\",\"cases\":[{}]}", "{\"a\":\"x,\",\"cases\":[]}", 1, { "{}" } },
        { "{\"a\":\"\\\"},\\\\\",\"cases\":[{}]}", "{\"a\":\"\\\"},\\\\\",\"cases\":[]}", 1,
          { "{}" } },
        { "{\"cases\":[{\"a\":\"]}\"},{\"b\":\"\\\"}\"}]}", "{\"cases\":[]}", 2,
          { "{\"a\":\"]}\"}", "{\"b\":\"\\\"}\"}" } },
        /* The same key deeper is another one. */
        { "{\"a\":{\"cases\":[{\"no\":1}]},\"cases\":[{}]}",
          "{\"a\":{\"cases\":[{\"no\":1}]},\"cases\":[]}", 1, { "{}" } },
        { "{\"a\":[{\"b\":[1,2]},3],\"cases\":[{\"c\":[{},[]]},{}]}",
          "{\"a\":[{\"b\":[1,2]},3],\"cases\":[]}", 2, { "{\"c\":[{},[]]}", "{}" } },
        { "{\"cas\\u0065s\":[{}]}", "{\"cas\\u0065s\":[]}", 1, { "{}" } },
        /* What is wrong behind them is found where the rest is parsed. */
        { "{\"cases\":[{}]", "{\"cases\":[]", 1, { "{}" } },
        { "{\"cases\":[{}]}]}", "{\"cases\":[]}]}", 1, { "{}" } },
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct record_slices s;
        struct arena arena CLOSED_BY(arena_close);
        char *copy CLOSED_BY(kit_free);
        const bool found = find(&s, &arena, rows[i].text, strlen(rows[i].text), &copy);

        if (!found || s.count != rows[i].count)
            fail_msg("%s: expected %zu slices, found %zu (%d)", rows[i].text, rows[i].count,
                     s.count, found);
        for (size_t k = 0; k < rows[i].count; k++) {
            if (!is(rows[i].items[k], s.items[k].text, s.items[k].bytes))
                fail_msg("%s: expected slice %zu '%s', found '%.*s'", rows[i].text, k,
                         rows[i].items[k], (int)s.items[k].bytes, s.items[k].text);
        }
        if (!is(rows[i].rest, s.rest, s.rest_bytes))
            fail_msg("%s: expected the rest '%s', found '%.*s'", rows[i].text, rows[i].rest,
                     (int)s.rest_bytes, s.rest);
    }
}

TEST(test_not_found)
{
    static const char *const texts[] = {
        "",
        "{",
        "{}",
        "[\"cases\":[{}]}",
        "\"cases\":[{}]}",
        "{cases\":[{}]}",
        "{xcases\":[{}]}",
        "{\"cases",
        "{\"cases\\",
        "{\"casesX",
        "{\"cases\"",
        "{\"cases\" [{}]}",
        "{\"cases\",[{}]}",
        "{\"cases\":",
        "{\"cases\":{}]}",
        "{\"cases\":{\"a\":1}]",
        "{\"cases\":[",
        "{\"cases\":[]}",
        "{\"cases\":[1]}",
        "{\"cases\":[\"a\"]}",
        "{\"cases\":[{},]}",
        "{\"cases\":[{},1]}",
        "{\"cases\":[{},",
        "{\"cases\":[{}}",
        "{\"cases\":[{}}]}",
        "{\"cases\":[{\"a\":\"]}",
        "{\"cases\":[{\"a\":\"\\",
        "{\"cases\":[{[]}",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1}\"cases\":[{}]}",
        "{\"a\":1]\"cases\":[{}]}",
        "{\"a\":\"1,\"cases\":[{}]}",
        "{\"a\":[1,\"cases\":[{}]}",
        "{\"a\":{\"cases\":[{}]}}",
        "{\"a\":1,,\"cases\":[{}]}",
        "{\"a\" 1,\"cases\":[{}]}",
        "{\"cases\":[{]x]}",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct record_slices s;
        struct arena arena CLOSED_BY(arena_close);
        char *copy CLOSED_BY(kit_free);

        if (find(&s, &arena, texts[i], strlen(texts[i]), &copy))
            fail_msg("%s: found %zu slices, expected none", texts[i], s.count);
    }
}

/* Wherever a text ends, the scan ends, and reads nothing behind it. */
TEST(test_cut)
{
    static const char text[] =
        "{\"a\":[\"\\\"\",{\"b\":1}],\"cases\":[{\"c\":\"\\\\\"},{\"d\":0}]}";
    const size_t whole = sizeof text - 1;

    for (size_t bytes = 0; bytes <= whole; bytes++) {
        struct record_slices s;
        struct arena arena CLOSED_BY(arena_close);
        char *copy CLOSED_BY(kit_free);

        assert_int_equal(find(&s, &arena, text, bytes, &copy), bytes + 1 >= whole);
        if (bytes + 1 >= whole)
            assert_int_equal(s.count, 2);
    }
}
