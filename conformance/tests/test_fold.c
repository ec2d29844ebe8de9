/* Long lines folded, statuses in colour. */
#include "reference/tests/kit/test.h"

#include "conformance/util/wrap.h"

#include <stdlib.h>

static char *printed(void (*print)(FILE *, const char *), const char *text)
{
    char *out = NULL;
    FILE *const f = kit_memory_file(&out);

    print(f, text);
    fclose(f);
    return out;
}

static void fold_at_20(FILE *f, const char *text)
{
    wrap_print(f, text, 20);
}

static void expect(void (*print)(FILE *, const char *), const char *text, const char *want)
{
    char *got CLOSED_BY(kit_free) = printed(print, text);

    assert_string_equal(got, want);
}

TEST(at_spaces)
{
    expect(fold_at_20, "short\n\nlines\n", "short\n\nlines\n");
    expect(fold_at_20, "exactly twenty chars\n", "exactly twenty chars\n");
    expect(fold_at_20, "one word more than 20\n", "one word more than\n    20\n");
    expect(fold_at_20, "  indented by two columns\n", "  indented by two\n      columns\n");
    expect(fold_at_20, "two spaces, at the  edge\n", "two spaces, at the\n    edge\n");
    expect(fold_at_20, "no line end, and too long", "no line end, and too\n    long");
}

/* The rest stands below the value of a key. */
TEST(below_the_value)
{
    expect(fold_at_20, "device  llvmpipe, Mesa 22\n", "device  llvmpipe,\n        Mesa 22\n");
}

TEST(long_words)
{
    expect(fold_at_20, "a/very/long/path/without/spaces\n",
           "a/very/long/path/\n    without/spaces\n");
    expect(fold_at_20, "abcdefghijklmnopqrstuvwxyz\n", "abcdefghijklmnopqrst\n    uvwxyz\n");
    /* A code point is never cut: these are of two bytes, twenty-one of them. */
    expect(fold_at_20, "ééééééééééééééééééééé\n", "éééééééééééééééééééé\n    é\n");
    /* An indent as wide as the page leaves no room for a further one. */
    expect(fold_at_20, "                    words behind\n",
           "                    \nwords behind\n");
}

TEST(colours)
{
    expect(colour_print, "fail add.f32.x (why)\nfailure\n  fail y\n",
           "\033[31mfail\033[m add.f32.x (why)\nfailure\n  fail y\n");
    expect(colour_print, "conformance: 3 checks: 3 passed, 0 failed",
           "\033[32mconformance: 3 checks: 3 passed, 0 failed\033[m");
    expect(colour_print, "conformance: 30 checks: 20 passed, 10 failed\n",
           "\033[31mconformance: 30 checks: 20 passed, 10 failed\033[m\n");
}

TEST(none_but_on_a_terminal)
{
    FILE *const f = tmpfile();

    assert_non_null(f);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    assert_false(colour_is_shown(f));
    fclose(f);
}
