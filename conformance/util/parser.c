/* Forks a child with limits, and tells how it ended. */
#include "conformance/util/parser.h"

#include "conformance/util/clock.h"
#include "conformance/util/parser_limits.h"
#include "reference/base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

struct parser_limits parser_limits;

struct parser_limits parser_limits_now(void)
{
    const struct parser_limits *const set = &parser_limits;
    const uint64_t mib = limit_of(LIMIT_PARSER_BYTES) >> 20, cpu_s = limit_of(LIMIT_PARSER_SECONDS);

    return (struct parser_limits){
        .memory_mib = set->memory_mib ? set->memory_mib : (unsigned)(mib < INT_MAX ? mib : INT_MAX),
        .cpu_s = set->cpu_s ? set->cpu_s : (unsigned)(cpu_s < INT_MAX ? cpu_s : INT_MAX),
        .wait_s = set->wait_s ? set->wait_s : PARSER_WAIT_S,
    };
}

enum { FIRST_FILE = 4, LOG_BYTES_MAX = 1 << 16 }; /* 0 to 2, and the socket, are open */

static const uint64_t mib = 1 << 20;

bool parser_limits_memory(void)
{
    return !SANITIZED;
}

/* ---- the child ---- */

struct answer {
    int32_t status, memory;
    uint32_t bytes; /* of the message, which follows */
};

static void set_limit(int which, rlim_t soft, rlim_t hard)
{
    struct rlimit now;

    if (getrlimit(which, &now) == 0 && now.rlim_max < hard)
        hard = now.rlim_max;
    setrlimit(which, &(struct rlimit){ .rlim_cur = soft < hard ? soft : hard, .rlim_max = hard });
}

/* Bytes of address space that this process has. */
static size_t address_space(void)
{
    FILE *const f = fopen("/proc/self/statm", "re");
    size_t pages = 0;

    if (f) {
        if (fscanf(f, "%zu", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static rlim_t sum(rlim_t limit, uint64_t bytes)
{
    return bytes < RLIM_INFINITY - limit ? limit + (rlim_t)bytes : RLIM_INFINITY;
}

void parser_limit_memory(uint64_t library, uint64_t result)
{
    const size_t now = address_space();

    if (parser_limits_memory() && now > 0)
        set_limit(RLIMIT_AS, sum(now, library), sum(sum(now, library), result));
}

void parser_allow(size_t bytes)
{
    struct rlimit now;

    if (parser_limits_memory() && getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_cur != RLIM_INFINITY)
        set_limit(RLIMIT_AS, sum(now.rlim_cur, bytes), now.rlim_max);
}

static void limit_files(int files)
{
#ifndef ASSAY_COVERAGE /* whose counters are written when the child ends */
    set_limit(RLIMIT_NOFILE, (rlim_t)(FIRST_FILE + files), RLIM_INFINITY);
#else
    (void)files;
#endif
}

void parser_opened(void)
{
#ifndef ASSAY_COVERAGE
    set_limit(RLIMIT_NOFILE, FIRST_FILE, FIRST_FILE);
#endif
}

/* A fault ends the child; what stops the parent is for the parent to act upon. */
static void set_signals(void)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    static const int others[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGPIPE };
    sigset_t none;

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        signal(faults[i], SIG_DFL);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        signal(others[i], SIG_IGN);
    signal(SIGXCPU, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Leaves open: nothing as stdin, the log as stdout and stderr, and the socket, as FIRST_FILE - 1.
 */
static void keep_files(int socket, int log)
{
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    log = fcntl(log, F_DUPFD_CLOEXEC, 2 * FIRST_FILE); /* not one that is replaced below */
    socket = fcntl(socket, F_DUPFD_CLOEXEC, 2 * FIRST_FILE);
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (dup2(socket, FIRST_FILE - 1) < 0)
        _exit(EXIT_FAILURE);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, FIRST_FILE, ~0U, 0) == 0)
        return;
#endif
    for (int fd = FIRST_FILE; fd < 4096; fd++)
        close(fd);
}

static _Noreturn void run_child(const struct parser_job *job, int socket, int log)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    set_signals();
    keep_files(socket, log);
    parser_limit_memory(parser_limits_now().memory_mib * mib, job->result_bytes);
    set_limit(RLIMIT_CORE, 0, 0);
    prctl(PR_SET_DUMPABLE, 0); /* nor a core by way of a program */
    set_limit(RLIMIT_CPU, parser_limits_now().cpu_s, (rlim_t)parser_limits_now().cpu_s + 1);
#ifndef ASSAY_COVERAGE
    set_limit(RLIMIT_FSIZE, LOG_BYTES_MAX, LOG_BYTES_MAX);
#endif
    if (job->files > 0)
        limit_files(job->files);
    else
        parser_opened();
    job->serve(FIRST_FILE - 1, job->user);
    process_leave(EXIT_SUCCESS);
}

void parser_begin(void)
{
    errno = 0;
}

/* Small answers are sent at once, so that the parent wakes up once. */
static bool send_parts(int socket, const struct parser_part *parts, size_t count)
{
    unsigned char together[4096];
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        if (parts[i].bytes <= sizeof together - at) {
            if (parts[i].bytes > 0)
                memcpy(together + at, parts[i].data, parts[i].bytes);
            at += parts[i].bytes;
            continue;
        }
        if (!(process_write(socket, together, at) &&
              process_write(socket, parts[i].data, parts[i].bytes)))
            return false;
        at = 0;
    }
    return process_write(socket, together, at);
}

bool parser_answer(int socket, const struct parser_reply *reply)
{
    const enum status s = reply->status;
    const char *const text = s != STATUS_OK && reply->diag ? reply->diag->text : "";
    const struct answer a = { .status = (int32_t)s,
                              .memory =
                                  s != STATUS_OK && (reply->memory_was_short || errno == ENOMEM ||
                                                     s == STATUS_NO_MEMORY),
                              .bytes = (uint32_t)strlen(text) };
    const struct parser_part parts[] = {
        { &a, sizeof a }, { text, a.bytes }, reply->parts[0], reply->parts[1]
    };

    return send_parts(socket, parts, s == STATUS_OK ? 4 : 2);
}

/* ---- the parent ---- */

enum status parser_start(struct parser *p, const struct parser_job *job, struct diag *diag)
{
    static const struct timeval look_at_clock = { .tv_usec = 200000 };
    int ends[2] = { -1, -1 };

    *p = (struct parser){ .process = { .socket = -1, .log = -1 },
                          .name = job->name,
                          .memory_mib = parser_limits_now().memory_mib };
    p->process.log = memfd_create("log", MFD_CLOEXEC);
    if (p->process.log < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        goto fail;
    p->process.socket = ends[0];
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &look_at_clock, sizeof look_at_clock);
    fflush(stdout);
    fflush(stderr);
    p->process.pid = fork();
    if (p->process.pid == 0)
        run_child(job, ends[1], p->process.log);
    if (p->process.pid < 0)
        goto fail;
    close(ends[1]);
    parser_expect(p);
    return STATUS_OK;
fail:
    diag_fail(diag, STATUS_IO, "a process for %s: %s", job->name, strerror(errno));
    if (ends[1] >= 0)
        close(ends[1]);
    p->process.pid = 0;
    parser_end(p);
    return STATUS_IO;
}

void parser_expect(struct parser *p)
{
    p->deadline_s = clock_s() + parser_limits_now().wait_s;
}

/* Reads the child's end, kills it where it has none, and says why there is no answer. */
static enum status fail_ended(struct parser *p, bool late, struct diag *diag)
{
    char words[256] = "", end[64];
    int status = 0;

    if (p->process.pid <= 0)
        return diag_fail(diag, STATUS_IO, "%s is not running", p->name);
    if (late)
        kill(p->process.pid, SIGKILL);
    while (waitpid(p->process.pid, &status, 0) < 0 && errno == EINTR)
        ;
    p->process.pid = 0;
    if (late)
        return diag_fail(diag, STATUS_IO, "%s has given no answer within %u s", p->name,
                         parser_limits_now().wait_s);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return diag_fail(diag, STATUS_IO, "%s takes more than %u s of processor time to read it",
                         p->name, parser_limits_now().cpu_s);
    process_describe_end(status, end, sizeof end);
    process_last_words(&p->process, words, sizeof words);
    return diag_fail(diag, STATUS_IO, "%s crashed (%s) while reading it%s%s", p->name, end,
                     words[0] ? ": " : "", words);
}

/* The child ends with its socket; a while is enough for that, and what remains is late. */
static enum status fail_closed(struct parser *p, struct diag *diag)
{
    siginfo_t info = { .si_pid = 0 };

    for (int i = 0; i < 2000 && p->process.pid > 0; i++) {
        if (waitid(P_PID, (id_t)p->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid == p->process.pid)
            return fail_ended(p, false, diag);
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return fail_ended(p, true, diag);
}

enum status parser_send(struct parser *p, const void *data, size_t bytes, struct diag *diag)
{
    parser_expect(p);
    return process_write(p->process.socket, data, bytes) ? STATUS_OK : fail_closed(p, diag);
}

static size_t take_ahead(struct parser *p, char *to, size_t bytes)
{
    const size_t left = p->ahead_end - p->ahead_at, count = bytes < left ? bytes : left;

    if (count > 0)
        memcpy(to, p->ahead + p->ahead_at, count);
    p->ahead_at += count;
    return count;
}

enum status parser_receive(struct parser *p, void *data, size_t bytes, struct diag *diag)
{
    char *to = data;
    size_t taken = take_ahead(p, to, bytes);

    for (to += taken, bytes -= taken; bytes > 0; to += taken, bytes -= taken) {
        const bool directly = bytes >= sizeof p->ahead;
        const ssize_t n = recv(p->process.socket, directly ? (void *)to : p->ahead,
                               directly ? bytes : sizeof p->ahead, 0);

        taken = 0;
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return fail_closed(p, diag);
        if (n > 0 && directly) {
            taken = (size_t)n;
        } else if (n > 0) {
            p->ahead_at = 0;
            p->ahead_end = (size_t)n;
            taken = take_ahead(p, to, bytes);
        }
        if (taken < bytes && clock_s() > p->deadline_s)
            return fail_ended(p, true, diag);
    }
    return STATUS_OK;
}

enum status parser_result(struct parser *p, struct diag *diag)
{
    char text[sizeof diag->text];
    struct answer a;

    TRY(parser_receive(p, &a, sizeof a, diag));
    if (a.status < 0 || a.status >= STATUS_COUNT || a.bytes >= sizeof text)
        return diag_fail(diag, STATUS_IO, "%s has given an answer of another kind", p->name);
    TRY(parser_receive(p, text, a.bytes, diag));
    text[a.bytes] = '\0';
    if (a.status == STATUS_OK)
        return STATUS_OK;
    if (text[0] == '\0')
        return diag_fail(diag, STATUS_IO, "%s has failed without a reason", p->name);
    if (a.memory)
        return diag_fail(diag, STATUS_IO, "%s needs more than %zu MiB of memory to read it: %s",
                         p->name, p->memory_mib, text);
    return diag_fail(diag, (enum status)a.status, "%s", text);
}

void parser_end(struct parser *p)
{
    if (p->process.pid > 0) {
#ifdef ASSAY_COVERAGE /* the child ends with its socket, and then writes its counters */
        shutdown(p->process.socket, SHUT_RDWR);
#else
        kill(p->process.pid, SIGKILL);
#endif
        while (waitpid(p->process.pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (p->process.socket >= 0)
        close(p->process.socket);
    if (p->process.log >= 0)
        close(p->process.log);
    p->process = (struct process){ .pid = 0, .socket = -1, .log = -1 };
}
