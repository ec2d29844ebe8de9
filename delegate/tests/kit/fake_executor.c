/* Wrap: executor_open executor_record executor_input executor_output executor_run executor_close */
#include "delegate/tests/kit/fake_executor.h"

#include "delegate/vulkan/executor.h"
#include "reference/tests/kit/test.h"

#include <string.h>

const struct fake_executor *fake_executor;

__typeof__(executor_open) __real_executor_open, __wrap_executor_open;
__typeof__(executor_record) __real_executor_record, __wrap_executor_record;
__typeof__(executor_input) __real_executor_input, __wrap_executor_input;
__typeof__(executor_output) __real_executor_output, __wrap_executor_output;
__typeof__(executor_run) __real_executor_run, __wrap_executor_run;
__typeof__(executor_close) __real_executor_close, __wrap_executor_close;

enum status __wrap_executor_open(struct executor *e, struct device *d, const struct plan *plan,
                                 const struct gpu_options *options, struct pipeline_cache *cache,
                                 struct diag *diag)
{
    bool planned = false;

    if (!fake_executor)
        return __real_executor_open(e, d, plan, options, cache, diag);
    assert_int_equal(plan->input_count, 1);
    for (int i = 0; i < plan->step_count; i++)
        planned = planned || strncmp(plan->steps[i]->shader, fake_executor->shader,
                                     strlen(fake_executor->shader)) == 0;
    assert_true(planned);
    return fake_executor->call(FAKE_OPEN, diag);
}

enum status __wrap_executor_record(struct executor *e, struct diag *diag)
{
    return fake_executor ? fake_executor->call(FAKE_RECORD, diag) : __real_executor_record(e, diag);
}

void *__wrap_executor_input(struct executor *e, int i)
{
    return fake_executor ? fake_executor->input : __real_executor_input(e, i);
}

const void *__wrap_executor_output(const struct executor *e, int i)
{
    return fake_executor ? fake_executor->output : __real_executor_output(e, i);
}

enum status __wrap_executor_run(struct executor *e, struct diag *diag)
{
    return fake_executor ? fake_executor->call(FAKE_RUN, diag) : __real_executor_run(e, diag);
}

void __wrap_executor_close(struct executor *e)
{
    if (!fake_executor)
        __real_executor_close(e);
}
