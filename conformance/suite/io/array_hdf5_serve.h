/* The child process that reads a dataset of an HDF5 file for hdf5_read: parser.h says why. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_ARRAY_HDF5_SERVE_H
#define ASSAY_CONFORMANCE_SUITE_IO_ARRAY_HDF5_SERVE_H

#include "conformance/suite/io/array.h"
#include "conformance/util/parser.h"

/* The API of version 1.10 under its plain names, with newer libraries too. */
#define H5_USE_110_API
#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* What the child is to read. */
struct hdf5_errand {
    const char *path, *dataset;
    int64_t index; /* below 0: all of it */
};

/* Its first answer, which the parent checks. */
struct hdf5_shape {
    int32_t type, rank, dims[ARRAY_RANK_MAX];
};

/* user: a struct hdf5_errand.  Answers with a status and the shape; when it is sent a byte, with a
 * status and the elements, of which the parent has then found that they fit. */
void hdf5_serve(int socket, void *user);

/* parser_answer, where the library's own word of a shortage of memory counts.  False: the
 * parent is gone. */
bool hdf5_answer(int socket, struct parser_reply *reply);

/* The type that elements have in memory and in files: a new handle, -1 when HDF5 has none. */
hid_t hdf5_memory_type(TfLiteType type);

#endif
