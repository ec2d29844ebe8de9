/* Options of the LiteRT accelerator where memory is lacking, which is said. */
#include "delegate/tests/kit/gpu_kit.h"
#include "delegate/tests/kit/memory_faults.h"
#include "reference/tests/kit/test.h"

#include "delegate/api/litert_options.h"

static enum status add_two(void *user, struct diag *diag)
{
    struct litert_options o CLOSED_BY(litert_options_close) = { .count = 0 };
    enum status s = litert_options_add(&o, "here", "wait=active", diag);

    (void)user;
    if (s == STATUS_OK)
        s = litert_options_add_gpu(&o, "precision = 1\n", diag);
    if (s == STATUS_OK) {
        assert_int_equal(o.count, 2);
        assert_string_equal(o.keys[0], "wait");
        assert_string_equal(o.values[0], "active");
        assert_string_equal(o.keys[1], "precision");
        assert_string_equal(o.values[1], "fp16");
    }
    return s;
}

TEST(no_memory)
{
    memory_faults_all(&(struct memory_scene){ "options", add_two, NULL, false }, false);
}
