#include "conformance/tools/eval/eval_log.h"

#include "conformance/util/json_parse.h"
#include "conformance/util/json_text.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const size_t bytes_max =
    (size_t)(SIZE_MAX / 2 > UINT32_MAX ? UINT64_C(1) << 34 : SIZE_MAX / 2);

static enum status check_key(const json_t *found, const json_t *key, struct diag *diag)
{
    const char *name;
    json_t *value;

    if (!json_object_get(found, "assay_eval")) /* nor has a value that is no object */
        return diag_fail(diag, STATUS_USAGE, "it holds no answers of `assay eval`");
    json_object_foreach((json_t *)(uintptr_t)key, name, value)
    {
        const char *const text = json_string_value(json_object_get(found, name));

        if (!text || strcmp(text, json_string_value(value)) != 0)
            return diag_fail(diag, STATUS_USAGE,
                             "it is of another run: %s: expected \"%.200s\", found \"%.200s\"",
                             name, json_string_value(value), text ? text : "");
    }
    return STATUS_OK;
}

/* *whole: bytes up to the end of the last line that is whole. */
static enum status read_lines(const char *text, size_t count, const json_t *key,
                              enum status (*take)(void *, const json_t *, struct diag *),
                              void *user, size_t *whole, struct diag *diag)
{
    size_t number = 0;

    *whole = 0;
    for (size_t at = 0; at < count;) {
        const char *const end = memchr(text + at, '\n', count - at);
        const size_t bytes = end ? (size_t)(end - text) - at : 0;
        json_error_t error;
        json_t *line;
        enum status s;

        if (!end)
            break;
        number++;
        if (!(line = json_parse(text + at, bytes, 0, &error)))
            return diag_fail(diag, STATUS_USAGE, "%sline %zu: %s",
                             number == 1 ? "it holds no answers of `assay eval`: " : "", number,
                             error.text);
        s = number == 1 ? check_key(line, key, diag)
                        : diag_prefix(diag, take(user, line, diag), "line %zu", number);
        json_decref(line);
        TRY(s);
        at += bytes + 1;
        *whole = at;
    }
    return STATUS_OK;
}

static enum status go_on(struct eval_log *log, const char *path, const json_t *key,
                         enum status (*take)(void *, const json_t *, struct diag *), void *user,
                         struct diag *diag)
{
    uint8_t *bytes;
    size_t count, whole = 0;
    enum status s;

    TRY(file_read(path, bytes_max, &bytes, &count, diag));
    s = diag_prefix(diag, read_lines((const char *)bytes, count, key, take, user, &whole, diag),
                    "--resume=%s", path);
    mem_free(bytes);
    TRY(s);
    if (whole == 0 && count > 0)
        return diag_fail(diag, STATUS_USAGE,
                         "--resume=%s: it holds no answers of `assay eval`: no line ends", path);
    if (truncate(path, (off_t)whole) != 0 || !(log->file = fopen(path, "ab")))
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    return whole == 0 ? eval_log_add(log, key, diag) : STATUS_OK;
}

enum status eval_log_open(struct eval_log *log, const char *path, const json_t *key,
                          enum status (*take)(void *user, const json_t *line, struct diag *diag),
                          void *user, struct diag *diag)
{
    log->file = NULL;
    if (access(path, F_OK) == 0)
        return go_on(log, path, key, take, user, diag);
    log->file = fopen(path, "wb");
    if (!log->file)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    return eval_log_add(log, key, diag);
}

json_t *eval_log_subject(const struct subject *s)
{
    json_t *const label = json_text(s ? s->label : "none");
    json_t *const text =
        json_sprintf("%s%s%s", json_string_value(label), s ? " " : "", s ? s->sha256 : "");

    json_decref(label);
    return text;
}

enum status eval_log_add(struct eval_log *log, const json_t *line, struct diag *diag)
{
    if (!log->file)
        return STATUS_OK;
    errno = ENOMEM; /* jansson leaves it as it is where it has no memory */
    if (json_dumpf(line, log->file, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0 ||
        fputc('\n', log->file) == EOF || fflush(log->file) != 0)
        return diag_fail(diag, STATUS_IO, "--resume: an answer cannot be written: %s",
                         strerror(errno));
    return STATUS_OK;
}

void eval_log_close(struct eval_log *log)
{
    if (log->file)
        fclose(log->file);
    log->file = NULL;
}
