/* HDF5 as golden files use it: groups, small attributes, dense arrays of the types of tensors.
 *
 * What is read is hostile: only hard links are followed, only plain layouts and the three filters
 * that mint.py writes are read, and nothing is read whose type and shape are not the expected ones.
 * `where` is the path inside the file, for messages.  The library's own messages are off.
 *
 * A file that cannot be read, or breaks the format: STATUS_IO.  A dataset of another type or shape:
 * STATUS_MISMATCH. */
#ifndef ASSAY_CONFORMANCE_SUITE_GOLDEN_H5_H
#define ASSAY_CONFORMANCE_SUITE_GOLDEN_H5_H

#include "reference/base/diag.h"
#include "tensorflow/lite/c/c_api_types.h"

/* The API of version 1.10 under its plain names, with newer libraries too. */
#define H5_USE_110_API
#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { H5_RANK_MAX = 8 };

struct h5_array {
    TfLiteType type;
    int rank;
    int32_t dims[H5_RANK_MAX];
    void *data;
    size_t bytes;
};

void h5_quiet(void);
/* Closes a handle of any kind; negative ones are ignored. */
void h5_close(hid_t id);

/* ---- reading: in a child process (util/parser.h) ---- */

enum status h5_open_file(const char *path, hid_t *file, struct diag *diag);
/* A group or a dataset, by a single name. */
enum status h5_open(hid_t parent, const char *where, const char *name, H5I_type_t kind, hid_t *out,
                    struct diag *diag);
/* How many members a group has; the name of one, in the order of names. */
enum status h5_count(hid_t group, const char *where, size_t limit, size_t *count,
                     struct diag *diag);
enum status h5_name(hid_t group, const char *where, size_t index, char *name, size_t room,
                    struct diag *diag);
bool h5_has(hid_t group, const char *name);
bool h5_has_attribute(hid_t object, const char *name);
/* A string of fixed length, shorter than room. */
enum status h5_read_text(hid_t object, const char *where, const char *name, char *text, size_t room,
                         struct diag *diag);
/* An integer within [0, max]. */
enum status h5_read_uint(hid_t object, const char *where, const char *name, uint64_t max,
                         uint64_t *value, struct diag *diag);
/* Fills a->data; type, shape and bytes of *a say what has to be there. */
enum status h5_read_array(hid_t group, const char *where, const char *name,
                          const struct h5_array *a, struct diag *diag);
/* ---- writing, to a file image in memory ---- */

enum status h5_image_open(hid_t *file, struct diag *diag);
/* *bytes is freed with mem_free. */
enum status h5_image_close(hid_t file, uint8_t **bytes, size_t *count, struct diag *diag);
/* Creates the groups of path that are not there. */
enum status h5_make_group(hid_t parent, const char *path, hid_t *out, struct diag *diag);
enum status h5_write_text(hid_t object, const char *name, const char *text, struct diag *diag);
enum status h5_write_uint(hid_t object, const char *name, uint64_t value, struct diag *diag);
enum status h5_write_array(hid_t group, const char *name, const struct h5_array *a,
                           struct diag *diag);

#endif
