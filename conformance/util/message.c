#include "conformance/util/message.h"

#include "conformance/util/progress.h"
#include "reference/base/clean.h"

#include <stdarg.h>
#include <stdio.h>

static struct progress progress; /* of message_progress */
static bool progress_begun;

void message_error(const char *what, const char *format, ...)
{
    char why[sizeof((struct diag *)0)->text + 512];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    progress_hide();
    fputs("assay: ", stderr);
    if (what) {
        clean_print(stderr, what);
        fputs(": ", stderr);
    }
    clean_print(stderr, why);
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
    case STATUS_NO_MEMORY:
    case STATUS_LIMIT:
    case STATUS_USAGE: return EXIT_USAGE;
    default: return EXIT_FAILED;
    }
}

void message_progress(bool quiet, const char *format, ...)
{
    char line[512];
    va_list args;

    if (!progress_begun)
        progress_begin(&progress, NULL, 0, quiet);
    progress_begun = true;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    progress_update(&progress, 0, "%s", line);
}

void message_progress_end(void)
{
    if (progress_begun)
        progress_end(&progress);
    progress_begun = false;
}
