/* The shaders, compiled at build time: packed by delegate/shaders/embed.sh, unpacked once a
 * process. */
#ifndef ASSAY_DELEGATE_SHADERS_SPIRV_H
#define ASSAY_DELEGATE_SHADERS_SPIRV_H

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
/* Its words; unpacks all at the first call of the process, a millisecond or two.  Any thread. */
const uint32_t *spirv_code(const struct spirv *s);

/* Room for the words of all shaders, for spirv_code. */
extern uint32_t spirv_words[];
extern const size_t spirv_word_count;

#endif
