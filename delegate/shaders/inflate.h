/* Decodes DEFLATE (RFC 1951), so that nothing but libvulkan is needed at run time. */
#ifndef ASSAY_DELEGATE_SHADERS_INFLATE_H
#define ASSAY_DELEGATE_SHADERS_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A gzip file without optional header fields, which holds exactly 4 * words bytes: byte i goes to
 * out[i % words * 4 + i / words], so that four planes become words.  The checksum is not looked at:
 * the file is part of this library.  False: it is not such a file. */
bool inflate_planes(uint8_t *out, size_t words, const uint8_t *file, size_t bytes);

#endif
