/* Finds and reads a dataset by libhdf5, in a child process.
 *
 * What is read lies in the one file: external links and storage, virtual datasets and filters that
 * would be loaded are refused with what they lead to.  The library's own error stack is not
 * printed.
 */
#include "conformance/suite/io/array_hdf5_serve.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HANDLES = 8, OTHER_BYTES = 256 };
enum handle { FILE_ID, ACCESS, DATASET, CREATION, SPACE, SLICE, MEMORY, TYPE };

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
    if (s->id[CREATION] >= 0)
        H5Pclose(s->id[CREATION]);
    if (s->id[DATASET] >= 0)
        H5Dclose(s->id[DATASET]);
    if (s->id[ACCESS] >= 0)
        H5Pclose(s->id[ACCESS]);
    if (s->id[FILE_ID] >= 0)
        H5Fclose(s->id[FILE_ID]);
}

/* IEEE binary16, little-endian, which this library has no name for. */
static hid_t half_type(void)
{
    const hid_t t = H5Tcopy(H5T_IEEE_F32LE);

    if (!(t >= 0 && H5Tset_fields(t, 15, 10, 5, 0, 10) >= 0 && H5Tset_precision(t, 16) >= 0 &&
          H5Tset_size(t, 2) >= 0 && H5Tset_ebias(t, 15) >= 0)) {
        H5Tclose(t);
        return -1;
    }
    return t;
}

hid_t hdf5_memory_type(TfLiteType type)
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

    /* Of a damaged file, the names that come before the damage. */
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_name, &n);
    if (n.used == 0)
        return diag_fail(diag, STATUS_INVALID, "no dataset %s", dataset);
    return diag_fail(diag, STATUS_INVALID, "no dataset %s; there are: %s", dataset, n.text);
}

/* Asked before an external link is followed, which none is. */
static herr_t refuse_link(const char *parent_file, const char *parent, const char *file,
                          const char *object, unsigned *flags, hid_t access, void *user)
{
    char *const other = user;

    (void)parent_file;
    (void)parent;
    (void)object;
    (void)flags;
    (void)access;
    snprintf(other, OTHER_BYTES, "%s", file);
    return -1;
}

/* A soft link that leads nowhere, or in a circle, of which the library follows 16. */
static bool is_soft_link(hid_t file, const char *dataset)
{
    H5L_info_t info;

    return H5Lget_info(file, dataset, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_SOFT;
}

static enum status open_dataset(struct source *s, const char *dataset, struct diag *diag)
{
    char other[OTHER_BYTES] = "";

    s->id[ACCESS] = H5Pcreate(H5P_DATASET_ACCESS);
    if (H5Pset_elink_cb(s->id[ACCESS], refuse_link, other) < 0) /* or there is no list */
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: no property list", dataset);
    s->id[DATASET] = H5Dopen2(s->id[FILE_ID], dataset, s->id[ACCESS]);
    if (s->id[DATASET] >= 0)
        return STATUS_OK;
    if (other[0])
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: an external link to the file '%s', which is not followed", dataset,
                         other);
    if (is_soft_link(s->id[FILE_ID], dataset))
        return diag_fail(diag, STATUS_INVALID,
                         "%s: a soft link that leads to no dataset, or in a circle", dataset);
    return no_dataset(s->id[FILE_ID], dataset, diag);
}

/* Filters that the library has itself: others would be loaded from elsewhere. */
static enum status check_filters(hid_t list, const char *dataset, struct diag *diag)
{
    const int count = H5Pget_nfilters(list);

    for (int i = 0; i < count; i++) {
        unsigned flags, config;
        size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(list, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);

        if (filter < H5Z_FILTER_DEFLATE || filter > H5Z_FILTER_SCALEOFFSET)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "%s: filter %d, which is no part of libhdf5; plugins are not loaded",
                             dataset, (int)filter);
    }
    return count >= 0 ? STATUS_OK : diag_fail(diag, STATUS_IO, "%s: no filters", dataset);
}

static enum status check_chunks(hid_t list, hid_t type, const char *dataset, struct diag *diag)
{
    hsize_t chunk[H5S_MAX_RANK], bytes = H5Tget_size(type);
    const int rank = H5Pget_chunk(list, H5S_MAX_RANK, chunk);

    for (int d = 0; d < rank; d++) {
        /* 0 elements, by which nothing can be divided, become the largest number. */
        if (chunk[d] - 1 >= limit_of(LIMIT_CHUNK_BYTES) / bytes)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "%s: its chunks have more than %llu MiB (limit chunk_bytes), or no "
                             "elements",
                             dataset, (unsigned long long)(limit_of(LIMIT_CHUNK_BYTES) >> 20));
        bytes *= chunk[d];
    }
    return rank > 0 ? STATUS_OK : diag_fail(diag, STATUS_IO, "%s: chunks without size", dataset);
}

/* What is read lies in this file, in a way that the library reads alone. */
static enum status check_storage(struct source *s, hid_t type, const char *dataset,
                                 struct diag *diag)
{
    char other[OTHER_BYTES] = "?";

    s->id[CREATION] = H5Dget_create_plist(s->id[DATASET]);
    if (s->id[CREATION] < 0)
        return diag_fail(diag, STATUS_IO, "%s: says not how it is stored", dataset);
    if (H5Pget_external_count(s->id[CREATION]) != 0) {
        /* No offset: its type is that of libhdf5, which may be wider than an off_t of ours. */
        H5Pget_external(s->id[CREATION], 0, sizeof other - 1, other, NULL, NULL);
        other[sizeof other - 1] = '\0';
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: stored outside of it, in the file '%s', which is not read", dataset,
                         other);
    }
    switch (H5Pget_layout(s->id[CREATION])) {
    case H5D_COMPACT:
    case H5D_CONTIGUOUS: break;
    case H5D_CHUNKED: TRY(check_chunks(s->id[CREATION], type, dataset, diag)); break;
    case H5D_VIRTUAL:
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: a virtual dataset, whose parts lie in others; these are not read",
                         dataset);
    default: return diag_fail(diag, STATUS_IO, "%s: stored in an unknown way", dataset);
    }
    return check_filters(s->id[CREATION], dataset, diag);
}

static enum status read_shape(struct source *s, struct array *a, int64_t index, struct diag *diag)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(s->id[SPACE], dims, NULL);
    const size_t first = index >= 0 ? 1 : 0;

    if (rank < 0 || H5Sget_simple_extent_type(s->id[SPACE]) == H5S_NULL)
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
    if (!(s->id[MEMORY] >= 0 &&
          H5Sselect_hyperslab(s->id[SLICE], H5S_SELECT_SET, start, NULL, count, NULL) >= 0))
        return diag_fail(diag, STATUS_INVALID, "cannot select index %" PRId64, index);
    return STATUS_OK;
}

/* Opens the dataset, and finds its type and shape. */
static enum status find_array(struct source *s, struct array *a, const struct hdf5_errand *e,
                              struct diag *diag)
{
    hid_t type;
    enum status status;

    s->id[FILE_ID] = H5Fopen(e->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    parser_opened();
    if (s->id[FILE_ID] < 0)
        return diag_fail(diag, STATUS_IO, "not a readable HDF5 file");
    TRY(open_dataset(s, e->dataset, diag));
    s->id[SPACE] = H5Dget_space(s->id[DATASET]);
    type = H5Dget_type(s->id[DATASET]);
    a->type = stored_type(type);
    status = a->type == kTfLiteNoType ? diag_fail(diag, STATUS_UNSUPPORTED,
                                                  "%s: elements are no plain numbers", e->dataset)
                                      : check_storage(s, type, e->dataset, diag);
    H5Tclose(type);
    TRY(status);
    return diag_prefix(diag, read_shape(s, a, e->index, diag), "%s", e->dataset);
}

static enum status read_elements(struct source *s, struct array *a, const struct hdf5_errand *e,
                                 struct diag *diag)
{
    const bool slice = e->index >= 0;

    if (slice)
        TRY(select_slice(s, a, e->index, diag));
    s->id[TYPE] = hdf5_memory_type(a->type);
    if (!(a->data = mem_alloc(a->bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: %zu bytes", e->dataset, a->bytes);
    /* It fails without a type, too. */
    if (H5Dread(s->id[DATASET], s->id[TYPE], slice ? s->id[MEMORY] : H5S_ALL,
                slice ? s->id[SLICE] : H5S_ALL, H5P_DEFAULT, a->data) < 0)
        return diag_fail(diag, STATUS_IO, "%s: cannot be read (damaged, or an unknown filter)",
                         e->dataset);
    return STATUS_OK;
}

static herr_t find_shortage(unsigned n, const H5E_error2_t *error, void *found)
{
    (void)n;
    *(bool *)found |= error->maj_num == H5E_RESOURCE &&
                      (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC);
    return 0;
}

bool hdf5_answer(int socket, struct parser_reply *reply)
{
    if (reply->status == STATUS_IO)
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_shortage, &reply->memory_was_short);
    return parser_answer(socket, reply);
}

void hdf5_serve(int socket, void *user)
{
    const struct hdf5_errand *const e = user;
    struct array a = { 0 };
    struct diag diag = { .status = STATUS_OK };
    struct source s;
    struct hdf5_shape shape;
    enum status status;
    char go;

    for (int i = 0; i < HANDLES; i++)
        s.id[i] = -1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
    parser_begin();
    status = find_array(&s, &a, e, &diag);
    shape = (struct hdf5_shape){ .type = a.type, .rank = (int32_t)a.rank };
    memcpy(shape.dims, a.dims, sizeof shape.dims);
    if (hdf5_answer(socket, &(struct parser_reply){ .status = status,
                                                    .diag = &diag,
                                                    .parts = { { &shape, sizeof shape } } }) &&
        status == STATUS_OK && process_read(socket, &go, 1)) {
        /* The parent has found that it can be measured. */
        status = array_measure(&a) ? STATUS_OK : STATUS_INVALID;
        parser_allow(a.bytes);
        parser_begin();
        if (status == STATUS_OK)
            status = read_elements(&s, &a, e, &diag);
        hdf5_answer(socket, &(struct parser_reply){ .status = status,
                                                    .diag = &diag,
                                                    .parts = { { a.data, a.bytes } } });
    }
    array_close(&a);
    source_close(&s);
}
