#include "reference/text/parse.h"

#include "reference/base/memory.h"

#include <string.h>

enum status parse_no_memory(struct parse *p)
{
    return scan_fail(&p->t, p->t.at, STATUS_NO_MEMORY, "out of memory");
}

void *parse_append(struct parse *p, struct parse_list *list)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 16;
        void *const items = mem_resize(list->items, room, list->size);

        if (!items) {
            parse_no_memory(p);
            return NULL;
        }
        list->items = items;
        list->room = room;
    }
    return memset((char *)list->items + list->size * list->count++, 0, list->size);
}

enum status parse_set_late(struct parse *p, enum parse_late_kind kind, size_t index,
                           const void *data, size_t count)
{
    struct parse_late *const l = parse_append(p, &p->late);

    if (!l)
        return STATUS_NO_MEMORY;
    *l = (struct parse_late){ kind, p->graphs.count - 1, index, data, count };
    return STATUS_OK;
}

enum status parse_open(struct parse *p, const char *text, size_t count, const char *folder,
                       struct diag *diag)
{
    char *copy;

    *p = (struct parse){ .folder = folder };
    builder_init(&p->b);
    p->tensors.size = sizeof(struct parse_tensor);
    p->ops.size = sizeof(size_t);
    p->graphs.size = sizeof(struct parse_graph);
    p->late.size = sizeof(struct parse_late);
    p->signatures.size = sizeof(struct model_signature);
    p->metadata.size = sizeof(struct model_metadata);
    p->extra_buffers.size = sizeof(struct model_buffer);
    p->listed[0].size = p->listed[1].size = sizeof(int);
    copy = ARENA_NEW(&p->b.arena, count + 1, char);
    if (!copy)
        return diag_fail(diag, STATUS_NO_MEMORY, "a text of %zu bytes: out of memory", count);
    if (count)
        memcpy(copy, text, count);
    p->t = (struct scan){ .start = copy, .at = copy, .arena = &p->b.arena, .diag = diag };
    if (strlen(copy) < count)
        return scan_fail(&p->t, copy + strlen(copy), STATUS_INVALID,
                         "expected a text, found a byte 0");
    return STATUS_OK;
}

void parse_close(struct parse *p)
{
    struct parse_list *const lists[] = { &p->tensors,       &p->ops,        &p->graphs,
                                         &p->late,          &p->signatures, &p->metadata,
                                         &p->extra_buffers, &p->listed[0],  &p->listed[1] };

    builder_close(&p->b);
    names_close(&p->names);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        mem_free(lists[i]->items);
    file_model_close(&p->data);
}
