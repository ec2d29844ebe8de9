/* Finds, loads and configures subjects and their delegates. */
#include "conformance/suite/subject/subject.h"

#include "conformance/suite/subject/subject_kind.h"
#include "conformance/util/sha256.h"
#include "reference/base/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof((struct subject *)0)->sha256 >= SHA256_HEX_BYTES, "the hash fits");

static char *copy(const char *text)
{
    char *const p = mem_alloc(strlen(text) + 1, 1);

    if (p)
        strcpy(p, text);
    return p;
}

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "subject: out of memory");
}

/* ---- options ---- */

const char *subject_option(const struct subject *s, const char *key)
{
    for (size_t i = 0; i < s->option_count; i++) {
        if (strcmp(s->options[i].key, key) == 0)
            return s->options[i].value;
    }
    return NULL;
}

static bool is_ours(const struct subject *s)
{
    const char *const slash = s->plugin ? strrchr(s->plugin, '/') : NULL;

    return slash && strcmp(slash + 1, SUBJECT_OUR_NAME) == 0;
}

/* Our delegate's class follows from its option precision; other libraries are held to fp32. */
static enum bounds bounds_for(const struct subject *s)
{
    const char *const precision = subject_option(s, "precision");
    const char *const loss = subject_option(s, "allow_precision_loss");

    if (s->kind->bounds)
        return s->kind->bounds(s);
    if (!is_ours(s))
        return BOUNDS_FP32;
    if (precision && strcmp(precision, "fast") == 0)
        return BOUNDS_FP16_RUNS;
    if (precision)
        return strcmp(precision, "fp32") == 0 ? BOUNDS_FP32 : BOUNDS_FP16;
    return loss && strcmp(loss, "1") == 0 ? BOUNDS_FP16 : BOUNDS_FP32;
}

/* The scalar reference is exact, and so is our delegate, unless its option quantized is float_view.
 */
static enum bounds quantized_bounds_for(const struct subject *s)
{
    const char *const quantized = subject_option(s, "quantized");

    if (!s->path)
        return BOUNDS_EXACT;
    return is_ours(s) && (!quantized || strcmp(quantized, "exact") == 0) ? BOUNDS_EXACT
                                                                         : BOUNDS_FLOAT_VIEW;
}

/* Options say which class a subject is held to, unless the user has said it. */
static void derive_bounds(struct subject *s)
{
    if (s->bounds_given)
        return;
    s->bounds = bounds_for(s);
    s->quantized = quantized_bounds_for(s);
}

enum status subject_hold_to(struct subject *s, const char *classes, struct diag *diag)
{
    derive_bounds(s);
    if (strcmp(classes, "subject") == 0)
        return STATUS_OK;
    s->bounds_given = true;
    return bounds_parse(classes, &s->bounds, &s->quantized, diag);
}

enum bounds subject_bounds(const struct subject *s)
{
    return s->skips_floats || (is_ours(s) && subject_option(s, "quantized")) ? s->quantized
                                                                             : s->bounds;
}

bool subject_runs(const struct subject *s, const struct test_case *c)
{
    return !s->not_run[0] && (c->quantized ? !s->skips_quantized : !s->skips_floats);
}

/* "libx.so precision=fp16" */
static enum status make_label(struct subject *s, struct diag *diag)
{
    const char *const file = s->path && !s->what ? strrchr(s->path, '/') + 1 : "";
    const char *const kind = s->kind->shown ? s->kind->name : "";
    const char *const colon = s->kind->shown && s->kind->library ? ":" : "";
    size_t bytes = strlen(kind) + strlen(s->what ? s->what : file) + 2, at;
    char *label;

    for (size_t i = 0; i < s->option_count; i++)
        bytes += strlen(s->options[i].key) + strlen(s->options[i].value) + 2;
    label = mem_alloc(bytes, 1);
    if (!label)
        return no_memory(diag);
    at = (size_t)snprintf(label, bytes, "%s%s%s", kind, colon, s->what ? s->what : file);
    for (size_t i = 0; i < s->option_count; i++)
        at += (size_t)snprintf(label + at, bytes - at, " %s=%s", s->options[i].key,
                               s->options[i].value);
    mem_free(s->label);
    s->label = label;
    return STATUS_OK;
}

static void free_option(struct subject_option *o)
{
    mem_free((void *)(uintptr_t)o->key);
    mem_free((void *)(uintptr_t)o->value);
    *o = (struct subject_option){ NULL, NULL };
}

enum status subject_set(struct subject *s, const char *key, const char *value, struct diag *diag)
{
    struct subject_option o;
    size_t at = 0;

    while (at < s->option_count && strcmp(s->options[at].key, key) != 0)
        at++;
    if (at == SUBJECT_OPTIONS_MAX)
        return diag_fail(diag, STATUS_USAGE, "option %s: at most %d options", key,
                         SUBJECT_OPTIONS_MAX);
    o = (struct subject_option){ copy(key), copy(value) };
    if (!o.key || !o.value) {
        free_option(&o);
        return no_memory(diag);
    }
    if (at < s->option_count)
        free_option(&s->options[at]);
    else
        s->option_count++;
    s->options[at] = o;
    derive_bounds(s);
    return make_label(s, diag);
}

enum status subject_settle(struct subject *s, struct diag *diag)
{
    derive_bounds(s);
    return make_label(s, diag);
}

/* ---- loading ---- */

/* POSIX lets a pointer from dlsym be a function; C has no cast for it. */
static bool find_symbol(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* What the loader says; a function of TensorFlow Lite that is missing is the library's to bring. */
static enum status fail_to_load(struct diag *diag)
{
    const char *const said = dlerror();

    return diag_fail(
        diag, STATUS_IO, "%s%s", said,
        strstr(said, "undefined symbol: TfLite")
            ? ": a delegate brings the functions of TensorFlow Lite that it calls: link "
              "it with them, such as with -lassay (pkg-config --libs assay; "
              "conformance/doc/OWN_DELEGATE.md)"
            : "");
}

static enum status load_plugin(struct subject *s, struct diag *diag)
{
    static const char create[] = "tflite_plugin_create_delegate";
    static const char destroy[] = "tflite_plugin_destroy_delegate";

    if (!s->plugin || s->library)
        return STATUS_OK;
    s->library = dlopen(s->plugin, RTLD_NOW | RTLD_LOCAL);
    if (!s->library)
        return fail_to_load(diag);
    if (!find_symbol(s->library, create, &s->create) ||
        !find_symbol(s->library, destroy, &s->destroy)) {
        diag_fail(diag, STATUS_IO, "%s: no delegate: it does not export %s", s->plugin,
                  s->create ? destroy : create);
        dlclose(s->library);
        s->library = NULL;
        return STATUS_IO;
    }
    find_symbol(s->library, "assay_gpu_version", &s->extras.version);
    find_symbol(s->library, "assay_gpu_check_options", &s->extras.check_options);
    find_symbol(s->library, "assay_gpu_devices", &s->extras.devices);
    find_symbol(s->library, "assay_gpu_refusal_count", &s->extras.refusal_count);
    find_symbol(s->library, "assay_gpu_get_refusal", &s->extras.get_refusal);
    find_symbol(s->library, "assay_gpu_get_stats", &s->extras.get_stats);
    find_symbol(s->library, "assay_gpu_step_count", &s->extras.step_count);
    find_symbol(s->library, "assay_gpu_get_step", &s->extras.get_step);
    find_symbol(s->library, "assay_gpu_get_inference", &s->extras.get_inference);
    find_symbol(s->library, "assay_gpu_tensor_count", &s->extras.tensor_count);
    find_symbol(s->library, "assay_gpu_get_tensor", &s->extras.get_tensor);
    find_symbol(s->library, "assay_gpu_get_transform", &s->extras.get_transform);
    find_symbol(s->library, "assay_gpu_get_placement", &s->extras.get_placement);
    find_symbol(s->library, "assay_gpu_measure_peaks", &s->extras.measure_peaks);
    find_symbol(s->library, "assay_gpu_keep_reasons", &s->extras.keep_reasons);
    find_symbol(s->library, "assay_gpu_reason_count", &s->extras.reason_count);
    find_symbol(s->library, "assay_gpu_get_reason", &s->extras.get_reason);
    find_symbol(s->library, "assay_gpu_get_partition", &s->extras.get_partition);
    find_symbol(s->library, "assay_gpu_bind_buffer_to_tensor", &s->extras.bind);
    find_symbol(s->library, "assay_gpu_get_device", &s->extras.get_device);
    return STATUS_OK;
}

enum status subject_load(struct subject *s, struct diag *diag)
{
    if (s->kind->load && !s->runtime)
        TRY(s->kind->load(s, diag));
    return load_plugin(s, diag);
}

/* ---- delegate objects ---- */

/* Messages of a library while it creates a delegate: the ABI's callback has no user pointer. */
static _Thread_local char messages[768];

static void take_message(const char *text)
{
    const size_t used = strlen(messages);

    if (used + 1 < sizeof messages)
        snprintf(messages + used, sizeof messages - used, "%s%s", used ? "; " : "", text);
}

enum status subject_create(const struct subject *s, const struct subject_option *extra,
                           size_t extra_count, TfLiteDelegate **out, struct diag *diag)
{
    const char *keys[2 * SUBJECT_OPTIONS_MAX], *values[2 * SUBJECT_OPTIONS_MAX];
    size_t count = 0;
    bool wrong_options;

    *out = NULL;
    if (!s->plugin)
        return STATUS_OK;
    if (!s->create)
        return diag_fail(diag, STATUS_USAGE, "%s: not loaded", s->plugin);
    for (size_t i = 0; i < s->option_count; i++) {
        if (subject_kind_has_key(s->kind, s->options[i].key))
            continue; /* it is the runtime's, not the delegate's */
        keys[count] = s->options[i].key;
        values[count++] = s->options[i].value;
    }
    for (size_t i = 0; i < extra_count && i < SUBJECT_OPTIONS_MAX; i++) {
        size_t at = 0;

        while (at < count && strcmp(keys[at], extra[i].key) != 0)
            at++;
        keys[at] = extra[i].key;
        values[at] = extra[i].value;
        count += at == count;
    }
    messages[0] = '\0';
    *out = s->create(keys, values, count, take_message);
    if (!*out) {
        s->destroy(NULL); /* as the real runtime does */
        /* The plug-in ABI gives a text alone: whether the options are to blame is asked apart. */
        wrong_options =
            s->extras.check_options && s->extras.check_options(keys, values, count, NULL, 0) != 0;
        return diag_fail(diag, wrong_options ? STATUS_USAGE : STATUS_NO_DEVICE, "%s: %s", s->label,
                         messages[0] ? messages : "no delegate, and no reason given");
    }
    return STATUS_OK;
}

void subject_destroy(const struct subject *s, TfLiteDelegate *delegate)
{
    if (delegate && s->destroy)
        s->destroy(delegate);
}

void subject_close(struct subject *s)
{
    for (size_t i = 0; i < s->option_count; i++)
        free_option(&s->options[i]);
    if (s->library)
        dlclose(s->library);
    if (s->runtime)
        s->kind->unload(s);
    mem_free(s->path);
    mem_free(s->plugin);
    mem_free(s->what);
    mem_free(s->label);
    *s = (struct subject){ .bounds = BOUNDS_FP32 };
}
