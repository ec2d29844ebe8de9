#include "delegate/shaders/inflate.h"

#include <string.h>

enum {
    HEADER = 10,
    TRAILER = 8, /* CRC-32 and size */
    LENGTH_BITS = 15,
    QUICK_BITS = 9,
    LITERALS = 288,
    DISTANCES = 32,
    END_OF_BLOCK = 256,
};

struct stream {
    const uint8_t *at, *end;
    uint32_t held; /* bits that were read but not used, the next one lowest */
    int held_count;
    bool broken; /* the end came too early: zeros follow */
    uint8_t *out;
    size_t words, written;
    uint8_t *next; /* where byte `written` goes */
};

static uint32_t take(struct stream *s, int count)
{
    uint32_t bits;

    while (s->held_count < count) {
        s->broken |= s->at == s->end;
        s->held |= (uint32_t)(s->at == s->end ? 0 : *s->at++) << s->held_count;
        s->held_count += 8;
    }
    bits = s->held & ((1u << count) - 1);
    s->held >>= count;
    s->held_count -= count;
    return bits;
}

static uint8_t *place(const struct stream *s, size_t i)
{
    return s->out + i % s->words * 4 + i / s->words;
}

/* Where the byte behind the one at p goes: to the next word, or to the next plane's first. */
static uint8_t *step(const struct stream *s, uint8_t *p)
{
    p += 4;
    return (size_t)(p - s->out) < 4 * s->words ? p : p - 4 * s->words + 1;
}

static bool put(struct stream *s, uint8_t byte)
{
    if (s->written == 4 * s->words)
        return false;
    *s->next = byte;
    s->next = step(s, s->next);
    s->written++;
    return true;
}

/* A prefix code: how many words of each length there are, and what they mean in their order, which
 * is that of their lengths, then of what they mean.  Words of at most QUICK_BITS are also found by
 * the bits that come next, whatever follows them: 16 * meaning + length; 0: there is none. */
struct code {
    uint16_t count[LENGTH_BITS + 1];
    uint16_t meaning[LITERALS];
    uint16_t quick[1 << QUICK_BITS];
};

/* The word's first bit is its highest, and the stream's lowest. */
static void add_quick(struct code *c, unsigned word, int bits, int meaning)
{
    unsigned reversed = 0;

    for (int i = 0; i < bits; i++)
        reversed |= (word >> i & 1u) << (bits - 1 - i);
    for (; reversed < 1u << QUICK_BITS; reversed += 1u << bits)
        c->quick[reversed] = (uint16_t)(meaning << 4 | bits);
}

static void make_code(struct code *c, const uint8_t *lengths, int n)
{
    uint16_t next[LENGTH_BITS + 1];
    unsigned word[LENGTH_BITS + 1]; /* the next of each length */

    memset(c, 0, sizeof *c);
    for (int i = 0; i < n; i++)
        c->count[lengths[i]]++;
    c->count[0] = 0; /* not used */
    next[1] = 0;
    word[1] = 0;
    for (int bits = 1; bits < LENGTH_BITS; bits++) {
        next[bits + 1] = (uint16_t)(next[bits] + c->count[bits]);
        word[bits + 1] = 2 * (word[bits] + c->count[bits]);
    }
    for (int i = 0; i < n; i++) {
        const int bits = lengths[i];

        if (bits == 0)
            continue;
        c->meaning[next[bits]++] = (uint16_t)i;
        if (bits <= QUICK_BITS)
            add_quick(c, word[bits]++, bits, i);
    }
}

/* -1: no word of the code. */
static int decode(struct stream *s, const struct code *c)
{
    /* Words of one length are consecutive numbers; `word` is counted from the first of them. */
    int word = 0, before = 0, quick;

    for (; s->held_count < QUICK_BITS && s->at < s->end; s->held_count += 8)
        s->held |= (uint32_t)*s->at++ << s->held_count;
    quick = c->quick[s->held & ((1u << QUICK_BITS) - 1)];
    if (quick != 0 && (quick & 15) <= s->held_count) {
        s->held >>= quick & 15;
        s->held_count -= quick & 15;
        return quick >> 4;
    }
    for (int bits = 1; bits <= LENGTH_BITS; bits++) {
        word = 2 * word + (int)take(s, 1);
        if (word < c->count[bits])
            return c->meaning[before + word];
        word -= c->count[bits];
        before += c->count[bits];
    }
    return -1;
}

static bool copy_back(struct stream *s, const struct code *distances, int symbol)
{
    int extra = 0, length, distance;
    uint8_t *from;

    if (symbol < 8) {
        length = 3 + symbol;
    } else if (symbol < 28) {
        extra = symbol / 4 - 1;
        length = 3 + ((4 + symbol % 4) << extra) + (int)take(s, extra);
    } else {
        length = 258;
    }
    symbol = decode(s, distances);
    if (symbol < 0 || symbol >= 30)
        return false;
    distance = 1 + symbol;
    if (symbol >= 4) {
        extra = symbol / 2 - 1;
        distance = 1 + ((2 + symbol % 2) << extra) + (int)take(s, extra);
    }
    if ((size_t)distance > s->written)
        return false;
    from = place(s, s->written - (size_t)distance);
    for (int i = 0; i < length; i++, from = step(s, from))
        if (!put(s, *from))
            return false;
    return true;
}

static bool read_compressed(struct stream *s, const struct code *literals,
                            const struct code *distances)
{
    for (;;) {
        const int symbol = decode(s, literals);

        if (symbol == END_OF_BLOCK)
            return !s->broken;
        if (symbol < 0 || symbol > 285 || s->broken ||
            !(symbol < END_OF_BLOCK ? put(s, (uint8_t)symbol)
                                    : copy_back(s, distances, symbol - END_OF_BLOCK - 1)))
            return false;
    }
}

static bool read_stored(struct stream *s)
{
    size_t length;

    s->at -= s->held_count / 8; /* whole bytes were not used */
    s->held = 0;
    s->held_count = 0;
    if (s->end - s->at < 4)
        return false;
    length = s->at[0] | (size_t)s->at[1] << 8;
    if ((length ^ (s->at[2] | (size_t)s->at[3] << 8)) != 0xffff)
        return false;
    s->at += 4;
    if ((size_t)(s->end - s->at) < length)
        return false;
    for (; length > 0; length--)
        if (!put(s, *s->at++))
            return false;
    return true;
}

static bool read_fixed(struct stream *s)
{
    struct code literals, distances;
    uint8_t lengths[LITERALS];

    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    make_code(&literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(&distances, lengths, DISTANCES);
    return read_compressed(s, &literals, &distances);
}

/* The codes' lengths are themselves written in a prefix code, with runs. */
static bool read_dynamic(struct stream *s)
{
    static const uint8_t order[] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                     11, 4,  12, 3, 13, 2, 14, 1, 15 };
    uint8_t lengths[LITERALS + DISTANCES] = { 0 };
    const int literals = 257 + (int)take(s, 5), distances = 1 + (int)take(s, 5);
    const int used = 4 + (int)take(s, 4);
    struct code code, second;
    int n = 0;

    for (int i = 0; i < used; i++)
        lengths[order[i]] = (uint8_t)take(s, 3);
    make_code(&code, lengths, 19);
    memset(lengths, 0, 19);
    while (n < literals + distances) {
        const int symbol = decode(s, &code);
        uint8_t length = 0;
        int run = 1;

        if (symbol < 0 || (symbol == 16 && n == 0) || s->broken)
            return false;
        if (symbol < 16) {
            length = (uint8_t)symbol;
        } else if (symbol == 16) {
            length = lengths[n - 1];
            run = 3 + (int)take(s, 2);
        } else {
            run = symbol == 17 ? 3 + (int)take(s, 3) : 11 + (int)take(s, 7);
        }
        if (run > literals + distances - n)
            return false;
        memset(lengths + n, length, (size_t)run);
        n += run;
    }
    make_code(&code, lengths, literals);
    make_code(&second, lengths + literals, distances);
    return read_compressed(s, &code, &second);
}

bool inflate_planes(uint8_t *out, size_t words, const uint8_t *file, size_t bytes)
{
    static const uint8_t header[] = { 0x1f, 0x8b, 8, 0 }; /* gzip, deflate, no optional fields */
    struct stream s = { .out = out, .words = words, .next = out };
    bool last = false;

    if (bytes < HEADER + TRAILER || memcmp(file, header, sizeof header) != 0)
        return false;
    s.at = file + HEADER;
    s.end = file + bytes - TRAILER;
    while (!last) {
        last = take(&s, 1);
        switch (take(&s, 2)) {
        case 0:
            if (!read_stored(&s))
                return false;
            break;
        case 1:
            if (!read_fixed(&s))
                return false;
            break;
        case 2:
            if (!read_dynamic(&s))
                return false;
            break;
        default: return false;
        }
    }
    return s.written == 4 * words && s.at - s.held_count / 8 == s.end;
}
