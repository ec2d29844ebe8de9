#include "reference/text/statements.h"

#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/text/parse_op.h"
#include "reference/text/parse_tensor.h"

#include <stdio.h>
#include <string.h>

static const struct parse_producer none = { .type = -1 };

static enum status begin_graph(struct parse *p)
{
    struct parse_graph *const g = parse_append(p, &p->graphs);

    if (!g)
        return STATUS_NO_MEMORY;
    *g = (struct parse_graph){ .first_tensor = p->tensors.count, .first_op = p->ops.count };
    names_close(&p->names);
    return STATUS_OK;
}

/* Inputs that no statement lists are what operators read and none writes; outputs, what none
 * reads. */
static enum status end_graph(struct parse *p)
{
    for (int side = 0; side < 2; side++) {
        struct parse_list *const list = &p->listed[side];

        for (size_t i = 0; !p->is_listed[side] && i < parse_tensor_count(p); i++) {
            const struct parse_tensor *const k = parse_tensor_at(p, i);
            int *tensor;

            if (side == 0 ? k->written || !k->read || k->constant : !k->written || k->read)
                continue;
            if (!(tensor = parse_append(p, list)))
                return STATUS_NO_MEMORY;
            *tensor = (int)i;
        }
        (side ? builder_outputs : builder_inputs)(&p->b, list->count, list->items);
        list->count = 0;
        p->is_listed[side] = false;
    }
    return STATUS_OK;
}

static enum status next_graph(struct parse *p)
{
    TRY(end_graph(p));
    if (builder_subgraph(&p->b) < 0)
        return parse_no_memory(p);
    return begin_graph(p);
}

static enum status list_side(struct parse *p, int side)
{
    p->listed[side].count = 0;
    p->is_listed[side] = true;
    return parse_tensors(p, &none, &p->listed[side]);
}

static enum status declare_tensors(struct parse *p)
{
    struct parse_list list = { .items = NULL };
    const enum status s = parse_tensors(p, &none, &list);

    mem_free(list.items);
    return s;
}

/* "name=tensor ..." up to "->" or the end. */
static enum status read_map(struct parse *p, const struct model_tensor_map **map, size_t *count)
{
    struct parse_list list = { .size = sizeof(struct model_tensor_map) };
    enum status s = STATUS_OK;

    for (scan_blanks(&p->t); s == STATUS_OK && !scan_is_end(&p->t) && !scan_take(&p->t, "->");
         scan_blanks(&p->t)) {
        struct model_tensor_map *const row = parse_append(p, &list);
        const char *name;
        int tensor = -1;

        s = row ? scan_name(&p->t, "a name of the signature", &name) : STATUS_NO_MEMORY;
        if (s == STATUS_OK && !scan_take(&p->t, "="))
            s = scan_expected(&p->t, "= and a tensor");
        if (s == STATUS_OK)
            s = parse_tensor(p, &none, &tensor);
        if (s == STATUS_OK)
            *row = (struct model_tensor_map){ { name, strlen(name) }, (uint32_t)tensor };
    }
    *map = arena_copy(p->t.arena, list.items, list.count, sizeof **map);
    *count = list.count;
    mem_free(list.items);
    return s != STATUS_OK ? s : *map ? STATUS_OK : parse_no_memory(p);
}

static enum status read_signature(struct parse *p)
{
    struct model_signature *const row = parse_append(p, &p->signatures);
    const char *key;

    if (!row)
        return STATUS_NO_MEMORY;
    TRY(scan_name(&p->t, "the key of a signature", &key));
    row->key = (struct model_string){ key, strlen(key) };
    row->subgraph_index = (uint32_t)(p->graphs.count - 1);
    TRY(read_map(p, &row->inputs, &row->input_count));
    return read_map(p, &row->outputs, &row->output_count);
}

static enum status read_metadata(struct parse *p)
{
    struct model_metadata *const row = parse_append(p, &p->metadata);
    struct model_buffer *buffer;
    const uint8_t *bytes;
    const char *name;
    size_t count = SIZE_MAX;

    if (!row)
        return STATUS_NO_MEMORY;
    TRY(scan_name(&p->t, "a name of metadata", &name));
    row->name = (struct model_string){ name, strlen(name) };
    scan_blanks(&p->t);
    if (!scan_take(&p->t, "="))
        return scan_expected(&p->t, "= and its bytes");
    TRY(parse_raw(p, &bytes, &count, &row->buffer));
    if (row->buffer != 0)
        return STATUS_OK;
    if (!(buffer = parse_append(p, &p->extra_buffers)) ||
        !(buffer->data.data = arena_copy(p->t.arena, bytes, count, 1)))
        return parse_no_memory(p);
    buffer->data.count = count;
    /* Their place behind those of all constants is known at the end: a number over all of them. */
    row->buffer = UINT32_MAX - (uint32_t)p->extra_buffers.count;
    return STATUS_OK;
}

/* The file beside the text: a name without folders. */
static enum status read_data(struct parse *p)
{
    const char *const at = p->t.at;
    struct diag diag = { .status = STATUS_OK };
    char path[4096];
    const char *name;
    enum status s;

    TRY(scan_name(&p->t, "the name of a file", &name));
    if (!p->folder)
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "a text that is no file has no file beside it, expected x: and bytes");
    if (p->data || strchr(name, '/') || name[0] == '.' ||
        snprintf(path, sizeof path, "%s/%s", p->folder, name) >= (int)sizeof path)
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "expected one file beside the text, without folders, found '%.80s'", name);
    s = file_read_model(path, &p->data, &p->data_count, &diag);
    return s == STATUS_OK ? s : scan_fail(&p->t, at, s, "%s", diag.text);
}

static enum status read_text(struct parse *p, const char **text)
{
    TRY(scan_name(&p->t, "a name, or bytes in quotes", text));
    return STATUS_OK;
}

static enum status read_statement(struct parse *p)
{
    const char *name;

    if (scan_take(&p->t, "graph"))
        return next_graph(p);
    if (scan_take(&p->t, "inputs"))
        return list_side(p, 0);
    if (scan_take(&p->t, "outputs"))
        return list_side(p, 1);
    if (scan_take(&p->t, "tensors"))
        return declare_tensors(p);
    scan_blanks(&p->t);
    if (scan_take(&p->t, "name")) {
        scan_blanks(&p->t);
        TRY(read_text(p, &name));
        return parse_set_late(p, LATE_NAME, 0, name, strlen(name));
    }
    if (scan_take(&p->t, "description")) {
        scan_blanks(&p->t);
        return read_text(p, &p->description);
    }
    if (scan_take(&p->t, "signature")) {
        scan_blanks(&p->t);
        return read_signature(p);
    }
    if (scan_take(&p->t, "metadata")) {
        scan_blanks(&p->t);
        return read_metadata(p);
    }
    if (scan_take(&p->t, "data")) {
        scan_blanks(&p->t);
        return read_data(p);
    }
    return parse_op(p);
}

enum status statements_read(struct parse *p)
{
    bool any = false;

    TRY(begin_graph(p));
    for (;;) {
        scan_blanks(&p->t);
        if (!scan_is_end(&p->t)) {
            TRY(read_statement(p));
            scan_blanks(&p->t);
            any = true;
        }
        if (!scan_is_end(&p->t))
            return scan_expected(&p->t, "the end of the statement");
        if (*p->t.at == '\0')
            break;
        p->t.at++;
    }
    if (!any)
        return scan_expected(&p->t, "a statement");
    return end_graph(p);
}
