/* Images as 8-bit samples, with channels and size as a model expects them.
 *
 * The bytes are hostile.  Sides and the number of pixels are limited before memory is taken. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_IMAGE_H
#define ASSAY_CONFORMANCE_SUITE_IO_IMAGE_H

#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

enum { IMAGE_SIDE_MAX = 32768, IMAGE_CHANNELS_MAX = 4 };

/* Rows from the top, pixels from the left.  Channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. */
struct image {
    uint32_t width, height, channels;
    uint8_t *pixels; /* owned */
};

void image_close(struct image *im);

/* A new image of that many channels (1, 3 or 4).  Grey is BT.601 luma; alpha is dropped, or opaque
 * where there is none. */
enum status image_to_channels(struct image *out, const struct image *in, uint32_t channels,
                              struct diag *diag);
/* A new image of that size: bilinear, half-pixel centres, edges repeated, rounded to nearest. */
enum status image_resize(struct image *out, const struct image *in, uint32_t width, uint32_t height,
                         struct diag *diag);

/* Checks the limits. */
enum status image_check(uint64_t width, uint64_t height, struct diag *diag);
/* Checks the limits, and allocates. */
enum status image_alloc(struct image *im, uint64_t width, uint64_t height, uint32_t channels,
                        struct diag *diag);

#endif
