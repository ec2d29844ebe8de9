/* Reads an image of whichever format its first bytes say. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_IMAGE_READ_H
#define ASSAY_CONFORMANCE_SUITE_IO_IMAGE_READ_H

#include "conformance/suite/io/image.h"

enum image_format { IMAGE_NONE, IMAGE_BMP, IMAGE_JPEG, IMAGE_PNG };

/* The format by its signature. */
enum image_format image_sniff(const uint8_t *bytes, size_t count);
const char *image_format_name(enum image_format format);

/* Reads an image; JPEG and PNG in a child process with limits (util/parser.h).  STATUS_INVALID or
 * STATUS_UNSUPPORTED with the reason; STATUS_IO where the library crashes, or exceeds a limit.  On
 * failure *out is empty. */
enum status image_read(struct image *out, const uint8_t *bytes, size_t count, struct diag *diag);
/* A map of labels in PNG, as image_read_png_labels. */
enum status image_read_labels(struct image *out, const uint8_t *bytes, size_t count,
                              struct diag *diag);

#endif
