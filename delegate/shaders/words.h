/* SPIR-V as words: what freeze.c and thaw.c know of it.  Numbers are those of the specification. */
#ifndef ASSAY_DELEGATE_SHADERS_WORDS_H
#define ASSAY_DELEGATE_SHADERS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OP_EXT_INST = 12,
    OP_TYPE_VOID = 19, /* the first of the types, which follow the decorations */
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_SPEC_CONSTANT_COMPOSITE = 51,
    OP_SPEC_CONSTANT_OP = 52,
    OP_FUNCTION = 54,
    OP_FUNCTION_END = 56,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_ACCESS_CHAIN = 65,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_VECTOR_SHUFFLE = 79,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_COMPOSITE_EXTRACT = 81,
    OP_COMPOSITE_INSERT = 82,
    OP_I_NOT_EQUAL = 171,
    OP_LOOP_MERGE = 246,
    OP_SELECTION_MERGE = 247,
    OP_LABEL = 248,
    OP_BRANCH_CONDITIONAL = 250,
    OP_SWITCH = 251,
    OP_S_DOT = 4450, /* and unsigned, mixed, and the three that saturate: to 4455 */

    DECORATION_SPEC_ID = 1,
    DECORATION_ARRAY_STRIDE = 6,
    DECORATION_OFFSET = 35,
    STORAGE_PUSH_CONSTANT = 9,

    SPIRV_HEADER_WORDS = 5,
    SPIRV_BOUND = 3 /* word of the header: all ids are below it */
};

static inline uint32_t spirv_opcode(const uint32_t *at)
{
    return at[0] & 0xffff;
}

static inline uint32_t spirv_length(const uint32_t *at)
{
    return at[0] >> 16;
}

/* A header, and instructions that end where the words do. */
static inline bool spirv_well_formed(const uint32_t *words, size_t count)
{
    size_t i = SPIRV_HEADER_WORDS;

    if (count < SPIRV_HEADER_WORDS)
        return false;
    while (i < count && spirv_length(words + i) > 0 && spirv_length(words + i) <= count - i)
        i += spirv_length(words + i);
    return i == count;
}

#endif
