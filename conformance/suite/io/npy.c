/* NumPy's .npy: magic, version, length of the header, the header (a Python dict literal with
 * 'descr', 'fortran_order' and 'shape'), the elements. */
#include "conformance/suite/io/npy.h"

#include "reference/base/builtin.h"
#include "reference/base/byte_order.h"
#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX = 8, HEADER_MAX = 64 * 1024 };

static const uint8_t magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

static const struct {
    char descr[4];
    TfLiteType type;
} types[] = {
    { "<f4", kTfLiteFloat32 }, { "<f2", kTfLiteFloat16 }, { "<f8", kTfLiteFloat64 },
    { "|u1", kTfLiteUInt8 },   { "|i1", kTfLiteInt8 },    { "<i2", kTfLiteInt16 },
    { "<i4", kTfLiteInt32 },   { "<i8", kTfLiteInt64 },   { "<u2", kTfLiteUInt16 },
    { "<u4", kTfLiteUInt32 },  { "<u8", kTfLiteUInt64 },  { "|b1", kTfLiteBool },
};

/* ---- the header ---- */

struct scan {
    const char *at, *end;
};

static void skip_spaces(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t'))
        s->at++;
}

static bool take(struct scan *s, char c)
{
    skip_spaces(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static bool take_word(struct scan *s, const char *word)
{
    const size_t n = strlen(word);

    skip_spaces(s);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
        return false;
    s->at += n;
    return true;
}

/* A quoted string without escapes. */
static bool take_string(struct scan *s, char *text, size_t bytes)
{
    char quote;
    size_t n = 0;

    skip_spaces(s);
    if (s->at == s->end || (*s->at != '\'' && *s->at != '"'))
        return false;
    quote = *s->at++;
    while (s->at < s->end && *s->at != quote) {
        if (*s->at == '\\' || n + 1 >= bytes)
            return false;
        text[n++] = *s->at++;
    }
    text[n] = '\0';
    return take(s, quote);
}

static bool take_dim(struct scan *s, int32_t *dim)
{
    int64_t value = 0;
    bool any = false;

    skip_spaces(s);
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        value = value * 10 + (*s->at - '0');
        if (value > INT32_MAX)
            return false;
        any = true;
    }
    *dim = (int32_t)value;
    return any;
}

static enum status take_shape(struct scan *s, struct array *a, struct diag *diag)
{
    if (!take(s, '('))
        return diag_fail(diag, STATUS_INVALID, "header: shape is no tuple");
    a->rank = 0;
    while (!take(s, ')')) {
        if (a->rank == ARRAY_RANK_MAX)
            return diag_fail(diag, STATUS_UNSUPPORTED, "rank above %d", ARRAY_RANK_MAX);
        if (!take_dim(s, &a->dims[a->rank]))
            return diag_fail(diag, STATUS_INVALID, "header: dimension %zu of shape", a->rank);
        a->rank++;
        if (!take(s, ',') && !(a->rank > 1 && s->at < s->end && *s->at == ')'))
            return diag_fail(diag, STATUS_INVALID, "header: shape is no tuple");
    }
    return STATUS_OK;
}

static enum status take_type(struct scan *s, struct array *a, struct diag *diag)
{
    char descr[16];

    if (!take_string(s, descr, sizeof descr))
        return diag_fail(diag, STATUS_UNSUPPORTED, "header: descr is no plain type");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(descr, types[i].descr) == 0) {
            a->type = types[i].type;
            return STATUS_OK;
        }
    }
    return diag_fail(diag, STATUS_UNSUPPORTED,
                     "type %s, expected little-endian f2, f4, f8, i1 to i8, u1 to u8 or b1", descr);
}

static enum status read_header(struct scan *s, struct array *a, struct diag *diag)
{
    bool fortran = false, has_type = false, has_order = false, has_shape = false;

    if (!take(s, '{'))
        return diag_fail(diag, STATUS_INVALID, "header is no dict");
    while (!take(s, '}')) {
        char key[16];

        if (!take_string(s, key, sizeof key) || !take(s, ':'))
            return diag_fail(diag, STATUS_INVALID, "header is no dict of strings");
        if (strcmp(key, "descr") == 0 && !has_type) {
            TRY(take_type(s, a, diag));
            has_type = true;
        } else if (strcmp(key, "shape") == 0 && !has_shape) {
            TRY(take_shape(s, a, diag));
            has_shape = true;
        } else if (strcmp(key, "fortran_order") == 0 && !has_order) {
            fortran = take_word(s, "True");
            if (!fortran && !take_word(s, "False"))
                return diag_fail(diag, STATUS_INVALID, "header: fortran_order is no bool");
            has_order = true;
        } else {
            return diag_fail(diag, STATUS_INVALID, "header: unexpected key %s", key);
        }
        if (!take(s, ',') && !(s->at < s->end && *s->at == '}'))
            return diag_fail(diag, STATUS_INVALID, "header is no dict");
    }
    skip_spaces(s);
    if (s->at != s->end || !has_type || !has_order || !has_shape)
        return diag_fail(diag, STATUS_INVALID, "header lacks a key, or goes on behind the dict");
    if (fortran && a->rank > 1)
        return diag_fail(diag, STATUS_UNSUPPORTED, "Fortran order, expected C order");
    return STATUS_OK;
}

enum status npy_read(struct array *out, const uint8_t *bytes, size_t count, struct diag *diag)
{
    struct array a = { 0 };
    struct scan s;
    size_t at, header;

    *out = a;
    if (count < PREFIX + 2 || memcmp(bytes, magic, sizeof magic) != 0)
        return diag_fail(diag, STATUS_INVALID, "not a .npy file");
    if (bytes[6] < 1 || bytes[6] > 3)
        return diag_fail(diag, STATUS_UNSUPPORTED, "version %d.%d, expected 1 to 3", bytes[6],
                         bytes[7]);
    header = bytes[8] | (size_t)bytes[9] << 8;
    at = PREFIX + 2;
    if (bytes[6] > 1) {
        at += 2;
        if (count < at)
            return diag_fail(diag, STATUS_INVALID, "ends in the header");
        header |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (header > count - at || header > HEADER_MAX)
        return diag_fail(diag, STATUS_INVALID, "header of %zu bytes in a file of %zu", header,
                         count);
    s = (struct scan){ (const char *)bytes + at, (const char *)bytes + at + header };
    TRY(read_header(&s, &a, diag));
    at += header;
    if (!checked_elements(a.dims, a.rank, &a.elements) ||
        !checked_mul(a.elements, runtime_type_bits(a.type) / 8, &a.bytes) || a.bytes != count - at)
        return diag_fail(diag, STATUS_INVALID, "%zu bytes of data do not fit the shape",
                         count - at);
    if (!(a.data = mem_alloc(a.bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu bytes", a.bytes);
    if (a.bytes)
        memcpy(a.data, bytes + at, a.bytes);
    *out = a;
    return STATUS_OK;
}

/* ---- writing ---- */

enum status npy_write(const struct array *a, uint8_t **file, size_t *count, struct diag *diag)
{
    char header[512];
    const char *descr = NULL;
    size_t used, before;

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == a->type)
            descr = types[i].descr;
    }
    if (!descr)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s has no NumPy type",
                         runtime_type_name(a->type));
    used = (size_t)snprintf(header, sizeof header,
                            "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (size_t i = 0; i < a->rank; i++)
        used += (size_t)snprintf(header + used, sizeof header - used, "%" PRId32 "%s", a->dims[i],
                                 i + 1 < a->rank || a->rank == 1 ? ", " : "");
    used += (size_t)snprintf(header + used, sizeof header - used, "), }");
    /* The data begin at a multiple of 64. */
    while ((PREFIX + 2 + used + 1) % 64 != 0)
        header[used++] = ' ';
    header[used++] = '\n';
    before = PREFIX + 2 + used;
    if (a->bytes > SIZE_MAX - before || !(*file = mem_alloc(before + a->bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu bytes", a->bytes);
    memcpy(*file, magic, sizeof magic);
    (*file)[6] = 1;
    (*file)[8] = (uint8_t)used;
    (*file)[9] = (uint8_t)(used >> 8);
    memcpy(*file + PREFIX + 2, header, used);
    if (a->bytes)
        memcpy(*file + before, a->data, a->bytes);
    *count = before + a->bytes;
    return STATUS_OK;
}
