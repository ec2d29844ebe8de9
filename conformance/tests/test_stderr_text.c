/* What is printed to stderr during a call is read back, and stderr is as it was before. */
#include "reference/tests/kit/test.h"

#include "conformance/util/stderr_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes a file stderr; the old one is returned. */
static int replace_stderr(int file)
{
    const int old = dup(STDERR_FILENO);

    fflush(stderr);
    assert_true(old >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    return old;
}

static void restore_stderr(int old)
{
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
}

static size_t size_of(int file)
{
    struct stat st;

    return fstat(file, &st) == 0 ? (size_t)st.st_size : SIZE_MAX;
}

/* A log file, as workers have: the text stays there, for the parent of a process that dies. */
TEST(test_log)
{
    FILE *const log = tmpfile();
    const int old = replace_stderr(fileno(log));
    struct stderr_text t;
    char text[16];

    fprintf(stderr, "before\n");
    stderr_text_begin(&t);
    fprintf(stderr, "during\n");
    stderr_text_end(&t, text, sizeof text);
    fprintf(stderr, "after\n");
    restore_stderr(old);
    assert_string_equal(text, "during\n");
    assert_int_equal(size_of(fileno(log)), strlen("before\nduring\nafter\n"));
    fclose(log);
}

/* A pipe, or a terminal: the text is taken out of it. */
TEST(test_pipe)
{
    struct stderr_text t;
    char text[64], rest[64];
    int ends[2], old;
    ssize_t n;

    assert_int_equal(pipe(ends), 0);
    old = replace_stderr(ends[1]);
    stderr_text_begin(&t);
    assert_int_equal(write(STDERR_FILENO, "raw ", 4), 4);
    fprintf(stderr, "text");
    stderr_text_end(&t, text, sizeof text);
    fprintf(stderr, "after");
    restore_stderr(old);
    assert_string_equal(text, "raw text");
    n = read(ends[0], rest, sizeof rest - 1);
    rest[n > 0 ? n : 0] = '\0';
    assert_string_equal(rest, "after");
    close(ends[0]);
    close(ends[1]);
}

/* Of a long text the end is kept; of none nothing. */
TEST(test_ends)
{
    const struct rlimit files = { 64, 64 };
    int ends[2], old;
    struct stderr_text t;
    char text[8];

    setrlimit(RLIMIT_NOFILE, &files);
    assert_int_equal(pipe(ends), 0);
    old = replace_stderr(ends[1]);
    stderr_text_begin(&t);
    fprintf(stderr, "0123456789");
    stderr_text_end(&t, text, sizeof text);
    assert_string_equal(text, "3456789");
    stderr_text_begin(&t);
    stderr_text_end(&t, text, sizeof text);
    assert_string_equal(text, "");
    for (int i = 0; i < 200; i++) { /* no file descriptor is lost */
        stderr_text_begin(&t);
        stderr_text_end(&t, text, sizeof text);
    }
    stderr_text_begin(&t);
    fprintf(stderr, "still");
    stderr_text_end(&t, text, sizeof text);
    restore_stderr(old);
    assert_string_equal(text, "still");
    close(ends[0]);
    close(ends[1]);
}
