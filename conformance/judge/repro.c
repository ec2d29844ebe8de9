/* Writes models and tensors of failed cases. */
#include "conformance/judge/repro.h"

#include "conformance/io/array.h"
#include "conformance/io/npy.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/format/read.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char frame_names[] = { 'A', 'B' };

static enum status make_directory(const char *path, struct diag *diag)
{
    struct stat st;

    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return STATUS_OK;
    return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
}

enum status repro_open(const char *directory, const char *name, const char *subject, char *path,
                       struct diag *diag)
{
    char part[PATH_MAX];
    const int n = snprintf(path, PATH_MAX, "%s/%s@%s", directory, name, subject);

    if (n < 0 || n >= PATH_MAX)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", directory);
    for (char *c = path + strlen(directory) + 1; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("._=@-", *c))
            *c = '_';
    }
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        TRY(make_directory(part, diag));
    }
    return make_directory(path, diag);
}

static enum status save_array(const char *path, const char *what, size_t number, int frame,
                              const struct array *a, struct diag *diag)
{
    char name[PATH_MAX + 64];
    uint8_t *bytes;
    size_t count;
    enum status s;

    snprintf(name, sizeof name, "%s/%s%zu_%c.npy", path, what, number, frame_names[frame]);
    TRY(npy_write(a, &bytes, &count, diag));
    s = file_write(name, bytes, count, diag);
    mem_free(bytes);
    return s;
}

static void set_dims(struct array *a, const int *dims, size_t rank)
{
    a->rank = rank < ARRAY_RANK_MAX ? rank : ARRAY_RANK_MAX;
    a->elements = 1;
    for (size_t i = 0; i < a->rank; i++) {
        a->dims[i] = dims[i];
        a->elements *= (size_t)dims[i];
    }
}

enum status repro_save_instance(const char *path, const struct case_instance *instance,
                                struct diag *diag)
{
    char name[PATH_MAX + 64];
    struct model m;
    enum status s = STATUS_OK;

    snprintf(name, sizeof name, "%s/model.tflite", path);
    TRY(file_write(name, instance->file.bytes, instance->file.count, diag));
    TRY(tflite_read(&m, instance->file.bytes, instance->file.count, diag));
    for (size_t i = 0; i < instance->input_count && s == STATUS_OK; i++) {
        const struct model_tensor *const t = &m.subgraphs[0].tensors[m.subgraphs[0].inputs.data[i]];
        struct array a = { .type = instance->inputs[i].type, .bytes = instance->inputs[i].bytes };

        set_dims(&a, t->shape.data, t->shape.count);
        for (int frame = 0; frame < 2 && s == STATUS_OK; frame++) {
            a.data = instance->inputs[i].data[frame];
            s = save_array(path, "input", i, frame, &a, diag);
        }
    }
    model_close(&m);
    return s;
}

enum status repro_save_outputs(const char *path, const struct outputs *got, int frame,
                               struct diag *diag)
{
    for (size_t i = 0; i < got->count; i++) {
        struct array a = { .type = got->items[i].type,
                           .bytes = got->items[i].bytes,
                           .data = got->items[i].data };

        set_dims(&a, got->items[i].dims, (size_t)got->items[i].rank);
        TRY(save_array(path, "got", i, frame, &a, diag));
    }
    return STATUS_OK;
}

enum status repro_save_expected(const char *path, size_t output, int frame, const int *dims,
                                int rank, const double *value, struct diag *diag)
{
    struct array a = { .type = kTfLiteFloat64, .data = (void *)(uintptr_t)value };

    set_dims(&a, dims, (size_t)rank);
    a.bytes = a.elements * sizeof *value;
    return save_array(path, "want", output, frame, &a, diag);
}
