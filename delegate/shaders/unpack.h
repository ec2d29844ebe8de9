/* Unpacks the words of the shaders, which pack.c has packed when the library was built. */
#ifndef ASSAY_DELEGATE_SHADERS_UNPACK_H
#define ASSAY_DELEGATE_SHADERS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arrays in place of pointers: nothing for the dynamic linker to relocate. */
struct spirv {
    char name[28];  /* "conv_2d.f32" */
    uint32_t first; /* of its words among those of all shaders */
    uint32_t count;
};

/* The packed form deflates well: the words of all shaders as a gzip file of four planes of bytes
 * (the first byte of each word, the second of each, ...).  The words come in lists:
 *
 * - the headers of the shaders, and the first word of each instruction, in their order;
 * - for each opcode, and for each position of an operand in it (the fifth and those behind it share
 *   one), the operands of all shaders.  Opcodes that are alike modulo 1024 share lists, and a list
 * that would be empty is missing.  Its first word is 0: they are themselves, or 1: each is
 * subtracted from the id that would be new.
 *
 * The ids of a shader are numbered in the order in which they appear (spirv-opt --compact-ids), so
 * the operand that equals the newest id of the shader plus 1 is a new id, which the second form
 * stores as 0. */
enum {
    SPIRV_HEADER = 5,
    SPIRV_OPCODES = 1024,
    SPIRV_POSITIONS = 5,
    SPIRV_LISTS = SPIRV_OPCODES * SPIRV_POSITIONS
};

/* The list of an operand, by the first word of its instruction. */
static inline uint32_t spirv_list(uint32_t head, uint32_t position)
{
    return head % SPIRV_OPCODES * SPIRV_POSITIONS +
           (position < SPIRV_POSITIONS ? position : SPIRV_POSITIONS - 1);
}

/* Unpacks the packed form of these shaders.  False: it is not of them, or no memory.  There is no
 * checksum, as there is none of the rest of the library: damage that leaves the lists as long as
 * they were is not noticed, and writes nothing outside of `out`, which has room for all words. */
bool spirv_unpack(uint32_t *out, const struct spirv *shaders, size_t count, const uint8_t *file,
                  size_t bytes);

#endif
