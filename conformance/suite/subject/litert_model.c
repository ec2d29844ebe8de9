/* Compiles a model and runs it. */
#include "conformance/suite/subject/litert_model.h"

#include "conformance/suite/subject/litert_io.h"
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
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateOpaqueOptions", answer);
    }
    answer = l->api.add_opaque_options(o, opaque);
    if (answer != LITERT_OK) {
        l->api.destroy_opaque_options(opaque);
        return litert_fail(diag, STATUS_DEVICE, "LiteRtAddOpaqueOptions", answer);
    }
    return STATUS_OK;
}

static enum status make_options(struct litert_model *m, struct diag *diag)
{
    const struct litert *const l = m->litert;
    const struct litert_config *const c = &l->config;
    int answer = l->api.create_options(&m->options);

    if (answer != LITERT_OK)
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateOptions", answer);
    answer = l->api.set_hardware(m->options, c->hardware | (c->fallback ? LITERT_CPU : 0));
    if (answer != LITERT_OK)
        return litert_fail(diag, STATUS_DEVICE, "LiteRtSetOptionsHardwareAccelerators", answer);
    TRY(add_toml(l, m->options, "gpu_options", c->gpu, diag));
    TRY(add_toml(l, m->options, "xnnpack", c->xnnpack, diag));
    return add_toml(l, m->options, "intel_openvino", c->openvino, diag);
}

/* ---- inputs and outputs ---- */

static enum status check_count(const char *what, size_t found, size_t expected, struct diag *diag)
{
    if (expected != LITERT_IO_ANY && found != expected)
        return diag_fail(diag, STATUS_MISMATCH, "LiteRT finds %zu %s, the model has %zu", found,
                         what, expected);
    if (found > LITERT_IO_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%zu %s, at most %d expected", found, what,
                         LITERT_IO_MAX);
    return STATUS_OK;
}

static enum status count_io(struct litert_model *m, const struct litert_source *source,
                            struct litert_signature **signature, struct diag *diag)
{
    const struct litert_api *const api = &m->litert->api;
    size_t inputs = 0, outputs = 0;
    int answer = api->get_signature(m->file, SIGNATURE, signature);

    if (answer == LITERT_OK)
        answer = api->get_num_inputs(*signature, &inputs);
    if (answer == LITERT_OK)
        answer = api->get_num_outputs(*signature, &outputs);
    if (answer != LITERT_OK)
        return litert_fail(diag, STATUS_DEVICE, "LiteRtGetModelSignature", answer);
    TRY(check_count("inputs", inputs, source->inputs, diag));
    TRY(check_count("outputs", outputs, source->outputs, diag));
    m->input_count = inputs;
    m->output_count = outputs;
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
            return litert_fail(diag, STATUS_DEVICE, "LiteRtGetRankedTensorType", answer);
    }
    return STATUS_OK;
}

static enum status read_shapes(struct litert_model *m, struct diag *diag)
{
    const struct litert_api *const api = &m->litert->api;
    struct litert_layout shapes[LITERT_IO_MAX] = { 0 };
    int answer;

    for (size_t i = 0; i < m->input_count; i++) {
        answer = api->get_input_layout(m->compiled, SIGNATURE, i, &m->inputs[i].type.layout);
        if (answer != LITERT_OK)
            return litert_fail(diag, STATUS_DEVICE, "LiteRtGetCompiledModelInputTensorLayout",
                               answer);
    }
    answer = api->get_output_layouts(m->compiled, SIGNATURE, m->output_count, shapes, true);
    if (answer != LITERT_OK)
        return litert_fail(diag, STATUS_DEVICE, "allocate", answer);
    for (size_t i = 0; i < m->output_count; i++)
        m->outputs[i].type.layout = shapes[i];
    return STATUS_OK;
}

static enum status make_buffers(struct litert_model *m, size_t offset_bytes, struct diag *diag)
{
    const struct litert_api *const api = &m->litert->api;
    struct litert_requirements *need;
    int answer;

    for (size_t i = 0; i < m->input_count; i++) {
        answer = api->get_input_requirements(m->compiled, SIGNATURE, i, &need);
        if (answer != LITERT_OK)
            return litert_fail(diag, STATUS_DEVICE, "LiteRtGetCompiledModelInputBufferRequirements",
                               answer);
        m->inputs[i].offset_bytes = offset_bytes;
        TRY(diag_prefix(diag, litert_io_open(m->litert, &m->inputs[i], need, diag), "input %zu",
                        i));
    }
    for (size_t i = 0; i < m->output_count; i++) {
        answer = api->get_output_requirements(m->compiled, SIGNATURE, i, &need);
        if (answer != LITERT_OK)
            return litert_fail(diag, STATUS_DEVICE,
                               "LiteRtGetCompiledModelOutputBufferRequirements", answer);
        m->outputs[i].offset_bytes = offset_bytes;
        TRY(diag_prefix(diag, litert_io_open(m->litert, &m->outputs[i], need, diag), "output %zu",
                        i));
    }
    return STATUS_OK;
}

/* ---- compilation ---- */

/* litert_model_open adds what LiteRT printed. */
static void take_refusal(struct litert_model *m, const char *what, int answer)
{
    m->answer = answer;
    snprintf(m->refusal, sizeof m->refusal, "%s: %s", what, litert_status_name(answer));
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
    int answer;

    answer = m->litert->api.create_compiled_model(m->litert->environment, m->file, m->options,
                                                  &m->compiled);
    if (answer == LITERT_OK) {
        check_whole(m);
        return STATUS_OK;
    }
    m->compiled = NULL;
    if (!may_refuse(&m->litert->config, answer))
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateCompiledModel", answer);
    take_refusal(m, "LiteRtCreateCompiledModel", answer);
    return STATUS_OK;
}

/* LiteRT reads the model before any accelerator does, and refuses some: those with variables. */
static enum status read_model(struct litert_model *m, const struct litert_source *source,
                              struct diag *diag)
{
    int answer;

    answer = m->litert->api.create_model_from_buffer(m->litert->environment, source->bytes,
                                                     source->count, &m->file);
    if (answer == LITERT_OK)
        return STATUS_OK;
    m->file = NULL;
    if (answer != LITERT_ERROR_UNSUPPORTED)
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateModelFromBuffer", answer);
    take_refusal(m, "LiteRtCreateModelFromBuffer", answer);
    return STATUS_OK;
}

static enum status start(struct litert_model *m, const struct litert_source *source,
                         struct diag *diag)
{
    struct litert_signature *signature = NULL;

    TRY(read_model(m, source, diag));
    if (m->refusal[0])
        return STATUS_OK;
    TRY(count_io(m, source, &signature, diag));
    TRY(read_types(m, signature, diag));
    TRY(make_options(m, diag));
    TRY(compile(m, diag));
    if (m->refusal[0])
        return STATUS_OK;
    TRY(read_shapes(m, diag));
    return make_buffers(m, source->offset_bytes, diag);
}

static void explain_refusal(struct litert_model *m, const char *printed)
{
    const size_t used = strlen(m->refusal);
    char text[LITERT_REFUSAL_BYTES];

    litert_explain(printed, text, sizeof text);
    if (text[0])
        snprintf(m->refusal + used, sizeof m->refusal - used, ": %s", text);
}

enum status litert_model_open(struct litert_model *m, const struct litert *l,
                              const struct litert_source *source, struct diag *diag)
{
    char printed[PRINTED_BYTES];
    struct stderr_text text;
    enum status s;

    *m = (struct litert_model){ .litert = l };
    stderr_text_begin(&text);
    s = start(m, source, diag);
    stderr_text_end(&text, printed, sizeof printed);
    if (s != STATUS_OK)
        litert_model_close(m);
    else if (m->answer != LITERT_OK)
        explain_refusal(m, printed);
    return litert_add_log(diag, s, printed);
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

static int call_run(struct litert_model *m)
{
    struct litert_buffer *inputs[LITERT_IO_MAX], *outputs[LITERT_IO_MAX];

    for (size_t i = 0; i < m->input_count; i++)
        inputs[i] = m->inputs[i].bytes > 0 ? m->inputs[i].buffer : NULL; /* no shape but its own */
    for (size_t i = 0; i < m->output_count; i++)
        outputs[i] = m->outputs[i].buffer;
    return m->litert->api.run(m->compiled, SIGNATURE, m->input_count, inputs, m->output_count,
                              outputs);
}

enum status litert_model_run(struct litert_model *m, struct diag *diag)
{
    char printed[PRINTED_BYTES];
    struct stderr_text text;
    int answer;

    stderr_text_begin(&text);
    answer = call_run(m);
    stderr_text_end(&text, printed, sizeof printed);
    if (answer == LITERT_OK)
        return STATUS_OK;
    return litert_add_log(diag, litert_fail(diag, STATUS_DEVICE, "LiteRtRunCompiledModel", answer),
                          printed);
}

enum status litert_model_run_timed(struct litert_model *m, struct diag *diag)
{
    const int answer = call_run(m);

    return answer == LITERT_OK ? STATUS_OK
                               : litert_fail(diag, STATUS_DEVICE, "LiteRtRunCompiledModel", answer);
}

enum status litert_model_shapes(struct litert_model *m, struct litert_layout shapes[LITERT_IO_MAX],
                                struct diag *diag)
{
    const int answer =
        m->litert->api.get_output_layouts(m->compiled, SIGNATURE, m->output_count, shapes, false);

    return answer == LITERT_OK ? STATUS_OK
                               : litert_fail(diag, STATUS_DEVICE,
                                             "LiteRtGetCompiledModelOutputTensorLayouts", answer);
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
