/* Reads headers with offsets of 64 bits, each checked against the bytes that are there. */
#include "conformance/suite/io/bundle.h"

#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Bytes with a length: what lies outside reads as 0 and is noted. */
struct view {
    const uint8_t *bytes;
    uint64_t count;
    bool outside;
};

static uint64_t load(struct view *v, uint64_t at, unsigned width)
{
    uint64_t value = 0;

    if (at > v->count || v->count - at < width) {
        v->outside = true;
        return 0;
    }
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)v->bytes[at + i] << 8 * i;
    return value;
}

static enum status add_section(struct bundle *b, const struct bundle_section *s, size_t count,
                               struct diag *diag)
{
    if (s->begin > count || s->size > count - s->begin)
        return diag_fail(diag, STATUS_INVALID,
                         "section %zu: expected to lie in the %zu bytes of the file, found %" PRIu64
                         " bytes at %" PRIu64,
                         b->count, count, s->size, s->begin);
    b->sections[b->count++] = *s;
    return STATUS_OK;
}

static enum status make_room(struct bundle *b, uint64_t sections, struct diag *diag)
{
    if (sections > BUNDLE_SECTIONS_MAX)
        return diag_fail(diag, STATUS_INVALID, "%" PRIu64 " sections, expected at most %d",
                         sections, BUNDLE_SECTIONS_MAX);
    b->sections = mem_alloc((size_t)sections + 1, sizeof *b->sections);
    return b->sections
               ? STATUS_OK
               : diag_fail(diag, STATUS_NO_MEMORY, "%" PRIu64 " sections: out of memory", sections);
}

/* ---- LiteRT-LM ---- */

static const char magic[] = "LITERTLM";
enum { HEADER_AT = 32, HEADER_MAX = 1 << 24, TAG_STRING = 9 /* of the union of values */ };
enum { ITEMS_MAX = 256 /* that are looked at: sections may share a list of any length */ };

static const char *const section_kinds[] = {
    "none",
    "data",
    "deprecated",
    "model",
    "SentencePiece tokenizer",
    "metadata",
    "Hugging Face tokenizer",
};

/* Where a field of a table lies; 0: absent. */
static uint64_t field(struct view *v, uint64_t table, unsigned slot)
{
    const int64_t vtable = (int64_t)table - (int32_t)(uint32_t)load(v, table, 4);
    uint64_t offset;

    if (vtable < 0 || load(v, (uint64_t)vtable, 2) < 6 + 2 * slot)
        return 0;
    offset = load(v, (uint64_t)vtable + 4 + 2 * slot, 2);
    return offset ? table + offset : 0;
}

/* What an offset at `at` leads to; 0 where there is no such field. */
static uint64_t follow(struct view *v, uint64_t at)
{
    return at ? at + load(v, at, 4) : 0;
}

/* Copies a string, cut to the room. */
static void copy_text(struct view *v, uint64_t string, char *text, size_t room)
{
    uint64_t count = string ? load(v, string, 4) : 0;

    if (count >= room)
        count = room - 1;
    for (uint64_t i = 0; i < count; i++)
        text[i] = (char)load(v, string + 4 + i, 1);
    text[count] = '\0';
}

/* The value of the item model_type, else "section_N". */
static void name_section(struct view *v, uint64_t object, struct bundle_section *s, size_t number)
{
    const uint64_t items = follow(v, field(v, object, 0)), count = items ? load(v, items, 4) : 0;

    snprintf(s->name, sizeof s->name, "section_%zu", number);
    for (uint64_t i = 0; i < count && i < ITEMS_MAX && !v->outside; i++) {
        const uint64_t item = follow(v, items + 4 + 4 * i), tag = field(v, item, 1);
        char key[32];

        copy_text(v, follow(v, field(v, item, 0)), key, sizeof key);
        if (strcmp(key, "model_type") == 0 && tag && load(v, tag, 1) == TAG_STRING) {
            copy_text(v, follow(v, field(v, follow(v, field(v, item, 2)), 0)), s->name,
                      sizeof s->name);
            return;
        }
    }
}

static enum status read_sections(struct bundle *b, struct view *v, size_t count, struct diag *diag)
{
    const uint64_t root = load(v, 0, 4), list = follow(v, field(v, root, 1)),
                   objects = list ? follow(v, field(v, list, 0)) : 0,
                   sections = objects ? load(v, objects, 4) : 0;

    TRY(make_room(b, sections, diag));
    for (uint64_t i = 0; i < sections && !v->outside; i++) {
        const uint64_t object = follow(v, objects + 4 + 4 * i), begin = field(v, object, 1),
                       end = field(v, object, 2), type = field(v, object, 3);
        const uint64_t kind = type ? load(v, type, 1) : 0;
        struct bundle_section s = { .begin = begin ? load(v, begin, 8) : 0 };
        const uint64_t last = end ? load(v, end, 8) : 0;

        s.kind = kind < sizeof section_kinds / sizeof section_kinds[0] ? section_kinds[kind]
                                                                       : "of an unknown type";
        if (last < s.begin)
            return diag_fail(diag, STATUS_INVALID,
                             "section %" PRIu64 ": begins at %" PRIu64 ", ends at %" PRIu64, i,
                             s.begin, last);
        s.size = last - s.begin;
        name_section(v, object, &s, (size_t)i);
        if (!v->outside)
            TRY(add_section(b, &s, count, diag));
    }
    return STATUS_OK;
}

static enum status open_litertlm(struct bundle *b, const uint8_t *bytes, size_t count,
                                 struct diag *diag)
{
    struct view whole = { bytes, count, false }, header;
    const uint64_t major = load(&whole, 8, 4), end = load(&whole, 24, 8);

    snprintf(b->kind, sizeof b->kind, "LiteRT-LM %u.%u.%u", (unsigned)major,
             (unsigned)load(&whole, 12, 4), (unsigned)load(&whole, 16, 4));
    if (major != 1)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s, expected version 1", b->kind);
    if (end < HEADER_AT || end > count || end - HEADER_AT > HEADER_MAX)
        return diag_fail(diag, STATUS_INVALID,
                         "the header ends at %" PRIu64 ", expected from %d on within the %zu bytes "
                         "of the file and %d of a header",
                         end, HEADER_AT, count, HEADER_MAX);
    header = (struct view){ bytes + HEADER_AT, end - HEADER_AT, false };
    TRY(read_sections(b, &header, count, diag));
    return header.outside
               ? diag_fail(diag, STATUS_INVALID,
                           "the header has an offset beyond its %" PRIu64 " bytes", header.count)
               : STATUS_OK;
}

/* ---- zip ---- */

enum {
    ZIP_END = 0x06054b50,
    ZIP_END_64 = 0x06064b50,
    ZIP_LOCATOR_64 = 0x07064b50,
    ZIP_ENTRY = 0x02014b50,
    ZIP_LOCAL = 0x04034b50,
    ZIP_END_BYTES = 22,
    ZIP_ENTRY_BYTES = 46,
    ZIP_COMMENT_MAX = UINT16_MAX
};

/* The list of entries: where, and how many. */
struct directory {
    uint64_t at, entries;
};

static enum status find_directory(struct view *v, struct directory *d, struct diag *diag)
{
    const uint64_t first =
        v->count > ZIP_END_BYTES + ZIP_COMMENT_MAX ? v->count - ZIP_END_BYTES - ZIP_COMMENT_MAX : 0;

    for (uint64_t at = v->count < ZIP_END_BYTES ? 0 : v->count - ZIP_END_BYTES + 1; at-- > first;) {
        if (load(v, at, 4) != ZIP_END)
            continue;
        *d = (struct directory){ load(v, at + 16, 4), load(v, at + 10, 2) };
        if (at >= 20 && load(v, at - 20, 4) == ZIP_LOCATOR_64) {
            const uint64_t end = load(v, at - 12, 8);

            if (end > v->count || load(v, end, 4) != ZIP_END_64)
                return diag_fail(diag, STATUS_INVALID,
                                 "zip: expected the 64-bit end record at %" PRIu64, end);
            *d = (struct directory){ load(v, end + 48, 8), load(v, end + 32, 8) };
        }
        return STATUS_OK;
    }
    return diag_fail(diag, STATUS_INVALID, "zip: expected an end record, found none");
}

/* The 64-bit values that an entry has in its extra field, for those that are all ones. */
static void read_extra(struct view *v, uint64_t extra, uint64_t bytes, uint64_t *size,
                       uint64_t *packed, uint64_t *local)
{
    uint64_t *const wanted[] = { size, packed, local };

    for (uint64_t at = extra; at + 4 <= extra + bytes && !v->outside;) {
        const uint64_t count = load(v, at + 2, 2);
        uint64_t from = at + 4;

        for (size_t i = 0; load(v, at, 2) == 1 && i < 3; i++) {
            if (*wanted[i] != UINT32_MAX || from + 8 > at + 4 + count)
                continue;
            *wanted[i] = load(v, from, 8);
            from += 8;
        }
        at += 4 + count;
    }
}

static enum status read_entry(struct bundle *b, struct view *v, uint64_t at, uint64_t *next,
                              struct diag *diag)
{
    const uint64_t method = load(v, at + 10, 2), name = load(v, at + 28, 2),
                   extra = load(v, at + 30, 2), comment = load(v, at + 32, 2);
    uint64_t packed = load(v, at + 20, 4), size = load(v, at + 24, 4), local = load(v, at + 42, 4);
    struct bundle_section s = { .kind = method == 0 ? "data" : "compressed" };
    uint64_t length = name < sizeof s.name ? name : sizeof s.name - 1;

    if (load(v, at, 4) != ZIP_ENTRY)
        return diag_fail(diag, STATUS_INVALID, "zip: expected entry %zu at %" PRIu64, b->count, at);
    read_extra(v, at + ZIP_ENTRY_BYTES + name, extra, &size, &packed, &local);
    for (uint64_t i = 0; i < length; i++)
        s.name[i] = (char)load(v, at + ZIP_ENTRY_BYTES + i, 1);
    if (local > v->count || load(v, local, 4) != ZIP_LOCAL)
        return diag_fail(diag, STATUS_INVALID, "zip: entry %zu: expected its header at %" PRIu64,
                         b->count, local);
    s.begin = local + 30 + load(v, local + 26, 2) + load(v, local + 28, 2);
    s.size = packed;
    *next = at + ZIP_ENTRY_BYTES + name + extra + comment;
    TRY(add_section(b, &s, (size_t)v->count, diag));
    if (method == 0 && s.size >= 8 && memcmp(v->bytes + s.begin + 4, "TFL3", 4) == 0)
        b->sections[b->count - 1].kind = "model";
    return STATUS_OK;
}

static enum status open_zip(struct bundle *b, const uint8_t *bytes, size_t count, struct diag *diag)
{
    struct view v = { bytes, count, false };
    struct directory d = { 0, 0 };

    snprintf(b->kind, sizeof b->kind, "zip");
    TRY(find_directory(&v, &d, diag));
    TRY(make_room(b, d.entries, diag));
    for (uint64_t i = 0, at = d.at; i < d.entries && !v.outside; i++)
        TRY(read_entry(b, &v, at, &at, diag));
    return v.outside ? diag_fail(diag, STATUS_INVALID,
                                 "zip: a record lies outside of the %zu bytes of the file", count)
                     : STATUS_OK;
}

/* ---- both ---- */

bool bundle_is(const uint8_t *bytes, size_t count)
{
    return count >= HEADER_AT &&
           (memcmp(bytes, magic, sizeof magic - 1) == 0 || memcmp(bytes, "PK\003\004", 4) == 0);
}

enum status bundle_open(struct bundle *b, const uint8_t *bytes, size_t count, struct diag *diag)
{
    enum status s;

    *b = (struct bundle){ .count = 0 };
    s = bytes[0] == 'P' ? open_zip(b, bytes, count, diag) : open_litertlm(b, bytes, count, diag);
    if (s != STATUS_OK)
        bundle_close(b);
    return s;
}

void bundle_close(struct bundle *b)
{
    mem_free(b->sections);
    *b = (struct bundle){ .count = 0 };
}

enum status bundle_model(const struct bundle *b, const char *name, size_t *index, struct diag *diag)
{
    char names[512] = "";
    size_t models = 0, found = 0;

    for (size_t i = 0; i < b->count; i++) {
        const size_t used = strlen(names);

        if (strcmp(b->sections[i].kind, "model") != 0)
            continue;
        models++;
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", b->sections[i].name);
        if (name ? strcasecmp(name, b->sections[i].name) == 0 : models == 1) {
            *index = i;
            found++;
        }
    }
    if (models == 0)
        return diag_fail(diag, STATUS_USAGE, "%s of %zu sections, none of which is a model",
                         b->kind, b->count);
    if (found == 0)
        return diag_fail(diag, STATUS_USAGE, "no model %s; the bundle has %s", name, names);
    if (found > 1 && name)
        return diag_fail(diag, STATUS_USAGE, "%zu models %s, expected one; the bundle has %s",
                         found, name, names);
    if (!name && models > 1)
        return diag_fail(diag, STATUS_USAGE,
                         "the bundle has %zu models, expected FILE#NAME with one of %s", models,
                         names);
    return STATUS_OK;
}
