/* What a delegate sees and may call: each function of TfLiteContext in each phase, quantization,
 * variables and constants among the inputs of a partition, and inputs that a delegate remaps. */
#include "reference/tests/kit/host_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/runtime/state.h"

/* ---- what may be called where ---- */

static void probe_phases(struct mock *mock, TfLiteContext *context, const char *where)
{
    const bool in_delegate = strcmp(where, "Prepare") == 0 || strcmp(where, "init") == 0;
    const bool may_add = in_delegate || strcmp(where, "prepare") == 0;
    const TfLiteRegistration registration = { .invoke = mock_invoke };
    TfLiteIntArray *plan = NULL, *nodes = mock_ints(1, (int[]){ 0 });
    TfLiteContext *subgraph = NULL;
    TfLiteNode *node = NULL;
    TfLiteRegistration *found = NULL;
    TfLiteDelegateParams *params = NULL;
    int count = -1, first = -1;

    host_messages[0] = '\0';
    assert_int_equal(context->GetExecutionPlan(context, &plan), !in_delegate);
    assert_int_equal(plan != NULL, in_delegate);
    assert_int_equal(strstr(host_messages, "GetExecutionPlan") != NULL, !in_delegate);
    assert_int_equal(context->GetNodeAndRegistration(context, 0, &node, &found), !in_delegate);
    assert_int_equal(strstr(host_messages, "GetNodeAndRegistration") != NULL, !in_delegate);
    assert_int_equal(context->PreviewDelegatePartitioning(context, nodes, &params, &count),
                     !in_delegate);
    assert_int_equal(strstr(host_messages, "PreviewDelegatePartitioning") != NULL, !in_delegate);
    assert_int_equal(context->AcquireSubgraphContext(context, 0, &subgraph), !in_delegate);
    assert_int_equal(context->ReleaseSubgraphContext(context, 0), !in_delegate);
    if (!in_delegate) {
        assert_int_equal(context->ReplaceNodeSubsetsWithDelegateKernels(context, registration,
                                                                        nodes, &mock->abi),
                         kTfLiteError);
        assert_non_null(strstr(host_messages, "ReplaceNodeSubsetsWithDelegateKernels"));
    }
    assert_int_equal(context->AddTensors(context, 0, &first), !may_add);
    assert_int_equal(strstr(host_messages, "AddTensors") != NULL, !may_add);
    free(nodes);
}

TEST(forbids_what_is_forbidden)
{
    struct interpreter *in;
    struct model m CLOSED_BY(model_close);
    struct mock mock CLOSED_BY(mock_end);

    in = host_begin(&m, &mock, false);
    mock.probe = probe_phases;
    host_apply(in, &mock);
    host_run_and_compare(&m, in, 18);
    interpreter_close(in);
    assert_string_equal(mock.log, "Pipvf");
}

/* ---- the context, function by function ---- */

static int failing_calls;

static void bad_resizes(TfLiteContext *context, TfLiteTensor *output, bool invoke)
{
    TfLiteTensor foreign = *output;
    const int rank = output->dims->size;

    assert_int_equal(context->ResizeTensor(context, output, NULL), kTfLiteError);
    assert_int_equal(context->ResizeTensor(context, NULL, mock_ints(0, NULL)), kTfLiteError);
    assert_int_equal(context->ResizeTensor(context, &foreign, mock_ints(0, NULL)), kTfLiteError);
    assert_int_equal(context->ResizeTensor(context, output, mock_ints(1, (int[]){ -1 })),
                     kTfLiteError);
    assert_int_equal(context->ResizeTensor(
                         context, output, mock_ints(3, (int[]){ INT32_MAX, INT32_MAX, INT32_MAX })),
                     kTfLiteError);
    /* The same shape may be set at any time. */
    assert_int_equal(context->ResizeTensor(context, output, mock_ints(rank, output->dims->data)),
                     kTfLiteOk);
    if (invoke) /* its memory is planned */
        assert_int_equal(context->ResizeTensor(context, output, mock_ints(1, (int[]){ 3 })),
                         kTfLiteError);
    failing_calls++;
}

static void probe_context(struct mock *mock, TfLiteContext *context, const char *where)
{
    const char *data = NULL;
    size_t bytes = 0;
    int first = -1;

    assert_null(context->AllocatePersistentBuffer);
    assert_null(context->AllocateBufferForEval);
    assert_null(context->RequestScratchBufferInArena);
    assert_null(context->GetScratchBuffer);
    assert_null(context->ResizeTensorExplicit);
    assert_null(context->GetTensor);
    assert_null(context->GetEvalTensor);
    assert_null(context->profiler);
    assert_false(context->allow_fp32_relax_to_fp16);
    assert_int_equal(context->recommended_num_threads, -1);
    assert_null(context->GetExternalContext(context, 0));
    assert_null(context->GetExternalContext(context, -1));
    assert_null(context->GetExternalContext(context, 99));
    context->SetExternalContext(context, 99, (TfLiteExternalContext *)mock);
    context->SetExternalContext(context, 4, (TfLiteExternalContext *)mock);
    assert_ptr_equal(context->GetExternalContext(context, 4), mock);

    assert_int_equal(context->GetModelMetadata(context, "there", &data, &bytes), kTfLiteOk);
    assert_int_equal(bytes, 3);
    assert_memory_equal(data, "abc", 3);
    assert_int_equal(context->GetModelMetadata(context, "absent", &data, &bytes), kTfLiteError);
    assert_int_equal(context->GetModelMetadata(context, NULL, &data, &bytes), kTfLiteError);

    if (strcmp(where, "Prepare") == 0) {
        const TfLiteRegistration registration = { .invoke = mock_invoke };
        TfLiteIntArray *nodes = mock_ints(1, (int[]){ 77 }), *nodes_now;
        TfLiteContext *subgraph;
        TfLiteRegistration *found;
        TfLiteNode *node;
        TfLiteDelegateParams *params;
        int count = -1;

        assert_int_equal(context->GetNodeAndRegistration(context, 5, &node, &found), kTfLiteError);
        assert_int_equal(context->GetNodeAndRegistration(context, -1, &node, &found), kTfLiteError);
        assert_int_equal(context->GetNodeAndRegistration(context, 0, NULL, &found), kTfLiteError);
        assert_int_equal(context->GetExecutionPlan(context, NULL), kTfLiteError);
        host_messages[0] = '\0';
        mem_fail_after(0);
        assert_int_equal(context->GetExecutionPlan(context, &nodes_now), kTfLiteError);
        mem_fail_after(-1);
        assert_non_null(strstr(host_messages, "GetExecutionPlan: out of memory"));
        assert_int_equal(context->PreviewDelegatePartitioning(context, nodes, &params, &count),
                         kTfLiteError);
        assert_int_equal(count, 0);
        assert_int_equal(context->PreviewDelegatePartitioning(context, NULL, &params, &count),
                         kTfLiteError);
        assert_int_equal(
            context->ReplaceNodeSubsetsWithDelegateKernels(context, registration, NULL, &mock->abi),
            kTfLiteError);
        assert_int_equal(context->AcquireSubgraphContext(context, 1, &subgraph), kTfLiteError);
        assert_int_equal(context->AcquireSubgraphContext(context, 0, &subgraph), kTfLiteOk);
        assert_ptr_equal(subgraph, context);
        assert_int_equal(context->AddTensors(context, -1, &first), kTfLiteError);
        assert_int_equal(context->AddTensors(context, TENSOR_SPARE + 1, &first), kTfLiteError);
        assert_int_equal(context->AddTensors(context, 2, &first), kTfLiteOk);
        assert_int_equal(first, 6);
        assert_int_equal(context->tensors_size, 8);
        assert_int_equal(context->tensors[7].buffer_handle, -1);
        free(nodes);
        /* A node of the reference can be run through its registration. */
        assert_int_equal(context->GetNodeAndRegistration(context, 0, &node, &found), kTfLiteOk);
        assert_int_equal(found->builtin_code, BUILTIN_RELU);
        assert_int_equal(found->version, 1);
        assert_int_equal(found->prepare(context, node), kTfLiteOk);
        assert_int_equal(found->invoke(context, node), kTfLiteError); /* no memory yet */
    }
    if (strcmp(where, "init") == 0) /* a constant or a tensor without a kind has a fixed size */
        assert_int_equal(
            context->ResizeTensor(context, &context->tensors[7], mock_ints(1, (int[]){ 1 })),
            kTfLiteError);
    if (strcmp(where, "prepare") == 0 || strcmp(where, "invoke") == 0)
        bad_resizes(context, &context->tensors[5], strcmp(where, "invoke") == 0);
}

TEST(the_context_checks_its_arguments)
{
    const struct model_metadata metadata = { .name = { "there", 5 }, .buffer = 1 };
    const struct model_buffer buffers[2] = { { .large = false },
                                             { .data = { (const uint8_t *)"abc", 3 } } };
    struct interpreter *in;
    struct model m, with_metadata;
    struct mock mock;

    host_chain(&m, false);
    with_metadata = m;
    with_metadata.buffers = buffers;
    with_metadata.buffer_count = 2;
    with_metadata.metadata = &metadata;
    with_metadata.metadata_count = 1;
    in = host_open(&with_metadata);
    mock_begin(&mock);
    mock.probe = probe_context;
    in->external[4] = NULL;
    failing_calls = 0;
    host_apply(in, &mock);
    host_run_and_compare(&with_metadata, in, 19);
    assert_int_equal(failing_calls, 2);
    host_end(in, &mock, &m);
}

/* Temporaries of kernels have memory while the kernel runs; undoing takes the tensors away. */
TEST(kernels_add_tensors)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;
    TfLiteTensor *input;

    host_chain(&m, true);
    in = host_open(&m);
    input = interpreter_tensor(in, 0);
    mock_begin(&mock);
    mock.takes = mock_not_every;
    mock.choice = 3;
    mock.add_temporary = true;
    host_apply(in, &mock);
    assert_int_equal(interpreter_tensor_count(in), 8);
    host_run_and_compare(&m, in, 20);
    for (int round = 0; round < 50; round++) {
        KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2 + round % 2, 3 }, 2, &err));
        host_run_and_compare(&m, in, 21);
        assert_int_equal(interpreter_tensor_count(in), 8);
        assert_ptr_equal(interpreter_tensor(in, 0), input);
    }
    host_end(in, &mock, &m);
}

/* ---- quantization ---- */

/* What XNNPACK does to the weights of a hybrid convolution: the array of scales is freed, and one
 * of its own with a scale for each channel stands in its place. */
static const TfLiteFloatArray *replaced;
static void replace_scales(struct mock *mock, TfLiteContext *context, const char *where)
{
    TfLiteAffineQuantization *const q = context->tensors[mock->choice].quantization.params;
    TfLiteFloatArray *scale;

    if (strcmp(where, "Prepare") != 0)
        return;
    assert_non_null(q);
    scale = malloc(sizeof *scale + sizeof scale->data[0]);
    assert_non_null(scale);
    scale->size = 1;
    scale->data[0] = q->scale->data[0];
    free(q->scale);
    free(q->zero_point);
    q->scale = scale;
    q->zero_point = (TfLiteIntArray *)calloc(2, sizeof(int));
    assert_non_null(q->zero_point);
    q->zero_point->size = 1;
    replaced = scale;
}

TEST(delegates_may_replace_scales)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;
    const TfLiteAffineQuantization *q;
    const int x = 0, y = 1;

    kit_text(&m, "RELU:2 x:i8[1,3]q(0.5) -> y:i8[1,3]q(0.5)");
    in = host_open(&m);
    mock_begin(&mock);
    mock.takes = mock_none;
    mock.probe = replace_scales;
    mock.choice = y;
    host_apply(in, &mock);
    KIT_OK(interpreter_allocate(in, &err));
    memcpy(interpreter_tensor(in, x)->data.raw, (const int8_t[]){ -5, 0, 7 }, 3);
    KIT_OK(interpreter_invoke(in, &err));
    assert_memory_equal(interpreter_tensor(in, y)->data.raw, ((const int8_t[]){ 0, 0, 7 }), 3);
    q = interpreter_tensor(in, y)->quantization.params;
    assert_ptr_equal(q->scale, replaced);
    host_end(in, &mock, &m);
}

/* ---- variables, constants ---- */

TEST(variables_and_constants_are_inputs)
{
    const TfLiteDelegateParams *params;
    const int x = 0, v = 1, h = 2, f = 3, y = 5;

    MODEL(m, "tensors x:f32[1,2] v:f32[1,2]! h:f16[1,2]=2,3 f:f32[1,2]; inputs x\n"
             "DEQUANTIZE:3 h -> f; ADD {} x v -> s; ADD {} s f -> y");

    for (int keep = 0; keep < 2; keep++) {
        MOCK(mock);
        INTERPRETER_BY(in, host_open(&m));
        if (keep) { /* nodes 0 and 1 stay: the output of DEQUANTIZE is a partition's input */
            mock.takes = mock_from;
            mock.choice = 2;
        }
        host_apply(in, &mock);
        params = in->nodes[3]->params;
        assert_ptr_equal(in->nodes[3]->abi.builtin_data, params);
        assert_int_equal(params->nodes_to_replace->size, keep ? 1 : 3);
        if (keep) {
            assert_int_equal(params->input_tensors->size, 2);
            assert_true(mock_has(params->input_tensors, f));
        } else {
            assert_int_equal(params->input_tensors->size, 3);
            assert_int_equal(params->input_tensors->data[0], x);
            assert_int_equal(params->input_tensors->data[1], v);
            assert_int_equal(params->input_tensors->data[2], h);
            assert_int_equal(params->output_tensors->size, 1);
        }
        KIT_OK(interpreter_allocate(in, &err));
        assert_int_equal(interpreter_tensor(in, v)->allocation_type, kTfLiteArenaRwPersistent);
        interpreter_tensor(in, v)->data.f[0] = 100;
        kit_invoke(in, 22);
        assert_true(interpreter_tensor(in, y)->data.f[0] ==
                    (interpreter_tensor(in, x)->data.f[0] + 100) + 2);
    }
}

/* A delegate may point the nodes it takes at other inputs (f16 constants instead of their
 * dequantized copies): the reference must not see that afterwards. */
static TfLiteStatus remapping_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    TfLiteNode *node;
    TfLiteRegistration *registration;

    assert_int_equal(context->GetNodeAndRegistration(context, 2, &node, &registration), kTfLiteOk);
    node->inputs->data[0] = 0;
    return mock_delegate_prepare(context, delegate);
}

TEST(inputs_are_restored)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    in = host_begin(&m, &mock, false);
    mock.takes = mock_only;
    mock.choice = 2;
    mock.abi.Prepare = remapping_prepare;
    host_apply(in, &mock);
    assert_int_equal(in->nodes[5]->params->input_tensors->data[0], 0);
    mock.prepare_status = kTfLiteError;
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2, 2 }, 2, &err));
    assert_int_equal(interpreter_allocate(in, &err), STATUS_DEVICE);
    assert_int_equal(interpreter_node(in, 2)->inputs->data[0], 2);
    host_run_and_compare(&m, in, 23);
    host_end(in, &mock, &m);
}
