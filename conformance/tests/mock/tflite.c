/* A TensorFlow Lite C library that takes any file: every model has one output, a number of f32,
 * which is 1 unless MOCK_TFLITE in the environment names something that no library may do. */
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/c_api_experimental.h"
#include "tensorflow/lite/c/common.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct TfLiteModel {
    void *bytes;
};
struct TfLiteInterpreter {
    const struct TfLiteModel *model;
    TfLiteTensor output;
    float value;
};
struct TfLiteInterpreterOptions {
    int unused;
};

static bool does(const char *fault)
{
    const char *const named = getenv("MOCK_TFLITE");

    return named && strcmp(named, fault) == 0;
}

EXPORT const char *TfLiteVersion(void)
{
    return "mock";
}

EXPORT TfLiteModel *TfLiteModelCreate(const void *bytes, size_t count)
{
    TfLiteModel *const m = does("refuse") ? NULL : malloc(sizeof *m);

    (void)count;
    if (m)
        m->bytes = (void *)(uintptr_t)bytes;
    return m;
}

EXPORT void TfLiteModelDelete(TfLiteModel *m)
{
    free(m);
}

EXPORT TfLiteInterpreterOptions *TfLiteInterpreterOptionsCreate(void)
{
    return malloc(sizeof(TfLiteInterpreterOptions));
}

EXPORT void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions *o)
{
    free(o);
}

EXPORT void TfLiteInterpreterOptionsSetNumThreads(TfLiteInterpreterOptions *o, int32_t n)
{
    (void)o, (void)n;
}

EXPORT void TfLiteInterpreterOptionsAddDelegate(TfLiteInterpreterOptions *o, TfLiteDelegate *d)
{
    (void)o, (void)d;
}

EXPORT void TfLiteInterpreterOptionsSetErrorReporter(TfLiteInterpreterOptions *o,
                                                     void (*report)(void *, const char *, va_list),
                                                     void *user)
{
    (void)o, (void)report, (void)user;
}

EXPORT TfLiteInterpreter *TfLiteInterpreterCreate(const TfLiteModel *model,
                                                  const TfLiteInterpreterOptions *o)
{
    static int dims[] = { 1, 1 };
    TfLiteInterpreter *const in = calloc(1, sizeof *in);

    (void)o;
    if (!in)
        return NULL;
    in->model = model;
    in->output.type = kTfLiteFloat32;
    in->output.dims = (TfLiteIntArray *)(void *)dims;
    in->output.bytes = sizeof in->value;
    in->output.data.raw = (char *)&in->value;
    return in;
}

EXPORT void TfLiteInterpreterDelete(TfLiteInterpreter *in)
{
    free(in);
}

EXPORT int32_t TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter *in)
{
    (void)in;
    return 0;
}

EXPORT int32_t TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter *in)
{
    (void)in;
    return 1;
}

EXPORT TfLiteTensor *TfLiteInterpreterGetInputTensor(const TfLiteInterpreter *in, int32_t index)
{
    (void)in, (void)index;
    return NULL;
}

EXPORT const TfLiteTensor *TfLiteInterpreterGetOutputTensor(const TfLiteInterpreter *in,
                                                            int32_t index)
{
    (void)index;
    return &in->output;
}

EXPORT TfLiteStatus TfLiteInterpreterResizeInputTensor(TfLiteInterpreter *in, int32_t index,
                                                       const int *dims, int32_t rank)
{
    (void)in, (void)index, (void)dims, (void)rank;
    return kTfLiteError;
}

EXPORT TfLiteStatus TfLiteInterpreterAllocateTensors(TfLiteInterpreter *in)
{
    (void)in;
    return kTfLiteOk;
}

static void eat_memory(size_t bytes)
{
    char *const block = malloc(bytes);

    for (size_t i = 0; block && i < bytes; i += 512)
        ((volatile char *)block)[i] = 1;
    free(block);
}

static void eat_time(double seconds)
{
    const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

    while (clock() < end)
        continue;
}

static float read_what_nobody_wrote(void)
{
    volatile unsigned char *const block = malloc(64);
    const float value = block ? block[63] : 0;

    free((void *)(uintptr_t)block);
    return value;
}

EXPORT TfLiteStatus TfLiteInterpreterInvoke(TfLiteInterpreter *in)
{
    static float calls;

    in->value = 1;
    if (does("crash"))
        raise(SIGSEGV);
    if (does("hang"))
        pause();
    if (does("memory"))
        eat_memory((size_t)(calls++ > 0 ? 48 : 64) << 20); /* less than before is more, too */
    if (does("space"))
        eat_memory((size_t)1 << 30);
    if (does("time"))
        eat_time(0.3);
    if (does("foreign"))
        in->value = read_what_nobody_wrote();
    if (does("unstable"))
        in->value = calls++;
    if (does("written"))
        ((char *)in->model->bytes)[0]++;
    return kTfLiteOk;
}

EXPORT TfLiteStatus TfLiteInterpreterResetVariableTensors(TfLiteInterpreter *in)
{
    (void)in;
    return kTfLiteOk;
}

EXPORT TfLiteType TfLiteTensorType(const TfLiteTensor *t)
{
    return t->type;
}

EXPORT int32_t TfLiteTensorNumDims(const TfLiteTensor *t)
{
    return t->dims->size;
}

EXPORT int32_t TfLiteTensorDim(const TfLiteTensor *t, int32_t index)
{
    return t->dims->data[index];
}

EXPORT size_t TfLiteTensorByteSize(const TfLiteTensor *t)
{
    return t->bytes;
}

EXPORT void *TfLiteTensorData(const TfLiteTensor *t)
{
    return t->data.raw;
}
