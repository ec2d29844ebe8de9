/* The TensorFlow Lite C API: looking at tensors, copying their data. */
#include "tensorflow/lite/c/c_api.h"

#include "tensorflow/lite/c/common.h"

#include <string.h>

TfLiteType TfLiteTensorType(const TfLiteTensor *tensor)
{
    return tensor ? tensor->type : kTfLiteNoType;
}

int32_t TfLiteTensorNumDims(const TfLiteTensor *tensor)
{
    return tensor && tensor->dims ? tensor->dims->size : -1;
}

int32_t TfLiteTensorDim(const TfLiteTensor *tensor, int32_t dim_index)
{
    if (dim_index < 0 || dim_index >= TfLiteTensorNumDims(tensor))
        return -1;
    return tensor->dims->data[dim_index];
}

size_t TfLiteTensorByteSize(const TfLiteTensor *tensor)
{
    return tensor ? tensor->bytes : 0;
}

void *TfLiteTensorData(const TfLiteTensor *tensor)
{
    return tensor ? tensor->data.data : NULL;
}

const char *TfLiteTensorName(const TfLiteTensor *tensor)
{
    return tensor ? tensor->name : NULL;
}

TfLiteQuantizationParams TfLiteTensorQuantizationParams(const TfLiteTensor *tensor)
{
    return tensor ? tensor->params : (TfLiteQuantizationParams){ 0 };
}

/* Constants may be the caller's own bytes, given as const. */
TfLiteStatus TfLiteTensorCopyFromBuffer(TfLiteTensor *tensor, const void *input_data,
                                        size_t input_data_size)
{
    if (!tensor || input_data_size != tensor->bytes || tensor->allocation_type == kTfLiteMmapRo ||
        tensor->allocation_type == kTfLitePersistentRo)
        return kTfLiteError;
    if (input_data_size == 0)
        return kTfLiteOk;
    if (!input_data || !tensor->data.raw)
        return kTfLiteError;
    memcpy(tensor->data.raw, input_data, input_data_size);
    tensor->data_is_stale = false; /* newer than what a delegate may hold */
    return kTfLiteOk;
}

/* Data that a delegate still holds has to be made readable first. */
TfLiteStatus TfLiteTensorCopyToBuffer(const TfLiteTensor *output_tensor, void *output_data,
                                      size_t output_data_size)
{
    if (!output_tensor || output_data_size != output_tensor->bytes || output_tensor->data_is_stale)
        return kTfLiteError;
    if (output_data_size == 0)
        return kTfLiteOk;
    if (!output_data || !output_tensor->data.raw)
        return kTfLiteError;
    memcpy(output_data, output_tensor->data.raw, output_data_size);
    return kTfLiteOk;
}
