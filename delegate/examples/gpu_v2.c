/* Runs a model on the GPU through the names that programs for TensorFlow Lite's GPU delegate use,
 * and prints the largest output.
 *
 *     gpu_v2 MODEL.tflite [INPUT.raw]
 *
 * INPUT.raw holds the bytes of the first input tensor; without it the tensor is all zero.  The two
 * headers are those of the TensorFlow Lite C library: nothing here is specific to Assay. */
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

static int fill(TfLiteTensor *tensor, const char *path)
{
    const size_t bytes = TfLiteTensorByteSize(tensor);
    void *data = calloc(1, bytes + 1);
    FILE *file = path ? fopen(path, "rb") : NULL;
    int ok = data && (!path || (file && fread(data, 1, bytes + 1, file) == bytes));

    if (!ok)
        fprintf(stderr, "%s: cannot be read, or does not hold %zu bytes\n", path ? path : "input",
                bytes);
    ok = ok && TfLiteTensorCopyFromBuffer(tensor, data, bytes) == kTfLiteOk;
    if (file)
        fclose(file);
    free(data);
    return ok;
}

static int print_largest(const TfLiteTensor *t)
{
    const float *values = TfLiteTensorData(t);
    const size_t count = TfLiteTensorByteSize(t) / sizeof *values;
    size_t best = 0;

    if (TfLiteTensorType(t) != kTfLiteFloat32 || count == 0) {
        fprintf(stderr, "%s: not float values\n", TfLiteTensorName(t));
        return 0;
    }
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[best])
            best = i;
    printf("%zu %g\n", best, (double)values[best]);
    return 1;
}

static int run(TfLiteInterpreter *interpreter, const char *input)
{
    return interpreter && TfLiteInterpreterAllocateTensors(interpreter) == kTfLiteOk &&
           fill(TfLiteInterpreterGetInputTensor(interpreter, 0), input) &&
           TfLiteInterpreterInvoke(interpreter) == kTfLiteOk &&
           print_largest(TfLiteInterpreterGetOutputTensor(interpreter, 0));
}

int main(int argc, char **argv)
{
    TfLiteGpuDelegateOptionsV2 gpu_options = TfLiteGpuDelegateOptionsV2Default();
    TfLiteInterpreterOptions *options;
    TfLiteInterpreter *interpreter;
    TfLiteDelegate *gpu;
    TfLiteModel *model;
    int ok;

    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: gpu_v2 MODEL.tflite [INPUT.raw]\n");
        return 2;
    }
    if (!(model = TfLiteModelCreateFromFile(argv[1])))
        return 1;
    /* Latency before precision: tensors are stored as f16. */
    gpu_options.inference_preference = TFLITE_GPU_INFERENCE_PREFERENCE_SUSTAINED_SPEED;
    gpu_options.inference_priority1 = TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY;
    gpu_options.inference_priority2 = TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION;
    gpu_options.inference_priority3 = TFLITE_GPU_INFERENCE_PRIORITY_MIN_MEMORY_USAGE;
    if (!(gpu = TfLiteGpuDelegateV2Create(&gpu_options))) {
        TfLiteModelDelete(model);
        return 1;
    }
    options = TfLiteInterpreterOptionsCreate();
    TfLiteInterpreterOptionsAddDelegate(options, gpu);
    interpreter = TfLiteInterpreterCreate(model, options);
    ok = run(interpreter, argc == 3 ? argv[2] : NULL);

    /* The interpreter uses the delegate, and is deleted first. */
    TfLiteInterpreterDelete(interpreter);
    TfLiteGpuDelegateV2Delete(gpu);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    return !ok;
}
