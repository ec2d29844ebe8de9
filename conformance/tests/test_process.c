/* Child processes and pools: answers, ends, deadlines, output. */
#include "reference/tests/kit/test.h"

#include "conformance/util/clock.h"
#include "conformance/util/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Starts a process that outlives this one and keeps its socket open. */
static int32_t leave_child(bool in_own_session)
{
    const pid_t child = fork();

    if (child == 0) {
        if (in_own_session)
            setsid();
        for (;;)
            pause();
    }
    return child;
}

/* Descriptors that a program keeps which is started in the place of this one. */
static int32_t count_inherited(void)
{
    int32_t count = 0;

    for (int fd = 3; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) == 0;
    return count;
}

/* Doubles what it is sent; -1: crashes, -2: hangs, -3: exits with status 3, -4 and -5: the same,
 * but leaves a process behind, in its group or in a session of its own, whose id it answers, -6:
 * counts inherited descriptors. */
static void serve(int socket, void *user)
{
    int32_t n;

    signal(SIGSEGV, SIG_DFL); /* cmocka's handler would hide it */
    printf("started %s\n", (const char *)user);
    while (process_read(socket, &n, sizeof n)) {
        printf("got %d\n", (int)n);
        fflush(stdout);
        if (n == -1)
            raise(SIGSEGV);
        if (n == -2)
            pause();
        if (n == -4 || n == -5) {
            n = leave_child(n == -5);
            process_write(socket, &n, sizeof n);
            _exit(3);
        }
        if (n == -3)
            _exit(3);
        n = n == -6 ? count_inherited() : 2 * n;
        process_write(socket, &n, sizeof n);
    }
}

static struct process start(void)
{
    static char name[] = "a child";
    struct process p;

    assert_int_equal(process_start(&p, PROCESS_OUTPUT_LOG, serve, name, &err), STATUS_OK);
    return p;
}

TEST(test_answer)
{
    struct process p = start();
    char words[32];
    int32_t n = 21;

    assert_true(process_send(&p, &n, sizeof n));
    process_expect(&p, 60);
    assert_int_equal(process_wait(&p), PROCESS_READABLE);
    assert_true(process_read(p.socket, &n, sizeof n));
    assert_int_equal(n, 42);
    process_last_words(&p, words, sizeof words);
    assert_string_equal(words, "got 21");
    assert_int_equal(process_end(&p, true) & 0x7f, SIGKILL);
    assert_int_equal(p.pid, 0);
    assert_int_equal(process_end(&p, true), 0); /* again: nothing happens */
}

/* A command that a process becomes has no file but the standard ones. */
TEST(test_inherits_nothing)
{
    const int32_t before = count_inherited();
    struct process p = start();
    int32_t n = -6;

    assert_true(process_send(&p, &n, sizeof n));
    assert_true(process_read(p.socket, &n, sizeof n));
    assert_int_equal(n, before);
    assert_int_equal(count_inherited(), before);
    process_end(&p, true);
}

TEST(test_ends)
{
    static const struct {
        int32_t sent;
        const char *end;
    } ends[] = { { -1, "SIGSEGV" }, { -3, "exit status 3" } };
    char text[32];

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct process p = start();
        int32_t n = ends[i].sent;

        assert_true(process_send(&p, &n, sizeof n));
        process_expect(&p, 60);
        assert_int_equal(process_wait(&p), PROCESS_READABLE); /* the end of the socket */
        assert_false(process_read(p.socket, &n, sizeof n));
        process_last_words(&p, text, sizeof text);
        assert_int_equal(strncmp(text, "got -", 5), 0);
        process_describe_end(process_end(&p, false), text, sizeof text);
        assert_string_equal(text, ends[i].end);
    }
}

/* Prints the lines and waits. */
static void print(int socket, void *user)
{
    int32_t n = 0;

    fputs(user, stdout);
    fflush(stdout);
    process_write(socket, &n, sizeof n);
    while (process_read(socket, &n, sizeof n))
        ;
}

static void expect_words(char *lines, const char *words)
{
    char text[64];
    struct process p;
    int32_t n;

    assert_int_equal(process_start(&p, PROCESS_OUTPUT_LOG, print, lines, &err), STATUS_OK);
    assert_true(process_read(p.socket, &n, sizeof n));
    process_last_words(&p, text, sizeof text);
    process_end(&p, true);
    assert_string_equal(text, words);
}

/* The line that tells the cause, not the stack frames behind it. */
TEST(test_last_words)
{
    expect_words((char[]){ "one\ntwo\n    @     0x55a6 (unknown)\n\n" }, "two");
    expect_words((char[]){ "F1122 x.cc:3] Check failed: a\nF0000 y\n    @ 0x1 main\nend\n" },
                 "F1122 x.cc:3] Check failed: a");
    expect_words((char[]){ "Check failed: a\nSUMMARY: AddressSanitizer: leak\nend\n" },
                 "SUMMARY: AddressSanitizer: leak");
    expect_words((char[]){ "    @ 0x1 main\n" }, "    @ 0x1 main");
    expect_words((char[]){ "" }, "");
}

/* A process that died between two jobs takes no other. */
TEST(test_send_to_the_dead)
{
    struct process p = start();
    int32_t n = -3;

    assert_true(process_send(&p, &n, sizeof n));
    assert_false(process_read(p.socket, &n, sizeof n));
    assert_false(process_send(&p, &n, sizeof n));
    process_end(&p, false);
}

TEST(test_late)
{
    const double begin = clock_s();
    struct process p = start();
    int32_t n = -2;

    assert_true(process_send(&p, &n, sizeof n));
    process_expect(&p, 0.2);
    assert_int_equal(process_wait(&p), PROCESS_LATE);
    assert_true(clock_s() - begin >= 0.2);
    process_end(&p, true);
}

/* What a process leaves behind keeps nobody waiting, and ends with it. */
TEST(test_forks)
{
    char text[32];

    for (int32_t sent = -5; sent <= -4; sent++) {
        const double begin = clock_s();
        struct process p = start(), other = start();
        int32_t n = sent, child;

        assert_true(process_send(&p, &n, sizeof n));
        assert_true(process_read(p.socket, &child, sizeof child));
        assert_int_equal(kill(child, 0), 0);
        process_expect(&p, 60);
        assert_int_equal(process_wait(&p), PROCESS_READABLE);
        assert_false(process_read(p.socket, &n, sizeof n));
        process_describe_end(process_end(&p, false), text, sizeof text);
        assert_string_equal(text, "exit status 3");
        assert_int_equal(kill(child, 0), -1);
        assert_true(clock_s() - begin < 10);
        n = 4; /* another process is left alone */
        assert_true(process_send(&other, &n, sizeof n));
        assert_true(process_read(other.socket, &n, sizeof n));
        process_end(&other, true);
    }
}

/* Two answer, one hangs, and the place of the fourth is empty. */
TEST(test_pool)
{
    enum { COUNT = 4 };
    bool done[COUNT] = { false };
    struct process_pool pool;

    assert_int_equal(process_pool_open(&pool, COUNT, &err), STATUS_OK);
    assert_false(process_pool_is_busy(&pool));
    for (int32_t i = 0; i < COUNT - 1; i++) {
        const int32_t n = i == 2 ? -2 : i;

        pool.items[i] = start();
        process_expect(&pool.items[i], i == 2 ? 0.2 : 60);
        assert_true(process_send(&pool.items[i], &n, sizeof n));
    }
    while (process_pool_is_busy(&pool)) {
        assert_int_equal(process_pool_wait(&pool, &err), STATUS_OK);
        for (int32_t i = 0; i < COUNT; i++) {
            int32_t n;

            if (pool.items[i].event == PROCESS_NOTHING)
                continue;
            assert_int_equal(pool.items[i].event, i == 2 ? PROCESS_LATE : PROCESS_READABLE);
            if (i != 2) {
                assert_true(process_read(pool.items[i].socket, &n, sizeof n));
                assert_int_equal(n, 2 * i);
            }
            process_end(&pool.items[i], true);
            done[i] = true;
        }
    }
    assert_true(done[0] && done[1] && done[2] && !done[3]);
    process_pool_close(&pool);
    assert_true(process_count_processors() >= 1);
}
