/* Writes a model and its inputs. */
#include "conformance/tools/diff/part.h"

#include "conformance/suite/io/npy.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/format/read.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool cut_input_name(const char *path, size_t i, char *name, size_t bytes)
{
    static const char suffix[] = ".tflite";
    const size_t length = strlen(path);
    const bool named =
        length > sizeof suffix - 1 && strcmp(path + length - (sizeof suffix - 1), suffix) == 0;
    const int n = snprintf(name, bytes, "%.*s.input%zu.npy",
                           (int)(named ? length - (sizeof suffix - 1) : length), path, i);

    return n >= 0 && (size_t)n < bytes;
}

static enum status save_input(const char *path, const struct case_instance *x, size_t i,
                              const struct model_tensor *t, struct diag *diag)
{
    struct array a = { .type = x->inputs[i].type,
                       .rank = t->shape.count,
                       .elements = 1,
                       .bytes = x->inputs[i].bytes,
                       .data = x->inputs[i].data[0] };
    char name[PATH_MAX];
    uint8_t *bytes;
    size_t count;
    enum status s;

    if (a.rank > ARRAY_RANK_MAX || !cut_input_name(path, i, name, sizeof name))
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s: input %zu: rank %zu, or a name too long",
                         path, i, a.rank);
    for (size_t d = 0; d < a.rank; d++) {
        a.dims[d] = t->shape.data[d];
        a.elements *= (size_t)a.dims[d];
    }
    TRY(npy_write(&a, &bytes, &count, diag));
    s = file_write(name, bytes, count, diag);
    mem_free(bytes);
    return s;
}

enum status cut_save(const char *path, const struct case_instance *x, struct diag *diag)
{
    struct model m;
    enum status s = STATUS_OK;

    TRY(file_write(path, x->file.bytes, x->file.count, diag));
    TRY(tflite_read(&m, x->file.bytes, x->file.count, diag));
    for (size_t i = 0; i < x->input_count && s == STATUS_OK; i++)
        s = save_input(path, x, i, &m.subgraphs[0].tensors[m.subgraphs[0].inputs.data[i]], diag);
    model_close(&m);
    return s;
}
