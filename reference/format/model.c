#include "reference/format/model.h"

#include <string.h>

void model_close(struct model *m)
{
    arena_close(&m->arena);
    *m = (struct model){ 0 };
}

const uint8_t *model_tensor_data(const struct model *m, const struct model_tensor *t, size_t *count)
{
    *count = 0;
    if (t->buffer == 0 || t->buffer >= m->buffer_count)
        return NULL;
    *count = m->buffers[t->buffer].data.count;
    return m->buffers[t->buffer].data.data;
}

bool model_same_ints(struct model_ints a, struct model_ints b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.data, b.data, a.count * sizeof *a.data) == 0);
}
