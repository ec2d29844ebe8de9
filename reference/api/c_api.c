/* The TensorFlow Lite C API: models, options, interpreters.
 *
 * A thin layer over interpreter.h.  Every pointer may be NULL and every index out of range: the
 * call then fails as the public header says, and has no other effect. */
#include "reference/api/c_api.h"

#include "reference/base/clean.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/runtime/delegates.h"

#include <stdio.h>
#include <string.h>

const char *TfLiteVersion(void)
{
    return ASSAY_VERSION;
}

const char *TfLiteExtensionApisVersion(void)
{
    return ASSAY_VERSION;
}

int TfLiteSchemaVersion(void)
{
    return 3;
}

void api_report(const struct api_reporter *to, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (to->call) {
        to->call(to->user, format, args);
    } else {
        char text[2 * sizeof((struct diag *)0)->text];

        vsnprintf(text, sizeof text, format, args);
        clean_message("", text);
    }
    va_end(args);
}

/* ---- models ---- */

static void api_model_release(TfLiteModel *model)
{
    if (atomic_fetch_sub(&model->references, 1) != 1)
        return;
    model_close(&model->model);
    file_model_close(&model->file);
    mem_free(model);
}

/* Takes the file, also on failure; NULL: the bytes are the caller's. */
static TfLiteModel *create_model(const void *data, size_t size, struct file_model *file,
                                 const struct api_reporter *reporter)
{
    TfLiteModel *model = mem_alloc(1, sizeof *model);
    struct diag diag = { 0 };

    if (!model) {
        if (file)
            file_model_close(file);
        api_report(reporter, "no memory for a model");
        return NULL;
    }
    atomic_init(&model->references, 1);
    if (file)
        model->file = *file;
    if (tflite_read(&model->model, data, size, &diag) != STATUS_OK) {
        api_report(reporter, "%s", diag.text);
        api_model_release(model);
        return NULL;
    }
    return model;
}

TfLiteModel *TfLiteModelCreateWithErrorReporter(const void *model_data, size_t model_size,
                                                TfLiteErrorReporterCallback reporter,
                                                void *user_data)
{
    const struct api_reporter to = { reporter, user_data };

    if (!model_data) {
        api_report(&to, "the model is NULL");
        return NULL;
    }
    return create_model(model_data, model_size, NULL, &to);
}

TfLiteModel *TfLiteModelCreate(const void *model_data, size_t model_size)
{
    return TfLiteModelCreateWithErrorReporter(model_data, model_size, NULL, NULL);
}

TfLiteModel *TfLiteModelCreateFromFileWithErrorReporter(const char *model_path,
                                                        TfLiteErrorReporterCallback reporter,
                                                        void *user_data)
{
    const struct api_reporter to = { reporter, user_data };
    struct diag diag = { 0 };
    struct file_model file;

    if (!model_path) {
        api_report(&to, "the path is NULL");
        return NULL;
    }
    if (file_model_open(model_path, &file, &diag) != STATUS_OK) {
        api_report(&to, "%s", diag.text);
        return NULL;
    }
    return create_model(file.bytes, file.count, &file, &to);
}

TfLiteModel *TfLiteModelCreateFromFile(const char *model_path)
{
    return TfLiteModelCreateFromFileWithErrorReporter(model_path, NULL, NULL);
}

void TfLiteModelDelete(TfLiteModel *model)
{
    if (model)
        api_model_release(model);
}

/* ---- options ---- */

TfLiteInterpreterOptions *TfLiteInterpreterOptionsCreate(void)
{
    TfLiteInterpreterOptions *options = mem_alloc(1, sizeof *options);

    if (options)
        options->num_threads = -1;
    return options;
}

TfLiteInterpreterOptions *TfLiteInterpreterOptionsCopy(const TfLiteInterpreterOptions *from)
{
    TfLiteInterpreterOptions *options = from ? mem_alloc(1, sizeof *options) : NULL;

    if (!options)
        return NULL;
    *options = *from;
    options->delegates = mem_alloc(from->delegate_count, sizeof(TfLiteDelegate *));
    if (!options->delegates) {
        mem_free(options);
        return NULL;
    }
    options->delegate_room = from->delegate_count;
    if (from->delegate_count)
        memcpy(options->delegates, from->delegates,
               from->delegate_count * sizeof(TfLiteDelegate *));
    options->kernels = NULL;
    options->kernel_count = options->kernel_room = 0;
    for (size_t i = 0; i < from->kernel_count; i++)
        api_add_kernel(options, &from->kernels[i]);
    return options;
}

static char *copy_name(const char *name)
{
    const size_t bytes = strlen(name) + 1;
    char *copy = mem_alloc(bytes, 1);

    return copy ? memcpy(copy, name, bytes) : NULL;
}

void api_add_kernel(TfLiteInterpreterOptions *options, const struct interpreter_kernel *kernel)
{
    struct interpreter_kernel copy = *kernel;

    if (options->kernel_count == options->kernel_room) {
        const size_t room = options->kernel_room + 4;
        struct interpreter_kernel *grown = mem_resize(options->kernels, room, sizeof *grown);

        if (!grown) {
            options->out_of_memory = true;
            return;
        }
        options->kernels = grown;
        options->kernel_room = room;
    }
    if (kernel->custom_name && !(copy.custom_name = copy_name(kernel->custom_name))) {
        options->out_of_memory = true;
        return;
    }
    options->kernels[options->kernel_count++] = copy;
}

void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions *options)
{
    if (!options)
        return;
    for (size_t i = 0; i < options->kernel_count; i++)
        mem_free((char *)options->kernels[i].custom_name);
    mem_free(options->kernels);
    mem_free(options->delegates);
    mem_free(options);
}

void TfLiteInterpreterOptionsSetNumThreads(TfLiteInterpreterOptions *options, int32_t num_threads)
{
    if (options)
        options->num_threads = num_threads;
}

void TfLiteInterpreterOptionsAddDelegate(TfLiteInterpreterOptions *options,
                                         TfLiteOpaqueDelegate *delegate)
{
    if (!options || !delegate)
        return;
    if (options->delegate_count == options->delegate_room) {
        TfLiteDelegate **grown =
            mem_resize(options->delegates, options->delegate_count + 4, sizeof(TfLiteDelegate *));
        if (!grown) {
            options->out_of_memory = true;
            return;
        }
        options->delegates = grown;
        options->delegate_room = options->delegate_count + 4;
    }
    options->delegates[options->delegate_count++] = delegate;
}

void TfLiteInterpreterOptionsSetErrorReporter(TfLiteInterpreterOptions *options,
                                              TfLiteErrorReporterCallback reporter, void *user_data)
{
    if (options)
        options->reporter = (struct api_reporter){ reporter, user_data };
}

TfLiteStatus TfLiteInterpreterOptionsEnableCancellation(TfLiteInterpreterOptions *options,
                                                        bool enable)
{
    if (!options)
        return kTfLiteError;
    options->cancellable = enable;
    return kTfLiteOk;
}

/* ---- interpreters ---- */

TfLiteStatus api_status(const TfLiteInterpreter *interpreter, enum status s,
                        const struct diag *diag)
{
    if (s == STATUS_OK)
        return kTfLiteOk;
    api_report(&interpreter->reporter, "%s", diag->text);
    return interpreter->in->code == kTfLiteOk ? kTfLiteError : interpreter->in->code;
}

static TfLiteStatus open_interpreter(TfLiteInterpreter *interpreter, const struct model *model,
                                     size_t graph, struct interpreter *beside,
                                     const TfLiteInterpreterOptions *options)
{
    const struct interpreter_options own = { .graph = graph,
                                             .beside = beside,
                                             .cancellable = options->cancellable,
                                             .kernels = options->kernels,
                                             .kernel_count = options->kernel_count,
                                             .num_threads = options->num_threads,
                                             .report = options->reporter.call,
                                             .report_user = options->reporter.user };
    struct diag diag = { 0 };

    if (interpreter_open(&interpreter->in, model, &own, &diag) != STATUS_OK) {
        api_report(&interpreter->reporter, "%s", diag.text);
        return kTfLiteError;
    }
    interpreter->in->quote_reports = false; /* a delegate's messages are reported on their own */
    for (size_t i = 0; i < options->delegate_count; i++) {
        TfLiteStatus code;
        if (interpreter_apply_delegate(interpreter->in, options->delegates[i], &code, &diag) ==
            STATUS_OK)
            continue;
        api_report(&interpreter->reporter, "%s", diag.text);
        if (!options->fallback)
            return code;
        delegates_forget(interpreter->in);
        break;
    }
    return kTfLiteOk;
}

/* Delegates see every subgraph that a signature names, as in the runtime. */
static TfLiteStatus open_others(TfLiteInterpreter *interpreter,
                                const TfLiteInterpreterOptions *options)
{
    const struct model *const m = &interpreter->model->model;

    for (size_t i = 0; i < m->signature_count && m->subgraph_count > 1; i++) {
        const size_t graph = m->signatures[i].subgraph_index;

        if (graph == 0)
            continue;
        if (!interpreter->others &&
            !(interpreter->others = mem_alloc(m->subgraph_count, sizeof *interpreter->others)))
            return kTfLiteError;
        interpreter->other_count = m->subgraph_count;
        if (interpreter->others[graph].in)
            continue;
        interpreter->others[graph].reporter = interpreter->reporter;
        interpreter->others[graph].fallback = interpreter->fallback;
        if (open_interpreter(&interpreter->others[graph], m, graph, interpreter->in, options) !=
            kTfLiteOk)
            return kTfLiteError;
    }
    return kTfLiteOk;
}

TfLiteInterpreter *TfLiteInterpreterCreate(const TfLiteModel *model,
                                           const TfLiteInterpreterOptions *optional_options)
{
    static const TfLiteInterpreterOptions none = { .num_threads = -1 };
    const TfLiteInterpreterOptions *options = optional_options ? optional_options : &none;
    TfLiteInterpreter *interpreter = model ? mem_alloc(1, sizeof *interpreter) : NULL;

    if (!interpreter || options->out_of_memory) {
        api_report(&options->reporter,
                   model ? "no memory for an interpreter" : "the model is NULL");
        mem_free(interpreter);
        return NULL;
    }
    interpreter->model = (TfLiteModel *)model; /* counted, not changed */
    atomic_fetch_add(&interpreter->model->references, 1);
    interpreter->reporter = options->reporter;
    interpreter->fallback = options->fallback;
    if (open_interpreter(interpreter, &model->model, 0, NULL, options) != kTfLiteOk ||
        open_others(interpreter, options) != kTfLiteOk) {
        TfLiteInterpreterDelete(interpreter);
        return NULL;
    }
    return interpreter;
}

void TfLiteInterpreterDelete(TfLiteInterpreter *interpreter)
{
    if (!interpreter)
        return;
    if (interpreter->in)
        delegates_forget(interpreter->in); /* kernels are freed in the order of the subgraphs */
    for (size_t i = 0; i < interpreter->other_count; i++)
        interpreter_close(interpreter->others[i].in);
    mem_free(interpreter->others);
    interpreter_close(interpreter->in);
    api_model_release(interpreter->model);
    mem_free(interpreter);
}

/* list[i]; -1 when i is out of range. */
static int pick(const int *list, size_t count, int32_t i)
{
    return i >= 0 && (size_t)i < count ? list[i] : -1;
}

int32_t TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter *interpreter)
{
    return interpreter ? (int32_t)interpreter->in->input_count : 0;
}

const int *TfLiteInterpreterInputTensorIndices(const TfLiteInterpreter *interpreter)
{
    return interpreter ? interpreter->in->inputs : NULL;
}

TfLiteTensor *TfLiteInterpreterGetInputTensor(const TfLiteInterpreter *interpreter,
                                              int32_t input_index)
{
    if (!interpreter)
        return NULL;
    return interpreter_tensor(
        interpreter->in, pick(interpreter->in->inputs, interpreter->in->input_count, input_index));
}

int32_t TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter *interpreter)
{
    return interpreter ? (int32_t)interpreter->in->output_count : 0;
}

const int *TfLiteInterpreterOutputTensorIndices(const TfLiteInterpreter *interpreter)
{
    return interpreter ? interpreter->in->outputs : NULL;
}

const TfLiteTensor *TfLiteInterpreterGetOutputTensor(const TfLiteInterpreter *interpreter,
                                                     int32_t output_index)
{
    if (!interpreter)
        return NULL;
    return interpreter_tensor(interpreter->in, pick(interpreter->in->outputs,
                                                    interpreter->in->output_count, output_index));
}

TfLiteTensor *TfLiteInterpreterGetTensor(const TfLiteInterpreter *interpreter, int index)
{
    return interpreter ? interpreter_tensor(interpreter->in, index) : NULL;
}

TfLiteStatus api_resize(TfLiteInterpreter *interpreter, int tensor, const int *dims, int32_t rank)
{
    struct diag diag = { 0 };

    return api_status(interpreter,
                      interpreter_resize_input(interpreter->in, tensor, dims, rank, &diag), &diag);
}

TfLiteStatus TfLiteInterpreterResizeInputTensor(TfLiteInterpreter *interpreter, int32_t input_index,
                                                const int *input_dims, int32_t input_dims_size)
{
    int tensor;

    if (!interpreter)
        return kTfLiteError;
    tensor = pick(interpreter->in->inputs, interpreter->in->input_count, input_index);
    if (tensor < 0) {
        api_report(&interpreter->reporter, "input %d, expected 0 to %d", (int)input_index,
                   (int)interpreter->in->input_count - 1);
        return kTfLiteError;
    }
    return api_resize(interpreter, tensor, input_dims, input_dims_size);
}

TfLiteStatus TfLiteInterpreterAllocateTensors(TfLiteInterpreter *interpreter)
{
    struct diag diag = { 0 };

    if (!interpreter)
        return kTfLiteError;
    return api_status(interpreter, interpreter_allocate(interpreter->in, &diag), &diag);
}

/* ---- invoke ---- */

/* The bytes of all inputs, concatenated; NULL when out of memory. */
static char *save_inputs(const struct interpreter *in)
{
    size_t total = 0;
    char *copy;

    for (size_t i = 0; i < in->input_count; i++)
        total += in->tensors[in->inputs[i]].bytes; /* all are allocated, so the sum fits */
    copy = mem_alloc(1, total);
    total = 0;
    for (size_t i = 0; copy && i < in->input_count; i++) {
        const TfLiteTensor *t = &in->tensors[in->inputs[i]];
        if (t->bytes)
            memcpy(copy + total, t->data.raw, t->bytes);
        total += t->bytes;
    }
    return copy;
}

static void load_inputs(struct interpreter *in, const char *copy)
{
    for (size_t i = 0; i < in->input_count; i++) {
        const TfLiteTensor *t = &in->tensors[in->inputs[i]];
        if (t->bytes && t->allocation_type != kTfLiteMmapRo)
            memcpy(t->data.raw, copy, t->bytes);
        copy += t->bytes;
    }
}

static enum status invoke_without_delegates(struct interpreter *in, struct diag *diag)
{
    char *inputs;
    enum status s;

    for (size_t i = 0; i < in->input_count; i++)
        TRY(interpreter_make_readable(in, in->inputs[i], diag));
    inputs = save_inputs(in);
    if (!inputs)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory to keep the inputs");
    delegates_forget(in);
    s = interpreter_allocate(in, diag);
    if (s == STATUS_OK)
        load_inputs(in, inputs);
    mem_free(inputs);
    return s == STATUS_OK ? interpreter_invoke(in, diag) : s;
}

/* With fallback enabled, a failure of a delegate is followed by a run without delegates. */
static TfLiteStatus api_invoke(TfLiteInterpreter *interpreter)
{
    struct interpreter *in = interpreter->in;
    struct diag diag = { 0 };
    TfLiteStatus code = api_status(interpreter, interpreter_invoke(in, &diag), &diag);

    if (code == kTfLiteOk || code == kTfLiteCancelled || !interpreter->fallback ||
        in->delegate_count == 0 || !in->allocated)
        return code;
    api_report(&interpreter->reporter, "invoke failed with a delegate; retrying without delegates");
    code = api_status(interpreter, invoke_without_delegates(in, &diag), &diag);
    return code == kTfLiteOk ? kTfLiteDelegateError : code;
}

TfLiteStatus TfLiteInterpreterInvoke(TfLiteInterpreter *interpreter)
{
    return interpreter ? api_invoke(interpreter) : kTfLiteError;
}

TfLiteStatus TfLiteInterpreterCancel(const TfLiteInterpreter *interpreter)
{
    if (!interpreter || interpreter_cancel(interpreter->in) != STATUS_OK)
        return kTfLiteError;
    return kTfLiteOk;
}
