/* For tests of the interpreter as host of a delegate.  See host_kit.h. */
#include "reference/tests/kit/host_kit.h"
#include "reference/tests/kit/text_kit.h"

#include <string.h>

char host_messages[4096];

static void listen(void *user, const char *format, va_list args)
{
    const size_t length = strlen(host_messages);

    (void)user;
    vsnprintf(host_messages + length, sizeof host_messages - length - 2, format, args);
    strcat(host_messages, "\n");
}

const struct interpreter_options host_options = { .num_threads = -1, .report = listen };

struct interpreter *host_open(const struct model *m)
{
    struct interpreter *in;

    host_messages[0] = '\0';
    KIT_OK(interpreter_open(&in, m, &host_options, &err));
    return in;
}

void host_apply(struct interpreter *in, struct mock *m)
{
    TfLiteStatus code = kTfLiteError;

    KIT_OK(interpreter_apply_delegate(in, &m->abi, &code, &err));
    assert_int_equal(code, kTfLiteOk);
}

void host_expect_refused(struct interpreter *in, TfLiteDelegate *delegate, TfLiteStatus want,
                         const char *text)
{
    struct diag diag = { 0 };
    TfLiteStatus code = kTfLiteOk;

    assert_int_not_equal(interpreter_apply_delegate(in, delegate, &code, &diag), STATUS_OK);
    assert_int_equal(code, want);
    if (!strstr(diag.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, diag.text);
}

void host_expect_reference_result(const struct model *m, struct interpreter *in)
{
    struct interpreter *plain;
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);

    KIT_OK(interpreter_open(&plain, m, NULL, &err));
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *t = interpreter_tensor(in, inputs[i]);
        KIT_OK(interpreter_resize_input(plain, inputs[i], t->dims->data, t->dims->size, &err));
    }
    KIT_OK(interpreter_allocate(plain, &err));
    for (size_t i = 0; i < count; i++)
        memcpy(interpreter_tensor(plain, inputs[i])->data.raw,
               interpreter_tensor(in, inputs[i])->data.raw,
               interpreter_tensor(in, inputs[i])->bytes);
    KIT_OK(interpreter_invoke(plain, &err));
    kit_same_outputs(plain, in, 0);
    interpreter_close(plain);
}

void host_run_and_compare(const struct model *m, struct interpreter *in, uint64_t seed)
{
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, seed);
    host_expect_reference_result(m, in);
}

void host_chain(struct model *m, bool all)
{
    kit_text(m,
             "RELU x:f32[1,6] -> a; ADD {} a a -> b; RELU b -> c; ADD {} c c -> d; RELU d -> e\n"
             "outputs %s",
             all ? "a b c d e" : "e");
}

struct interpreter *host_begin(struct model *m, struct mock *mock, bool all)
{
    host_chain(m, all);
    mock_begin(mock);
    return host_open(m);
}

void host_end(struct interpreter *in, struct mock *mock, struct model *m)
{
    interpreter_close(in);
    mock_end(mock);
    model_close(m);
}
