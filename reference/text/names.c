/* A hash table with open addressing, at most half full. */
#include "reference/text/parse.h"

#include "reference/base/memory.h"

#include <string.h>

enum { FIRST_ROOM = 64 };

/* FNV-1a. */
static size_t hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

static struct name_row *row_of(const struct names *t, const char *name)
{
    size_t i = hash(name) & (t->room - 1);

    while (t->rows[i].name && strcmp(t->rows[i].name, name) != 0)
        i = (i + 1) & (t->room - 1);
    return &t->rows[i];
}

static bool grow(struct names *t)
{
    struct names more = { .count = t->count, .room = t->room ? 2 * t->room : FIRST_ROOM };

    if (!(more.rows = mem_alloc(more.room, sizeof *more.rows)))
        return false;
    for (size_t i = 0; i < t->room; i++)
        if (t->rows[i].name)
            *row_of(&more, t->rows[i].name) = t->rows[i];
    mem_free(t->rows);
    *t = more;
    return true;
}

bool names_add(struct names *t, const char *name, int tensor)
{
    struct name_row *row;

    if (2 * t->count >= t->room && !grow(t))
        return false;
    row = row_of(t, name);
    row->several = row->name != NULL;
    if (row->several)
        return true;
    *row = (struct name_row){ .name = name, .tensor = tensor };
    t->count++;
    return true;
}

const struct name_row *names_find(const struct names *t, const char *name)
{
    const struct name_row *const row = t->room ? row_of(t, name) : NULL;

    return row && row->name ? row : NULL;
}

void names_close(struct names *t)
{
    mem_free(t->rows);
    *t = (struct names){ .count = 0 };
}
