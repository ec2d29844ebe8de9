/* The graph rewrites by name: transforms.def as data.  What they do is in delegate/transform. */
#ifndef ASSAY_DELEGATE_GRAPH_TRANSFORMS_H
#define ASSAY_DELEGATE_GRAPH_TRANSFORMS_H

enum transform_id {
#define TRANSFORM(name, meaning) TRANSFORM_##name,
#include "delegate/graph/transforms.def"
#undef TRANSFORM
    TRANSFORM_COUNT
};

/* "identity"; what it does. */
const char *transform_name(enum transform_id id);
const char *transform_meaning(enum transform_id id);

#endif
