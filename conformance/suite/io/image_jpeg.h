/* Images from JPEG through libjpeg.  In this process: image_read.h has the
 * functions for files of others. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_IMAGE_JPEG_H
#define ASSAY_CONFORMANCE_SUITE_IO_IMAGE_JPEG_H

#include "conformance/suite/io/image.h"

/* As image_read, of bytes that image_sniff knows as this format. */
enum status image_read_jpeg(struct image *out, const uint8_t *bytes, size_t count,
                            struct diag *diag);

#endif
