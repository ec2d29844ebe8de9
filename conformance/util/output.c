#include "conformance/util/output.h"

#include "conformance/util/json_parse.h"
#include "conformance/util/message.h"
#include "conformance/util/wrap.h"
#include "reference/base/clean.h"
#include "reference/format/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool output_open(struct output *o)
{
    *o = (struct output){ .file = NULL };
    o->file = open_memstream(&o->text, &o->bytes);
    return o->file != NULL;
}

static void wrap_line(FILE *f, const char *text)
{
    wrap_print(f, text, WRAP_WIDTH);
}

/* Puts what print makes of the text in its place.  Returns false when out of memory. */
static bool rewrite(struct output *o, void (*print)(FILE *f, const char *text))
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    if (!f)
        return false;
    print(f, o->text);
    if (fclose(f) != 0) {
        free(text);
        return false;
    }
    free(o->text);
    o->text = text;
    o->bytes = bytes;
    return true;
}

int output_close(struct output *o, const char *path, bool discard)
{
    struct diag diag = { .status = STATUS_OK };
    int code = EXIT_AS_EXPECTED;

    if (!o->file)
        return EXIT_FAILED;
    if (fclose(o->file) != 0 || json_memory_failed() ||
        ((o->plain || o->fold) && !rewrite(o, clean_print_lines)) ||
        (o->fold && !rewrite(o, wrap_line))) {
        message_error(path, "the report does not fit in memory");
        code = EXIT_FAILED;
    } else if (discard) {
        code = EXIT_AS_EXPECTED;
    } else if (!path) {
        if (colour_is_shown(stdout))
            colour_print(stdout, o->text);
        else
            fwrite(o->text, 1, o->bytes, stdout); /* main checks stdout for errors */
    } else if (output_write_file(path, o->text, o->bytes, &diag) != STATUS_OK) {
        code = message_fail("cannot write", &diag);
    }
    free(o->text); /* allocated by open_memstream, hence not by mem_alloc */
    *o = (struct output){ .file = NULL };
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

enum status output_write_file(const char *path, const void *bytes, size_t count, struct diag *diag)
{
    struct stat st;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return write_in_place(path, bytes, count, diag);
    return file_write(path, bytes, count, diag);
}
