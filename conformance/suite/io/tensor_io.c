/* Chooses a reader by the file's first bytes, and converts to the tensor's type. */
#include "conformance/suite/io/tensor_io.h"

#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/image_read.h"
#include "conformance/suite/io/npy.h"
#include "conformance/suite/io/tensor_value.h"
#include "conformance/util/output.h"
#include "reference/base/builtin.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const size_t file_bytes_max = (size_t)1 << 30;

static void shape_text(const TfLiteTensor *t, char *text, size_t bytes)
{
    array_shape_text(text, bytes, (size_t)ref_rank(t), t->dims->data);
}

/* ---- images ---- */

/* The dimensions of a batch of one image; grey where there is no dimension of channels. */
struct extent {
    int32_t height, width, channels;
};

static bool has_channels(int32_t c)
{
    return c == 1 || c == 3 || c == 4;
}

/* [1, h, w, c], [h, w, c], [1, h, w], [h, w]. */
static bool image_extent(size_t rank, const int32_t *dims, struct extent *e)
{
    if (rank == 4 && dims[0] == 1) {
        *e = (struct extent){ dims[1], dims[2], dims[3] };
        return has_channels(e->channels);
    }
    if (rank == 3 && has_channels(dims[2])) {
        *e = (struct extent){ dims[0], dims[1], dims[2] };
        return true;
    }
    if (rank == 3 && dims[0] == 1) {
        *e = (struct extent){ dims[1], dims[2], 1 };
        return true;
    }
    *e = (struct extent){ rank == 2 ? dims[0] : 0, rank == 2 ? dims[1] : 0, 1 };
    return rank == 2;
}

static bool takes_pixels(TfLiteType type)
{
    return type == kTfLiteFloat32 || type == kTfLiteFloat16 || type == kTfLiteUInt8 ||
           type == kTfLiteInt8;
}

static void store_pixel(TfLiteTensor *t, size_t i, uint8_t pixel, struct pixel_scale scale)
{
    const double real = (pixel - scale.mean) / scale.std;

    switch (t->type) {
    case kTfLiteFloat32: t->data.f[i] = (float)real; break;
    case kTfLiteFloat16: t->data.f16[i].data = double_to_half(real); break;
    case kTfLiteInt8: t->data.int8[i] = (int8_t)(pixel - 128); break;
    default: t->data.uint8[i] = pixel; break;
    }
}

enum status tensor_from_image(TfLiteTensor *t, const struct image *im, struct pixel_scale scale,
                              struct diag *diag)
{
    struct image converted, resized;
    struct extent e;
    char shape[128];
    enum status s;

    shape_text(t, shape, sizeof shape);
    if (!takes_pixels(t->type) || !image_extent((size_t)ref_rank(t), t->dims->data, &e))
        return diag_fail(
            diag, STATUS_UNSUPPORTED,
            "an image for the tensor %s %s, expected f32, f16, u8 or i8 [1, h, w, c] with "
            "1, 3 or 4 channels",
            runtime_type_name(t->type), shape);
    TRY(image_to_channels(&converted, im, (uint32_t)e.channels, diag));
    s = image_resize(&resized, &converted, (uint32_t)e.width, (uint32_t)e.height, diag);
    image_close(&converted);
    TRY(s);
    for (size_t i = 0; i < ref_elements(t); i++)
        store_pixel(t, i, resized.pixels[i], scale);
    image_close(&resized);
    return STATUS_OK;
}

/* ---- arrays ---- */

static bool same_shape(const TfLiteTensor *t, const struct array *a)
{
    size_t i = 0;
    int j = 0;

    for (;;) {
        while (i < a->rank && a->dims[i] == 1)
            i++;
        while (j < ref_rank(t) && ref_dim(t, j) == 1)
            j++;
        if (i == a->rank || j == ref_rank(t))
            return i == a->rank && j == ref_rank(t);
        if (a->dims[i++] != ref_dim(t, j++))
            return false;
    }
}

static bool is_float(TfLiteType type)
{
    return type == kTfLiteFloat16 || type == kTfLiteFloat32 || type == kTfLiteFloat64;
}

static double load_float(const struct array *a, size_t i)
{
    switch (a->type) {
    case kTfLiteFloat16: return half_to_float(((const uint16_t *)a->data)[i]);
    case kTfLiteFloat32: return ((const float *)a->data)[i];
    default: return ((const double *)a->data)[i];
    }
}

/* The nearest 8-bit value, ties away from 0; false for NaN. */
static bool store_quantized(TfLiteTensor *t, size_t i, double x)
{
    const bool is_signed = t->type == kTfLiteInt8;
    const double low = is_signed ? INT8_MIN : 0, high = is_signed ? INT8_MAX : UINT8_MAX;
    double q = round(x / (double)t->params.scale) + t->params.zero_point;

    if (isnan(q))
        return false;
    q = fmin(fmax(q, low), high);
    if (is_signed)
        t->data.int8[i] = (int8_t)q;
    else
        t->data.uint8[i] = (uint8_t)q;
    return true;
}

static bool takes_reals(const TfLiteTensor *t)
{
    return is_float(t->type) || (tensor_has_scale(t) && t->type != kTfLiteInt16);
}

static bool store_float(TfLiteTensor *t, size_t i, double x)
{
    switch (t->type) {
    case kTfLiteUInt8:
    case kTfLiteInt8: return store_quantized(t, i, x);
    case kTfLiteFloat16: t->data.f16[i].data = double_to_half(x); return true;
    case kTfLiteFloat32: t->data.f[i] = (float)x; return true;
    case kTfLiteFloat64: t->data.f64[i] = x; return true;
    default: return false;
    }
}

/* False when the type is no integer type, or the value is above INT64_MAX. */
static bool load_int(const struct array *a, size_t i, int64_t *x)
{
    switch (a->type) {
    case kTfLiteBool:
    case kTfLiteUInt8: *x = ((const uint8_t *)a->data)[i]; return true;
    case kTfLiteInt8: *x = ((const int8_t *)a->data)[i]; return true;
    case kTfLiteInt16: *x = ((const int16_t *)a->data)[i]; return true;
    case kTfLiteUInt16: *x = ((const uint16_t *)a->data)[i]; return true;
    case kTfLiteInt32: *x = ((const int32_t *)a->data)[i]; return true;
    case kTfLiteUInt32: *x = ((const uint32_t *)a->data)[i]; return true;
    case kTfLiteInt64: *x = ((const int64_t *)a->data)[i]; return true;
    case kTfLiteUInt64: *x = (int64_t)((const uint64_t *)a->data)[i]; return *x >= 0;
    default: return false;
    }
}

static bool within(int64_t x, int64_t low, int64_t high)
{
    return x >= low && x <= high;
}

static bool store_int(TfLiteTensor *t, size_t i, int64_t x)
{
    switch (t->type) {
    case kTfLiteBool: t->data.b[i] = x != 0; return within(x, 0, 1);
    case kTfLiteUInt8: t->data.uint8[i] = (uint8_t)x; return within(x, 0, UINT8_MAX);
    case kTfLiteInt8: t->data.int8[i] = (int8_t)x; return within(x, INT8_MIN, INT8_MAX);
    case kTfLiteInt16: t->data.i16[i] = (int16_t)x; return within(x, INT16_MIN, INT16_MAX);
    case kTfLiteInt32: t->data.i32[i] = (int32_t)x; return within(x, INT32_MIN, INT32_MAX);
    case kTfLiteInt64: t->data.i64[i] = x; return true;
    default: return false;
    }
}

static enum status type_mismatch(const TfLiteTensor *t, const struct array *a, struct diag *diag)
{
    char want[128], have[128];

    shape_text(t, want, sizeof want);
    array_shape_text(have, sizeof have, a->rank, a->dims);
    return diag_fail(diag, STATUS_INVALID, "array %s %s for the tensor %s %s",
                     runtime_type_name(a->type), have, runtime_type_name(t->type), want);
}

static enum status copy_elements(TfLiteTensor *t, const struct array *a, struct diag *diag)
{
    if (a->type == t->type && t->type != kTfLiteBool) { /* a bool of 2 is no bool */
        if (a->bytes)
            memcpy(t->data.raw, a->data, a->bytes);
        return STATUS_OK;
    }
    for (size_t i = 0; i < a->elements; i++) {
        int64_t x;

        if (is_float(a->type)) {
            if (!store_float(t, i, load_float(a, i)))
                return diag_fail(diag, STATUS_INVALID, "element %zu of the %s array is no number",
                                 i, runtime_type_name(a->type));
        } else if (!load_int(a, i, &x) || !store_int(t, i, x)) {
            return diag_fail(diag, STATUS_INVALID, "element %zu of the %s array does not fit %s", i,
                             runtime_type_name(a->type), runtime_type_name(t->type));
        }
    }
    return STATUS_OK;
}

/* Whether it is an image for the tensor, which need not have the tensor's size. */
static bool is_image(const TfLiteTensor *t, const struct array *a, struct extent *e)
{
    const bool fits = same_shape(t, a) && a->elements == ref_elements(t);

    return a->type == kTfLiteUInt8 && takes_pixels(t->type) && !(fits && t->type == kTfLiteUInt8) &&
           a->elements != 0 && image_extent(a->rank, a->dims, e);
}

/* Whether an array of that type and shape can become the tensor's value; its data are not used. */
static enum status takes(const void *tensor, const struct array *a, struct diag *diag)
{
    const TfLiteTensor *const t = tensor;
    struct extent e;

    if (is_image(t, a, &e))
        return image_check((uint64_t)e.width, (uint64_t)e.height, diag);
    if (!same_shape(t, a) || a->elements != ref_elements(t))
        return type_mismatch(t, a, diag);
    if (a->type == t->type ? a->bytes != t->bytes
                           : (is_float(a->type) ? !takes_reals(t) : is_float(t->type)))
        return type_mismatch(t, a, diag);
    return STATUS_OK;
}

enum status tensor_from_array(TfLiteTensor *t, const struct array *a, struct pixel_scale scale,
                              struct diag *diag)
{
    struct extent e;

    TRY(takes(t, a, diag));
    if (is_image(t, a, &e)) {
        const struct image im = { (uint32_t)e.width, (uint32_t)e.height, (uint32_t)e.channels,
                                  a->data };

        return tensor_from_image(t, &im, scale, diag);
    }
    return copy_elements(t, a, diag);
}

/* ---- files ---- */

static bool has_suffix(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix);

    return n >= m && strcasecmp(path + n - m, suffix) == 0;
}

static bool is_hdf5_name(const char *path)
{
    return has_suffix(path, ".h5") || has_suffix(path, ".hdf5");
}

/* Splits "file.h5:data/set[3]"; false when the text has no such form. */
struct hdf5_place {
    char path[1024], dataset[512];
    int64_t index;
};

static bool split_place(const char *text, struct hdf5_place *p)
{
    const char *const colon = strrchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : 0;
    char *bracket;
    int end = 0;
    unsigned index;

    if (length == 0 || length >= sizeof p->path || strlen(colon + 1) >= sizeof p->dataset ||
        colon[1] == '\0')
        return false;
    snprintf(p->path, sizeof p->path, "%.*s", (int)length, text);
    snprintf(p->dataset, sizeof p->dataset, "%s", colon + 1);
    p->index = -1;
    bracket = strrchr(p->dataset, '[');
    if (bracket && bracket != p->dataset && sscanf(bracket, "[%9u]%n", &index, &end) == 1 &&
        end > 0 && bracket[end] == '\0' && bracket[1] >= '0' && bracket[1] <= '9') {
        p->index = index;
        *bracket = '\0';
    }
    return true;
}

static enum status load_hdf5(TfLiteTensor *t, const struct hdf5_place *p, struct pixel_scale scale,
                             struct diag *diag)
{
    struct array a;
    enum status s;

    TRY(hdf5_read(&a, p->path, p->dataset, p->index, &(struct array_check){ takes, t }, diag));
    s = diag_prefix(diag, tensor_from_array(t, &a, scale, diag), "%s:%s", p->path, p->dataset);
    array_close(&a);
    return s;
}

static enum status load_npy(TfLiteTensor *t, const uint8_t *bytes, size_t count,
                            struct pixel_scale scale, struct diag *diag)
{
    struct array a;
    enum status s;

    TRY(npy_read(&a, bytes, count, diag));
    s = tensor_from_array(t, &a, scale, diag);
    array_close(&a);
    return s;
}

static enum status load_image(TfLiteTensor *t, const uint8_t *bytes, size_t count,
                              struct pixel_scale scale, struct diag *diag)
{
    struct image im;
    enum status s;

    TRY(image_read(&im, bytes, count, diag));
    s = tensor_from_image(t, &im, scale, diag);
    image_close(&im);
    return s;
}

/* The format that a file's name promises: a file without it is an error, not raw bytes. */
static const char *promised_format(const char *path)
{
    static const char *const suffixes[][2] = { { ".bmp", "a BMP image" },
                                               { ".jpg", "a JPEG image" },
                                               { ".jpeg", "a JPEG image" },
                                               { ".png", "a PNG image" },
                                               { ".npy", "a .npy array" } };

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (has_suffix(path, suffixes[i][0]))
            return suffixes[i][1];
    }
    return NULL;
}

static enum status load_bytes(TfLiteTensor *t, const char *path, const uint8_t *bytes, size_t count,
                              struct pixel_scale scale, struct diag *diag)
{
    static const uint8_t npy[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };
    static const uint8_t hdf5[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
    const bool raw = has_suffix(path, ".raw") || has_suffix(path, ".bin");
    char shape[128];

    if (!raw && count >= sizeof npy && memcmp(bytes, npy, sizeof npy) == 0)
        return load_npy(t, bytes, count, scale, diag);
    if (!raw && image_sniff(bytes, count) != IMAGE_NONE)
        return load_image(t, bytes, count, scale, diag);
    if (!raw && count >= sizeof hdf5 && memcmp(bytes, hdf5, sizeof hdf5) == 0)
        return diag_fail(diag, STATUS_USAGE,
                         "expected the name of a dataset behind the HDF5 file: FILE:DATASET or "
                         "FILE:DATASET[INDEX]");
    if (promised_format(path))
        return diag_fail(diag, STATUS_INVALID, "not %s", promised_format(path));
    shape_text(t, shape, sizeof shape);
    if (count != t->bytes)
        return diag_fail(diag, STATUS_INVALID,
                         "expected an image, .npy, HDF5, or %zu raw bytes for the tensor %s %s; "
                         "found %zu raw bytes",
                         t->bytes, runtime_type_name(t->type), shape, count);
    for (size_t i = 0; t->type == kTfLiteBool && i < count; i++) {
        if (bytes[i] > 1)
            return diag_fail(diag, STATUS_INVALID, "byte %zu is %d, expected a bool", i, bytes[i]);
    }
    if (count)
        memcpy(t->data.raw, bytes, count);
    return STATUS_OK;
}

enum status tensor_load(TfLiteTensor *t, const char *path, struct pixel_scale scale,
                        struct diag *diag)
{
    struct hdf5_place place;
    struct stat info;
    uint8_t *bytes;
    size_t count;
    enum status s;

    if (stat(path, &info) != 0 && split_place(path, &place) &&
        (is_hdf5_name(place.path) || stat(place.path, &info) == 0))
        return load_hdf5(t, &place, scale, diag);
    TRY(file_read(path, file_bytes_max, &bytes, &count, diag));
    s = diag_prefix(diag, load_bytes(t, path, bytes, count, scale, diag), "%s", path);
    mem_free(bytes);
    return s;
}

/* A view of the tensor, which keeps owning the data. */
static enum status to_array(const TfLiteTensor *t, struct array *a, struct diag *diag)
{
    const unsigned bits = runtime_type_bits(t->type);

    if (ref_rank(t) > ARRAY_RANK_MAX || bits < 8 || t->bytes != ref_elements(t) * (bits / 8))
        return diag_fail(diag, STATUS_UNSUPPORTED, "tensor %s of type %s and rank %d: no array",
                         t->name ? t->name : "", runtime_type_name(t->type), ref_rank(t));
    *a = (struct array){ .type = t->type,
                         .rank = (size_t)ref_rank(t),
                         .elements = ref_elements(t),
                         .bytes = t->bytes,
                         .data = t->data.raw };
    for (int i = 0; i < ref_rank(t); i++)
        a->dims[i] = ref_dim(t, i);
    return STATUS_OK;
}

static enum status save_hdf5(TfLiteTensor *const *tensors, size_t count, const char *path,
                             struct diag *diag)
{
    struct array *const arrays = mem_alloc(count, sizeof *arrays);
    struct array_item *const items = mem_alloc(count, sizeof *items);
    char(*const names)[32] = mem_alloc(count, sizeof *names);
    enum status s = STATUS_OK;

    if (!arrays || !items || !names)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%zu tensors", count);
    for (size_t i = 0; s == STATUS_OK && i < count; i++) {
        snprintf(names[i], sizeof names[i], "outputs/%zu", i);
        items[i] = (struct array_item){ names[i], &arrays[i] };
        s = to_array(tensors[i], &arrays[i], diag);
    }
    if (s == STATUS_OK)
        s = hdf5_write(path, items, count, diag);
    mem_free(names);
    mem_free(items);
    mem_free(arrays);
    return s;
}

enum status tensors_save(TfLiteTensor *const *tensors, size_t count, const char *path,
                         struct diag *diag)
{
    struct array a;
    uint8_t *file = NULL;
    size_t bytes;
    enum status s;

    if (is_hdf5_name(path))
        return save_hdf5(tensors, count, path, diag);
    if (count != 1)
        return diag_fail(diag, STATUS_USAGE,
                         "%s holds one tensor, the model has %zu outputs; use "
                         "a name in .h5",
                         path, count);
    if (!has_suffix(path, ".npy"))
        return output_write_file(path, tensors[0]->data.raw, tensors[0]->bytes, diag);
    TRY(to_array(tensors[0], &a, diag));
    TRY(npy_write(&a, &file, &bytes, diag));
    s = output_write_file(path, file, bytes, diag);
    mem_free(file);
    return s;
}
