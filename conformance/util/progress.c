/* The line of progress. */
#include "conformance/util/progress.h"

#include "conformance/util/clock.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80, LINE_BYTES = 1024 };

static const double silent_s = 2;     /* shorter work shows nothing */
static const double redraw_s = 0.1;   /* a terminal needs no more */
static const double plain_s = 10;     /* between whole lines */
static const double rate_every_s = 1; /* shorter samples say little about the rate */

/* The line on the terminal.  The lock keeps two threads from writing into each other's line; a
 * forked child finds shown_by to be another process, and leaves line and lock alone. */
static pthread_mutex_t line_lock = PTHREAD_MUTEX_INITIALIZER;
static enum progress_mode mode;
static pid_t shown_by; /* 0: there is no line */

void progress_set_mode(enum progress_mode m)
{
    mode = m;
}

/* ---- texts ---- */

void progress_describe_time(double seconds, char *text, size_t bytes)
{
    const double s = fmin(fmax(round(seconds), 0), 1e9);
    const unsigned long n = (unsigned long)s;

    if (n < 60)
        snprintf(text, bytes, "%lu s", n);
    else if (n < 600)
        snprintf(text, bytes, "%lu min %lu s", n / 60, n % 60);
    else if (n < 3600)
        snprintf(text, bytes, "%lu min", n / 60);
    else
        snprintf(text, bytes, "%lu h %lu min", n / 3600, n % 3600 / 60);
}

/* Names and paths may hold control characters, which must not reach the terminal. */
static void clean(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
    }
}

/* Cuts UTF-8 text behind so many characters. */
static void cut(char *text, size_t characters)
{
    for (; *text; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80)
            continue; /* it belongs to the character before it */
        if (characters-- == 0) {
            *text = '\0';
            return;
        }
    }
}

static size_t terminal_columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col;
    return COLUMNS_DEFAULT;
}

/* ---- drawing ---- */

/* A dumb terminal cannot rewrite a line. */
static bool is_terminal(void)
{
    const char *const term = getenv("TERM");

    return term && *term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

/* One write for each line: what other processes print falls between lines, not into them. */
static void put(const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t n = write(STDERR_FILENO, text, length);

        if (n <= 0)
            return; /* progress that cannot be shown is not missed */
        text += n;
        length -= (size_t)n;
    }
}

static void erase(void)
{
    static const char erased[] = "\r\033[K";

    if (shown_by == getpid())
        put(erased, sizeof erased - 1);
    shown_by = 0;
}

static void draw(char *text, bool plain)
{
    char line[LINE_BYTES + 16];

    clean(text);
    if (plain) {
        put(line, (size_t)snprintf(line, sizeof line, "assay: %s\n", text));
        return;
    }
    cut(text, terminal_columns() - 1); /* a wrapped line could not be rewritten */
    put(line, (size_t)snprintf(line, sizeof line, "\r\033[K%s", text));
    shown_by = getpid();
}

void progress_hide(void)
{
    if (shown_by != getpid())
        return;
    pthread_mutex_lock(&line_lock);
    erase();
    pthread_mutex_unlock(&line_lock);
}

/* ---- one piece of work ---- */

void progress_begin(struct progress *p, const char *what, double total, bool quiet)
{
    const double now = clock_s();

    *p = (struct progress){ .what = what,
                            .total = total,
                            .quiet = quiet || mode == PROGRESS_NONE,
                            .plain = mode == PROGRESS_PLAIN || !is_terminal(),
                            .owner = getpid(),
                            .begun_s = now,
                            .rated_s = now,
                            .left_s = -1 };
}

void progress_expect(struct progress *p, double left_s)
{
    p->left_s = left_s;
}

/* Units differ in what they cost, often by where they stand in the list: the rate is a mean over
 * the last third of the time spent, at least over ten seconds. */
static void measure_rate(struct progress *p, double done, double now)
{
    const double seconds = now - p->rated_s;
    const double window = fmax(10, (now - p->begun_s) / 3);
    double weight = 1;

    if (seconds < rate_every_s || done < p->rated)
        return;
    if (p->rate > 0)
        weight = 1 - exp(-seconds / window);
    p->rate += weight * ((done - p->rated) / seconds - p->rate);
    p->rated_s = now;
    p->rated = done;
}

double progress_time_left(const struct progress *p, double done)
{
    if (p->left_s >= 0)
        return p->left_s;
    return p->rate > 0 && p->total > 0 ? fmax(p->total - done, 0) / p->rate : -1;
}

/* "conformance: 2 min 10 s left: " */
static int write_head(const struct progress *p, double done, double now, char *text, size_t bytes)
{
    const double left_s = progress_time_left(p, done);
    char time[48];

    text[0] = '\0';
    if (!p->what)
        return 0;
    progress_describe_time(left_s >= 0 ? left_s : now - p->begun_s, time, sizeof time);
    return snprintf(text, bytes, "%s: %s%s: ", p->what, time, left_s >= 0 ? " left" : "");
}

void progress_update(struct progress *p, double done, const char *format, ...)
{
    const double now = clock_s();
    const double every = p->plain ? plain_s : redraw_s;
    const double last = p->drawn_s > 0 || !p->plain ? p->drawn_s : p->begun_s;
    char text[LINE_BYTES];
    int used;
    va_list args;

    if (p->quiet || p->owner != getpid())
        return;
    measure_rate(p, done, now);
    if (now - p->begun_s < silent_s || now - last < every)
        return;
    p->drawn_s = now;
    used = write_head(p, done, now, text, sizeof text);
    if (used < (int)sizeof text) {
        va_start(args, format);
        vsnprintf(text + used, sizeof text - (size_t)used, format, args);
        va_end(args);
    }
    if (pthread_mutex_trylock(&line_lock) != 0)
        return; /* another thread is drawing */
    draw(text, p->plain);
    pthread_mutex_unlock(&line_lock);
}

void progress_end(struct progress *p)
{
    if (p->owner != getpid())
        return;
    p->quiet = true;
    progress_hide();
}
