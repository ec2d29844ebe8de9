#include "reference/tests/kit/c_api_kit.h"

#include <string.h>

char c_api_messages[8192];

void c_api_listen(void *user, const char *format, va_list args)
{
    const size_t length = strlen(c_api_messages);

    assert_ptr_equal(user, c_api_messages);
    vsnprintf(c_api_messages + length, sizeof c_api_messages - length - 2, format, args);
    strcat(c_api_messages, "\n");
}

const float c_api_weights[4] = { 1, 4, -2, 3 };

void c_api_classifier(struct tflite_file *file)
{
    const struct model_tensor_map inputs[] = { { { "image", 5 }, 0 } };
    const struct model_tensor_map outputs[] = { { { "scores", 6 }, 3 }, { { "sum", 3 }, 2 } };
    const struct model_signature signatures[] = {
        { .inputs = inputs,
          .input_count = 1,
          .outputs = outputs,
          .output_count = 2,
          .key = { "serving_default", 15 } },
        { .inputs = inputs, .input_count = 1, .key = { "other", 5 }, .subgraph_index = 1 },
    };
    struct model_subgraph twice[2];
    struct diag diag = { 0 };
    struct options add, softmax;
    struct builder b;
    struct model m, with_signature;
    int x, w, s, y;

    builder_init(&b);
    options_init(&add, OPTIONS_AddOptions);
    options_init(&softmax, OPTIONS_SoftmaxOptions);
    options_set_float(&softmax, "beta", 1);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, (int32_t[]){ 1, 4 });
    w = builder_constant(&b, TENSOR_FLOAT32, "w", 2, (int32_t[]){ 1, 4 }, c_api_weights,
                         sizeof c_api_weights);
    s = builder_tensor(&b, TENSOR_FLOAT32, "s", 2, (int32_t[]){ 1, 4 });
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, (int32_t[]){ 1, 4 });
    builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ x, w }, 1, &s);
    builder_op(&b, BUILTIN_SOFTMAX, 1, &softmax, 1, &s, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 2, (int[]){ y, s });
    KIT_OK(builder_finish(&b, &m, &diag));
    with_signature = m;
    with_signature.signatures = signatures;
    with_signature.signature_count = 2;
    twice[0] = twice[1] = m.subgraphs[0];
    with_signature.subgraphs = twice;
    with_signature.subgraph_count = 2;
    KIT_OK(tflite_write(&with_signature, file, &diag));
    model_close(&m);
}

TfLiteModel *c_api_load(const struct tflite_file *file)
{
    TfLiteModel *model =
        TfLiteModelCreateWithErrorReporter(file->bytes, file->count, c_api_listen, c_api_messages);

    if (!model)
        fail_msg("%s", c_api_messages);
    return model;
}

TfLiteInterpreterOptions *c_api_options(void)
{
    TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();

    assert_non_null(options);
    TfLiteInterpreterOptionsSetErrorReporter(options, c_api_listen, c_api_messages);
    c_api_messages[0] = '\0';
    return options;
}

void c_api_check_run(TfLiteInterpreter *interpreter, TfLiteStatus want)
{
    const float x[] = { 1, 2, 3, 4 };
    float s[4], y[4], sum = 0;

    assert_int_equal(
        TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0), x, sizeof x),
        kTfLiteOk);
    assert_int_equal(TfLiteInterpreterInvoke(interpreter), want);
    assert_int_equal(
        TfLiteTensorCopyToBuffer(TfLiteInterpreterGetOutputTensor(interpreter, 1), s, sizeof s),
        kTfLiteOk);
    assert_int_equal(
        TfLiteTensorCopyToBuffer(TfLiteInterpreterGetOutputTensor(interpreter, 0), y, sizeof y),
        kTfLiteOk);
    for (int i = 0; i < 4; i++) {
        assert_true(s[i] == x[i] + c_api_weights[i]);
        sum += y[i];
    }
    assert_true(sum > 0.99999f && sum < 1.00001f);
    assert_true(y[3] > y[1] && y[1] > y[0] && y[0] > y[2]);
}
