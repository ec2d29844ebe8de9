/* Fills tensors, ranks scores, reads labels. */
#include "conformance/suite/io/tensor_value.h"

#include "conformance/util/random.h"
#include "reference/base/builtin.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <string.h>

static double uniform(struct random_stream *s)
{
    return (double)(random_next(s) >> 40) / (1 << 23) - 1; /* multiples of 2^-23 in [-1, 1) */
}

/* How many values an integer has: those below the limit that the type has, too; 10 without one. */
static uint64_t below(int64_t limit, int64_t largest)
{
    return limit == 0 ? 10 : (uint64_t)(limit - 1 < largest ? limit - 1 : largest) + 1;
}

/* False for types that have no random values.  limit: of integers; 0: none is given. */
static bool fill_one(TfLiteTensor *t, size_t i, int64_t limit, struct random_stream *s)
{
    switch (t->type) {
    case kTfLiteFloat32: t->data.f[i] = (float)uniform(s); return true;
    case kTfLiteFloat16: t->data.f16[i].data = double_to_half(uniform(s)); return true;
    case kTfLiteFloat64: t->data.f64[i] = uniform(s); return true;
    case kTfLiteUInt8:
        t->data.uint8[i] = (uint8_t)random_below(s, limit ? below(limit, UINT8_MAX) : 256);
        return true;
    case kTfLiteInt8:
        t->data.int8[i] = limit ? (int8_t)random_below(s, below(limit, INT8_MAX))
                                : (int8_t)((int)random_below(s, 256) - 128);
        return true;
    case kTfLiteBool: t->data.b[i] = random_below(s, 2) != 0; return true;
    case kTfLiteInt16:
        t->data.i16[i] = (int16_t)random_below(s, below(limit, INT16_MAX));
        return true;
    case kTfLiteInt32:
        t->data.i32[i] = (int32_t)random_below(s, below(limit, INT32_MAX));
        return true;
    case kTfLiteInt64:
        t->data.i64[i] = (int64_t)random_below(s, below(limit, INT64_MAX));
        return true;
    default: return false;
    }
}

enum status tensor_fill_below(TfLiteTensor *t, int64_t limit, uint64_t seed, size_t index,
                              struct diag *diag)
{
    const size_t count = ref_elements(t);
    struct random_stream s;

    random_init(&s, seed, "run", 0, index, 0);
    for (size_t i = 0; i < count; i++) {
        if (!fill_one(t, i, limit, &s))
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "input %s is %s, which has no random values; give --input",
                             t->name ? t->name : "", runtime_type_name(t->type));
    }
    return STATUS_OK;
}

enum status tensor_fill(TfLiteTensor *t, uint64_t seed, size_t index, struct diag *diag)
{
    return tensor_fill_below(t, 0, seed, index, diag);
}

bool tensor_has_scale(const TfLiteTensor *t)
{
    return t->params.scale != 0 &&
           (t->type == kTfLiteUInt8 || t->type == kTfLiteInt8 || t->type == kTfLiteInt16);
}

double tensor_real(const TfLiteTensor *t, size_t i)
{
    switch (t->type) {
    case kTfLiteFloat16:
    case kTfLiteFloat32: return ref_load(t, i);
    case kTfLiteFloat64: return t->data.f64[i];
    case kTfLiteUInt8:
    case kTfLiteInt8:
    case kTfLiteInt16:
        if (tensor_has_scale(t))
            return (double)t->params.scale * (double)(ref_load_int(t, i) - t->params.zero_point);
        return (double)ref_load_int(t, i);
    case kTfLiteInt32:
    case kTfLiteInt64:
    case kTfLiteBool: return (double)ref_load_int(t, i);
    default: return NAN;
    }
}

bool tensor_is_scores(const TfLiteTensor *t)
{
    int row = 1; /* the dimension in front of dimension i, at last the innermost */

    if (!(t->type == kTfLiteFloat32 || t->type == kTfLiteFloat16 || t->type == kTfLiteUInt8 ||
          t->type == kTfLiteInt8))
        return false;
    for (int i = 0; i < ref_rank(t); i++) {
        if (row != 1)
            return false;
        row = ref_dim(t, i);
    }
    return row >= 2;
}

size_t tensor_top(const TfLiteTensor *t, size_t k, size_t *indices)
{
    const size_t count = ref_elements(t);
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        const double x = tensor_real(t, i);
        size_t at = used;

        /* Insert above all smaller values; NaN goes last. */
        while (at > 0 && (x > tensor_real(t, indices[at - 1]) ||
                          (!isnan(x) && isnan(tensor_real(t, indices[at - 1])))))
            at--;
        if (at == k)
            continue;
        if (used < k)
            used++;
        memmove(indices + at + 1, indices + at, (used - 1 - at) * sizeof *indices);
        indices[at] = i;
    }
    return used;
}

/* ---- labels ---- */

enum status labels_read(struct labels *l, const char *path, struct diag *diag)
{
    enum { BYTES_MAX = 16 << 20 };
    uint8_t *bytes;
    size_t count, lines = 0, start = 0;

    *l = (struct labels){ .count = 0 };
    TRY(file_read(path, BYTES_MAX, &bytes, &count, diag));
    sha256_hex(bytes, count, l->sha256);
    l->text = mem_resize(bytes, count + 1, 1);
    if (!l->text) {
        mem_free(bytes);
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: %zu bytes", path, count);
    }
    l->text[count] = '\0';
    for (size_t i = 0; i < count; i++)
        lines += l->text[i] == '\n';
    if (!(l->lines = mem_alloc(lines + 1, sizeof *l->lines))) {
        labels_close(l);
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: %zu lines", path, lines);
    }
    for (size_t i = 0; i <= count; i++) {
        if (i < count && l->text[i] != '\n')
            continue;
        if (i < count || i > start) { /* the last line may lack a newline */
            l->text[i] = '\0';
            if (i > start && l->text[i - 1] == '\r')
                l->text[i - 1] = '\0';
            l->lines[l->count++] = l->text + start;
        }
        start = i + 1;
    }
    return STATUS_OK;
}

void labels_close(struct labels *l)
{
    mem_free(l->lines);
    mem_free(l->text);
    *l = (struct labels){ .count = 0 };
}

const char *labels_find(const struct labels *l, size_t index)
{
    return index < l->count ? l->lines[index] : NULL;
}
