#include "conformance/suite/golden/h5.h"

#include "conformance/suite/io/array_hdf5_serve.h"
#include "reference/base/builtin.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <stdbool.h>
#include <string.h>

void h5_quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void h5_close(hid_t id)
{
    if (id < 0)
        return;
    switch (H5Iget_type(id)) {
    case H5I_FILE: H5Fclose(id); break;
    case H5I_GROUP: H5Gclose(id); break;
    case H5I_DATASET: H5Dclose(id); break;
    case H5I_DATATYPE: H5Tclose(id); break;
    case H5I_DATASPACE: H5Sclose(id); break;
    case H5I_ATTR: H5Aclose(id); break;
    case H5I_GENPROP_LST: H5Pclose(id); break;
    default: break;
    }
}

enum status h5_open_file(const char *path, hid_t *file, struct diag *diag)
{
    h5_quiet();
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*file < 0)
        return diag_fail(diag, STATUS_IO, "not a readable HDF5 file");
    return STATUS_OK;
}

enum status h5_open(hid_t parent, const char *where, const char *name, H5I_type_t kind, hid_t *out,
                    struct diag *diag)
{
    const char *const what = kind == H5I_GROUP ? "group" : "dataset";
    H5L_info_t link;

    *out = -1;
    if (H5Lget_info(parent, name, &link, H5P_DEFAULT) < 0)
        return diag_fail(diag, STATUS_IO, "%s: no %s '%s'", where, what, name);
    if (link.type != H5L_TYPE_HARD)
        return diag_fail(diag, STATUS_IO, "%s: '%s' is a link to somewhere else", where, name);
    /* What cannot be opened is of no kind. */
    *out = H5Oopen(parent, name, H5P_DEFAULT);
    if (H5Iget_type(*out) != kind) {
        h5_close(*out);
        *out = -1;
        return diag_fail(diag, STATUS_IO, "%s: '%s' is no %s, or a damaged one", where, name, what);
    }
    return STATUS_OK;
}

enum status h5_count(hid_t group, const char *where, size_t limit, size_t *count, struct diag *diag)
{
    H5G_info_t info;

    if (H5Gget_info(group, &info) < 0)
        return diag_fail(diag, STATUS_IO, "%s: the group cannot be read", where);
    if (info.nlinks > limit)
        return diag_fail(diag, STATUS_IO, "%s: found %llu members, expected at most %zu", where,
                         (unsigned long long)info.nlinks, limit);
    *count = (size_t)info.nlinks;
    return STATUS_OK;
}

enum status h5_name(hid_t group, const char *where, size_t index, char *name, size_t room,
                    struct diag *diag)
{
    const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC,
                                              (hsize_t)index, name, room, H5P_DEFAULT);

    /* The length of a name that cannot be read is -1, which becomes the largest size. */
    if ((size_t)length >= room)
        return diag_fail(diag, STATUS_IO,
                         "%s: the name of member %zu has %zd bytes, expected 0 to %zu", where,
                         index, length, room - 1);
    return STATUS_OK;
}

bool h5_has(hid_t group, const char *name)
{
    return H5Lexists(group, name, H5P_DEFAULT) > 0;
}

bool h5_has_attribute(hid_t object, const char *name)
{
    return H5Aexists(object, name) > 0;
}

static enum status open_attribute(hid_t object, const char *where, const char *name,
                                  H5T_class_t class, const char *class_name, hid_t *attribute,
                                  hid_t *type, struct diag *diag)
{
    hid_t space = -1;
    bool scalar;

    *attribute = *type = -1;
    if (H5Aexists(object, name) <= 0)
        return diag_fail(diag, STATUS_IO, "%s: no attribute '%s'", where, name);
    *attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (*attribute >= 0) {
        *type = H5Aget_type(*attribute);
        space = H5Aget_space(*attribute);
    }
    scalar = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;
    h5_close(space);
    if (*type >= 0 && scalar && H5Tget_class(*type) == class &&
        (class != H5T_STRING || H5Tis_variable_str(*type) == 0))
        return STATUS_OK;
    h5_close(*type);
    h5_close(*attribute);
    *attribute = *type = -1;
    return diag_fail(diag, STATUS_IO, "%s: attribute '%s' is no %s", where, name, class_name);
}

enum status h5_read_text(hid_t object, const char *where, const char *name, char *text, size_t room,
                         struct diag *diag)
{
    hid_t attribute, type, memory;
    enum status s = STATUS_OK;
    size_t size;

    TRY(open_attribute(object, where, name, H5T_STRING, "string of fixed length", &attribute, &type,
                       diag));
    size = H5Tget_size(type);
    memory = H5Tcopy(H5T_C_S1);
    memset(text, 0, room);
    if (size == 0 || size >= room)
        s = diag_fail(diag, STATUS_IO, "%s: attribute '%s' has %zu bytes, expected 1 to %zu", where,
                      name, size, room - 1);
    else if (memory < 0 || H5Tset_size(memory, size) < 0 ||
             H5Tset_strpad(memory, H5T_STR_NULLPAD) < 0 ||
             H5Tset_cset(memory, H5Tget_cset(type)) < 0 || H5Aread(attribute, memory, text) < 0)
        s = diag_fail(diag, STATUS_IO, "%s: attribute '%s' cannot be read", where, name);
    h5_close(memory);
    h5_close(type);
    h5_close(attribute);
    return s;
}

enum status h5_read_uint(hid_t object, const char *where, const char *name, uint64_t max,
                         uint64_t *value, struct diag *diag)
{
    hid_t attribute, type;
    enum status s = STATUS_OK;

    TRY(open_attribute(object, where, name, H5T_INTEGER, "integer", &attribute, &type, diag));
    /* Conversion saturates: a negative number becomes 0. */
    if (H5Tget_size(type) > sizeof *value || H5Aread(attribute, H5T_NATIVE_UINT64, value) < 0)
        s = diag_fail(diag, STATUS_IO, "%s: attribute '%s' cannot be read", where, name);
    else if (*value > max)
        s = diag_fail(diag, STATUS_IO, "%s: attribute '%s' is %llu, expected at most %llu", where,
                      name, (unsigned long long)*value, (unsigned long long)max);
    h5_close(type);
    h5_close(attribute);
    return s;
}

/* Contiguous, compact, or chunks of a size that fits memory through the three filters. */
static bool plain_layout(hid_t set, hid_t type)
{
    const hid_t plist = H5Dget_create_plist(set);
    hsize_t chunk[H5S_MAX_RANK], bytes = H5Tget_size(type);
    bool plain = plist >= 0 && bytes > 0;
    int rank, filters;

    if (plain && H5Pget_layout(plist) == H5D_CHUNKED) {
        rank = H5Pget_chunk(plist, H5S_MAX_RANK, chunk);
        plain = rank > 0;
        for (int d = 0; d < rank && plain; d++) {
            plain = chunk[d] > 0 && chunk[d] <= limit_of(LIMIT_CHUNK_BYTES) / bytes;
            bytes *= chunk[d];
        }
    } else if (plain) {
        plain = (H5Pget_layout(plist) == H5D_CONTIGUOUS || H5Pget_layout(plist) == H5D_COMPACT) &&
                H5Pget_external_count(plist) == 0;
    }
    filters = plain ? H5Pget_nfilters(plist) : 0;
    for (int i = 0; i < filters && plain; i++) {
        unsigned flags, config;
        size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(plist, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);

        plain = filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
                filter == H5Z_FILTER_FLETCHER32;
    }
    h5_close(plist);
    return plain && filters >= 0;
}

/* Writes "[2,3]". */
static void dims_text(char *text, size_t room, int rank, const hsize_t *dims)
{
    size_t at = 0;

    text[at++] = '[';
    for (int d = 0; d < rank && at + 24 < room; d++)
        at += (size_t)snprintf(text + at, room - at, "%s%llu", d ? "," : "",
                               (unsigned long long)dims[d]);
    text[at++] = ']';
    text[at] = '\0';
}

/* Opens a dataset with its type and shape; all three handles are the caller's in any case. */
struct dataset {
    hid_t set, type, space;
    int rank;
    hsize_t dims[H5S_MAX_RANK];
};

static void dataset_close(struct dataset *d)
{
    h5_close(d->space);
    h5_close(d->type);
    h5_close(d->set);
}

static enum status dataset_open(hid_t group, const char *where, const char *name, struct dataset *d,
                                struct diag *diag)
{
    *d = (struct dataset){ .set = -1, .type = -1, .space = -1 };
    TRY(h5_open(group, where, name, H5I_DATASET, &d->set, diag));
    d->type = H5Dget_type(d->set);
    d->space = H5Dget_space(d->set);
    d->rank = -1;
    if (d->type >= 0 && d->space >= 0 && H5Sget_simple_extent_type(d->space) != H5S_NULL &&
        H5Sget_simple_extent_ndims(d->space) <= H5S_MAX_RANK)
        d->rank = H5Sget_simple_extent_dims(d->space, d->dims, NULL);
    if (d->rank < 0)
        return diag_fail(diag, STATUS_IO, "%s: dataset '%s' has no type or shape", where, name);
    if (!plain_layout(d->set, d->type))
        return diag_fail(diag, STATUS_IO, "%s: dataset '%s' is stored in a way not read here",
                         where, name);
    return STATUS_OK;
}

enum status h5_read_array(hid_t group, const char *where, const char *name,
                          const struct h5_array *a, struct diag *diag)
{
    const hid_t type = hdf5_memory_type(a->type);
    struct dataset d;
    enum status s = dataset_open(group, where, name, &d, diag);
    hsize_t wanted[H5_RANK_MAX];
    bool same = d.rank == a->rank;
    char found_text[256], wanted_text[256];

    if (s != STATUS_OK)
        goto end;
    for (int i = 0; i < a->rank; i++) {
        wanted[i] = (hsize_t)a->dims[i];
        same = same && d.dims[i] == wanted[i];
    }
    if (type < 0 || H5Tequal(d.type, type) <= 0) {
        s = diag_fail(diag, STATUS_MISMATCH, "%s: dataset '%s' is not of type %s", where, name,
                      runtime_type_name(a->type));
        goto end;
    }
    if (!same) {
        dims_text(found_text, sizeof found_text, d.rank, d.dims);
        dims_text(wanted_text, sizeof wanted_text, a->rank, wanted);
        s = diag_fail(diag, STATUS_MISMATCH, "%s: dataset '%s' has the shape %s, expected %s",
                      where, name, found_text, wanted_text);
        goto end;
    }
    /* A dataset without elements has no storage to read. */
    if (a->bytes > 0 && H5Dread(d.set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) < 0)
        s = diag_fail(diag, STATUS_IO,
                      "%s: dataset '%s' cannot be read (damaged, or its checksum is wrong)", where,
                      name);
end:
    dataset_close(&d);
    h5_close(type);
    return s;
}

/* ---- writing ---- */

enum status h5_image_open(hid_t *file, struct diag *diag)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    h5_quiet();
    *file = -1;
    /* In memory only: what is on disk is written whole, or not at all, by whoever gets the image.
     * The earliest format, because in the image of a later one the library (1.10.8) clears the flag
     * "open for writing" without renewing the checksum over it. */
    if (access >= 0 && H5Pset_fapl_core(access, (size_t)1 << 20, false) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0)
        *file = H5Fcreate("assay-image", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    h5_close(access);
    return *file >= 0 ? STATUS_OK
                      : diag_fail(diag, STATUS_NO_MEMORY, "no HDF5 file can be made in memory");
}

enum status h5_image_close(hid_t file, uint8_t **bytes, size_t *count, struct diag *diag)
{
    enum status s = STATUS_OK;
    ssize_t size;

    *bytes = NULL;
    *count = 0;
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0 || (size = H5Fget_file_image(file, NULL, 0)) < 0) {
        s = diag_fail(diag, STATUS_NO_MEMORY, "the HDF5 file cannot be finished");
        goto end;
    }
    *bytes = mem_alloc((size_t)size, 1);
    if (!*bytes || H5Fget_file_image(file, *bytes, (size_t)size) != size) {
        mem_free(*bytes);
        *bytes = NULL;
        s = diag_fail(diag, STATUS_NO_MEMORY, "the HDF5 file of %zd bytes cannot be copied", size);
        goto end;
    }
    *count = (size_t)size;
end:
    h5_close(file);
    return s;
}

enum status h5_make_group(hid_t parent, const char *path, hid_t *out, struct diag *diag)
{
    const hid_t link = H5Pcreate(H5P_LINK_CREATE);

    *out = -1;
    if (link >= 0 && H5Pset_create_intermediate_group(link, 1) >= 0)
        *out = H5Gcreate2(parent, path, link, H5P_DEFAULT, H5P_DEFAULT);
    h5_close(link);
    return *out >= 0 ? STATUS_OK
                     : diag_fail(diag, STATUS_NO_MEMORY, "HDF5 group '%s' cannot be made", path);
}

static enum status write_attribute(hid_t object, const char *name, hid_t file_type,
                                   hid_t memory_type, const void *value, struct diag *diag)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        space >= 0 ? H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    const bool written = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;

    h5_close(attribute);
    h5_close(space);
    return written ? STATUS_OK
                   : diag_fail(diag, STATUS_NO_MEMORY, "HDF5 attribute '%s' cannot be made", name);
}

enum status h5_write_text(hid_t object, const char *name, const char *text, struct diag *diag)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    enum status s = STATUS_NO_MEMORY;

    if (type >= 0 && H5Tset_size(type, strlen(text) + (*text == '\0')) >= 0 &&
        H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0)
        s = write_attribute(object, name, type, type, text, diag);
    h5_close(type);
    return s;
}

enum status h5_write_uint(hid_t object, const char *name, uint64_t value, struct diag *diag)
{
    return write_attribute(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value, diag);
}

enum status h5_write_array(hid_t group, const char *name, const struct h5_array *a,
                           struct diag *diag)
{
    const hid_t type = hdf5_memory_type(a->type);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[H5_RANK_MAX];
    hid_t space = -1, set = -1;
    bool written = false;

    for (int d = 0; d < a->rank; d++)
        dims[d] = (hsize_t)a->dims[d];
    space = a->rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(a->rank, dims, NULL);
    /* Without time stamps the same cases give the same bytes. */
    if (type >= 0 && space >= 0 && create >= 0 && H5Pset_obj_track_times(create, false) >= 0)
        set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (set >= 0)
        written = a->bytes == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) >= 0;
    h5_close(set);
    h5_close(space);
    h5_close(create);
    h5_close(type);
    return written ? STATUS_OK
                   : diag_fail(diag, STATUS_NO_MEMORY, "HDF5 dataset '%s' cannot be made", name);
}
