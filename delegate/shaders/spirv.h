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

/* The words of all shaders, one after the other, as bytes in four planes (the first byte of each
 * word, the second of each, ...), which deflates better; a gzip file. */
extern const uint8_t spirv_packed[];
extern const size_t spirv_packed_bytes;

/* NULL: there is none of this name. */
const struct spirv *spirv_find(const char *name);
/* The words of a shader.  The first call of the process unpacks all shaders, which takes a few
 * milliseconds. NULL: no memory for that; a later call tries again.  Any thread. */
const uint32_t *spirv_code(const struct spirv *s);
/* Unpacks a gzip file of exactly 4 * words bytes, which come in four planes: byte i goes to
 * out[i % words * 4 + i / words].  False: it is not such a file, its checksum is wrong, or no
 * memory. */
bool spirv_unpack(uint8_t *out, size_t words, const uint8_t *file, size_t bytes);

/* Room for the words of all shaders, for spirv_code. */
extern uint32_t spirv_words[];
extern const size_t spirv_word_count;

#endif
