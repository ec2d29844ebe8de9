#include "delegate/graph/transforms.h"

#include <string.h>

static const struct {
    const char *name, *meaning;
} transforms[] = {
#define TRANSFORM(name, meaning) { #name, meaning },
#include "delegate/graph/transforms.def"
#undef TRANSFORM
};

const char *transform_name(enum transform_id id)
{
    return transforms[id].name;
}

const char *transform_meaning(enum transform_id id)
{
    return transforms[id].meaning;
}

enum transform_id transform_find(const char *name, size_t length)
{
    for (int i = 0; i < TRANSFORM_COUNT; i++)
        if (strlen(transforms[i].name) == length && memcmp(transforms[i].name, name, length) == 0)
            return (enum transform_id)i;
    return TRANSFORM_COUNT;
}
