#include "delegate/graph/transforms.h"

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
