/* Plans of a model's graph, for devices that need not be here, with the reasons that were kept. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_PLAN_LOOK_H
#define ASSAY_DELEGATE_TESTS_KIT_PLAN_LOOK_H

#include "delegate/tests/kit/gpu_kit.h"

#include "delegate/graph/reasons.h"
#include "delegate/graph/transforms.h"

struct plan_look {
    const struct model *m;
    const char *const *pairs; /* options, ended by NULL */
    /* Changes the limits of a large device; NULL: nothing to change. */
    void (*device)(struct device_limits *);
    bool silent;      /* nobody asks for reasons */
    struct plan plan; /* the result */
};

/* For gpu_look, with a struct plan_look: plans all nodes as one partition whose outputs are those
 * of the model. */
void plan_look_at(struct graph *g, void *user);
/* The text of a reason of that rewrite or kernel that has `text` in it; of any, if none has; NULL:
 * there is no reason. */
const char *plan_look_reason(const struct plan *p, enum reason_kind kind, int id, const char *text);

#endif
