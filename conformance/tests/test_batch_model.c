/* Models with batch 1 where they had 2: shapes change, and nothing else that begins with a 2. */
#include "conformance/suite/judge/batch_model.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

enum { BATCH = 2 };

static int ints(struct builder *b, const char *name, int32_t count, const int32_t *data)
{
    return builder_constant(b, TENSOR_INT32, name, 1, &count, data, (size_t)count * sizeof *data);
}

static int floats(struct builder *b, const char *name, size_t rank, const int32_t *shape)
{
    return builder_tensor(b, TENSOR_FLOAT32, name, rank, shape);
}

/* x [2,2,2,1] -> RESIZE_BILINEAR to 2 by 3 -> RESHAPE to [2,3,2] -> MEAN over axis 2 -> y [2,3]. */
static void fill(struct builder *b)
{
    static const int32_t size[] = { 2, 3 }, shape[] = { BATCH, 3, 2 }, axes[] = { 2 };
    const int x = floats(b, "x", 4, (int32_t[]){ BATCH, 2, 2, 1 });
    const int large = floats(b, "large", 4, (int32_t[]){ BATCH, 2, 3, 1 });
    const int flat = floats(b, "flat", 3, shape), y = floats(b, "y", 2, shape);
    const int new_size = ints(b, "size", 2, size), new_shape = ints(b, "shape", 3, shape);
    const int reduced = ints(b, "axes", 1, axes);
    struct options options;

    options_init(&options, OPTIONS_ResizeBilinearOptions);
    builder_op(b, BUILTIN_RESIZE_BILINEAR, 1, &options, 2, (int[]){ x, new_size }, 1, &large);
    options_init(&options, OPTIONS_ReshapeOptions);
    options_set_ints(&options, "new_shape", shape, 3);
    builder_op(b, BUILTIN_RESHAPE, 1, &options, 2, (int[]){ large, new_shape }, 1, &flat);
    options_init(&options, OPTIONS_ReducerOptions);
    builder_op(b, BUILTIN_MEAN, 1, &options, 2, (int[]){ flat, reduced }, 1, &y);
    builder_inputs(b, 1, &x);
    builder_outputs(b, 1, &y);
}

static void finish(struct builder *b, struct model *m)
{
    struct diag diag;

    KIT_OK(builder_finish(b, m, &diag));
}

static void open_with_one(struct batch_model *b, const struct model *m)
{
    static const bool resized[] = { true };
    struct diag diag;

    KIT_OK(batch_model_open(b, m, BATCH, resized, &diag));
}

/* The first element of the constant of that name. */
static int32_t first_of(const struct model *m, const char *name)
{
    const struct model_subgraph *const g = &m->subgraphs[0];

    for (size_t i = 0; i < g->tensor_count; i++) {
        int32_t first;

        if (strcmp(g->tensors[i].name.text, name) != 0)
            continue;
        memcpy(&first, m->buffers[g->tensors[i].buffer].data.data, sizeof first);
        return first;
    }
    fail_msg("no tensor %s", name);
    return 0;
}

TEST(shapes_alone_change)
{
    struct builder builder;
    struct model m;
    struct batch_model b;

    builder_init(&builder);
    fill(&builder);
    finish(&builder, &m);
    open_with_one(&b, &m);
    assert_int_equal(first_of(&b.model, "shape"), 1);
    assert_int_equal(first_of(&b.model, "size"), 2);
    assert_int_equal(first_of(&b.model, "axes"), 2);
    assert_int_equal(first_of(&m, "shape"), BATCH); /* the source stays as it was */
    batch_model_close(&b);
    model_close(&m);
}

/* One constant { 2, 1, 2 } is RESHAPE's shape and MEAN's axes: it must keep both meanings. */
TEST(a_shape_that_is_axes_too_stays)
{
    static const int32_t numbers[] = { BATCH, 1, 2 };
    struct builder builder;
    struct options options;
    struct model m;
    struct batch_model b;
    int x, flat, y, shared;

    builder_init(&builder);
    x = floats(&builder, "x", 2, (int32_t[]){ BATCH, 2 });
    flat = floats(&builder, "flat", 3, numbers);
    y = floats(&builder, "y", 1, numbers);
    shared = ints(&builder, "shared", 3, numbers);
    options_init(&options, OPTIONS_ReshapeOptions);
    builder_op(&builder, BUILTIN_RESHAPE, 1, &options, 2, (int[]){ x, shared }, 1, &flat);
    options_init(&options, OPTIONS_ReducerOptions);
    builder_op(&builder, BUILTIN_MEAN, 1, &options, 2, (int[]){ flat, shared }, 1, &y);
    builder_inputs(&builder, 1, &x);
    builder_outputs(&builder, 1, &y);
    finish(&builder, &m);
    open_with_one(&b, &m);
    assert_int_equal(first_of(&b.model, "shared"), BATCH);
    batch_model_close(&b);
    model_close(&m);
}

/* TRANSPOSE_CONV's shape is its first input. */
TEST(the_shape_of_transpose_conv_changes)
{
    static const int32_t shape[] = { BATCH, 1, 1, 1 }, one[] = { 1, 1, 1, 1 };
    static const float weight = 3;
    struct builder builder;
    struct model m;
    struct batch_model b;
    int in[3], y;

    builder_init(&builder);
    in[0] = ints(&builder, "shape", 4, shape);
    in[1] = builder_constant(&builder, TENSOR_FLOAT32, "w", 4, one, &weight, sizeof weight);
    in[2] = floats(&builder, "x", 4, shape);
    y = floats(&builder, "y", 4, shape);
    builder_op(&builder, BUILTIN_TRANSPOSE_CONV, 1, NULL, 3, in, 1, &y);
    builder_inputs(&builder, 1, &in[2]);
    builder_outputs(&builder, 1, &y);
    finish(&builder, &m);
    open_with_one(&b, &m);
    assert_int_equal(first_of(&b.model, "shape"), 1);
    batch_model_close(&b);
    model_close(&m);
}

static const TfLiteTensor *output(struct interpreter *in)
{
    size_t count;

    return interpreter_tensor(in, interpreter_outputs(in, &count)[0]);
}

/* The model with batch 1 gives the first image's result. */
TEST(the_first_image_alone)
{
    struct builder builder;
    struct model m;
    struct batch_model b;
    struct interpreter *two, *one;
    const TfLiteTensor *all, *first;
    struct diag diag;

    builder_init(&builder);
    fill(&builder);
    finish(&builder, &m);
    open_with_one(&b, &m);
    two = kit_interpreter(&m, NULL);
    one = kit_interpreter(&b.model, NULL);
    KIT_OK(interpreter_allocate(two, &diag));
    KIT_OK(interpreter_allocate(one, &diag));
    kit_fill_inputs(two, 1);
    kit_fill_inputs(one, 1);
    KIT_OK(interpreter_invoke(two, &diag));
    KIT_OK(interpreter_invoke(one, &diag));
    all = output(two);
    first = output(one);
    assert_int_equal(first->bytes, 3 * sizeof(float));
    assert_int_equal(all->bytes, BATCH * first->bytes);
    assert_memory_equal(all->data.raw, first->data.raw, first->bytes);
    interpreter_close(one);
    interpreter_close(two);
    batch_model_close(&b);
    model_close(&m);
}
