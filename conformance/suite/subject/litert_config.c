/* Options of a litert: subject, checked, and written as the TOML text that LiteRT parses. */
#include "conformance/suite/subject/litert_config.h"

#include "conformance/suite/subject/litert_api.h"

#include <stdio.h>
#include <string.h>

enum kind { FLAG, NUMBER, TEXT, CHOICE, WORD };

/* Options that LiteRT itself parses.  The values of a CHOICE are numbered from 0 on, as in LiteRT's
 * enums; those of a WORD are passed on as they are. */
static const struct toml_key {
    int hardware;
    const char *key, *toml; /* of the subject, of LiteRT */
    enum kind kind;
    const char *values[5];
} toml_keys[] = {
    { LITERT_GPU,
      "precision",
      "precision",
      CHOICE,
      { "default", "fp16", "fp32", "fp16_with_fp32_accum" } },
    { LITERT_GPU, "backend", "backend", CHOICE, { "automatic", "opencl", "webgpu", "opengl" } },
    { LITERT_GPU, "priority", "priority", CHOICE, { "default", "low", "normal", "high" } },
    { LITERT_GPU,
      "wait_type",
      "wait_type",
      CHOICE,
      { "default", "passive", "active", "do_not_wait" } },
    { LITERT_GPU,
      "buffer_storage_type",
      "buffer_storage_type",
      CHOICE,
      { "default", "buffer", "texture_2d" } },
    { LITERT_GPU,
      "allow_src_quantized_fc_conv_ops",
      "allow_src_quantized_fc_conv_ops",
      FLAG,
      { NULL } },
    { LITERT_GPU, "benchmark_mode", "benchmark_mode", FLAG, { NULL } },
    { LITERT_GPU, "convert_weights_on_gpu", "convert_weights_on_gpu", FLAG, { NULL } },
    { LITERT_GPU, "disable_shader_optimization", "disable_shader_optimization", FLAG, { NULL } },
    { LITERT_GPU,
      "enable_constant_tensors_sharing",
      "enable_constant_tensors_sharing",
      FLAG,
      { NULL } },
    { LITERT_GPU,
      "enable_infinite_float_capping",
      "enable_infinite_float_capping",
      FLAG,
      { NULL } },
    { LITERT_GPU, "external_tensors_mode", "external_tensors_mode", FLAG, { NULL } },
    { LITERT_GPU, "hint_waiting_for_completion", "hint_waiting_for_completion", FLAG, { NULL } },
    { LITERT_GPU, "prefer_texture_weights", "prefer_texture_weights", FLAG, { NULL } },
    { LITERT_GPU, "serialize_program_cache", "serialize_program_cache", FLAG, { NULL } },
    { LITERT_GPU, "kernel_batch_size", "kernel_batch_size", NUMBER, { NULL } },
    { LITERT_GPU, "num_threads_to_compile", "num_threads_to_compile", NUMBER, { NULL } },
    { LITERT_GPU, "num_threads_to_upload", "num_threads_to_upload", NUMBER, { NULL } },
    { LITERT_GPU, "model_cache_key", "model_cache_key", TEXT, { NULL } },
    { LITERT_GPU, "preferred_device_substr", "preferred_device_substr", TEXT, { NULL } },
    { LITERT_GPU, "serialization_dir", "serialization_dir", TEXT, { NULL } },
    { LITERT_CPU, "kernel_mode", "kernel_mode", WORD, { "delegate", "builtin", "reference" } },
    { LITERT_CPU, "num_threads", "num_threads", NUMBER, { NULL } },
    { LITERT_CPU, "xnnpack_flags", "flags", NUMBER, { NULL } },
    { LITERT_NPU, "openvino_device", "graph.0.graph_backend", CHOICE, { "cpu", "gpu", "npu" } },
    { LITERT_NPU,
      "openvino_precision",
      "configs_map.INFERENCE_PRECISION_HINT",
      WORD,
      { "f32", "f16", "bf16" } },
};

static const struct {
    int bit;
    const char *name;
} hardware_names[] = { { LITERT_CPU, "cpu" }, { LITERT_GPU, "gpu" }, { LITERT_NPU, "npu" } };

static const char *hardware_name(int bit)
{
    for (size_t i = 0; i < sizeof hardware_names / sizeof hardware_names[0]; i++) {
        if (hardware_names[i].bit == bit)
            return hardware_names[i].name;
    }
    return "?";
}

enum status litert_config_init(struct litert_config *c, const char *hardware, struct diag *diag)
{
    *c = (struct litert_config){ .log_severity = 2 };
    for (size_t i = 0; i < sizeof hardware_names / sizeof hardware_names[0]; i++) {
        if (strcmp(hardware, hardware_names[i].name) == 0) {
            c->hardware = hardware_names[i].bit;
            return STATUS_OK;
        }
    }
    return diag_fail(diag, STATUS_USAGE, "litert:%s: expected litert:cpu, litert:gpu or litert:npu",
                     hardware);
}

/* ---- values ---- */

/* The index of the value; -1, and a message that lists what may stand there. */
static int find_choice(const char *key, const char *value, const char *const *values, size_t count,
                       struct diag *diag)
{
    char list[160] = "";
    size_t used = 0;

    for (size_t i = 0; i < count && values[i]; i++) {
        if (strcmp(value, values[i]) == 0)
            return (int)i;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", values[i]);
    }
    diag_fail(diag, STATUS_USAGE, "litert: option %s=%s: expected one of %s", key, value, list);
    return -1;
}

static enum status format_value(const struct toml_key *k, const char *value, char *out,
                                size_t bytes, struct diag *diag)
{
    static const char *const flags[] = { "0", "1", "false", "true" };
    size_t digits;
    int chosen;

    switch (k->kind) {
    case FLAG:
        chosen = find_choice(k->key, value, flags, 4, diag);
        snprintf(out, bytes, "%s", chosen % 2 ? "true" : "false");
        return chosen < 0 ? STATUS_USAGE : STATUS_OK;
    case NUMBER:
        digits = strspn(value, "0123456789");
        if (digits == 0 || value[digits] || digits > 10)
            return diag_fail(diag, STATUS_USAGE,
                             "litert: option %s=%s: expected a number from 0 on", k->key, value);
        snprintf(out, bytes, "%s", value);
        return STATUS_OK;
    case TEXT:
        if (strpbrk(value, "\"\\\n\r") || strlen(value) + 3 > bytes)
            return diag_fail(
                diag, STATUS_USAGE,
                "litert: option %s=%s: LiteRT takes a text without quotes, backslashes "
                "and line ends, of at most %zu bytes",
                k->key, value, bytes - 3);
        snprintf(out, bytes, "\"%s\"", value);
        return STATUS_OK;
    default:
        chosen =
            find_choice(k->key, value, k->values, sizeof k->values / sizeof k->values[0], diag);
        if (chosen < 0)
            return STATUS_USAGE;
        if (k->kind == WORD)
            snprintf(out, bytes, "\"%s\"", value);
        else
            snprintf(out, bytes, "%d", chosen);
        return STATUS_OK;
    }
}

static enum status append(char toml[LITERT_TOML_BYTES], const struct toml_key *k, const char *value,
                          struct diag *diag)
{
    char text[512];
    const size_t used = strlen(toml);

    TRY(format_value(k, value, text, sizeof text, diag));
    if (snprintf(toml + used, LITERT_TOML_BYTES - used, "%s = %s\n", k->toml, text) >=
        (int)(LITERT_TOML_BYTES - used))
        return diag_fail(diag, STATUS_USAGE, "litert: options of more than %d bytes",
                         LITERT_TOML_BYTES);
    return STATUS_OK;
}

/* ---- keys ---- */

/* Options that the suite itself reads; false: the key is none of them. */
static bool set_own(struct litert_config *c, const char *key, const char *value,
                    enum status *status, struct diag *diag)
{
    static const char *const buffers[] = { "auto", "host", "managed" };
    static const char *const fallbacks[] = { "none", "cpu" };
    static const char *const severities[] = { "verbose", "info", "warning", "error", "silent" };
    const struct {
        const char *key, **field;
        int hardware;
    } paths[] = { { "accelerator", &c->accelerator, LITERT_GPU },
                  { "runtime_path", &c->runtime_path, LITERT_GPU | LITERT_NPU },
                  { "dispatch_library_path", &c->dispatch_path, LITERT_NPU },
                  { "compiler_plugin_path", &c->plugin_path, LITERT_NPU } };
    int chosen;

    *status = STATUS_OK;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (strcmp(key, paths[i].key) != 0 || !(paths[i].hardware & c->hardware))
            continue;
        *paths[i].field = value;
        return true;
    }
    if (strcmp(key, "library") == 0)
        return true;
    if (strcmp(key, "buffers") == 0) {
        chosen = find_choice(key, value, buffers, 3, diag);
        c->buffers = chosen < 0 ? LITERT_BUFFERS_AUTO : (enum litert_buffers)chosen;
    } else if (strcmp(key, "fallback") == 0) {
        chosen = find_choice(key, value, fallbacks, 2, diag);
        c->fallback = chosen == 1;
    } else if (strcmp(key, "log_severity") == 0) {
        chosen = find_choice(key, value, severities, 5, diag);
        c->log_severity = chosen;
    } else {
        return false;
    }
    *status = chosen < 0 ? STATUS_USAGE : STATUS_OK;
    return true;
}

enum status litert_config_set(struct litert_config *c, const char *key, const char *value,
                              struct diag *diag)
{
    enum status status;
    int other = 0;

    if (set_own(c, key, value, &status, diag))
        return status;
    for (size_t i = 0; i < sizeof toml_keys / sizeof toml_keys[0]; i++) {
        const struct toml_key *const k = &toml_keys[i];

        if (strcmp(key, k->key) != 0)
            continue;
        other = k->hardware;
        if (k->hardware != c->hardware)
            continue;
        if (strcmp(key, "kernel_mode") == 0)
            c->builtin_kernels = strcmp(value, "delegate") != 0;
        return append(k->hardware == LITERT_GPU   ? c->gpu
                      : k->hardware == LITERT_CPU ? c->xnnpack
                                                  : c->openvino,
                      k, value, diag);
    }
    if (other)
        return diag_fail(diag, STATUS_USAGE, "litert:%s: option %s=%s belongs to litert:%s",
                         hardware_name(c->hardware), key, value, hardware_name(other));
    return diag_fail(
        diag, STATUS_USAGE,
        "litert:%s: unknown option %s=%s; conformance/doc/SUBJECTS.md lists the known ones",
        hardware_name(c->hardware), key, value);
}
