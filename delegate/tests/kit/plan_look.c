#include "delegate/tests/kit/plan_look.h"

void plan_look_at(struct graph *g, void *user)
{
    struct plan_look *const l = user;
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(l->pairs);
    struct device_limits limits = gpu_large_limits();
    const struct model_subgraph *const s = &l->m->subgraphs[0];
    int nodes[KIT_TENSORS];
    struct plan_request r = { .graph = g,
                              .options = &o,
                              .limits = &limits,
                              .nodes = nodes,
                              .inputs = s->inputs.data,
                              .input_count = (int)s->inputs.count,
                              .outputs = s->outputs.data,
                              .output_count = (int)s->outputs.count,
                              .reasons = !l->silent };

    if (l->device)
        l->device(&limits);
    for (int i = 0; i < g->node_count; i++)
        nodes[r.node_count++] = g->nodes[i].host_node;
    KIT_OK(plan_make(&l->plan, &r, &err));
}

const char *plan_look_reason(const struct plan *p, enum reason_kind kind, int id, const char *text)
{
    const char *any = NULL;

    for (int i = 0; i < p->reasons.count; i++) {
        const struct reason *const r = &p->reasons.list[i];

        if (r->kind != kind || r->id != id)
            continue;
        any = r->text;
        if (text[0] && strstr(r->text, text))
            return r->text;
    }
    return any;
}
