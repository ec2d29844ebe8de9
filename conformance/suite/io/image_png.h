/* Images from PNG through libpng.  In this process: image_read.h has the
 * functions for files of others. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_IMAGE_PNG_H
#define ASSAY_CONFORMANCE_SUITE_IO_IMAGE_PNG_H

#include "conformance/suite/io/image.h"

/* As image_read, of bytes that image_sniff knows as this format. */
enum status image_read_png(struct image *out, const uint8_t *bytes, size_t count,
                           struct diag *diag);
/* A map of labels: palette indices, or grey levels of at most 8 bits, unscaled, in one channel. */
enum status image_read_png_labels(struct image *out, const uint8_t *bytes, size_t count,
                                  struct diag *diag);

#endif
