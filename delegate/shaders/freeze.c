#include "delegate/shaders/freeze.h"

#include "delegate/shaders/words.h"
#include "reference/base/memory.h"

#include <stdbool.h>
#include <string.h>

/* What is known of an id. */
struct id {
    const uint32_t *made;  /* the instruction whose result it is; NULL: not looked at */
    uint32_t array_stride; /* of an array type; 0: none */
    uint32_t offset;       /* of an access chain that `pointed` is about: bytes in the block */
    uint32_t pointed;      /* the type behind such an access chain; 0: it is none */
};

struct freezer {
    const uint32_t *words;
    size_t count;
    struct id *ids;
    uint32_t bound;
    const uint8_t *push;
    size_t bytes;
    uint32_t block; /* the variable; 0: none */
};

/* The instruction whose result is `id` if it is one of `op` of that many words at least. */
static const uint32_t *made_by(const struct freezer *f, uint32_t id, uint32_t op, uint32_t words)
{
    const uint32_t *const at = id < f->bound ? f->ids[id].made : NULL;

    return at && spirv_opcode(at) == op && spirv_length(at) >= words ? at : NULL;
}

static uint32_t offset_of_member(const struct freezer *f, uint32_t type, uint32_t member,
                                 bool *known)
{
    for (size_t i = SPIRV_HEADER_WORDS; i < f->count; i += spirv_length(f->words + i)) {
        const uint32_t *const at = f->words + i;

        if (spirv_opcode(at) == OP_MEMBER_DECORATE && spirv_length(at) == 5 && at[1] == type &&
            at[2] == member && at[3] == DECORATION_OFFSET)
            return at[4];
        if (spirv_opcode(at) == OP_FUNCTION)
            break;
    }
    *known = false;
    return 0;
}

/* Follows an access chain into the block: false where an index is no constant, or a type is none of
 * struct and array. */
static bool follow(const struct freezer *f, const uint32_t *chain, uint32_t *offset,
                   uint32_t *pointed)
{
    const uint32_t *variable = made_by(f, chain[3], OP_VARIABLE, 4);
    const uint32_t *pointer = variable ? made_by(f, variable[1], OP_TYPE_POINTER, 4) : NULL;
    uint32_t type = pointer ? pointer[3] : 0;
    bool known = pointer != NULL;

    *offset = 0;
    for (uint32_t i = 4; known && i < spirv_length(chain); i++) {
        const uint32_t *const constant = made_by(f, chain[i], OP_CONSTANT, 4);
        const uint32_t index = constant ? constant[3] : 0;
        const uint32_t *at;

        if (!constant) {
            known = false;
        } else if ((at = made_by(f, type, OP_TYPE_STRUCT, 2)) && index < spirv_length(at) - 2) {
            *offset += offset_of_member(f, type, index, &known);
            type = at[2 + index];
        } else if ((at = made_by(f, type, OP_TYPE_ARRAY, 4)) && f->ids[type].array_stride) {
            *offset += index * f->ids[type].array_stride;
            type = at[2];
        } else {
            known = false;
        }
    }
    *pointed = type;
    return known;
}

/* Notes what the freezer needs of an instruction.  Results of types and constants are in word 1 or
 * 2, as the specification has them. */
static void look(struct freezer *f, const uint32_t *at)
{
    const uint32_t op = spirv_opcode(at), n = spirv_length(at);
    uint32_t result = 0;

    switch (op) {
    case OP_TYPE_INT:
    case OP_TYPE_ARRAY:
    case OP_TYPE_STRUCT:
    case OP_TYPE_POINTER: result = n > 1 ? at[1] : 0; break;
    case OP_CONSTANT:
    case OP_VARIABLE:
    case OP_ACCESS_CHAIN: result = n > 3 ? at[2] : 0; break;
    case OP_DECORATE:
        if (n == 4 && at[2] == DECORATION_ARRAY_STRIDE && at[1] < f->bound)
            f->ids[at[1]].array_stride = at[3];
        break;
    default: break;
    }
    if (result == 0 || result >= f->bound)
        return;
    f->ids[result].made = at;
    if (op == OP_VARIABLE && at[3] == STORAGE_PUSH_CONSTANT)
        f->block = result;
    if (op == OP_ACCESS_CHAIN && f->block && at[3] == f->block &&
        !follow(f, at, &f->ids[result].offset, &f->ids[result].pointed))
        f->ids[result].pointed = 0;
}

/* The value of a load, if it is of an integer of the block. */
static bool value_of(const struct freezer *f, const uint32_t *at, uint32_t *value)
{
    const struct id *from;

    if (spirv_opcode(at) != OP_LOAD || spirv_length(at) < 4 || at[3] >= f->bound)
        return false;
    from = &f->ids[at[3]];
    if (from->pointed == 0 || from->pointed != at[1] || f->bytes < sizeof *value ||
        from->offset > f->bytes - sizeof *value)
        return false;
    if (!made_by(f, at[1], OP_TYPE_INT, 4) || f->ids[at[1]].made[2] != 32)
        return false;
    memcpy(value, f->push + from->offset, sizeof *value);
    return true;
}

/* The constants take the results of the loads, in front of the first function: a load has as many
 * words as a constant, so the copy is as long. */
static size_t write_frozen(struct freezer *f, uint32_t *to)
{
    size_t first = SPIRV_HEADER_WORDS, n = 0;
    uint32_t value;

    while (first < f->count && spirv_opcode(f->words + first) != OP_FUNCTION)
        first += spirv_length(f->words + first);
    memcpy(to, f->words, first * sizeof *to);
    n = first;
    for (size_t i = first; i < f->count; i += spirv_length(f->words + i))
        if (value_of(f, f->words + i, &value)) {
            to[n++] = (4u << 16) | OP_CONSTANT;
            to[n++] = f->words[i + 1];
            to[n++] = f->words[i + 2];
            to[n++] = value;
        }
    for (size_t i = first; i < f->count; i += spirv_length(f->words + i))
        if (!value_of(f, f->words + i, &value)) {
            memcpy(to + n, f->words + i, spirv_length(f->words + i) * sizeof *to);
            n += spirv_length(f->words + i);
        }
    return n;
}

uint32_t *spirv_freeze(const uint32_t *words, size_t count, const void *push, size_t bytes,
                       size_t *frozen_count)
{
    struct freezer f = { .words = words, .count = count, .push = push, .bytes = bytes };
    uint32_t *to = NULL;

    if (!spirv_well_formed(words, count))
        return NULL;
    f.bound = words[SPIRV_BOUND];
    f.ids = mem_alloc(f.bound, sizeof *f.ids);
    if (f.ids && (to = mem_alloc(count, sizeof *to))) {
        for (size_t i = SPIRV_HEADER_WORDS; i < count; i += spirv_length(words + i))
            look(&f, words + i);
        *frozen_count = write_frozen(&f, to);
    }
    mem_free(f.ids);
    return to;
}
