#include "delegate/shaders/thaw.h"

#include "delegate/shaders/words.h"
#include "reference/base/memory.h"

#include <stdbool.h>
#include <string.h>

enum { IDS = 32, CONSTANT_WORDS = 5 + 4 + 5 /* at most, in a function: chain, load, comparison */ };

/* What is known of an id. */
struct id {
    const uint32_t *made; /* a global whose result it is; NULL: none that is looked at */
    uint32_t spec;        /* SpecId + 1; 0: none */
    bool thawed;          /* a constant that is read, or an expression of such */
    uint32_t now;         /* its name in that function */
};

struct thaw {
    const uint32_t *words;
    size_t count, functions; /* where the first function begins */
    struct id *ids;
    uint32_t bound, mask, at;
    uint32_t left;                                    /* of mask: those that have not been met */
    uint32_t block, block_type, uint_type, bool_type; /* 0: not seen */
    uint32_t members;                                 /* of the block as it was */
    uint32_t *to;
    size_t n;
    uint32_t new_bound;
    /* By place among the thawed constants; zero: a constant 0. */
    uint32_t pointer_type[IDS], index[IDS], zero;
};

static const uint32_t *next(const uint32_t *at)
{
    return at + spirv_length(at);
}

static struct id *id_of(struct thaw *t, uint32_t id)
{
    return &t->ids[id < t->bound ? id : 0]; /* 0 is no id */
}

/* Whether a word of an instruction may name a value: not those that are literals or labels.  Types
 * and results are no constants, so it does not matter what is said of them. */
static bool may_name_value(const uint32_t *at, uint32_t word)
{
    uint32_t op = spirv_opcode(at);

    if (op == OP_SPEC_CONSTANT_OP) { /* word 3 is its opcode, the operands follow */
        if (word-- < 4)
            return false;
        op = at[3];
    }
    switch (op) {
    case OP_FUNCTION:
    case OP_VARIABLE:
    case OP_LOOP_MERGE:
    case OP_SELECTION_MERGE: return false;
    case OP_BRANCH_CONDITIONAL:
    case OP_SWITCH: return word < 2;
    case OP_STORE: return word < 3;
    case OP_LOAD:
    case OP_COMPOSITE_EXTRACT: return word < 4;
    case OP_COMPOSITE_INSERT:
    case OP_VECTOR_SHUFFLE: return word < 5;
    case OP_EXT_INST: return word >= 5;
    default: return op < OP_S_DOT || word < 5;
    }
}

/* The thawed id that a word names; NULL: it names none. */
static struct id *thawed_at(struct thaw *t, const uint32_t *at, uint32_t word)
{
    struct id *const it = id_of(t, at[word]);

    return it->thawed && may_name_value(at, word) ? it : NULL;
}

static bool names_thawed(struct thaw *t, const uint32_t *at)
{
    for (uint32_t i = 1; i < spirv_length(at); i++)
        if (thawed_at(t, at, i))
            return true;
    return false;
}

static bool is_expression(uint32_t op)
{
    return op == OP_SPEC_CONSTANT_OP || op == OP_SPEC_CONSTANT_COMPOSITE;
}

static bool is_constant(uint32_t op)
{
    return op >= OP_SPEC_CONSTANT_TRUE && op <= OP_SPEC_CONSTANT;
}

/* The type of the member from which a constant is read; 0: it is a float. */
static uint32_t member_type(struct thaw *t, const uint32_t *constant)
{
    const uint32_t *const type = id_of(t, constant[1])->made;

    if (spirv_opcode(constant) != OP_SPEC_CONSTANT)
        return t->uint_type;
    return type && spirv_opcode(type) == OP_TYPE_INT && type[2] == 32 ? constant[1] : 0;
}

/* Finds the block of push constants by its variable. */
static bool look_at_block(struct thaw *t, const uint32_t *variable)
{
    const uint32_t *const pointer = id_of(t, variable[1])->made;
    const uint32_t *const block =
        pointer && spirv_opcode(pointer) == OP_TYPE_POINTER ? id_of(t, pointer[3])->made : NULL;

    if (!block || spirv_opcode(block) != OP_TYPE_STRUCT)
        return false;
    t->block = variable[2];
    t->block_type = block[1];
    t->members = spirv_length(block) - 2;
    return true;
}

static bool look_at_constant(struct thaw *t, const uint32_t *at)
{
    struct id *const it = id_of(t, at[2]);

    if (it == t->ids)
        return false;
    it->made = at;
    if (is_expression(spirv_opcode(at))) {
        it->thawed = names_thawed(t, at);
        return true;
    }
    it->thawed = it->spec > 0 && t->left >> (it->spec - 1) & 1;
    if (it->thawed)
        t->left &= ~(1u << (it->spec - 1));
    return !it->thawed || (t->uint_type && member_type(t, at));
}

/* Notes a global.  False: it is none that a thawed shader can have. */
static bool look(struct thaw *t, const uint32_t *at)
{
    const uint32_t op = spirv_opcode(at), n = spirv_length(at);

    if (op == OP_DECORATE && n == 4) {
        if (at[2] == DECORATION_SPEC_ID && at[3] < IDS)
            id_of(t, at[1])->spec = at[3] + 1;
    } else if (op == OP_TYPE_BOOL && n == 2) {
        t->bool_type = at[1];
    } else if ((op == OP_TYPE_INT && n == 4) || (op == OP_TYPE_STRUCT && n > 1) ||
               (op == OP_TYPE_POINTER && n == 4)) {
        id_of(t, at[1])->made = at;
        if (op == OP_TYPE_INT && at[2] == 32 && at[3] == 0)
            t->uint_type = at[1];
    } else if (op == OP_TYPE_ARRAY) {
        return n == 4 && !id_of(t, at[3])->thawed;
    } else if (op == OP_VARIABLE && n == 4 && at[3] == STORAGE_PUSH_CONSTANT) {
        return look_at_block(t, at);
    } else if ((is_constant(op) && n > 2) || (is_expression(op) && n > 3)) {
        return look_at_constant(t, at);
    }
    return true;
}

/* ---- the copy ---- */

static void put(struct thaw *t, uint32_t op, uint32_t operands, const uint32_t *words)
{
    t->to[t->n++] = (operands + 1) << 16 | op;
    memcpy(t->to + t->n, words, operands * sizeof *words);
    t->n += operands;
}

#define PUT(t, op, ...)                                                                            \
    put((t), (op), sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t),                         \
        (uint32_t[]){ __VA_ARGS__ })

static void copy(struct thaw *t, const uint32_t *at)
{
    memcpy(t->to + t->n, at, spirv_length(at) * sizeof *at);
    t->n += spirv_length(at);
}

/* How many thawed ids are below this one. */
static uint32_t place_of(const struct thaw *t, uint32_t spec_id)
{
    uint32_t place = 0;

    for (uint32_t i = 0; i < spec_id; i++)
        place += t->mask >> i & 1;
    return place;
}

/* The members follow those of the block, in the order of the ids in the module: `members` counts
 * them. */
static void put_decorations(struct thaw *t)
{
    uint32_t member = t->members;

    for (uint32_t id = 1; id < t->bound; id++)
        if (t->ids[id].thawed && is_constant(spirv_opcode(t->ids[id].made)))
            PUT(t, OP_MEMBER_DECORATE, t->block_type, member++, DECORATION_OFFSET,
                t->at + 4 * place_of(t, t->ids[id].spec - 1));
}

static void put_block(struct thaw *t, const uint32_t *block)
{
    const size_t from = t->n;

    copy(t, block);
    for (uint32_t id = 1; id < t->bound; id++)
        if (t->ids[id].thawed && is_constant(spirv_opcode(t->ids[id].made)))
            t->to[t->n++] = member_type(t, t->ids[id].made);
    t->to[from] = (uint32_t)(t->n - from) << 16 | OP_TYPE_STRUCT;
}

/* What functions need to reach the members. */
static void put_indices(struct thaw *t)
{
    uint32_t member = t->members;

    t->zero = t->new_bound++;
    PUT(t, OP_CONSTANT, t->uint_type, t->zero, 0);
    for (uint32_t id = 1; id < t->bound; id++)
        if (t->ids[id].thawed && is_constant(spirv_opcode(t->ids[id].made))) {
            const uint32_t place = place_of(t, t->ids[id].spec - 1);

            t->pointer_type[place] = t->new_bound++;
            t->index[place] = t->new_bound++;
            PUT(t, OP_TYPE_POINTER, t->pointer_type[place], STORAGE_PUSH_CONSTANT,
                member_type(t, t->ids[id].made));
            PUT(t, OP_CONSTANT, t->uint_type, t->index[place], member++);
        }
}

/* The instruction makes a thawed id. */
static bool is_made_thawed(struct thaw *t, const uint32_t *at)
{
    return (is_constant(spirv_opcode(at)) || is_expression(spirv_opcode(at))) &&
           spirv_length(at) > 2 && id_of(t, at[2])->thawed && id_of(t, at[2])->made == at;
}

/* All but the functions.  Integer types come first of the types, since the block may need them. */
static void put_globals(struct thaw *t)
{
    const uint32_t *const end = t->words + t->functions;
    bool types = false;

    for (const uint32_t *at = t->words + SPIRV_HEADER_WORDS; at < end; at = next(at)) {
        const uint32_t op = spirv_opcode(at);

        if (!types && op >= OP_TYPE_VOID && op < OP_FUNCTION) {
            types = true;
            put_decorations(t);
            for (const uint32_t *later = at; later < end; later = next(later))
                if (spirv_opcode(later) == OP_TYPE_INT)
                    copy(t, later);
        }
        if (op == OP_TYPE_INT || is_made_thawed(t, at) ||
            (op == OP_DECORATE && spirv_length(at) > 1 && id_of(t, at[1])->thawed))
            continue;
        if (op == OP_TYPE_STRUCT && at == id_of(t, t->block_type)->made)
            put_block(t, at);
        else
            copy(t, at);
    }
    put_indices(t);
}

/* Copies an instruction with the names that thawed ids have in the function. */
static void copy_renamed(struct thaw *t, const uint32_t *at)
{
    uint32_t *const to = t->to + t->n;

    copy(t, at);
    for (uint32_t i = 1; i < spirv_length(at); i++) {
        const struct id *const it = thawed_at(t, at, i);

        if (it)
            to[i] = it->now;
    }
}

static void put_constant(struct thaw *t, struct id *it)
{
    const uint32_t place = place_of(t, it->spec - 1), type = member_type(t, it->made);
    const uint32_t pointer = t->new_bound++;
    uint32_t value = t->new_bound++;

    PUT(t, OP_ACCESS_CHAIN, t->pointer_type[place], pointer, t->block, t->index[place]);
    PUT(t, OP_LOAD, type, value, pointer);
    if (spirv_opcode(it->made) != OP_SPEC_CONSTANT) {
        PUT(t, OP_I_NOT_EQUAL, t->bool_type, t->new_bound, value, t->zero);
        value = t->new_bound++;
    }
    it->now = value;
}

/* The same value by an instruction of a function. */
static void put_expression(struct thaw *t, struct id *it)
{
    uint32_t *const to = t->to + t->n, n = spirv_length(it->made);

    copy_renamed(t, it->made);
    if (spirv_opcode(to) == OP_SPEC_CONSTANT_COMPOSITE) {
        to[0] = n << 16 | OP_COMPOSITE_CONSTRUCT;
    } else {
        to[0] = (n - 1) << 16 | to[3];
        memmove(to + 3, to + 4, (n - 4) * sizeof *to);
        t->n--;
    }
    to[2] = it->now = t->new_bound++;
}

/* In the order of the module, in which operands come first. */
static void put_thawed(struct thaw *t)
{
    const uint32_t *const end = t->words + t->functions;

    for (const uint32_t *at = t->words + SPIRV_HEADER_WORDS; at < end; at = next(at)) {
        if (!is_made_thawed(t, at))
            continue;
        if (is_constant(spirv_opcode(at)))
            put_constant(t, &t->ids[at[2]]);
        else
            put_expression(t, &t->ids[at[2]]);
    }
}

/* One that uses a thawed constant reads all, of which the driver drops the rest.  Returns where the
 * next function begins. */
static const uint32_t *put_function(struct thaw *t, const uint32_t *function)
{
    const uint32_t *end = function;
    bool undefined = false, labelled = false;

    for (; end < t->words + t->count && spirv_opcode(end) != OP_FUNCTION_END; end = next(end))
        undefined |= names_thawed(t, end);
    for (const uint32_t *at = function; at < end; at = next(at)) {
        const uint32_t op = spirv_opcode(at);

        /* A function declares its variables first, in its first block. */
        if (labelled && undefined && op != OP_VARIABLE) {
            put_thawed(t);
            undefined = false;
        }
        labelled |= op == OP_LABEL;
        copy_renamed(t, at);
    }
    if (end < t->words + t->count) {
        copy(t, end);
        end = next(end);
    }
    return end;
}

/* Words of the copy, at most. */
static size_t room(const struct thaw *t)
{
    size_t functions = 1, definitions = 0;

    for (const uint32_t *at = t->words + SPIRV_HEADER_WORDS; at < t->words + t->count;
         at = next(at)) {
        functions += spirv_opcode(at) == OP_FUNCTION_END;
        if (is_expression(spirv_opcode(at)))
            definitions += spirv_length(at);
    }
    /* Of each constant a decoration, a member, a pointer type, and an index. */
    return t->count + 4 + (size_t)IDS * (5 + 1 + 4 + 4) +
           functions * (definitions + (size_t)IDS * CONSTANT_WORDS);
}

static bool look_at_all(struct thaw *t)
{
    const uint32_t *at = t->words + SPIRV_HEADER_WORDS, *const end = t->words + t->count;

    for (; at < end && spirv_opcode(at) != OP_FUNCTION; at = next(at))
        if (!look(t, at))
            return false;
    t->functions = (size_t)(at - t->words);
    return t->block && t->uint_type;
}

static void write_thawed(struct thaw *t)
{
    const uint32_t *at = t->words + t->functions;

    memcpy(t->to, t->words, SPIRV_HEADER_WORDS * sizeof *t->to);
    t->n = SPIRV_HEADER_WORDS;
    t->new_bound = t->bound;
    put_globals(t);
    while (at < t->words + t->count)
        at = put_function(t, at);
    t->to[SPIRV_BOUND] = t->new_bound;
}

uint32_t *spirv_thaw(const uint32_t *words, size_t count, uint32_t ids, uint32_t at,
                     size_t *thawed_count)
{
    struct thaw t = { .words = words, .count = count, .mask = ids, .at = at, .left = ids };

    if (!spirv_well_formed(words, count))
        return NULL;
    t.bound = words[SPIRV_BOUND];
    t.ids = mem_alloc(t.bound, sizeof *t.ids);
    if (t.ids && look_at_all(&t) && (t.to = mem_alloc(room(&t), sizeof *t.to))) {
        write_thawed(&t);
        *thawed_count = t.n;
    }
    mem_free(t.ids);
    return t.to;
}
