/* The host side of the delegate ABI: the order of calls, calls that are forbidden, partitioning and
 * restoring of graphs; and random graphs under random delegates, which must not change any output.
 */
#include "conformance/unit/kit/mock_delegate.h"

#include "reference/base/half.h"
#include "reference/runtime/state.h"

static char said[4096]; /* what was reported, one line each */

static void listen(void *user, const char *format, va_list args)
{
    const size_t length = strlen(said);

    (void)user;
    vsnprintf(said + length, sizeof said - length - 2, format, args);
    strcat(said, "\n");
}

static const struct interpreter_options quiet = { .num_threads = -1, .report = listen };

static struct interpreter *open_model(const struct model *m)
{
    struct diag diag = { 0 };
    struct interpreter *in;

    said[0] = '\0';
    KIT_OK(interpreter_open(&in, m, &quiet, &diag));
    return in;
}

static void apply(struct interpreter *in, struct mock *m)
{
    struct diag diag = { 0 };
    TfLiteStatus code = kTfLiteError;

    KIT_OK(interpreter_apply_delegate(in, &m->abi, &code, &diag));
    assert_int_equal(code, kTfLiteOk);
}

static void expect_refused(struct interpreter *in, TfLiteDelegate *delegate, TfLiteStatus want,
                           const char *text)
{
    struct diag diag = { 0 };
    TfLiteStatus code = kTfLiteOk;

    assert_int_not_equal(interpreter_apply_delegate(in, delegate, &code, &diag), STATUS_OK);
    assert_int_equal(code, want);
    if (!strstr(diag.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, diag.text);
}

/* The same model without a delegate. */
static void expect_reference_result(const struct model *m, struct interpreter *in)
{
    struct diag diag = { 0 };
    struct interpreter *plain;
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);

    KIT_OK(interpreter_open(&plain, m, NULL, &diag));
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *t = interpreter_tensor(in, inputs[i]);
        KIT_OK(interpreter_resize_input(plain, inputs[i], t->dims->data, t->dims->size, &diag));
    }
    KIT_OK(interpreter_allocate(plain, &diag));
    for (size_t i = 0; i < count; i++)
        memcpy(interpreter_tensor(plain, inputs[i])->data.raw,
               interpreter_tensor(in, inputs[i])->data.raw,
               interpreter_tensor(in, inputs[i])->bytes);
    KIT_OK(interpreter_invoke(plain, &diag));
    kit_same_outputs(plain, in, 0);
    interpreter_close(plain);
}

static void run_and_compare(const struct model *m, struct interpreter *in, uint64_t seed)
{
    struct diag diag = { 0 };

    KIT_OK(interpreter_allocate(in, &diag));
    kit_fill_inputs(in, seed);
    KIT_OK(interpreter_invoke(in, &diag));
    expect_reference_result(m, in);
}

/* RELU, ADD(., .), RELU, ADD, RELU in a row over [1, 6]; outputs: the last, or all. */
static void chain(struct model *m, bool all)
{
    struct diag diag = { 0 };
    struct options add;
    struct builder b;
    int t[6];

    builder_init(&b);
    options_init(&add, OPTIONS_AddOptions);
    for (int i = 0; i < 6; i++)
        t[i] = kit_vector(&b, 6);
    for (int i = 0; i < 5; i++) {
        if (i % 2 == 0)
            builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[i], 1, &t[i + 1]);
        else
            builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ t[i], t[i] }, 1, &t[i + 1]);
    }
    builder_inputs(&b, 1, t);
    builder_outputs(&b, all ? 5 : 1, all ? t + 1 : t + 5);
    KIT_OK(builder_finish(&b, m, &diag));
}

/* ---- the life of a delegate ---- */

static void calls_in_order(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    mock_begin(&mock);
    mock.takes = mock_not_every;
    mock.choice = 3; /* nodes 0, 1 and 3, 4 */
    apply(in, &mock);
    assert_string_equal(mock.log, "Piipp");
    assert_int_equal(mock.partitions, 2);
    assert_int_equal(interpreter_partition_count(in), 2);
    assert_int_equal(interpreter_node_partition(in, 1), 0);
    assert_int_equal(interpreter_node_partition(in, 2), -1);
    assert_int_equal(interpreter_node_partition(in, 4), 1);
    KIT_OK(interpreter_allocate(in, &diag)); /* nothing changed */
    assert_string_equal(mock.log, "Piipp");
    assert_null(interpreter_tensor(in, 1)->data.raw); /* inside */
    assert_non_null(interpreter_tensor(in, 2)->data.raw);
    assert_ptr_equal(interpreter_tensor(in, 2)->delegate, &mock.abi);
    assert_null(interpreter_tensor(in, 1)->delegate);
    kit_fill_inputs(in, 1);
    KIT_OK(interpreter_invoke(in, &diag));
    assert_string_equal(mock.log, "Piippvv");
    expect_reference_result(&m, in);
    interpreter_close(in);
    assert_string_equal(mock.log, "Piippvvff");
    mock_end(&mock);
    model_close(&m);
}

static void empty_lists_are_fine(void **state)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    mock_begin(&mock);
    mock.takes = mock_none;
    apply(in, &mock);
    assert_string_equal(mock.log, "P");
    assert_int_equal(interpreter_partition_count(in), 0);
    run_and_compare(&m, in, 2);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

static void resize_undoes_and_redoes(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, true);
    in = open_model(&m);
    mock_begin(&mock);
    apply(in, &mock);
    run_and_compare(&m, in, 3);
    assert_string_equal(mock.log, "Pipv");
    for (int round = 0; round < 3; round++) {
        const int32_t dims[] = { 2 + round, 5 };
        mock_clear_log(&mock);
        KIT_OK(interpreter_resize_input(in, 0, dims, 2, &diag));
        assert_string_equal(mock.log, "f");
        assert_int_equal(interpreter_partition_count(in), 0);
        assert_int_equal(interpreter_invoke(in, &diag), STATUS_USAGE);
        run_and_compare(&m, in, 4);
        assert_string_equal(mock.log, "fPipv");
        assert_int_equal(interpreter_tensor(in, 5)->dims->data[0], 2 + round);
    }
    /* The same dims: nothing happens. */
    mock_clear_log(&mock);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 4, 5 }, 2, &diag));
    KIT_OK(interpreter_invoke(in, &diag));
    assert_string_equal(mock.log, "v");
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

static void a_resizing_delegate_only_prepares(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, true);
    in = open_model(&m);
    mock_begin(&mock);
    mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
    mock.takes = mock_not_every;
    mock.choice = 3;
    apply(in, &mock);
    assert_string_equal(mock.log, "Pii"); /* prepared when memory is planned */
    run_and_compare(&m, in, 5);
    assert_string_equal(mock.log, "Piippvv");
    mock_clear_log(&mock);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 7, 3 }, 2, &diag));
    assert_string_equal(mock.log, "");
    run_and_compare(&m, in, 6);
    assert_string_equal(mock.log, "ppvv");
    assert_int_equal(interpreter_tensor(in, 5)->dims->data[0], 7);

    /* Applied to an allocated graph, it is prepared at once, and the graph is allocated again. */
    interpreter_close(in);
    in = open_model(&m);
    KIT_OK(interpreter_allocate(in, &diag));
    mock_clear_log(&mock);
    apply(in, &mock);
    assert_string_equal(mock.log, "Piipp");
    kit_fill_inputs(in, 7);
    KIT_OK(interpreter_invoke(in, &diag));
    expect_reference_result(&m, in);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

/* Flag 2: the shapes inside partitions are right, too. */
static void propagates_shapes_when_asked(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, false);
    for (int wants = 0; wants < 2; wants++) {
        in = open_model(&m);
        mock_begin(&mock);
        mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors |
                         (wants ? kTfLiteDelegateFlagsRequirePropagatedShapes : 0);
        apply(in, &mock);
        KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 9, 2 }, 2, &diag));
        run_and_compare(&m, in, 8);
        assert_int_equal(interpreter_tensor(in, 3)->dims->data[0], wants ? 9 : 1);
        interpreter_close(in);
        mock_end(&mock);
    }
    model_close(&m);
}

/* ---- failures ---- */

static void failures_restore_the_graph(void **state)
{
    /* Which call fails, and the log of calls up to it. */
    static const struct {
        TfLiteStatus prepare_status;
        int fail_init, fail_kernel_prepare;
        bool swallow;
        const char *log, *text;
    } rows[] = {
        { kTfLiteError, 0, 0, false, "P", "mock: Prepare told to fail" },
        { kTfLiteDelegateError, 0, 0, false, "P", "mock: Prepare told to fail" },
        { kTfLiteOk, 1, 0, false, "Pi", "node 5 (Mock) failed to initialize" },
        { kTfLiteOk, 2, 0, false, "Piif", "node 6 (Mock) failed to initialize" },
        { kTfLiteOk, 2, 0, true, "Piif", "node 6 (Mock) failed to initialize" },
        { kTfLiteOk, 0, 1, false, "Piipff", "node 5 (Mock) failed to prepare" },
        { kTfLiteOk, 0, 2, false, "Piippff", "node 6 (Mock) failed to prepare" },
    };
    struct diag diag = { 0 };
    struct model m;

    (void)state;
    chain(&m, true);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        struct interpreter *in = open_model(&m);
        struct mock mock;

        mock_begin(&mock);
        mock.takes = mock_not_every;
        mock.choice = 3;
        mock.prepare_status = rows[i / 2].prepare_status;
        mock.fail_init = rows[i / 2].fail_init;
        mock.fail_kernel_prepare = rows[i / 2].fail_kernel_prepare;
        mock.swallow = rows[i / 2].swallow;
        if (i % 2) /* to a graph that is ready, and stays so */
            KIT_OK(interpreter_allocate(in, &diag));
        expect_refused(in, &mock.abi, kTfLiteDelegateError, rows[i / 2].text);
        assert_string_equal(mock.log, rows[i / 2].log);
        assert_int_equal(interpreter_partition_count(in), 0);
        for (int t = 0; t < 6; t++)
            assert_null(interpreter_tensor(in, t)->delegate);
        if (i % 2) {
            kit_fill_inputs(in, 9);
            KIT_OK(interpreter_invoke(in, &diag));
            expect_reference_result(&m, in);
        }
        run_and_compare(&m, in, 9);
        /* The delegate is forgotten. */
        KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2, 2 }, 2, &diag));
        run_and_compare(&m, in, 9);
        assert_string_equal(mock.log, rows[i / 2].log);
        /* And may be tried again. */
        mock.prepare_status = kTfLiteOk;
        mock.fail_init = mock.fail_kernel_prepare = 0;
        apply(in, &mock);
        run_and_compare(&m, in, 9);
        assert_int_equal(interpreter_partition_count(in), 2);
        interpreter_close(in);
        mock_end(&mock);
    }
    model_close(&m);
}

static void a_failed_redo_leaves_the_reference(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, true);
    in = open_model(&m);
    mock_begin(&mock);
    apply(in, &mock);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 3, 2 }, 2, &diag));
    mock.prepare_status = kTfLiteError;
    assert_int_equal(interpreter_allocate(in, &diag), STATUS_DEVICE);
    assert_non_null(strstr(diag.text, "original execution plan is restored"));
    assert_int_equal(in->code, kTfLiteDelegateError);
    run_and_compare(&m, in, 10);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

static void invoke_fails_without_fallback(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    mock_begin(&mock);
    mock.fail_invoke = 2;
    apply(in, &mock);
    run_and_compare(&m, in, 11);
    assert_int_equal(interpreter_invoke(in, &diag), STATUS_DEVICE);
    assert_non_null(strstr(diag.text, "node 5 (Mock) failed to invoke"));
    assert_non_null(strstr(diag.text, "mock: told to fail"));
    assert_non_null(strstr(said, "mock: told to fail\n"));
    assert_int_equal(interpreter_partition_count(in), 1);
    KIT_OK(interpreter_invoke(in, &diag)); /* the third works */
    expect_reference_result(&m, in);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

static void refuses_no_delegate(void **state)
{
    TfLiteDelegate empty = { 0 };
    struct interpreter *in;
    struct model m;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    expect_refused(in, NULL, kTfLiteDelegateError, "no delegate");
    expect_refused(in, &empty, kTfLiteDelegateError, "no Prepare");
    run_and_compare(&m, in, 1);
    interpreter_close(in);
    model_close(&m);
}

/* ---- dynamic tensors ---- */

/* RELU(x), RESHAPE by an input, RELU, ADD with itself. */
static void dynamic_graph(struct model *m)
{
    struct diag diag = { 0 };
    struct options add;
    struct builder b;
    int t[5], s;

    builder_init(&b);
    options_init(&add, OPTIONS_AddOptions);
    for (int i = 0; i < 5; i++)
        t[i] = kit_vector(&b, 6);
    s = builder_tensor(&b, TENSOR_INT32, "s", 1, (int32_t[]){ 2 });
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[0], 1, &t[1]);
    builder_op(&b, BUILTIN_RESHAPE, 1, NULL, 2, (int[]){ t[1], s }, 1, &t[2]);
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[2], 1, &t[3]);
    builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ t[3], t[3] }, 1, &t[4]);
    builder_inputs(&b, 2, (int[]){ t[0], s });
    builder_outputs(&b, 2, (int[]){ t[1], t[4] });
    KIT_OK(builder_finish(&b, m, &diag));
}

static void check_dynamic_run(struct interpreter *in, int rows, int columns)
{
    struct diag diag = { 0 };
    const TfLiteTensor *y = interpreter_tensor(in, 4);

    for (int i = 0; i < 6; i++)
        interpreter_tensor(in, 0)->data.f[i] = (float)(i - 2);
    interpreter_tensor(in, 5)->data.i32[0] = rows;
    interpreter_tensor(in, 5)->data.i32[1] = columns;
    KIT_OK(interpreter_invoke(in, &diag));
    assert_int_equal(y->dims->size, 2);
    assert_int_equal(y->dims->data[0], rows);
    assert_int_equal(y->dims->data[1], columns);
    for (int i = 0; i < 6; i++)
        assert_true(y->data.f[i] == (i > 2 ? 2 * (float)(i - 2) : 0));
}

static void dynamic_tensors_need_the_flag(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    dynamic_graph(&m);
    in = open_model(&m);
    mock_begin(&mock);
    expect_refused(in, &mock.abi, kTfLiteApplicationError, "known in invoke only");
    assert_string_equal(mock.log, ""); /* it was not even asked */
    KIT_OK(interpreter_allocate(in, &diag));
    check_dynamic_run(in, 2, 3);
    expect_refused(in, &mock.abi, kTfLiteApplicationError, "tensor 4");
    check_dynamic_run(in, 3, 2);

    mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors; /* takes node 0 */
    apply(in, &mock);
    assert_int_equal(interpreter_node_partition(in, 0), 0);
    assert_int_equal(interpreter_node_partition(in, 2), -1);
    check_dynamic_run(in, 6, 1);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

/* A kernel behind a dynamic tensor is prepared in invoke, and again when the shape changes. */
static bool takes_the_tail(const struct mock *m, int node)
{
    (void)m;
    return node >= 2;
}

static TfLiteStatus tail_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const TfLiteRegistration registration = { .init = mock_init,
                                              .free = mock_free,
                                              .prepare = mock_prepare,
                                              .invoke = mock_invoke,
                                              .custom_name = "Tail" };
    TfLiteIntArray *nodes = mock_ints(2, (int[]){ 2, 3 });
    TfLiteStatus s;

    mock_note(delegate->data_, 'P');
    s = context->ReplaceNodeSubsetsWithDelegateKernels(context, registration, nodes, delegate);
    free(nodes);
    return s;
}

static void kernels_follow_dynamic_shapes(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    dynamic_graph(&m);
    in = open_model(&m);
    mock_begin(&mock);
    mock.takes = takes_the_tail;
    mock.abi.Prepare = tail_prepare;
    mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
    apply(in, &mock);
    for (int round = 0; round < 2; round++) {
        KIT_OK(interpreter_allocate(in, &diag));
        mock_clear_log(&mock);
        check_dynamic_run(in, 2, 3);
        assert_string_equal(mock.log, "pv");
        check_dynamic_run(in, 2, 3);
        assert_string_equal(mock.log, "pvv"); /* the same shape */
        check_dynamic_run(in, 3, 2);
        assert_string_equal(mock.log, "pvvpv");
        check_dynamic_run(in, 2, 3);
        assert_string_equal(mock.log, "pvvpvpv");
        KIT_OK(interpreter_resize_input(in, 5, (int32_t[]){ 3 }, 1, &diag));
        KIT_OK(interpreter_resize_input(in, 5, (int32_t[]){ 2 }, 1, &diag));
    }
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

/* A kernel may make its outputs dynamic; what reads them then follows in invoke. */
static void kernels_may_make_outputs_dynamic(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, true);
    in = open_model(&m);
    mock_begin(&mock);
    mock.takes = mock_not_every;
    mock.choice = 3;
    mock.dynamic_outputs = true;
    mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
    apply(in, &mock);
    run_and_compare(&m, in, 12);
    assert_int_equal(interpreter_tensor(in, 2)->allocation_type, kTfLiteDynamic);
    assert_int_equal(interpreter_tensor(in, 3)->allocation_type, kTfLiteDynamic); /* node 2 */
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 5, 5 }, 2, &diag));
    run_and_compare(&m, in, 13);
    /* Without the delegate nothing is dynamic. */
    mock.prepare_status = kTfLiteError;
    expect_refused(in, &mock.abi, kTfLiteDelegateError, "restored");
    run_and_compare(&m, in, 13);
    assert_int_equal(interpreter_tensor(in, 2)->allocation_type, kTfLiteArenaRw);
    assert_int_equal(interpreter_tensor(in, 3)->allocation_type, kTfLiteArenaRw);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

/* ---- several delegates ---- */

static bool takes_first_two(const struct mock *m, int node)
{
    (void)m;
    return node < 2;
}

static void delegates_go_in_order(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock first, second;

    (void)state;
    chain(&m, true);
    in = open_model(&m);
    mock_begin(&first);
    mock_begin(&second);
    first.takes = takes_first_two;
    apply(in, &first);
    assert_string_equal(first.log, "Pip");
    apply(in, &second); /* all that is left */
    assert_string_equal(second.log, "Pip");
    assert_string_equal(first.log, "Pipp"); /* memory was planned again */
    assert_int_equal(interpreter_partition_count(in), 2);
    assert_int_equal(interpreter_node_partition(in, 0), 0);
    assert_int_equal(interpreter_node_partition(in, 2), 1);
    run_and_compare(&m, in, 14);
    assert_string_equal(second.log, "Pipv");

    mock_clear_log(&first);
    mock_clear_log(&second);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2, 4 }, 2, &diag));
    assert_string_equal(first.log, "f");
    assert_string_equal(second.log, "f");
    run_and_compare(&m, in, 15);
    assert_string_equal(first.log, "fPippv");
    assert_string_equal(second.log, "fPipv");

    /* A delegate that fails removes the others, too. */
    second.prepare_status = kTfLiteError;
    mock_clear_log(&first);
    expect_refused(in, &second.abi, kTfLiteDelegateError, "original execution plan is restored");
    assert_string_equal(first.log, "f");
    assert_int_equal(interpreter_partition_count(in), 0);
    run_and_compare(&m, in, 16);
    interpreter_close(in);
    mock_end(&first);
    mock_end(&second);
    model_close(&m);
}

static void a_fixed_graph_takes_no_dynamic_output(void **state)
{
    struct interpreter *in;
    struct model m;
    struct mock first, second;

    (void)state;
    chain(&m, true);
    in = open_model(&m);
    mock_begin(&first);
    mock_begin(&second);
    first.takes = takes_first_two;
    apply(in, &first);
    second.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
    second.dynamic_outputs = true;
    expect_refused(in, &second.abi, kTfLiteApplicationError, "applied before");
    assert_int_equal(interpreter_partition_count(in), 0);
    run_and_compare(&m, in, 17);
    interpreter_close(in);
    mock_end(&first);
    mock_end(&second);
    model_close(&m);
}

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

    said[0] = '\0';
    assert_int_equal(context->GetExecutionPlan(context, &plan), !in_delegate);
    assert_int_equal(plan != NULL, in_delegate);
    assert_int_equal(strstr(said, "GetExecutionPlan") != NULL, !in_delegate);
    assert_int_equal(context->GetNodeAndRegistration(context, 0, &node, &found), !in_delegate);
    assert_int_equal(strstr(said, "GetNodeAndRegistration") != NULL, !in_delegate);
    assert_int_equal(context->PreviewDelegatePartitioning(context, nodes, &params, &count),
                     !in_delegate);
    assert_int_equal(strstr(said, "PreviewDelegatePartitioning") != NULL, !in_delegate);
    assert_int_equal(context->AcquireSubgraphContext(context, 0, &subgraph), !in_delegate);
    assert_int_equal(context->ReleaseSubgraphContext(context, 0), !in_delegate);
    if (!in_delegate) {
        assert_int_equal(context->ReplaceNodeSubsetsWithDelegateKernels(context, registration,
                                                                        nodes, &mock->abi),
                         kTfLiteError);
        assert_non_null(strstr(said, "ReplaceNodeSubsetsWithDelegateKernels"));
    }
    assert_int_equal(context->AddTensors(context, 0, &first), !may_add);
    assert_int_equal(strstr(said, "AddTensors") != NULL, !may_add);
    free(nodes);
}

static void forbids_what_is_forbidden(void **state)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    mock_begin(&mock);
    mock.probe = probe_phases;
    apply(in, &mock);
    run_and_compare(&m, in, 18);
    interpreter_close(in);
    assert_string_equal(mock.log, "Pipvf");
    mock_end(&mock);
    model_close(&m);
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
        TfLiteIntArray *nodes = mock_ints(1, (int[]){ 77 });
        TfLiteContext *subgraph;
        TfLiteRegistration *found;
        TfLiteNode *node;
        TfLiteDelegateParams *params;
        int count = -1;

        assert_int_equal(context->GetNodeAndRegistration(context, 5, &node, &found), kTfLiteError);
        assert_int_equal(context->GetNodeAndRegistration(context, -1, &node, &found), kTfLiteError);
        assert_int_equal(context->GetNodeAndRegistration(context, 0, NULL, &found), kTfLiteError);
        assert_int_equal(context->GetExecutionPlan(context, NULL), kTfLiteError);
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

static void the_context_checks_its_arguments(void **state)
{
    const struct model_metadata metadata = { .name = { "there", 5 }, .buffer = 1 };
    const struct model_buffer buffers[2] = { { .large = false },
                                             { .data = { (const uint8_t *)"abc", 3 } } };
    struct interpreter *in;
    struct model m, with_metadata;
    struct mock mock;

    (void)state;
    chain(&m, false);
    with_metadata = m;
    with_metadata.buffers = buffers;
    with_metadata.buffer_count = 2;
    with_metadata.metadata = &metadata;
    with_metadata.metadata_count = 1;
    in = open_model(&with_metadata);
    mock_begin(&mock);
    mock.probe = probe_context;
    in->external[4] = NULL;
    failing_calls = 0;
    apply(in, &mock);
    run_and_compare(&with_metadata, in, 19);
    assert_int_equal(failing_calls, 2);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

/* Temporaries of kernels have memory while the kernel runs; undoing takes the tensors away. */
static void kernels_add_tensors(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;
    TfLiteTensor *input;

    (void)state;
    chain(&m, true);
    in = open_model(&m);
    input = interpreter_tensor(in, 0);
    mock_begin(&mock);
    mock.takes = mock_not_every;
    mock.choice = 3;
    mock.add_temporary = true;
    apply(in, &mock);
    assert_int_equal(interpreter_tensor_count(in), 8);
    run_and_compare(&m, in, 20);
    for (int round = 0; round < 50; round++) {
        KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2 + round % 2, 3 }, 2, &diag));
        run_and_compare(&m, in, 21);
        assert_int_equal(interpreter_tensor_count(in), 8);
        assert_ptr_equal(interpreter_tensor(in, 0), input);
    }
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
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

static void delegates_may_replace_scales(void **state)
{
    const int64_t zero = 0;
    const float scale = 0.5f;
    struct diag diag = { 0 };
    struct interpreter *in;
    struct builder b;
    struct model m;
    struct mock mock;
    const TfLiteAffineQuantization *q;
    int x, y;

    (void)state;
    builder_init(&b);
    x = builder_tensor(&b, TENSOR_INT8, "x", 2, (int32_t[]){ 1, 3 });
    y = builder_tensor(&b, TENSOR_INT8, "y", 2, (int32_t[]){ 1, 3 });
    builder_quantization(&b, x, 1, &scale, &zero, 0);
    builder_quantization(&b, y, 1, &scale, &zero, 0);
    builder_op(&b, BUILTIN_RELU, 2, NULL, 1, &x, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);
    KIT_OK(builder_finish(&b, &m, &diag));
    in = open_model(&m);
    mock_begin(&mock);
    mock.takes = mock_none;
    mock.probe = replace_scales;
    mock.choice = y;
    apply(in, &mock);
    KIT_OK(interpreter_allocate(in, &diag));
    memcpy(interpreter_tensor(in, x)->data.raw, (const int8_t[]){ -5, 0, 7 }, 3);
    KIT_OK(interpreter_invoke(in, &diag));
    assert_memory_equal(interpreter_tensor(in, y)->data.raw, ((const int8_t[]){ 0, 0, 7 }), 3);
    q = interpreter_tensor(in, y)->quantization.params;
    assert_ptr_equal(q->scale, replaced);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

/* ---- variables, constants ---- */

static void variables_and_constants_are_inputs(void **state)
{
    const uint16_t half[] = { float_to_half(2), float_to_half(3) };
    struct diag diag = { 0 };
    struct interpreter *in;
    struct options add;
    struct builder b;
    struct model m;
    struct mock mock;
    const TfLiteDelegateParams *params;
    int x, v, h, f, s, y;

    (void)state;
    builder_init(&b);
    options_init(&add, OPTIONS_AddOptions);
    x = kit_vector(&b, 2);
    v = kit_vector(&b, 2);
    builder_variable(&b, v);
    h = builder_constant(&b, TENSOR_FLOAT16, "h", 2, (int32_t[]){ 1, 2 }, half, sizeof half);
    f = kit_vector(&b, 2);
    s = kit_vector(&b, 2);
    y = kit_vector(&b, 2);
    builder_op(&b, BUILTIN_DEQUANTIZE, 3, NULL, 1, &h, 1, &f);
    builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ x, v }, 1, &s);
    builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ s, f }, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);
    KIT_OK(builder_finish(&b, &m, &diag));

    for (int keep = 0; keep < 2; keep++) {
        in = open_model(&m);
        mock_begin(&mock);
        if (keep) { /* DEQUANTIZE stays: its output is constant and a partition's input */
            mock.takes = mock_not_every;
            mock.choice = 4; /* all of 0..2 */
        }
        mock.takes = keep ? takes_the_tail : NULL;
        apply(in, &mock);
        params = in->nodes[3]->params;
        assert_ptr_equal(in->nodes[3]->abi.builtin_data, params);
        assert_int_equal(params->nodes_to_replace->size, keep ? 1 : 3);
        if (keep) { /* nodes 0 and 1 stay */
            assert_int_equal(params->input_tensors->size, 2);
            assert_true(mock_has(params->input_tensors, f));
        } else {
            assert_int_equal(params->input_tensors->size, 3);
            assert_int_equal(params->input_tensors->data[0], x);
            assert_int_equal(params->input_tensors->data[1], v);
            assert_int_equal(params->input_tensors->data[2], h);
            assert_int_equal(params->output_tensors->size, 1);
        }
        KIT_OK(interpreter_allocate(in, &diag));
        assert_int_equal(interpreter_tensor(in, v)->allocation_type, kTfLiteArenaRwPersistent);
        interpreter_tensor(in, v)->data.f[0] = 100;
        kit_fill_inputs(in, 22);
        KIT_OK(interpreter_invoke(in, &diag));
        assert_true(interpreter_tensor(in, y)->data.f[0] ==
                    (interpreter_tensor(in, x)->data.f[0] + 100) + 2);
        interpreter_close(in);
        mock_end(&mock);
    }
    model_close(&m);
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

static bool takes_two(const struct mock *m, int node)
{
    (void)m;
    return node == 2;
}

static void inputs_are_restored(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    mock_begin(&mock);
    mock.takes = takes_two;
    mock.abi.Prepare = remapping_prepare;
    apply(in, &mock);
    assert_int_equal(in->nodes[5]->params->input_tensors->data[0], 0);
    mock.prepare_status = kTfLiteError;
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2, 2 }, 2, &diag));
    assert_int_equal(interpreter_allocate(in, &diag), STATUS_DEVICE);
    assert_int_equal(interpreter_node(in, 2)->inputs->data[0], 2);
    run_and_compare(&m, in, 23);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

/* ---- buffer handles ---- */

static void handles_are_copied_when_needed(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    mock_begin(&mock);
    mock.takes = mock_not_every;
    mock.choice = 3;
    mock.handles = true;
    apply(in, &mock);
    run_and_compare(&m, in, 24);
    /* The CPU node between the partitions needs the first's output, the user the last's. */
    assert_string_equal(mock.log, "Piippvcvc");
    assert_false(interpreter_tensor(in, 5)->data_is_stale);
    mock_clear_log(&mock);
    interpreter_allow_buffer_handles(in, true);
    KIT_OK(interpreter_invoke(in, &diag));
    assert_string_equal(mock.log, "vcv");
    assert_true(interpreter_tensor(in, 5)->data_is_stale);
    memset(interpreter_tensor(in, 5)->data.raw, 0, interpreter_tensor(in, 5)->bytes);
    KIT_OK(interpreter_make_readable(in, 5, &diag));
    KIT_OK(interpreter_make_readable(in, 5, &diag)); /* not stale any more */
    assert_string_equal(mock.log, "vcvc");
    expect_reference_result(&m, in);
    assert_int_equal(interpreter_make_readable(in, 99, &diag), STATUS_USAGE);
    mock_clear_log(&mock);
    interpreter_close(in);
    assert_string_equal(mock.log, "ffhh"); /* kernels first */
    mock_end(&mock);
    model_close(&m);
}

/* Partitions of one delegate hand over on the device: node 1 lies between two of its own. */
static void own_handles_are_not_copied(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct builder b;
    struct model m;
    struct mock mock;
    struct options add;
    int t[4];

    (void)state;
    builder_init(&b);
    options_init(&add, OPTIONS_AddOptions);
    for (int i = 0; i < 4; i++)
        t[i] = kit_vector(&b, 3);
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[0], 1, &t[1]);                /* taken */
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &t[0], 1, &t[2]);                /* not */
    builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ t[1], t[2] }, 1, &t[3]); /* taken */
    builder_inputs(&b, 1, t);
    builder_outputs(&b, 1, &t[3]);
    KIT_OK(builder_finish(&b, &m, &diag));
    in = open_model(&m);
    mock_begin(&mock);
    mock.takes = mock_not_every;
    mock.choice = 2;
    mock.handles = true;
    apply(in, &mock);
    assert_int_equal(interpreter_partition_count(in), 2);
    run_and_compare(&m, in, 25);
    assert_string_equal(mock.log, "Piippvvc"); /* only the output of the graph */
    assert_true(interpreter_tensor(in, t[1])->data_is_stale);
    interpreter_close(in);
    mock_end(&mock);
    model_close(&m);
}

static void handles_are_set_and_freed(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock, other;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    mock_begin(&mock);
    mock_begin(&other);
    mock.slots = 3;
    apply(in, &mock);
    mock_clear_log(&mock);
    KIT_OK(interpreter_set_buffer_handle(in, 5, 0, &mock.abi, &diag));
    KIT_OK(interpreter_set_buffer_handle(in, 5, 1, &mock.abi, &diag));
    assert_string_equal(mock.log, "h"); /* the replaced one */
    assert_int_equal(interpreter_tensor(in, 5)->buffer_handle, 1);
    assert_int_equal(interpreter_set_buffer_handle(in, 5, 2, &other.abi, &diag), STATUS_USAGE);
    assert_int_equal(interpreter_set_buffer_handle(in, 5, 2, NULL, &diag), STATUS_USAGE);
    assert_int_equal(interpreter_set_buffer_handle(in, 6, 2, &mock.abi, &diag), STATUS_USAGE);
    KIT_OK(interpreter_set_buffer_handle(in, 5, -1, &mock.abi, &diag));
    assert_string_equal(mock.log, "hh");
    run_and_compare(&m, in, 26);
    /* Stale data that no delegate can copy. */
    interpreter_tensor(in, 5)->data_is_stale = true;
    assert_int_equal(interpreter_make_readable(in, 5, &diag), STATUS_DEVICE);
    interpreter_tensor(in, 5)->data_is_stale = false;
    /* A buffer handle that the user set on an input survives undo and redo. */
    mock_clear_log(&mock);
    KIT_OK(interpreter_set_buffer_handle(in, 0, 2, &mock.abi, &diag));
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 4, 4 }, 2, &diag));
    assert_int_equal(interpreter_tensor(in, 0)->buffer_handle, 2);
    run_and_compare(&m, in, 27);
    assert_string_equal(mock.log, "fPipv");
    interpreter_close(in);
    assert_string_equal(mock.log, "fPipvfh");
    mock_end(&mock);
    mock_end(&other);
    model_close(&m);
}

/* After the delegate is gone the reference writes the tensor: an old handle must not come back. */
static void the_reference_beats_an_old_handle(void **state)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    struct mock mock, failing;

    (void)state;
    chain(&m, false);
    in = open_model(&m);
    mock_begin(&mock);
    mock_begin(&failing);
    mock.handles = true;
    failing.prepare_status = kTfLiteError;
    apply(in, &mock);
    interpreter_allow_buffer_handles(in, true);
    KIT_OK(interpreter_allocate(in, &diag));
    kit_fill_inputs(in, 28);
    KIT_OK(interpreter_invoke(in, &diag));
    assert_true(interpreter_tensor(in, 5)->data_is_stale);
    expect_refused(in, &failing.abi, kTfLiteDelegateError, "restored");
    interpreter_allow_buffer_handles(in, false);
    mock_clear_log(&mock);
    run_and_compare(&m, in, 29);
    assert_string_equal(mock.log, "");
    interpreter_close(in);
    mock_end(&mock);
    mock_end(&failing);
    model_close(&m);
}

/* ---- cancelling ---- */

static struct interpreter *to_cancel;

static void probe_cancel(struct mock *mock, TfLiteContext *context, const char *where)
{
    (void)mock;
    (void)context;
    if (strcmp(where, "invoke") == 0)
        assert_int_equal(interpreter_cancel(to_cancel), STATUS_OK);
}

static void cancel_stops_before_the_next_node(void **state)
{
    struct interpreter_options options = quiet;
    struct diag diag = { 0 };
    struct model m;
    struct mock mock;

    (void)state;
    chain(&m, false);
    options.cancellable = true;
    KIT_OK(interpreter_open(&to_cancel, &m, &options, &diag));
    mock_begin(&mock);
    mock.takes = mock_not_every;
    mock.choice = 3;
    mock.probe = probe_cancel;
    apply(to_cancel, &mock);
    kit_fill_inputs(to_cancel, 30);
    assert_int_not_equal(interpreter_invoke(to_cancel, &diag), STATUS_OK);
    assert_int_equal(to_cancel->code, kTfLiteCancelled);
    assert_non_null(strstr(diag.text, "cancelled before node 2"));
    mock.probe = NULL;
    run_and_compare(&m, to_cancel, 31);
    interpreter_close(to_cancel);
    mock_end(&mock);
    model_close(&m);
}

/* ---- random graphs ---- */

/* The subsets as the real runtime finds them: node after node, epoch after epoch, until nothing
 * changes. */
struct naive {
    int epoch_of_node[KIT_TENSORS], epoch_of_tensor[4 * KIT_TENSORS];
    bool taken[KIT_TENSORS];
    int epochs;
};

static void naive_partition(struct interpreter *in, const struct mock *mock, struct naive *n)
{
    const int nodes = (int)interpreter_node_count(in);
    int left = nodes;

    for (int i = 0; i < 4 * KIT_TENSORS; i++)
        n->epoch_of_tensor[i] = -2;
    for (int i = 0; i < nodes; i++) {
        n->epoch_of_node[i] = -1;
        n->taken[i] = mock->takes(mock, i);
        n->epoch_of_tensor[interpreter_node(in, i)->outputs->data[0]] = -1;
    }
    for (n->epochs = 0; left > 0; n->epochs++) {
        bool changed = true, typed = false, type = false;

        while (changed) {
            changed = false;
            for (int i = 0; i < nodes; i++) {
                const TfLiteNode *node = interpreter_node(in, i);
                bool ready = n->epoch_of_node[i] == -1;

                for (int k = 0; k < node->inputs->size; k++)
                    ready = ready && n->epoch_of_tensor[node->inputs->data[k]] != -1;
                if (!ready)
                    continue;
                if (!typed) {
                    typed = true;
                    type = n->taken[i];
                }
                if (n->taken[i] != type)
                    continue;
                n->epoch_of_node[i] = n->epochs;
                n->epoch_of_tensor[node->outputs->data[0]] = n->epochs;
                changed = true;
                left--;
            }
        }
    }
}

static bool read_in(struct interpreter *in, const struct naive *n, int tensor, int epoch, bool same)
{
    for (int i = 0; i < (int)interpreter_node_count(in); i++)
        if ((n->epoch_of_node[i] == epoch) == same &&
            mock_has(interpreter_node(in, i)->inputs, tensor))
            return true;
    return false;
}

static void check_params(struct interpreter *in, const struct naive *n, int epoch,
                         const TfLiteDelegateParams *p)
{
    size_t count;
    const int *outputs = interpreter_outputs(in, &count);
    int at = 0;

    for (int i = 0; i < (int)interpreter_node_count(in); i++)
        if (n->epoch_of_node[i] == epoch)
            assert_int_equal(p->nodes_to_replace->data[at++], i);
    assert_int_equal(p->nodes_to_replace->size, at);
    for (int t = 0; t < (int)interpreter_tensor_count(in); t++) {
        const bool inside = n->epoch_of_tensor[t] == epoch;
        bool output = read_in(in, n, t, epoch, false);

        for (size_t o = 0; o < count; o++)
            output = output || outputs[o] == t;
        assert_int_equal(mock_has(p->input_tensors, t), !inside && read_in(in, n, t, epoch, true));
        assert_int_equal(mock_has(p->output_tensors, t), inside && output);
    }
}

static void check_partition(struct interpreter *in, const struct mock *mock)
{
    static struct naive n;
    int epoch = -1;

    naive_partition(in, mock, &n);
    for (size_t step = 0; step < in->plan_count; step++) {
        const struct node *node = in->nodes[in->plan[step]];

        if (!node->op) {
            const int inner = node->params->nodes_to_replace->data[0];
            assert_true(n.epoch_of_node[inner] > epoch);
            epoch = n.epoch_of_node[inner];
            assert_true(n.taken[inner]);
            check_params(in, &n, epoch, node->params);
        } else {
            assert_false(n.taken[node->index]);
            assert_true(n.epoch_of_node[node->index] >= epoch);
            epoch = n.epoch_of_node[node->index];
        }
    }
    assert_int_equal(interpreter_partition_count(in), mock->partitions);
}

/* What runs reads only what was written before. */
static void check_order(const struct interpreter *in)
{
    bool ready[4 * KIT_TENSORS] = { false };

    for (size_t i = 0; i < in->tensor_count; i++)
        ready[i] = in->info[i].is_input || in->tensors[i].allocation_type == kTfLiteMmapRo;
    for (size_t step = 0; step < in->plan_count; step++) {
        const TfLiteNode *node = &in->nodes[in->plan[step]]->abi;
        for (int i = 0; i < node->inputs->size; i++)
            assert_true(ready[node->inputs->data[i]]);
        for (int i = 0; i < node->outputs->size; i++)
            ready[node->outputs->data[i]] = true;
    }
}

static void random_graphs_under_random_delegates(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct interpreter_options options = quiet;
        struct diag diag = { 0 };
        struct interpreter *in;
        struct model m;
        struct mock first, second;

        kit_random_graph(&m, seed, 1 + (int)(seed % 40), (int)(seed % 9));
        options.poison = true;
        options.poison_word = 0x7FC0DEAD; /* a NaN: whatever reads it shows it */
        options.guard_bytes = seed % 3 == 0 ? 64 : 0;
        options.preserve_all = seed % 5 == 0;
        KIT_OK(interpreter_open(&in, &m, &options, &diag));
        mock_begin(&first);
        mock_begin(&second);
        first.takes = second.takes = mock_by_bits;
        first.choice = seed;
        second.choice = seed + 1000;
        first.handles = seed % 4 == 1;
        first.abi.flags = seed % 7 == 2 ? kTfLiteDelegateFlagsAllowDynamicTensors : 0;
        second.abi.flags = seed % 11 == 3 ? kTfLiteDelegateFlagsAllowDynamicTensors : 0;
        apply(in, &first);
        check_partition(in, &first);
        check_order(in);
        if (seed % 2) {
            apply(in, &second);
            check_order(in);
        }
        run_and_compare(&m, in, seed);
        KIT_OK(interpreter_check_guards(in, &diag));
        kit_fill_inputs(in, seed + 1);
        KIT_OK(interpreter_invoke(in, &diag));
        expect_reference_result(&m, in);
        interpreter_close(in);
        mock_end(&first);
        mock_end(&second);
        model_close(&m);
    }
}

/* ---- every allocation fails once; many lives ---- */

static enum status one_life(const struct model *m, struct mock *mock, struct diag *diag)
{
    struct interpreter *in;
    enum status s;

    said[0] = '\0';
    s = interpreter_open(&in, m, &quiet, diag);
    if (s != STATUS_OK)
        return s;
    s = interpreter_apply_delegate(in, &mock->abi, NULL, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, diag);
    if (s == STATUS_OK) {
        memset(interpreter_tensor(in, 0)->data.raw, 0, interpreter_tensor(in, 0)->bytes);
        s = interpreter_invoke(in, diag);
    }
    if (s == STATUS_OK)
        s = interpreter_resize_input(in, 0, (int32_t[]){ 2, 6 }, 2, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, diag);
    interpreter_close(in);
    return s;
}

static void survives_failed_allocations(void **state)
{
    struct model m;

    (void)state;
    chain(&m, true);
    for (int flags = 0; flags < 2; flags++) {
        enum status s;
        long n = 0;

        do {
            struct diag diag = { 0 };
            struct mock mock;
            mock_begin(&mock);
            mock.abi.flags = flags;
            mock.takes = mock_not_every;
            mock.choice = 3;
            mem_fail_after(n++);
            s = one_life(&m, &mock, &diag);
            mem_fail_after(-1);
            mock_end(&mock);
            assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY || s == STATUS_DEVICE);
        } while (s != STATUS_OK && n < 2000);
        assert_int_equal(s, STATUS_OK);
        assert_true(n > 50);
    }
    model_close(&m);
}

static void lives_a_thousand_times(void **state)
{
    struct model m;

    (void)state;
    chain(&m, true);
    for (int i = 0; i < 1000; i++) {
        struct diag diag = { 0 };
        struct mock mock;

        mock_begin(&mock);
        mock.handles = i % 2;
        mock.takes = mock_by_bits;
        mock.choice = (uint64_t)i;
        mock.add_temporary = i % 3 == 0;
        KIT_OK(one_life(&m, &mock, &diag));
        mock_end(&mock);
    }
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_order),
        cmocka_unit_test(empty_lists_are_fine),
        cmocka_unit_test(resize_undoes_and_redoes),
        cmocka_unit_test(a_resizing_delegate_only_prepares),
        cmocka_unit_test(propagates_shapes_when_asked),
        cmocka_unit_test(failures_restore_the_graph),
        cmocka_unit_test(a_failed_redo_leaves_the_reference),
        cmocka_unit_test(invoke_fails_without_fallback),
        cmocka_unit_test(refuses_no_delegate),
        cmocka_unit_test(dynamic_tensors_need_the_flag),
        cmocka_unit_test(kernels_follow_dynamic_shapes),
        cmocka_unit_test(kernels_may_make_outputs_dynamic),
        cmocka_unit_test(delegates_go_in_order),
        cmocka_unit_test(a_fixed_graph_takes_no_dynamic_output),
        cmocka_unit_test(forbids_what_is_forbidden),
        cmocka_unit_test(the_context_checks_its_arguments),
        cmocka_unit_test(kernels_add_tensors),
        cmocka_unit_test(delegates_may_replace_scales),
        cmocka_unit_test(variables_and_constants_are_inputs),
        cmocka_unit_test(inputs_are_restored),
        cmocka_unit_test(handles_are_copied_when_needed),
        cmocka_unit_test(own_handles_are_not_copied),
        cmocka_unit_test(handles_are_set_and_freed),
        cmocka_unit_test(the_reference_beats_an_old_handle),
        cmocka_unit_test(cancel_stops_before_the_next_node),
        cmocka_unit_test(random_graphs_under_random_delegates),
        cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(lives_a_thousand_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
