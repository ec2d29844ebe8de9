#include "conformance/suite/io/model_file.h"

#include "conformance/suite/io/bundle.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/text/model_text.h"
#include "reference/text/write_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_prefix(const char *name)
{
    return strncmp(name, MODEL_FILE_PREFIX, strlen(MODEL_FILE_PREFIX)) == 0;
}

static bool is_text(const char *name, const struct tflite_file *file)
{
    const size_t length = strlen(name);

    if (strcmp(name, "-") == 0)
        return file->count < 8 || memcmp(file->bytes + 4, "TFL3", 4) != 0;
    return length > 4 && strcmp(name + length - 4, ".txt") == 0;
}

/* The folder of a path, for the file beside it; false: the path is too long. */
static bool folder_of(const char *path, char *folder, size_t room)
{
    const char *const slash = strrchr(path, '/');
    const int n = slash ? snprintf(folder, room, "%.*s", (int)(slash - path + 1), path)
                        : snprintf(folder, room, ".");

    return n >= 0 && (size_t)n < room;
}

static enum status from_text(struct model_file *m, const char *name, struct model_text *source,
                             struct diag *diag)
{
    struct tflite_file file;

    TRY(diag_prefix(diag, model_text_read(source, &file, diag), "%s", name));
    mem_free(m->tflite.bytes);
    m->tflite = file;
    m->from_text = true;
    return STATUS_OK;
}

/* ---- bundles ---- */

/* Of FILE#NAME the name; NULL where there is none, or a file of the whole name. */
static const char *section_of(const char *name)
{
    const char *const mark = strrchr(name, '#');

    return mark && mark != name && access(name, F_OK) != 0 ? mark + 1 : NULL;
}

/* Of the file that was read last. */
static struct {
    struct bundle bundle;
    size_t chosen;
} last;

const struct bundle *model_file_bundle(size_t *chosen)
{
    *chosen = last.chosen;
    return last.bundle.sections ? &last.bundle : NULL;
}

/* Leaves the bytes of the model that is meant, at their begin. */
static enum status take_section(struct tflite_file *file, const char *section, struct diag *diag)
{
    enum status s;

    bundle_close(&last.bundle);
    if (!bundle_is(file->bytes, file->count))
        return section
                   ? diag_fail(diag, STATUS_USAGE,
                               "expected a bundle of models (.litertlm, .task) before #%s", section)
                   : STATUS_OK;
    TRY(bundle_open(&last.bundle, file->bytes, file->count, diag));
    s = bundle_model(&last.bundle, section, &last.chosen, diag);
    if (s == STATUS_OK) {
        const struct bundle_section *const at = &last.bundle.sections[last.chosen];

        memmove(file->bytes, file->bytes + at->begin, (size_t)at->size);
        file->count = (size_t)at->size;
    } else {
        bundle_close(&last.bundle);
    }
    return s;
}

static enum status read_file(const char *name, struct tflite_file *file, struct diag *diag)
{
    const char *const section = section_of(name);
    char path[4096];
    enum status s;

    snprintf(path, sizeof path, "%.*s", section ? (int)(section - name - 1) : (int)strlen(name),
             name);
    if (section && strlen(path) + 1 < (size_t)(section - name))
        return diag_fail(diag, STATUS_IO, "%s: the name is too long", name);
    TRY(file_read_model(section ? path : name, &file->bytes, &file->count, diag));
    s = diag_prefix(diag, take_section(file, section, diag), "%s", section ? path : name);
    if (s != STATUS_OK) {
        mem_free(file->bytes);
        *file = (struct tflite_file){ NULL, 0 };
    }
    return s;
}

enum status model_file_open(struct model_file *m, const char *name, bool as_written,
                            struct diag *diag)
{
    const bool is_input = strcmp(name, "-") == 0;
    struct model_text source = { .as_written = as_written };
    char folder[4096];
    enum status s;

    *m = (struct model_file){ .from_text = false };
    if (has_prefix(name)) {
        source.text = name + strlen(MODEL_FILE_PREFIX);
        source.count = strlen(source.text);
        return from_text(m, "--model", &source, diag);
    }
    TRY(read_file(is_input ? "/dev/stdin" : name, &m->tflite, diag));
    if (!is_text(name, &m->tflite))
        return STATUS_OK;
    source.text = (const char *)m->tflite.bytes;
    source.count = m->tflite.count;
    if (!is_input && folder_of(name, folder, sizeof folder))
        source.folder = folder;
    s = from_text(m, is_input ? "standard input" : name, &source, diag);
    if (s != STATUS_OK) {
        mem_free(m->tflite.bytes);
        *m = (struct model_file){ .from_text = false };
    }
    return s;
}

/* One command runs one model. */
static struct {
    char *name;
    struct tflite_file file;
} replaced;

static void drop_replaced(void)
{
    free(replaced.name);
    mem_free(replaced.file.bytes);
    replaced.name = NULL;
    replaced.file = (struct tflite_file){ NULL, 0 };
}

void model_file_restore(void)
{
    drop_replaced();
    bundle_close(&last.bundle);
}

bool model_file_is_replaced(const char *name)
{
    return replaced.name && strcmp(name, replaced.name) == 0;
}

enum status model_file_replace(const char *name, struct tflite_file *file, struct diag *diag)
{
    drop_replaced();
    replaced.name = strdup(name);
    replaced.file = *file;
    *file = (struct tflite_file){ NULL, 0 };
    if (replaced.name)
        return STATUS_OK;
    drop_replaced();
    return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
}

enum status model_file_read(const char *name, uint8_t **bytes, size_t *count, struct diag *diag)
{
    struct model_file m = { .from_text = false };
    enum status s = STATUS_OK;

    if (model_file_is_replaced(name)) {
        m.tflite.count = replaced.file.count;
        if (!(m.tflite.bytes = mem_alloc(m.tflite.count, 1)))
            s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
        else
            memcpy(m.tflite.bytes, replaced.file.bytes, m.tflite.count);
    } else if (strcmp(name, "-") == 0) {
        s = file_read_model(name, &m.tflite.bytes, &m.tflite.count, diag);
    } else {
        s = model_file_open(&m, name, false, diag);
    }
    *bytes = m.tflite.bytes;
    *count = m.tflite.count;
    return s;
}

enum status model_file_write_text(const struct model *m, FILE *f, const char *path,
                                  struct diag *diag)
{
    const char *const slash = path ? strrchr(path, '/') : NULL;
    char name[4096] = "", beside[4096] = "", *text = NULL;
    struct text_data data = { .name = name };
    size_t count = 0;
    enum status s;

    if (!path)
        return text_write(f, m, NULL, diag);
    if (snprintf(beside, sizeof beside, "%s.data", path) >= (int)sizeof beside)
        return diag_fail(diag, STATUS_IO, "%.200s...: the path is too long", path);
    snprintf(name, sizeof name, "%s.data", slash ? slash + 1 : path);
    if (!(f = open_memstream(&text, &count)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    s = text_write(f, m, &data, diag);
    if (fclose(f) != 0 && s == STATUS_OK)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (s == STATUS_OK && data.count > 0)
        s = file_write(beside, data.bytes, data.count, diag);
    if (s == STATUS_OK)
        s = file_write(path, text, count, diag);
    free(text);
    mem_free(data.bytes);
    return s;
}
