#include "conformance/tools/eval/eval_model.h"

#include "conformance/suite/io/array.h"
#include "conformance/suite/io/image.h"
#include "conformance/suite/io/model_file.h"
#include "reference/base/builtin.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

void eval_model_describe(const struct model_tensor *t, char *text, size_t bytes)
{
    char shape[128];

    array_shape_text(shape, sizeof shape, t->shape.count, t->shape.data);
    snprintf(text, bytes, "%s %s", runtime_type_name(tensor_type_runtime(t->type)), shape);
}

static bool takes_pixels(TfLiteType type)
{
    return type == kTfLiteFloat32 || type == kTfLiteFloat16 || type == kTfLiteUInt8 ||
           type == kTfLiteInt8;
}

/* [1, h, w, c], or [1, h, w] of grey. */
static bool read_extent(const struct model_tensor *t, struct eval_input *in)
{
    const size_t rank = t->shape.count;
    const int32_t *const d = t->shape.data;

    if ((rank != 3 && rank != 4) || d[0] != 1 || d[1] < 1 || d[2] < 1 || d[1] > IMAGE_SIDE_MAX ||
        d[2] > IMAGE_SIDE_MAX)
        return false;
    in->rank = (int)rank;
    for (size_t i = 0; i < rank; i++)
        in->dims[i] = d[i];
    in->height = (uint32_t)d[1];
    in->width = (uint32_t)d[2];
    in->channels = rank == 4 ? (uint32_t)d[3] : 1;
    in->elements = (size_t)in->height * in->width * in->channels;
    return in->channels == 1 || in->channels == 3 || in->channels == 4;
}

static enum status find_input(struct eval_model *m, struct diag *diag)
{
    const struct model_subgraph *const g = &m->model.subgraphs[0];
    const struct model_tensor *t;
    char text[160];

    if (g->inputs.count != 1)
        return diag_fail(diag, STATUS_UNSUPPORTED, "found %zu inputs, expected one, of images",
                         g->inputs.count);
    t = &g->tensors[g->inputs.data[0]];
    eval_model_describe(t, text, sizeof text);
    m->input.type = tensor_type_runtime(t->type);
    if (!takes_pixels(m->input.type) || !read_extent(t, &m->input))
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "input 0 is %s, expected f32, f16, u8 or i8 [1, h, w, c] with 1, 3 or 4 "
                         "channels: images do not fit",
                         text);
    m->input.bytes = m->input.elements * (runtime_type_bits(m->input.type) / 8);
    return STATUS_OK;
}

enum status eval_model_open(struct eval_model *m, const char *path, struct diag *diag)
{
    enum status s;

    *m = (struct eval_model){ .path = path };
    TRY(model_file_read(path, &m->file, diag));
    sha256_hex(m->file.bytes, m->file.count, m->sha256);
    s = tflite_read(&m->model, m->file.bytes, m->file.count, diag);
    if (s == STATUS_OK)
        s = find_input(m, diag);
    if (s != STATUS_OK)
        eval_model_close(m);
    return diag_prefix(diag, s, "%s", path);
}

void eval_model_close(struct eval_model *m)
{
    model_close(&m->model);
    file_model_close(&m->file);
    *m = (struct eval_model){ .path = NULL };
}

/* ---- outputs ---- */

size_t eval_model_outputs(const struct eval_model *m)
{
    return m->model.subgraphs[0].outputs.count;
}

const struct model_tensor *eval_model_output(const struct eval_model *m, size_t output)
{
    const struct model_subgraph *const g = &m->model.subgraphs[0];

    return &g->tensors[g->outputs.data[output]];
}

static double raw_value(TfLiteType type, const void *data, size_t i)
{
    switch (type) {
    case kTfLiteFloat32: return ((const float *)data)[i];
    case kTfLiteFloat16: return half_to_float(((const uint16_t *)data)[i]);
    case kTfLiteFloat64: return ((const double *)data)[i];
    case kTfLiteUInt8: return ((const uint8_t *)data)[i];
    case kTfLiteInt8: return ((const int8_t *)data)[i];
    case kTfLiteInt16: return ((const int16_t *)data)[i];
    case kTfLiteInt32: return ((const int32_t *)data)[i];
    case kTfLiteInt64: return (double)((const int64_t *)data)[i];
    default: return NAN;
    }
}

double eval_value(const struct eval_model *m, const struct outputs *got, size_t output, size_t i)
{
    const struct model_quantization *const q = &eval_model_output(m, output)->quantization;
    const double raw = raw_value(got->items[output].type, got->items[output].data, i);

    if (q->scale.count != 1 || !(q->scale.data[0] > 0))
        return raw;
    return (double)q->scale.data[0] *
           (raw - (double)(q->zero_point.count ? q->zero_point.data[0] : 0));
}

size_t eval_elements(const struct outputs *got, size_t output)
{
    const unsigned bits = runtime_type_bits(got->items[output].type);

    return bits < 8 ? 0 : got->items[output].bytes / (bits / 8);
}
