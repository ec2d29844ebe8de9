#include "reference/tests/kit/quant_kit.h"

/* Where scales live until the next op_test begins. */
struct quant_pool {
    double blocks[512];
    size_t used;
};

static struct quant_pool quant_pool;

static void *quant_alloc(size_t bytes)
{
    const size_t blocks = (bytes + sizeof(double) - 1) / sizeof(double);
    void *const p = quant_pool.blocks + quant_pool.used;

    assert_true(quant_pool.used + blocks <= sizeof quant_pool.blocks / sizeof(double));
    quant_pool.used += blocks;
    return p;
}

void quant_begin(struct op_test *t, int32_t code, TfLiteType out_type)
{
    quant_pool.used = 0;
    op_begin(t, code, out_type);
}

void quant_channels(TfLiteTensor *t, int count, const float *scales, const int *zeros,
                    int dimension)
{
    TfLiteAffineQuantization *const q = quant_alloc(sizeof *q);

    q->scale = quant_alloc(sizeof *q->scale + (size_t)count * sizeof(float));
    q->zero_point = quant_alloc(sizeof *q->zero_point + (size_t)count * sizeof(int));
    q->scale->size = q->zero_point->size = count;
    q->quantized_dimension = dimension;
    for (int i = 0; i < count; i++) {
        q->scale->data[i] = scales[i];
        q->zero_point->data[i] = zeros[i];
    }
    t->quantization = (TfLiteQuantization){ kTfLiteAffineQuantization, q };
    t->params = (TfLiteQuantizationParams){ 0 };
    if (count == 1)
        t->params = (TfLiteQuantizationParams){ scales[0], zeros[0] };
}

TfLiteTensor *quant_set(TfLiteTensor *t, double scale, int zero)
{
    quant_channels(t, 1, &(const float){ (float)scale }, &zero, 0);
    return t;
}

TfLiteAffineQuantization *quant_of(TfLiteTensor *t)
{
    return t->quantization.params;
}

void quant_gives(const struct op_test *t, size_t count, const int *values)
{
    assert_int_equal(ref_elements(t->out[0]), count);
    for (size_t i = 0; i < count; i++) {
        if (ref_load_int(t->out[0], i) != values[i])
            fail_msg("%s: element %zu is %d, expected %d", op_row(t), i,
                     (int)ref_load_int(t->out[0], i), values[i]);
    }
}

void quant_refuses_scales(struct op_test *t, TfLiteTensor *tensor, const char *words)
{
    const TfLiteQuantization kept = tensor->quantization;
    TfLiteAffineQuantization *const q = quant_of(tensor);
    const float scale = q->scale->data[0], bad[] = { 0, -1, NAN, INFINITY };
    const int zero = q->zero_point->data[0];

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        q->scale->data[0] = bad[i];
        op_refused(t, STATUS_INVALID, words, "expected a finite number above 0", NULL);
    }
    q->scale->data[0] = scale;
    if (tensor->type != kTfLiteInt32) {
        q->zero_point->data[0] = tensor->type == kTfLiteUInt8 ? 256 : 32768;
        op_refused(t, STATUS_INVALID, words, "zero point 0 is", "expected a value of", NULL);
        q->zero_point->data[0] = tensor->type == kTfLiteUInt8 ? -1 : -32769;
        op_refused(t, STATUS_INVALID, words, "zero point 0 is", "expected a value of", NULL);
    }
    q->zero_point->data[0] = zero;
    q->zero_point->size = 0;
    op_refused(t, STATUS_INVALID, words, "0 zero points, expected 1", NULL);
    q->zero_point->size = 1;
    tensor->quantization = (TfLiteQuantization){ kTfLiteAffineQuantization, NULL };
    op_refused(t, STATUS_INVALID, words, "without a scale", NULL);
    tensor->quantization = (TfLiteQuantization){ kTfLiteNoQuantization, NULL };
    op_refused(t, STATUS_INVALID, words, "without a scale", NULL);
    tensor->quantization = kept;
    assert_int_equal(op_prepare(t), STATUS_OK);
}
