/* The shaders, compiled at build time: packed by pack.c, unpacked once a process (zlib). */
#ifndef ASSAY_DELEGATE_SHADERS_SPIRV_H
#define ASSAY_DELEGATE_SHADERS_SPIRV_H

#include "delegate/shaders/unpack.h"

extern const struct spirv spirv_shaders[];
extern const size_t spirv_shader_count;

/* The words of all shaders in the form that unpack.h describes. */
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

/* Room for the words of all shaders, for spirv_code. */
extern uint32_t spirv_words[];
extern const size_t spirv_word_count;

#endif
