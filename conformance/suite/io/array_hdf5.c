/* Arrays from and to HDF5 files.  Files are read by a child process: a file may crash libhdf5, keep
 * it busy for ever, or lead it to other files. */
#include "conformance/suite/io/array_hdf5.h"

#include "conformance/suite/io/array_hdf5_serve.h"
#include "conformance/util/output.h"
#include "conformance/util/parser.h"
#include "reference/base/builtin.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

static enum status receive_shape(struct parser *p, struct array *a, const char *dataset,
                                 struct diag *diag)
{
    struct hdf5_shape shape;

    TRY(parser_receive(p, &shape, sizeof shape, diag));
    *a = (struct array){ .type = (TfLiteType)shape.type, .rank = (size_t)shape.rank };
    /* A rank below 0 has become a large one; no type is below 0, so such a one has no bits. */
    if (a->rank > ARRAY_RANK_MAX || runtime_type_bits(a->type) < 8)
        return diag_fail(diag, STATUS_IO, "%s: libhdf5 has no type or rank for it", dataset);
    memcpy(a->dims, shape.dims, sizeof a->dims);
    if (!array_measure(a) || a->bytes > limit_of(LIMIT_DATASET_BYTES))
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s: more than %llu MiB (limit dataset_bytes)",
                         dataset, (unsigned long long)(limit_of(LIMIT_DATASET_BYTES) >> 20));
    return STATUS_OK;
}

static enum status receive(struct parser *p, struct array *a, const struct hdf5_errand *e,
                           const struct array_check *check, struct diag *diag)
{
    TRY(parser_result(p, diag));
    TRY(receive_shape(p, a, e->dataset, diag));
    if (check)
        TRY(diag_prefix(diag, check->takes(check->user, a, diag), "%s", e->dataset));
    if (!(a->data = mem_alloc(a->bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: %zu bytes", e->dataset, a->bytes);
    TRY(parser_send(p, "", 1, diag));
    TRY(parser_result(p, diag));
    return parser_receive(p, a->data, a->bytes, diag);
}

enum status hdf5_read(struct array *out, const char *path, const char *dataset, int64_t index,
                      const struct array_check *check, struct diag *diag)
{
    struct hdf5_errand e = { path, dataset, index };
    const struct parser_job job = { .name = "libhdf5",
                                    .result_bytes = limit_of(LIMIT_DATASET_BYTES),
                                    .files = 1,
                                    .serve = hdf5_serve,
                                    .user = &e };
    struct parser p;
    enum status s;

    *out = (struct array){ 0 };
    TRY(file_expect_regular(path, diag));
    if ((s = parser_start(&p, &job, diag)) == STATUS_OK) {
        s = receive(&p, out, &e, check, diag);
        parser_end(&p);
    }
    if (s != STATUS_OK)
        array_close(out);
    return diag_prefix(diag, s, "%s", path);
}

/* ---- writing ---- */

static bool write_item(hid_t file, hid_t links, hid_t create, const struct array_item *item)
{
    const struct array *const a = item->array;
    const hid_t type = hdf5_memory_type(a->type);
    hsize_t dims[ARRAY_RANK_MAX];
    hid_t space, dataset = -1;
    bool ok;

    for (size_t i = 0; i < a->rank; i++)
        dims[i] = (hsize_t)a->dims[i];
    space = a->rank ? H5Screate_simple((int)a->rank, dims, NULL) : H5Screate(H5S_SCALAR);
    if (type >= 0 && space >= 0)
        dataset = H5Dcreate2(file, item->name, type, space, links, create, H5P_DEFAULT);
    ok = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) >= 0;
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

/* Builds the file in memory, so that it is written whole or not at all. */
static enum status make_image(const struct array_item *items, size_t count, uint8_t **image,
                              size_t *bytes, struct diag *diag)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), links = H5Pcreate(H5P_LINK_CREATE),
                create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t file = -1;
    ssize_t size = -1;
    bool ok;

    ok = access >= 0 && links >= 0 && create >= 0 &&
         H5Pset_fapl_core(access, 1 << 16, false) >= 0 &&
         H5Pset_create_intermediate_group(links, 1) >= 0 &&
         H5Pset_obj_track_times(create, false) >= 0;
    if (ok)
        file = H5Fcreate("assay", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ok = ok && file >= 0;
    for (size_t i = 0; ok && i < count; i++)
        ok = write_item(file, links, create, &items[i]);
    if (ok && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0)
        size = H5Fget_file_image(file, NULL, 0);
    if (size > 0 && (*image = mem_alloc((size_t)size, 1)) != NULL &&
        H5Fget_file_image(file, *image, (size_t)size) == size)
        *bytes = (size_t)size;
    if (file >= 0)
        H5Fclose(file);
    H5Pclose(create);
    H5Pclose(links);
    H5Pclose(access);
    if (*bytes == 0)
        return diag_fail(diag, STATUS_UNSUPPORTED, "the arrays do not make an HDF5 file");
    return STATUS_OK;
}

enum status hdf5_write(const char *path, const struct array_item *items, size_t count,
                       struct diag *diag)
{
    uint8_t *image = NULL;
    size_t bytes = 0;
    enum status s;

    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    s = make_image(items, count, &image, &bytes, diag);
    if (s == STATUS_OK)
        s = output_write_file(path, image, bytes, diag);
    mem_free(image);
    return s;
}
