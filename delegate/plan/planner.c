#include "delegate/plan/planner.h"

#include "delegate/base/stored_half.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/plan/plan.h"
#include "delegate/plan/workgroups.h"
#include "delegate/shaders/args.h"
#include "delegate/shaders/repack.args.h"

#include "reference/base/checked.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int add_tensor(struct planner *p, int tensor, uint32_t rows, uint32_t channels, int view_of,
                      enum plan_format format)
{
    struct plan *plan = p->plan;
    struct plan_tensor *t;

    if (plan->tensor_count == plan->tensor_capacity) {
        const int capacity = plan->tensor_capacity ? 2 * plan->tensor_capacity : 64;
        struct plan_tensor *more = mem_resize(plan->tensors, (size_t)capacity, sizeof *more);

        if (!more) {
            diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
            return -1;
        }
        plan->tensors = more;
        plan->tensor_capacity = capacity;
    }
    t = &plan->tensors[plan->tensor_count];
    *t = (struct plan_tensor){ .graph_tensor =
                                   tensor >= 0 && p->host_tensor ? p->host_tensor[tensor] : tensor,
                               .rows = rows,
                               .channels = channels,
                               .slices = channels / 4 + (channels % 4 != 0),
                               .view_of = view_of < 0 ? plan->tensor_count : view_of,
                               .root = view_of < 0 ? plan->tensor_count : plan_owner(plan, view_of),
                               .format =
                                   format == FORMAT_WIDE && !plan->half ? FORMAT_STORED : format };
    t->bytes = (size_t)t->rows * t->slices * 4 * plan_element_bytes(plan, t);
    return plan->tensor_count++;
}

/* Rows and channels of a graph tensor, whose size was checked when its node was accepted. */
static void shape_of(const struct graph_tensor *t, uint32_t *rows, uint32_t *channels)
{
    *channels = t->rank == 0 ? 1 : (uint32_t)t->dims[t->rank - 1];
    *rows = *channels ? (uint32_t)((t->rank == 0 ? 1 : t->elements) / *channels) : 0;
}

static enum plan_format format_of(const struct planner *p, int tensor)
{
    const struct graph_tensor *t = &p->graph->tensors[tensor];

    switch (t->type) {
    case kTfLiteInt8:
    case kTfLiteUInt8:
    case kTfLiteBool: return FORMAT_BYTES;
    case kTfLiteInt16: return FORMAT_SHORTS;
    case kTfLiteInt32:
    case kTfLiteInt64: return FORMAT_WORDS;
    default: return p->wide && p->wide[tensor] ? FORMAT_WIDE : FORMAT_STORED;
    }
}

struct reason_of planner_reason(const struct planner *p, enum kernel_id kernel,
                                const struct graph_node *n)
{
    return (struct reason_of){ p->reasons,
                               { .kind = REASON_KERNEL,
                                 .id = (int)kernel,
                                 .node = n ? n->host_node : -1,
                                 .op = n ? n->name : "" } };
}

bool planner_kernel(const struct planner *p, const struct reason_of *why)
{
    const enum kernel_id kernel = (enum kernel_id)why->about.id;
    const struct device_costs *const costs = device_costs_of(p->limits);

    if (!options_kernel(p->options, kernel))
        return reasons_add(why, "option no_kernel=%s", options_kernel_name(kernel));
    if (device_costs_pays(costs, kernel) || options_force(p->options, kernel))
        return true;
    return why->reasons && reasons_add(why, "%s", device_costs_why(costs, kernel).text);
}

int planner_tensor(struct planner *p, int tensor)
{
    uint32_t rows, channels;

    if (p->plan_tensor_of[tensor] < 0) {
        shape_of(&p->graph->tensors[tensor], &rows, &channels);
        p->plan_tensor_of[tensor] = add_tensor(p, tensor, rows, channels, -1, format_of(p, tensor));
    }
    return p->plan_tensor_of[tensor];
}

int planner_temp(struct planner *p, uint32_t rows, uint32_t channels, enum plan_format format)
{
    return add_tensor(p, -1, rows, channels, -1, format);
}

enum status planner_write_back(struct planner *p, int tensor, int from)
{
    if (p->state_count == PLAN_STATES)
        return diag_fail(p->diag, STATUS_UNSUPPORTED,
                         "expected at most %d state tensors in a partition, found more",
                         PLAN_STATES);
    p->state[p->state_count].tensor = tensor;
    p->state[p->state_count++].from = from;
    return STATUS_OK;
}

int planner_view(struct planner *p, int tensor, int of)
{
    uint32_t rows, channels;

    if (of < 0)
        return -1;
    shape_of(&p->graph->tensors[tensor], &rows, &channels);
    assert(p->plan_tensor_of[tensor] < 0);
    p->plan_tensor_of[tensor] =
        add_tensor(p, tensor, rows, channels, of, p->plan->tensors[of].format);
    return p->plan_tensor_of[tensor];
}

const char *planner_moving_shader(const struct planner *p, int plan_tensor,
                                  const char *const by_format[4])
{
    switch (p->plan->tensors[plan_tensor].format) {
    case FORMAT_BYTES: return by_format[1];
    case FORMAT_SHORTS: return by_format[2];
    case FORMAT_WORDS: return by_format[3];
    case FORMAT_STORED: return by_format[0];
    case FORMAT_WIDE: break;
    }
    assert(!"a format that no op moves");
    return by_format[0];
}

int planner_rows(struct planner *p, const struct graph_node *node, int of, uint32_t rows,
                 uint32_t channels)
{
    const struct plan_tensor *from;
    struct plan_step *s;
    struct repack_args args;
    int to;

    if (of < 0)
        return -1;
    from = &p->plan->tensors[of];
    if (from->rows == rows && from->channels == channels)
        return of;
    if (from->channels % 4 == 0 && channels % 4 == 0)
        return add_tensor(p, -1, rows, channels, of, from->format);
    if ((to = add_tensor(p, -1, rows, channels, -1, from->format)) < 0)
        return -1;
    s = planner_step(p, planner_moving_shader(p, to, MOVING_SHADER("repack")), node, WORKGROUP, 1,
                     1);
    if (!s)
        return -1;
    from = &p->plan->tensors[of]; /* may have moved */
    args = (struct repack_args){ .count = rows * p->plan->tensors[to].slices,
                                 .channels = channels,
                                 .slices = p->plan->tensors[to].slices,
                                 .source_channels = from->channels,
                                 .source_slices = from->slices };
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, to);
    step_read(p, s, 1, of);
    return step_items(p, s, args.count) == STATUS_OK ? to : -1;
}

/* The name of the step in profiles. */
static const char *label_of(struct planner *p, const char *shader, const struct graph_node *node)
{
    const char *name =
        node && node->output_count > 0 ? p->graph->tensors[node->outputs[0]].name : "";
    char text[256];

    if (!node)
        return shader;
    snprintf(text, sizeof text, "%s node %d '%s'", node->name, node->host_node, name);
    return arena_string(&p->plan->arena, text);
}

struct plan_step *planner_step_at(struct planner *p, const char *shader,
                                  const struct graph_node *node, uint32_t x, uint32_t y, uint32_t z,
                                  const char *source)
{
    struct plan *plan = p->plan;
    struct plan_step *s = NULL;

    if (plan->step_count == plan->step_capacity) {
        const int capacity = plan->step_capacity ? 2 * plan->step_capacity : 64;
        struct plan_step **more = mem_resize(plan->steps, (size_t)capacity, sizeof *more);

        if (more) {
            plan->steps = more;
            plan->step_capacity = capacity;
        }
    }
    if (plan->step_count < plan->step_capacity)
        s = ARENA_NEW(&plan->arena, 1, struct plan_step);
    if (!s) {
        diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
        return NULL;
    }
    s->shader = shader;
    s->source = source;
    if (!(s->label = label_of(p, shader, node))) {
        diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
        return NULL;
    }
    s->node = node ? node->host_node : -1;
    step_spec(s, SPEC_WORKGROUP_X, x);
    step_spec(s, SPEC_WORKGROUP_Y, y);
    step_spec(s, SPEC_WORKGROUP_Z, z);
    plan->steps[plan->step_count++] = s;
    return s;
}

void step_spec(struct plan_step *s, uint32_t id, uint32_t value)
{
    assert(id < PLAN_SPEC_MAX && id <= s->spec_count);
    s->spec[id] = value;
    if (id == s->spec_count)
        s->spec_count++;
}

void step_freezable(struct plan_step *s)
{
    s->freezable = true;
}

void step_first_rows(const struct planner *p, struct plan_step *s, int dst, uint64_t rows)
{
    const struct plan_tensor *t = &p->plan->tensors[dst];

    s->first_bytes = (size_t)(rows < t->rows ? rows : t->rows) * (t->bytes / t->rows);
}

void step_thawable(struct plan_step *s, uint32_t first, uint32_t last)
{
    for (uint32_t id = first; id <= last; id++)
        s->thawable |= 1u << id;
}

void step_push(struct plan_step *s, const void *args, size_t bytes)
{
    assert(bytes <= PLAN_PUSH_BYTES && bytes % 4 == 0);
    memcpy(s->push, args, bytes);
    s->push_bytes = (uint32_t)bytes;
}

enum status step_groups(struct planner *p, struct plan_step *s, uint64_t groups)
{
    const uint32_t *max = p->limits->max_workgroup_count;
    const uint64_t x = groups < max[0] ? groups : max[0];
    const uint64_t y = x ? (groups + x - 1) / x : 0;

    if (groups == 0 || y > max[1])
        return diag_fail(p->diag, STATUS_UNSUPPORTED,
                         "%s: %llu workgroups, the device allows %u x %u", s->shader,
                         (unsigned long long)groups, max[0], max[1]);
    s->groups[0] = (uint32_t)x;
    s->groups[1] = (uint32_t)y;
    s->groups[2] = 1;
    return STATUS_OK;
}

/* Tests choose another candidate of workgroup sizes, since results must not depend on it. */
static void use_variant(struct planner *p, struct plan_step *s)
{
    uint32_t codes[WORKGROUP_CANDIDATES];
    const int count = workgroup_candidates(s, p->limits, codes);

    if (p->options->workgroup_variant > 0 && count > 0)
        workgroup_set(s, codes[(p->options->workgroup_variant - 1) % count], p->limits);
}

enum status step_tiles(struct planner *p, struct plan_step *s, uint32_t columns, uint64_t runs,
                       uint32_t invocation_bytes)
{
    const uint64_t x = s->spec[SPEC_WORKGROUP_X], y = s->spec[SPEC_WORKGROUP_Y];

    s->items = columns;
    s->runs = runs;
    s->invocation_bytes = invocation_bytes;
    if (columns > 0 && runs > 0 && workgroup_set(s, workgroup_of(s), p->limits)) {
        use_variant(p, s);
        return STATUS_OK;
    }
    s->items = s->runs = 0;
    TRY(step_groups(p, s, (columns + x - 1) / x * ((runs + y - 1) / y)));
    return diag_fail(p->diag, STATUS_UNSUPPORTED,
                     "%s: the device does not allow workgroups of %u x %u x %u with %u bytes each",
                     s->shader, s->spec[SPEC_WORKGROUP_X], s->spec[SPEC_WORKGROUP_Y],
                     s->spec[SPEC_WORKGROUP_Z], invocation_bytes);
}

enum status step_items(struct planner *p, struct plan_step *s, uint64_t count)
{
    s->items = count;
    if (workgroup_set(s, workgroup_size(p->limits), p->limits)) {
        use_variant(p, s);
        return STATUS_OK;
    }
    return step_groups(p, s,
                       (count + s->spec[SPEC_WORKGROUP_X] - 1) /
                           s->spec[SPEC_WORKGROUP_X]); /* fails, with the limit in the message */
}

static void bind_tensor(struct planner *p, struct plan_step *s, int binding, int tensor,
                        bool writes)
{
    assert(binding < PLAN_BINDINGS && tensor >= 0);
    s->bindings[binding] = (struct plan_binding){ .location = LOCATION_ARENA,
                                                  .index = tensor,
                                                  .bytes = p->plan->tensors[tensor].bytes,
                                                  .writes = writes };
}

void step_read(struct planner *p, struct plan_step *s, int binding, int plan_tensor)
{
    bind_tensor(p, s, binding, plan_tensor, false);
}

void step_write(struct planner *p, struct plan_step *s, int binding, int plan_tensor)
{
    bind_tensor(p, s, binding, plan_tensor, true);
}

void step_in_place(struct plan_step *s, int binding)
{
    assert(s->bindings[binding].location == LOCATION_ARENA && !s->bindings[binding].writes);
    s->bindings[binding].elementwise = true;
}

void step_shared(struct plan_step *s, uint32_t bytes)
{
    s->shared_bytes = bytes;
}

void step_constants(struct plan_step *s, int binding, const struct packed *packed)
{
    s->bindings[binding] = (struct plan_binding){ .location = LOCATION_CONSTANTS,
                                                  .offset = packed->offset,
                                                  .bytes = packed->bytes };
}

/* Reserves bytes of constants.  Those that align the next ones are 0, and if `zeroed` all. */
static enum status reserve_bytes(struct planner *p, size_t bytes, bool zeroed,
                                 struct packed *packed)
{
    struct plan *plan = p->plan;
    const size_t first = zeroed ? 0 : bytes;
    size_t end;

    packed->offset = plan->constant_bytes;
    packed->bytes = bytes;
    if (!checked_align(bytes, PLAN_ALIGN, &bytes) ||
        !checked_add(plan->constant_bytes, bytes, &end))
        return diag_fail(p->diag, STATUS_UNSUPPORTED,
                         "constants: %zu bytes exceed the address space", bytes);
    if (plan->unpacked) {
        plan->constant_bytes = end;
        return STATUS_OK;
    }
    if (end > plan->constant_capacity) {
        const size_t capacity =
            end > 2 * plan->constant_capacity ? end : 2 * plan->constant_capacity;
        uint8_t *more = mem_resize(plan->constants, capacity, 1);

        if (!more)
            return diag_fail(p->diag, STATUS_NO_MEMORY, "constants: out of memory for %zu bytes",
                             capacity);
        plan->constants = more;
        plan->constant_capacity = capacity;
    }
    memset(plan->constants + plan->constant_bytes + first, 0, end - plan->constant_bytes - first);
    plan->constant_bytes = end;
    return STATUS_OK;
}

static enum status reserve_items(struct planner *p, uint64_t count, size_t item_bytes, bool zeroed,
                                 struct packed *packed)
{
    size_t bytes;

    if (count > SIZE_MAX || !checked_mul((size_t)count, item_bytes, &bytes) ||
        bytes > p->limits->max_storage_buffer_range)
        return diag_fail(p->diag, STATUS_UNSUPPORTED,
                         "%llu packed constants, the device allows %llu bytes in one buffer",
                         (unsigned long long)count,
                         (unsigned long long)p->limits->max_storage_buffer_range);
    return reserve_bytes(p, bytes, zeroed, packed);
}

enum status planner_pack(struct planner *p, uint64_t vec4_count, bool storage,
                         struct packed *packed)
{
    packed->half = storage && p->plan->half;
    return reserve_items(p, vec4_count, packed->half ? 8 : 16, true, packed);
}

enum status planner_reserve(struct planner *p, uint64_t vec4_count, struct packed *packed)
{
    packed->half = p->plan->half;
    return reserve_items(p, vec4_count, packed->half ? 8 : 16, false, packed);
}

enum status planner_pack_words(struct planner *p, uint64_t count, struct packed *packed)
{
    packed->half = false;
    return reserve_items(p, count, sizeof(uint32_t), true, packed);
}

enum status planner_pack_table(struct planner *p, uint64_t count, struct packed *packed)
{
    const uint64_t most = limit_of(LIMIT_TABLE_BYTES);
    const uint64_t left = p->plan->table_bytes < most ? most - p->plan->table_bytes : 0;

    if (count > left / sizeof(uint32_t))
        return diag_fail(p->diag, STATUS_UNSUPPORTED,
                         "index tables: %llu words beside %llu bytes, more than limit table_bytes "
                         "(%llu)",
                         (unsigned long long)count, (unsigned long long)p->plan->table_bytes,
                         (unsigned long long)most);
    p->plan->table_bytes += count * sizeof(uint32_t);
    return planner_pack_words(p, count, packed);
}

void planner_put_word(struct planner *p, const struct packed *packed, uint64_t index,
                      uint32_t value)
{
    if (!p->plan->unpacked)
        memcpy(p->plan->constants + packed->offset + index * sizeof value, &value, sizeof value);
}

bool planner_packs(const struct planner *p)
{
    return !p->plan->unpacked;
}

void planner_put(struct planner *p, const struct packed *packed, uint64_t index, float value)
{
    uint8_t *base;

    if (p->plan->unpacked)
        return;
    base = p->plan->constants + packed->offset;
    if (packed->half) {
        const uint16_t h = stored_half(value);

        memcpy(base + index * sizeof h, &h, sizeof h);
    } else {
        memcpy(base + index * sizeof value, &value, sizeof value);
    }
}

enum status planner_pack_tensor(struct planner *p, int tensor, struct packed *packed)
{
    static const float pattern[] = {
        [POISON_OFF] = 0, [POISON_NAN] = NAN, [POISON_INF] = INFINITY, [POISON_JUNK] = -1e5f
    };
    uint32_t rows, channels, slices;

    shape_of(&p->graph->tensors[tensor], &rows, &channels);
    slices = channels / 4 + (channels % 4 != 0);
    TRY(planner_pack(p, (uint64_t)rows * slices, false, packed));
    for (uint32_t r = 0; r < rows && planner_packs(p); r++)
        for (uint32_t c = 0; c < 4 * slices; c++)
            planner_put(p, packed, ((uint64_t)r * slices) * 4 + c,
                        c < channels
                            ? graph_constant_float(p->graph, tensor, (size_t)r * channels + c)
                            : pattern[p->plan->poison]);
    return STATUS_OK;
}

enum status planner_pack_integers(struct planner *p, int tensor, struct packed *packed)
{
    static const uint32_t pattern[] = { [POISON_OFF] = 0,
                                        [POISON_NAN] = 0x80808080,
                                        [POISON_INF] = 0x7f7f7f7f,
                                        [POISON_JUNK] = 0xa55a01ff };
    const TfLiteType type = p->graph->tensors[tensor].type;
    const uint32_t in_word = type == kTfLiteInt32 ? 1 : type == kTfLiteInt16 ? 2 : 4;
    const uint32_t bits = 32 / in_word, mask = UINT32_MAX >> (32 - bits);
    uint32_t rows, channels, pitch, word = 0;

    shape_of(&p->graph->tensors[tensor], &rows, &channels);
    pitch = (channels / 4 + (channels % 4 != 0)) * 4;
    TRY(planner_pack_words(p, (uint64_t)rows * pitch / in_word, packed));
    for (uint64_t i = 0; i < (uint64_t)rows * pitch && planner_packs(p); i++) {
        const uint32_t c = (uint32_t)(i % pitch), lane = (uint32_t)(i % in_word);
        const uint32_t element =
            c < channels
                ? (uint32_t)graph_constant_int(p->graph, tensor, i / pitch * channels + c) & mask
                : pattern[p->plan->poison] >> bits * lane & mask;

        word = lane == 0 ? element : word | element << bits * lane;
        if (lane == in_word - 1)
            planner_put_word(p, packed, i / in_word, word);
    }
    return STATUS_OK;
}

enum status planner_pack_stored(struct planner *p, int tensor, struct packed *packed)
{
    uint32_t rows, channels, slices;

    shape_of(&p->graph->tensors[tensor], &rows, &channels);
    slices = channels / 4 + (channels % 4 != 0);
    TRY(planner_pack(p, (uint64_t)rows * slices, true, packed));
    for (uint32_t r = 0; r < rows && planner_packs(p); r++)
        for (uint32_t c = 0; c < channels; c++)
            planner_put(p, packed, ((uint64_t)r * slices) * 4 + c,
                        graph_constant_float(p->graph, tensor, (size_t)r * channels + c));
    return STATUS_OK;
}

enum status planner_pack_bias(struct planner *p, int tensor, uint32_t count, struct packed *packed)
{
    TRY(planner_pack(p, ((uint64_t)count + 3) / 4, false, packed));
    for (uint32_t i = 0; i < count && tensor >= 0; i++)
        planner_put(p, packed, i, graph_constant_float(p->graph, tensor, i));
    return STATUS_OK;
}
