/* The shaders, compiled at build time and embedded: delegate/embed.sh writes the table. */
#ifndef ASSAY_DELEGATE_SPIRV_H
#define ASSAY_DELEGATE_SPIRV_H

#include <stddef.h>
#include <stdint.h>

struct spirv {
    const char *name; /* "conv_2d.f32" */
    const uint32_t *words;
    size_t bytes;
};

extern const struct spirv spirv_shaders[];
extern const size_t spirv_shader_count;

#endif
