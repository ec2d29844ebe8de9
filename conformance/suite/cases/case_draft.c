/* The case that is being built. */
#include "conformance/suite/cases/case_draft.h"

#include <assert.h>

void case_fail_memory(struct case_builder *m)
{
    if (m->status == STATUS_OK)
        m->status = diag_fail(m->diag, STATUS_NO_MEMORY, "%s: out of memory", m->c->name);
}

int case_declare_input(struct case_builder *m, const char *name, const struct shape *shape,
                       int32_t type, size_t element_bytes)
{
    const size_t n = m->out->input_count;
    int tensor;

    if (m->status != STATUS_OK)
        return -1;
    assert(n < CASE_INPUTS_MAX);
    tensor = builder_tensor(&m->builder, type, name, (size_t)shape->rank, shape->d);
    m->inputs[n] = tensor;
    m->out->inputs[n].type = tensor_type_runtime(type);
    m->out->inputs[n].bytes = shape_elements(shape) * element_bytes;
    m->out->input_count++;
    return tensor;
}
