#include "delegate/plan/io.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/shaders/io.args.h"
#include "reference/base/checked.h"

/* Shaders of a format.  Those of rows access 16 bytes at once; NULL: there is none. */
static const struct {
    size_t bytes;
    const char *load, *store, *load_rows, *store_rows;
} formats[] = {
    [IO_F32] = { 4, "load", "store", "load_rows", "store_rows" },
    [IO_F16] = { 2, "load_half", "store_half", NULL, NULL },
    [IO_BYTES] = { 1, "load.byte", "store.byte", "load_rows.byte", "store_rows.byte" },
    [IO_SHORTS] = { 2, "load.short", "store.short", "load_rows.short", "store_rows.short" },
    [IO_WORDS] = { 4, "load.word", "store.word", "load_rows.word", "store_rows.word" },
    [IO_LONGS] = { 8, "load_long.word", NULL, NULL, NULL } /* no op has a result of longs */
};

static size_t host_element_bytes(TfLiteType type)
{
    return runtime_type_bits(type) / 8;
}

enum plan_io_format plan_io_format(const struct graph_tensor *t)
{
    switch (t->type) {
    case kTfLiteFloat16: return IO_F16;
    case kTfLiteInt8:
    case kTfLiteUInt8:
    case kTfLiteBool: return IO_BYTES;
    case kTfLiteInt16: return IO_SHORTS;
    case kTfLiteInt32: return IO_WORDS;
    case kTfLiteInt64: return IO_LONGS;
    default: return IO_F32;
    }
}

static bool is_wide(const struct planner *p, int plan_tensor)
{
    return plan_tensor >= 0 && p->plan->tensors[plan_tensor].format == FORMAT_WIDE;
}

/* Why the input or output is not converted by the kernel. */
static bool decline(const struct planner *p, enum kernel_id kernel, const struct plan_io *io,
                    const char *why)
{
    const struct reason_of of = planner_reason(p, kernel, NULL);

    return reasons_add(&of, "tensor %d: %s", io->tensor, why);
}

static bool crosses_as_half(const struct planner *p, const struct plan_io *io)
{
    const struct reason_of of = planner_reason(p, KERNEL_half_rows, NULL);

    if (io->format != IO_F32)
        return false;
    if (!p->plan->half)
        return reasons_add(&of, "precision=fp32");
    if (is_wide(p, io->plan_tensor))
        return decline(p, KERNEL_half_rows, io, "f16 would change the integers it is converted to");
    if (io->float_view.type != kTfLiteNoType)
        return decline(p, KERNEL_half_rows, io,
                       "float view: the CPU converts it from or to 8 bits");
    return planner_kernel(p, &of);
}

/* Reserves the elements of an input or output in its staging buffer. */
static enum status reserve(struct planner *p, int tensor, int plan_tensor, size_t *end,
                           struct plan_io *io)
{
    const struct graph_tensor *t = &p->graph->tensors[tensor];
    /* Behind the padding of the last slice. */
    const size_t guard = p->plan->poison != POISON_OFF ? 2 * PLAN_GUARD_BYTES : 0;
    size_t bytes;

    *io = (struct plan_io){ .tensor = p->host_tensor[tensor],
                            .plan_tensor = plan_tensor,
                            .offset = *end,
                            .format = plan_io_format(t) };
    if (plan_tensor < 0)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    if (t->float_view_of != kTfLiteNoType) {
        io->float_view.type = t->float_view_of;
        io->float_view.scale = t->quant.scale[0];
        io->float_view.zero_point = t->quant.zero_point[0];
    }
    if (t->is_narrowed)
        io->float_view.type = kTfLiteInt64;
    /* The device would round f32 to f16 anyway, and half as many bytes cross the bus. */
    io->half = crosses_as_half(p, io);
    if (!checked_mul(t->elements, formats[io->format].bytes, &io->dense_bytes) ||
        !checked_add(io->dense_bytes, guard, &bytes) || !checked_align(bytes, PLAN_ALIGN, &bytes) ||
        !checked_add(*end, bytes, &bytes))
        return diag_fail(p->diag, STATUS_UNSUPPORTED,
                         "tensor %d '%s': %zu elements exceed the address space", io->tensor,
                         t->name, t->elements);
    io->staged_bytes = io->half ? io->dense_bytes / 2 : io->dense_bytes;
    *end += (io->staged_bytes + guard + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;
    io->bytes =
        t->elements *
        host_element_bytes(io->float_view.type != kTfLiteNoType ? io->float_view.type : t->type);
    return STATUS_OK;
}

/* What a step converts: dense elements of a format from or to a plan tensor. */
struct conversion {
    enum plan_io_format format;
    enum plan_use use;
    const char *shader;
    bool rows; /* it is one of those that access 16 bytes at once */
    size_t bytes;
};

static struct conversion conversion_of(const struct planner *p, const struct plan_io *io,
                                       bool store, bool staged)
{
    const struct reason_of rows = planner_reason(p, KERNEL_rows, NULL);
    struct conversion c = { .format = io->half && staged ? IO_SHORTS : io->format,
                            .use = !io->half ? USE_ALWAYS
                                   : staged  ? USE_STAGED
                                             : USE_BOUND,
                            .bytes = staged ? io->staged_bytes : io->dense_bytes };
    /* f16 in an f16 tensor only moves. */
    const enum plan_io_format moved =
        c.format == IO_F16 && p->plan->half && !is_wide(p, io->plan_tensor) ? IO_SHORTS : c.format;

    c.rows = formats[moved].load_rows
                 ? planner_kernel(p, &rows)
                 : decline(p, KERNEL_rows, io,
                           c.format == IO_LONGS ? "i64 becomes i32 on the way"
                                                : "f16 becomes f32 on the way");
    if (is_wide(p, io->plan_tensor))
        c.shader = store    ? c.rows ? "store_rows.f32" : "store.f32"
                   : c.rows ? "load_rows.f32"
                            : "load.f32";
    else if (c.rows)
        c.shader = store ? formats[moved].store_rows : formats[moved].load_rows;
    else
        c.shader = store ? formats[c.format].store : formats[c.format].load;
    return c;
}

/* Invocations of a step that stores. */
static uint64_t store_items(const struct conversion *c, const struct plan_tensor *t)
{
    const uint64_t in_word = 4 / formats[c->format].bytes;
    const uint64_t elements = (uint64_t)t->rows * t->channels;

    if (c->rows)
        return (elements + 4 * in_word - 1) / (4 * in_word);
    return in_word > 1 ? (elements + in_word - 1) / in_word : (uint64_t)t->rows * t->slices;
}

static enum status convert(struct planner *p, const struct plan_io *io, bool store, bool staged)
{
    const struct conversion c = conversion_of(p, io, store, staged);
    const struct plan_tensor *t = &p->plan->tensors[io->plan_tensor];
    struct plan_step *s = planner_step(p, c.shader, NULL, WORKGROUP, 1, 1);
    struct io_args args = { .count = (uint32_t)(store ? store_items(&c, t)
                                                      : (uint64_t)t->rows * t->slices),
                            .channels = t->channels,
                            .slices = t->slices,
                            .elements = t->rows * t->channels };

    if (!s)
        return STATUS_NO_MEMORY;
    s->label = store ? "store" : "load";
    s->use = c.use;
    step_push(s, &args, sizeof args);
    s->bindings[store ? 0 : 1] = (struct plan_binding){
        .location = store ? LOCATION_OUTPUT : LOCATION_INPUT,
        .index = store ? p->plan->output_count : p->plan->input_count,
        .offset = io->offset,
        .bytes = (c.bytes + 3) / 4 * 4, /* narrow elements are accessed as words */
        .writes = store,
    };
    if (store)
        step_read(p, s, 1, io->plan_tensor);
    else
        step_write(p, s, 0, io->plan_tensor);
    return step_items(p, s, args.count);
}

enum status plan_input(struct planner *p, int tensor, int to, struct plan_io *io)
{
    TRY(reserve(p, tensor, to, &p->plan->input_bytes, io));
    TRY(convert(p, io, false, true));
    return io->half ? convert(p, io, false, false) : STATUS_OK;
}

enum status plan_output(struct planner *p, int tensor, int from, struct plan_io *io)
{
    TRY(reserve(p, tensor, from, &p->plan->output_bytes, io));
    TRY(convert(p, io, true, true));
    return io->half ? convert(p, io, true, false) : STATUS_OK;
}
