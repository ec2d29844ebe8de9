/* Writes an image as PNG. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_IMAGE_WRITE_H
#define ASSAY_CONFORMANCE_SUITE_IO_IMAGE_WRITE_H

#include "conformance/suite/io/image.h"

/* An image of 1 or 3 channels; the file is written whole or not at all. */
enum status image_write_png(const struct image *im, const char *path, struct diag *diag);

#endif
