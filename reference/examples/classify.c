/* Runs a classifier through the TensorFlow Lite C API, and prints the five largest outputs.
 *
 *     classify MODEL.tflite [INPUT.raw] [DELEGATE.so]
 *
 * INPUT.raw holds the bytes of the first input tensor; "-" or none: all zero.  DELEGATE.so is any
 * delegate with the plug-in entry points.  Nothing here is Assay's own: it builds against the
 * TensorFlow Lite C library just as well. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/lite/c/c_api.h"

typedef TfLiteOpaqueDelegate *(*create_function)(const char *const *, const char *const *, size_t,
                                                 void (*)(const char *));
typedef void (*destroy_function)(TfLiteOpaqueDelegate *);

static void say(const char *message)
{
    fprintf(stderr, "delegate: %s\n", message);
}

static TfLiteOpaqueDelegate *load_delegate(const char *path, destroy_function *destroy)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    create_function create = NULL;

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    *(void **)&create = dlsym(library, "tflite_plugin_create_delegate");
    *(void **)destroy = dlsym(library, "tflite_plugin_destroy_delegate");
    if (!create || !*destroy) {
        fprintf(stderr, "%s: not a delegate\n", path);
        return NULL;
    }
    return create(NULL, NULL, 0, say);
}

static int read_input(const char *path, TfLiteTensor *tensor)
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

static double value_of(const TfLiteTensor *t, size_t i)
{
    const TfLiteQuantizationParams q = TfLiteTensorQuantizationParams(t);
    const void *data = TfLiteTensorData(t);

    switch (TfLiteTensorType(t)) {
    case kTfLiteFloat32: return ((const float *)data)[i];
    case kTfLiteUInt8: return (double)q.scale * (((const uint8_t *)data)[i] - q.zero_point);
    case kTfLiteInt8: return (double)q.scale * (((const int8_t *)data)[i] - q.zero_point);
    default: return 0;
    }
}

static void print_top(const TfLiteTensor *t)
{
    size_t count = 1, shown[5];

    for (int32_t d = 0; d < TfLiteTensorNumDims(t); d++)
        count *= (size_t)TfLiteTensorDim(t, d);
    printf("%s: %zu values\n", TfLiteTensorName(t), count);
    for (size_t rank = 0; rank < 5 && rank < count; rank++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++) {
            int taken = 0;
            for (size_t r = 0; r < rank; r++)
                taken |= shown[r] == i;
            if (!taken && (best == count || value_of(t, i) > value_of(t, best)))
                best = i;
        }
        shown[rank] = best;
        printf("%6zu %g\n", best, value_of(t, best));
    }
}

static int run(TfLiteInterpreter *interpreter, const char *input)
{
    if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk ||
        !read_input(input, TfLiteInterpreterGetInputTensor(interpreter, 0)) ||
        TfLiteInterpreterInvoke(interpreter) != kTfLiteOk)
        return 1;
    print_top(TfLiteInterpreterGetOutputTensor(interpreter, 0));
    return 0;
}

int main(int argc, char **argv)
{
    TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
    TfLiteOpaqueDelegate *delegate = NULL;
    destroy_function destroy = NULL;
    TfLiteInterpreter *interpreter;
    TfLiteModel *model;
    int failed;

    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: classify MODEL.tflite [INPUT.raw|-] [DELEGATE.so]\n");
        return 2;
    }
    if (argc == 4 && !(delegate = load_delegate(argv[3], &destroy)))
        return 1;
    model = TfLiteModelCreateFromFile(argv[1]);
    TfLiteInterpreterOptionsAddDelegate(options, delegate);
    interpreter = model ? TfLiteInterpreterCreate(model, options) : NULL;
    failed = run(interpreter, argc > 2 && strcmp(argv[2], "-") != 0 ? argv[2] : NULL);

    TfLiteInterpreterDelete(interpreter);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    if (delegate)
        destroy(delegate);
    return failed;
}
