#include "reference/tests/kit/c_api_kit.h"
#include "reference/tests/kit/text_kit.h"

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
    static const char graph[] =
        "ADD {} x:f32[1,4] w:f32[1,4]=1,4,-2,3 -> s; SOFTMAX {beta=1} s -> y\n"
        "outputs y s";
    struct model m CLOSED_BY(model_close);

    kit_text(&m,
             "%s; signature serving_default image=x -> scores=y sum=s\n"
             "graph; %s; signature other image=x ->",
             graph, graph);
    KIT_OK(tflite_write(&m, file, &err));
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
