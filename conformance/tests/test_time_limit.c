/* The limit of processor time: a loop ends with a message, and what ends in time goes on. */
#include "conformance/util/time_limit.h"
#include "reference/tests/kit/test.h"

#include <sys/wait.h>
#include <unistd.h>

TEST(a_loop_ends)
{
    char text[256] = "";
    int ends[2], status = 0;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        volatile unsigned turns = 0;

        dup2(ends[1], STDERR_FILENO);
        time_limit_begin(30, "conv_2d.f32.before");
        time_limit_begin(0.05, "conv_2d.f32.c5");
        for (;;)
            turns++;
    }
    close(ends[1]);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_string_equal(text, "assay: conv_2d.f32.c5: over 0.05 s of processor time\n");
}

TEST(what_ends_in_time_goes_on)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        volatile unsigned turns = 0;

        time_limit_begin(0.05, "conv_2d.f32.c5");
        time_limit_end();
        while (turns < 200u << 20)
            turns++;
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}
