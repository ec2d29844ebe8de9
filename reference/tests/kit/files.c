#include "reference/tests/kit/files.h"
#include "reference/tests/kit/test.h"

#include <fnmatch.h>
#include <ftw.h>
#include <string.h>
#include <sys/wait.h>

static char directory[] = "/tmp/assay-test-XXXXXX";
static bool made;

FILE *kit_memory_file(char **text)
{
    static _Thread_local size_t sizes[16];
    static _Thread_local unsigned next;
    FILE *const f = open_memstream(text, &sizes[next++ % 16]);

    assert_non_null(f);
    return f;
}

const char *scratch(const char *format, ...)
{
    static struct path {
        struct path *next;
        char text[256];
    } * paths;
    struct path *p, *const fresh = calloc(1, sizeof *fresh);
    va_list args;
    int n;

    if (!made)
        assert_non_null(mkdtemp(directory));
    made = true;
    n = snprintf(fresh->text, sizeof fresh->text, "%s/", directory);
    va_start(args, format);
    assert_in_range(vsnprintf(fresh->text + n, sizeof fresh->text - (size_t)n, format, args), 0,
                    200);
    va_end(args);
    for (p = paths; p && strcmp(p->text, fresh->text) != 0; p = p->next)
        ;
    if (p) {
        free(fresh);
        return p->text;
    }
    fresh->next = paths;
    paths = fresh;
    return fresh->text;
}

const char *scratch_bytes(const char *name, const void *bytes, size_t count)
{
    const char *const path = scratch("%s", name);
    FILE *const f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
    return path;
}

const char *scratch_text(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

char *text_of_file(const char *path)
{
    FILE *const from = fopen(path, "rb");
    char *text = NULL, block[4096];
    FILE *const to = kit_memory_file(&text);

    if (!from)
        fail_msg("%s: cannot be opened", path);
    for (size_t n; (n = fread(block, 1, sizeof block, from)) > 0;)
        fwrite(block, 1, n, to);
    fclose(from);
    fclose(to);
    return text;
}

int scratch_run(const char *format, ...)
{
    char command[4096];
    const int n = snprintf(command, sizeof command, "cd %s && ", scratch("."));
    va_list args;
    int status;

    va_start(args, format);
    assert_true(vsnprintf(command + n, sizeof command - (size_t)n, format, args) < 4000);
    va_end(args);
    status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static const char *expected_names;
static int others;

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
    const char *const name = path + walk->base;

    (void)info;
    (void)flag;
    if (walk->level == 1 && expected_names && fnmatch(expected_names, name, FNM_EXTMATCH) != 0) {
        fprintf(stderr, "expected files %s, found %s\n", expected_names, name);
        others++;
    }
    return remove(path);
}

int scratch_close(const char *names)
{
    expected_names = names;
    others = 0;
    if (made)
        nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    made = false;
    strcpy(directory + sizeof directory - 7, "XXXXXX");
    return others;
}

int scratch_remove(void **state)
{
    (void)state;
    return scratch_close(NULL);
}
