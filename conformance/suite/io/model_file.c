#include "conformance/suite/io/model_file.h"

#include "conformance/suite/io/bundle.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/text/model_text.h"
#include "reference/text/write_text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_prefix(const char *name)
{
    return strncmp(name, MODEL_FILE_PREFIX, strlen(MODEL_FILE_PREFIX)) == 0;
}

static bool is_text(const char *name, const struct file_model *file)
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
    file_model_close(&m->tflite);
    m->tflite = file_model_of(file.bytes, file.count);
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

/* Leaves the bytes of a section where they lie; but shapes and scales are read in place, and
 * archives are packed without a gap. */
static enum status cut_to(struct file_model *file, const struct bundle_section *at,
                          struct diag *diag)
{
    const uint64_t most = limit_of(LIMIT_READ_BYTES);
    uint8_t *copy;

    file->bytes += at->begin;
    file->count = (size_t)at->size;
    if (at->begin % 4 == 0)
        return STATUS_OK;
    if (at->size > most)
        return limit_fail(diag, LIMIT_READ_BYTES,
                          "section %s begins at %" PRIu64 ", no multiple of 4: a copy of %" PRIu64
                          " bytes",
                          at->name, at->begin, at->size);
    if (!(copy = mem_alloc(file->count, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "section %s: out of memory", at->name);
    memcpy(copy, file->bytes, file->count);
    file_model_close(file);
    *file = file_model_of(copy, (size_t)at->size);
    return STATUS_OK;
}

/* Leaves the bytes of the model that is meant. */
static enum status take_section(struct file_model *file, const char *section, struct diag *diag)
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
    if (s == STATUS_OK)
        s = cut_to(file, &last.bundle.sections[last.chosen], diag);
    if (s != STATUS_OK)
        bundle_close(&last.bundle);
    return s;
}

/* ---- a file that becomes shorter ---- */

/* The model that was mapped last, and what is said of it: a handler may write and exit, and little
 * else. */
static struct {
    const char *begin;
    size_t count;
    char path[4096], message[4160];
} mapped;

/* Reads of what a mapped file has lost raise SIGBUS; any other one comes again and ends the process
 * as it would have. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const char *const at = info->si_addr;
    struct stat now;
    ssize_t written;

    (void)context;
    if (at >= mapped.begin && at < mapped.begin + mapped.count && stat(mapped.path, &now) == 0 &&
        (uintmax_t)now.st_size < mapped.count) {
        written = write(STDERR_FILENO, mapped.message, strlen(mapped.message));
        (void)written;
        _exit(2);
    }
    signal(number, SIG_DFL);
}

static void watch(const struct file_model *file, const char *path)
{
    struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

    if (file->mapped == 0)
        return;
    mapped.begin = file->block;
    mapped.count = file->mapped;
    snprintf(mapped.path, sizeof mapped.path, "%s", path);
    snprintf(mapped.message, sizeof mapped.message,
             "assay: %s: the file became shorter while it was used\n", path);
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

static enum status read_file(const char *name, struct file_model *file, struct diag *diag)
{
    const char *const section = section_of(name);
    char path[4096];
    enum status s;

    snprintf(path, sizeof path, "%.*s", section ? (int)(section - name - 1) : (int)strlen(name),
             name);
    if (section && strlen(path) + 1 < (size_t)(section - name))
        return diag_fail(diag, STATUS_IO, "%s: the name is too long", name);
    TRY(file_model_open(section ? path : name, file, diag));
    watch(file, section ? path : name);
    s = diag_prefix(diag, take_section(file, section, diag), "%s", section ? path : name);
    if (s != STATUS_OK)
        file_model_close(file);
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
    s = source.count > limit_of(LIMIT_READ_BYTES)
            ? limit_fail(diag, LIMIT_READ_BYTES, "%s: a longer text", name)
            : from_text(m, is_input ? "standard input" : name, &source, diag);
    if (s != STATUS_OK)
        file_model_close(&m->tflite);
    return s;
}

/* What stands for the files of names, the last one first; all stay until model_file_restore, since
 * models point into them. */
static struct replaced {
    char *name;
    struct tflite_file file;
    struct replaced *before;
} * replaced;

static struct replaced *find_replaced(const char *name)
{
    struct replaced *r = replaced;

    while (r && strcmp(name, r->name) != 0)
        r = r->before;
    return r;
}

void model_file_restore(void)
{
    for (struct replaced *before; replaced; replaced = before) {
        before = replaced->before;
        free(replaced->name);
        mem_free(replaced->file.bytes);
        mem_free(replaced);
    }
    bundle_close(&last.bundle);
}

bool model_file_is_replaced(const char *name)
{
    return find_replaced(name) != NULL;
}

enum status model_file_replace(const char *name, struct tflite_file *file, struct diag *diag)
{
    struct replaced *const r = mem_alloc(1, sizeof *r);
    const struct tflite_file taken = *file;

    *file = (struct tflite_file){ NULL, 0 };
    if (!r || !(r->name = strdup(name))) {
        mem_free(r);
        mem_free(taken.bytes);
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
    }
    r->file = taken;
    r->before = replaced;
    replaced = r;
    return STATUS_OK;
}

enum status model_file_read(const char *name, struct file_model *file, struct diag *diag)
{
    const struct replaced *const r = find_replaced(name);
    struct model_file m;
    enum status s;

    *file = (struct file_model){ .count = 0 };
    if (r)
        *file = (struct file_model){ .bytes = r->file.bytes, .count = r->file.count };
    if (r)
        return STATUS_OK;
    if (strcmp(name, "-") == 0)
        return file_model_open(name, file, diag);
    s = model_file_open(&m, name, false, diag);
    *file = m.tflite;
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
