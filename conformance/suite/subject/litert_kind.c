/* Finds LiteRT, reads the options of the subject, and opens an environment. */
#include "conformance/suite/subject/kinds.h"

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/litert_find.h"
#include "conformance/suite/subject/litert_model.h"
#include "conformance/suite/subject/litert_runtime.h"
#include "conformance/suite/subject/subject_find.h"
#include "reference/base/memory.h"
#include "reference/text/model_text.h"

#include <stdio.h>
#include <string.h>

/* ---- whether an accelerator runs anything ---- */

/* An accelerator without a device fails to compile each model, as if it refused it: said once. */

/* Compiles a model of one RELU, since an accelerator opens its device no sooner.  STATUS_NO_DEVICE
 * with LiteRT's words when it fails to do anything; that the op is not taken is no failure.  The
 * CPU is always there. */
static enum status litert_probe(const struct litert *l, struct diag *diag)
{
    static const char relu[] = "RELU x:f32[1,4,4,4] -> y:f32[1,4,4,4]";
    const struct model_text text = { .text = relu, .count = sizeof relu - 1 };
    struct litert_source source = { .inputs = 1, .outputs = 1 };
    struct litert alone = *l;
    struct tflite_file file;
    struct litert_model m;
    enum status s = STATUS_OK;

    if (l->config.hardware == LITERT_CPU)
        return STATUS_OK;
    alone.config.fallback = false; /* whoever else may run the model is of no interest here */
    TRY(model_text_read(&text, &file, diag));
    source.bytes = file.bytes;
    source.count = file.count;
    /* What else goes wrong is the result of the cases that it happens to. */
    if (litert_model_open(&m, &alone, &source, NULL) == STATUS_OK) {
        if (m.answer != LITERT_OK && m.answer != LITERT_ERROR_UNSUPPORTED &&
            m.answer != LITERT_ERROR_COMPILATION)
            s = diag_fail(diag, STATUS_NO_DEVICE, "litert: %s: %s", l->device, m.refusal);
        litert_model_close(&m);
    }
    mem_free(file.bytes);
    return s;
}

/* ---- the kind ---- */

static enum status read_options(const struct subject *s, struct litert_config *config,
                                struct diag *diag)
{
    TRY(litert_config_init(config, s->what, diag));
    for (size_t i = 0; i < s->option_count; i++)
        TRY(litert_config_set(config, s->options[i].key, s->options[i].value, diag));
    return STATUS_OK;
}

static enum status find(struct subject *s, const char *library, struct diag *diag)
{
    struct litert_config config;
    char path[PATH_MAX];

    s->what = mem_alloc(strlen(library) + 1, 1);
    if (!s->what)
        return diag_fail(diag, STATUS_NO_MEMORY, "subject: out of memory");
    strcpy(s->what, library);
    TRY(read_options(s, &config, diag));
    TRY(litert_find(subject_option(s, "library"), path, diag));
    TRY(subject_find_file(&s->path, path, diag));
    return subject_hash(s, diag);
}

static enum status load(struct subject *s, struct diag *diag)
{
    struct litert_config config;
    struct litert *litert;
    enum status status;

    TRY(read_options(s, &config, diag));
    TRY(litert_open(&litert, s->path, &config, diag));
    status = litert_probe(litert, diag);
    if (status == STATUS_OK)
        s->runtime = litert;
    else
        litert_close(litert);
    return status;
}

static void unload(struct subject *s)
{
    litert_close(s->runtime);
    s->runtime = NULL;
}

/* A GPU accelerator may compute in f16 unless precision=fp32 forbids it.  Options are set before
 * the library is found. */
static enum bounds bounds(const struct subject *s)
{
    const char *const precision = subject_option(s, "precision");

    return s->what && strcmp(s->what, "gpu") == 0 && (!precision || strcmp(precision, "fp32") != 0)
               ? BOUNDS_FP16
               : BOUNDS_FP32;
}

static void describe(const struct subject *s, char *device, size_t device_bytes, char *runtime,
                     size_t runtime_bytes)
{
    const struct litert *const l = s->runtime;

    snprintf(device, device_bytes, "%s", l->device);
    snprintf(runtime, runtime_bytes, "%s", l->runtime);
}

static const char *const no_keys[] = { NULL };

const struct subject_kind subject_kind_litert = {
    .name = "litert",
    .library = "cpu|gpu|npu",
    .keys = no_keys, /* litert_config_set checks them */
    .takes_options = true,
    .shown = true,
    .engine = &engine_litert,
    .find = find,
    .load = load,
    .unload = unload,
    .bounds = bounds,
    .describe = describe,
};
