#include "reference/text/hostile_row.h"

#include "reference/base/memory.h"
#include "reference/format/flatbuffer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the text has led so far: a table, and perhaps a field of it. */
struct place {
    const char *at, *text;
    struct fb_table table;
    unsigned slot;
    enum fb_kind kind;
    struct diag *diag;
};

static enum status misread(const struct place *p, const char *what)
{
    return diag_fail(p->diag, STATUS_INVALID, "%s in '%s' at '%s'", what, p->text, p->at);
}

static void store(struct tflite_file *file, size_t at, const char *value, size_t bytes, bool real)
{
    const float f = strtof(value, NULL);
    const uint64_t u = *value == '-' ? (uint64_t)strtoll(value, NULL, 0) : strtoull(value, NULL, 0);

    if (real)
        memcpy(file->bytes + at, &f, sizeof f);
    else
        memcpy(file->bytes + at, &u, bytes);
}

/* The word at p->at, and with [i] its index; -1: none. */
static void next(struct place *p, char name[64], long *index)
{
    size_t n = 0;
    char *end;

    while (n < 63 && (isalnum((unsigned char)*p->at) || *p->at == '_'))
        name[n++] = *p->at++;
    name[n] = '\0';
    *index = -1;
    if (*p->at == '[') {
        *index = strtol(p->at + 1, &end, 0);
        p->at = *end == ']' ? end + 1 : end;
    }
    if (*p->at == '.')
        p->at++;
}

static enum status damage_file(struct tflite_file *file, struct place *p, const char *value)
{
    char name[64];
    long at;
    const unsigned long n = strtoul(value, NULL, 0);

    next(p, name, &at);
    if (strcmp(name, "size") == 0 && n <= file->count)
        file->count = n;
    else if (strcmp(name, "append") == 0 && n <= 65536) {
        uint8_t *const bytes = mem_resize(file->bytes, file->count + n, 1);

        if (!bytes)
            return diag_fail(p->diag, STATUS_NO_MEMORY, "%s", p->text);
        memset(bytes + file->count, 0xa5, n);
        file->bytes = bytes;
        file->count += n;
    } else if (strcmp(name, "u8") == 0 && at >= 0 && (size_t)at < file->count)
        store(file, (size_t)at, value, 1, false);
    else if (strcmp(name, "u32") == 0 && at >= 0 && (size_t)at + 4 <= file->count)
        store(file, (size_t)at, value, 4, false);
    else
        return misread(p, "no such place");
    return STATUS_OK;
}

static bool find_slot(struct place *p, const char *name)
{
    const struct schema_table_row *const row = schema_row(p->table.schema);

    for (unsigned i = 0; row && i < row->count; i++) {
        if (row->fields[i].name && strcmp(row->fields[i].name, name) == 0) {
            p->slot = i;
            p->kind = (enum fb_kind)row->fields[i].kind;
            return true;
        }
    }
    return false;
}

/* Option tables have no row in the schema: op_options.def describes their fields. */
static bool find_option(struct place *p, uint8_t tag, const char *name)
{
    static const enum fb_kind kinds[] = {
        [OPTION_I8] = FB_I8,     [OPTION_I32] = FB_I32,       [OPTION_BOOL] = FB_U8,
        [OPTION_F32] = FB_U32, /* as bits */
        [OPTION_INTS] = FB_INTS, [OPTION_STRING] = FB_STRING, [OPTION_BYTES] = FB_BYTES,
    };
    const struct option_table *const table = option_table_find(tag);

    for (int i = 0; table && i < table->field_count; i++) {
        if (strcmp(table->fields[i].name, name) == 0) {
            p->slot = table->fields[i].slot;
            p->kind = kinds[table->fields[i].kind];
            return true;
        }
    }
    return false;
}

static size_t vtable_of(struct fb_table t)
{
    return t.at - (size_t)(int64_t)fb_load_i32(t.bytes, t.at);
}

/* The last word, of a table. */
static bool damage_table(struct tflite_file *file, const struct place *p, const char *name,
                         const char *value)
{
    if (strcmp(name, "vtable") == 0)
        store(file, p->table.at, value, 4, false);
    else if (strcmp(name, "vtable_bytes") == 0)
        store(file, vtable_of(p->table), value, 2, false);
    else if (strcmp(name, "table_bytes") == 0)
        store(file, vtable_of(p->table) + 2, value, 2, false);
    else
        return false;
    return true;
}

/* Of a field: its scalar, or an element of its vector. */
static enum status damage_field(struct tflite_file *file, struct place *p, long index,
                                const char *value)
{
    const size_t at = fb_find(p->table, p->slot);
    const bool vector = p->kind >= FB_STRING && p->kind <= FB_DATA;
    const struct fb_vector v = vector ? fb_vector(p->table, p->slot) : (struct fb_vector){ 0 };
    const size_t element = vector ? fb_element_bytes(p->kind) : 0;
    char name[64];
    long inner;

    if (!*p->at && !vector && p->kind < FB_STRING) {
        store(file, at, value, fb_inline_bytes(p->kind), false);
        return STATUS_OK;
    }
    if (!*p->at && vector && index >= 0 && (size_t)index < v.count) {
        store(file, v.at + (size_t)index * element, value, element, p->kind == FB_FLOATS);
        return STATUS_OK;
    }
    next(p, name, &inner);
    if (strcmp(name, "offset") == 0)
        store(file, at, value, 4, false);
    else if (strcmp(name, "length") == 0)
        store(file, at + (size_t)fb_load_i32(file->bytes, at), value, 4, false);
    else if (strcmp(name, "entry") == 0)
        store(file, vtable_of(p->table) + 4 + 2 * (size_t)p->slot, value, 2, false);
    else if (vector && (strcmp(name, "int") == 0 || strcmp(name, "float") == 0) && inner >= 0 &&
             4 * ((size_t)inner + 1) <= v.count)
        store(file, v.at + 4 * (size_t)inner, value, 4, *name == 'f');
    else
        return misread(p, "no such place");
    return STATUS_OK;
}

enum status hostile_damage(struct tflite_file *file, const char *text, struct diag *diag)
{
    const char *const equals = strchr(text, '=');
    char path[256] = "", name[64];
    struct place p = { .at = path, .text = text, .diag = diag };
    const char *value;
    uint8_t tag = 0;
    long index;

    if (!equals || (size_t)(equals - text) >= sizeof path)
        return misread(&p, "no value");
    snprintf(path, sizeof path, "%.*s", (int)(equals - text), text);
    while (*path && path[strlen(path) - 1] == ' ')
        path[strlen(path) - 1] = '\0';
    value = equals + 1 + strspn(equals + 1, " ");
    if (strncmp(path, "file.", 5) == 0) {
        p.at += 5;
        return damage_file(file, &p, value);
    }
    p.table = fb_root(file->bytes);
    for (;;) {
        next(&p, name, &index);
        if (!*p.at && damage_table(file, &p, name, value))
            return STATUS_OK;
        if (!(tag ? find_option(&p, tag, name) : find_slot(&p, name)))
            return misread(&p, "no such field");
        if (!fb_find(p.table, p.slot))
            return misread(&p, "a field that the file lacks");
        tag = 0;
        if (p.kind == FB_TABLES && index >= 0 && strcmp(p.at, "table_offset") == 0) {
            store(file, fb_vector(p.table, p.slot).at + 4 * (size_t)index, value, 4, false);
            return STATUS_OK;
        }
        if (p.kind == FB_TABLES && index >= 0 && *p.at) {
            p.table = fb_item(p.table, p.slot, (size_t)index);
        } else if ((p.kind == FB_TABLE || p.kind == FB_UNION) && *p.at &&
                   strcmp(p.at, "offset") != 0 && strcmp(p.at, "entry") != 0) {
            if (p.table.schema == SCHEMA_Operator && p.slot == Operator_builtin_options)
                tag = (uint8_t)fb_int(p.table, Operator_builtin_options_type);
            p.table = fb_sub(p.table, p.slot);
        } else if (p.kind == FB_TABLES && index >= 0)
            return misread(&p, "a table's field is missing");
        else
            return damage_field(file, &p, index, value);
    }
}
