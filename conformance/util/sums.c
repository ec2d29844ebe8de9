#include "conformance/util/sums.h"

#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 18, HEX = SHA256_HEX_BYTES - 1 };

bool sums_name_is_safe(const char *name)
{
    const size_t n = strlen(name);

    return n > 0 && n < 200 && name[0] != '.' && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == n;
}

enum status sums_add(struct sums *s, const char *name, const char hex[SHA256_HEX_BYTES],
                     struct diag *diag)
{
    if (s->count == s->room) {
        const size_t room = s->room > 0 ? 2 * s->room : 16;
        struct sum *const items = ARENA_NEW(&s->arena, room, struct sum);

        if (!items)
            return diag_fail(diag, STATUS_NO_MEMORY, "sums: out of memory");
        if (s->count > 0)
            memcpy(items, s->items, s->count * sizeof *items);
        s->items = items;
        s->room = room;
    }
    s->items[s->count].name = arena_string(&s->arena, name);
    if (!s->items[s->count].name)
        return diag_fail(diag, STATUS_NO_MEMORY, "sums: out of memory");
    memcpy(s->items[s->count].hex, hex, SHA256_HEX_BYTES);
    s->count++;
    return STATUS_OK;
}

const struct sum *sums_find(const struct sums *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->items[i].name, name) == 0)
            return &s->items[i];
    }
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct sum *)a)->name, ((const struct sum *)b)->name);
}

void sums_print(struct sums *s, FILE *out)
{
    if (s->count > 0)
        qsort(s->items, s->count, sizeof *s->items, compare_names);
    for (size_t i = 0; i < s->count; i++)
        fprintf(out, "%s  %s\n", s->items[i].hex, s->items[i].name);
}

/* "HEX  NAME", or "HEX *NAME" of a sum in binary mode, which is the same here. */
static enum status read_line(struct sums *s, char *line, const char *path, size_t number,
                             struct diag *diag)
{
    char hex[SHA256_HEX_BYTES];
    const char *name;

    if (strspn(line, "0123456789abcdefABCDEF") != HEX || line[HEX] != ' ' ||
        (line[HEX + 1] != ' ' && line[HEX + 1] != '*'))
        return diag_fail(diag, STATUS_USAGE,
                         "%s:%zu: expected 64 hexadecimal digits, two blanks and a name, found "
                         "\"%.80s\"",
                         path, number, line);
    name = line + HEX + 2;
    if (!sums_name_is_safe(name))
        return diag_fail(diag, STATUS_USAGE,
                         "%s:%zu: expected a name of letters, digits, . _ and -, found \"%.80s\"",
                         path, number, name);
    if (sums_find(s, name))
        return diag_fail(diag, STATUS_USAGE, "%s:%zu: a second line for %s", path, number, name);
    for (size_t i = 0; i < HEX; i++)
        hex[i] = (char)tolower((unsigned char)line[i]);
    hex[HEX] = '\0';
    return sums_add(s, name, hex, diag);
}

static enum status read_lines(struct sums *s, char *text, size_t bytes, const char *path,
                              struct diag *diag)
{
    size_t number = 0;

    if (memchr(text, '\0', bytes))
        return diag_fail(diag, STATUS_USAGE, "%s: expected text, found a byte 0", path);
    for (char *line = strsep(&text, "\n"); line; line = strsep(&text, "\n")) {
        number++;
        if (*line)
            TRY(read_line(s, line, path, number, diag));
    }
    return STATUS_OK;
}

enum status sums_read(struct sums *s, const char *path, struct diag *diag)
{
    uint8_t *bytes;
    size_t count;
    char *text;
    enum status status;

    *s = (struct sums){ .count = 0 };
    TRY(file_read(path, FILE_LIMIT, &bytes, &count, diag));
    text = arena_alloc(&s->arena, count + 1, 1);
    if (text)
        memcpy(text, bytes, count);
    mem_free(bytes);
    status = text ? read_lines(s, text, count, path, diag)
                  : diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (status != STATUS_OK)
        sums_close(s);
    return status;
}

void sums_close(struct sums *s)
{
    arena_close(&s->arena);
    *s = (struct sums){ .count = 0 };
}
