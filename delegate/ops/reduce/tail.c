#include "delegate/ops/reduce/tail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_MAX = 3,           /* those of matvec.c: one workgroup computes them one after the other */
    WEIGHTS = 2,            /* binding */
    REDUCED_BYTES = 256 * 4 /* shared memory for sums over a workgroup */
};

/* The last step that writes to the memory of a plan tensor; NULL: none. */
static struct plan_step *writer_of(const struct planner *p, int tensor)
{
    const struct plan *plan = p->plan;

    for (int i = plan->step_count - 1; i >= 0; i--)
        for (int b = 0; b < PLAN_BINDINGS; b++) {
            const struct plan_binding *n = &plan->steps[i]->bindings[b];

            if (n->location == LOCATION_ARENA && n->writes &&
                plan_owner(plan, n->index) == plan_owner(plan, tensor))
                return plan->steps[i];
        }
    return NULL;
}

/* No other node, and not the host, reads the result of the product, nor a view of it between the
 * product and the SOFTMAX. */
static bool reads_alone(const struct planner *p, const struct graph_node *softmax,
                        const struct plan_step *product, const struct reason_of *why)
{
    const struct graph *g = p->graph;
    const int owner = plan_owner(p->plan, p->plan_tensor_of[softmax->inputs[0]]);
    const struct graph_node *n = softmax;

    do {
        const int from = n->inputs[0];
        const int tensor = p->plan_tensor_of[from];

        if (tensor < 0 || plan_owner(p->plan, tensor) != owner || g->tensors[from].producer < 0)
            return reasons_add(why, "it reads another SOFTMAX");
        if (p->exposed[from])
            return reasons_add(why, "its input is an output of the partition");
        if (p->readers[from] != 1)
            return reasons_add(why, "its input is read %d times", p->readers[from]);
        n = &g->nodes[g->tensors[from].producer];
    } while (n->host_node != product->node);
    return true;
}

/* Bytes of the counter, the rows and what is behind them. */
static uint64_t bytes_of(const struct plan_tensor *rows, uint32_t more_words)
{
    return rows->bytes + sizeof(uint32_t) * (TAIL_COUNTER_WORDS + (uint64_t)more_words);
}

/* Whether one binding can hold the weights and what the step needs behind them. */
static bool has_room(const struct planner *p, const struct plan_step *product, uint64_t bytes)
{
    const uint64_t end =
        (p->plan->constant_bytes + bytes + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;

    return end - product->bindings[WEIGHTS].offset <= p->limits->max_storage_buffer_range;
}

struct plan_step *tail_product(const struct planner *p, const struct graph_node *softmax,
                               const char *shader, uint32_t more_words)
{
    const struct reason_of why = planner_reason(p, KERNEL_tail, softmax);
    const int src = p->plan_tensor_of[softmax->inputs[0]];
    struct plan_step *const product = src >= 0 ? writer_of(p, src) : NULL;
    const struct plan_tensor *x, *y;

    if (!product || strcmp(product->shader, shader) != 0) {
        reasons_add(&why, "no %s computes its input", shader);
        return NULL;
    }
    x = &p->plan->tensors[src];
    y = &p->plan->tensors[product->bindings[0].index];
    if (!planner_kernel(p, &why))
        return NULL;
    if (y->rows > ROWS_MAX || x->rows != y->rows || x->channels != y->channels)
        reasons_add(&why, "%" PRIu32 " rows of %" PRIu32 " channels of a product of %" PRIu32,
                    x->rows, x->channels, y->rows);
    else if (y->view_of != product->bindings[0].index)
        reasons_add(&why, "a residual is added to the product");
    else if (product->bindings[WEIGHTS].location != LOCATION_CONSTANTS)
        reasons_add(&why, "the weights of the product are computed");
    else if (product->shared_bytes + REDUCED_BYTES > p->limits->max_shared_memory_bytes)
        reasons_add(&why, "%" PRIu32 " bytes of shared memory, of %" PRIu32,
                    product->shared_bytes + REDUCED_BYTES, p->limits->max_shared_memory_bytes);
    else if (!has_room(p, product, bytes_of(y, more_words)))
        reasons_add(&why, "the weights of the product fill a storage buffer");
    else if (reads_alone(p, softmax, product, &why))
        return product;
    return NULL;
}

/* The step is in profiles under both names. */
static const char *label_of(struct planner *p, const struct graph_node *softmax,
                            const struct plan_step *product)
{
    char text[256];

    snprintf(text, sizeof text, "%s, %s node %d '%s'", product->label, softmax->name,
             softmax->host_node, graph_output(p->graph, softmax, 0)->name);
    return arena_string(&p->plan->arena, text);
}

enum status tail_plan(struct planner *p, const struct graph_node *softmax,
                      struct plan_step *product, uint32_t more_words, struct tail_args *args,
                      struct packed *more)
{
    const struct plan_tensor *rows = &p->plan->tensors[product->bindings[0].index];
    const uint64_t words = bytes_of(rows, more_words) / sizeof(uint32_t);
    const size_t row_bytes = rows->bytes;
    struct plan_binding *weights = &product->bindings[WEIGHTS];
    const int dst = planner_tensor(p, softmax->outputs[0]);

    if (dst < 0)
        return STATUS_NO_MEMORY;
    TRY(planner_pack_words(p, words, more));
    if (!(product->label = label_of(p, softmax, product)))
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    *args = (struct tail_args){ .at = (uint32_t)((more->offset - weights->offset) / 16),
                                .channels = p->plan->tensors[dst].channels };
    weights->bytes = more->offset + more->bytes - weights->offset;
    more->offset += TAIL_COUNTER_WORDS * sizeof(uint32_t) + row_bytes;
    more->bytes = more_words * sizeof(uint32_t);
    step_write(p, product, 0, dst);
    return STATUS_OK;
}
