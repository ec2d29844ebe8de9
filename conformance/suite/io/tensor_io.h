/* Tensors from files and to files, as `assay run` takes and writes them.
 *
 * An input file is known by its first bytes: an image (BMP, JPEG, PNG), .npy, HDF5 as FILE:DATASET
 * or FILE:DATASET[i], else raw bytes in the tensor's own type.
 *   - Images are converted to the tensor's channels, resized to its height and width, and become
 *     pixel values: u8 as it is, i8 less 128, float (pixel - mean) / std.
 *   - Arrays of the tensor's type are copied; floats convert to floats and, as real values, to
 *     quantized 8 bits; integers to integer types that hold them.  The shape must be the tensor's,
 *     but for dimensions of 1.  u8 arrays [h, w], [h, w, c] or [1, h, w, c] for a tensor that they
 * do not fit as they are, are images. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_TENSOR_IO_H
#define ASSAY_CONFORMANCE_SUITE_IO_TENSOR_IO_H

#include "conformance/suite/io/array.h"
#include "conformance/suite/io/image.h"
#include "reference/base/diag.h"
#include "tensorflow/lite/c/common.h"

#include <stddef.h>

struct pixel_scale {
    double mean, std;
};

/* Reads a file into a tensor that is allocated. */
enum status tensor_load(TfLiteTensor *t, const char *path, struct pixel_scale scale,
                        struct diag *diag);
/* The same from an array, and from an image. */
enum status tensor_from_array(TfLiteTensor *t, const struct array *a, struct pixel_scale scale,
                              struct diag *diag);
enum status tensor_from_image(TfLiteTensor *t, const struct image *im, struct pixel_scale scale,
                              struct diag *diag);

/* Writes tensors in the format of the name: .npy, .h5 or .hdf5 (outputs/0, outputs/1, ...), else
 * raw bytes.  Only HDF5 holds more than one tensor. */
enum status tensors_save(TfLiteTensor *const *tensors, size_t count, const char *path,
                         struct diag *diag);

#endif
