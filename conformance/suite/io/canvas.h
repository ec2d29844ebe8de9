/* Drawing on an RGB image.  What lies outside of it is cut off. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_CANVAS_H
#define ASSAY_CONFORMANCE_SUITE_IO_CANVAS_H

#include "conformance/suite/io/image.h"

#include <stddef.h>
#include <stdint.h>

struct colour {
    uint8_t r, g, b;
};

/* Colours that neighbours in number tell apart: hues a golden angle from each other. */
struct colour canvas_colour(size_t number);

struct canvas {
    struct image *image; /* borrowed, 3 channels */
    int unit;            /* pixels of a line and of a dot of the font, from the image's size */
};
struct canvas canvas_on(struct image *image);

/* share of the colour, from 0 to 1 */
void canvas_blend(const struct canvas *c, int x, int y, struct colour colour, double share);
void canvas_box(const struct canvas *c, double left, double top, double right, double bottom,
                struct colour colour);
void canvas_line(const struct canvas *c, double x0, double y0, double x1, double y1,
                 struct colour colour);
void canvas_dot(const struct canvas *c, double x, double y, struct colour colour);
/* On a plate of that colour whose upper left corner is there, moved into the image. */
void canvas_text(const struct canvas *c, double x, double y, const char *text,
                 struct colour colour);
/* The height of a plate. */
int canvas_text_height(const struct canvas *c);

#endif
