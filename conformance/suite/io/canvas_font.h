/* A bitmap font for labels in pictures: capitals, digits and a few signs. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_CANVAS_FONT_H
#define ASSAY_CONFORMANCE_SUITE_IO_CANVAS_FONT_H

#include <stdint.h>

enum { FONT_WIDTH = 5, FONT_HEIGHT = 7 };

/* FONT_HEIGHT rows, bit 4 on the left.  Small letters are drawn as capitals, what the font lacks as
 * a question mark. */
const uint8_t *font_glyph(char code);

#endif
