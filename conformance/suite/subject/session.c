/* Opens and closes in order: delegates outlive the interpreters that use them. */
#include "conformance/suite/subject/session.h"

#include "conformance/suite/io/model_file.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/clock.h"
#include "conformance/util/json_text.h"
#include "conformance/util/message.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"

#include <stdio.h>
#include <string.h>

enum status session_open(struct session *s, const char *path, struct diag *diag)
{
    *s = (struct session){ .times.begin = clock_ms() };
    TRY(model_file_read(path, &s->file, diag));
    s->times.loaded = clock_ms();
    TRY(diag_prefix(diag, tflite_check(s->file.bytes, s->file.count, ACCEPT_SUPPORTED, diag), "%s",
                    path));
    s->times.verified = clock_ms();
    TRY(diag_prefix(diag, tflite_read_verified(&s->model, s->file.bytes, s->file.count, diag), "%s",
                    path));
    TRY(diag_prefix(diag, tflite_inline(&s->model, s->file.bytes, diag), "%s", path));
    s->times.read = clock_ms();
    return STATUS_OK;
}

enum status session_subject(struct session *s, const char *delegate,
                            const struct string_list *options, struct diag *diag)
{
    TRY(subject_init(&s->subject, delegate, options, diag));
    TRY(subject_load(&s->subject, diag));
    return subject_create(&s->subject, NULL, 0, &s->delegate, diag);
}

/* Prints warnings; an error is part of the diag that the failing call fills. */
static void report(void *user, const char *format, va_list args)
{
    const struct session *const s = user;
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    if (s->quiet || strncmp(text, "WARNING", 7) != 0)
        return;
    message_progress_end();
    clean_print(stderr, text);
    fputc('\n', stderr);
}

/* What a user can do with a model that the reference cannot run. */
static enum status unsupported(struct diag *diag)
{
    char text[sizeof diag->text];

    if (!diag)
        return STATUS_UNSUPPORTED;
    snprintf(text, sizeof text, "%s", diag->text);
    diag_clear(diag);
    return diag_fail(diag, STATUS_UNSUPPORTED,
                     "%.700s; `assay inspect` shows which nodes a delegate takes, and `assay run`, "
                     "diff and bench take --host=litert:cpu for those that the reference lacks",
                     text);
}

enum status session_start(struct session *s, struct diag *diag)
{
    enum status opened;
    const struct interpreter_options options = { .num_threads =
                                                     s->num_threads > 0 ? s->num_threads : -1,
                                                 .shapes_only = s->shapes_only,
                                                 .stand_in = s->stand_in,
                                                 .report = report,
                                                 .report_user = s };

    s->times.started = clock_ms();
    opened = interpreter_open(&s->in, &s->model, &options, diag);
    if (opened != STATUS_OK)
        return opened == STATUS_UNSUPPORTED ? unsupported(diag) : opened;
    if (s->resize)
        TRY(s->resize(s->in, s->resize_user, diag));
    s->times.prepared = clock_ms();
    if (s->delegate)
        TRY(interpreter_offer_delegate(s->in, s->delegate, diag));
    s->times.delegated = clock_ms();
    TRY(interpreter_allocate(s->in, diag));
    s->times.allocated = clock_ms();
    return STATUS_OK;
}

void session_close(struct session *s)
{
    interpreter_close(s->in);
    subject_destroy(&s->subject, s->delegate);
    subject_close(&s->subject);
    model_close(&s->model);
    file_model_close(&s->file);
    *s = (struct session){ 0 };
}

size_t session_taken(const struct session *s)
{
    size_t taken = 0;

    for (size_t i = 0; i < interpreter_node_count(s->in); i++)
        taken += interpreter_node_partition(s->in, (int)i) >= 0;
    return taken;
}

void session_device(const struct session *s, char *text, size_t bytes)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    text[0] = '\0';
    if (s->delegate && s->subject.extras.get_stats &&
        s->subject.extras.get_stats(s->delegate, &stats) == 0)
        snprintf(text, bytes, "%s", stats.device);
}

json_t *session_json(const struct session *s)
{
    char device[ASSAY_GPU_NAME_BYTES];
    json_t *const o = json_object(), *const options = json_object();

    session_device(s, device, sizeof device);
    for (size_t i = 0; i < s->subject.option_count; i++)
        json_object_set_new(options, s->subject.options[i].key,
                            json_text(s->subject.options[i].value));
    json_object_set_new(o, "path", json_text(s->subject.path));
    json_object_set_new(o, "options", options);
    json_object_set_new(o, "device", json_text(device[0] ? device : NULL));
    return o;
}
