/* Models with batch 1 where they had 2: shapes change, and nothing else that begins with a 2. */
#include "conformance/suite/judge/batch_model.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

enum { BATCH = 2 };

static const char net[] =
    "RESIZE_BILINEAR {} x:f32[2,2,2,1] size:i32[2]=2,3 -> large\n"
    "RESHAPE {new_shape=[2,3,2]} large shape:i32[3]=2,3,2 -> flat; MEAN {} flat axes:i32[1]=2 -> y";

static void open_with_one(struct batch_model *b, const struct model *m)
{
    static const bool resized[] = { true };

    KIT_OK(batch_model_open(b, m, BATCH, resized, &err));
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
    struct model m CLOSED_BY(model_close);
    struct batch_model b CLOSED_BY(batch_model_close);

    kit_text(&m, net);
    open_with_one(&b, &m);
    assert_int_equal(first_of(&b.model, "shape"), 1);
    assert_int_equal(first_of(&b.model, "size"), 2);
    assert_int_equal(first_of(&b.model, "axes"), 2);
    assert_int_equal(first_of(&m, "shape"), BATCH); /* the source stays as it was */
}

/* One constant { 2, 1, 2 } is RESHAPE's shape and MEAN's axes: it must keep both meanings. */
TEST(a_shape_that_is_axes_too_stays)
{
    struct model m CLOSED_BY(model_close);
    struct batch_model b CLOSED_BY(batch_model_close);

    kit_text(&m,
             "RESHAPE {} x:f32[2,2] shared:i32[3]=2,1,2 -> flat; MEAN {} flat shared -> y:f32[2]");
    open_with_one(&b, &m);
    assert_int_equal(first_of(&b.model, "shared"), BATCH);
}

/* TRANSPOSE_CONV's shape is its first input. */
TEST(the_shape_of_transpose_conv_changes)
{
    struct model m CLOSED_BY(model_close);
    struct batch_model b CLOSED_BY(batch_model_close);

    kit_text(&m,
             "TRANSPOSE_CONV shape:i32[4]=2,1,1,1 f32[1,1,1,1]=3 x:f32[2,1,1,1] -> y:f32[2,1,1,1]");
    open_with_one(&b, &m);
    assert_int_equal(first_of(&b.model, "shape"), 1);
}

/* RESHAPE without a second input has its shape in its options alone. */
TEST(a_shape_in_options_changes)
{
    struct model m CLOSED_BY(model_close);
    struct batch_model b CLOSED_BY(batch_model_close);
    struct interpreter *one CLOSED_BY(kit_interpreter_end) = NULL;

    kit_text(&m, "RESHAPE {new_shape=[2,3]} x:f32[2,1,3] -> y:f32[2,3]");
    open_with_one(&b, &m);
    one = kit_interpreter(&b.model, NULL);
    KIT_OK(interpreter_allocate(one, &err));
    assert_int_equal(m.subgraphs[0].operators[0].options.value[0].ints.data[0], BATCH);
}

static const TfLiteTensor *output(struct interpreter *in)
{
    size_t count;

    return interpreter_tensor(in, interpreter_outputs(in, &count)[0]);
}

/* The model with batch 1 gives the first image's result. */
TEST(the_first_image_alone)
{
    struct model m CLOSED_BY(model_close);
    struct batch_model b CLOSED_BY(batch_model_close);
    struct interpreter *two, *one;
    const TfLiteTensor *all, *first;

    kit_text(&m, net);
    open_with_one(&b, &m);
    two = kit_interpreter(&m, NULL);
    one = kit_interpreter(&b.model, NULL);
    KIT_OK(interpreter_allocate(two, &err));
    KIT_OK(interpreter_allocate(one, &err));
    kit_fill_inputs(two, 1);
    kit_fill_inputs(one, 1);
    KIT_OK(interpreter_invoke(two, &err));
    KIT_OK(interpreter_invoke(one, &err));
    all = output(two);
    first = output(one);
    assert_int_equal(first->bytes, 3 * sizeof(float));
    assert_int_equal(all->bytes, BATCH * first->bytes);
    assert_memory_equal(all->data.raw, first->data.raw, first->bytes);
    interpreter_close(one);
    interpreter_close(two);
}
