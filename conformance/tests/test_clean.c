/* Texts of models and files on their way to a terminal, to CSV and to error messages. */
#include "conformance/util/message.h"
#include "conformance/util/output.h"
#include "reference/base/clean.h"
#include "reference/tests/kit/capture.h"
#include "reference/tests/kit/test.h"

#include <stdlib.h>

/* clang-format off */
static const struct {
    const char *text, *printed;
} rows[] = {
    { NULL, "" },
    { "conv1/BiasAdd;x_%d 100 %", "conv1/BiasAdd;x_%d 100 %" },
    { "na\xc3\xafve \xe7\x8c\xab \xf0\x9f\x90\xb1", "na\xc3\xafve \xe7\x8c\xab \xf0\x9f\x90\xb1" },
    { "\x1b[31mred\x1b]0;title\a", "\\x1b[31mred\\x1b]0;title\\x07" },
    { "a\nb\tc\rd\x7f", "a\\x0ab\\x09c\\x0dd\\x7f" },
    { "\xc2\x9b" "31m", "\\xc2\\x9b31m" }, /* C1: what ESC [ is, in one character */
    { "\x9b" "31m \xff \xc3", "\\x9b31m \\xff \\xc3" }, /* no UTF-8 */
    { "abc\xe2\x80\xae" "fed", "abc\\xe2\\x80\\xaefed" }, /* turns what follows */
};
/* clang-format on */

static char *text;
static size_t bytes;

static FILE *begin(void)
{
    return open_memstream(&text, &bytes);
}

TEST(parts_of_a_line)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *const f = begin();

        clean_print(f, rows[i].text);
        fclose(f);
        assert_string_equal(text, rows[i].printed);
        free(text);
    }
}

TEST(lines)
{
    FILE *const f = begin();

    clean_print_lines(f, "one\x1b\ntwo\t\n\nfour");
    fclose(f);
    assert_string_equal(text, "one\\x1b\ntwo\\x09\n\nfour");
    free(text);
}

/* Whatever a command prints. */
TEST(a_report)
{
    static struct capture capture;
    struct output o;

    for (int fold = 0; fold < 2; fold++) {
        assert_true(output_open(&o));
        fprintf(o.file, "subject  \x1b[2Jname\nnext\n");
        o.plain = true;
        o.fold = fold;
        capture_begin(&capture, stdout);
        assert_int_equal(output_close(&o, NULL, false), 0);
        assert_string_equal(capture_end(&capture), "subject  \\x1b[2Jname\nnext\n");
    }
    /* JSON and HTML have escapes of their own. */
    assert_true(output_open(&o));
    fprintf(o.file, "\xe2\x80\xae\n");
    capture_begin(&capture, stdout);
    assert_int_equal(output_close(&o, NULL, false), 0);
    assert_string_equal(capture_end(&capture), "\xe2\x80\xae\n");
}

TEST(an_error)
{
    static struct capture capture;
    struct diag diag = { .status = STATUS_NO_MEMORY };

    capture_begin(&capture, stderr);
    message_error("a\nb", "tensor '%s'", "\x1b[2J\xc2\x9b\xff");
    assert_string_equal(capture_end(&capture),
                        "assay: a\\x0ab: tensor '\\x1b[2J\\xc2\\x9b\\xff'\n");
    /* A model that does not fit is an input that cannot be read, no failed comparison. */
    capture_begin(&capture, stderr);
    assert_int_equal(message_fail("run", &diag), EXIT_USAGE);
    diag.status = STATUS_LIMIT;
    assert_int_equal(message_fail("run", &diag), EXIT_USAGE);
    capture_end(&capture);
}
