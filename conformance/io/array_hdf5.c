/* Arrays from and to HDF5 files.  libhdf5's own error stack is not printed. */
#include "conformance/io/array_hdf5.h"

#include "conformance/util/output.h"
#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/memory.h"

/* The API of version 1.10 under its plain names, with newer libraries too. */
#define H5_USE_110_API
#include <hdf5.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A file may declare a dataset of any size without storing it. */
static const size_t bytes_max = (size_t)1 << 30;

enum { HANDLES = 6 };
enum handle { FILE_ID, DATASET, SPACE, SLICE, MEMORY, TYPE };

struct source {
    hid_t id[HANDLES];
};

static void source_close(struct source *s)
{
    if (s->id[TYPE] >= 0)
        H5Tclose(s->id[TYPE]);
    if (s->id[MEMORY] >= 0)
        H5Sclose(s->id[MEMORY]);
    if (s->id[SLICE] >= 0)
        H5Sclose(s->id[SLICE]);
    if (s->id[SPACE] >= 0)
        H5Sclose(s->id[SPACE]);
    if (s->id[DATASET] >= 0)
        H5Dclose(s->id[DATASET]);
    if (s->id[FILE_ID] >= 0)
        H5Fclose(s->id[FILE_ID]);
}

/* IEEE binary16, little-endian, which this library has no name for. */
static hid_t half_type(void)
{
    const hid_t t = H5Tcopy(H5T_IEEE_F32LE);

    if (t < 0 || H5Tset_fields(t, 15, 10, 5, 0, 10) < 0 || H5Tset_precision(t, 16) < 0 ||
        H5Tset_size(t, 2) < 0 || H5Tset_ebias(t, 15) < 0) {
        H5Tclose(t);
        return -1;
    }
    return t;
}

/* The element type in memory: a new handle, -1 when HDF5 has none. */
static hid_t memory_type(TfLiteType type)
{
    switch (type) {
    case kTfLiteFloat16: return half_type();
    case kTfLiteFloat32: return H5Tcopy(H5T_IEEE_F32LE);
    case kTfLiteFloat64: return H5Tcopy(H5T_IEEE_F64LE);
    case kTfLiteInt8: return H5Tcopy(H5T_STD_I8LE);
    case kTfLiteInt16: return H5Tcopy(H5T_STD_I16LE);
    case kTfLiteInt32: return H5Tcopy(H5T_STD_I32LE);
    case kTfLiteInt64: return H5Tcopy(H5T_STD_I64LE);
    case kTfLiteBool:
    case kTfLiteUInt8: return H5Tcopy(H5T_STD_U8LE);
    case kTfLiteUInt16: return H5Tcopy(H5T_STD_U16LE);
    case kTfLiteUInt32: return H5Tcopy(H5T_STD_U32LE);
    case kTfLiteUInt64: return H5Tcopy(H5T_STD_U64LE);
    default: return -1;
    }
}

static TfLiteType stored_type(hid_t type)
{
    static const TfLiteType floats[] = { kTfLiteFloat16, kTfLiteFloat32, kTfLiteFloat64 };
    static const TfLiteType ints[][2] = { { kTfLiteInt8, kTfLiteUInt8 },
                                          { kTfLiteInt16, kTfLiteUInt16 },
                                          { kTfLiteInt32, kTfLiteUInt32 },
                                          { kTfLiteInt64, kTfLiteUInt64 } };
    const H5T_class_t kind = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    int log = 0;

    while (log < 3 && (size_t)1 << log < size)
        log++;
    if ((size_t)1 << log != size)
        return kTfLiteNoType;
    if (kind == H5T_FLOAT && log >= 1)
        return floats[log - 1];
    if (kind == H5T_INTEGER)
        return ints[log][H5Tget_sign(type) == H5T_SGN_NONE];
    return kTfLiteNoType;
}

/* "images, labels, ..." */
struct names {
    char text[256];
    size_t used;
};

static herr_t add_name(hid_t root, const char *name, const H5O_info_t *info, void *user)
{
    struct names *const n = user;

    (void)root;
    if (info->type == H5O_TYPE_DATASET && n->used < sizeof n->text)
        n->used += (size_t)snprintf(n->text + n->used, sizeof n->text - n->used, "%s%s",
                                    n->used ? ", " : "", name);
    return 0;
}

static enum status no_dataset(hid_t file, const char *dataset, struct diag *diag)
{
    struct names n = { "", 0 };

    if (H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, add_name, &n) < 0 || n.used == 0)
        return diag_fail(diag, STATUS_INVALID, "no dataset %s", dataset);
    return diag_fail(diag, STATUS_INVALID, "no dataset %s; there are: %s", dataset, n.text);
}

static enum status read_shape(struct source *s, struct array *a, int64_t index, struct diag *diag)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_ndims(s->id[SPACE]);
    const size_t first = index >= 0 ? 1 : 0;

    if (rank < 0 || H5Sget_simple_extent_dims(s->id[SPACE], dims, NULL) < 0 ||
        H5Sget_simple_extent_type(s->id[SPACE]) == H5S_NULL)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no plain dataspace");
    if ((size_t)rank > ARRAY_RANK_MAX + first)
        return diag_fail(diag, STATUS_UNSUPPORTED, "rank %d, at most %zu", rank,
                         ARRAY_RANK_MAX + first);
    if (first && (rank == 0 || (hsize_t)index >= dims[0]))
        return diag_fail(diag, STATUS_INVALID, "index %" PRId64 " of %llu", index,
                         rank ? (unsigned long long)dims[0] : 0ULL);
    a->rank = (size_t)rank - first;
    for (size_t i = 0; i < a->rank; i++) {
        if (dims[i + first] > INT32_MAX)
            return diag_fail(diag, STATUS_UNSUPPORTED, "dimension %zu is %llu", i + first,
                             (unsigned long long)dims[i + first]);
        a->dims[i] = (int32_t)dims[i + first];
    }
    if (!checked_elements(a->dims, a->rank, &a->elements) ||
        !checked_mul(a->elements, runtime_type_bits(a->type) / 8, &a->bytes) ||
        a->bytes > bytes_max)
        return diag_fail(diag, STATUS_UNSUPPORTED, "more than %zu bytes", bytes_max);
    return STATUS_OK;
}

static enum status select_slice(struct source *s, const struct array *a, int64_t index,
                                struct diag *diag)
{
    hsize_t start[ARRAY_RANK_MAX + 1] = { (hsize_t)index }, count[ARRAY_RANK_MAX + 1] = { 1 };

    for (size_t i = 0; i < a->rank; i++)
        count[i + 1] = (hsize_t)a->dims[i];
    s->id[SLICE] = H5Scopy(s->id[SPACE]);
    s->id[MEMORY] = H5Screate_simple((int)a->rank + 1, count, NULL);
    if (s->id[SLICE] < 0 || s->id[MEMORY] < 0 ||
        H5Sselect_hyperslab(s->id[SLICE], H5S_SELECT_SET, start, NULL, count, NULL) < 0)
        return diag_fail(diag, STATUS_INVALID, "cannot select index %" PRId64, index);
    return STATUS_OK;
}

static enum status read_from(struct source *s, struct array *a, const char *path,
                             const char *dataset, int64_t index, struct diag *diag)
{
    const bool slice = index >= 0;
    hid_t type;

    s->id[FILE_ID] = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (s->id[FILE_ID] < 0)
        return diag_fail(diag, STATUS_IO, "not a readable HDF5 file");
    s->id[DATASET] = H5Dopen2(s->id[FILE_ID], dataset, H5P_DEFAULT);
    if (s->id[DATASET] < 0)
        return no_dataset(s->id[FILE_ID], dataset, diag);
    s->id[SPACE] = H5Dget_space(s->id[DATASET]);
    type = H5Dget_type(s->id[DATASET]);
    a->type = stored_type(type);
    H5Tclose(type);
    if (a->type == kTfLiteNoType)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s: elements are no plain numbers", dataset);
    TRY(diag_prefix(diag, read_shape(s, a, index, diag), "%s", dataset));
    if (slice)
        TRY(select_slice(s, a, index, diag));
    s->id[TYPE] = memory_type(a->type);
    if (!(a->data = mem_alloc(a->bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu bytes", a->bytes);
    if (s->id[TYPE] < 0 || H5Dread(s->id[DATASET], s->id[TYPE], slice ? s->id[MEMORY] : H5S_ALL,
                                   slice ? s->id[SLICE] : H5S_ALL, H5P_DEFAULT, a->data) < 0)
        return diag_fail(diag, STATUS_IO, "%s: cannot be read (damaged, or an unknown filter)",
                         dataset);
    return STATUS_OK;
}

enum status hdf5_read(struct array *out, const char *path, const char *dataset, int64_t index,
                      struct diag *diag)
{
    struct source s;
    enum status status;

    *out = (struct array){ 0 };
    for (int i = 0; i < HANDLES; i++)
        s.id[i] = -1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    status = read_from(&s, out, path, dataset, index, diag);
    source_close(&s);
    if (status != STATUS_OK)
        array_close(out);
    return diag_prefix(diag, status, "%s", path);
}

/* ---- writing ---- */

static bool write_item(hid_t file, hid_t links, hid_t create, const struct array_item *item)
{
    const struct array *const a = item->array;
    const hid_t type = memory_type(a->type);
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
    if (size > 0 && (*image = mem_alloc((size_t)size, 1)) != NULL)
        *bytes = (size_t)H5Fget_file_image(file, *image, (size_t)size);
    if (file >= 0)
        H5Fclose(file);
    H5Pclose(create);
    H5Pclose(links);
    H5Pclose(access);
    if (!*image)
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
