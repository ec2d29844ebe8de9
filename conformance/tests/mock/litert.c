/* A libLiteRt.so to test the suite with: it runs models in the reference interpreter, and goes
 * wrong in the one way that MOCK_LITERT in its environment names.  Built twice: as it is, and with
 * MOCK_WITHOUT_RUN, when it lacks LiteRtRunCompiledModel. */
#include "conformance/suite/subject/litert_api.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The suite's own declarations: test_litert_real checks these against the real library. */
#define X(field, symbol, result, parameters)                                                       \
    __attribute__((visibility("default"))) result symbol parameters;
LITERT_FUNCTIONS(X)
#undef X

enum { OK = 0, INVALID = 1, RUNTIME_FAILURE = 3, WEBGPU_BUFFER = 20, BUFFERS_MAX = 8 };

struct litert_accelerator {
    const struct litert_accelerator_def *def; /* NULL: the mock's own */
};
struct litert_environment {
    struct litert_accelerator accelerator;
    int hardware; /* of the accelerator; 0: none is there */
};
struct litert_tensor {
    int32_t type;
    struct litert_layout shape;
};
/* Stands for the signature, too. */
struct litert_model_file {
    struct model model;
    struct litert_tensor inputs[BUFFERS_MAX], outputs[BUFFERS_MAX];
};
struct litert_options {
    int hardware;
};
struct litert_opaque_options {
    void *payload;
    void (*destroy)(void *);
};
struct litert_requirements {
    int type;
    size_t bytes;
};
struct litert_compiled_model {
    struct interpreter *in;
    struct litert_requirements need;
    int runs;
};
struct litert_buffer {
    uint8_t *data;
    size_t bytes;
    bool managed;
};

static bool fault(const char *name)
{
    const char *const wanted = getenv("MOCK_LITERT");

    return wanted && strcmp(wanted, name) == 0;
}

static int error(int status, const char *text)
{
    fprintf(stderr, "INFO: [mock.cc:1] nothing to see\nERROR: [mock.cc:42] %s\n", text);
    return status;
}

/* ---- the environment ---- */

int LiteRtCreateEnvironment(int count, const struct litert_env_option *options,
                            struct litert_environment **out)
{
    struct litert_environment *e;

    if (fault("environment"))
        return error(RUNTIME_FAILURE, "no environment today");
    e = mem_alloc(1, sizeof *e);
    e->hardware = LITERT_CPU;
    for (int i = 0; i < count; i++) {
        if (options[i].tag == LITERT_ENV_AUTO_REGISTER)
            e->hardware = (int)options[i].value.int_value;
        if (options[i].tag == LITERT_ENV_GPU_ACCELERATOR && !fault("ignore_accelerator"))
            e->accelerator.def = options[i].value.ptr_value;
    }
    if (fault("no_accelerator")) {
        e->hardware = 0;
        fprintf(stderr, "WARNING: [mock.cc:7] accelerator could not be loaded\n");
    }
    *out = e;
    return OK;
}

void LiteRtDestroyEnvironment(struct litert_environment *e)
{
    mem_free(e);
}

int LiteRtGetNumAccelerators(struct litert_environment *e, size_t *count)
{
    *count = e->hardware != 0;
    return OK;
}

int LiteRtGetAccelerator(struct litert_environment *e, size_t index,
                         struct litert_accelerator **out)
{
    (void)index;
    *out = &e->accelerator;
    return OK;
}

int LiteRtGetAcceleratorName(struct litert_accelerator *a, const char **name)
{
    *name = "Mock";
    return a->def ? a->def->get_name(a, name) : OK;
}

int LiteRtGetAcceleratorVersion(struct litert_accelerator *a, struct litert_api_version *version)
{
    *version = (struct litert_api_version){ 1, 2, 3 };
    return a->def ? a->def->get_version(a, version) : OK;
}

int LiteRtGetAcceleratorHardwareSupport(struct litert_accelerator *a, int *set)
{
    *set = ((struct litert_environment *)a)->hardware; /* its first member */
    return OK;
}

/* ---- models ---- */

static void describe(struct litert_tensor *t, const struct model *m, int32_t tensor)
{
    const struct model_tensor *const from = &m->subgraphs[0].tensors[tensor];

    t->type = (int32_t)tensor_type_runtime(from->type);
    t->shape.rank = (unsigned)from->shape.count & 0x7f;
    for (size_t d = 0; d < from->shape.count && d < LITERT_RANK_MAX; d++)
        t->shape.dimensions[d] = from->shape.data[d];
}

int LiteRtCreateModelFromBuffer(struct litert_environment *e, const void *bytes, size_t count,
                                struct litert_model_file **out)
{
    struct litert_model_file *const f = mem_alloc(1, sizeof *f);
    const struct model_subgraph *graph;
    struct diag diag;

    (void)e;
    if (tflite_read(&f->model, bytes, count, &diag) != STATUS_OK) {
        mem_free(f);
        return error(INVALID, diag.text);
    }
    graph = &f->model.subgraphs[0];
    for (size_t i = 0; i < graph->inputs.count && i < BUFFERS_MAX; i++)
        describe(&f->inputs[i], &f->model, graph->inputs.data[i]);
    for (size_t i = 0; i < graph->outputs.count && i < BUFFERS_MAX; i++)
        describe(&f->outputs[i], &f->model, graph->outputs.data[i]);
    if (fault("variables") || fault("invalid_model")) {
        model_close(&f->model);
        mem_free(f);
        return fault("variables") ? error(LITERT_ERROR_UNSUPPORTED, "variables are not supported")
                                  : error(INVALID, "the model is not valid");
    }
    if (fault("constant"))
        ((uint8_t *)(uintptr_t)bytes)[count - 1] ^= 1;
    *out = f;
    return OK;
}

void LiteRtDestroyModel(struct litert_model_file *f)
{
    model_close(&f->model);
    mem_free(f);
}

int LiteRtGetModelSignature(struct litert_model_file *f, size_t index,
                            struct litert_signature **out)
{
    *out = (struct litert_signature *)f;
    return index == 0 ? OK : INVALID;
}

static struct litert_model_file *file_of(struct litert_signature *s)
{
    return (struct litert_model_file *)s;
}

int LiteRtGetNumSignatureInputs(struct litert_signature *s, size_t *count)
{
    *count = file_of(s)->model.subgraphs[0].inputs.count;
    return OK;
}

int LiteRtGetNumSignatureOutputs(struct litert_signature *s, size_t *count)
{
    *count = file_of(s)->model.subgraphs[0].outputs.count + (fault("outputs") ? 1 : 0);
    if (fault("many_outputs"))
        *count = 1000;
    return OK;
}

int LiteRtGetSignatureInputTensorByIndex(struct litert_signature *s, size_t index,
                                         struct litert_tensor **out)
{
    *out = &file_of(s)->inputs[index];
    return OK;
}

int LiteRtGetSignatureOutputTensorByIndex(struct litert_signature *s, size_t index,
                                          struct litert_tensor **out)
{
    *out = &file_of(s)->outputs[index];
    return OK;
}

int LiteRtGetRankedTensorType(struct litert_tensor *t, struct litert_tensor_type *type)
{
    *type = (struct litert_tensor_type){ fault("type") ? kTfLiteInt32 : t->type, t->shape };
    return OK;
}

/* ---- options ---- */

int LiteRtCreateOptions(struct litert_options **out)
{
    *out = mem_alloc(1, sizeof **out);
    return OK;
}

void LiteRtDestroyOptions(struct litert_options *o)
{
    mem_free(o);
}

int LiteRtSetOptionsHardwareAccelerators(struct litert_options *o, int set)
{
    o->hardware = set;
    return OK;
}

int LiteRtCreateOpaqueOptions(const char *identifier, void *payload, void (*destroy)(void *),
                              struct litert_opaque_options **out)
{
    fprintf(stderr, "WARNING: [mock.cc:9] options %s: %s\n", identifier, (const char *)payload);
    *out = mem_alloc(1, sizeof **out);
    **out = (struct litert_opaque_options){ payload, destroy };
    return OK;
}

void LiteRtDestroyOpaqueOptions(struct litert_opaque_options *o)
{
    o->destroy(o->payload);
    mem_free(o);
}

int LiteRtAddOpaqueOptions(struct litert_options *o, struct litert_opaque_options *opaque)
{
    (void)o;
    if (fault("options"))
        return error(INVALID, "options are not understood");
    LiteRtDestroyOpaqueOptions(opaque);
    return OK;
}

/* ---- compiled models ---- */

/* An op that the reference lacks: -x, for f32. */
static TfLiteStatus prepare_negation(TfLiteContext *context, TfLiteNode *node)
{
    const TfLiteTensor *const x = &context->tensors[node->inputs->data[0]];

    return context->ResizeTensor(context, &context->tensors[node->outputs->data[0]],
                                 TfLiteIntArrayCopy(x->dims));
}

static TfLiteStatus invoke_negation(TfLiteContext *context, TfLiteNode *node)
{
    const TfLiteTensor *const x = &context->tensors[node->inputs->data[0]];
    TfLiteTensor *const y = &context->tensors[node->outputs->data[0]];

    for (size_t i = 0; i < x->bytes / sizeof(float); i++)
        y->data.f[i] = -x->data.f[i];
    return kTfLiteOk;
}

static const struct interpreter_kernel no_such_op = {
    .code = BUILTIN_CUSTOM,
    .custom_name = "NoSuchOp",
    .min_version = 1,
    .max_version = 1,
    .registration = { .prepare = prepare_negation, .invoke = invoke_negation }
};

int LiteRtCreateCompiledModel(struct litert_environment *e, struct litert_model_file *f,
                              struct litert_options *o, struct litert_compiled_model **out)
{
    const struct interpreter_options options = { .num_threads = -1,
                                                 .kernels = &no_such_op,
                                                 .kernel_count = 1 };
    struct litert_compiled_model *c;
    struct diag diag;

    (void)e, (void)o;
    if (fault("abort_compile"))
        abort();
    if (fault("no_device"))
        return error(RUNTIME_FAILURE, "No adapters found");
    if (fault("compile"))
        return error(LITERT_ERROR_COMPILATION, "Some ops are not accelerated");
    c = mem_alloc(1, sizeof *c);
    if (interpreter_open(&c->in, &f->model, &options, &diag) != STATUS_OK ||
        interpreter_allocate(c->in, &diag) != STATUS_OK) {
        interpreter_close(c->in);
        mem_free(c);
        return error(RUNTIME_FAILURE, diag.text);
    }
    c->need.type =
        fault("device_memory") || fault("device_input") ? WEBGPU_BUFFER : LITERT_BUFFER_HOST_MEMORY;
    *out = c;
    return OK;
}

void LiteRtDestroyCompiledModel(struct litert_compiled_model *c)
{
    interpreter_close(c->in);
    mem_free(c);
}

int LiteRtCompiledModelIsFullyAccelerated(struct litert_compiled_model *c, bool *fully)
{
    (void)c;
    *fully = !fault("partial");
    return OK;
}

int LiteRtCompiledModelIsNonCpuFullyAccelerated(struct litert_compiled_model *c, bool *fully)
{
    return LiteRtCompiledModelIsFullyAccelerated(c, fully);
}

static TfLiteTensor *input(struct litert_compiled_model *c, size_t index)
{
    size_t count;

    return interpreter_tensor(c->in, interpreter_inputs(c->in, &count)[index]);
}

static TfLiteTensor *output(struct litert_compiled_model *c, size_t index)
{
    size_t count;

    return interpreter_tensor(c->in, interpreter_outputs(c->in, &count)[index]);
}

static void shape_of(const TfLiteTensor *t, struct litert_layout *shape)
{
    shape->rank = (unsigned)t->dims->size & 0x7f;
    for (int d = 0; d < t->dims->size; d++)
        shape->dimensions[d] = t->dims->data[d];
}

int LiteRtGetCompiledModelInputTensorLayout(struct litert_compiled_model *c, size_t signature,
                                            size_t index, struct litert_layout *shape)
{
    (void)signature;
    shape_of(input(c, index), shape);
    if (fault("input_shape"))
        shape->dimensions[0]++;
    if (fault("dynamic"))
        shape->dimensions[0] = -1;
    return OK;
}

int LiteRtGetCompiledModelOutputTensorLayouts(struct litert_compiled_model *c, size_t signature,
                                              size_t count, struct litert_layout *shapes,
                                              bool update)
{
    (void)signature, (void)update;
    for (size_t i = 0; i < count; i++) {
        shape_of(output(c, i), &shapes[i]);
        if (fault("shape") && c->runs > 0)
            shapes[i].dimensions[0]++;
        if (fault("rank") && c->runs > 0)
            shapes[i].rank = 100;
    }
    return OK;
}

static int requirements(struct litert_compiled_model *c, size_t bytes,
                        struct litert_requirements **out)
{
    c->need.bytes = fault("huge") ? SIZE_MAX - 8 : bytes;
    *out = &c->need;
    return fault("requirements") ? error(RUNTIME_FAILURE, "no requirements") : OK;
}

int LiteRtGetCompiledModelInputBufferRequirements(struct litert_compiled_model *c, size_t signature,
                                                  size_t index, struct litert_requirements **out)
{
    (void)signature;
    return requirements(c, input(c, index)->bytes, out);
}

int LiteRtGetCompiledModelOutputBufferRequirements(struct litert_compiled_model *c,
                                                   size_t signature, size_t index,
                                                   struct litert_requirements **out)
{
    (void)signature;
    return requirements(c, output(c, index)->bytes, out);
}

int LiteRtGetNumTensorBufferRequirementsSupportedBufferTypes(struct litert_requirements *r,
                                                             int *count)
{
    (void)r;
    *count = 1;
    return OK;
}

int LiteRtGetTensorBufferRequirementsSupportedTensorBufferType(struct litert_requirements *r,
                                                               int index, int *type)
{
    *type = r->type;
    return index == 0 ? OK : INVALID;
}

int LiteRtGetTensorBufferRequirementsBufferSize(struct litert_requirements *r, size_t *bytes)
{
    *bytes = r->bytes;
    return OK;
}

int LiteRtGetTensorBufferRequirementsAlignment(struct litert_requirements *r, size_t *alignment)
{
    (void)r;
    *alignment = 128;
    return OK;
}

/* ---- buffers ---- */

static int make_buffer(uint8_t *data, size_t bytes, bool managed, struct litert_buffer **out)
{
    *out = mem_alloc(1, sizeof **out);
    **out = (struct litert_buffer){ data, bytes, managed };
    return OK;
}

int LiteRtCreateTensorBufferFromHostMemory(const struct litert_tensor_type *type, void *memory,
                                           size_t bytes, void (*release)(void *),
                                           struct litert_buffer **out)
{
    (void)type, (void)release;
    if ((uintptr_t)memory % LITERT_HOST_ALIGNMENT)
        return error(RUNTIME_FAILURE, "Unaligned host memory pointer");
    return make_buffer(memory, bytes, false, out);
}

int LiteRtCreateManagedTensorBufferFromRequirements(struct litert_environment *e,
                                                    const struct litert_tensor_type *type,
                                                    struct litert_requirements *r,
                                                    struct litert_buffer **out)
{
    (void)e, (void)type;
    return make_buffer(mem_alloc(r->bytes, 1), r->bytes, true, out);
}

void LiteRtDestroyTensorBuffer(struct litert_buffer *b)
{
    if (b->managed)
        mem_free(b->data);
    mem_free(b);
}

int LiteRtLockTensorBuffer(struct litert_buffer *b, void **memory, int mode)
{
    (void)mode;
    *memory = b->data;
    return fault("lock") ? error(RUNTIME_FAILURE, "no lock") : OK;
}

int LiteRtUnlockTensorBuffer(struct litert_buffer *b)
{
    (void)b;
    return OK;
}

/* ---- inference ---- */

#ifndef MOCK_WITHOUT_RUN
/* The last element is left as it was, or becomes another number, or one behind it is written. */
static void copy_output(struct litert_compiled_model *c, struct litert_buffer *to, size_t index)
{
    const TfLiteTensor *const t = output(c, index);
    const size_t element = t->type == kTfLiteFloat32 ? 4 : 1;
    const size_t bytes = t->bytes - (fault("unwritten") && t->bytes ? element : 0);

    memcpy(to->data, t->data.raw, bytes);
    if (fault("wrong") && bytes > 0)
        to->data[bytes - 1] ^= 0x40;
    if (fault("second") && c->runs > 0 && bytes > 0)
        to->data[0] ^= 1;
    if (fault("overrun"))
        to->data[to->bytes] = 0;
    if (fault("underrun"))
        to->data[-1] = 0;
}

int LiteRtRunCompiledModel(struct litert_compiled_model *c, size_t signature, size_t input_count,
                           struct litert_buffer **inputs, size_t output_count,
                           struct litert_buffer **outputs)
{
    struct diag diag;

    (void)signature;
    if (fault("abort"))
        abort();
    if (fault("hang"))
        pause();
    if (fault("run"))
        return error(RUNTIME_FAILURE, "Failed to invoke");
    for (size_t i = 0; i < input_count; i++) {
        if (inputs[i])
            memcpy(input(c, i)->data.raw, inputs[i]->data, input(c, i)->bytes);
    }
    if (interpreter_invoke(c->in, &diag) != STATUS_OK)
        return error(RUNTIME_FAILURE, diag.text);
    for (size_t i = 0; i < output_count; i++)
        copy_output(c, outputs[i], i);
    if ((fault("input") || fault("device_input")) && input_count > 0 && inputs[0] &&
        inputs[0]->bytes > 0)
        inputs[0]->data[0] ^= 1;
    c->runs++;
    return OK;
}
#endif
