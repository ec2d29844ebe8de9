/* The shaders, compiled at build time: packed by delegate/shaders/embed.sh, unpacked once a process
 * (zlib). */
#ifndef ASSAY_DELEGATE_SHADERS_SPIRV_H
#define ASSAY_DELEGATE_SHADERS_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arrays in place of pointers: nothing for the dynamic linker to relocate. */
struct spirv {
    char name[32];  /* "conv_2d.f32" */
    uint32_t first; /* of its words among those of all shaders */
    uint32_t count;
};

extern const struct spirv spirv_shaders[];
extern const size_t spirv_shader_count;

/* The words of all shaders in a form that deflates well, as a gzip file of four planes of bytes
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
extern const uint8_t spirv_packed[];
extern const size_t spirv_packed_bytes;

/* NULL: there is none of this name. */
const struct spirv *spirv_find(const char *name);
/* The words of a shader.  The first call of the process unpacks all shaders, which takes a few
 * milliseconds. NULL: no memory for that; a later call tries again.  Any thread. */
const uint32_t *spirv_code(const struct spirv *s);
/* The same without an answer, for a thread that unpacks while another one opens the device. */
void spirv_prepare(void);
bool spirv_is_prepared(void);
/* Unpacks the packed form of these shaders.  False: it is not of them, or no memory.  There is no
 * checksum, as there is none of the rest of the library: damage that leaves the lists as long as
 * they were is not noticed, and writes nothing outside of `out`, which has room for all words. */
bool spirv_unpack(uint32_t *out, const struct spirv *shaders, size_t count, const uint8_t *file,
                  size_t bytes);

/* Room for the words of all shaders, for spirv_code. */
extern uint32_t spirv_words[];
extern const size_t spirv_word_count;

#endif
