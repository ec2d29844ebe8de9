/* The interpreter as host of a delegate: the order of calls, failures, several delegates, and
 * cancelling; each allocation failing once, and a thousand interpreters one after another. */
#include "reference/tests/kit/host_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/runtime/state.h"

/* ---- the life of a delegate ---- */

TEST(calls_in_order)
{
    struct interpreter *in;
    struct model m CLOSED_BY(model_close);
    struct mock mock CLOSED_BY(mock_end);

    in = host_begin(&m, &mock, false);
    mock.takes = mock_not_every;
    mock.choice = 3; /* nodes 0, 1 and 3, 4 */
    host_apply(in, &mock);
    assert_string_equal(mock.log, "Piipp");
    assert_int_equal(mock.partitions, 2);
    assert_int_equal(interpreter_partition_count(in), 2);
    assert_int_equal(interpreter_node_partition(in, 1), 0);
    assert_int_equal(interpreter_node_partition(in, 2), -1);
    assert_int_equal(interpreter_node_partition(in, 4), 1);
    KIT_OK(interpreter_allocate(in, &err)); /* nothing changed */
    assert_string_equal(mock.log, "Piipp");
    assert_null(interpreter_tensor(in, 1)->data.raw); /* inside */
    assert_non_null(interpreter_tensor(in, 2)->data.raw);
    assert_ptr_equal(interpreter_tensor(in, 2)->delegate, &mock.abi);
    assert_null(interpreter_tensor(in, 1)->delegate);
    kit_invoke(in, 1);
    assert_string_equal(mock.log, "Piippvv");
    host_expect_reference_result(&m, in);
    interpreter_close(in);
    assert_string_equal(mock.log, "Piippvvff");
}

TEST(empty_lists_are_fine)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    in = host_begin(&m, &mock, false);
    mock.takes = mock_none;
    host_apply(in, &mock);
    assert_string_equal(mock.log, "P");
    assert_int_equal(interpreter_partition_count(in), 0);
    host_run_and_compare(&m, in, 2);
    host_end(in, &mock, &m);
}

TEST(resize_undoes_and_redoes)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    in = host_begin(&m, &mock, true);
    host_apply(in, &mock);
    host_run_and_compare(&m, in, 3);
    assert_string_equal(mock.log, "Pipv");
    for (int round = 0; round < 3; round++) {
        const int32_t dims[] = { 2 + round, 5 };
        mock_clear_log(&mock);
        KIT_OK(interpreter_resize_input(in, 0, dims, 2, &err));
        assert_string_equal(mock.log, "f");
        assert_int_equal(interpreter_partition_count(in), 0);
        assert_int_equal(interpreter_invoke(in, &err), STATUS_USAGE);
        host_run_and_compare(&m, in, 4);
        assert_string_equal(mock.log, "fPipv");
        assert_int_equal(interpreter_tensor(in, 5)->dims->data[0], 2 + round);
    }
    /* The same dims: nothing happens. */
    mock_clear_log(&mock);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 4, 5 }, 2, &err));
    KIT_OK(interpreter_invoke(in, &err));
    assert_string_equal(mock.log, "v");
    host_end(in, &mock, &m);
}

TEST(a_resizing_delegate_only_prepares)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    in = host_begin(&m, &mock, true);
    mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
    mock.takes = mock_not_every;
    mock.choice = 3;
    host_apply(in, &mock);
    assert_string_equal(mock.log, "Pii"); /* prepared when memory is planned */
    host_run_and_compare(&m, in, 5);
    assert_string_equal(mock.log, "Piippvv");
    mock_clear_log(&mock);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 7, 3 }, 2, &err));
    assert_string_equal(mock.log, "");
    host_run_and_compare(&m, in, 6);
    assert_string_equal(mock.log, "ppvv");
    assert_int_equal(interpreter_tensor(in, 5)->dims->data[0], 7);

    /* Applied to an allocated graph, it is prepared at once, and the graph is allocated again. */
    interpreter_close(in);
    in = host_open(&m);
    KIT_OK(interpreter_allocate(in, &err));
    mock_clear_log(&mock);
    host_apply(in, &mock);
    assert_string_equal(mock.log, "Piipp");
    kit_invoke(in, 7);
    host_expect_reference_result(&m, in);
    host_end(in, &mock, &m);
}

/* Flag 2: the shapes inside partitions are right, too. */
TEST(propagates_shapes_when_asked)
{
    MODEL_BY(m, host_chain(&m, false));
    for (int wants = 0; wants < 2; wants++) {
        MOCK(mock);
        INTERPRETER_BY(in, host_open(&m));
        mock.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors |
                         (wants ? kTfLiteDelegateFlagsRequirePropagatedShapes : 0);
        host_apply(in, &mock);
        KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 9, 2 }, 2, &err));
        host_run_and_compare(&m, in, 8);
        assert_int_equal(interpreter_tensor(in, 3)->dims->data[0], wants ? 9 : 1);
    }
}

/* ---- failures ---- */

TEST(failures_restore_the_graph)
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

    MODEL_BY(m, host_chain(&m, true));
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        MOCK(mock);
        INTERPRETER_BY(in, host_open(&m));

        mock.takes = mock_not_every;
        mock.choice = 3;
        mock.prepare_status = rows[i / 2].prepare_status;
        mock.fail_init = rows[i / 2].fail_init;
        mock.fail_kernel_prepare = rows[i / 2].fail_kernel_prepare;
        mock.swallow = rows[i / 2].swallow;
        if (i % 2) /* to a graph that is ready, and stays so */
            KIT_OK(interpreter_allocate(in, &err));
        host_expect_refused(in, &mock.abi, kTfLiteDelegateError, rows[i / 2].text);
        assert_string_equal(mock.log, rows[i / 2].log);
        assert_int_equal(interpreter_partition_count(in), 0);
        for (int t = 0; t < 6; t++)
            assert_null(interpreter_tensor(in, t)->delegate);
        if (i % 2) {
            kit_invoke(in, 9);
            host_expect_reference_result(&m, in);
        }
        host_run_and_compare(&m, in, 9);
        /* The delegate is forgotten. */
        KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2, 2 }, 2, &err));
        host_run_and_compare(&m, in, 9);
        assert_string_equal(mock.log, rows[i / 2].log);
        /* And may be tried again. */
        mock.prepare_status = kTfLiteOk;
        mock.fail_init = mock.fail_kernel_prepare = 0;
        host_apply(in, &mock);
        host_run_and_compare(&m, in, 9);
        assert_int_equal(interpreter_partition_count(in), 2);
    }
}

TEST(a_failed_redo_leaves_the_reference)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    in = host_begin(&m, &mock, true);
    host_apply(in, &mock);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 3, 2 }, 2, &err));
    mock.prepare_status = kTfLiteError;
    assert_int_equal(interpreter_allocate(in, &err), STATUS_DEVICE);
    assert_non_null(strstr(err.text, "original execution plan is restored"));
    assert_int_equal(in->code, kTfLiteDelegateError);
    host_run_and_compare(&m, in, 10);
    host_end(in, &mock, &m);
}

TEST(invoke_fails_without_fallback)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    in = host_begin(&m, &mock, false);
    mock.fail_invoke = 2;
    host_apply(in, &mock);
    host_run_and_compare(&m, in, 11);
    assert_int_equal(interpreter_invoke(in, &err), STATUS_DEVICE);
    assert_non_null(strstr(err.text, "node 5 (Mock) failed to invoke"));
    assert_non_null(strstr(err.text, "mock: told to fail"));
    assert_non_null(strstr(host_messages, "mock: told to fail\n"));
    assert_int_equal(interpreter_partition_count(in), 1);
    KIT_OK(interpreter_invoke(in, &err)); /* the third works */
    host_expect_reference_result(&m, in);
    host_end(in, &mock, &m);
}

TEST(refuses_no_delegate)
{
    TfLiteDelegate empty = { 0 };

    MODEL_BY(m, host_chain(&m, false));
    INTERPRETER_BY(in, host_open(&m));
    host_expect_refused(in, NULL, kTfLiteDelegateError, "no delegate");
    host_expect_refused(in, &empty, kTfLiteDelegateError, "no Prepare");
    empty.opaque_delegate_builder = &empty;
    host_expect_refused(in, &empty, kTfLiteDelegateError, "a builder of the opaque ABI");
    host_run_and_compare(&m, in, 1);
}

/* ---- several delegates ---- */

TEST(delegates_go_in_order)
{
    MODEL_BY(m, host_chain(&m, true));
    MOCK(first);
    MOCK(second);
    INTERPRETER_BY(in, host_open(&m));
    first.takes = mock_below;
    first.choice = 2;
    host_apply(in, &first);
    assert_string_equal(first.log, "Pip");
    host_apply(in, &second); /* all that is left */
    assert_string_equal(second.log, "Pip");
    assert_string_equal(first.log, "Pipp"); /* memory was planned again */
    assert_int_equal(interpreter_partition_count(in), 2);
    assert_int_equal(interpreter_node_partition(in, 0), 0);
    assert_int_equal(interpreter_node_partition(in, 2), 1);
    host_run_and_compare(&m, in, 14);
    assert_string_equal(second.log, "Pipv");

    mock_clear_log(&first);
    mock_clear_log(&second);
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 2, 4 }, 2, &err));
    assert_string_equal(first.log, "f");
    assert_string_equal(second.log, "f");
    host_run_and_compare(&m, in, 15);
    assert_string_equal(first.log, "fPippv");
    assert_string_equal(second.log, "fPipv");

    /* A delegate that fails removes the others, too. */
    second.prepare_status = kTfLiteError;
    mock_clear_log(&first);
    host_expect_refused(in, &second.abi, kTfLiteDelegateError,
                        "original execution plan is restored");
    assert_string_equal(first.log, "f");
    assert_int_equal(interpreter_partition_count(in), 0);
    host_run_and_compare(&m, in, 16);
}

TEST(a_fixed_graph_takes_no_dynamic_output)
{
    MODEL_BY(m, host_chain(&m, true));
    MOCK(first);
    MOCK(second);
    INTERPRETER_BY(in, host_open(&m));
    first.takes = mock_below;
    first.choice = 2;
    host_apply(in, &first);
    second.abi.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
    second.dynamic_outputs = true;
    host_expect_refused(in, &second.abi, kTfLiteApplicationError, "applied before");
    assert_int_equal(interpreter_partition_count(in), 0);
    host_run_and_compare(&m, in, 17);
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

TEST(cancel_stops_before_the_next_node)
{
    struct interpreter_options options = host_options;

    MODEL_BY(m, host_chain(&m, false));
    options.cancellable = true;
    KIT_OK(interpreter_open(&to_cancel, &m, &options, &err));
    MOCK(mock);
    mock.takes = mock_not_every;
    mock.choice = 3;
    mock.probe = probe_cancel;
    host_apply(to_cancel, &mock);
    kit_fill_inputs(to_cancel, 30);
    assert_int_not_equal(interpreter_invoke(to_cancel, &err), STATUS_OK);
    assert_int_equal(to_cancel->code, kTfLiteCancelled);
    assert_non_null(strstr(err.text, "cancelled before node 2"));
    mock.probe = NULL;
    host_run_and_compare(&m, to_cancel, 31);
    interpreter_close(to_cancel);
}

/* ---- every allocation fails once; many lives ---- */

static enum status one_life(const struct model *m, struct mock *mock, struct diag *diag)
{
    enum status s;

    host_messages[0] = '\0';
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    s = interpreter_open(&in, m, &host_options, diag);
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
    return s;
}

TEST(survives_failed_allocations)
{
    MODEL_BY(m, host_chain(&m, true));
    for (int flags = 0; flags < 2; flags++) {
        enum status s;
        long n = 0;

        do {
            struct mock mock CLOSED_BY(mock_end);
            mock_begin(&mock);
            mock.abi.flags = flags;
            mock.takes = mock_not_every;
            mock.choice = 3;
            mem_fail_after(n++);
            s = one_life(&m, &mock, &err);
            mem_fail_after(-1);
            assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY || s == STATUS_DEVICE);
        } while (s != STATUS_OK && n < 2000);
        assert_int_equal(s, STATUS_OK);
        assert_true(n > 50);
    }
}

TEST(lives_a_thousand_times)
{
    MODEL_BY(m, host_chain(&m, true));
    for (int i = 0; i < 1000; i++) {
        MOCK(mock);
        mock.handles = i % 2;
        mock.takes = mock_by_bits;
        mock.choice = (uint64_t)i;
        mock.add_temporary = i % 3 == 0;
        KIT_OK(one_life(&m, &mock, &err));
    }
}
