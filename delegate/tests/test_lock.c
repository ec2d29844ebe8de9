/* The order of locks: what violates it aborts, and says which two locks it was about.  Built with
 * the check, which the delegate itself has in sanitizer builds only. */
#ifndef ASSAY_LOCK_ORDER
#define ASSAY_LOCK_ORDER
#endif
#include "reference/tests/kit/test.h"

#include "delegate/base/lock.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct lock outer, inner, newer, older;

FIXTURE(open_locks)
{
    lock_init(&outer, LOCK_RANK_DELEGATE, 0);
    lock_init(&inner, LOCK_RANK_BLOCKS, 0);
    lock_init(&newer, LOCK_RANK_KERNEL, 8);
    lock_init(&older, LOCK_RANK_KERNEL, 7);
    return 0;
}

FIXTURE(close_locks)
{
    lock_destroy(&outer);
    lock_destroy(&inner);
    lock_destroy(&newer);
    lock_destroy(&older);
    return 0;
}

/* Runs it in a child, which must abort with this message. */
static void expect_abort(void (*run)(void), const char *message)
{
    char text[256] = "";
    size_t used = 0;
    int ends[2], status;
    ssize_t n;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        run();
        _exit(0);
    }
    close(ends[1]);
    while (used < sizeof text - 1 && (n = read(ends[0], text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(text, message);
}

TEST(acquire_in_order)
{
    static struct lock fixed = LOCK_INITIALIZER(LOCK_RANK_MESSAGES);

    for (int i = 0; i < 3; i++) {
        lock_acquire(&outer);
        lock_acquire(&newer);
        lock_acquire(&older);
        lock_acquire(&inner);
        lock_acquire(&fixed);
        lock_release(&newer); /* in any order */
        lock_release(&fixed);
        lock_release(&inner);
        lock_release(&older);
        lock_acquire(&inner);
        lock_release(&inner);
        lock_release(&outer);
    }
}

static void take_inner_first(void)
{
    lock_acquire(&inner);
    lock_acquire(&outer);
}

static void take_twice(void)
{
    lock_acquire(&outer);
    lock_acquire(&outer);
}

static void take_older_first(void)
{
    lock_acquire(&older);
    lock_acquire(&newer);
}

static void release_unheld(void)
{
    lock_acquire(&inner);
    lock_release(&inner);
    lock_release(&inner);
}

TEST(wrong_order_aborts)
{
    expect_abort(take_inner_first,
                 "assay delegate: lock order: gpu_delegate.lock (serial 0) acquired while "
                 "blocks.lock (serial 0) is held\n");
    expect_abort(take_twice, "assay delegate: lock order: gpu_delegate.lock (serial 0) acquired "
                             "while gpu_delegate.lock (serial 0) is held\n");
    expect_abort(take_older_first,
                 "assay delegate: lock order: kernel.run_lock (serial 8) acquired while "
                 "kernel.run_lock (serial 7) is held\n");
    expect_abort(release_unheld, "assay delegate: lock order: blocks.lock released by a thread "
                                 "that does not hold it\n");
}

/* Each thread holds locks of its own. */
static void *acquire_outer(void *user)
{
    (void)user;
    lock_acquire(&outer);
    lock_release(&outer);
    return NULL;
}

TEST(threads_apart)
{
    pthread_t thread;

    lock_acquire(&inner);
    assert_int_equal(pthread_create(&thread, NULL, acquire_outer, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    lock_release(&inner);
}

TEST_FILE(.setup = open_locks, .teardown = close_locks);
