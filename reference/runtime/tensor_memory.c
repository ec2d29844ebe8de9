#include "reference/runtime/tensor_memory.h"

#include "reference/base/checked.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/runtime/report.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whether physical memory has so many bytes: a larger allocation may succeed and then fail when it
 * is used.  Of a small one the system is not asked. */
static bool fits_memory(size_t bytes)
{
    long pages, page;
    size_t all;

    if (bytes <= 1 << 20)
        return true;
    pages = sysconf(_SC_PHYS_PAGES);
    page = sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || page <= 0 || !checked_mul((size_t)pages, (size_t)page, &all))
        all = SIZE_MAX / 2;
    return bytes <= all;
}

static unsigned char *aligned(void *block)
{
    return (unsigned char *)(((uintptr_t)block + TENSOR_ALIGN - 1) &
                             ~(uintptr_t)(TENSOR_ALIGN - 1));
}

/* Bytes of one guard zone, a multiple of 64. */
static bool guard_size(const struct interpreter *in, size_t *bytes)
{
    return checked_align(in->options.guard_bytes, TENSOR_ALIGN, bytes);
}

static bool with_guards(const struct interpreter *in, size_t data, size_t *bytes)
{
    size_t guard;

    return guard_size(in, &guard) && checked_add(data, guard, bytes) &&
           checked_add(*bytes, guard, bytes) &&
           checked_add(*bytes, in->options.offset_bytes, bytes) &&
           checked_align(*bytes, TENSOR_ALIGN, bytes);
}

/* How far the tensor lies behind its multiple of 64: with_guards has room for it. */
static size_t offset_of(const struct interpreter *in, const TfLiteTensor *t)
{
    const size_t bits = runtime_type_bits(t->type), size = bits > 8 ? bits / 8 : 1;

    return in->options.offset_bytes / size * size;
}

static void fill_guards(const struct interpreter *in, TfLiteTensor *t)
{
    size_t guard = 0;

    if (in->options.guard_bytes == 0 || !guard_size(in, &guard))
        return;
    memset(t->data.raw - guard, in->guard_byte, guard);
    memset(t->data.raw + t->bytes, in->guard_byte, guard);
}

/* The tensor's data lies in memory that the interpreter allocated. */
static bool is_ours(const struct interpreter *in, size_t tensor)
{
    const struct tensor_info *info = &in->info[tensor];

    return in->tensors[tensor].data.raw != NULL &&
           (info->placed || (info->block && in->tensors[tensor].allocation_type != kTfLiteCustom));
}

void tensor_memory_fill_guards(struct interpreter *in)
{
    for (size_t i = 0; i < in->tensor_count; i++)
        if (is_ours(in, i))
            fill_guards(in, &in->tensors[i]);
}

enum status tensor_memory_check_guards(const struct interpreter *in, struct diag *diag)
{
    size_t guard = 0;

    if (in->options.guard_bytes == 0 || !guard_size(in, &guard))
        return STATUS_OK;
    for (size_t i = 0; i < in->tensor_count; i++) {
        const TfLiteTensor *t = &in->tensors[i];
        const unsigned char *data = t->data.uint8;

        if (!is_ours(in, i))
            continue;
        for (size_t at = 1; at <= guard; at++)
            if (*(data - at) != in->guard_byte)
                return diag_fail(
                    diag, STATUS_MISMATCH,
                    "tensor %zu (%s): byte -%zu, in front of its %zu bytes, was overwritten", i,
                    t->name ? t->name : "", at, t->bytes);
        for (size_t at = t->bytes; at < t->bytes + guard; at++)
            if (data[at] != in->guard_byte)
                return diag_fail(diag, STATUS_MISMATCH,
                                 "tensor %zu (%s): byte %zu, behind its %zu bytes, was overwritten",
                                 i, t->name ? t->name : "", at, t->bytes);
    }
    return STATUS_OK;
}

/* ---- poison ---- */

static void fill_words(unsigned char *data, size_t bytes, uint32_t word)
{
    size_t i = 0;

    for (; i + sizeof word <= bytes; i += sizeof word)
        memcpy(data + i, &word, sizeof word);
    memcpy(data + i, &word, bytes - i);
}

void tensor_memory_poison_one(struct interpreter *in, int tensor)
{
    TfLiteTensor *t = &in->tensors[tensor];

    if (in->options.poison && t->data.raw)
        fill_words(t->data.uint8, t->bytes, in->options.poison_word);
}

/* Inputs, variables and constants keep their values; every other tensor is filled, with its padding
 * up to the alignment where there are no guard zones. */
void tensor_memory_poison(struct interpreter *in)
{
    if (!in->options.poison)
        return;
    for (size_t i = 0; i < in->tensor_count; i++) {
        TfLiteTensor *t = &in->tensors[i];
        const struct tensor_info *info = &in->info[i];

        if (info->is_input || t->is_variable || t->allocation_type == kTfLitePersistentRo ||
            !is_ours(in, i))
            continue;
        tensor_memory_poison_one(in, (int)i);
        if (info->placed && in->options.guard_bytes == 0) {
            const size_t rest = (TENSOR_ALIGN - t->bytes % TENSOR_ALIGN) % TENSOR_ALIGN;
            fill_words(t->data.uint8 + t->bytes, rest, in->options.poison_word);
        }
    }
}

void tensor_memory_reset_variable(TfLiteTensor *t)
{
    if (t->data.raw)
        memset(t->data.raw, t->type == kTfLiteInt8 ? t->params.zero_point : 0, t->bytes);
}

/* ---- blocks of one tensor ---- */

void tensor_memory_release(struct interpreter *in, int tensor)
{
    struct tensor_info *info = &in->info[tensor];

    if (!info->block)
        return;
    mem_free(info->block);
    in->root->activation_bytes -= info->charged;
    info->charged = 0;
    info->block = NULL;
    info->block_bytes = 0;
    in->tensors[tensor].data.raw = NULL;
}

enum status tensor_memory_own(struct interpreter *in, int tensor, struct diag *diag)
{
    TfLiteTensor *t = &in->tensors[tensor];
    struct tensor_info *info = &in->info[tensor];
    size_t guard = 0, bytes = 0;

    if (!info->block || info->block_bytes < t->bytes) {
        tensor_memory_release(in, tensor);
        /* The outputs of folded nodes, which lie in the arena until then, count on their own. */
        if (t->allocation_type != kTfLiteArenaRw) {
            if (in->root->activation_bytes + t->bytes > limit_of(LIMIT_ACTIVATION_BYTES))
                return limit_fail(diag, LIMIT_ACTIVATION_BYTES,
                                  "tensor %d (%s): %zu bytes, %" PRIu64 " with other activations",
                                  tensor, t->name ? t->name : "", t->bytes,
                                  in->root->activation_bytes + t->bytes);
            info->charged = t->bytes;
            in->root->activation_bytes += t->bytes;
        }
        if (with_guards(in, t->bytes, &bytes) && checked_add(bytes, TENSOR_ALIGN, &bytes) &&
            fits_memory(bytes))
            info->block = mem_alloc(1, bytes);
        if (!info->block)
            return diag_fail(diag, STATUS_NO_MEMORY, "tensor %d (%s): no memory for %zu bytes",
                             tensor, t->name ? t->name : "", t->bytes);
        info->block_bytes = t->bytes;
    }
    guard_size(in, &guard);
    t->data.raw = (char *)aligned(info->block) + guard + offset_of(in, t);
    fill_guards(in, t);
    return STATUS_OK;
}

/* ---- the arena ---- */

struct lifetimes {
    int *first, *last; /* a pair for each tensor; first INT_MAX: not used */
};

static void use(const struct interpreter *in, struct lifetimes *l, long tensor, int step)
{
    if (tensor < 0 || in->tensors[tensor].allocation_type != kTfLiteArenaRw)
        return;
    if (step < l->first[tensor])
        l->first[tensor] = step;
    if (step > l->last[tensor])
        l->last[tensor] = step;
}

static void use_all(const struct interpreter *in, struct lifetimes *l, const TfLiteIntArray *a,
                    int step)
{
    for (int i = 0; a && i < a->size; i++)
        if ((size_t)a->data[i] < in->tensor_count)
            use(in, l, a->data[i], step);
}

/* Inputs of the graph keep their value during invoke, outputs after it. */
static void find_lifetimes(const struct interpreter *in, struct lifetimes *l)
{
    const int end = (int)in->plan_count;

    for (size_t i = 0; i < in->tensor_count; i++) {
        l->first[i] = INT_MAX;
        l->last[i] = -1;
    }
    for (int step = 0; step < end; step++) {
        const struct node *node = in->nodes[in->plan[step]];

        if (node->op) {
            for (int i = 0; i < node->in_count; i++)
                use(in, l, node->in[i] ? node->in[i] - in->tensors : -1, step);
            for (int i = 0; i < node->out_count; i++)
                use(in, l, node->out[i] - in->tensors, step);
            use_all(in, l, node->abi.temporaries, step);
        } else {
            use_all(in, l, node->abi.inputs, step);
            use_all(in, l, node->abi.outputs, step);
            use_all(in, l, node->abi.temporaries, step);
        }
    }
    for (size_t i = 0; i < in->input_count; i++) {
        use(in, l, in->inputs[i], 0);
        use(in, l, in->inputs[i], end);
    }
    for (size_t i = 0; i < in->output_count; i++)
        use(in, l, in->outputs[i], end);
    if (!in->options.preserve_all && in->options.guard_bytes == 0)
        return;
    for (size_t i = 0; i < in->tensor_count; i++)
        if (l->first[i] != INT_MAX) {
            l->first[i] = 0;
            l->last[i] = end;
        }
}

static enum status make_items(const struct interpreter *in, const struct lifetimes *l,
                              struct span *items, size_t *count, struct diag *diag)
{
    *count = 0;
    for (size_t i = 0; i < in->tensor_count; i++) {
        struct span *item = &items[*count];

        if (l->first[i] == INT_MAX)
            continue;
        *item = (struct span){ .first = l->first[i], .last = l->last[i] };
        if (!with_guards(in, in->tensors[i].bytes, &item->bytes))
            return diag_fail(diag, STATUS_NO_MEMORY, "tensor %zu (%s): no memory for %zu bytes", i,
                             in->tensors[i].name ? in->tensors[i].name : "", in->tensors[i].bytes);
        ++*count;
    }
    return STATUS_OK;
}

/* The tensor of the arena with the most bytes, and who writes it, for messages: "RELU: node 3:
 * tensor 7 (x): 400 bytes". */
static void label_largest(const struct interpreter *in, const struct lifetimes *l, char *text,
                          size_t room)
{
    const TfLiteTensor *t;
    size_t largest = SIZE_MAX, used = 0;

    for (size_t i = 0; i < in->tensor_count; i++)
        if (l->first[i] != INT_MAX &&
            (largest == SIZE_MAX || in->tensors[i].bytes > in->tensors[largest].bytes))
            largest = i;
    text[0] = '\0';
    if (largest == SIZE_MAX)
        return;
    t = &in->tensors[largest];
    for (size_t i = 0; i < in->model_nodes && used == 0; i++)
        for (int o = 0; o < in->nodes[i]->out_count && used == 0; o++)
            if (in->nodes[i]->out[o] == t)
                used = (size_t)snprintf(text, room, "%s: node %zu: ", node_name(in->nodes[i]), i);
    if (used < room)
        snprintf(text + used, room - used, "tensor %zu (%.80s): %zu bytes", largest,
                 t->name ? t->name : "", t->bytes);
}

/* Makes the arena at least `total` bytes large; its contents are not kept. */
static enum status reserve(struct interpreter *in, const struct lifetimes *l, size_t total,
                           struct diag *diag)
{
    const uint64_t others = in->root->activation_bytes - in->arena_charged;
    char largest[224];
    size_t bytes;

    if (in->block && total <= in->block_bytes)
        return STATUS_OK;
    if (others + total < total || others + total > limit_of(LIMIT_ACTIVATION_BYTES)) {
        label_largest(in, l, largest, sizeof largest);
        return limit_fail(diag, LIMIT_ACTIVATION_BYTES,
                          "%s, %" PRIu64 " with all activations at once", largest, others + total);
    }
    mem_free(in->block);
    in->root->activation_bytes = others;
    in->block = NULL;
    in->block_bytes = in->arena_charged = 0;
    if (checked_add(total, 2 * TENSOR_ALIGN, &bytes) && fits_memory(bytes))
        in->block = mem_alloc(1, bytes);
    if (!in->block) {
        label_largest(in, l, largest, sizeof largest);
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for the activations, %zu bytes",
                         largest, total);
    }
    in->block_bytes = in->arena_charged = total;
    in->root->activation_bytes = others + total;
    return STATUS_OK;
}

static void assign(struct interpreter *in, const struct lifetimes *l, const struct span *items)
{
    size_t guard = 0, next = 0;

    guard_size(in, &guard);
    for (size_t i = 0; i < in->tensor_count; i++) {
        TfLiteTensor *t = &in->tensors[i];

        if (l->first[i] == INT_MAX)
            continue;
        in->info[i].placed = true;
        in->info[i].offset = items[next++].offset + guard + offset_of(in, t);
        t->data.raw = (char *)aligned(in->block) + in->info[i].offset;
        fill_guards(in, t);
    }
}

/* Tensors inside a partition, and others that no step uses, get no memory. */
static void forget_places(struct interpreter *in)
{
    for (size_t i = 0; i < in->tensor_count; i++) {
        in->info[i].placed = false;
        if (in->tensors[i].allocation_type == kTfLiteArenaRw)
            in->tensors[i].data.raw = NULL;
    }
}

static enum status allocate_arena(struct interpreter *in, struct lifetimes *l, struct span *items,
                                  struct diag *diag)
{
    size_t count, total, bound;
    enum status s;

    find_lifetimes(in, l);
    TRY(make_items(in, l, items, &count, diag));
    s = arena_assign_offsets(items, count, &total, &bound);
    if (s != STATUS_OK)
        return diag_fail(diag, s,
                         "no memory to plan %zu tensors, or more bytes than can be counted", count);
    TRY(reserve(in, l, total, diag));
    in->arena_bytes = total;
    in->arena_bound = bound;
    assign(in, l, items);
    return STATUS_OK;
}

/* New memory is zero already: writing zeros would touch every page of a tensor that a hostile file
 * makes huge. */
static enum status allocate_variable(struct interpreter *in, int tensor, struct diag *diag)
{
    const void *const old = in->info[tensor].block;
    TfLiteTensor *const t = &in->tensors[tensor];

    TRY(tensor_memory_own(in, tensor, diag));
    if (in->info[tensor].block == old || (t->type == kTfLiteInt8 && t->params.zero_point != 0))
        tensor_memory_reset_variable(t);
    return STATUS_OK;
}

enum status tensor_memory_allocate(struct interpreter *in, struct diag *diag)
{
    struct lifetimes l = { mem_alloc(in->tensor_count, sizeof(int)),
                           mem_alloc(in->tensor_count, sizeof(int)) };
    struct span *items = mem_alloc(in->tensor_count, sizeof *items);
    enum status s = STATUS_OK;

    forget_places(in);
    if (!l.first || !l.last || !items)
        s = diag_fail(diag, STATUS_NO_MEMORY, "no memory to plan %zu tensors", in->tensor_count);
    if (s == STATUS_OK)
        s = allocate_arena(in, &l, items, diag);
    mem_free(l.first);
    mem_free(l.last);
    mem_free(items);
    for (size_t i = 0; i < in->tensor_count && s == STATUS_OK; i++)
        if (in->tensors[i].allocation_type == kTfLiteArenaRwPersistent)
            s = allocate_variable(in, (int)i, diag);
    return s;
}

void tensor_memory_close(struct interpreter *in)
{
    for (size_t i = 0; i < in->tensor_count; i++)
        mem_free(in->info[i].block);
    mem_free(in->block);
    in->block = NULL;
}
