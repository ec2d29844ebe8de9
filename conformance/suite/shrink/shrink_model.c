/* Feeds the loop of shrink.h with reductions of an instance. */
#include "conformance/suite/shrink/shrink_model.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/shrink/model_draft.h"
#include "conformance/suite/shrink/shrink_step.h"
#include "reference/base/memory.h"

#include <string.h>

struct minimizer {
    const struct shrink_model_request *q;
    struct shrunk *out; /* the current form */
    struct shrink_steps list;
    struct case_instance tried;
    struct case_result tried_result;
    size_t steps;
    enum status status;
    struct diag *diag;
};

/* A failure of this program, not of the subject: every later step does nothing. */
static bool judge_one(struct minimizer *m, const struct case_instance *x, struct case_result *r)
{
    if (m->status != STATUS_OK)
        return false;
    if (m->q->progress)
        m->q->progress(m->q->user, ++m->steps, x->file.count);
    m->status = m->q->judge(m->q->user, x, r, m->diag);
    /* The reference need not have a bound for what a reduction made. */
    if (m->status == STATUS_UNSUPPORTED || m->status == STATUS_INVALID) {
        m->status = STATUS_OK;
        return false;
    }
    return m->status == STATUS_OK && result_fails_alike(m->q->result, r);
}

static enum shrink_answer try(void *user, size_t reduction)
{
    struct minimizer *const m = user;

    if (m->status == STATUS_OK && m->list.count == 0)
        m->status = shrink_steps_find(&m->out->instance, &m->list, m->diag);
    if (m->status != STATUS_OK || reduction >= m->list.count)
        return SHRINK_END;
    case_instance_close(&m->tried);
    if (shrink_step_make(&m->list.items[reduction], &m->out->instance, &m->tried, NULL) !=
        STATUS_OK)
        return SHRINK_SKIP;
    return judge_one(m, &m->tried, &m->tried_result) ? SHRINK_FAILS_ALIKE : SHRINK_OTHER;
}

static void accept(void *user)
{
    struct minimizer *const m = user;

    case_instance_close(&m->out->instance);
    m->out->instance = m->tried;
    m->out->result = m->tried_result;
    m->tried = (struct case_instance){ .input_count = 0 };
    shrink_steps_close(&m->list);
}

static bool judge(void *user)
{
    struct minimizer *const m = user;
    struct case_result r;

    return judge_one(m, &m->out->instance, &r);
}

enum status instance_copy(const struct case_instance *x, struct case_instance *copy,
                          struct diag *diag)
{
    *copy = *x;
    for (size_t i = 0; i < x->input_count; i++)
        copy->inputs[i].data[0] = copy->inputs[i].data[1] = NULL;
    if (tflite_file_copy(&copy->file, &x->file, diag) != STATUS_OK)
        goto no_memory;
    for (size_t i = 0; i < x->input_count; i++) {
        for (int frame = 0; frame < 2; frame++) {
            if (!x->inputs[i].data[frame])
                continue;
            copy->inputs[i].data[frame] = mem_alloc(x->inputs[i].bytes ? x->inputs[i].bytes : 1, 1);
            if (!copy->inputs[i].data[frame])
                goto no_memory;
            memcpy(copy->inputs[i].data[frame], x->inputs[i].data[frame], x->inputs[i].bytes);
        }
    }
    return STATUS_OK;
no_memory:
    case_instance_close(copy);
    return diag_fail(diag, STATUS_NO_MEMORY, "instance: out of memory");
}

enum status shrink_model(const struct shrink_model_request *request, struct shrunk *out,
                         struct diag *diag)
{
    struct minimizer m = { .q = request, .out = out, .diag = diag };
    const struct shrink_problem problem = {
        .try = try, .accept = accept, .judge = judge, .user = &m
    };

    *out = (struct shrunk){ .result = *request->result };
    TRY(instance_copy(request->instance, &out->instance, diag));
    shrink_run(&problem, request->step_limit, &out->outcome);
    case_instance_close(&m.tried);
    shrink_steps_close(&m.list);
    if (m.status != STATUS_OK)
        shrunk_close(out);
    return m.status;
}

void shrunk_close(struct shrunk *m)
{
    case_instance_close(&m->instance);
    *m = (struct shrunk){ .result = { .status = CASE_PASS } };
}

/* ---- the reductions of an instance ---- */

enum { SINGLE_ELEMENTS_MAX = 16, PAIR_NODES_MAX = 3 };

static enum status add(struct shrink_steps *l, struct shrink_step step, struct diag *diag)
{
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 256;
        struct shrink_step *const items = mem_resize(l->items, room, sizeof *items);

        if (!items)
            return diag_fail(diag, STATUS_NO_MEMORY, "reductions: out of memory");
        l->items = items;
        l->room = room;
    }
    l->items[l->count++] = step;
    return STATUS_OK;
}

static enum status add_nodes(struct shrink_steps *l, int32_t first, int32_t last, struct diag *diag)
{
    return add(l, (struct shrink_step){ SHRINK_NODES, .nodes = { first, last } }, diag);
}

static enum status add_data(struct shrink_steps *l, enum shrink_step_kind kind, int32_t tensor,
                            int32_t part, int32_t parts, struct diag *diag)
{
    return add(l, (struct shrink_step){ kind, .data = { tensor, part, parts } }, diag);
}

/* The values below `size` that are tried, the smallest first; returns how many. */
static int targets(int32_t size, int32_t out[3])
{
    int count = 0;

    out[count++] = 1;
    if (size / 2 > 1)
        out[count++] = size / 2;
    if (size - 1 > out[count - 1])
        out[count++] = size - 1;
    return count;
}

static enum status find_nodes(const struct model_draft *d, struct shrink_steps *l,
                              struct diag *diag)
{
    const int32_t n = (int32_t)d->graph.operator_count;

    if (n < 2)
        return STATUS_OK;
    if (d->rest.judged_node >= 0)
        TRY(add_nodes(l, d->rest.judged_node, d->rest.judged_node, diag));
    TRY(add_nodes(l, n / 2, n - 1, diag));
    TRY(add_nodes(l, 0, n / 2 - 1, diag));
    TRY(add_nodes(l, 1, n - 1, diag));
    return add_nodes(l, 0, n - 2, diag);
}

enum { SIZES_MAX = 64 };

/* The distinct sizes over 1 of the sources' dimensions, the largest first. */
static size_t find_sizes(const struct model_draft *d, int32_t sizes[SIZES_MAX])
{
    size_t count = 0;

    for (size_t t = 0; t < d->graph.tensor_count; t++) {
        for (size_t i = 0; model_draft_is_source(d, (int)t) && i < d->tensors[t].shape.count; i++) {
            const int32_t size = d->tensors[t].shape.data[i];
            size_t at = 0;

            while (at < count && sizes[at] > size)
                at++;
            if (size < 2 || count == SIZES_MAX || (at < count && sizes[at] == size))
                continue;
            memmove(sizes + at + 1, sizes + at, (count - at) * sizeof *sizes);
            sizes[at] = size;
            count++;
        }
    }
    return count;
}

static enum status find_dims(const struct model_draft *d, struct shrink_steps *l, struct diag *diag)
{
    int32_t sizes[SIZES_MAX], to[3];
    const size_t count = find_sizes(d, sizes);

    for (size_t s = 0; s < count; s++) {
        bool multiple = false;
        const int n = targets(sizes[s], to);

        for (size_t other = 0; other < s; other++)
            multiple = multiple || sizes[other] % sizes[s] == 0;
        for (int k = 0; k < n; k++) {
            TRY(add(l, (struct shrink_step){ SHRINK_SIZE, .size = { sizes[s], to[k] } }, diag));
            if (multiple)
                TRY(add(l, (struct shrink_step){ SHRINK_MULTIPLE, .size = { sizes[s], to[k] } },
                        diag));
        }
    }
    for (size_t t = 0; t < d->graph.tensor_count; t++) {
        for (size_t i = 0; model_draft_is_source(d, (int)t) && i < d->tensors[t].shape.count; i++) {
            const int32_t size = d->tensors[t].shape.data[i];
            const int n = size > 1 ? targets(size, to) : 0;

            for (int k = 0; k < n; k++)
                TRY(add(l,
                        (struct shrink_step){ SHRINK_DIM,
                                              .dims = { { { (int32_t)t, (int32_t)i } }, to[k] } },
                        diag));
        }
    }
    return STATUS_OK;
}

/* Two dimensions of one size in different tensors.  Their number grows with the square of that of
 * the tensors, so large graphs have none. */
static enum status find_pairs(const struct model_draft *d, struct shrink_steps *l,
                              struct diag *diag)
{
    const int32_t tensors = (int32_t)d->graph.tensor_count;
    int32_t to[3];

    for (int32_t t = 0; d->graph.operator_count <= PAIR_NODES_MAX && t < tensors; t++) {
        for (int32_t u = t + 1; model_draft_is_source(d, t) && u < tensors; u++) {
            const struct model_ints *const a = &d->tensors[t].shape, *const b =
                                                                         &d->tensors[u].shape;

            for (size_t i = 0; model_draft_is_source(d, u) && i < a->count * b->count; i++) {
                const int32_t x = (int32_t)(i / b->count), y = (int32_t)(i % b->count);
                const int n =
                    a->data[x] > 1 && a->data[x] == b->data[y] ? targets(a->data[x], to) : 0;

                for (int k = 0; k < n; k++)
                    TRY(add(l,
                            (struct shrink_step){ SHRINK_PAIR,
                                                  .dims = { { { t, x }, { u, y } }, to[k] } },
                            diag));
            }
        }
    }
    return STATUS_OK;
}

static enum status find_parameters(struct model_draft *d, struct shrink_steps *l, struct diag *diag)
{
    for (int t = 0; t < (int)d->graph.tensor_count; t++) {
        size_t bytes;
        const int32_t *const data =
            d->tensors[t].type == TENSOR_INT32 && model_draft_is_parameter(d, t)
                ? model_draft_data(d, t, 0, &bytes)
                : NULL;

        for (size_t i = 0; data && i < bytes / sizeof *data && i < SINGLE_ELEMENTS_MAX; i++) {
            int32_t to[3];
            const int n = data[i] > 1 ? targets(data[i], to) : 0;

            if (data[i] != 0)
                TRY(add(l, (struct shrink_step){ SHRINK_VALUE, .value = { t, (int32_t)i, 0 } },
                        diag));
            for (int k = 0; k < n; k++)
                TRY(add(l, (struct shrink_step){ SHRINK_VALUE, .value = { t, (int32_t)i, to[k] } },
                        diag));
        }
    }
    return STATUS_OK;
}

static enum status find_options(const struct model_draft *d, struct shrink_steps *l,
                                struct diag *diag)
{
    for (size_t n = 0; n < d->graph.operator_count; n++) {
        const struct options *const o = &d->operators[n].options;
        const struct option_table *const table = option_table_find(o->tag);

        for (int f = 0; table && table->listed && f < table->field_count; f++) {
            const uint8_t kind = table->fields[f].kind;
            const double value = kind == OPTION_F32 ? (double)o->value[f].f : o->value[f].i;

            if (kind >= OPTION_INTS)
                continue;
            for (int32_t to = 0; to < 2; to++) {
                if (value > to || value < 0)
                    TRY(add(l,
                            (struct shrink_step){ SHRINK_OPTION, .option = { (int32_t)n, f, to } },
                            diag));
            }
        }
    }
    return STATUS_OK;
}

static enum status find_values(struct model_draft *d, struct shrink_steps *l, struct diag *diag)
{
    for (int t = 0; t < (int)d->graph.tensor_count; t++) {
        const size_t element = model_draft_element_bytes(d, t);
        size_t bytes;
        const void *const data = model_draft_data(d, t, 0, &bytes);
        int32_t count;

        if (!data || element == 0 || bytes == 0 || model_draft_is_parameter(d, t))
            continue;
        for (int32_t parts = 1; parts <= 8; parts *= 2) {
            for (int32_t part = 0; part < parts && (size_t)parts <= bytes / element; part++)
                TRY(add_data(l, SHRINK_ZERO, t, part, parts, diag));
        }
        TRY(add_data(l, SHRINK_ONE, t, 0, 1, diag));
        TRY(add_data(l, SHRINK_ROUND, t, 0, 1, diag));
        count = bytes / element <= SINGLE_ELEMENTS_MAX ? (int32_t)(bytes / element) : 0;
        for (int32_t i = 0; i < count && count > 1; i++) {
            TRY(add_data(l, SHRINK_ZERO, t, i, count, diag));
            TRY(add_data(l, SHRINK_ONE, t, i, count, diag));
        }
    }
    return STATUS_OK;
}

enum status shrink_steps_find(const struct case_instance *x, struct shrink_steps *list,
                              struct diag *diag)
{
    struct model_draft d;
    enum status s;

    *list = (struct shrink_steps){ .count = 0 };
    TRY(model_draft_open(&d, x, diag));
    s = find_nodes(&d, list, diag);
    if (s == STATUS_OK)
        s = find_dims(&d, list, diag);
    if (s == STATUS_OK)
        s = find_pairs(&d, list, diag);
    if (s == STATUS_OK)
        s = find_parameters(&d, list, diag);
    if (s == STATUS_OK)
        s = find_options(&d, list, diag);
    if (s == STATUS_OK)
        s = find_values(&d, list, diag);
    model_draft_close(&d);
    if (s != STATUS_OK)
        shrink_steps_close(list);
    return s;
}

void shrink_steps_close(struct shrink_steps *list)
{
    mem_free(list->items);
    *list = (struct shrink_steps){ .count = 0 };
}
