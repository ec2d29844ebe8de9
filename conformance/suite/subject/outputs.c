/* Copies of outputs, and inputs of a frame. */
#include "conformance/suite/subject/outputs.h"

#include "conformance/util/process.h"
#include "reference/base/memory.h"

#include <string.h>

void outputs_close(struct outputs *o)
{
    for (size_t i = 0; i < o->count; i++)
        mem_free(o->items[i].data);
    o->count = 0;
}

bool outputs_send(int socket, const struct outputs *o)
{
    bool ok = process_write(socket, &o->count, sizeof o->count) &&
              process_write(socket, o->items, o->count * sizeof o->items[0]);

    for (size_t i = 0; i < o->count && ok; i++)
        ok = process_write(socket, o->items[i].data, o->items[i].bytes);
    return ok;
}

bool outputs_receive(int socket, struct outputs *o)
{
    bool ok = process_read(socket, &o->count, sizeof o->count) && o->count <= OUTPUTS_MAX &&
              process_read(socket, o->items, o->count * sizeof o->items[0]);

    o->count = ok ? o->count : 0;
    for (size_t i = 0; i < o->count; i++)
        o->items[i].data = NULL;
    for (size_t i = 0; i < o->count && ok; i++) {
        o->items[i].data = mem_alloc(o->items[i].bytes, 1);
        ok = o->items[i].data && process_read(socket, o->items[i].data, o->items[i].bytes);
    }
    if (!ok)
        outputs_close(o);
    return ok;
}

int outputs_find(const struct outputs *o, int tensor)
{
    for (size_t i = 0; i < o->count; i++) {
        if (o->items[i].tensor == tensor)
            return (int)i;
    }
    return -1;
}

enum status outputs_add(struct outputs *o, const struct output_view *v, struct diag *diag)
{
    const size_t i = o->count;
    enum status s = STATUS_OK;

    if (i == OUTPUTS_MAX)
        s = diag_fail(diag, STATUS_UNSUPPORTED, "found over %zu outputs, expected at most %d", i,
                      OUTPUTS_MAX);
    else if (v->rank < 0 || v->rank > REF_MAX_RANK || (!v->data && v->bytes > 0))
        s = diag_fail(diag, STATUS_MISMATCH, "output %zu: rank %d, %zu bytes, %s", i, v->rank,
                      v->bytes, v->data ? "with data" : "no data");
    if (s == STATUS_OK) {
        o->items[i].tensor = v->tensor;
        o->items[i].type = v->type;
        o->items[i].rank = v->rank;
        if (v->rank > 0)
            memcpy(o->items[i].dims, v->dims, (size_t)v->rank * sizeof(int));
        o->items[i].bytes = v->bytes;
        o->items[i].data = mem_resize(NULL, v->bytes, 1);
        o->count = i + 1;
        if (!o->items[i].data)
            s = diag_fail(diag, STATUS_NO_MEMORY, "output %zu: out of memory", i);
        else if (v->bytes > 0)
            memcpy(o->items[i].data, v->data, v->bytes);
    }
    if (s != STATUS_OK)
        outputs_close(o);
    return s;
}

enum status outputs_copy(struct outputs *o, struct interpreter *in, struct diag *diag)
{
    size_t count;
    const int *const tensors = interpreter_outputs(in, &count);

    o->count = 0;
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);

        TRY(outputs_add(o,
                        &(struct output_view){ tensors[i], t->type, t->dims->size, t->dims->data,
                                               t->bytes, t->data.raw },
                        diag));
    }
    return STATUS_OK;
}

bool outputs_differ(const struct outputs *a, const struct outputs *b, size_t count, int *output,
                    size_t *byte)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *const x = a->items[i].data, *const y = b->items[i].data;

        *output = (int)i;
        *byte = 0;
        if (a->items[i].bytes != b->items[i].bytes)
            return true;
        for (; *byte < a->items[i].bytes; ++*byte) {
            if (x[*byte] != y[*byte])
                return true;
        }
    }
    return false;
}

enum status inputs_write(struct interpreter *in, const struct case_instance *instance, int frame,
                         struct diag *diag)
{
    size_t count;
    const int *const tensors = interpreter_inputs(in, &count);

    if (count != instance->input_count)
        return diag_fail(diag, STATUS_INVALID, "%zu inputs, the case has %zu", count,
                         instance->input_count);
    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);

        if (t->bytes != instance->inputs[i].bytes || t->type != instance->inputs[i].type)
            return diag_fail(diag, STATUS_INVALID, "input %zu: %zu bytes of %s, the case has %zu",
                             i, t->bytes, runtime_type_name(t->type), instance->inputs[i].bytes);
        if (t->bytes > 0)
            memcpy(t->data.raw, instance->inputs[i].data[frame], t->bytes);
    }
    return STATUS_OK;
}
