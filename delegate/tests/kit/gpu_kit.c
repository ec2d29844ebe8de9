#include "delegate/tests/kit/gpu_kit.h"

#include "delegate/graph/import.h"
#include "delegate/runtime/kernel.h"

/* Runs `look` on the graph that a delegate would see. */
struct gpu_peek {
    void (*look)(struct graph *g, void *user);
    void *user;
    bool seen;
};

static TfLiteStatus gpu_peek_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct gpu_peek *peek = delegate->data_;
    struct graph g CLOSED_BY(graph_close);

    KIT_OK(graph_import(&g, context, &err));
    peek->look(&g, peek->user);
    peek->seen = true;
    return kTfLiteOk;
}

void gpu_look(const struct model *m, void (*look)(struct graph *, void *), void *user)
{
    struct gpu_peek peek = { .look = look, .user = user };
    TfLiteDelegate delegate = { .data_ = &peek, .Prepare = gpu_peek_prepare };
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, m, NULL, &err));
    if (interpreter_apply_delegate(in, &delegate, NULL, &err) == STATUS_UNSUPPORTED &&
        !peek.seen) { /* dynamic tensors: the graph has the shapes of the file */
        delegate.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
        KIT_OK(interpreter_apply_delegate(in, &delegate, NULL, &err));
    }
    interpreter_close(in);
    if (!peek.seen)
        fail_msg("%s", err.text);
}

struct gpu_options gpu_options_of(const char *const *pairs)
{
    const char *keys[16] = { NULL }, *values[16] = { NULL };
    struct gpu_options o;
    size_t n = 0;

    for (; pairs[2 * n]; n++) {
        keys[n] = pairs[2 * n];
        values[n] = pairs[2 * n + 1];
    }
    KIT_OK(options_parse(&o, keys, values, n, &err));
    return o;
}

void gpu_request_all(struct plan_request *r, const struct graph *g, int *nodes, int *inputs,
                     int *outputs)
{
    r->nodes = nodes;
    r->inputs = inputs;
    r->outputs = outputs;
    r->node_count = r->input_count = r->output_count = 0;
    for (int i = 0; i < g->node_count; i++)
        if (!g->nodes[i].known)
            nodes[r->node_count++] = g->nodes[i].host_node;
    for (int t = 0; t < g->tensor_count; t++) {
        bool read = false;

        for (int i = 0; i < g->node_count; i++)
            for (int j = 0; j < g->nodes[i].input_count; j++)
                read |= g->nodes[i].inputs[j] == t;
        if (g->tensors[t].producer < 0 && read)
            inputs[r->input_count++] = t;
        if (g->tensors[t].producer >= 0 && !read && !g->nodes[g->tensors[t].producer].known)
            outputs[r->output_count++] = t;
    }
}

enum status gpu_try_plan_graph(struct plan *p, const struct graph *g, const struct gpu_options *o,
                               const struct device_limits *limits, struct diag *diag)
{
    int *lists CLOSED_BY(kit_free) =
        calloc((size_t)g->node_count + 2 * (size_t)g->tensor_count, sizeof(int));
    int *const inputs = lists + g->node_count;
    struct plan_request r = { .graph = g, .options = o, .limits = limits, .unpacked = true };
    struct decision d;
    enum status s;

    assert_non_null(lists);
    KIT_OK_DIAG(decision_make(&d, g, o, limits, diag), *diag);
    for (int i = 0; i < d.refusal_count; i++)
        fail_msg("node %d: %s: %s is %s, limit %s", d.refusals[i].host_node, d.refusals[i].rule,
                 d.refusals[i].field, d.refusals[i].value, d.refusals[i].limit);
    decision_close(&d);
    gpu_request_all(&r, g, lists, inputs, inputs + g->tensor_count);
    s = plan_make(p, &r, diag);
    return s;
}

void gpu_plan_graph(struct plan *p, const struct graph *g, const struct gpu_options *o,
                    const struct device_limits *limits, struct diag *diag)
{
    KIT_OK_DIAG(gpu_try_plan_graph(p, g, o, limits, diag), *diag);
}

void gpu_look_plan(struct graph *g, void *planned)
{
    struct gpu_planned *const look = planned;
    const struct device_limits limits = gpu_large_limits();
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(look->pairs);

    gpu_plan_graph(&look->plan, g, &o, &limits, &err);
}

int gpu_steps_of(const TfLiteDelegate *d, const char *shader)
{
    const struct gpu_delegate *const inside = d->data_;
    int count = 0;

    for (const struct kernel *k = inside->kernels; k; k = k->next)
        for (int i = 0; i < k->plan.step_count; i++)
            count += strcmp(k->plan.steps[i]->shader, shader) == 0;
    return count;
}

struct device_limits gpu_large_limits(void)
{
    return (struct device_limits){ .max_storage_buffer_range = 1u << 30,
                                   .storage_buffer_offset_alignment = 64,
                                   .max_memory_allocation_bytes = 1u << 31,
                                   .max_workgroup_count = { 65535, 65535, 65535 },
                                   .max_workgroup_size = { 1024, 1024, 64 },
                                   .max_workgroup_invocations = 1024,
                                   .max_shared_memory_bytes = 32768,
                                   .max_push_constants_bytes = 256,
                                   .max_storage_buffers = 8,
                                   .storage_16bit = true };
}
