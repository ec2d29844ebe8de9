/* An accelerator without a device fails to compile each model, as if it refused it: said once. */
#include "conformance/suite/subject/litert_probe.h"

#include "conformance/suite/subject/litert_model.h"
#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/write.h"

static enum status make_model(struct tflite_file *file, struct diag *diag)
{
    static const int32_t dims[] = { 1, 4, 4, 4 };
    struct builder b;
    struct model m;
    int x, y;
    enum status s;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 4, dims);
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 4, dims);
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &x, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);
    TRY(builder_finish(&b, &m, diag));
    s = tflite_write(&m, file, diag);
    model_close(&m);
    return s;
}

enum status litert_probe(const struct litert *l, struct diag *diag)
{
    struct litert_source source = { .inputs = 1, .outputs = 1 };
    struct litert alone = *l;
    struct tflite_file file;
    struct litert_model m;
    enum status s = STATUS_OK;

    if (l->config.hardware == LITERT_CPU)
        return STATUS_OK;
    alone.config.fallback = false; /* whoever else may run the model is of no interest here */
    TRY(make_model(&file, diag));
    source.bytes = file.bytes;
    source.count = file.count;
    /* What else goes wrong is the result of the cases that it happens to. */
    if (litert_model_open(&m, &alone, &source, NULL) == STATUS_OK) {
        if (m.answer != LITERT_OK && m.answer != LITERT_ERROR_UNSUPPORTED &&
            m.answer != LITERT_ERROR_COMPILATION)
            s = diag_fail(diag, STATUS_NO_DEVICE, "litert: %s: %s", l->device, m.refusal);
        litert_model_close(&m);
    }
    mem_free(file.bytes);
    return s;
}
