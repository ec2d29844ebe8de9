/* Takes the shapes of a resized graph from our interpreter. */
#include "conformance/subject/model_batch.h"

#include "conformance/subject/engine_interpreter.h"
#include "reference/base/memory.h"

#include <string.h>

/* Tensors of the graph alone: nodes may have added scratch tensors behind them. */
static enum status write_with_shapes(const struct model *m, struct interpreter *in,
                                     struct tflite_file *file, struct diag *diag)
{
    const size_t count = m->subgraphs[0].tensor_count;
    struct model_tensor *const tensors = mem_alloc(count, sizeof *tensors);
    struct model_subgraph graph = m->subgraphs[0];
    struct model resized = *m;
    enum status s;

    if (!tensors)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu tensors: out of memory", count);
    memcpy(tensors, graph.tensors, count * sizeof *tensors);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, (int)i);

        if (t->allocation_type == kTfLiteMmapRo)
            continue;
        tensors[i].shape = (struct model_ints){ t->dims->data, (size_t)t->dims->size };
        tensors[i].shape_signature = (struct model_ints){ NULL, 0 };
    }
    graph.tensors = tensors;
    resized.subgraphs = &graph;
    resized.subgraph_count = 1;
    s = tflite_write(&resized, file, diag);
    mem_free(tensors);
    return s;
}

enum status model_batch_write(const struct engine_request *request, struct tflite_file *file,
                              struct diag *diag)
{
    const struct interpreter_options options = { .num_threads = -1 };
    struct engine_request plain = *request;
    struct interpreter *in;
    enum status s;

    if (!request->batch)
        return tflite_write(request->model, file, diag);
    plain.delegate = NULL;
    TRY(engine_interpreter_start(&plain, &options, &in, diag));
    s = write_with_shapes(request->model, in, file, diag);
    interpreter_close(in);
    return s;
}
