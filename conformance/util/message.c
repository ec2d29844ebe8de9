#include "conformance/util/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool progress_shown;

/* Paths and strings of models may hold control characters: escaping them keeps a message on one
 * line, and keeps escape sequences from the terminal. */
static void print_clean(const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7f)
            fprintf(stderr, "\\x%02x", c);
        else
            fputc(c, stderr);
    }
}

void message_error(const char *what, const char *format, ...)
{
    char why[sizeof((struct diag *)0)->text + 512];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    message_progress_end();
    fputs("assay: ", stderr);
    if (what) {
        print_clean(what);
        fputs(": ", stderr);
    }
    print_clean(why);
    fputc('\n', stderr);
}

int message_fail(const char *what, const struct diag *diag)
{
    message_error(what, "%s", diag->text[0] ? diag->text : status_text(diag->status));
    switch (diag->status) {
    case STATUS_NO_DEVICE: return EXIT_NO_DEVICE;
    case STATUS_INVALID:
    case STATUS_UNSUPPORTED:
    case STATUS_IO:
    case STATUS_USAGE: return EXIT_USAGE;
    default: return EXIT_FAILED;
    }
}

void message_progress(bool quiet, const char *format, ...)
{
    char line[512];
    struct winsize size;
    size_t columns = 80;
    va_list args;

    if (quiet || !isatty(STDERR_FILENO))
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        columns = size.ws_col;
    if (columns <= sizeof line)
        line[columns - 1] = '\0'; /* a wrapped line could not be rewritten */
    fputs("\r\033[K", stderr);
    print_clean(line);
    fflush(stderr);
    progress_shown = true;
}

void message_progress_end(void)
{
    if (progress_shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress_shown = false;
}
