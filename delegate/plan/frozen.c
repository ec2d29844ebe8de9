#include "delegate/plan/frozen.h"

#include "delegate/accept/placement.h"
#include "delegate/base/device_costs.h"

#include <assert.h>
#include <string.h>

/* Steps that are compared with those before: the work is bounded for plans of any length. */
enum { STEPS_MAX = 2048 };

static bool same_pipeline(const struct plan_step *a, const struct plan_step *b)
{
    return strcmp(a->shader, b->shader) == 0 && a->spec_count == b->spec_count &&
           a->push_bytes == b->push_bytes && a->packed_dot == b->packed_dot &&
           memcmp(a->spec, b->spec, a->spec_count * sizeof a->spec[0]) == 0 &&
           memcmp(a->push, b->push, a->push_bytes) == 0;
}

/* Only kernels that asked for it.  Of others nothing was gained, and they may change: on an H200
 * the compiler, knowing the sizes, rounded the products of BATCH_MATMUL by the size of the batch,
 * and the integers of a quantized LSTM (cell of 2^-9) were wrong: it is enough that the integer
 * bits of the cell are a constant where its fixed16_tanh takes them. */
void plan_freeze(struct plan *plan, const struct reason_of *why)
{
    const struct plan_step *distinct[FROZEN_MAX];
    int count = 0;

    for (int i = 0; i < plan->step_count && i < STEPS_MAX; i++) {
        struct plan_step *const step = plan->steps[i];
        int at = 0;

        if (!step->freezable)
            continue;
        while (at < count && !same_pipeline(distinct[at], step))
            at++;
        if (at == count && count < FROZEN_MAX) {
            distinct[count++] = step;
            step->first = true;
        }
        step->frozen = at < count;
    }
    if (count == FROZEN_MAX)
        reasons_add(why, "further steps: %d pipelines were made for it", FROZEN_MAX);
}

static void thaw(struct plan_step *s)
{
    s->thawed = s->thawable;
    s->thawed_at = s->push_bytes;
    for (uint32_t id = 0; id < PLAN_SPEC_MAX; id++) {
        if (!(s->thawed >> id & 1))
            continue;
        assert(s->push_bytes + sizeof s->spec[id] <= PLAN_PUSH_BYTES);
        memcpy(s->push + s->push_bytes, &s->spec[id], sizeof s->spec[id]);
        s->push_bytes += sizeof s->spec[id];
        s->spec[id] = 0;
        if (s->spec_count <= id)
            s->spec_count = id + 1;
    }
}

bool plan_thaws(const struct graph *g, const struct device_limits *limits,
                const struct reason_of *why)
{
    const double most = device_costs_of(limits)->thawed_macs_max;
    double macs = 0;

    for (int i = 0; i < g->node_count; i++) {
        const struct graph_node *const n = &g->nodes[i];

        macs += placement_macs(g, n);
        for (int k = 0; k < n->output_count; k++) /* an element takes some work of its own */
            macs += n->outputs[k] < 0 ? 0 : 16 * (double)g->tensors[n->outputs[k]].elements;
    }
    if (macs > most)
        reasons_add(why, "%.0f multiply-adds, more than %.0f", macs, most);
    return macs <= most;
}

void plan_thaw(struct plan *plan)
{
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i]->thawable && !plan->steps[i]->frozen)
            thaw(plan->steps[i]);
}

void plan_prefetch(struct plan *plan, const struct gpu_options *options,
                   const struct device_limits *limits, const struct reason_of *why)
{
    const size_t evicting = device_costs_of(limits)->evicting_bytes;

    if (!options->any_device && plan->constant_bytes < evicting) {
        reasons_add(why, "%zu bytes of constants, fewer than %zu", plan->constant_bytes, evicting);
        return;
    }
    for (int i = 0; i < plan->step_count; i++)
        plan->steps[i]->prefetch = plan->steps[i]->first && plan->steps[i]->first_bytes > 0;
}
