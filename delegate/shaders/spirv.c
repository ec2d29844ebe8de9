#include "delegate/shaders/spirv.h"
#include "delegate/shaders/inflate.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static void unpack(void)
{
    const bool whole =
        inflate_planes((uint8_t *)spirv_words, spirv_word_count, spirv_packed, spirv_packed_bytes);

    assert(whole);
    (void)whole;
}

const struct spirv *spirv_find(const char *name)
{
    for (size_t i = 0; i < spirv_shader_count; i++)
        if (strcmp(spirv_shaders[i].name, name) == 0)
            return &spirv_shaders[i];
    return NULL;
}

const uint32_t *spirv_code(const struct spirv *s)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, unpack);
    return spirv_words + s->first;
}
