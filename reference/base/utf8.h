/* UTF-8, where a text may hold any bytes. */
#ifndef ASSAY_REFERENCE_BASE_UTF8_H
#define ASSAY_REFERENCE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { UTF8_REPLACEMENT = 0xfffd };

/* The code point that text begins with, and how many bytes it has.  What is no UTF-8 (a lone byte,
 * an overlong form, a surrogate, beyond U+10FFFF) is UTF8_REPLACEMENT of one byte.  At the end of
 * the text, 0 of no byte. */
size_t utf8_decode(const char *text, uint32_t *code);

#endif
