#include "conformance/util/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void notes_add(struct notes *n, const char *format, ...)
{
    char text[1024];
    va_list args;
    char *copy;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n->count == n->room) {
        const size_t room = n->room > 0 ? 2 * n->room : 16;
        const char **const items = ARENA_NEW(&n->arena, room, const char *);

        if (!items)
            return;
        if (n->count > 0)
            memcpy(items, n->items, n->count * sizeof *items);
        n->items = items;
        n->room = room;
    }
    if ((copy = arena_string(&n->arena, text)) != NULL)
        n->items[n->count++] = copy;
}

void notes_close(struct notes *n)
{
    arena_close(&n->arena);
    *n = (struct notes){ .count = 0 };
}
