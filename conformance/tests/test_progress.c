/* Progress, as a terminal of a given width shows it. */
#include "reference/tests/kit/test.h"

#include "conformance/util/message.h"
#include "conformance/util/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A terminal, or a pipe, in the place of stderr. */
static struct {
    int saved, ours, theirs;
    char text[4096];
} screen;

static void replace_stderr(int ours, int theirs)
{
    screen.saved = dup(STDERR_FILENO);
    screen.ours = ours;
    screen.theirs = theirs;
    fcntl(ours, F_SETFL, O_NONBLOCK);
    dup2(theirs, STDERR_FILENO);
}

/* columns 0: the terminal does not say. */
static void open_terminal(unsigned short columns)
{
    const struct winsize size = { .ws_row = columns ? 24 : 0, .ws_col = columns };
    const int ours = posix_openpt(O_RDWR | O_NOCTTY);
    const bool opened = ours >= 0 && grantpt(ours) == 0 && unlockpt(ours) == 0;
    const int theirs = opened ? open(ptsname(ours), O_RDWR | O_NOCTTY) : -1;

    if (theirs < 0) {
        printf("skipped: no pseudo-terminal: %s (/dev/pts is not mounted in a bare chroot)\n",
               strerror(errno));
        if (ours >= 0)
            close(ours);
        skip();
    }
    replace_stderr(ours, theirs);
    assert_int_equal(ioctl(screen.theirs, TIOCSWINSZ, &size), 0);
    setenv("TERM", "xterm", 1);
}

static void open_pipe(void)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    replace_stderr(ends[0], ends[1]);
}

/* What was written since the last call.  The kernel hands bytes from one end of a pseudo-terminal
 * to the other in a worker thread, some time after write() has returned: a mark that is written
 * behind them tells when all have arrived. */
static const char *shown(void)
{
    static const char mark = '\001';
    size_t length = 0;

    assert_int_equal(write(screen.theirs, &mark, 1), 1);
    do {
        struct pollfd arrival = { .fd = screen.ours, .events = POLLIN };
        ssize_t n;

        assert_int_equal(poll(&arrival, 1, 60 * 1000), 1);
        n = read(screen.ours, screen.text + length, sizeof screen.text - length);
        assert_true(n > 0);
        length += (size_t)n;
    } while (screen.text[length - 1] != mark);
    screen.text[length - 1] = '\0';
    return screen.text;
}

static void close_screen(void)
{
    dup2(screen.saved, STDERR_FILENO);
    close(screen.saved);
    close(screen.ours);
    close(screen.theirs);
    progress_set_mode(PROGRESS_AUTO);
}

/* As if the work had begun so many seconds ago. */
static void age(struct progress *p, double seconds)
{
    p->begun_s -= seconds;
    p->rated_s -= seconds;
    if (p->drawn_s > 0)
        p->drawn_s -= seconds;
}

TEST(shows_time_left_after_two_seconds)
{
    struct progress p;

    open_terminal(80);
    progress_begin(&p, "work", 100, false);
    age(&p, 1.5);
    progress_update(&p, 10, "10 of 100");
    assert_string_equal(shown(), "");
    age(&p, 8.5);
    progress_update(&p, 50, "50 of 100");
    assert_non_null(strstr(shown(), "\r\033[Kwork: "));
    assert_non_null(strstr(screen.text, " s left: 50 of 100"));
    progress_update(&p, 51, "51 of 100"); /* too soon to be seen */
    assert_string_equal(shown(), "");
    progress_end(&p);
    assert_string_equal(shown(), "\r\033[K");
    progress_end(&p);
    assert_string_equal(shown(), "");
    close_screen();
}

TEST(keeps_to_the_width)
{
    static const unsigned short widths[] = { 20, 132, 0 };
    static const size_t expected[] = { 19, 131, 79 };
    char text[200];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; i < 3; i++) {
        struct progress p;

        open_terminal(widths[i]);
        progress_begin(&p, "w", 0, false);
        age(&p, 3);
        progress_update(&p, 0, "%s", text);
        assert_int_equal(strlen(shown()), strlen("\r\033[K") + expected[i]);
        progress_end(&p);
        close_screen();
    }
}

/* A character of several bytes has one column, and is not cut in two. */
TEST(counts_characters)
{
    struct progress p;

    open_terminal(12);
    progress_begin(&p, NULL, 0, false);
    age(&p, 3);
    progress_update(&p, 0, "\n%s", "éééééééééééééé");
    assert_string_equal(shown(), "\r\033[K?éééééééééé");
    progress_end(&p);
    close_screen();
}

TEST(stays_silent)
{
    struct progress p;

    for (int way = 0; way < 4; way++) { /* --progress=none and --quiet, on a terminal and off it */
        if (way < 2)
            open_pipe();
        else
            open_terminal(80);
        if (way % 2)
            progress_set_mode(PROGRESS_NONE);
        progress_begin(&p, "work", 100, way % 2 == 0);
        age(&p, 100);
        progress_update(&p, 50, "50 of 100");
        progress_end(&p);
        assert_string_equal(shown(), "");
        close_screen();
    }
}

/* NO_COLOR is about colours; there are none. */
TEST(no_color_changes_nothing)
{
    struct progress p;

    open_terminal(80);
    setenv("NO_COLOR", "1", 1);
    progress_begin(&p, "work", 0, false);
    age(&p, 75);
    progress_update(&p, 0, "text");
    assert_string_equal(shown(), "\r\033[Kwork: 1 min 15 s: text");
    unsetenv("NO_COLOR");
    progress_end(&p);
    close_screen();
}

/* --progress=plain on a terminal, and without it a pipe and terminals that cannot rewrite a line.
 */
TEST(plain_is_a_line_every_ten_seconds)
{
    struct progress p;

    for (int way = 0; way < 4; way++) {
        const char *const end = way == 1 ? "\n" : "\r\n"; /* as the terminal shows it */
        char expected[80];

        if (way == 1)
            open_pipe();
        else
            open_terminal(80);
        if (way == 0)
            progress_set_mode(PROGRESS_PLAIN);
        if (way == 2)
            setenv("TERM", "dumb", 1);
        if (way == 3)
            unsetenv("TERM");
        progress_begin(&p, "work", 40, false);
        age(&p, 9);
        progress_update(&p, 9, "early");
        assert_string_equal(shown(), "");
        age(&p, 1);
        progress_update(&p, 10, "first");
        snprintf(expected, sizeof expected, "assay: work: 30 s left: first%s", end);
        assert_string_equal(shown(), expected);
        age(&p, 9);
        progress_update(&p, 19, "early");
        assert_string_equal(shown(), "");
        age(&p, 1);
        progress_update(&p, 20, "second");
        snprintf(expected, sizeof expected, "assay: work: 20 s left: second%s", end);
        assert_string_equal(shown(), expected);
        progress_end(&p);
        assert_string_equal(shown(), "");
        close_screen();
    }
}

/* A message takes the place of the line. */
TEST(gives_way_to_messages)
{
    struct progress p;

    open_terminal(80);
    progress_begin(&p, "work", 0, false);
    age(&p, 3);
    progress_update(&p, 0, "text");
    shown();
    message_error("x", "why");
    assert_string_equal(shown(), "\r\033[Kassay: x: why\r\n");
    progress_end(&p);
    assert_string_equal(shown(), "");
    close_screen();
}

TEST(children_are_silent)
{
    struct progress p;
    pid_t child;

    open_terminal(80);
    progress_begin(&p, "work", 0, false);
    age(&p, 3);
    progress_update(&p, 0, "text");
    shown();
    child = fork();
    if (child == 0) {
        age(&p, 3);
        progress_update(&p, 0, "child");
        progress_end(&p);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_string_equal(shown(), "");
    progress_end(&p);
    close_screen();
}

/* 900 cheap units, then 100 that cost 20 times as much: the estimate follows the last third. */
TEST(rate_follows_what_units_cost)
{
    struct progress p;
    double done = 0, seconds = 0;

    open_terminal(80);
    progress_begin(&p, "work", 1000, false);
    while (done < 900) { /* 10 a second */
        age(&p, 1);
        progress_update(&p, done += 10, "text");
    }
    assert_true(fabs(progress_time_left(&p, done) - 10) < 1);
    while (done < 960) { /* one in 2 seconds */
        age(&p, 2);
        progress_update(&p, done += 1, "text");
        seconds += 2;
    }
    assert_true(seconds == 120);
    assert_true(progress_time_left(&p, done) > 25); /* 80 in truth; the plain mean says 8.75 */
    assert_true(progress_time_left(&p, done) < 81);
    progress_expect(&p, 7);
    assert_true(progress_time_left(&p, done) == 7);
    progress_end(&p);
    close_screen();
}

TEST(times_in_words)
{
    static const struct {
        double seconds;
        const char *text;
    } rows[] = { { 0.4, "0 s" },        { 59.4, "59 s" },       { 59.6, "1 min 0 s" },
                 { 130, "2 min 10 s" }, { 600, "10 min" },      { 3599, "59 min" },
                 { 3600, "1 h 0 min" }, { 11100, "3 h 5 min" }, { -1, "0 s" } };
    char text[48];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        progress_describe_time(rows[i].seconds, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}
