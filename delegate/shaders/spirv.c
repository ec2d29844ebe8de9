#include "delegate/shaders/spirv.h"

#include "delegate/base/lock.h"
#include "reference/base/byte_order.h"

#include <string.h>

const struct spirv *spirv_find(const char *name)
{
    for (size_t i = 0; i < spirv_shader_count; i++)
        if (strcmp(spirv_shaders[i].name, name) == 0)
            return &spirv_shaders[i];
    return NULL;
}

static struct lock lock = LOCK_INITIALIZER(LOCK_RANK_SPIRV);
static bool unpacked;

const uint32_t *spirv_code(const struct spirv *s)
{
    bool ready;

    lock_acquire(&lock);
    if (!unpacked)
        unpacked = spirv_unpack(spirv_words, spirv_shaders, spirv_shader_count, spirv_packed,
                                spirv_packed_bytes);
    ready = unpacked;
    lock_release(&lock);
    return ready ? spirv_words + s->first : NULL;
}

bool spirv_is_prepared(void)
{
    bool ready;

    lock_acquire(&lock);
    ready = unpacked;
    lock_release(&lock);
    return ready;
}

void spirv_prepare(void)
{
    (void)spirv_code(&spirv_shaders[0]);
}
