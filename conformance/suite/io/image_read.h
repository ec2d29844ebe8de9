/* Reads an image of whichever format its first bytes say. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_IMAGE_READ_H
#define ASSAY_CONFORMANCE_SUITE_IO_IMAGE_READ_H

#include "conformance/suite/io/image.h"

enum image_format { IMAGE_NONE, IMAGE_BMP, IMAGE_JPEG, IMAGE_PNG };

/* The format by its signature. */
enum image_format image_sniff(const uint8_t *bytes, size_t count);

/* Reads an image; JPEG and PNG in a child process with limits (util/parser.h).  STATUS_INVALID or
 * STATUS_UNSUPPORTED with the reason; STATUS_IO where the library crashes, or exceeds a limit.  On
 * failure *out is empty. */
enum status image_read(struct image *out, const uint8_t *bytes, size_t count, struct diag *diag);
/* A map of labels in PNG, as image_read_png_labels. */
enum status image_read_labels(struct image *out, const uint8_t *bytes, size_t count,
                              struct diag *diag);

/* Bytes that image_sniff knows as this format, in this process: the two above are the functions for
 * files of others.  Palette indices, or grey levels of at most 8 bits, are labels as they stand, in
 * one channel. */
enum status image_read_bmp(struct image *out, const uint8_t *bytes, size_t count,
                           struct diag *diag);
enum status image_read_jpeg(struct image *out, const uint8_t *bytes, size_t count,
                            struct diag *diag);
enum status image_read_png(struct image *out, const uint8_t *bytes, size_t count,
                           struct diag *diag);
enum status image_read_png_labels(struct image *out, const uint8_t *bytes, size_t count,
                                  struct diag *diag);

#endif
