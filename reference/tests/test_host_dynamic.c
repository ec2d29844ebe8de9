/* Delegates on graphs with dynamic tensors, whose shapes are known in invoke only. */
#include "reference/tests/kit/host_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

/* RELU(x), RESHAPE by an input, RELU, ADD with itself. */
static void dynamic_graph(struct model *m)
{
    kit_text(m, "tensors x:f32[1,6] a:f32[1,6] b:f32[1,6] c:f32[1,6] y:f32[1,6] s:i32[2]\n"
                "RELU x -> a; RESHAPE a s -> b; RELU b -> c; ADD {} c c -> y\n"
                "inputs x s; outputs a y");
}

static void check_dynamic_run(struct interpreter *in, int rows, int columns)
{
    const TfLiteTensor *y = interpreter_tensor(in, 4);

    for (int i = 0; i < 6; i++)
        interpreter_tensor(in, 0)->data.f[i] = (float)(i - 2);
    interpreter_tensor(in, 5)->data.i32[0] = rows;
    interpreter_tensor(in, 5)->data.i32[1] = columns;
    KIT_OK(interpreter_invoke(in, &err));
    assert_int_equal(y->dims->size, 2);
    assert_int_equal(y->dims->data[0], rows);
    assert_int_equal(y->dims->data[1], columns);
    for (int i = 0; i < 6; i++)
        assert_true(y->data.f[i] == (i > 2 ? 2 * (float)(i - 2) : 0));
}

TEST(dynamic_tensors_need_the_flag)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    dynamic_graph(&m);
    in = host_open(&m);
    mock_begin(&mock);
    host_expect_refused(in, &mock.abi, kTfLiteApplicationError, "known in invoke only");
    assert_string_equal(mock.log, ""); /* it was not even asked */
    KIT_OK(interpreter_allocate(in, &err));
    check_dynamic_run(in, 2, 3);
    host_expect_refused(in, &mock.abi, kTfLiteApplicationError, "tensor 4");
    check_dynamic_run(in, 3, 2);

    mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors; /* takes node 0 */
    host_apply(in, &mock);
    assert_int_equal(interpreter_node_partition(in, 0), 0);
    assert_int_equal(interpreter_node_partition(in, 2), -1);
    check_dynamic_run(in, 6, 1);
    host_end(in, &mock, &m);
}

/* A kernel behind a dynamic tensor is prepared in invoke, and again when the shape changes. */
static TfLiteStatus tail_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const TfLiteRegistration registration = { .init = mock_init,
                                              .free = mock_free,
                                              .prepare = mock_prepare,
                                              .invoke = mock_invoke,
                                              .custom_name = "Tail" };
    TfLiteIntArray *nodes CLOSED_BY(kit_free) = mock_ints(2, (int[]){ 2, 3 });
    TfLiteStatus s;

    mock_note(delegate->data_, 'P');
    s = context->ReplaceNodeSubsetsWithDelegateKernels(context, registration, nodes, delegate);
    return s;
}

TEST(kernels_follow_dynamic_shapes)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    dynamic_graph(&m);
    in = host_open(&m);
    mock_begin(&mock);
    mock.takes = mock_from;
    mock.choice = 2;
    mock.abi.Prepare = tail_prepare;
    mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
    host_apply(in, &mock);
    for (int round = 0; round < 2; round++) {
        KIT_OK(interpreter_allocate(in, &err));
        mock_clear_log(&mock);
        check_dynamic_run(in, 2, 3);
        assert_string_equal(mock.log, "pv");
        check_dynamic_run(in, 2, 3);
        assert_string_equal(mock.log, "pvv"); /* the same shape */
        check_dynamic_run(in, 3, 2);
        assert_string_equal(mock.log, "pvvpv");
        check_dynamic_run(in, 2, 3);
        assert_string_equal(mock.log, "pvvpvpv");
        KIT_OK(interpreter_resize_input(in, 5, (int32_t[]){ 3 }, 1, &err));
        KIT_OK(interpreter_resize_input(in, 5, (int32_t[]){ 2 }, 1, &err));
    }
    host_end(in, &mock, &m);
}

/* First dims of the chain's tensors, before and after the delegate has prepared the nodes. */
static int first_dims[2][6];

static TfLiteStatus look_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    (void)delegate;
    for (int i = 0; i < 6; i++)
        first_dims[0][i] = context->tensors[i].dims->data[0];
    for (int i = 0; i < 5; i++) {
        TfLiteRegistration *registration;
        TfLiteNode *node;

        assert_int_equal(context->GetNodeAndRegistration(context, i, &node, &registration), 0);
        assert_int_equal(registration->prepare(context, node), kTfLiteOk);
    }
    for (int i = 0; i < 6; i++)
        first_dims[1][i] = context->tensors[i].dims->data[0];
    return kTfLiteOk;
}

/* As in the real runtime: who wants the shapes has to prepare the nodes. */
TEST(a_resized_graph_is_not_prepared_for_a_delegate_that_resizes)
{
    for (int flags = 0; flags < 2; flags++) {
        TfLiteDelegate delegate = { .Prepare = look_prepare, .flags = flags };

        MODEL_BY(m, host_chain(&m, false));
        INTERPRETER_BY(in, host_open(&m));
        KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 7, 6 }, 2, &err));
        KIT_OK(interpreter_apply_delegate(in, &delegate, NULL, &err));
        for (int i = 0; i < 6; i++) {
            assert_int_equal(first_dims[0][i], i == 0 || flags == 0 ? 7 : 1);
            assert_int_equal(first_dims[1][i], 7);
        }
        host_run_and_compare(&m, in, 3);
    }
}

/* A kernel may make its outputs dynamic; what reads them then follows in invoke. */
TEST(kernels_may_make_outputs_dynamic)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    in = host_begin(&m, &mock, true);
    mock.takes = mock_not_every;
    mock.choice = 3;
    mock.dynamic_outputs = true;
    mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
    host_apply(in, &mock);
    host_run_and_compare(&m, in, 12);
    assert_int_equal(interpreter_tensor(in, 2)->allocation_type, kTfLiteDynamic);
    assert_int_equal(interpreter_tensor(in, 3)->allocation_type, kTfLiteDynamic); /* node 2 */
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 5, 5 }, 2, &err));
    host_run_and_compare(&m, in, 13);
    /* Without the delegate nothing is dynamic. */
    mock.prepare_status = kTfLiteError;
    host_expect_refused(in, &mock.abi, kTfLiteDelegateError, "restored");
    host_run_and_compare(&m, in, 13);
    assert_int_equal(interpreter_tensor(in, 2)->allocation_type, kTfLiteArenaRw);
    assert_int_equal(interpreter_tensor(in, 3)->allocation_type, kTfLiteArenaRw);
    host_end(in, &mock, &m);
}
