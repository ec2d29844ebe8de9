/* Images from Windows bitmaps. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_IMAGE_BMP_H
#define ASSAY_CONFORMANCE_SUITE_IO_IMAGE_BMP_H

#include "conformance/suite/io/image.h"

/* As image_read, of bytes that image_sniff knows as this format. */
enum status image_read_bmp(struct image *out, const uint8_t *bytes, size_t count,
                           struct diag *diag);

#endif
