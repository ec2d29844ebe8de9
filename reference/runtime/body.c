#include "reference/runtime/body.h"

#include "reference/base/memory.h"
#include "reference/runtime/int_array.h"
#include "reference/runtime/prepare.h"
#include "reference/runtime/report.h"
#include "reference/runtime/tensor_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- opening ---- */

/* "0 > 2 > 1": the subgraphs that led here. */
static void write_path(const struct interpreter *in, char *text, size_t bytes)
{
    size_t used;

    if (in->caller)
        write_path(in->caller, text, bytes);
    used = strlen(text);
    if (used < bytes)
        snprintf(text + used, bytes - used, "%s%zu", in->caller ? " > " : "", in->graph_index);
}

static enum status too_deep(const struct node *node, int depth, struct diag *diag)
{
    return diag_fail(diag, STATUS_UNSUPPORTED,
                     "%s: node %d: subgraphs call each other %d deep, expected at most %d",
                     node_name(node), node->index, depth, BODY_DEPTH_MAX);
}

static int by_graph(const void *list, const void *key, size_t item)
{
    const size_t a = *(const size_t *)key;
    const size_t b = ((struct interpreter *const *)list)[item]->graph_index;

    return (a > b) - (a < b);
}

/* Its place is taken before it is opened, as it may open others, which the root closes, too. */
static enum status add_body(struct interpreter *caller, size_t graph, struct interpreter **body,
                            struct diag *diag)
{
    struct interpreter *const root = caller->root;
    const size_t at = root->body_count;
    struct interpreter **const more =
        mem_resize(root->bodies, at + 1, sizeof(struct interpreter *));

    if (!more)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a subgraph");
    root->bodies = more;
    root->bodies[root->body_count++] = NULL;
    TRY(diag_prefix(diag, caller->open_body(caller, graph, body, diag), "subgraph %zu", graph));
    root->bodies[at] = *body;
    return lookup_add(&root->body_of, by_graph, root->bodies, &graph, at)
               ? STATUS_OK
               : diag_fail(diag, STATUS_NO_MEMORY, "no memory for a subgraph");
}

enum status body_open(struct interpreter *caller, const struct node *node, int32_t index,
                      struct interpreter **body, struct diag *diag)
{
    struct interpreter *const root = caller->root;
    const size_t graph = (size_t)index;
    char path[128] = "";
    int depth = 0;
    size_t at;

    if (index < 0 || (size_t)index >= caller->model->subgraph_count)
        return diag_fail(diag, STATUS_INVALID, "%s: node %d: no such subgraph: %d of %zu",
                         node_name(node), node->index, index, caller->model->subgraph_count);
    for (const struct interpreter *up = caller; up; up = up->caller, depth++)
        if (up->graph_index == (size_t)index) {
            write_path(caller, path, sizeof path);
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "%s: node %d: subgraph %d calls itself: %s > %d", node_name(node),
                             node->index, index, path, index);
        }
    if (depth >= BODY_DEPTH_MAX)
        return too_deep(node, depth + 1, diag);
    at = lookup_find(&root->body_of, by_graph, root->bodies, &graph);
    if (at == SIZE_MAX)
        TRY(add_body(caller, graph, body, diag));
    else
        *body = root->bodies[at];
    if (caller->height <= (*body)->height)
        caller->height = (*body)->height + 1;
    if (caller->height > BODY_DEPTH_MAX)
        return too_deep(node, caller->height, diag);
    return STATUS_OK;
}

/* ---- lists ---- */

struct body_values body_inputs(struct interpreter *body)
{
    return (struct body_values){ body, body->input_tensors, body->input_count };
}

struct body_values body_outputs(struct interpreter *body)
{
    return (struct body_values){ body, body->output_tensors, body->output_count };
}

/* ---- shapes ---- */

static enum status set_input_shape(struct interpreter *body, size_t i, const TfLiteTensor *from,
                                   struct diag *diag)
{
    const int tensor = body->inputs[i];
    TfLiteTensor *const to = &body->tensors[tensor];
    TfLiteIntArray *dims;

    if (to->type != from->type)
        return diag_fail(diag, STATUS_INVALID, "subgraph %zu: input %zu is %s, expected %s",
                         body->graph_index, i, runtime_type_name(to->type),
                         runtime_type_name(from->type));
    if (from->dims && tensor_same_dims(to->dims, from->dims))
        return STATUS_OK;
    if (to->allocation_type == kTfLiteMmapRo)
        return diag_fail(diag, STATUS_INVALID,
                         "subgraph %zu: input %zu is constant and has another shape than what it "
                         "is given",
                         body->graph_index, i);
    dims =
        from->dims ? int_array_copy(from->dims->data, (size_t)from->dims->size) : int_array_new(0);
    if (!dims)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a shape");
    body->prepared = body->allocated = false;
    return tensor_set_dims(body, tensor, dims, diag);
}

/* Runs of bodies multiply where bodies run bodies, so they are counted all together. */
static enum status count_run(const struct interpreter *body, struct diag *diag)
{
    struct interpreter *const root = body->root;
    const uint64_t limit = 16 * (uint64_t)root->options.max_iterations;

    if (++root->body_runs > limit)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "subgraph %zu: more than %llu runs of subgraphs in one inference",
                         body->graph_index, (unsigned long long)limit);
    return STATUS_OK;
}

static enum status set_input_shapes(struct interpreter *body, const struct body_values *inputs,
                                    struct diag *diag)
{
    if (inputs->count != body->input_count)
        return diag_fail(diag, STATUS_INVALID, "subgraph %zu has %zu inputs, expected %zu",
                         body->graph_index, body->input_count, inputs->count);
    for (size_t i = 0; i < inputs->count; i++) {
        if (!inputs->tensors[i])
            return diag_fail(diag, STATUS_INVALID, "input %zu of subgraph %zu is absent", i,
                             body->graph_index);
        TRY(set_input_shape(body, i, inputs->tensors[i], diag));
    }
    return STATUS_OK;
}

enum status body_prepare(struct interpreter *body, const struct body_values *inputs,
                         struct diag *diag)
{
    TRY(set_input_shapes(body, inputs, diag));
    if (body->prepared)
        return STATUS_OK;
    TRY(count_run(body, diag));
    return diag_prefix(diag, prepare_plan(body, diag), "subgraph %zu", body->graph_index);
}

/* ---- values ---- */

enum status body_set_inputs(struct interpreter *body, const struct body_values *inputs,
                            struct diag *diag)
{
    TRY(set_input_shapes(body, inputs, diag));
    if (!body->allocated)
        TRY(diag_prefix(diag, prepare_and_allocate(body, diag), "subgraph %zu", body->graph_index));
    for (size_t i = 0; i < inputs->count; i++) {
        TfLiteTensor *const to = body->input_tensors[i];
        const TfLiteTensor *const from = inputs->tensors[i];

        if (to->allocation_type == kTfLiteMmapRo || to->allocation_type == kTfLitePersistentRo)
            continue; /* a constant stays what it is */
        if (from->bytes != to->bytes || (to->bytes && (!to->data.raw || !from->data.raw)))
            return diag_fail(diag, STATUS_INVALID,
                             "subgraph %zu: input %zu has %zu bytes, expected %zu",
                             body->graph_index, i, from->bytes, to->bytes);
        if (to->bytes)
            memcpy(to->data.raw, from->data.raw, to->bytes);
    }
    return STATUS_OK;
}

enum status body_run(struct interpreter *body, struct diag *diag)
{
    enum status s;

    TRY(count_run(body, diag));
    body->quote_reports = body->root->quote_reports;
    s = invoke_plan(body, diag);
    if (s != STATUS_OK)
        body->root->code = body->code;
    return diag_prefix(diag, s, "subgraph %zu", body->graph_index);
}

static enum status set_output(const TfLiteTensor *from, struct interpreter *in, TfLiteTensor *to,
                              struct diag *diag)
{
    const int index = (int)(to - in->tensors);
    TfLiteIntArray *dims;

    if (to->allocation_type == kTfLiteDynamic) {
        dims = from->dims ? int_array_copy(from->dims->data, (size_t)from->dims->size)
                          : int_array_new(0);
        if (!dims)
            return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a shape");
        TRY(tensor_set_dims(in, index, dims, diag));
        TRY(tensor_memory_own(in, index, diag));
    }
    if (from->bytes != to->bytes || (to->bytes && (!to->data.raw || !from->data.raw)))
        return diag_fail(diag, STATUS_INVALID, "result of %zu bytes, expected %zu", from->bytes,
                         to->bytes);
    if (to->bytes)
        memcpy(to->data.raw, from->data.raw, to->bytes);
    return STATUS_OK;
}

enum status body_get_outputs(const struct body_values *results, struct interpreter *in,
                             struct node *node, struct diag *diag)
{
    for (size_t i = 0; i < results->count && i < (size_t)node->out_count; i++)
        TRY(diag_prefix(diag, set_output(results->tensors[i], in, node->out[i], diag),
                        "%s: node %d: output %zu", node_name(node), node->index, i));
    return STATUS_OK;
}
