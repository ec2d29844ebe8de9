/* The TensorFlow Lite C API: signatures, names for the inputs and outputs of a subgraph. */
#include "reference/api/c_api.h"
#include "reference/base/memory.h"

#include <string.h>

static const char *text_of(const struct model_string *s)
{
    return s->text ? s->text : "";
}

int32_t TfLiteInterpreterGetSignatureCount(const TfLiteInterpreter *interpreter)
{
    return interpreter ? (int32_t)interpreter->model->model.signature_count : 0;
}

const char *TfLiteInterpreterGetSignatureKey(const TfLiteInterpreter *interpreter,
                                             int32_t signature_index)
{
    if (signature_index < 0 || signature_index >= TfLiteInterpreterGetSignatureCount(interpreter))
        return NULL;
    return text_of(&interpreter->model->model.signatures[signature_index].key);
}

TfLiteSignatureRunner *TfLiteInterpreterGetSignatureRunner(const TfLiteInterpreter *interpreter,
                                                           const char *signature_key)
{
    TfLiteSignatureRunner *runner;

    if (!interpreter || !signature_key)
        return NULL;
    for (size_t i = 0; i < interpreter->model->model.signature_count; i++) {
        const struct model_signature *s = &interpreter->model->model.signatures[i];

        if (strcmp(text_of(&s->key), signature_key) != 0)
            continue;
        runner = mem_alloc(1, sizeof *runner);
        if (runner)
            *runner = (TfLiteSignatureRunner){ s->subgraph_index == 0
                                                   ? (TfLiteInterpreter *)interpreter
                                                   : &interpreter->others[s->subgraph_index],
                                               s };
        return runner;
    }
    return NULL;
}

/* Tensor index by name; -1: none, or none of the interpreter's. */
static int find(const TfLiteSignatureRunner *runner, const struct model_tensor_map *map,
                size_t count, const char *name)
{
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(text_of(&map[i].name), name) == 0)
            return map[i].tensor_index < runner->interpreter->in->tensor_count
                       ? (int)map[i].tensor_index
                       : -1;
    return -1;
}

static int find_input(const TfLiteSignatureRunner *runner, const char *name)
{
    return runner ? find(runner, runner->signature->inputs, runner->signature->input_count, name)
                  : -1;
}

size_t TfLiteSignatureRunnerGetInputCount(const TfLiteSignatureRunner *runner)
{
    return runner ? runner->signature->input_count : 0;
}

const char *TfLiteSignatureRunnerGetInputName(const TfLiteSignatureRunner *runner,
                                              int32_t input_index)
{
    if (input_index < 0 || (size_t)input_index >= TfLiteSignatureRunnerGetInputCount(runner))
        return NULL;
    return text_of(&runner->signature->inputs[input_index].name);
}

TfLiteStatus TfLiteSignatureRunnerResizeInputTensor(TfLiteSignatureRunner *runner,
                                                    const char *input_name, const int *input_dims,
                                                    int32_t input_dims_size)
{
    const int tensor = find_input(runner, input_name);

    if (!runner || tensor < 0)
        return kTfLiteError;
    return api_resize(runner->interpreter, tensor, input_dims, input_dims_size);
}

TfLiteStatus TfLiteSignatureRunnerAllocateTensors(TfLiteSignatureRunner *runner)
{
    return TfLiteInterpreterAllocateTensors(runner ? runner->interpreter : NULL);
}

TfLiteTensor *TfLiteSignatureRunnerGetInputTensor(TfLiteSignatureRunner *runner,
                                                  const char *input_name)
{
    return runner ? interpreter_tensor(runner->interpreter->in, find_input(runner, input_name))
                  : NULL;
}

TfLiteStatus TfLiteSignatureRunnerInvoke(TfLiteSignatureRunner *runner)
{
    return TfLiteInterpreterInvoke(runner ? runner->interpreter : NULL);
}

size_t TfLiteSignatureRunnerGetOutputCount(const TfLiteSignatureRunner *runner)
{
    return runner ? runner->signature->output_count : 0;
}

const char *TfLiteSignatureRunnerGetOutputName(const TfLiteSignatureRunner *runner,
                                               int32_t output_index)
{
    if (output_index < 0 || (size_t)output_index >= TfLiteSignatureRunnerGetOutputCount(runner))
        return NULL;
    return text_of(&runner->signature->outputs[output_index].name);
}

const TfLiteTensor *TfLiteSignatureRunnerGetOutputTensor(const TfLiteSignatureRunner *runner,
                                                         const char *output_name)
{
    if (!runner)
        return NULL;
    return interpreter_tensor(
        runner->interpreter->in,
        find(runner, runner->signature->outputs, runner->signature->output_count, output_name));
}

TfLiteStatus TfLiteSignatureRunnerCancel(TfLiteSignatureRunner *runner)
{
    return TfLiteInterpreterCancel(runner ? runner->interpreter : NULL);
}

void TfLiteSignatureRunnerDelete(TfLiteSignatureRunner *runner)
{
    mem_free(runner);
}
