#include "delegate/graph/graph.h"

#include "reference/base/checked.h"
#include "reference/base/half.h"
#include "reference/base/packed.h"

#include <string.h>

void graph_close(struct graph *g)
{
    arena_close(&g->arena);
    *g = (struct graph){ 0 };
}

void graph_count_readers(struct graph *g)
{
    for (int t = 0; t < g->tensor_count; t++)
        g->tensors[t].readers = 0;
    for (int i = 0; i < g->node_count; i++)
        for (int j = 0; j < g->nodes[i].input_count; j++)
            if (g->nodes[i].inputs[j] >= 0)
                g->tensors[g->nodes[i].inputs[j]].readers++;
}

const struct graph_node *graph_find_node(const struct graph *g, int host_node)
{
    if (g->node_at) {
        const int i = host_node >= 0 && host_node < g->host_node_count ? g->node_at[host_node] : -1;

        return i >= 0 ? &g->nodes[i] : NULL;
    }
    for (int i = 0; i < g->node_count; i++)
        if (g->nodes[i].host_node == host_node)
            return &g->nodes[i];
    return NULL;
}

const struct graph_tensor *graph_input(const struct graph *g, const struct graph_node *n, int i)
{
    return i < n->input_count && n->inputs[i] >= 0 ? &g->tensors[n->inputs[i]] : NULL;
}

const struct graph_tensor *graph_output(const struct graph *g, const struct graph_node *n, int i)
{
    return i < n->output_count ? &g->tensors[n->outputs[i]] : NULL;
}

bool graph_is_8bit(const struct graph_tensor *t)
{
    return t->type == kTfLiteInt8 || t->type == kTfLiteUInt8;
}

bool graph_has_few_bits(const struct graph_tensor *t)
{
    return t->type == kTfLiteInt8 || t->type == kTfLiteInt4 || t->type == kTfLiteInt2;
}

uint64_t graph_images(const struct graph_tensor *t)
{
    return t->rank > 1 && t->dims[0] > 0 ? (uint64_t)t->dims[0] : 1;
}

bool graph_has_steps(const struct graph_tensor *t)
{
    return graph_is_8bit(t) || (t->type == kTfLiteInt16 && t->quant.scale);
}

bool graph_is_quantized(const struct graph *g, const struct graph_node *n)
{
    for (int i = 0; i < n->output_count; i++)
        if (graph_has_steps(&g->tensors[n->outputs[i]]))
            return true;
    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0 && graph_has_steps(&g->tensors[n->inputs[i]]) &&
            !graph_is_constant(g, n->inputs[i]))
            return true;
    return false;
}

bool graph_same_quant(const struct graph_tensor *a, const struct graph_tensor *b)
{
    return a->type == b->type && a->quant.count == 1 && b->quant.count == 1 &&
           a->quant.scale[0] == b->quant.scale[0] &&
           a->quant.zero_point[0] == b->quant.zero_point[0];
}

bool graph_same_shape(const struct graph_tensor *a, const struct graph_tensor *b)
{
    return a->rank >= 0 && a->rank == b->rank &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) == 0;
}

bool graph_is_constant(const struct graph *g, int tensor)
{
    return tensor >= 0 && (g->tensors[tensor].data || g->tensors[tensor].dequantized_from >= 0);
}

size_t graph_channel(const struct graph_tensor *t, size_t i)
{
    return i / t->quant.inner % t->quant.count;
}

float graph_constant_float(const struct graph *g, int tensor, size_t i)
{
    const struct graph_tensor *t = &g->tensors[tensor];
    uint16_t h;
    float f;

    if (t->dequantized_from >= 0) {
        tensor = t->dequantized_from;
        t = &g->tensors[tensor];
    }
    if (t->type == kTfLiteFloat16) {
        memcpy(&h, (const char *)t->data + i * sizeof h, sizeof h);
        return half_to_float(h);
    }
    if (t->quant.block_scales) { /* both factors have few bits: the product is exact */
        memcpy(&h, (const char *)t->quant.block_scales + i / t->quant.block * sizeof h, sizeof h);
        return half_to_float(h) * (float)graph_constant_int(g, tensor, i);
    }
    if (t->type != kTfLiteFloat32) {
        const size_t c = graph_channel(t, i);

        return (float)((double)t->quant.scale[c] *
                       (double)(graph_constant_int(g, tensor, i) - t->quant.zero_point[c]));
    }
    memcpy(&f, (const char *)t->data + i * sizeof f, sizeof f);
    return f;
}

int64_t graph_constant_int(const struct graph *g, int tensor, size_t i)
{
    const struct graph_tensor *t = &g->tensors[tensor];
    int16_t half;
    int32_t narrow;
    int64_t wide;

    switch (t->type) {
    case kTfLiteUInt8:
    case kTfLiteBool: return ((const uint8_t *)t->data)[i];
    case kTfLiteInt8: return ((const int8_t *)t->data)[i];
    case kTfLiteInt4:
    case kTfLiteInt2:
    case kTfLiteUInt4: return packed_load(t->data, t->type, i);
    case kTfLiteInt16:
        memcpy(&half, (const char *)t->data + i * sizeof half, sizeof half);
        return half;
    case kTfLiteInt64:
        memcpy(&wide, (const char *)t->data + i * sizeof wide, sizeof wide);
        return wide;
    default:
        memcpy(&narrow, (const char *)t->data + i * sizeof narrow, sizeof narrow);
        return narrow;
    }
}

bool graph_constant_ints_are(const struct graph *g, int tensor, int64_t value)
{
    for (size_t i = 0; i < g->tensors[tensor].elements; i++)
        if (graph_constant_int(g, tensor, i) != value)
            return false;
    return true;
}

bool graph_tensor_fits(const struct graph_tensor *t, const struct device_limits *limits,
                       size_t *bytes)
{
    const size_t channels = t->rank > 0 ? (size_t)t->dims[t->rank - 1] : 1;
    size_t rows = 1, slices;

    *bytes = SIZE_MAX;
    if (t->rank < 0 || (t->rank > 0 && !checked_elements(t->dims, (size_t)t->rank - 1, &rows)) ||
        !checked_mul(rows, channels / 4 + (channels % 4 != 0), &slices))
        return false;
    *bytes = slices <= SIZE_MAX / 16 ? slices * 16 : SIZE_MAX;
    return slices <= UINT32_MAX / 16 && *bytes <= limits->max_storage_buffer_range;
}
