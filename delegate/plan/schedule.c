/* A dependent dispatch costs about 2 us on an H200, the wait for the one before it; dispatches that
 * do not depend on each other overlap: branches of a net, the two heads of a detector, the shortcut
 * of a residual block.
 *
 * The group of a step is one more than the last group with a step that it depends on: one that
 * writes what it reads or writes, or reads what it writes.  A step moves up by a limited number of
 * places at most, since what it computes needs memory from there on; the limits are tried from the
 * widest to the narrowest, until the arena is as small as without groups, or larger by a small
 * share of the model's constants: the shortcuts of ResNet50 take 1.2 MB beside 100 MB of weights.
 */
#include "delegate/plan/schedule.h"

#include "delegate/plan/memory.h"
#include "reference/base/memory.h"

#include <limits.h>
#include <string.h>

/* All results of a group live at once, and memory for n tensors that do is planned in n^2. */
enum { STEPS_MAX = 2048 };

/* By owner of memory: the last group that writes to it, or reads from it; -1: none. */
struct last_use {
    int written, read;
};

static int later(int a, int b)
{
    return a > b ? a : b;
}

/* The group of a step by what it depends on. */
static int earliest(const struct plan *plan, const struct plan_step *s, const struct last_use *last)
{
    int group = 0;

    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];

        if (n->location != LOCATION_ARENA)
            continue;
        group = later(group, last[plan_owner(plan, n->index)].written + 1);
        if (n->writes)
            group = later(group, last[plan_owner(plan, n->index)].read + 1);
    }
    return group;
}

static void note_uses(const struct plan *plan, const struct plan_step *s, struct last_use *last)
{
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];
        struct last_use *of;

        if (n->location != LOCATION_ARENA)
            continue;
        of = &last[plan_owner(plan, n->index)];
        if (n->writes)
            of->written = later(of->written, s->group);
        else
            of->read = later(of->read, s->group);
    }
}

/* What overwrites an input in place has memory of its own again: another order may not allow it. */
static void undo_in_place(struct plan *plan)
{
    for (int t = 0; t < plan->tensor_count; t++)
        if (plan->tensors[t].in_place) {
            plan->tensors[t].view_of = plan->tensors[t].root = t;
            plan->tensors[t].in_place = false;
        }
}

static bool stores(const struct plan_step *s)
{
    return s->bindings[0].location == LOCATION_OUTPUT;
}

/* Sets the groups of steps that move up by `places` at most; returns how many groups there are.
 * Stores are the last group: the tensor of an output keeps its memory to the end, since the output
 * may be stored once more for the host (record_stage_output). */
static int set_groups(struct plan *plan, struct plan_step *const *order, struct last_use *last,
                      int places)
{
    int groups = 0, computed = plan->step_count;

    while (computed > 0 && stores(order[computed - 1]))
        computed--;
    undo_in_place(plan);
    for (int t = 0; t < plan->tensor_count; t++)
        last[t] = (struct last_use){ -1, -1 };
    for (int i = 0; i < computed; i++) {
        struct plan_step *s = order[i];

        s->group = earliest(plan, s, last);
        if (i >= places)
            s->group = later(s->group, order[i - places]->group);
        note_uses(plan, s, last);
        groups = later(groups, s->group + 1);
    }
    for (int i = computed; i < plan->step_count; i++)
        order[i]->group = groups;
    return groups + (computed < plan->step_count);
}

/* Sorts the steps by group; those of one group keep their order. */
static void sort_steps(struct plan *plan, struct plan_step *const *order, int *first, int groups)
{
    memset(first, 0, ((size_t)groups + 1) * sizeof *first);
    for (int i = 0; i < plan->step_count; i++)
        first[order[i]->group + 1]++;
    for (int g = 0; g < groups; g++)
        first[g + 1] += first[g];
    for (int i = 0; i < plan->step_count; i++)
        plan->steps[first[order[i]->group]++] = order[i];
}

static enum status schedule(struct plan *plan, struct plan_step *const *order,
                            struct last_use *last, int *first, bool in_place,
                            const struct reason_of *why, struct diag *diag)
{
    static const int places[] = { INT_MAX, 16, 4 };
    const size_t arena_bytes = plan->arena_bytes + plan->constant_bytes / PLAN_GROWTH_SHARE;
    size_t needed = 0;

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int groups = set_groups(plan, order, last, places[i]);

        if (groups >= plan->step_count)
            break;
        sort_steps(plan, order, first, groups);
        plan->groups = groups;
        TRY(plan_assign_memory(plan, in_place, diag));
        if (plan->arena_bytes <= arena_bytes)
            return STATUS_OK;
        needed = plan->arena_bytes;
    }
    if (needed > 0)
        reasons_add(why, "steps side by side would need %zu bytes for activations, more than %zu",
                    needed, arena_bytes);
    else
        reasons_add(why, "each step depends on the one before it");
    plan->groups = 0;
    memcpy(plan->steps, order, (size_t)plan->step_count * sizeof *order);
    return plan_assign_memory(plan, in_place, diag);
}

enum status plan_schedule(struct plan *plan, bool in_place, const struct reason_of *why,
                          struct diag *diag)
{
    const size_t steps = (size_t)plan->step_count;
    struct plan_step **order;
    struct last_use *last;
    int *first;
    enum status s;

    TRY(plan_assign_memory(plan, in_place, diag));
    if (steps > STEPS_MAX)
        reasons_add(why, "%zu steps, more than %d", steps, STEPS_MAX);
    if (steps < 2 || steps > STEPS_MAX)
        return STATUS_OK;
    order = mem_alloc(steps + 1, sizeof(struct plan_step *));
    last = mem_alloc((size_t)plan->tensor_count + 1, sizeof *last);
    first = mem_alloc(steps + 1, sizeof *first);
    if (order && last && first) {
        memcpy(order, plan->steps, steps * sizeof *order);
        s = schedule(plan, order, last, first, in_place, why, diag);
    } else {
        s = diag_fail(diag, STATUS_NO_MEMORY, "plan: out of memory");
    }
    mem_free(order);
    mem_free(last);
    mem_free(first);
    return s;
}
