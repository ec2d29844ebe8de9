/* Work in a process of its own: what it returns, how it ends, where it stands still. */
#include "conformance/util/interrupt.h"
#include "conformance/util/watched.h"
#include "reference/tests/kit/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int returns(void *user)
{
    (void)user;
    return 5;
}

static int dies(void *user)
{
    watched_stage("inference");
    watched_about("relu");
    watched_step();
    watched_step();
    raise(*(const int *)user);
    return 0;
}

static int leaves(void *user)
{
    (void)user;
    watched_stage("making the delegate");
    _exit(0);
}

static void at_exit(void)
{
    raise(SIGKILL);
}

static int dies_at_exit(void *user)
{
    (void)user;
    watched_stage("closing");
    atexit(at_exit);
    return 0;
}

static int stands_still(void *user)
{
    (void)user;
    watched_stage("inference");
    watched_step();
    while (!interrupt_signal())
        pause();
    return 0;
}

/* A second in all, but never longer than a third without a step. */
static int moves(void *user)
{
    (void)user;
    watched_stage("inference");
    for (int i = 0; i < 8; i++) {
        watched_step();
        usleep(125000);
    }
    return 6;
}

TEST(ends)
{
    static int kill_signal = SIGKILL, abort_signal = SIGABRT;
    static const struct {
        int (*work)(void *user);
        int *user;
        double still_s;
        bool ended, late;
        int code;
        const char *reason;
    } rows[] = {
        { returns, NULL, 60, false, false, 5, "" },
        { dies, &kill_signal, 60, true, false, 0, "SIGKILL in inference 2 of relu" },
        { dies, &abort_signal, 60, true, false, 0, "SIGABRT in inference 2 of relu" },
        { leaves, NULL, 60, true, false, 0, "exit status 0 in making the delegate" },
        { dies_at_exit, NULL, 60, true, false, 0, "SIGKILL in closing" },
        { stands_still, NULL, 0.2, true, true, 0, "nothing moved for 0.2 s in inference 1" },
        { moves, NULL, 0.4, false, false, 6, "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct watched_end end;

        KIT_OK(watched_run(rows[i].work, rows[i].user, rows[i].still_s, &end, &err));
        if (strcmp(end.reason, rows[i].reason) != 0)
            fail_msg("row %zu: \"%s\"", i, end.reason);
        assert_int_equal(end.ended, rows[i].ended);
        assert_int_equal(end.late, rows[i].late);
        assert_true(end.ended || end.code == rows[i].code);
    }
}

/* The signal that this process gets ends the work there. */
static int waits_for_a_signal(void *user)
{
    (void)user;
    interrupt_begin();
    kill(getppid(), SIGTERM);
    while (!interrupt_signal())
        usleep(1000);
    return 7;
}

TEST(signals_are_passed_on)
{
    struct watched_end end;

    interrupt_begin();
    KIT_OK(watched_run(waits_for_a_signal, NULL, 60, &end, &err));
    interrupt_end();
    assert_false(end.ended);
    assert_int_equal(end.code, 7);
    interrupt_begin(); /* forgets the signal */
    interrupt_end();
}

/* Where nobody watches they do nothing. */
TEST(unwatched)
{
    char now[32];

    watched_stage("inference");
    watched_step();
    watched_now(now, sizeof now);
    assert_string_equal(now, "its work");
}
