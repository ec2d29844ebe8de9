#include "delegate/tests/kit/move_graph.h"

int move_tensor(struct move_graph *w, TfLiteType type, const void *data, int rank,
                const int32_t *dims)
{
    struct graph_tensor *t = &w->tensors[w->graph.tensor_count];

    assert_true(w->graph.tensor_count < TENSORS);
    *t = (struct graph_tensor){ .name = "t",
                                .type = type,
                                .rank = rank,
                                .elements = 1,
                                .data = data,
                                .producer = -1,
                                .dequantized_from = -1 };
    for (int d = 0; d < rank; d++) {
        t->dims[d] = dims[d];
        t->elements *= (size_t)dims[d];
    }
    return w->graph.tensor_count++;
}
#define I32(w, data)                                                                               \
    move_tensor(w, kTfLiteInt32, data, 1,                                                          \
                (int32_t[]){ (int32_t)(sizeof(data) / sizeof((data)[0])) })

void move_node(struct move_graph *w, int which, int code, const void *params, int input_count,
               const int *inputs, int output)
{
    memcpy(w->inputs[which], inputs, (size_t)input_count * sizeof inputs[0]);
    w->outputs[which][0] = output;
    w->nodes[which] = (struct graph_node){ .host_node = which,
                                           .op = gpu_op_find(code),
                                           .code = code,
                                           .version = 1,
                                           .name = "op",
                                           .params = params,
                                           .inputs = w->inputs[which],
                                           .outputs = w->outputs[which],
                                           .input_count = input_count,
                                           .output_count = 1 };
    w->tensors[output].producer = which;
    w->graph.node_count++;
}

void move_make(struct move_graph *w)
{
    *w = (struct move_graph){
        .graph = { .tensors = w->tensors, .nodes = w->nodes },
        .begin = { 1, 1, 0, 1 },
        .end = { 0, 5, 0, 4 },
        .strides = { 1, 2, -1, 1 },
        .size = { 7, 8 },
        .shape = { 2, 10, 12, 5 },
        .concat = { .axis = -1 },
        .slice = { .begin_mask = 4, .end_mask = 4, .shrink_axis_mask = 1 },
        .resize = { .half_pixel_centers = true },
        .deconv = { .padding = kTfLitePaddingSame, .stride_width = 2, .stride_height = 2 }
    };
    const int x = F32(w, NULL, 2, 5, 6, 3);
    const int k = F32(w, w->weights, 2, 5, 6, 2);
    const int cat = F32(w, NULL, 2, 5, 6, 8);
    const int begin = I32(w, w->begin), end = I32(w, w->end), strides = I32(w, w->strides);
    const int slice = F32(w, NULL, 2, 6, 3);
    const int size = I32(w, w->size);
    const int resized = F32(w, NULL, 2, 7, 8, 3);
    const int shape = I32(w, w->shape);
    const int weights = F32(w, w->weights, 5, 3, 3, 3);
    const int bias = F32(w, w->weights, 5);
    const int deconv = F32(w, NULL, 2, 10, 12, 5);

    move_node(w, CONCAT, BUILTIN_CONCATENATION, &w->concat, 3, (int[]){ x, k, x }, cat);
    move_node(w, SLICE, BUILTIN_STRIDED_SLICE, &w->slice, 4, (int[]){ cat, begin, end, strides },
              slice);
    move_node(w, RESIZE, BUILTIN_RESIZE_BILINEAR, &w->resize, 2, (int[]){ x, size }, resized);
    move_node(w, DECONV, BUILTIN_TRANSPOSE_CONV, &w->deconv, 4, (int[]){ shape, weights, x, bias },
              deconv);
}

const struct refusal *move_refusal(const struct decision *d, int host_node)
{
    for (int i = 0; i < d->refusal_count; i++)
        if (d->refusals[i].host_node == host_node)
            return &d->refusals[i];
    return NULL;
}

enum status move_plan(struct plan *p, struct move_graph *w, int which, const struct gpu_options *o,
                      const struct device_limits *limits, struct diag *diag)
{
    const struct plan_request r = { .graph = &w->graph,
                                    .options = o,
                                    .limits = limits,
                                    .nodes = &which,
                                    .inputs = w->inputs[which],
                                    .outputs = w->outputs[which],
                                    .node_count = 1,
                                    .input_count = w->nodes[which].input_count,
                                    .output_count = 1 };

    return plan_make(p, &r, diag);
}

const char *move_rule(struct move_graph *w, int which, const char *precision,
                      const struct device_limits *limits)
{
    struct gpu_options o = gpu_options_of((const char *const[]){ "precision", precision, NULL });
    struct decision d;
    const char *rule;

    KIT_OK(decision_make(&d, &w->graph, &o, limits, &err));
    rule = move_refusal(&d, which) ? move_refusal(&d, which)->rule : "taken";
    decision_close(&d);
    options_close(&o);
    return rule; /* static */
}
