/* Opens LiteRT, and makes sure that it will use the accelerators that were asked for: it goes on
 * without one that it cannot load. */
#include "conformance/suite/subject/litert_runtime.h"

#include "conformance/suite/subject/litert_api.h"
#include "conformance/util/stderr_text.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

/* ---- checks what LiteRT checks of an accelerator, with a message for each ---- */

enum { DEF_MAJOR = 1, DEF_BYTES = sizeof(struct litert_accelerator_def) };

/* Later minor versions append members, so their struct may be larger. */
static enum status check_header(const char *path, const struct litert_abi_header *h,
                                struct diag *diag)
{
    if (h->major_version != DEF_MAJOR)
        return diag_fail(diag, STATUS_IO,
                         "%s: LiteRtAcceleratorImpl has ABI version %u.%u, expected %d.x", path,
                         h->major_version, h->minor_version, DEF_MAJOR);
    if (h->struct_size < DEF_BYTES || (h->minor_version == 0 && h->struct_size != DEF_BYTES))
        return diag_fail(diag, STATUS_IO,
                         "%s: LiteRtAcceleratorImpl of ABI version %u.%u has %u bytes, expected %d",
                         path, h->major_version, h->minor_version, h->struct_size, DEF_BYTES);
    return STATUS_OK;
}

static enum status check_def(const char *path, const struct litert_accelerator_def *def,
                             struct diag *diag)
{
    const size_t most = sizeof def->buffer_handlers.supported / sizeof(int32_t);
    const char *missing;

    TRY(check_header(path, &def->abi_header, diag));
    missing = !def->get_name               ? "get_name"
              : !def->get_version          ? "get_version"
              : !def->get_hardware_support ? "get_hardware_support"
              : !def->is_tflite_delegate_responsible_for_jit_compilation
                  ? "is_tflite_delegate_responsible_for_jit_compilation"
              : !def->create_delegate ? "create_delegate"
                                      : NULL;
    if (missing)
        return diag_fail(diag, STATUS_IO, "%s: LiteRtAcceleratorImpl: %s is NULL", path, missing);
    if (def->buffer_handlers.supported_count >= most)
        return diag_fail(diag, STATUS_IO,
                         "%s: LiteRtAcceleratorImpl: %zu kinds of buffers, fewer than %zu expected",
                         path, def->buffer_handlers.supported_count, most);
    return STATUS_OK;
}

/* Loads the library and finds its LiteRtAcceleratorImpl.  STATUS_IO: dlopen refuses it, the symbol
 * is missing, or the struct has another size or version than LiteRT 2.3.0 knows: then LiteRT would
 * leave it aside in silence and take another accelerator. */
static enum status litert_accelerator_open(const char *path, void **library,
                                           const struct litert_accelerator_def **def,
                                           struct diag *diag)
{
    enum status s;

    *def = NULL;
    *library = NULL;
    TRY(file_expect_regular(path, diag));
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); /* as litert_api_open */
    if (!*library)
        return diag_fail(diag, STATUS_IO, "%s", dlerror());
    *def = dlsym(*library, "LiteRtAcceleratorImpl");
    s = *def ? check_def(path, *def, diag)
             : diag_fail(diag, STATUS_IO,
                         "%s: no LiteRT accelerator: it does not export LiteRtAcceleratorImpl",
                         path);
    if (s != STATUS_OK) {
        dlclose(*library);
        *library = NULL;
    }
    return s;
}

/* ---- the runtime ---- */

enum { PRINTED_BYTES = 8192 };

/* ---- LiteRT's log ---- */

/* "ERROR: [compiled_model.cc:992] Failed" becomes "Failed". */
static const char *skip_origin(const char *line, size_t *length)
{
    const char *const end = line + *length;
    const char *p = line;

    if (strncmp(p, "ERROR: ", 7) == 0)
        p += 7;
    else if (strncmp(p, "WARNING: ", 9) == 0)
        p += 9;
    else if (strncmp(p, "INFO: ", 6) == 0)
        p += 6;
    if (*p == '[') {
        const char *const bracket = memchr(p, ']', (size_t)(end - p));

        if (bracket && bracket + 1 < end)
            p = bracket + 1 + (bracket[1] == ' ');
    }
    *length = (size_t)(end - p);
    return p;
}

static void append_lines(const char *printed, const char *prefix, char *text, size_t bytes)
{
    size_t used = 0;

    while (*printed) {
        const char *line = printed;
        size_t length = strcspn(printed, "\n");

        printed += length + (printed[length] == '\n');
        if (strncmp(line, prefix, strlen(prefix)) != 0)
            continue;
        line = skip_origin(line, &length);
        if (length == 0 || used + length + 3 > bytes ||
            (used >= length && strncmp(text + used - length, line, length) == 0))
            continue;
        used += (size_t)snprintf(text + used, bytes - used, "%s%.*s", used ? "; " : "", (int)length,
                                 line);
    }
}

void litert_explain(const char *printed, char *text, size_t bytes)
{
    static const char *const prefixes[] = { "ERROR", "WARNING", "" };

    text[0] = '\0';
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && !text[0]; i++)
        append_lines(printed, prefixes[i], text, bytes);
}

enum status litert_fail(struct diag *diag, enum status s, const char *what, int answer)
{
    return diag_fail(diag, s, "%s: %s", what, litert_status_name(answer));
}

enum status litert_add_log(struct diag *diag, enum status s, const char *printed)
{
    char text[600];
    size_t used;

    if (s == STATUS_OK || !diag)
        return s;
    litert_explain(printed, text, sizeof text);
    used = strlen(diag->text);
    if (text[0])
        snprintf(diag->text + used, sizeof diag->text - used, ": %s", text);
    return s;
}

/* ---- the environment ---- */

static struct litert_env_option text_option(int tag, const char *text)
{
    return (struct litert_env_option){ tag, { .type = LITERT_ANY_STRING, .str_value = text } };
}

static struct litert_env_option number_option(int tag, int64_t value)
{
    return (struct litert_env_option){ tag, { .type = LITERT_ANY_INT, .int_value = value } };
}

/* LiteRT looks for accelerators there, else only in the loader's path. */
static void find_runtime_path(struct litert *l, const char *library)
{
    char copy[PATH_MAX];

    if (l->config.runtime_path) {
        snprintf(l->runtime_path, sizeof l->runtime_path, "%s", l->config.runtime_path);
        return;
    }
    snprintf(copy, sizeof copy, "%s", library);
    snprintf(l->runtime_path, sizeof l->runtime_path, "%s", dirname(copy));
}

/* Of accelerators that nobody asked for, some take long to load, and some print. */
static enum status create_environment(struct litert *l, const struct litert_accelerator_def *def,
                                      char *printed, struct diag *diag)
{
    const struct litert_config *const c = &l->config;
    struct litert_env_option options[6];
    struct stderr_text text;
    int count = 0, answer;

    options[count++] = number_option(LITERT_ENV_MIN_LOG_SEVERITY, c->log_severity);
    options[count++] =
        number_option(LITERT_ENV_AUTO_REGISTER, c->hardware | (c->fallback ? LITERT_CPU : 0));
    options[count++] = text_option(LITERT_ENV_RUNTIME_DIR, l->runtime_path);
    if (def)
        options[count++] =
            (struct litert_env_option){ LITERT_ENV_GPU_ACCELERATOR,
                                        { .type = LITERT_ANY_POINTER, .ptr_value = def } };
    if (c->dispatch_path)
        options[count++] = text_option(LITERT_ENV_DISPATCH_DIR, c->dispatch_path);
    if (c->plugin_path)
        options[count++] = text_option(LITERT_ENV_COMPILER_PLUGIN_DIR, c->plugin_path);
    stderr_text_begin(&text);
    answer = l->api.create_environment(count, options, &l->environment);
    stderr_text_end(&text, printed, PRINTED_BYTES);
    if (answer != LITERT_OK)
        return litert_add_log(
            diag, litert_fail(diag, STATUS_NO_DEVICE, "LiteRtCreateEnvironment", answer), printed);
    return STATUS_OK;
}

/* Adds the accelerator's name and version to l->device, where it runs on the asked hardware. */
static bool note_accelerator(struct litert *l, struct litert_accelerator *a)
{
    struct litert_api_version version = { 0, 0, 0 };
    const size_t used = strlen(l->device);
    const char *name = NULL;
    int hardware = 0;

    if (l->api.get_accelerator_hardware(a, &hardware) != LITERT_OK ||
        !(hardware & l->config.hardware))
        return false;
    if (l->api.get_accelerator_name(a, &name) != LITERT_OK || !name)
        name = "unnamed accelerator";
    l->api.get_accelerator_version(a, &version);
    snprintf(l->device + used, sizeof l->device - used, "%s%s %d.%d.%d", used ? ", " : "", name,
             version.major, version.minor, version.patch);
    return true;
}

/* Whether LiteRT registered this accelerator: it answers with that one's own name. */
static bool is_from(const struct litert *l, struct litert_accelerator *a,
                    const struct litert_accelerator_def *def)
{
    const char *name = NULL, *expected = NULL;

    return l->api.get_accelerator_name(a, &name) == LITERT_OK &&
           def->get_name(a, &expected) == LITERT_OK && name && expected &&
           strcmp(name, expected) == 0;
}

static enum status check_accelerators(struct litert *l, const struct litert_accelerator_def *def,
                                      const char *printed, struct diag *diag)
{
    bool found = false, registered = false;
    enum status s = STATUS_OK;
    size_t count = 0;

    l->api.get_num_accelerators(l->environment, &count);
    for (size_t i = 0; i < count; i++) {
        struct litert_accelerator *a = NULL;

        if (l->api.get_accelerator(l->environment, i, &a) != LITERT_OK || !a)
            continue;
        if (note_accelerator(l, a)) {
            found = true;
            registered = registered || (def && is_from(l, a, def));
        }
    }
    if (!found)
        s = diag_fail(
            diag, STATUS_NO_DEVICE,
            "litert: no accelerator for this hardware was found in %s nor in the loader's "
            "path",
            l->runtime_path);
    else if (def && !registered)
        s = diag_fail(diag, STATUS_NO_DEVICE,
                      "litert: LiteRT does not use accelerator=%s, it found %s",
                      l->config.accelerator, l->device);
    return litert_add_log(diag, s, printed);
}

static enum status start(struct litert *l, const char *library, struct diag *diag)
{
    const struct litert_accelerator_def *def = NULL;
    char printed[PRINTED_BYTES];

    TRY(litert_api_open(&l->api, library, diag));
    snprintf(l->runtime, sizeof l->runtime, "LiteRT %s%s",
             l->api.version[0] ? l->api.version : "of unknown version",
             litert_is_known_version(l->api.version) ? "" : " (tested with 2.3.0)");
    find_runtime_path(l, library);
    if (l->config.accelerator)
        TRY(litert_accelerator_open(l->config.accelerator, &l->accelerator_library, &def, diag));
    TRY(create_environment(l, def, printed, diag));
    return check_accelerators(l, def, printed, diag);
}

enum status litert_open(struct litert **out, const char *library,
                        const struct litert_config *config, struct diag *diag)
{
    struct litert *const l = mem_alloc(1, sizeof *l);
    enum status s;

    *out = NULL;
    if (!l)
        return diag_fail(diag, STATUS_NO_MEMORY, "litert: out of memory");
    l->config = *config;
    s = start(l, library, diag);
    if (s != STATUS_OK)
        litert_close(l);
    else
        *out = l;
    return s;
}

void litert_close(struct litert *l)
{
    if (!l)
        return;
    if (l->environment)
        l->api.destroy_environment(l->environment);
    if (l->accelerator_library)
        dlclose(l->accelerator_library);
    litert_api_close(&l->api);
    mem_free(l);
}
