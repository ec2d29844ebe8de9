/* Nodes of any rank. */
#include "conformance/suite/models/net_nodes.h"

#include "conformance/suite/models/net_weights.h"
#include "reference/base/memory.h"

#include <assert.h>
#include <stdio.h>

int zoo_node(struct zoo_net *net, const char *name, int32_t code, int32_t version,
             struct options *o, size_t count, const int *inputs, struct zoo_dims dims)
{
    const int out = zoo_activation(net, name, dims.rank, dims.of, ZOO_SCALE_MEASURED, -1);

    builder_op(&net->builder, code, version, o, count, inputs, 1, &out);
    return out;
}

int zoo_unary(struct zoo_net *net, const char *name, int32_t code, int in, struct zoo_dims dims)
{
    return zoo_node(net, name, code, zoo_version(net, 2), NULL, 1, &in, dims);
}

int zoo_binary(struct zoo_net *net, const char *name, int32_t code, uint8_t table, int a, int b,
               struct zoo_dims dims)
{
    struct options o;

    options_init(&o, table);
    return zoo_node(net, name, code, zoo_version(net, 2), &o, 2, (int[]){ a, b }, dims);
}

int zoo_times(struct zoo_net *net, const char *name, int a, int b, struct zoo_dims dims)
{
    return zoo_binary(net, name, BUILTIN_MUL, OPTIONS_MulOptions, a, b, dims);
}

int zoo_plus(struct zoo_net *net, const char *name, int a, int b, struct zoo_dims dims)
{
    return zoo_binary(net, name, BUILTIN_ADD, OPTIONS_AddOptions, a, b, dims);
}

int zoo_mean_of_row(struct zoo_net *net, const char *name, int in, struct zoo_dims dims)
{
    const int32_t axis = (int32_t)dims.rank - 1;
    const int inputs[] = { in, zoo_numbers(net, zoo_label(name, "axes").text, 1, &axis) };
    struct options o;

    options_init(&o, OPTIONS_ReducerOptions);
    options_set_int(&o, "keep_dims", 1);
    dims.of[axis] = 1;
    return zoo_node(net, name, BUILTIN_MEAN, zoo_version(net, 2), &o, 2, inputs, dims);
}

int zoo_reshaped(struct zoo_net *net, const char *name, int in, struct zoo_dims dims)
{
    const int inputs[] = { in,
                           zoo_numbers(net, zoo_label(name, "shape").text, dims.rank, dims.of) };
    struct options o;

    options_init(&o, OPTIONS_ReshapeOptions);
    return zoo_node(net, name, BUILTIN_RESHAPE, 1, &o, 2, inputs, dims);
}

int zoo_exchanged(struct zoo_net *net, const char *name, int in, struct zoo_dims dims)
{
    const int inputs[] = { in, zoo_numbers(net, zoo_label(name, "order").text, 4,
                                           (int32_t[]){ 0, 2, 1, 3 }) };
    struct options o;

    options_init(&o, OPTIONS_TransposeOptions);
    return zoo_node(net, name, BUILTIN_TRANSPOSE, 1, &o, 2, inputs, dims);
}

int zoo_to_float(struct zoo_net *net, const char *name, int in, struct zoo_dims dims)
{
    struct options o;

    options_init(&o, OPTIONS_CastOptions);
    options_set_int(&o, "in_data_type", TENSOR_INT32);
    options_set_int(&o, "out_data_type", TENSOR_FLOAT32);
    return zoo_node(net, name, BUILTIN_CAST, 1, &o, 1, &in, dims);
}

int zoo_product(struct zoo_net *net, const char *name, int a, int b, bool transposed,
                struct zoo_dims dims)
{
    struct options o;

    options_init(&o, OPTIONS_BatchMatMulOptions);
    options_set_int(&o, "adj_y", transposed);
    return zoo_node(net, name, BUILTIN_BATCH_MATMUL, zoo_version(net, 2), &o, 2, (int[]){ a, b },
                    dims);
}

int zoo_integers(struct zoo_net *net, const char *name, int32_t code, struct options *o,
                 size_t count, const int *inputs, struct zoo_dims dims)
{
    const int out = builder_tensor(&net->builder, TENSOR_INT32, name, dims.rank, dims.of);

    builder_op(&net->builder, code, 1, o, count, inputs, 1, &out);
    return out;
}

int zoo_numbers(struct zoo_net *net, const char *name, size_t count, const int32_t *values)
{
    const int32_t dims[] = { (int32_t)count };

    return zoo_shape(net, name, 1, dims, values, count);
}

int zoo_reals(struct zoo_net *net, const char *name, struct zoo_dims dims, const double *values)
{
    size_t count = 1;
    float *data;
    int tensor;

    for (size_t i = 0; i < dims.rank; i++)
        count *= (size_t)dims.of[i];
    if (!(data = mem_alloc(count, sizeof *data))) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        data[i] = (float)values[i];
    tensor =
        zoo_constant(net, TENSOR_FLOAT32, name, dims.rank, dims.of, data, count * sizeof *data);
    mem_free(data);
    return tensor;
}

int zoo_real(struct zoo_net *net, const char *name, double value)
{
    return zoo_reals(net, name, (struct zoo_dims){ 0, { 0 } }, &value);
}

int zoo_cache_start(struct zoo_net *net, int positions)
{
    struct options o;
    int first;

    options_init(&o, OPTIONS_SliceOptions);
    first = zoo_integers(net, "start/first", BUILTIN_SLICE, &o, 3,
                         (int[]){ positions, zoo_numbers(net, "start/begin", 1, (int32_t[]){ 0 }),
                                  zoo_numbers(net, "start/size", 1, (int32_t[]){ 1 }) },
                         (struct zoo_dims){ 1, { 1 } });
    options_init(&o, OPTIONS_ConcatenationOptions);
    return zoo_integers(net, "start", BUILTIN_CONCATENATION, &o, 3,
                        (int[]){ zoo_numbers(net, "start/batch", 1, (int32_t[]){ 0 }), first,
                                 zoo_numbers(net, "start/rest", 2, (int32_t[]){ 0, 0 }) },
                        (struct zoo_dims){ 1, { 4 } });
}

/* ---- signatures ---- */

int zoo_signature_input(struct zoo_net *net, struct zoo_signature *s, int32_t type,
                        const char *name, struct zoo_dims dims)
{
    const size_t i = s->input_count++;

    assert(i < ZOO_NAMES);
    s->inputs[i] = builder_tensor(&net->builder, type, name, dims.rank, dims.of);
    snprintf(s->input_names[i], sizeof s->input_names[0], "%s", name);
    return s->inputs[i];
}

void zoo_signature_output(struct zoo_signature *s, const char *name, int tensor)
{
    const size_t i = s->output_count++;

    assert(i < ZOO_NAMES);
    s->outputs[i] = tensor;
    snprintf(s->output_names[i], sizeof s->output_names[0], "%s", name);
}

void zoo_signature_end(struct zoo_net *net, const struct zoo_signature *s, const char *key)
{
    const char *inputs[ZOO_NAMES], *outputs[ZOO_NAMES];

    for (size_t i = 0; i < s->input_count; i++)
        inputs[i] = s->input_names[i];
    for (size_t i = 0; i < s->output_count; i++)
        outputs[i] = s->output_names[i];
    builder_inputs(&net->builder, s->input_count, s->inputs);
    builder_outputs(&net->builder, s->output_count, s->outputs);
    builder_signature(&net->builder, key, inputs, outputs);
}

int zoo_cache(struct zoo_net *net, struct zoo_signature *s, char kind, int layer, int slice,
              int start, struct zoo_dims dims)
{
    struct options o;
    char name[32];
    int x;

    snprintf(name, sizeof name, "kv_cache_%c_%d", kind, layer);
    x = zoo_signature_input(net, s, TENSOR_FLOAT32, name, dims);
    options_init(&o, OPTIONS_DynamicUpdateSliceOptions);
    x = zoo_node(net, zoo_label(name, "updated").text, BUILTIN_DYNAMIC_UPDATE_SLICE, 1, &o, 3,
                 (int[]){ x, slice, start }, dims);
    zoo_signature_output(s, name, x);
    return x;
}
