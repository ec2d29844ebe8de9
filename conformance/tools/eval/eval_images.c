#include "conformance/tools/eval/eval_images.h"

#include "conformance/util/sha256.h"
#include "reference/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

const char *eval_state_name(enum eval_state s)
{
    static const char *const names[EVAL_STATES] = { [EVAL_MISSING] = "missing",
                                                    [EVAL_ANSWERED] = "answered",
                                                    [EVAL_UNREADABLE] = "unreadable",
                                                    [EVAL_FAILED] = "failed" };

    return names[s];
}

static bool is_image_name(const char *name)
{
    static const char *const suffixes[] = { ".jpg", ".jpeg", ".png", ".bmp" };
    const char *const dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strcasecmp(dot, suffixes[i]) == 0)
            return dot != name; /* ".png" is hidden, and no image's name */
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The folder's names, for a first and a second pass; returns how many are images. */
static size_t read_names(struct eval_images *im, DIR *d, const char **names, size_t room)
{
    size_t count = 0;

    im->skipped = 0;
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (e->d_type == DT_DIR)
            continue;
        if (!is_image_name(e->d_name)) {
            if (im->skipped++ == 0)
                im->first_skipped = arena_string(&im->arena, e->d_name);
            continue;
        }
        if (names && count < room && !(names[count] = arena_string(&im->arena, e->d_name)))
            break;
        count++;
    }
    return count;
}

static enum status list_sorted(struct eval_images *im, const char *folder, const char **names,
                               size_t count, struct diag *diag)
{
    qsort(names, count, sizeof *names, by_name);
    TRY(eval_images_alloc(im, count, diag));
    for (size_t i = 0; i < count; i++)
        TRY(eval_images_name(im, i, folder, names[i], diag));
    return STATUS_OK;
}

enum status eval_images_list(struct eval_images *out, const char *folder, struct diag *diag)
{
    DIR *const d = opendir(folder);
    const char **names;
    enum status s;
    size_t count, second;

    *out = (struct eval_images){ .items = NULL };
    if (!d)
        return diag_fail(diag, STATUS_IO, "%s: %s", folder, strerror(errno));
    count = read_names(out, d, NULL, 0);
    names = mem_alloc(count, sizeof *names);
    rewinddir(d);
    second = names ? read_names(out, d, names, count) : 0;
    closedir(d);
    if (count == 0)
        s = diag_fail(diag, STATUS_INVALID,
                      "%s: expected images (.jpg, .jpeg, .png, .bmp), found none among %zu files",
                      folder, out->skipped);
    else if (second != count)
        s = diag_fail(diag, STATUS_IO, "%s: out of memory, or the folder is changing", folder);
    else
        s = list_sorted(out, folder, names, count, diag);
    mem_free(names);
    if (s != STATUS_OK)
        eval_images_close(out);
    return s;
}

enum status eval_images_alloc(struct eval_images *out, size_t count, struct diag *diag)
{
    out->items = ARENA_NEW(&out->arena, count, struct eval_image);
    if (!out->items)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu images", count);
    out->count = count;
    return STATUS_OK;
}

enum status eval_images_name(struct eval_images *out, size_t i, const char *folder,
                             const char *name, struct diag *diag)
{
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    char *const path = ARENA_NEW(&out->arena, bytes, char);

    if (!path)
        return diag_fail(diag, STATUS_NO_MEMORY, "names: out of memory");
    snprintf(path, bytes, "%s/%s", folder, name);
    out->items[i].path = path;
    out->items[i].name = path + strlen(folder) + 1;
    return STATUS_OK;
}

void eval_images_keep(struct eval_images *im, size_t count)
{
    if (count < im->count)
        im->count = count;
}

void eval_images_settle(struct eval_images *im, size_t i, enum eval_state state, const char *reason)
{
    im->items[i].state = state;
    im->items[i].reason = reason ? arena_string(&im->arena, reason) : NULL;
}

size_t eval_images_count(const struct eval_images *im, enum eval_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < im->count; i++)
        count += im->items[i].state == state;
    return count;
}

long long eval_images_size(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 ? (long long)info.st_size : -1;
}

void eval_images_hash(const struct eval_images *im, char hex[SHA256_HEX_BYTES])
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    hex[0] = '\0';
    if (!f)
        return;
    for (size_t i = 0; i < im->count; i++)
        fprintf(f, "%s %lld\n", im->items[i].name, eval_images_size(im->items[i].path));
    if (fclose(f) == 0)
        sha256_hex(text, bytes, hex);
    free(text);
}

double eval_images_ms(const struct eval_images *im, int side)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < im->count; i++) {
        if (im->items[i].state == EVAL_ANSWERED) {
            sum += im->items[i].ms[side];
            count++;
        }
    }
    return count > 0 ? sum / count : NAN;
}

void eval_images_close(struct eval_images *im)
{
    arena_close(&im->arena);
    *im = (struct eval_images){ .items = NULL };
}
