/* Finds the image, draws on it, and writes it. */
#include "conformance/tools/cli/run_draw.h"

#include "conformance/suite/io/image_read.h"
#include "conformance/suite/io/image_write.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <stdbool.h>

enum { SIDE_MIN = 320, FILE_BYTES_MAX = 1 << 28 };

static uint8_t pixel_of(const TfLiteTensor *t, size_t i, struct pixel_scale scale)
{
    double x;

    switch (t->type) {
    case kTfLiteUInt8: return t->data.uint8[i];
    case kTfLiteInt8: return (uint8_t)(t->data.int8[i] + 128);
    default: x = tensor_real(t, i) * scale.std + scale.mean; break;
    }
    return (uint8_t)lround(x > 255 ? 255 : x > 0 ? x : 0);
}

static enum status image_of_tensor(struct image *out, const TfLiteTensor *t,
                                   struct pixel_scale scale, struct diag *diag)
{
    const int rank = ref_rank(t);
    const int32_t channels = rank == 4 ? t->dims->data[3] : 0;

    if (rank != 4 || t->dims->data[0] != 1 || (channels != 1 && channels != 3 && channels != 4))
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "the model's input %s is no image [1, h, w, 1, 3 or 4] to draw on",
                         t->name ? t->name : "");
    TRY(image_alloc(out, (uint64_t)t->dims->data[2], (uint64_t)t->dims->data[1], (uint32_t)channels,
                    diag));
    for (size_t i = 0; i < ref_elements(t); i++)
        out->pixels[i] = pixel_of(t, i, scale);
    return STATUS_OK;
}

static enum status image_of_file(struct image *out, const char *path, bool *found,
                                 struct diag *diag)
{
    uint8_t *bytes;
    size_t count;
    enum status s = STATUS_OK;

    *found = false;
    if (!path || file_read(path, FILE_BYTES_MAX, &bytes, &count, diag) != STATUS_OK) {
        *diag = (struct diag){ .status = STATUS_OK }; /* a data set in a file; it has been read */
        return STATUS_OK;
    }
    if (image_sniff(bytes, count) != IMAGE_NONE) {
        *found = true;
        s = image_read(out, bytes, count, diag);
    }
    mem_free(bytes);
    return s;
}

/* RGB, and large enough for text. */
static enum status prepare(struct image *out, struct image *in, struct diag *diag)
{
    const uint32_t side = in->width > in->height ? in->width : in->height;
    const uint32_t factor = side == 0 ? 1 : (SIDE_MIN + side - 1) / side;
    struct image rgb;
    enum status s;

    TRY(image_to_channels(&rgb, in, 3, diag));
    s = image_resize(out, &rgb, factor * rgb.width, factor * rgb.height, diag);
    image_close(&rgb);
    return s;
}

static enum status draw(struct run_draw *d, struct interpreter *in, struct image *image,
                        struct diag *diag)
{
    size_t inputs, count;
    const int *const input = interpreter_inputs(in, &inputs);
    const int *const outputs = interpreter_outputs(in, &count);
    const TfLiteTensor **const tensors = mem_alloc(count, sizeof(TfLiteTensor *));
    const struct overlay_request request = { .kind = (enum overlay_kind)d->kind,
                                             .input = interpreter_tensor(in, input[0]),
                                             .outputs = tensors,
                                             .count = count,
                                             .labels = d->labels,
                                             .threshold = d->threshold };
    enum status s;

    if (!tensors)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu outputs", count);
    for (size_t i = 0; i < count; i++)
        tensors[i] = interpreter_tensor(in, outputs[i]);
    s = overlay_draw(image, &request, d->summary, sizeof d->summary, diag);
    mem_free(tensors);
    return s;
}

enum status run_draw(struct run_draw *d, struct interpreter *in, struct diag *diag)
{
    struct image read = { 0 }, image = { 0 };
    size_t inputs;
    const int *const input = interpreter_inputs(in, &inputs);
    enum status s;
    bool found;

    if (inputs == 0)
        return diag_fail(diag, STATUS_UNSUPPORTED, "the model has no input to draw on");
    s = image_of_file(&read, d->image, &found, diag);
    if (s == STATUS_OK && !found)
        s = image_of_tensor(&read, interpreter_tensor(in, input[0]), d->scale, diag);
    if (s == STATUS_OK)
        s = prepare(&image, &read, diag);
    if (s == STATUS_OK)
        s = draw(d, in, &image, diag);
    if (s == STATUS_OK)
        s = image_write_png(&image, d->path, diag);
    image_close(&read);
    image_close(&image);
    return s;
}
