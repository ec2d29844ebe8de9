/* Parsers in a child process: what they may not do, and how their ends are told. */
/* Wrap: recv */
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include "conformance/util/clock.h"
#include "conformance/util/parser.h"
#include "conformance/util/parser_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The library that reads: each kind does something else. */
enum deed {
    ANSWERS,      /* a good status, and 20,000 bytes in two parts */
    REFUSES,      /* a bad status with a message */
    CRASHES,      /* by a signal */
    ABORTS,       /* after words on stderr */
    EXITS,        /* without an answer */
    LOOPS,        /* for ever */
    SLEEPS,       /* for ever */
    EATS_MEMORY,  /* until there is none, and says so */
    EATS_QUIETLY, /* and says something else */
    OPENS,        /* the one file that it may, another, and one later */
    WRITES,       /* to a file of the parent's */
    BAD_STATUS,   /* no status that there is */
    LOW_STATUS,   /* a status below 0 */
    LONG_MESSAGE, /* says that a message of 4 GiB follows */
    HALF          /* an answer, and an end in the middle of its bytes */
};

struct task {
    enum deed deed;
    int file; /* of the parent's */
};

static unsigned char sent[20000];

/* recv of libc, or this error where it is not 0. */
static int recv_error;
ssize_t __real_recv(int socket, void *data, size_t bytes, int flags);
ssize_t __wrap_recv(int socket, void *data, size_t bytes, int flags);
ssize_t __wrap_recv(int socket, void *data, size_t bytes, int flags)
{
    if (recv_error == 0)
        return __real_recv(socket, data, bytes, flags);
    errno = recv_error;
    return -1;
}

static void send_status(int socket, int32_t status, uint32_t message)
{
    const struct {
        int32_t status, memory;
        uint32_t bytes;
    } answer = { status, 0, message };

    process_write(socket, &answer, sizeof answer);
}

static void reply(int socket, enum status s, const char *text)
{
    struct diag diag = { .status = s };

    snprintf(diag.text, sizeof diag.text, "%s", text);
    parser_answer(socket, &(struct parser_reply){
                              .status = s,
                              .diag = &diag,
                              .parts = { { sent, 10 }, { sent + 10, sizeof sent - 10 } } });
}

/* The memory that it got stays: nobody else is in this process. */
static void eat(void)
{
    static void *kept[4096];

    for (size_t i = 0; i < 4096; i++) {
        kept[i] = malloc(1 << 20);
        if (!kept[i])
            return;
        memset(kept[i], 1, 1 << 20);
    }
}

static void open_files(int socket)
{
    char text[64];
    const int one = open("/etc/passwd", O_RDONLY), two = open("/etc/passwd", O_RDONLY);
    int three;

    parser_opened();
    close(one);
    three = open("/etc/passwd", O_RDONLY);
    snprintf(text, sizeof text, "%d %d %d", one >= 0, two >= 0, three >= 0);
    reply(socket, STATUS_INVALID, text);
}

static void serve(int socket, void *user)
{
    const struct task *const t = user;
    volatile unsigned turns = 0;

    parser_begin();
    switch (t->deed) {
    case ANSWERS: reply(socket, STATUS_OK, ""); break;
    case REFUSES: reply(socket, STATUS_UNSUPPORTED, "no such thing"); break;
    case CRASHES: raise(SIGSEGV); break;
    case ABORTS: fputs("free(): invalid pointer\n", stderr); abort();
    case EXITS: break;
    case LOOPS:
        while (turns != 1) /* which is even */
            turns += 2;
        break;
    case SLEEPS:
        for (;;)
            pause();
    case EATS_MEMORY:
        eat();
        reply(socket, STATUS_NO_MEMORY, "no room");
        break;
    case EATS_QUIETLY:
        eat();
        reply(socket, STATUS_IO, "damaged");
        break;
    case OPENS: open_files(socket); break;
    case WRITES: reply(socket, STATUS_INVALID, write(t->file, "x", 1) < 0 ? "no" : "yes"); break;
    case BAD_STATUS: send_status(socket, 1000, 0); break;
    case LOW_STATUS: send_status(socket, -1, 0); break;
    case LONG_MESSAGE: send_status(socket, STATUS_IO, UINT32_MAX); break;
    case HALF:
        send_status(socket, STATUS_OK, 0);
        process_write(socket, sent, sizeof sent / 2);
        break;
    }
}

/* Runs it, and reads an answer of sizeof sent bytes. */
static enum status run(enum deed deed, unsigned char *got, struct diag *diag)
{
    struct task t = { deed, STDOUT_FILENO };
    const struct parser_job job = { .name = "libx", .files = 1, .serve = serve, .user = &t };
    struct parser p;
    enum status s;

    *diag = (struct diag){ .status = STATUS_OK };
    assert_int_equal(parser_start(&p, &job, diag), STATUS_OK);
    s = parser_result(&p, diag);
    if (s == STATUS_OK) {
        s = parser_receive(&p, got, 5, diag);
        if (s == STATUS_OK)
            s = parser_receive(&p, got + 5, sizeof sent - 5, diag);
    }
    parser_end(&p);
    parser_end(&p);
    assert_int_equal(diag->status, s);
    return s;
}

static void expect(enum deed deed, enum status wanted, const char *words)
{
    unsigned char got[sizeof sent];
    const enum status s = run(deed, got, &err);

    if (s != wanted || !strstr(err.text, words))
        fail_msg("deed %d: status %d and '%s', expected '%s'", (int)deed, (int)s, err.text, words);
}

TEST(answers_arrive)
{
    unsigned char got[sizeof sent];

    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (unsigned char)(i * 7 + i / 256);
    assert_int_equal(run(ANSWERS, got, &err), STATUS_OK);
    assert_memory_equal(got, sent, sizeof sent);
    expect(REFUSES, STATUS_UNSUPPORTED, "no such thing");
}

TEST(faults_are_errors)
{
    expect(CRASHES, STATUS_IO, "libx crashed (SIGSEGV) while reading it");
    expect(ABORTS, STATUS_IO, "libx crashed (SIGABRT) while reading it: free(): invalid pointer");
    expect(EXITS, STATUS_IO, "libx crashed (exit status 0) while reading it");
    expect(BAD_STATUS, STATUS_IO, "an answer of another kind");
    expect(LOW_STATUS, STATUS_IO, "an answer of another kind");
    expect(LONG_MESSAGE, STATUS_IO, "an answer of another kind");
    expect(HALF, STATUS_IO, "libx crashed (exit status 0)");
}

/* A socket that gives nothing more, and an application that does not want to know of children. */
TEST(ends_that_are_not_seen)
{
    const struct parser_limits before = parser_limits;

    parser_limits.wait_s = 1;
    recv_error = EIO;
    expect(ANSWERS, STATUS_IO, "libx crashed (exit status 0) while reading it");
    recv_error = 0;
    signal(SIGCHLD, SIG_IGN);
    expect(EXITS, STATUS_IO, "libx crashed (exit status 0) while reading it");
    signal(SIGCHLD, SIG_DFL);
    parser_limits = before;
}

/* An answer of which the socket takes only the beginning. */
TEST(answers_that_do_not_fit)
{
    static const unsigned char large[1 << 24];
    const struct parser_reply reply = { .status = STATUS_OK,
                                        .parts = { { sent, 10 }, { large, sizeof large } } };
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    assert_false(parser_answer(ends[0], &reply));
    close(ends[0]);
    close(ends[1]);
}

TEST(time_is_limited)
{
    const struct parser_limits before = parser_limits;
    double start = clock_s();

    parser_limits.cpu_s = 1;
    expect(LOOPS, STATUS_IO, "takes more than 1 s of processor time");
    assert_true(clock_s() - start > 0.5);
    parser_limits.wait_s = 1;
    start = clock_s();
    expect(SLEEPS, STATUS_IO, "no answer within 1 s");
    assert_true(clock_s() - start < 60);
    parser_limits = before;
}

TEST(memory_is_limited)
{
    const struct parser_limits before = parser_limits;

    if (!parser_limits_memory())
        skip();
    parser_limits.memory_mib = 64;
    expect(EATS_MEMORY, STATUS_IO, "libx needs more than 64 MiB of memory to read it: no room");
    expect(EATS_QUIETLY, STATUS_IO, "libx needs more than 64 MiB of memory to read it: damaged");
    parser_limits = before;
}

/* So many bytes that an address has no room for their sum are no limit. */
TEST(memory_without_limit)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        void *volatile some;

        parser_limit_memory(UINT64_MAX, UINT64_MAX);
        some = malloc((size_t)16 << 20);
        _exit(some ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST(files_are_limited)
{
    const int null = open("/dev/null", O_WRONLY), left_open = fcntl(null, F_DUPFD, 100);
    struct task t = { WRITES, left_open };
    const struct parser_job job = { .name = "libx", .serve = serve, .user = &t };
    struct parser p;

#ifndef ASSAY_COVERAGE
    expect(OPENS, STATUS_INVALID, "1 0 0");
#endif
    assert_true(left_open >= 100);
    assert_int_equal(parser_start(&p, &job, &err), STATUS_OK);
    assert_int_equal(parser_result(&p, &err), STATUS_INVALID);
    assert_string_equal(err.text, "no"); /* the child has none of the parent's */
    parser_end(&p);
    close(left_open);
    close(null);
}

/* As a driver's threads: they hold the lock of malloc, which a sanitizer's does not give back in a
 * child, and of stdio now and then. */
static atomic_bool stop;

static void *be_busy(void *user)
{
    (void)user;
    while (!stop) {
        void *volatile p = KIT_SANITIZED ? NULL : malloc(1 << 10); /* else it is optimized away */

        free(p);
        fflush(stderr);
    }
    return NULL;
}

TEST(threads_of_the_parent_do_not_matter)
{
    pthread_t threads[3];

    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, be_busy, NULL), 0);
    for (size_t i = 0; i < 50; i++)
        expect(REFUSES, STATUS_UNSUPPORTED, "no such thing");
    stop = true;
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
