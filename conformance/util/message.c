/* What goes to stderr and to report files: error lines, progress, whole reports. */
#include "conformance/cli/args.h"

#include "reference/format/tflite.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool progress_shown;

/* Paths and model strings may hold anything: a message stays one line, and cannot speak to the
 * terminal. */
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

void cli_error(const char *what, const char *format, ...)
{
    char why[sizeof((struct diag *)0)->text + 512];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    cli_progress_end();
    fputs("assay: ", stderr);
    if (what) {
        print_clean(what);
        fputs(": ", stderr);
    }
    print_clean(why);
    fputc('\n', stderr);
}

int cli_fail(const char *what, const struct diag *diag)
{
    cli_error(what, "%s", diag->text[0] ? diag->text : status_text(diag->status));
    switch (diag->status) {
    case STATUS_NO_DEVICE: return EXIT_NO_DEVICE;
    case STATUS_INVALID:
    case STATUS_UNSUPPORTED:
    case STATUS_IO:
    case STATUS_USAGE: return EXIT_USAGE;
    default: return EXIT_FAILED;
    }
}

void cli_progress(bool quiet, const char *format, ...)
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

void cli_progress_end(void)
{
    if (progress_shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress_shown = false;
}

bool cli_output_open(struct cli_output *o)
{
    *o = (struct cli_output){ NULL, NULL, 0 };
    o->file = open_memstream(&o->text, &o->bytes);
    return o->file != NULL;
}

int cli_output_close(struct cli_output *o, const char *path, bool discard)
{
    struct diag diag = { .status = STATUS_OK };
    int code = EXIT_AS_EXPECTED;

    if (!o->file)
        return EXIT_FAILED;
    if (fclose(o->file) != 0) {
        cli_error(path, "the report does not fit in memory");
        code = EXIT_FAILED;
    } else if (discard) {
        code = EXIT_AS_EXPECTED;
    } else if (!path) {
        fwrite(o->text, 1, o->bytes, stdout); /* main looks for errors of stdout */
    } else if (cli_write_file(path, o->text, o->bytes, &diag) != STATUS_OK) {
        code = cli_fail("cannot write", &diag);
    }
    free(o->text); /* open_memstream's */
    *o = (struct cli_output){ NULL, NULL, 0 };
    return code;
}

static enum status write_in_place(const char *path, const void *bytes, size_t count,
                                  struct diag *diag)
{
    FILE *const f = fopen(path, "wb");
    bool ok;

    if (!f)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    ok = fwrite(bytes, 1, count, f) == count;
    ok = fclose(f) == 0 && ok;
    if (!ok)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    return STATUS_OK;
}

enum status cli_write_file(const char *path, const void *bytes, size_t count, struct diag *diag)
{
    struct stat st;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return write_in_place(path, bytes, count, diag);
    return file_write(path, bytes, count, diag);
}
