/* Kernels that a program registers through the C API: found by name and version, called in the
 * order of the runtime, with their options, temporaries and dynamic outputs; their failures. */
#include "reference/tests/kit/c_api_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/base/memory.h"

#include <stdlib.h>

/* ---- a kernel: y = factor * x, by way of a temporary ---- */

struct twice {
    int scratch;
    float factor;
};

static struct {
    int inits, frees, prepares, invokes;
    bool fail_init, fail_prepare, fail_invoke, dynamic;
    size_t option_bytes;
} calls;

static void *twice_init(TfLiteContext *context, const char *buffer, size_t length)
{
    struct twice *const t = calloc(1, sizeof *t);

    calls.inits++;
    calls.option_bytes = length;
    if (calls.fail_init) {
        free(t);
        return TfLiteKernelInitFailed();
    }
    t->factor = length ? (float)buffer[0] : 2;
    if (context->AddTensors(context, 1, &t->scratch) != kTfLiteOk)
        abort();
    return t;
}

static void twice_free(TfLiteContext *context, void *user_data)
{
    (void)context;
    calls.frees++;
    free(user_data);
}

static TfLiteStatus twice_prepare(TfLiteContext *context, TfLiteNode *node)
{
    const struct twice *const t = node->user_data;
    const TfLiteTensor *const x = &context->tensors[node->inputs->data[0]];
    TfLiteTensor *const y = &context->tensors[node->outputs->data[0]];
    TfLiteTensor *const scratch = &context->tensors[t->scratch];

    calls.prepares++;
    if (calls.fail_prepare) {
        context->ReportError(context, "twice: %d is too many", 3);
        return kTfLiteError;
    }
    TfLiteIntArrayFree(node->temporaries);
    node->temporaries = TfLiteIntArrayCreate(1);
    node->temporaries->data[0] = t->scratch;
    scratch->type = kTfLiteFloat32;
    scratch->allocation_type = kTfLiteArenaRw;
    if (context->ResizeTensor(context, scratch, TfLiteIntArrayCopy(x->dims)) != kTfLiteOk)
        return kTfLiteError;
    if (calls.dynamic) {
        y->allocation_type = kTfLiteDynamic;
        return kTfLiteOk;
    }
    return context->ResizeTensor(context, y, TfLiteIntArrayCopy(x->dims));
}

static TfLiteStatus twice_invoke(TfLiteContext *context, TfLiteNode *node)
{
    const struct twice *const t = node->user_data;
    const TfLiteTensor *const x = &context->tensors[node->inputs->data[0]];
    TfLiteTensor *const y = &context->tensors[node->outputs->data[0]];
    float *const scratch = context->tensors[node->temporaries->data[0]].data.f;

    calls.invokes++;
    if (calls.fail_invoke)
        return kTfLiteError;
    if (calls.dynamic &&
        context->ResizeTensor(context, y, TfLiteIntArrayCopy(x->dims)) != kTfLiteOk)
        return kTfLiteError;
    for (size_t i = 0; i < x->bytes / sizeof(float); i++)
        scratch[i] = t->factor * x->data.f[i];
    memcpy(y->data.f, scratch, y->bytes);
    return kTfLiteOk;
}

static const TfLiteRegistration twice = {
    .init = twice_init, .free = twice_free, .prepare = twice_prepare, .invoke = twice_invoke
};

/* ---- models ---- */

/* y = relu(Twice(x)), x [3]; the options are those of Twice. */
static void write_model(struct tflite_file *file, const char *options)
{
    MODEL(m, "CUSTOM(Twice):2 %s x:f32[3] -> t:f32[3]; RELU t -> y", options);
    assert_int_equal(tflite_write(&m, file, &err), STATUS_OK);
}

static TfLiteInterpreter *open_with(const struct tflite_file *file,
                                    TfLiteInterpreterOptions *options)
{
    TfLiteModel *const model = c_api_load(file);
    TfLiteInterpreter *const in = TfLiteInterpreterCreate(model, options);

    TfLiteModelDelete(model);
    TfLiteInterpreterOptionsDelete(options);
    return in;
}

static TfLiteInterpreter *open_twice(const struct tflite_file *file)
{
    TfLiteInterpreterOptions *const options = c_api_options();

    TfLiteInterpreterOptionsAddCustomOp(options, "Twice", &twice, 1, 2);
    return open_with(file, options);
}

static void check_run(TfLiteInterpreter *in, float factor)
{
    static const float x[] = { 1, -2, 3 };
    float y[3];

    assert_int_equal(
        TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(in, 0), x, sizeof x), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterInvoke(in), kTfLiteOk);
    assert_int_equal(TfLiteTensorCopyToBuffer(TfLiteInterpreterGetOutputTensor(in, 0), y, sizeof y),
                     kTfLiteOk);
    for (int i = 0; i < 3; i++)
        assert_true(y[i] == (x[i] < 0 ? 0 : factor * x[i]));
}

FIXTURE(reset)
{
    memset(&calls, 0, sizeof calls);
    return 0;
}

/* ---- tests ---- */

TEST(runs_a_registered_kernel)
{
    struct tflite_file file;
    TfLiteInterpreter *in;

    write_model(&file, "bytes(05)");
    in = open_twice(&file);
    assert_non_null(in);
    assert_int_equal(calls.inits, 1);
    assert_int_equal(calls.option_bytes, 1);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    assert_true(calls.prepares >= 1);
    check_run(in, 5);
    check_run(in, 5);
    assert_int_equal(calls.invokes, 2);
    TfLiteInterpreterDelete(in);
    assert_int_equal(calls.frees, 1);
    mem_free(file.bytes);
}

TEST(options_may_be_copied_and_deleted)
{
    TfLiteInterpreterOptions *const options = c_api_options();
    TfLiteInterpreterOptions *copy;
    char name[] = "Twice";
    TfLiteInterpreter *in;
    struct tflite_file file;

    write_model(&file, "");
    TfLiteInterpreterOptionsAddCustomOp(options, name, &twice, 1, 2);
    name[0] = 'X'; /* it was copied */
    copy = TfLiteInterpreterOptionsCopy(options);
    TfLiteInterpreterOptionsDelete(options);
    in = open_with(&file, copy);
    assert_non_null(in);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    check_run(in, 2);
    TfLiteInterpreterDelete(in);
    mem_free(file.bytes);
}

/* The tensors after a dynamic one are prepared again in each invoke. */
TEST(outputs_may_be_dynamic)
{
    struct tflite_file file;
    TfLiteInterpreter *in;

    write_model(&file, "");
    calls.dynamic = true;
    in = open_twice(&file);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    check_run(in, 2);
    check_run(in, 2);
    TfLiteInterpreterDelete(in);
    mem_free(file.bytes);
}

TEST(prepares_again_after_a_resize)
{
    struct tflite_file file;
    TfLiteInterpreter *in;
    int before;

    write_model(&file, "");
    in = open_twice(&file);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    before = calls.prepares;
    assert_int_equal(TfLiteInterpreterResizeInputTensor(in, 0, (int[]){ 9 }, 1), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    assert_true(calls.prepares > before);
    assert_int_equal(TfLiteTensorDim(TfLiteInterpreterGetOutputTensor(in, 0), 0), 9);
    assert_int_equal(calls.inits, 1);
    TfLiteInterpreterDelete(in);
    mem_free(file.bytes);
}

/* A delegate that takes RELU, is undone by a resize and applied again: the kernel keeps its
 * temporary. */
TEST(works_beside_a_delegate)
{
    TfLiteInterpreterOptions *const options = c_api_options();
    struct mock mock;
    struct tflite_file file;
    TfLiteInterpreter *in;

    write_model(&file, "");
    mock_begin(&mock);
    mock.takes = mock_from;
    mock.choice = 1;
    mock.add_temporary = true;
    TfLiteInterpreterOptionsAddCustomOp(options, "Twice", &twice, 2, 2);
    TfLiteInterpreterOptionsAddDelegate(options, &mock.abi);
    in = open_with(&file, options);
    assert_non_null(in);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    check_run(in, 2);
    assert_int_equal(TfLiteInterpreterResizeInputTensor(in, 0, (int[]){ 4 }, 1), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterResizeInputTensor(in, 0, (int[]){ 3 }, 1), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    check_run(in, 2);
    TfLiteInterpreterDelete(in);
    assert_true(mock.inits > 1);
    mock_end(&mock);
    mem_free(file.bytes);
}

TEST(replaces_builtin_kernels)
{
    TfLiteInterpreterOptions *const options = c_api_options();
    struct tflite_file file;
    TfLiteInterpreter *in;

    write_model(&file, "");
    TfLiteInterpreterOptionsAddCustomOp(options, "Twice", &twice, 1, 2);
    TfLiteInterpreterOptionsAddBuiltinOp(options, kTfLiteBuiltinRelu, &twice, 1, 1);
    in = open_with(&file, options);
    assert_non_null(in);
    assert_int_equal(calls.inits, 2);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    assert_int_equal(TfLiteInterpreterInvoke(in), kTfLiteOk);
    assert_int_equal(calls.invokes, 2);
    TfLiteInterpreterDelete(in);
    assert_int_equal(calls.frees, 2);
    mem_free(file.bytes);
}

TEST(names_what_is_not_known)
{
    TfLiteInterpreterOptions *options = c_api_options();
    struct tflite_file file;

    write_model(&file, "");
    assert_null(open_with(&file, options));
    assert_non_null(strstr(c_api_messages, "the custom op \"Twice\" version 2 is not known"));

    options = c_api_options();
    TfLiteInterpreterOptionsAddCustomOp(options, "Twice", &twice, 3, 9);
    TfLiteInterpreterOptionsAddCustomOp(options, "Thrice", &twice, 1, 9);
    assert_null(open_with(&file, options));
    assert_non_null(strstr(c_api_messages, "the custom op \"Twice\" version 2 is not known"));
    assert_int_equal(calls.inits, 0);
    mem_free(file.bytes);
}

TEST(passes_failures_on)
{
    struct tflite_file file;
    TfLiteInterpreter *in;

    write_model(&file, "");
    calls.fail_init = true;
    assert_null(open_twice(&file));
    assert_non_null(strstr(c_api_messages, "node 0 (Twice) failed to initialize"));
    assert_int_equal(calls.frees, 0);

    reset(NULL);
    calls.fail_prepare = true;
    in = open_twice(&file);
    assert_non_null(in); /* its inputs may be resized yet */
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteError);
    assert_non_null(strstr(c_api_messages, "twice: 3 is too many"));
    assert_non_null(strstr(c_api_messages, "node 0 (Twice) failed to prepare (status 1)"));
    TfLiteInterpreterDelete(in);
    assert_int_equal(calls.frees, 1);

    reset(NULL);
    in = open_twice(&file);
    assert_int_equal(TfLiteInterpreterAllocateTensors(in), kTfLiteOk);
    calls.fail_invoke = true;
    assert_int_equal(TfLiteInterpreterInvoke(in), kTfLiteError);
    assert_non_null(strstr(c_api_messages, "node 0 (Twice) failed to invoke (status 1)"));
    TfLiteInterpreterDelete(in);
    mem_free(file.bytes);
}

TEST_FILE(.each_setup = reset);
