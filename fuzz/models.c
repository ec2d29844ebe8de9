/* Fuzz target: models that are run.  Any bytes that the reader accepts are opened, prepared and run
 * by the reference, when they are small: several subgraphs, variables, custom ops with options.
 * Then the delegate imports and plans them, for a device that is made up.  Mutations edit the
 * model, too, not only its bytes.
 *
 * A run that aborts is a bug: a crash or overread, memory written outside of a tensor, a hang. */
#include "fuzz/kit/mutate.h"
#include "fuzz/kit/plan.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/report.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
TFL_CAPI_EXPORT const char *__asan_default_options(void);

/* A shape may need more memory than there is: the allocation then fails instead of aborting. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=64";
}

enum { RUN_BYTES_MAX = 1 << 14 }; /* of the tensors of all subgraphs, for a model that is run */
enum { ITERATIONS_MAX = 20 };

/* By the file's shapes, since bodies are not seen from outside. */
static bool is_small(const struct model *m)
{
    size_t bytes = 0;

    for (size_t g = 0; g < m->subgraph_count; g++)
        for (size_t t = 0; t < m->subgraphs[g].tensor_count; t++) {
            const struct model_ints *const shape = &m->subgraphs[g].tensors[t].shape;
            size_t elements = 1;

            for (size_t d = 0; d < shape->count && elements <= RUN_BYTES_MAX; d++)
                elements *= shape->data[d] > 0 ? (size_t)shape->data[d] : 1;
            bytes += 8 * elements;
            if (elements > RUN_BYTES_MAX || bytes > RUN_BYTES_MAX)
                return false;
        }
    return true;
}

/* And by those that were inferred. */
static bool is_small_now(struct interpreter *in)
{
    size_t bytes = 0;

    for (size_t t = 0; t < interpreter_tensor_count(in); t++) {
        if (interpreter_tensor(in, (int)t)->bytes > RUN_BYTES_MAX)
            return false;
        bytes += interpreter_tensor(in, (int)t)->bytes;
    }
    return bytes <= 4 * RUN_BYTES_MAX;
}

static void run(struct interpreter *in)
{
    struct diag diag = { 0 };
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    if (interpreter_allocate(in, &diag) != STATUS_OK || !is_small_now(in))
        return;
    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);

        if (t->data.raw && t->allocation_type != kTfLiteMmapRo)
            memset(t->data.raw, 1, t->bytes);
    }
    for (int i = 0; i < 2; i++) /* the second time variables have values */
        if (interpreter_invoke(in, &diag) != STATUS_OK && !diag.text[0]) {
            fprintf(stderr, "models: a failure without a message\n");
            abort();
        }
    if (interpreter_check_guards(in, &diag) != STATUS_OK) {
        fprintf(stderr, "models: %s\n", diag.text);
        abort();
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return fuzz_mutate_model(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct interpreter_options options = { .guard_bytes = 64,
                                                 .num_threads = -1,
                                                 .max_iterations = ITERATIONS_MAX,
                                                 .report = report_nothing };
    uint8_t *const copy = mem_alloc(size, 1);
    struct interpreter *in = NULL;
    struct diag diag = { 0 };
    struct model m;

    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    if (tflite_read(&m, copy, size, &diag) == STATUS_OK) {
        if (is_small(&m) && interpreter_open(&in, &m, &options, &diag) == STATUS_OK)
            run(in);
        interpreter_close(in);
        fuzz_plan(&m, fuzz_choice(data, size));
    }
    model_close(&m);
    mem_free(copy);
    return 0;
}
