#include "delegate/plan/memory.h"

#include "delegate/plan/offsets.h"
#include "delegate/shaders/args.h"
#include "reference/base/memory.h"

static void find_lifetimes(struct plan *plan)
{
    for (int i = 0; i < plan->tensor_count; i++)
        plan->tensors[i].first_step = plan->tensors[i].last_step = -1;
    for (int i = 0; i < plan->step_count; i++)
        for (int b = 0; b < PLAN_BINDINGS; b++) {
            const struct plan_binding *binding = &plan->steps[i]->bindings[b];
            struct plan_tensor *t;

            if (binding->location != LOCATION_ARENA || plan->steps[i]->idle)
                continue;
            t = &plan->tensors[plan_owner(plan, binding->index)];
            if (t->first_step < 0)
                t->first_step = i;
            t->last_step = i;
        }
}

/* ---- inputs and outputs ---- */

/* The dense layout equals that of slices if channels need no padding and elements have one size. In
 * staging memory that of one row does, too: what an input or output takes there is a multiple of
 * PLAN_ALIGN, so the padding of the last slice is its own. */
static bool dense_is_slices(const struct plan *plan, const struct plan_io *io)
{
    const struct plan_tensor *t = &plan->tensors[io->plan_tensor];
    const bool staged = io->backing == BACKING_STAGING;
    const size_t bytes = staged ? io->staged_bytes : io->dense_bytes;
    const size_t lanes = (size_t)t->rows * t->slices * 4;

    if (t->bytes == 0 || (t->channels % 4 != 0 && (!staged || t->rows != 1)))
        return false;
    return bytes == t->bytes / lanes * t->rows * t->channels;
}

/* Whether the backing of an input or output has the elements that the step converts. */
static bool is_used(const struct plan *plan, const struct plan_step *s)
{
    const struct plan_io *io;

    if (s->use == USE_ALWAYS)
        return true;
    io = s->bindings[0].location == LOCATION_OUTPUT ? &plan->outputs[s->bindings[0].index]
                                                    : &plan->inputs[s->bindings[1].index];
    return (io->backing == BACKING_STAGING) == (s->use == USE_STAGED);
}

/* Steps by what they do. */
struct users {
    /* By owner, the first step that writes to the tensor or a view of it, other than loading it
     * from the input.  Memory of an input of the caller must not be written. */
    struct plan_step **writer;
    /* By owner, how many bindings of steps there are. */
    int *uses;
    /* By io, the step that copies an input to its plan tensor, or a plan tensor to an output. */
    struct plan_step **load, **store;
};

static void close_users(struct users *u)
{
    mem_free(u->writer);
    mem_free(u->uses);
    mem_free(u->load);
    mem_free(u->store);
}

static bool find_users(const struct plan *plan, struct users *u)
{
    *u = (struct users){
        .writer = mem_alloc((size_t)plan->tensor_count, sizeof(struct plan_step *)),
        .uses = mem_alloc((size_t)plan->tensor_count, sizeof *u->uses),
        .load = mem_alloc((size_t)plan->input_count, sizeof(struct plan_step *)),
        .store = mem_alloc((size_t)plan->output_count, sizeof(struct plan_step *)),
    };
    if (!u->writer || !u->uses || !u->load || !u->store)
        return false;
    for (int i = plan->step_count - 1; i >= 0; i--) {
        struct plan_step *const s = plan->steps[i];
        const bool loads = s->bindings[1].location == LOCATION_INPUT;

        if (s->idle)
            continue;
        if (loads)
            u->load[s->bindings[1].index] = s;
        if (s->bindings[0].location == LOCATION_OUTPUT)
            u->store[s->bindings[0].index] = s;
        for (int b = 0; b < PLAN_BINDINGS && !loads; b++)
            if (s->bindings[b].location == LOCATION_ARENA && s->bindings[b].writes)
                u->writer[plan_owner(plan, s->bindings[b].index)] = s;
        for (int b = 0; b < PLAN_BINDINGS; b++)
            if (s->bindings[b].location == LOCATION_ARENA)
                u->uses[plan_owner(plan, s->bindings[b].index)]++;
    }
    return true;
}

/* The plan tensor of the input or output, and all that share its memory, use the backing memory, so
 * that no step has to copy. */
static enum status use_io_memory(struct plan *plan, const struct users *users, struct plan_io *io,
                                 enum plan_location location, int index, struct diag *diag)
{
    static const char *const what = "tensor %d cannot be bound as slices, bind it dense: %s%s";
    const int owner = plan_owner(plan, io->plan_tensor);
    struct plan_tensor *t = &plan->tensors[owner];
    const struct plan_step *writer = location == LOCATION_INPUT ? users->writer[owner] : NULL;
    struct plan_step *copy = location == LOCATION_INPUT ? users->load[index] : users->store[index];

    if (t->location != LOCATION_ARENA)
        return diag_fail(diag, STATUS_UNSUPPORTED, what, io->tensor,
                         "it shares memory with another input or output", "");
    if (writer)
        return diag_fail(diag, STATUS_UNSUPPORTED, what, io->tensor, writer->label,
                         " writes over it");
    if (t->bytes != plan->tensors[io->plan_tensor].bytes)
        return diag_fail(diag, STATUS_UNSUPPORTED, what, io->tensor,
                         "it is a view of a part of another tensor", "");
    t->location = location;
    t->io = index;
    io->zero_copy = true;
    if (copy)
        copy->idle = true;
    return STATUS_OK;
}

/* A small output that one step writes, and none reads but the one that would copy it: memory of the
 * host is far from the device, but it is written once, in either case. */
static bool is_small_result(const struct plan *plan, const struct users *users,
                            const struct plan_io *io)
{
    const int owner = plan_owner(plan, io->plan_tensor);

    return plan->tensors[owner].bytes <= plan->small_output_bytes && users->writer[owner] &&
           users->uses[owner] == 2;
}

static enum status place_ios(struct plan *plan, const struct users *users,
                             enum plan_backing backing, bool inputs, struct diag *diag)
{
    const enum plan_location location = inputs ? LOCATION_INPUT : LOCATION_OUTPUT;
    const int count = inputs ? plan->input_count : plan->output_count;
    const bool staged = inputs ? plan->zero_copy_inputs : plan->zero_copy_outputs;
    /* Pages of the host are near to a device only if its own memory is the host's, too. */
    const bool near = plan->zero_copy_inputs && plan->zero_copy_outputs;

    for (int i = 0; i < count; i++) {
        struct plan_io *io = inputs ? &plan->inputs[i] : &plan->outputs[i];

        if (io->backing != backing || io->plan_tensor < 0 ||
            (backing != BACKING_SLICES && !dense_is_slices(plan, io)) ||
            (backing == BACKING_STAGING && !staged &&
             (inputs || !is_small_result(plan, users, io))) ||
            (backing == BACKING_HOST && !near))
            continue;
        if (backing == BACKING_SLICES)
            TRY(use_io_memory(plan, users, io, location, i, diag));
        else
            /* On failure the step copies. */
            (void)use_io_memory(plan, users, io, location, i, NULL);
    }
    return STATUS_OK;
}

/* Resets what an earlier call decided.  BACKING_SLICES first, since the caller requires it; the
 * others only save a copy. */
static enum status place_all_ios(struct plan *plan, struct diag *diag)
{
    static const enum plan_backing order[] = { BACKING_SLICES, BACKING_DENSE, BACKING_HOST,
                                               BACKING_STAGING };

    struct users users;
    enum status s = STATUS_OK;

    plan->in_place = 0;
    for (int i = 0; i < plan->tensor_count; i++) {
        struct plan_tensor *t = &plan->tensors[i];

        t->location = LOCATION_ARENA;
        if (t->in_place)
            t->view_of = t->root = i;
        t->in_place = false;
    }
    for (int i = 0; i < plan->step_count; i++)
        plan->steps[i]->idle = !is_used(plan, plan->steps[i]);
    for (int i = 0; i < plan->input_count; i++)
        plan->inputs[i].zero_copy = false;
    for (int i = 0; i < plan->output_count; i++)
        plan->outputs[i].zero_copy = false;
    if (!find_users(plan, &users))
        s = diag_fail(diag, STATUS_NO_MEMORY, "plan: out of memory");
    for (size_t i = 0; i < sizeof order / sizeof order[0] && s == STATUS_OK; i++) {
        s = place_ios(plan, &users, order[i], true, diag);
        if (s == STATUS_OK)
            s = place_ios(plan, &users, order[i], false, diag);
    }
    close_users(&users);
    return s;
}

bool plan_copies_no_output(const struct plan *plan)
{
    for (int i = 0; i < plan->output_count; i++)
        if (plan->outputs[i].plan_tensor >= 0 && !plan->outputs[i].zero_copy)
            return false;
    return true;
}

bool plan_updates_input(const struct plan *plan, int input, int output)
{
    const int from = plan->inputs[input].plan_tensor, to = plan->outputs[output].plan_tensor;
    int readers = 0, updates = 0;

    if (from < 0 || to < 0 || plan->tensors[from].bytes != plan->tensors[to].bytes ||
        plan->tensors[from].format != plan->tensors[to].format)
        return false;
    for (int i = 0; i < plan->step_count; i++) {
        const struct plan_binding *const bindings = plan->steps[i]->bindings;

        /* A step that stores another output may read the input, too: a view of it. */
        for (int b = 0; b < PLAN_BINDINGS; b++) {
            if (bindings[b].location != LOCATION_ARENA || bindings[b].writes ||
                plan_owner(plan, bindings[b].index) != plan_owner(plan, from))
                continue;
            readers++;
            updates += bindings[b].elementwise && bindings[0].location == LOCATION_ARENA &&
                       plan_owner(plan, bindings[0].index) == plan_owner(plan, to);
        }
    }
    return readers == 1 && updates == 1;
}

/* ---- in place ---- */

/* All bindings of the step to this memory are elementwise. */
static bool only_elementwise(const struct plan *plan, const struct plan_step *s, int owner)
{
    for (int b = 0; b < PLAN_BINDINGS; b++)
        if (s->bindings[b].location == LOCATION_ARENA &&
            plan_owner(plan, s->bindings[b].index) == owner && !s->bindings[b].elementwise)
            return false;
    return true;
}

/* No other step of the group reads the memory, so that overwriting it needs no barrier. */
static bool alone_in_group(const struct plan *plan, int step, int owner)
{
    if (plan->groups == 0)
        return true;
    for (int i = step - 1; i >= 0 && plan->steps[i]->group == plan->steps[step]->group; i--)
        for (int b = 0; b < PLAN_BINDINGS; b++)
            if (plan->steps[i]->bindings[b].location == LOCATION_ARENA && !plan->steps[i]->idle &&
                plan_owner(plan, plan->steps[i]->bindings[b].index) == owner)
                return false;
    return true;
}

/* The result of a step may overwrite an elementwise input that no later step reads.  Each
 * invocation reads its elements before it writes them, and no other invocation touches them, so
 * that two bindings of one memory are no data race. */
static void reuse_input(struct plan *plan, int step)
{
    const struct plan_step *s = plan->steps[step];
    struct plan_tensor *to;

    if (s->bindings[0].location != LOCATION_ARENA || !s->bindings[0].writes)
        return;
    to = &plan->tensors[s->bindings[0].index];
    if (to->view_of != s->bindings[0].index || to->first_step != step)
        return;
    for (int b = 1; b < PLAN_BINDINGS; b++) {
        const int owner = s->bindings[b].location == LOCATION_ARENA && s->bindings[b].elementwise
                              ? plan_owner(plan, s->bindings[b].index)
                              : -1;
        struct plan_tensor *from = owner >= 0 ? &plan->tensors[owner] : NULL;

        if (!from || from == to || from->location != LOCATION_ARENA ||
            to->location != LOCATION_ARENA || from->last_step != step || from->bytes != to->bytes ||
            from->format != to->format || !only_elementwise(plan, s, owner) ||
            !alone_in_group(plan, step, owner))
            continue;
        from->last_step = to->last_step;
        to->view_of = to->root = owner;
        to->in_place = true;
        plan->in_place++;
        return;
    }
}

/* ---- offsets ---- */

/* When a step runs: steps of a group may run at the same time. */
static int time_of(const struct plan *plan, int step)
{
    return plan->groups > 0 ? plan->steps[step]->group : step;
}

enum status plan_assign_memory(struct plan *plan, bool in_place, struct diag *diag)
{
    struct span *spans;
    size_t count = 0;
    bool ok;

    TRY(place_all_ios(plan, diag));
    if (!(spans = mem_alloc((size_t)plan->tensor_count, sizeof *spans)))
        return diag_fail(diag, STATUS_NO_MEMORY, "plan: out of memory");
    find_lifetimes(plan);
    for (int i = 0; i < plan->step_count && in_place; i++)
        reuse_input(plan, i);
    for (int i = 0; i < plan->tensor_count; i++) {
        const struct plan_tensor *t = &plan->tensors[i];
        const size_t bytes = t->bytes + (plan->poison != POISON_OFF ? PLAN_GUARD_BYTES : 0);

        if (plan_has_memory(plan, i))
            spans[count++] =
                (struct span){ .bytes = (bytes + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN,
                               .first = time_of(plan, t->first_step),
                               .last = time_of(plan, t->last_step) };
    }
    plan->arena_bytes = offsets_assign(spans, count, &ok);
    if (!ok) {
        mem_free(spans);
        return diag_fail(
            diag, STATUS_NO_MEMORY,
            "plan: out of memory for the offsets of %zu tensors, or their sizes overflow", count);
    }
    plan->arena_bound = spans_bound(spans, count);
    count = 0;
    for (int i = 0; i < plan->tensor_count; i++)
        if (plan_has_memory(plan, i))
            plan->tensors[i].offset = spans[count++].offset;
    mem_free(spans);
    for (int i = 0; i < plan->step_count; i++)
        for (int b = 0; b < PLAN_BINDINGS; b++) {
            struct plan_binding *binding = &plan->steps[i]->bindings[b];

            if (binding->location == LOCATION_ARENA)
                binding->offset = plan->tensors[plan_owner(plan, binding->index)].offset;
        }
    return STATUS_OK;
}

/* ---- limits of the device ---- */

uint64_t plan_memory_limit(const struct gpu_options *options, const struct device_limits *limits)
{
    const uint64_t device = limits->memory_bytes ? limits->memory_bytes : UINT64_MAX;
    const uint64_t wanted =
        options->memory_limit_mib ? (uint64_t)options->memory_limit_mib << 20 : UINT64_MAX;

    return device < wanted ? device : wanted;
}

static bool fits(const uint32_t *value, const uint32_t *limit)
{
    return value[0] <= limit[0] && value[1] <= limit[1] && value[2] <= limit[2];
}

static enum status check_step(const struct plan_step *s, const struct device_limits *limits,
                              struct diag *diag)
{
    const uint64_t invocations =
        (uint64_t)s->spec[SPEC_WORKGROUP_X] * s->spec[SPEC_WORKGROUP_Y] * s->spec[SPEC_WORKGROUP_Z];

    if (!fits(s->spec, limits->max_workgroup_size) ||
        invocations > limits->max_workgroup_invocations)
        return diag_fail(
            diag, STATUS_UNSUPPORTED,
            "%s: workgroups of %u x %u x %u, the device allows %u x %u x %u, %u in all", s->shader,
            s->spec[SPEC_WORKGROUP_X], s->spec[SPEC_WORKGROUP_Y], s->spec[SPEC_WORKGROUP_Z],
            limits->max_workgroup_size[0], limits->max_workgroup_size[1],
            limits->max_workgroup_size[2], limits->max_workgroup_invocations);
    if (!fits(s->groups, limits->max_workgroup_count))
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: %u x %u x %u workgroups, the device allows %u x %u x %u", s->shader,
                         s->groups[0], s->groups[1], s->groups[2], limits->max_workgroup_count[0],
                         limits->max_workgroup_count[1], limits->max_workgroup_count[2]);
    if (s->push_bytes > limits->max_push_constants_bytes)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: %u bytes of push constants, the device allows %u", s->shader,
                         s->push_bytes, limits->max_push_constants_bytes);
    if (s->shared_bytes > limits->max_shared_memory_bytes)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: %u bytes of shared memory, the device allows %u", s->shader,
                         s->shared_bytes, limits->max_shared_memory_bytes);
    for (int b = 0; b < PLAN_BINDINGS; b++)
        if (s->bindings[b].bytes > limits->max_storage_buffer_range)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "%s: binding %d has %zu bytes, the device allows %llu "
                             "(maxStorageBufferRange)",
                             s->shader, b, s->bindings[b].bytes,
                             (unsigned long long)limits->max_storage_buffer_range);
    return STATUS_OK;
}

enum status plan_check_limits(const struct plan *plan, const struct device_limits *limits,
                              struct diag *diag)
{
    const struct plan_block block = plan_largest_block(plan);

    for (int i = 0; i < plan->step_count; i++)
        TRY(check_step(plan->steps[i], limits, diag));
    if (block.bytes > limits->max_memory_allocation_bytes)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "the %s need %zu bytes in one block, the device allows %llu", block.what,
                         block.bytes, (unsigned long long)limits->max_memory_allocation_bytes);
    return STATUS_OK;
}
