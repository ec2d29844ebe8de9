#include "reference/runtime/quantization.h"

#include "reference/base/memory.h"

TfLiteAffineQuantization *quantization_new(size_t count)
{
    TfLiteQuantization q = { .type = kTfLiteAffineQuantization };
    TfLiteAffineQuantization *const affine = mem_alloc(1, sizeof *affine);

    if (!affine)
        return NULL;
    q.params = affine;
    /* Both structs are a size and as many elements of 4 bytes. */
    affine->scale = mem_alloc(count + 1, sizeof(float));
    affine->zero_point = mem_alloc(count + 1, sizeof(int));
    if (!affine->scale || !affine->zero_point) {
        quantization_free(&q);
        return NULL;
    }
    affine->scale->size = affine->zero_point->size = (int)count;
    return affine;
}

void quantization_free(TfLiteQuantization *q)
{
    TfLiteAffineQuantization *const affine = q->params;

    if (q->type == kTfLiteAffineQuantization && affine) {
        mem_free(affine->scale);
        mem_free(affine->zero_point);
        mem_free(affine);
    }
    if (q->type == kTfLiteBlockwiseQuantization)
        mem_free(q->params);
    *q = (TfLiteQuantization){ .type = kTfLiteNoQuantization };
}
