/* The experimental part of the TensorFlow Lite C API. */
#include "tensorflow/lite/c/c_api_experimental.h"

#include "reference/api/c_api.h"

TfLiteStatus TfLiteInterpreterResetVariableTensors(TfLiteInterpreter *interpreter)
{
    enum status s;

    if (!interpreter)
        return kTfLiteError;
    s = interpreter_reset_variables(interpreter->in);
    for (size_t i = 0; i < interpreter->other_count; i++)
        if (interpreter->others[i].in) /* those without memory are reset when they get it */
            interpreter_reset_variables(interpreter->others[i].in);
    return s == STATUS_OK ? kTfLiteOk : kTfLiteError;
}

int32_t TfLiteInterpreterGetVariableTensorCount(const TfLiteInterpreter *interpreter)
{
    return interpreter ? (int32_t)interpreter->in->variable_count : 0;
}

TfLiteTensor *TfLiteInterpreterGetVariableTensor(const TfLiteInterpreter *interpreter,
                                                 int32_t variable_index)
{
    if (variable_index < 0 ||
        variable_index >= TfLiteInterpreterGetVariableTensorCount(interpreter))
        return NULL;
    return interpreter_tensor(interpreter->in, interpreter->in->variables[variable_index]);
}

int32_t TfLiteInterpreterGetInputTensorIndex(const TfLiteInterpreter *interpreter,
                                             int32_t input_index)
{
    if (input_index < 0 || input_index >= TfLiteInterpreterGetInputTensorCount(interpreter))
        return -1;
    return interpreter->in->inputs[input_index];
}

int32_t TfLiteInterpreterGetOutputTensorIndex(const TfLiteInterpreter *interpreter,
                                              int32_t output_index)
{
    if (output_index < 0 || output_index >= TfLiteInterpreterGetOutputTensorCount(interpreter))
        return -1;
    return interpreter->in->outputs[output_index];
}

static void add_kernel(TfLiteInterpreterOptions *options, int32_t code, const char *name,
                       const TfLiteRegistration *registration, int32_t min_version,
                       int32_t max_version)
{
    if (options && registration && code >= 0 && min_version <= max_version)
        api_add_kernel(options, &(struct interpreter_kernel){ .code = code,
                                                              .custom_name = name,
                                                              .min_version = min_version,
                                                              .max_version = max_version,
                                                              .registration = *registration });
}

void TfLiteInterpreterOptionsAddCustomOp(TfLiteInterpreterOptions *options, const char *name,
                                         const TfLiteRegistration *registration,
                                         int32_t min_version, int32_t max_version)
{
    if (name)
        add_kernel(options, BUILTIN_CUSTOM, name, registration, min_version, max_version);
}

void TfLiteInterpreterOptionsAddBuiltinOp(TfLiteInterpreterOptions *options,
                                          TfLiteBuiltinOperator op,
                                          const TfLiteRegistration *registration,
                                          int32_t min_version, int32_t max_version)
{
    if ((int32_t)op != BUILTIN_CUSTOM) /* which has a name */
        add_kernel(options, (int32_t)op, NULL, registration, min_version, max_version);
}

void TfLiteInterpreterOptionsSetEnableDelegateFallback(TfLiteInterpreterOptions *options,
                                                       bool enable)
{
    if (options)
        options->fallback = enable;
}

TfLiteStatus TfLiteInterpreterModifyGraphWithDelegate(const TfLiteInterpreter *interpreter,
                                                      TfLiteOpaqueDelegate *delegate)
{
    struct diag diag = { 0 };
    TfLiteStatus code;

    if (!interpreter)
        return kTfLiteError;
    if (interpreter_apply_delegate(interpreter->in, delegate, &code, &diag) != STATUS_OK)
        api_report(&interpreter->reporter, "%s", diag.text);
    for (size_t i = 0; i < interpreter->other_count && code == kTfLiteOk; i++)
        if (interpreter->others[i].in)
            code = TfLiteInterpreterModifyGraphWithDelegate(&interpreter->others[i], delegate);
    return code;
}

TfLiteStatus
TfLiteInterpreterSetCustomAllocationForTensor(TfLiteInterpreter *interpreter, int tensor_index,
                                              const TfLiteCustomAllocation *custom_allocation,
                                              int64_t flags)
{
    struct diag diag = { 0 };

    if (!interpreter || !custom_allocation)
        return kTfLiteError;
    interpreter->in->code = kTfLiteOk;
    return api_status(interpreter,
                      interpreter_set_custom(interpreter->in, tensor_index, custom_allocation->data,
                                             custom_allocation->bytes,
                                             flags & kTfLiteCustomAllocationFlagsSkipAlignCheck,
                                             &diag),
                      &diag);
}

/* Whether the tensor is one of the interpreter's. */
static bool has_tensor(const TfLiteInterpreter *interpreter, const TfLiteTensor *tensor)
{
    const struct interpreter *const in = interpreter->in;

    return in && tensor >= in->tensors && tensor < in->tensors + in->tensor_count;
}

TfLiteStatus TfLiteInterpreterSetBufferHandle(TfLiteInterpreter *interpreter, TfLiteTensor *tensor,
                                              TfLiteBufferHandle buffer_handle,
                                              TfLiteOpaqueDelegate *delegate)
{
    struct diag diag = { 0 };

    if (!interpreter || !tensor)
        return kTfLiteError;
    for (size_t i = 0; i < interpreter->other_count && !has_tensor(interpreter, tensor); i++)
        if (has_tensor(&interpreter->others[i], tensor))
            return TfLiteInterpreterSetBufferHandle(&interpreter->others[i], tensor, buffer_handle,
                                                    delegate);
    if (!has_tensor(interpreter, tensor))
        return kTfLiteError;
    interpreter->in->code = kTfLiteOk;
    return api_status(interpreter,
                      interpreter_set_buffer_handle(interpreter->in,
                                                    (int)(tensor - interpreter->in->tensors),
                                                    buffer_handle, delegate, &diag),
                      &diag);
}

TfLiteStatus TfLiteInterpreterGetBufferHandle(const TfLiteInterpreter *interpreter,
                                              int tensor_index, TfLiteBufferHandle *handle,
                                              TfLiteOpaqueDelegate **delegate)
{
    const TfLiteTensor *t = interpreter ? interpreter_tensor(interpreter->in, tensor_index) : NULL;

    if (!t || !handle || !delegate)
        return kTfLiteError;
    *handle = t->buffer_handle;
    *delegate = t->delegate;
    return kTfLiteOk;
}

void TfLiteSetAllowBufferHandleOutput(const TfLiteInterpreter *interpreter,
                                      bool allow_buffer_handle_output)
{
    if (interpreter)
        interpreter_allow_buffer_handles(interpreter->in, allow_buffer_handle_output);
}

TfLiteStatus TfLiteInterpreterEnsureTensorDataIsReadable(TfLiteInterpreter *interpreter,
                                                         int tensor_index)
{
    struct diag diag = { 0 };

    if (!interpreter)
        return kTfLiteError;
    interpreter->in->code = kTfLiteOk;
    return api_status(interpreter, interpreter_make_readable(interpreter->in, tensor_index, &diag),
                      &diag);
}
