/* Buffer handles: when the host copies data from a delegate, and who frees a handle. */
#include "reference/tests/kit/host_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

TEST(handles_are_copied_when_needed)
{
    struct interpreter *in;
    struct model m CLOSED_BY(model_close);
    struct mock mock CLOSED_BY(mock_end);

    in = host_begin(&m, &mock, false);
    mock.takes = mock_not_every;
    mock.choice = 3;
    mock.handles = true;
    host_apply(in, &mock);
    host_run_and_compare(&m, in, 24);
    /* The CPU node between the partitions needs the first's output, the user the last's. */
    assert_string_equal(mock.log, "Piippvcvc");
    assert_false(interpreter_tensor(in, 5)->data_is_stale);
    mock_clear_log(&mock);
    interpreter_allow_buffer_handles(in, true);
    KIT_OK(interpreter_invoke(in, &err));
    assert_string_equal(mock.log, "vcv");
    assert_true(interpreter_tensor(in, 5)->data_is_stale);
    memset(interpreter_tensor(in, 5)->data.raw, 0, interpreter_tensor(in, 5)->bytes);
    KIT_OK(interpreter_make_readable(in, 5, &err));
    KIT_OK(interpreter_make_readable(in, 5, &err)); /* not stale any more */
    assert_string_equal(mock.log, "vcvc");
    host_expect_reference_result(&m, in);
    assert_int_equal(interpreter_make_readable(in, 99, &err), STATUS_USAGE);
    mock_clear_log(&mock);
    interpreter_close(in);
    assert_string_equal(mock.log, "ffhh"); /* kernels first */
}

/* Partitions of one delegate hand over on the device: node 1 lies between two of its own. */
TEST(own_handles_are_not_copied)
{
    struct interpreter *in;
    struct model m;
    struct mock mock;

    /* RELU -> b is not taken, the others are. */
    kit_text(&m, "RELU x:f32[1,3] -> a; RELU x -> b; ADD {} a b -> y");
    in = host_open(&m);
    mock_begin(&mock);
    mock.takes = mock_not_every;
    mock.choice = 2;
    mock.handles = true;
    host_apply(in, &mock);
    assert_int_equal(interpreter_partition_count(in), 2);
    host_run_and_compare(&m, in, 25);
    assert_string_equal(mock.log, "Piippvvc"); /* only the output of the graph */
    assert_true(interpreter_tensor(in, 1)->data_is_stale);
    host_end(in, &mock, &m);
}

TEST(handles_are_set_and_freed)
{
    struct interpreter *in;
    struct model m CLOSED_BY(model_close);
    struct mock mock CLOSED_BY(mock_end);

    in = host_begin(&m, &mock, false);
    MOCK(other);
    mock.slots = 3;
    host_apply(in, &mock);
    mock_clear_log(&mock);
    KIT_OK(interpreter_set_buffer_handle(in, 5, 0, &mock.abi, &err));
    KIT_OK(interpreter_set_buffer_handle(in, 5, 1, &mock.abi, &err));
    assert_string_equal(mock.log, "h"); /* the replaced one */
    assert_int_equal(interpreter_tensor(in, 5)->buffer_handle, 1);
    assert_int_equal(interpreter_set_buffer_handle(in, 5, 2, &other.abi, &err), STATUS_USAGE);
    assert_int_equal(interpreter_set_buffer_handle(in, 5, 2, NULL, &err), STATUS_USAGE);
    assert_int_equal(interpreter_set_buffer_handle(in, 6, 2, &mock.abi, &err), STATUS_USAGE);
    KIT_OK(interpreter_set_buffer_handle(in, 5, -1, &mock.abi, &err));
    assert_string_equal(mock.log, "hh");
    host_run_and_compare(&m, in, 26);
    /* Stale data that no delegate can copy. */
    interpreter_tensor(in, 5)->data_is_stale = true;
    assert_int_equal(interpreter_make_readable(in, 5, &err), STATUS_DEVICE);
    interpreter_tensor(in, 5)->data_is_stale = false;
    /* A buffer handle that the user set on an input survives undo and redo. */
    mock_clear_log(&mock);
    KIT_OK(interpreter_set_buffer_handle(in, 0, 2, &mock.abi, &err));
    KIT_OK(interpreter_resize_input(in, 0, (int32_t[]){ 4, 4 }, 2, &err));
    assert_int_equal(interpreter_tensor(in, 0)->buffer_handle, 2);
    host_run_and_compare(&m, in, 27);
    assert_string_equal(mock.log, "fPipv");
    interpreter_close(in);
    assert_string_equal(mock.log, "fPipvfh");
}

static void expect_text(struct diag *diag, enum status s, enum status expected, const char *text)
{
    assert_int_equal(s, expected);
    assert_string_equal(diag->text, text);
    *diag = (struct diag){ 0 };
}

/* A file may leave tensors without a name. */
TEST(tensors_without_a_name)
{
    static _Alignas(64) char memory[1024];
    TfLiteTensor *t;
    struct model m CLOSED_BY(model_close);
    struct mock mock CLOSED_BY(mock_end);

    MOCK(other);
    INTERPRETER_BY(in, host_begin(&m, &mock, false));
    mock.slots = 1;
    host_apply(in, &mock);
    KIT_OK(interpreter_allocate(in, &err));
    t = interpreter_tensor(in, 5);
    t->name = NULL;
    KIT_OK(interpreter_set_buffer_handle(in, 5, 0, &mock.abi, &err));
    expect_text(&err, interpreter_set_buffer_handle(in, 5, 0, &other.abi, &err), STATUS_USAGE,
                "tensor 5 () belongs to another delegate");
    KIT_OK(interpreter_set_buffer_handle(in, 5, -1, &mock.abi, &err));
    t->data_is_stale = true;
    expect_text(&err, interpreter_make_readable(in, 5, &err), STATUS_DEVICE,
                "tensor 5 (): data is stale, and no delegate can copy it from its buffer handle");
    t->data_is_stale = false;
    expect_text(&err, interpreter_set_custom(in, 5, memory + 1, 512, false, &err), STATUS_USAGE,
                "tensor 5 (): memory at an address that is not a multiple of 64");
    expect_text(&err, interpreter_set_custom(in, 5, memory, 1, false, &err), STATUS_USAGE,
                "tensor 5 (): caller's memory of 1 bytes, expected at least 24");
    t->allocation_type = kTfLiteDynamic;
    expect_text(&err, interpreter_set_custom(in, 5, memory, 512, false, &err), STATUS_USAGE,
                "tensor 5 () is constant or dynamic, expected an activation or a variable");
    t->allocation_type = kTfLiteArenaRw;
}

/* After the delegate is gone the reference writes the tensor: an old handle must not come back. */
TEST(the_reference_beats_an_old_handle)
{
    struct model m CLOSED_BY(model_close);
    struct mock mock CLOSED_BY(mock_end);

    MOCK(failing);
    INTERPRETER_BY(in, host_begin(&m, &mock, false));
    mock.handles = true;
    failing.prepare_status = kTfLiteError;
    host_apply(in, &mock);
    interpreter_allow_buffer_handles(in, true);
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 28);
    assert_true(interpreter_tensor(in, 5)->data_is_stale);
    host_expect_refused(in, &failing.abi, kTfLiteDelegateError, "restored");
    interpreter_allow_buffer_handles(in, false);
    mock_clear_log(&mock);
    host_run_and_compare(&m, in, 29);
    assert_string_equal(mock.log, "");
}
