/* Encodes and decodes frames, and knows no connection. */
#include "conformance/suite/subject/wire.h"

#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

static bool make_room(struct wire_out *o, size_t count)
{
    size_t capacity = o->capacity ? o->capacity : 4096;
    uint8_t *bytes;

    if (o->no_memory || count <= o->capacity - o->count)
        return !o->no_memory;
    while (capacity < o->count + count)
        capacity *= 2;
    bytes = mem_resize(o->bytes, capacity, 1);
    if (!bytes) {
        o->no_memory = true;
        return false;
    }
    o->bytes = bytes;
    o->capacity = capacity;
    return true;
}

void wire_put_bytes(struct wire_out *o, const void *bytes, size_t count)
{
    if (count == 0 || !make_room(o, count))
        return;
    memcpy(o->bytes + o->count, bytes, count);
    o->count += count;
}

static void put_number(struct wire_out *o, uint64_t v, size_t bytes)
{
    uint8_t b[8];

    for (size_t i = 0; i < bytes; i++)
        b[i] = (uint8_t)(v >> 8 * i);
    wire_put_bytes(o, b, bytes);
}

void wire_put_u8(struct wire_out *o, unsigned v)
{
    put_number(o, v, 1);
}

void wire_put_u16(struct wire_out *o, unsigned v)
{
    put_number(o, v, 2);
}

void wire_put_u32(struct wire_out *o, uint32_t v)
{
    put_number(o, v, 4);
}

void wire_put_u64(struct wire_out *o, uint64_t v)
{
    put_number(o, v, 8);
}

void wire_put_text(struct wire_out *o, const char *text)
{
    size_t length = text ? strlen(text) : 0;

    if (length > WIRE_TEXT_MAX)
        length = WIRE_TEXT_MAX;
    wire_put_u16(o, (unsigned)length);
    wire_put_bytes(o, text, length);
}

void wire_note(struct wire_out *o, size_t at, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes && !o->no_memory; i++)
        o->bytes[at + i] = (uint8_t)(v >> 8 * i);
}

size_t wire_begin_frame(struct wire_out *o, enum wire_kind kind, uint32_t sequence)
{
    const size_t begin = o->count;

    wire_put_u32(o, 0);
    wire_put_u32(o, (uint32_t)kind); /* a byte, and three that are zero */
    wire_put_u32(o, sequence);
    return begin;
}

void wire_end_frame(struct wire_out *o, size_t begin)
{
    if (o->count - begin - WIRE_HEADER_BYTES > WIRE_FRAME_MAX)
        o->no_memory = true;
    wire_note(o, begin, o->count - begin - WIRE_HEADER_BYTES, 4);
}

void wire_out_close(struct wire_out *o)
{
    mem_free(o->bytes);
    *o = (struct wire_out){ .bytes = NULL };
}

/* ---- reading ---- */

static uint64_t number(const uint8_t *b, size_t bytes)
{
    uint64_t v = 0;

    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)b[i] << 8 * i;
    return v;
}

/* What a library prints to the agent's stdout ends up here: it is shown. */
static enum status no_frame(const uint8_t *bytes, struct diag *diag)
{
    char text[WIRE_HEADER_BYTES + 1];

    for (size_t i = 0; i < WIRE_HEADER_BYTES; i++)
        text[i] = bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.';
    text[WIRE_HEADER_BYTES] = '\0';
    return diag_fail(diag, STATUS_INVALID,
                     "expected a frame, found the bytes '%s'; stdout of an agent is for frames "
                     "alone",
                     text);
}

enum status wire_read_header(const uint8_t bytes[WIRE_HEADER_BYTES], uint32_t most,
                             struct wire_header *h, struct diag *diag)
{
    if (bytes[4] == 0 || bytes[5] || bytes[6] || bytes[7])
        return no_frame(bytes, diag);
    *h = (struct wire_header){ (uint32_t)number(bytes, 4), (enum wire_kind)bytes[4],
                               (uint32_t)number(bytes + 8, 4) };
    if (h->length > most)
        return diag_fail(diag, STATUS_INVALID, "a frame of %u bytes, expected at most %u",
                         (unsigned)h->length, (unsigned)most);
    return STATUS_OK;
}

const uint8_t *wire_bytes(struct wire_in *in, uint64_t count)
{
    const uint8_t *const at = in->at;

    if (in->bad || count > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    in->at += count;
    return at;
}

static uint64_t take_number(struct wire_in *in, size_t bytes)
{
    const uint8_t *const b = wire_bytes(in, bytes);

    return b ? number(b, bytes) : 0;
}

unsigned wire_u8(struct wire_in *in)
{
    return (unsigned)take_number(in, 1);
}

unsigned wire_u16(struct wire_in *in)
{
    return (unsigned)take_number(in, 2);
}

uint32_t wire_u32(struct wire_in *in)
{
    return (uint32_t)take_number(in, 4);
}

uint64_t wire_u64(struct wire_in *in)
{
    return take_number(in, 8);
}

void wire_text(struct wire_in *in, char *text, size_t bytes)
{
    const size_t length = wire_u16(in);
    const uint8_t *const b = wire_bytes(in, length);
    size_t n = 0;

    in->bad = in->bad || length > WIRE_TEXT_MAX;
    for (; b && n < length && n + 1 < bytes; n++)
        text[n] = b[n] < ' ' || b[n] == 0x7f ? ' ' : (char)b[n];
    text[n] = '\0';
}

size_t wire_buffer_take(struct wire_buffer *b, uint8_t *to, size_t count)
{
    const size_t left = b->end - b->at, n = left < count ? left : count;

    if (n > 0)
        memcpy(to, b->bytes + b->at, n);
    b->at += n;
    return n;
}

/* ---- tensors ---- */

void wire_put_tensor(struct wire_out *o, const struct wire_tensor *t)
{
    wire_put_u8(o, (unsigned)t->type);
    wire_put_u8(o, (unsigned)t->rank);
    for (int d = 0; d < t->rank; d++)
        wire_put_u32(o, (uint32_t)t->dims[d]);
    wire_put_u64(o, t->bytes);
}

/* Whether bytes are what type and dims say; texts have no size of their own. */
static bool agrees(const struct wire_tensor *t)
{
    const unsigned bits = runtime_type_bits((TfLiteType)t->type);
    uint64_t elements = 1;

    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] < 0)
            return false;
        if (t->dims[d] > 0 && elements > (uint64_t)WIRE_FRAME_MAX * 8 / (uint64_t)t->dims[d])
            return false;
        elements *= (uint64_t)t->dims[d];
    }
    return bits == 0 || t->bytes == (elements * bits + 7) / 8;
}

void wire_read_tensor(struct wire_in *in, struct wire_tensor *t)
{
    *t = (struct wire_tensor){ .type = (int)wire_u8(in) };
    t->rank = (int)wire_u8(in);
    in->bad = in->bad || t->rank > WIRE_RANK_MAX;
    for (int d = 0; d < t->rank && !in->bad; d++)
        t->dims[d] = (int)(int32_t)wire_u32(in);
    t->bytes = wire_u64(in);
    if (in->bad || !agrees(t)) {
        in->bad = true;
        *t = (struct wire_tensor){ .rank = 0 };
    }
}

/* ---- answers ---- */

size_t wire_begin_answer(struct wire_out *o, enum wire_status status, uint64_t ns, const char *text)
{
    wire_put_u8(o, status);
    wire_put_u64(o, ns);
    wire_put_text(o, text);
    wire_put_u32(o, 0);
    return o->count;
}

void wire_end_answer(struct wire_out *o, size_t begin)
{
    wire_note(o, begin - 4, o->count - begin, 4);
}

void wire_read_answer(struct wire_in *in, struct wire_answer *a)
{
    const unsigned status = wire_u8(in);
    uint32_t length;
    const uint8_t *body;

    a->status =
        status == WIRE_DONE || status == WIRE_REFUSED ? (enum wire_status)status : WIRE_FAILED;
    in->bad = in->bad || status > WIRE_FAILED;
    a->ns = wire_u64(in);
    a->text = *in;
    wire_bytes(in, wire_u16(in));
    length = wire_u32(in);
    body = wire_bytes(in, length);
    a->body = (struct wire_in){ body, body ? body + length : NULL, body == NULL };
}

/* ---- HELLO and BYE ---- */

void wire_put_pairs(struct wire_out *o, const char *const *pairs)
{
    unsigned count = 0;

    while (pairs[2 * count])
        count++;
    wire_put_u16(o, count);
    for (unsigned i = 0; i < count; i++) {
        char text[WIRE_TEXT_MAX];

        snprintf(text, sizeof text, "%s=%s", pairs[2 * i], pairs[2 * i + 1]);
        wire_put_text(o, text);
    }
}

void wire_put_hello(struct wire_out *o, const char *const *pairs)
{
    const size_t begin = wire_begin_frame(o, WIRE_HELLO, 0);

    wire_put_bytes(o, WIRE_MAGIC, sizeof WIRE_MAGIC - 1);
    wire_put_u16(o, WIRE_VERSION);
    wire_put_u16(o, WIRE_VERSION);
    wire_put_u32(o, WIRE_FRAME_MAX);
    wire_put_pairs(o, pairs);
    wire_end_frame(o, begin);
}

void wire_put_bye(struct wire_out *o, enum wire_end why, int number, const char *text)
{
    const size_t begin = wire_begin_frame(o, WIRE_BYE, 0);

    wire_put_u8(o, why);
    wire_put_u32(o, (uint32_t)number);
    wire_put_text(o, text);
    wire_end_frame(o, begin);
}

enum status wire_read_hello(struct wire_in *in, struct wire_hello *h, struct diag *diag)
{
    const uint8_t *const magic = wire_bytes(in, sizeof WIRE_MAGIC - 1);
    struct wire_in rest;
    unsigned count;

    if (!magic || memcmp(magic, WIRE_MAGIC, sizeof WIRE_MAGIC - 1) != 0)
        return diag_fail(diag, STATUS_INVALID, "a HELLO that does not begin with %s", WIRE_MAGIC);
    h->lowest = wire_u16(in);
    h->highest = wire_u16(in);
    h->largest = wire_u32(in);
    h->pairs = rest = *in;
    count = wire_u16(&rest);
    for (unsigned i = 0; i < count && !rest.bad; i++) {
        char text[2];

        wire_text(&rest, text, sizeof text);
    }
    if (rest.bad || count > WIRE_PAIRS_MAX)
        return diag_fail(diag, STATUS_INVALID, "a HELLO whose texts pass its end, or over %d",
                         WIRE_PAIRS_MAX);
    if (h->lowest > WIRE_VERSION || h->highest < WIRE_VERSION)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "the other end speaks versions %u to %u of the protocol, this one %d",
                         h->lowest, h->highest, WIRE_VERSION);
    return STATUS_OK;
}

void wire_find_pair(struct wire_in pairs, const char *key, char *value, size_t bytes)
{
    const unsigned count = wire_u16(&pairs);
    const size_t length = strlen(key);

    value[0] = '\0';
    for (unsigned i = 0; i < count && !pairs.bad; i++) {
        char text[WIRE_TEXT_MAX + 1];

        wire_text(&pairs, text, sizeof text);
        if (strncmp(text, key, length) == 0 && text[length] == '=') {
            snprintf(value, bytes, "%s", text + length + 1);
            return;
        }
    }
}
