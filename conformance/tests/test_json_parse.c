/* JSON of others: depth, and memory of its values. */
#include "reference/tests/kit/test.h"

#include "conformance/util/json_parse.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* "[item,item,...]" */
static char *make_list(const char *item, size_t count, size_t *bytes)
{
    const size_t length = strlen(item);
    char *const text = malloc(count * (length + 1) + 2);
    size_t at = 0;

    text[at++] = '[';
    for (size_t i = 0; i < count; i++) {
        memcpy(text + at, item, length);
        at += length;
        text[at++] = i + 1 < count ? ',' : ']';
    }
    *bytes = at;
    return text;
}

TEST(ordinary_text_is_parsed)
{
    static const char *const items[] = { "{\"a\": 0.5, \"text\": \"b\"}", "12", "[1.5,2.5,3.5]",
                                         "{\"bbox\":[1,2,3,4],\"id\":17}" };

    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        json_error_t error;
        size_t bytes;
        char *text CLOSED_BY(kit_free) = make_list(items[i], 200000, &bytes);
        json_t *const root = json_parse(text, bytes, JSON_REJECT_DUPLICATES, &error);

        if (!root)
            fail_msg("%s: %s", items[i], error.text);
        assert_int_equal(json_array_size(root), 200000);
        json_decref(root);
    }
}

TEST(values_do_not_exhaust_memory)
{
    struct rusage before, after;
    json_error_t error;
    json_t *small;
    size_t bytes;
    char *text CLOSED_BY(kit_free) =
        make_list("{}", 4000000, &bytes); /* 12 MB, and 900 MB of objects */

    getrusage(RUSAGE_SELF, &before);
    assert_null(json_parse(text, bytes, 0, &error));
    assert_non_null(strstr(error.text, "its values need more than 382 MiB of memory"));
    assert_null(json_parse(text, bytes, 0, NULL));
    getrusage(RUSAGE_SELF, &after);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
    assert_true(after.ru_maxrss - before.ru_maxrss < 500 << 10);
#endif
    small = json_parse("{\"a\":[1]}", 9, 0, NULL); /* nothing of it remains */
    assert_non_null(small);
    json_decref(small);
}

TEST(depth_is_limited)
{
    enum { DEPTH = 1000000 };
    char *text CLOSED_BY(kit_free) = malloc(DEPTH);
    json_error_t error;

    memset(text, '[', DEPTH);
    assert_null(json_parse(text, DEPTH, 0, &error));
    assert_non_null(strstr(error.text, "maximum parsing depth"));
}
