/* Draws pixel by pixel. */
#include "conformance/suite/io/canvas.h"

#include "conformance/suite/io/canvas_font.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PIXELS_A_UNIT = 320 };

struct canvas canvas_on(struct image *image)
{
    const uint32_t side = image->width > image->height ? image->width : image->height;
    const int unit = (int)((side + PIXELS_A_UNIT / 2) / PIXELS_A_UNIT);

    return (struct canvas){ image, unit < 1 ? 1 : unit };
}

struct colour canvas_colour(size_t number)
{
    const double hue = fmod((double)number * 137.508, 360) / 60; /* sixths of the circle */
    const double value = number % 2 ? 200 : 255;
    const double fraction = hue - floor(hue);
    const uint8_t high = (uint8_t)value, low = (uint8_t)(0.1 * value),
                  rising = (uint8_t)(value * (0.1 + 0.9 * fraction)),
                  falling = (uint8_t)(value * (1 - 0.9 * fraction));

    switch ((int)hue) {
    case 0: return (struct colour){ high, rising, low };
    case 1: return (struct colour){ falling, high, low };
    case 2: return (struct colour){ low, high, rising };
    case 3: return (struct colour){ low, falling, high };
    case 4: return (struct colour){ rising, low, high };
    default: return (struct colour){ high, low, falling };
    }
}

static uint8_t mixed(uint8_t a, uint8_t b, double share)
{
    return (uint8_t)lround(a + (b - a) * share);
}

void canvas_blend(const struct canvas *c, int x, int y, struct colour colour, double share)
{
    uint8_t *p;

    if (x < 0 || y < 0 || (uint32_t)x >= c->image->width || (uint32_t)y >= c->image->height)
        return;
    p = c->image->pixels + 3 * ((size_t)y * c->image->width + (size_t)x);
    p[0] = mixed(p[0], colour.r, share);
    p[1] = mixed(p[1], colour.g, share);
    p[2] = mixed(p[2], colour.b, share);
}

/* The nearest pixel, kept in reach of the image so that loops over it are short; of NaN 0. */
static int pixel(double at, uint32_t extent)
{
    const double far = 2.0 * extent + 16;

    return (int)lround(at > far ? far : at > -far ? at : -far);
}

static void fill(const struct canvas *c, int left, int top, int right, int bottom,
                 struct colour colour)
{
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++)
            canvas_blend(c, x, y, colour, 1);
    }
}

void canvas_box(const struct canvas *c, double left, double top, double right, double bottom,
                struct colour colour)
{
    const int l = pixel(left, c->image->width), r = pixel(right, c->image->width);
    const int t = pixel(top, c->image->height), b = pixel(bottom, c->image->height);
    const int thick = 2 * c->unit;

    fill(c, l, t, r, t + thick, colour);
    fill(c, l, b - thick, r, b, colour);
    fill(c, l, t, l + thick, b, colour);
    fill(c, r - thick, t, r, b, colour);
}

void canvas_dot(const struct canvas *c, double x, double y, struct colour colour)
{
    const int cx = pixel(x, c->image->width), cy = pixel(y, c->image->height), radius = 3 * c->unit;

    for (int dy = -radius; dy <= radius; dy++) {
        for (int dx = -radius; dx <= radius; dx++) {
            if (dx * dx + dy * dy <= radius * radius)
                canvas_blend(c, cx + dx, cy + dy, colour, 1);
        }
    }
}

void canvas_line(const struct canvas *c, double x0, double y0, double x1, double y1,
                 struct colour colour)
{
    const int ax = pixel(x0, c->image->width), bx = pixel(x1, c->image->width);
    const int ay = pixel(y0, c->image->height), by = pixel(y1, c->image->height);
    const int steps = (int)fmax(fmax(abs(bx - ax), abs(by - ay)), 1);

    for (int i = 0; i <= steps; i++) {
        const int x = ax + (int)lround((double)(bx - ax) * i / steps);
        const int y = ay + (int)lround((double)(by - ay) * i / steps);

        fill(c, x, y, x + c->unit, y + c->unit, colour);
    }
}

int canvas_text_height(const struct canvas *c)
{
    return (FONT_HEIGHT + 3) * c->unit;
}

static bool is_continued(char code)
{
    return ((unsigned char)code & 0xC0) == 0x80; /* of a character in UTF-8 */
}

static void put_glyph(const struct canvas *c, int left, int top, char code, struct colour ink)
{
    const uint8_t *const rows = font_glyph(code);

    for (int y = 0; y < FONT_HEIGHT; y++) {
        for (int x = 0; x < FONT_WIDTH; x++) {
            if (rows[y] >> (FONT_WIDTH - 1 - x) & 1)
                fill(c, left + x * c->unit, top + y * c->unit, left + (x + 1) * c->unit,
                     top + (y + 1) * c->unit, ink);
        }
    }
}

void canvas_text(const struct canvas *c, double x, double y, const char *text, struct colour colour)
{
    const bool bright = 2 * colour.r + 5 * colour.g + colour.b > 8 * 128;
    const struct colour ink =
        bright ? (struct colour){ 0, 0, 0 } : (struct colour){ 255, 255, 255 };
    const int advance = (FONT_WIDTH + 1) * c->unit, high = canvas_text_height(c);
    int left = pixel(x, c->image->width), top = pixel(y, c->image->height), count = 0, wide;

    for (const char *t = text; *t; t++)
        count += !is_continued(*t);
    wide = count * advance + 2 * c->unit;
    left = left + wide > (int)c->image->width ? (int)c->image->width - wide : left;
    left = left < 0 ? 0 : left;
    top = top + high > (int)c->image->height ? (int)c->image->height - high : top;
    top = top < 0 ? 0 : top;
    fill(c, left, top, left + wide, top + high, colour);
    left += c->unit + c->unit / 2;
    for (const char *t = text; *t; t++) {
        if (is_continued(*t))
            continue;
        put_glyph(c, left, top + c->unit + c->unit / 2, *t, ink);
        left += advance;
    }
}
