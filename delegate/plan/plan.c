#include "delegate/plan/plan.h"

#include "reference/base/memory.h"

void plan_drop_constants(struct plan *p)
{
    mem_free(p->constants);
    p->constants = NULL;
}

void plan_close(struct plan *p)
{
    plan_drop_constants(p);
    mem_free(p->tensors);
    mem_free(p->steps);
    arena_close(&p->arena);
    reasons_close(&p->reasons);
    *p = (struct plan){ 0 };
}

uint32_t plan_element_bytes(const struct plan *plan, const struct plan_tensor *t)
{
    switch (t->format) {
    case FORMAT_BYTES: return 1;
    case FORMAT_SHORTS: return 2;
    case FORMAT_WIDE:
    case FORMAT_WORDS: return 4;
    default: return plan->half ? 2 : 4;
    }
}

int plan_owner(const struct plan *plan, int t)
{
    while (plan->tensors[t].root != t)
        t = plan->tensors[t].root;
    return t;
}

bool plan_has_memory(const struct plan *plan, int t)
{
    return plan->tensors[t].view_of == t && plan->tensors[t].first_step >= 0 &&
           plan->tensors[t].location == LOCATION_ARENA;
}

size_t plan_io_bytes(const struct plan *plan, const struct plan_io *io, enum plan_backing backing)
{
    return backing == BACKING_SLICES && io->plan_tensor >= 0 ? plan->tensors[io->plan_tensor].bytes
                                                             : io->dense_bytes;
}

struct plan_block plan_largest_block(const struct plan *plan)
{
    const struct plan_block blocks[] = { { "activations", plan->arena_bytes },
                                         { "constants", plan->constant_bytes },
                                         { "inputs", plan->input_bytes },
                                         { "outputs", plan->output_bytes } };
    struct plan_block largest = blocks[0];

    for (size_t i = 1; i < sizeof blocks / sizeof blocks[0]; i++)
        if (blocks[i].bytes > largest.bytes)
            largest = blocks[i];
    return largest;
}

uint64_t plan_bytes(const struct plan *plan)
{
    return (uint64_t)plan->arena_bytes + plan->constant_bytes + plan->input_bytes +
           plan->output_bytes;
}
