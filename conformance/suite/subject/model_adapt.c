/* Changes copies of the first graph's tensors, nothing else. */
#include "conformance/suite/subject/model_adapt.h"

#include "conformance/suite/subject/engine.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 40 };

static bool is_named(const struct model_tensor *tensors, size_t index)
{
    const struct model_string *const name = &tensors[index].name;

    if (!name->text || name->count == 0)
        return false;
    for (size_t i = 0; i < index; i++) {
        if (tensors[i].name.count == name->count &&
            memcmp(tensors[i].name.text, name->text, name->count) == 0)
            return false;
    }
    return true;
}

/* A tensor keeps its name where it has one of its own. */
static void give_names(struct model_tensor *tensors, size_t count, char (*names)[NAME_BYTES])
{
    for (size_t i = 0; i < count; i++) {
        if (is_named(tensors, i))
            continue;
        snprintf(names[i], NAME_BYTES, "(tensor %zu)", i);
        tensors[i].name = (struct model_string){ names[i], strlen(names[i]) };
    }
}

/* Tensors of the graph alone: nodes may have added scratch tensors behind them. */
static void give_shapes(struct model_tensor *tensors, size_t count, struct interpreter *in)
{
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, (int)i);

        if (t->allocation_type == kTfLiteMmapRo)
            continue;
        tensors[i].shape = (struct model_ints){ t->dims->data, (size_t)t->dims->size };
        tensors[i].shape_signature = (struct model_ints){ NULL, 0 };
    }
}

static enum status write_changed(const struct model *m, struct interpreter *in,
                                 struct tflite_file *file, struct diag *diag)
{
    const size_t count = m->subgraphs[0].tensor_count;
    struct model_tensor *const tensors = mem_alloc(count, sizeof *tensors);
    char(*const names)[NAME_BYTES] = mem_alloc(count, sizeof *names);
    struct model_subgraph *const graphs = mem_alloc(m->subgraph_count, sizeof *graphs);
    struct model changed = *m;
    enum status s;

    if (!tensors || !names || !graphs) {
        s = diag_fail(diag, STATUS_NO_MEMORY, "%zu tensors: out of memory", count);
    } else {
        memcpy(tensors, m->subgraphs[0].tensors, count * sizeof *tensors);
        memcpy(graphs, m->subgraphs, m->subgraph_count * sizeof *graphs);
        give_names(tensors, count, names);
        if (in)
            give_shapes(tensors, count, in);
        graphs[0].tensors = tensors;
        changed.subgraphs = graphs;
        s = tflite_write(&changed, file, diag);
    }
    mem_free(tensors);
    mem_free(names);
    mem_free(graphs);
    return s;
}

enum status model_adapt_write(const struct engine_request *request, struct tflite_file *file,
                              struct diag *diag)
{
    const struct interpreter_options options = { .num_threads = -1 };
    struct engine_request plain = *request;
    struct interpreter *in = NULL;
    enum status s;

    plain.delegate = NULL;
    if (request->batch)
        TRY(engine_interpreter_start(&plain, &options, &in, diag));
    s = write_changed(request->model, in, file, diag);
    interpreter_close(in);
    return s;
}
