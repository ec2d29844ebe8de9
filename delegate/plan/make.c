#include "delegate/plan/make.h"

#include "delegate/accept/placement.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/graph/ranges.h"
#include "delegate/plan/frozen.h"
#include "delegate/plan/io.h"
#include "delegate/plan/memory.h"
#include "delegate/plan/packing.h"
#include "delegate/plan/planner.h"
#include "delegate/plan/schedule.h"
#include "delegate/shaders/poison.args.h"
#include "delegate/transform/transform.h"
#include "reference/base/memory.h"

#include <assert.h>
#include <string.h>

/* The device can store elements of this type. */
static bool has_device_format(const struct graph_tensor *t)
{
    return t->type == kTfLiteFloat32 || plan_io_format(t) != IO_F32;
}

/* Inputs that the transforms have left without a reader are not loaded. */
static enum status plan_inputs(struct planner *p, const struct plan_request *r,
                               const struct rewrite *w)
{
    struct plan *plan = p->plan;

    plan->inputs = ARENA_NEW(&plan->arena, (size_t)r->input_count, struct plan_io);
    if (!plan->inputs)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    for (int i = 0; i < r->input_count; i++) {
        const int tensor = rewrite_find(w, r->inputs[i]);
        struct plan_io *io = &plan->inputs[plan->input_count];

        if (tensor < 0 || graph_is_constant(p->graph, tensor) ||
            !has_device_format(&p->graph->tensors[tensor]) ||
            (w->readers[tensor] == 0 && !w->exposed[tensor]))
            continue;
        TRY(plan_input(p, tensor, planner_tensor(p, tensor), io));
        plan->input_count++;
    }
    return STATUS_OK;
}

static enum status constant_output(struct planner *p, int tensor, struct plan_io *io)
{
    const struct graph_tensor *t = &p->graph->tensors[tensor];
    const size_t size = runtime_type_bits(t->type) / 8;
    void *const values = arena_alloc(&p->plan->arena, t->elements, size);

    assert(t->data || t->type == kTfLiteFloat32);
    if (!values)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "tensor %d: out of memory",
                         p->host_tensor[tensor]);
    if (t->data)
        memcpy(values, t->data, t->elements * size);
    for (size_t i = 0; !t->data && i < t->elements; i++)
        ((float *)values)[i] = graph_constant_float(p->graph, tensor, i);
    *io = (struct plan_io){ .tensor = p->host_tensor[tensor],
                            .plan_tensor = -1,
                            .format = plan_io_format(t),
                            .bytes = t->elements * size,
                            .constant = values };
    return STATUS_OK;
}

static enum status plan_outputs(struct planner *p, const struct plan_request *r,
                                const struct rewrite *w)
{
    struct plan *plan = p->plan;

    plan->outputs =
        ARENA_NEW(&plan->arena, (size_t)r->output_count + (size_t)p->state_count, struct plan_io);
    if (!plan->outputs)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    for (int i = 0; i < r->output_count; i++) {
        const int tensor = rewrite_find(w, r->outputs[i]);
        struct plan_io *io = &plan->outputs[plan->output_count];

        if (tensor < 0)
            return diag_fail(p->diag, STATUS_INVALID,
                             "output %d: expected a tensor below %d, found %d", i,
                             r->graph->tensor_count, r->outputs[i]);
        if (graph_is_constant(p->graph, tensor)) {
            TRY(constant_output(p, tensor, io));
        } else {
            TRY(plan_output(p, tensor, planner_tensor(p, tensor), io));
        }
        plan->output_count++;
    }
    for (int i = 0; i < p->state_count; i++) {
        struct plan_io *io = &plan->outputs[plan->output_count];

        TRY(plan_output(p, p->state[i].tensor, p->state[i].from, io));
        plan->output_count++;
    }
    return STATUS_OK;
}

/* A step that fills the padding channels of a tensor with the pattern of option poison. */
static enum status poison_step(struct planner *p, int tensor)
{
    static const uint32_t pattern[][3] = { [POISON_NAN] = { 0x7fc00000, 0x7e007e00, 0x80808080 },
                                           [POISON_INF] = { 0x7f800000, 0x7c007c00, 0x7f7f7f7f },
                                           [POISON_JUNK] = { 0xc7c35000, 0xfbfffbff, 0xa55a01ff } };
    static const char *const shaders[] = { [FORMAT_STORED] = "poison",
                                           [FORMAT_WIDE] = "poison.word",
                                           [FORMAT_BYTES] = "poison.byte",
                                           [FORMAT_SHORTS] = "poison.short",
                                           [FORMAT_WORDS] = "poison.word" };
    struct plan *plan = p->plan;
    const struct plan_tensor *t = &plan->tensors[tensor];
    const bool integers =
        t->format == FORMAT_BYTES || t->format == FORMAT_SHORTS || t->format == FORMAT_WORDS;
    const int column = integers ? 2 : plan->half && t->format == FORMAT_STORED ? 1 : 0;
    const struct poison_args args = { .count = t->rows,
                                      .channels = t->channels,
                                      .slices = t->slices,
                                      .pattern = pattern[plan->poison][column] };
    struct plan_step *step;

    if (t->channels % 4 == 0)
        return STATUS_OK;
    if (!(step = planner_step(p, shaders[t->format], NULL, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    step_push(step, &args, sizeof args);
    step_write(p, step, 0, tensor);
    return step_items(p, step, args.count);
}

/* After each step, fills the padding channels of the tensors that it wrote. */
static enum status poison_padding(struct planner *p)
{
    struct plan *plan = p->plan;
    struct plan_step **old = plan->steps;
    const int count = plan->step_count;
    enum status s = STATUS_OK;

    plan->steps = NULL;
    plan->step_count = plan->step_capacity = 0;
    for (int i = 0; i < count && s == STATUS_OK; i++) {
        struct plan_step *step = planner_step(p, old[i]->shader, NULL, 1, 1, 1);

        if (!step) {
            s = STATUS_NO_MEMORY;
            break;
        }
        *step = *old[i];
        for (int b = 0; b < PLAN_BINDINGS && s == STATUS_OK; b++)
            if (old[i]->bindings[b].location == LOCATION_ARENA && old[i]->bindings[b].writes)
                s = poison_step(p, old[i]->bindings[b].index);
    }
    mem_free(old);
    return s;
}

/* Gives multiply-adds to the step with most weights of those from `first` on.  A node without a
 * step of its own is computed by a later node's. */
static void add_macs(struct plan *plan, int first, double *macs)
{
    struct plan_step *most = NULL;
    size_t bytes = 0;

    for (int i = first; i < plan->step_count; i++) {
        size_t constants = 1;

        for (int b = 0; b < PLAN_BINDINGS; b++)
            if (plan->steps[i]->bindings[b].location == LOCATION_CONSTANTS)
                constants += plan->steps[i]->bindings[b].bytes;
        if (constants > bytes) {
            bytes = constants;
            most = plan->steps[i];
        }
    }
    if (most) {
        most->macs += *macs;
        *macs = 0;
    }
}

static enum status make(struct planner *p, const struct plan_request *r, const struct rewrite *w)
{
    const struct reason_of groups = planner_reason(p, KERNEL_groups, NULL);
    const struct reason_of frozen = planner_reason(p, KERNEL_frozen, NULL);
    const struct reason_of thawed = planner_reason(p, KERNEL_thawed, NULL);
    const struct reason_of prefetch = planner_reason(p, KERNEL_prefetch, NULL);
    const struct reason_of small = planner_reason(p, KERNEL_small_outputs, NULL);
    double macs = 0;

    if (planner_kernel(p, &small))
        p->plan->small_output_bytes = device_costs_of(p->limits)->small_output_bytes;
    p->thaws = planner_kernel(p, &thawed) && plan_thaws(p->graph, p->limits, &thawed);
    TRY(plan_inputs(p, r, w));
    for (int i = 0; i < p->graph->node_count; i++) {
        const struct graph_node *n = &p->graph->nodes[i];
        const int first = p->plan->step_count;
        const enum status s = graph_is_quantized(p->graph, n) && n->op->exact && n->op->exact->plan
                                  ? n->op->exact->plan(p, n)
                                  : n->op->plan(p, n);

        if (s != STATUS_OK)
            return diag_prefix(p->diag, s, "%s: node %d", n->name, n->host_node);
        macs += placement_macs(p->graph, n);
        add_macs(p->plan, first, &macs);
    }
    TRY(plan_outputs(p, r, w));
    if (p->plan->poison != POISON_OFF)
        TRY(poison_padding(p));
    TRY(planner_kernel(p, &groups) ? plan_schedule(p->plan, p->options->in_place, &groups, p->diag)
                                   : plan_assign_memory(p->plan, p->options->in_place, p->diag));
    if (p->plan->small_output_bytes > 0 && !plan_copies_no_output(p->plan))
        reasons_add(&small, "an output is larger than %zu bytes, padded, or not of one step alone",
                    p->plan->small_output_bytes);
    if (planner_kernel(p, &frozen))
        plan_freeze(p->plan, &frozen);
    if (p->thaws)
        plan_thaw(p->plan);
    if (planner_kernel(p, &prefetch))
        plan_prefetch(p->plan, p->options, p->limits, &prefetch);
    return plan_check_limits(p->plan, p->limits, p->diag);
}

/* With precision=fp16, an f32 tensor that quantized nodes only convert from or to integers stays
 * f32: f16 would change the integers; and so does a state of gpu_op.wide_inputs. */
static enum status find_wide(struct planner *p)
{
    enum { NOT = 1, KEPT = 2 };
    const struct graph *g = p->graph;
    unsigned char *seen;
    bool *wide;

    if (!p->plan->half)
        return STATUS_OK;
    seen = ARENA_NEW(&p->plan->arena, (size_t)g->tensor_count, unsigned char);
    p->wide = wide = ARENA_NEW(&p->plan->arena, (size_t)g->tensor_count, bool);
    if (!seen || !wide)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    for (int i = 0; i < g->node_count; i++) {
        const struct graph_node *n = &g->nodes[i];
        const bool quantized = graph_is_quantized(g, n);

        for (int j = 0; j < n->input_count; j++) {
            const bool keeps = j < 8 && n->op->wide_inputs >> j & 1;

            if (n->inputs[j] >= 0)
                seen[n->inputs[j]] |= keeps || (n->op->quantizes && quantized) ? KEPT : NOT;
        }
        for (int j = 0; j < n->output_count; j++)
            seen[n->outputs[j]] |= n->op->dequantizes && quantized ? KEPT : NOT;
    }
    for (int t = 0; t < g->tensor_count; t++)
        wide[t] = g->tensors[t].type == kTfLiteFloat32 && seen[t] == KEPT;
    return STATUS_OK;
}

/* With precision=fast, how large elements can be: whether f16 sums of them may overflow. */
static enum status find_ranges(struct planner *p)
{
    float *magnitudes;

    if (p->options->precision != PRECISION_FAST)
        return STATUS_OK;
    p->magnitudes = magnitudes = ARENA_NEW(&p->plan->arena, (size_t)p->graph->tensor_count, float);
    if (!magnitudes)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    ranges_find(p->graph, magnitudes);
    return STATUS_OK;
}

/* Indices in the host of all tensors: those of transforms come after the host's. */
static enum status number_tensors(struct planner *p, const struct plan_request *r,
                                  const struct rewrite *w)
{
    const int count = w->graph.tensor_count;
    int *host = ARENA_NEW(&p->plan->arena, (size_t)count, int);

    p->host_tensor = host;
    p->plan_tensor_of = ARENA_NEW(&p->plan->arena, (size_t)count, int);
    if (!host || !p->plan_tensor_of)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    for (int i = 0; i < count; i++) {
        p->plan_tensor_of[i] = -1;
        host[i] =
            i < w->host_tensors ? w->host_tensor[i] : r->graph->tensor_count + i - w->host_tensors;
    }
    return STATUS_OK;
}

enum status plan_make(struct plan *plan, const struct plan_request *r, struct diag *diag)
{
    const struct transform_request request = { .graph = r->graph,
                                               .options = r->options,
                                               .limits = r->limits,
                                               .nodes = r->nodes,
                                               .node_count = r->node_count,
                                               .outputs = r->outputs,
                                               .output_count = r->output_count,
                                               .reasons = r->reasons ? &plan->reasons : NULL };
    struct planner p = { .plan = plan,
                         .options = r->options,
                         .limits = r->limits,
                         .diag = diag,
                         .reasons = request.reasons };
    struct rewrite w;
    enum status s;

    *plan = (struct plan){ .half = options_half(r->options),
                           .node_count = r->node_count,
                           .unpacked = r->unpacked,
                           .zero_copy_inputs = r->limits->zero_copy_inputs,
                           .zero_copy_outputs = r->limits->zero_copy_outputs,
                           .poison = r->options->poison };
    s = transform_partition(&w, &request, diag);
    if (s != STATUS_OK) {
        plan_close(plan);
        return s;
    }
    p.graph = &w.graph;
    p.readers = w.readers;
    p.exposed = w.exposed;
    plan->merged = w.merged;
    memcpy(plan->applied, w.applied, sizeof plan->applied);
    s = number_tensors(&p, r, &w);
    if (s == STATUS_OK)
        s = find_wide(&p);
    if (s == STATUS_OK)
        s = find_ranges(&p);
    if (s == STATUS_OK)
        s = make(&p, r, &w);
    if (s == STATUS_OK)
        packing_finish(&p);
    if (s == STATUS_OK && plan->reasons.incomplete)
        s = diag_fail(diag, STATUS_NO_MEMORY, "plan: out of memory");
    rewrite_close(&w);
    if (s != STATUS_OK)
        plan_close(plan);
    return s;
}
