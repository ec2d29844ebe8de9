/* The protocol between the suite and an agent, which runs models somewhere else: frames, and what
 * stands in them.  doc/PROTOCOL.md describes each byte; this is its encoder and decoder, for both
 * ends.
 *
 * Numbers are little-endian.  What is read is hostile: a reader never passes the end of its frame,
 * and one that would is bad from then on, which its user asks once, at the end. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_WIRE_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_WIRE_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MAGIC "ASSAYR"

enum {
    WIRE_VERSION = 1,
    WIRE_HEADER_BYTES = 12,
    WIRE_FRAME_MAX = 1 << 30, /* bytes of a payload that the suite takes */
    WIRE_TEXT_MAX = 4096,     /* bytes of a text */
    WIRE_PAIRS_MAX = 128,     /* texts of a HELLO or CREATE */
    WIRE_RANK_MAX = 8
};

enum wire_kind {
    WIRE_HELLO = 1,
    WIRE_CREATE,
    WIRE_DATA,
    WIRE_FORGET,
    WIRE_RUN,
    WIRE_CLOSE,
    WIRE_ANSWER,
    WIRE_ALIVE,
    WIRE_LOG,
    WIRE_BYE
};

enum wire_step_kind {
    WIRE_OPEN = 1,
    WIRE_WRITE,
    WIRE_INVOKE,
    WIRE_READ,
    WIRE_CHECK,
    WIRE_RESET,
    WIRE_GUARDS,
    WIRE_RESIZE,
    WIRE_STATS
};

enum wire_status { WIRE_DONE, WIRE_REFUSED, WIRE_FAILED };

/* Why an agent says BYE. */
enum wire_end { WIRE_END_ASKED, WIRE_END_SIGNAL, WIRE_END_LATE, WIRE_END_REFUSED };

/* What an agent can do: the bits of enum engine_ability, and these. */
enum { WIRE_ABILITY_ALIVE = 1 << 16, WIRE_ABILITY_STATS = 1 << 17, WIRE_ABILITY_AHEAD = 1 << 18 };

/* ---- writing ---- */

/* Bytes that grow; no_memory: they could not, and what is there is of no use. */
struct wire_out {
    uint8_t *bytes; /* mem_free */
    size_t count, capacity;
    bool no_memory;
};

void wire_put_u8(struct wire_out *o, unsigned v);
void wire_put_u16(struct wire_out *o, unsigned v);
void wire_put_u32(struct wire_out *o, uint32_t v);
void wire_put_u64(struct wire_out *o, uint64_t v);
void wire_put_bytes(struct wire_out *o, const void *bytes, size_t count);
/* Cut to WIRE_TEXT_MAX; NULL as "". */
void wire_put_text(struct wire_out *o, const char *text);
/* Begins a frame; wire_end_frame, with what this returns, notes its length. */
size_t wire_begin_frame(struct wire_out *o, enum wire_kind kind, uint32_t sequence);
void wire_end_frame(struct wire_out *o, size_t begin);
/* Writes a number of so many bytes where room was left for it. */
void wire_note(struct wire_out *o, size_t at, uint64_t v, size_t bytes);
void wire_out_close(struct wire_out *o);

/* ---- reading ---- */

struct wire_header {
    uint32_t length; /* of the payload */
    enum wire_kind kind;
    uint32_t sequence;
};
/* STATUS_INVALID: the bytes begin no frame, or one of more than `most` bytes. */
enum status wire_read_header(const uint8_t bytes[WIRE_HEADER_BYTES], uint32_t most,
                             struct wire_header *h, struct diag *diag);

struct wire_in {
    const uint8_t *at, *end;
    bool bad; /* something was asked for that is not there */
};

unsigned wire_u8(struct wire_in *in);
unsigned wire_u16(struct wire_in *in);
uint32_t wire_u32(struct wire_in *in);
uint64_t wire_u64(struct wire_in *in);
/* Bytes where they lie; NULL where there are not so many. */
const uint8_t *wire_bytes(struct wire_in *in, uint64_t count);
/* A text, cut where it does not fit, with blanks for control characters. */
void wire_text(struct wire_in *in, char *text, size_t bytes);

/* Bytes that a connection gave and that nobody has read: [at, end). */
struct wire_buffer {
    size_t at, end;
    uint8_t bytes[1 << 16];
};
/* Moves as many of them as there are, at most `count`; returns how many. */
size_t wire_buffer_take(struct wire_buffer *b, uint8_t *to, size_t count);

struct wire_tensor {
    int type; /* TfLiteType */
    int rank;
    int dims[WIRE_RANK_MAX];
    uint64_t bytes;
};
void wire_put_tensor(struct wire_out *o, const struct wire_tensor *t);
/* Bad also where rank, dims, type and bytes do not agree. */
void wire_read_tensor(struct wire_in *in, struct wire_tensor *t);

/* The answer to one step. */
struct wire_answer {
    enum wire_status status;
    uint64_t ns;
    struct wire_in text; /* wire_text */
    struct wire_in body;
};
void wire_read_answer(struct wire_in *in, struct wire_answer *a);
/* Begins the answer to a step; wire_end_answer, with what this returns, notes the body's length. */
size_t wire_begin_answer(struct wire_out *o, enum wire_status status, uint64_t ns,
                         const char *text);
void wire_end_answer(struct wire_out *o, size_t begin);

/* Versions and texts "KEY=VALUE" of a HELLO. */
struct wire_hello {
    unsigned lowest, highest; /* versions */
    uint32_t largest;         /* bytes of a payload that it takes */
    struct wire_in pairs;     /* wire_find_pair */
};
/* `pairs` are keys and values in turn, ending with NULL. */
void wire_put_pairs(struct wire_out *o, const char *const *pairs);
/* Writes a whole frame. */
void wire_put_hello(struct wire_out *o, const char *const *pairs);
/* Writes a whole frame; `number` is that of a signal. */
void wire_put_bye(struct wire_out *o, enum wire_end why, int number, const char *text);
enum status wire_read_hello(struct wire_in *in, struct wire_hello *h, struct diag *diag);
/* The value of a key; "" where it is not there. */
void wire_find_pair(struct wire_in pairs, const char *key, char *value, size_t bytes);

#endif
