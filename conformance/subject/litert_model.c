/* Compiles a model and runs it. */
#include "conformance/subject/litert_model.h"

#include "conformance/subject/litert_io.h"
#include "conformance/util/stderr_text.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

enum { PRINTED_BYTES = 8192, SIGNATURE = 0 };

/* ---- options ---- */

/* LiteRT frees the payload with the options. */
static enum status add_toml(const struct litert *l, struct litert_options *o,
                            const char *identifier, const char *toml, struct diag *diag)
{
    struct litert_opaque_options *opaque = NULL;
    char *payload;
    int answer;

    if (!toml[0])
        return STATUS_OK;
    payload = mem_alloc(strlen(toml) + 1, 1);
    if (!payload)
        return diag_fail(diag, STATUS_NO_MEMORY, "litert: out of memory");
    strcpy(payload, toml);
    answer = l->api.create_opaque_options(identifier, payload, mem_free, &opaque);
    if (answer != LITERT_OK) {
        mem_free(payload);
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateOpaqueOptions", answer, "");
    }
    answer = l->api.add_opaque_options(o, opaque);
    if (answer != LITERT_OK) {
        l->api.destroy_opaque_options(opaque);
        return litert_fail(diag, STATUS_DEVICE, "LiteRtAddOpaqueOptions", answer, "");
    }
    return STATUS_OK;
}

static enum status make_options(struct litert_model *m, struct diag *diag)
{
    const struct litert *const l = m->litert;
    const struct litert_config *const c = &l->config;
    int answer = l->api.create_options(&m->options);

    if (answer != LITERT_OK)
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateOptions", answer, "");
    answer = l->api.set_hardware(m->options, c->hardware | (c->fallback ? LITERT_CPU : 0));
    if (answer != LITERT_OK)
        return litert_fail(diag, STATUS_DEVICE, "LiteRtSetOptionsHardwareAccelerators", answer, "");
    TRY(add_toml(l, m->options, "gpu_options", c->gpu, diag));
    return add_toml(l, m->options, "xnnpack", c->xnnpack, diag);
}

/* ---- inputs and outputs ---- */

static enum status count_io(struct litert_model *m, struct litert_signature **signature,
                            struct diag *diag)
{
    const struct litert_api *const api = &m->litert->api;
    int answer = api->get_signature(m->file, SIGNATURE, signature);

    if (answer == LITERT_OK)
        answer = api->get_num_inputs(*signature, &m->input_count);
    if (answer == LITERT_OK)
        answer = api->get_num_outputs(*signature, &m->output_count);
    if (answer != LITERT_OK) {
        m->input_count = m->output_count = 0;
        return litert_fail(diag, STATUS_DEVICE, "LiteRtGetModelSignature", answer, "");
    }
    if (m->input_count > LITERT_IO_MAX || m->output_count > LITERT_IO_MAX) {
        diag_fail(diag, STATUS_UNSUPPORTED, "%zu inputs and %zu outputs, at most %d expected",
                  m->input_count, m->output_count, LITERT_IO_MAX);
        m->input_count = m->output_count = 0;
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

/* Types come from the model, shapes from the compiled model. */
static enum status read_types(struct litert_model *m, struct litert_signature *signature,
                              struct diag *diag)
{
    const struct litert_api *const api = &m->litert->api;

    for (size_t i = 0; i < m->input_count + m->output_count; i++) {
        const bool is_input = i < m->input_count;
        const size_t at = is_input ? i : i - m->input_count;
        struct litert_io *const io = is_input ? &m->inputs[at] : &m->outputs[at];
        struct litert_tensor *tensor = NULL;
        int answer = is_input ? api->get_input(signature, at, &tensor)
                              : api->get_output(signature, at, &tensor);

        if (answer == LITERT_OK)
            answer = api->get_tensor_type(tensor, &io->type);
        if (answer != LITERT_OK)
            return litert_fail(diag, STATUS_DEVICE, "LiteRtGetRankedTensorType", answer, "");
    }
    return STATUS_OK;
}

static enum status read_shapes(struct litert_model *m, struct diag *diag)
{
    const struct litert_api *const api = &m->litert->api;
    struct litert_layout shapes[LITERT_IO_MAX] = { 0 };
    char printed[PRINTED_BYTES];
    struct stderr_text text;
    int answer;

    for (size_t i = 0; i < m->input_count; i++) {
        answer = api->get_input_layout(m->compiled, SIGNATURE, i, &m->inputs[i].type.layout);
        if (answer != LITERT_OK)
            return litert_fail(diag, STATUS_DEVICE, "LiteRtGetCompiledModelInputTensorLayout",
                               answer, "");
    }
    stderr_text_begin(&text);
    answer = api->get_output_layouts(m->compiled, SIGNATURE, m->output_count, shapes, true);
    stderr_text_end(&text, printed, sizeof printed);
    if (answer != LITERT_OK)
        return litert_fail(diag, STATUS_DEVICE, "allocate", answer, printed);
    for (size_t i = 0; i < m->output_count; i++)
        m->outputs[i].type.layout = shapes[i];
    return STATUS_OK;
}

static enum status make_buffers(struct litert_model *m, struct diag *diag)
{
    const struct litert_api *const api = &m->litert->api;
    struct litert_requirements *need;
    int answer;

    for (size_t i = 0; i < m->input_count; i++) {
        answer = api->get_input_requirements(m->compiled, SIGNATURE, i, &need);
        if (answer != LITERT_OK)
            return litert_fail(diag, STATUS_DEVICE, "LiteRtGetCompiledModelInputBufferRequirements",
                               answer, "");
        TRY(diag_prefix(diag, litert_io_open(m->litert, &m->inputs[i], need, diag), "input %zu",
                        i));
    }
    for (size_t i = 0; i < m->output_count; i++) {
        answer = api->get_output_requirements(m->compiled, SIGNATURE, i, &need);
        if (answer != LITERT_OK)
            return litert_fail(diag, STATUS_DEVICE,
                               "LiteRtGetCompiledModelOutputBufferRequirements", answer, "");
        TRY(diag_prefix(diag, litert_io_open(m->litert, &m->outputs[i], need, diag), "output %zu",
                        i));
    }
    return STATUS_OK;
}

/* ---- compilation ---- */

static void take_refusal(struct litert_model *m, const char *what, int answer, const char *printed)
{
    struct diag reason;

    litert_fail(&reason, STATUS_UNSUPPORTED, what, answer, printed);
    snprintf(m->refusal, sizeof m->refusal, "%.*s", LITERT_REFUSAL_BYTES - 1, reason.text);
}

/* An accelerator that cannot compile a model says so in time: it refuses.  The CPU has to run every
 * valid model, if need be with other kernels than XNNPACK's. */
static bool may_refuse(const struct litert_config *c, int answer)
{
    return answer == LITERT_ERROR_UNSUPPORTED || (c->hardware != LITERT_CPU && !c->fallback);
}

/* With fallback=cpu or kernel_mode=builtin other kernels are asked for, and judged with the rest.
 */
static void check_whole(struct litert_model *m)
{
    const struct litert_config *const c = &m->litert->config;
    bool whole = false;
    int answer;

    if (c->fallback || c->builtin_kernels)
        return;
    answer = c->hardware == LITERT_CPU
                 ? m->litert->api.is_fully_accelerated(m->compiled, &whole)
                 : m->litert->api.is_non_cpu_fully_accelerated(m->compiled, &whole);
    if (answer != LITERT_OK || !whole)
        snprintf(m->refusal, sizeof m->refusal, "not wholly accelerated%s",
                 c->hardware == LITERT_CPU ? ": XNNPACK leaves nodes to other kernels" : "");
}

static enum status compile(struct litert_model *m, struct diag *diag)
{
    char printed[PRINTED_BYTES];
    struct stderr_text text;
    int answer;

    stderr_text_begin(&text);
    answer = m->litert->api.create_compiled_model(m->litert->environment, m->file, m->options,
                                                  &m->compiled);
    stderr_text_end(&text, printed, sizeof printed);
    if (answer == LITERT_OK) {
        check_whole(m);
        return STATUS_OK;
    }
    m->compiled = NULL;
    if (!may_refuse(&m->litert->config, answer))
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateCompiledModel", answer, printed);
    take_refusal(m, "LiteRtCreateCompiledModel", answer, printed);
    return STATUS_OK;
}

/* LiteRT reads the model before any accelerator does, and refuses some: those with variables. */
static enum status read_model(struct litert_model *m, const void *bytes, size_t count,
                              struct diag *diag)
{
    char printed[PRINTED_BYTES];
    struct stderr_text text;
    int answer;

    stderr_text_begin(&text);
    answer =
        m->litert->api.create_model_from_buffer(m->litert->environment, bytes, count, &m->file);
    stderr_text_end(&text, printed, sizeof printed);
    if (answer == LITERT_OK)
        return STATUS_OK;
    m->file = NULL;
    if (answer != LITERT_ERROR_UNSUPPORTED)
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateModelFromBuffer", answer, printed);
    take_refusal(m, "LiteRtCreateModelFromBuffer", answer, printed);
    return STATUS_OK;
}

static enum status start(struct litert_model *m, const void *bytes, size_t count, struct diag *diag)
{
    struct litert_signature *signature = NULL;

    TRY(read_model(m, bytes, count, diag));
    if (m->refusal[0])
        return STATUS_OK;
    TRY(count_io(m, &signature, diag));
    TRY(read_types(m, signature, diag));
    TRY(make_options(m, diag));
    TRY(compile(m, diag));
    if (m->refusal[0])
        return STATUS_OK;
    TRY(read_shapes(m, diag));
    return make_buffers(m, diag);
}

enum status litert_model_open(struct litert_model *m, const struct litert *l, const void *bytes,
                              size_t count, struct diag *diag)
{
    enum status s;

    *m = (struct litert_model){ .litert = l };
    s = start(m, bytes, count, diag);
    if (s != STATUS_OK)
        litert_model_close(m);
    return s;
}

/* Buffers and options first: the compiled model refers to them, and it to the file. */
void litert_model_close(struct litert_model *m)
{
    const struct litert_api *const api = m->litert ? &m->litert->api : NULL;

    if (!api)
        return;
    if (m->compiled)
        api->destroy_compiled_model(m->compiled);
    for (size_t i = 0; i < m->input_count; i++)
        litert_io_close(m->litert, &m->inputs[i]);
    for (size_t i = 0; i < m->output_count; i++)
        litert_io_close(m->litert, &m->outputs[i]);
    if (m->options)
        api->destroy_options(m->options);
    if (m->file)
        api->destroy_model(m->file);
    *m = (struct litert_model){ .litert = NULL };
}

/* ---- inference ---- */

enum status litert_model_run(struct litert_model *m, struct diag *diag)
{
    struct litert_buffer *inputs[LITERT_IO_MAX], *outputs[LITERT_IO_MAX];
    char printed[PRINTED_BYTES];
    struct stderr_text text;
    int answer;

    for (size_t i = 0; i < m->input_count; i++)
        inputs[i] = m->inputs[i].buffer;
    for (size_t i = 0; i < m->output_count; i++)
        outputs[i] = m->outputs[i].buffer;
    stderr_text_begin(&text);
    answer = m->litert->api.run(m->compiled, SIGNATURE, m->input_count, inputs, m->output_count,
                                outputs);
    stderr_text_end(&text, printed, sizeof printed);
    return answer == LITERT_OK
               ? STATUS_OK
               : litert_fail(diag, STATUS_DEVICE, "LiteRtRunCompiledModel", answer, printed);
}

enum status litert_model_shapes(struct litert_model *m, struct litert_layout shapes[LITERT_IO_MAX],
                                struct diag *diag)
{
    const int answer =
        m->litert->api.get_output_layouts(m->compiled, SIGNATURE, m->output_count, shapes, false);

    return answer == LITERT_OK
               ? STATUS_OK
               : litert_fail(diag, STATUS_DEVICE, "LiteRtGetCompiledModelOutputTensorLayouts",
                             answer, "");
}

size_t litert_model_bytes(const struct litert_model *m)
{
    size_t bytes = 0;

    for (size_t i = 0; i < m->input_count; i++)
        bytes += m->inputs[i].room;
    for (size_t i = 0; i < m->output_count; i++)
        bytes += m->outputs[i].room;
    return bytes;
}
