/* Trained 8-bit models of ASSAY_MODELS (default ../shared/models), skipped where there are none:
 * the outputs for a synthetic image equal those of the real runtime's reference kernels bit for
 * bit.  The hashes are of ai-edge-litert 2.3.0, BUILTIN_REF;
 * conformance/tests/litert/compare_tensors.py compares every tensor. */
#include "reference/tests/kit/test.h"

#include "tensorflow/lite/c/c_api.h"

#include <stdio.h>
#include <stdlib.h>

/* FNV-1a. */
static uint64_t hash_of(const uint8_t *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Rings, in other widths for each channel. */
static void draw(uint8_t *pixels, int height, int width)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (int c = 0; c < 3; c++)
                *pixels++ = (uint8_t)((y * y + 3 * x * (c + 1) + y * x / 7) / 16);
        }
    }
}

static void answers(const char *name, uint64_t expected)
{
    const char *const models = getenv("ASSAY_MODELS") ? getenv("ASSAY_MODELS") : "../shared/models";
    TfLiteInterpreter *interpreter;
    const TfLiteTensor *output;
    TfLiteModel *model;
    TfLiteTensor *input;
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/real/%s.tflite", models, name);
    file = fopen(path, "rb");
    if (!file) {
        print_message("skipped: no %s (set ASSAY_MODELS)\n", path);
        skip();
    }
    fclose(file);
    model = TfLiteModelCreateFromFile(path);
    assert_non_null(model);
    interpreter = TfLiteInterpreterCreate(model, NULL);
    assert_non_null(interpreter);
    assert_int_equal(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    input = TfLiteInterpreterGetInputTensor(interpreter, 0);
    assert_int_equal(TfLiteTensorType(input), kTfLiteUInt8);
    assert_int_equal(TfLiteTensorByteSize(input),
                     TfLiteTensorDim(input, 1) * TfLiteTensorDim(input, 2) * 3);
    draw(TfLiteTensorData(input), TfLiteTensorDim(input, 1), TfLiteTensorDim(input, 2));
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
    assert_int_equal(TfLiteTensorByteSize(output), 1001);
    assert_int_equal(hash_of(TfLiteTensorData(output), TfLiteTensorByteSize(output)), expected);
    TfLiteInterpreterDelete(interpreter);
    TfLiteModelDelete(model);
}

/* u8, a scale for each tensor. */
TEST(mobilenet_v1)
{
    answers("mobilenet_v1_0.25_128_quant", UINT64_C(0xead092406eeab689));
}

/* i8 between QUANTIZEs, weights with a scale for each channel. */
TEST(mobilenet_v2)
{
    answers("tf2_mobilenet_v2_1.0_224_ptq", UINT64_C(0xc3bcc45df35499ee));
}
