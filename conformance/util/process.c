/* Child processes by fork, a socket pair and poll. */
#include "conformance/util/process.h"

#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *signal_name(int number)
{
    static const struct {
        int value;
        const char *name;
    } names[] = { { SIGSEGV, "SIGSEGV" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },
                  { SIGFPE, "SIGFPE" },   { SIGILL, "SIGILL" },   { SIGKILL, "SIGKILL" },
                  { SIGTERM, "SIGTERM" }, { SIGPIPE, "SIGPIPE" }, { SIGTRAP, "SIGTRAP" },
                  { SIGSYS, "SIGSYS" },   { SIGXCPU, "SIGXCPU" }, { SIGINT, "SIGINT" } };
    static char other[32];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].value == number)
            return names[i].name;
    }
    snprintf(other, sizeof other, "signal %d", number);
    return other;
}

void process_describe_end(int status, char *text, size_t bytes)
{
    if (WIFSIGNALED(status))
        snprintf(text, bytes, "%s", signal_name(WTERMSIG(status)));
    else
        snprintf(text, bytes, "exit status %d", WEXITSTATUS(status));
}

uint64_t process_resident_bytes(void)
{
    FILE *const f = fopen("/proc/self/statm", "re");
    unsigned long long size, pages = 0;

    if (f) {
        if (fscanf(f, "%llu %llu", &size, &pages) != 2)
            pages = 0;
        fclose(f);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void process_keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

size_t process_count_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 ? (size_t)n : 1;
}

bool process_write(int socket, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes > 0) {
        ssize_t n = send(socket, p, bytes, MSG_NOSIGNAL);

        if (n < 0 && errno == ENOTSOCK)
            n = write(socket, p, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool process_read(int socket, void *data, size_t bytes)
{
    char *p = data;

    while (bytes > 0) {
        const ssize_t n = recv(socket, p, bytes, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* What delegates and drivers print must not mix with the report on stdout. */
static void redirect(int output)
{
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

static void close_all(struct process *p)
{
    if (p->socket >= 0)
        close(p->socket);
    if (p->log >= 0)
        close(p->log);
    *p = (struct process){ .pid = 0, .socket = -1, .log = -1 };
}

static int open_log(void)
{
    FILE *const f = tmpfile();
    int fd = -1;

    if (f) {
        fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 0);
        fclose(f);
    }
    return fd;
}

/* ---- what processes leave behind ---- */

/* Processes that were started and have not ended; 0: a free place.  Other children are strays. */
enum { LIVE_MAX = 2048 };
static pid_t live[LIVE_MAX];

static void replace_live(pid_t from, pid_t to)
{
    for (size_t i = 0; i < LIVE_MAX; i++) {
        if (live[i] == from) {
            live[i] = to;
            return;
        }
    }
}

static bool is_live(pid_t pid)
{
    for (size_t i = 0; i < LIVE_MAX; i++) {
        if (live[i] == pid)
            return true;
    }
    return false;
}

/* Ends the children that were a process's and became ours when it died.  Only those of another
 * process group: what the program itself forks elsewhere stays in its own.  Where the kernel does
 * not list children they are left. */
static void end_strays(void)
{
    char path[64];
    FILE *f;
    int pid;

    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    f = fopen(path, "re");
    while (f && fscanf(f, "%d", &pid) == 1) {
        if (is_live(pid) || getpgid(pid) == getpgrp())
            continue;
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (f)
        fclose(f);
}

/* In the child: a group of its own, so that what it forks can be ended with it; the end of the
 * parent ends it; signals are as a new program has them. */
static void set_up_child(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], SIG_DFL);
    signal(SIGTTOU, SIG_IGN); /* it may write to the terminal, though it is in the background */
}

enum status process_start(struct process *p, enum process_output output,
                          void (*serve)(int socket, void *user), void *user, struct diag *diag)
{
    const bool logs = output == PROCESS_OUTPUT_LOG;
    int ends[2] = { -1, -1 };

    *p = (struct process){ .pid = 0, .socket = -1, .log = logs ? open_log() : -1 };
    if ((logs && p->log < 0) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        close_all(p);
        return diag_fail(diag, STATUS_IO, "worker process: %s", strerror(errno));
    }
    p->socket = ends[0];
    fflush(NULL); /* else the child would write the buffers again */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    p->pid = fork();
    if (p->pid < 0) {
        close(ends[1]);
        close_all(p);
        return diag_fail(diag, STATUS_IO, "worker process: %s", strerror(errno));
    }
    if (p->pid == 0) {
        close(ends[0]);
        set_up_child();
        redirect(logs ? p->log : STDERR_FILENO);
        serve(ends[1], user);
        exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    setpgid(p->pid, p->pid); /* whichever of the two is first */
    replace_live(0, p->pid);
    return STATUS_OK;
}

#ifdef ASSAY_COVERAGE
void __gcov_dump(void);
#endif

void process_leave(int status)
{
#ifdef ASSAY_COVERAGE
    __gcov_dump();
#endif
    _exit(status);
}

bool process_send(struct process *p, const void *data, size_t bytes)
{
    struct stat st;

    p->logged = fstat(p->log, &st) == 0 ? st.st_size : 0;
    return process_write(p->socket, data, bytes);
}

void process_expect(struct process *p, double timeout_s)
{
    p->deadline_s = clock_s() + timeout_s;
    p->event = PROCESS_NOTHING;
}

/* Whether the process has ended; its status is still to be fetched. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = { .si_pid = 0 };

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

/* A process that closed its socket is about to end: one that does not is ended by force. */
static void await_end(pid_t pid)
{
    static const double patience_s = 30;
    const double until = clock_s() + patience_s;

    while (!has_ended(pid)) {
        if (clock_s() > until) {
            kill(pid, SIGKILL);
            return;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
    }
}

int process_end(struct process *p, bool by_force)
{
    int status = 0;

    if (p->pid > 0) {
        if (!by_force)
            await_end(p->pid);
        kill(-p->pid, SIGKILL); /* it, and what it has forked */
        while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
            ;
        replace_live(p->pid, 0);
        end_strays();
    }
    close_all(p);
    return status;
}

/* How much a line of a dying process tells: stack frames nothing, its last words something, what a
 * failed check or an uncaught exception prints more, a sanitizer's summary most. */
static int rank_words(const char *line)
{
    static const char *const causes[] = { "Check failed",     "CHECK failed", "Assertion",
                                          "terminate called", "what():",      "FATAL" };

    if (strncmp(line, "SUMMARY: ", 9) == 0)
        return 3;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        if (strstr(line, causes[i]))
            return 2;
    }
    if (line[0] == 'F' && line[1] >= '0' && line[1] <= '9' && line[2] >= '0' && line[2] <= '9')
        return 2; /* glog and absl begin fatal messages so */
    return strncmp(line + strspn(line, " "), "@ ", 2) == 0 || !*line ? 0 : 1;
}

void process_last_words(const struct process *p, char *text, size_t bytes)
{
    enum { TAIL = 16384 };
    static char tail[TAIL + 1];
    struct stat st;
    off_t from;
    ssize_t n;
    char *line, *rest = tail, *best = NULL;
    int best_rank = 0;

    text[0] = '\0';
    if (p->log < 0 || fstat(p->log, &st) != 0)
        return;
    from = st.st_size - p->logged > TAIL ? st.st_size - TAIL : p->logged;
    n = pread(p->log, tail, TAIL, from);
    tail[n > 0 ? n : 0] = '\0';
    while ((line = strsep(&rest, "\n")) != NULL) {
        const int rank = rank_words(line);

        /* Of causes the first counts, of other words the last. */
        if (*line && (!best || rank > best_rank || (rank == best_rank && rank < 2))) {
            best = line;
            best_rank = rank;
        }
    }
    if (best)
        snprintf(text, bytes, "%s", best);
}

/* ---- waiting ---- */

static bool is_waited_for(const struct process *p)
{
    return p->pid > 0 && p->deadline_s > 0;
}

/* Milliseconds until the first deadline, a second at most, so that callers can show the time. */
static int time_left_ms(const struct process *list, size_t count)
{
    double first = INFINITY;

    for (size_t i = 0; i < count; i++) {
        if (is_waited_for(&list[i]))
            first = fmin(first, list[i].deadline_s);
    }
    first = ceil((first - clock_s()) * 1000);
    return first < 0 ? 0 : first > 1000 ? 1000 : (int)first;
}

/* Waits once; sets the events.  False: poll failed. */
static bool wait_once(struct process *list, struct pollfd *fds, size_t count)
{
    static const double check_ends_every_s = 0.2; /* it is a system call for each process */
    static double ends_checked_s;
    bool checks_ends = false;
    double now;

    for (size_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){ .fd = is_waited_for(&list[i]) ? list[i].socket : -1,
                                  .events = POLLIN };
    if (poll(fds, (nfds_t)count, time_left_ms(list, count)) < 0) {
        for (size_t i = 0; i < count; i++)
            fds[i].revents = 0;
        if (errno != EINTR)
            return false;
    }
    now = clock_s();
    if (now - ends_checked_s >= check_ends_every_s) {
        ends_checked_s = now;
        checks_ends = true;
    }
    for (size_t i = 0; i < count; i++) {
        /* What a dead process has forked may hold its socket open: its answer, or else the end, is
         * to be read all the same. */
        if (checks_ends && is_waited_for(&list[i]) && !fds[i].revents && has_ended(list[i].pid)) {
            shutdown(list[i].socket, SHUT_RDWR);
            fds[i].revents = POLLHUP;
        }
        list[i].event = !is_waited_for(&list[i])    ? PROCESS_NOTHING
                        : fds[i].revents            ? PROCESS_READABLE
                        : now >= list[i].deadline_s ? PROCESS_LATE
                                                    : PROCESS_NOTHING;
    }
    return true;
}

enum process_event process_wait(struct process *p)
{
    struct pollfd fd;

    do {
        if (!wait_once(p, &fd, 1))
            return PROCESS_LATE;
    } while (p->event == PROCESS_NOTHING && is_waited_for(p) && !interrupt_signal());
    return p->event;
}

/* ---- pools ---- */

enum status process_pool_open(struct process_pool *pool, size_t count, struct diag *diag)
{
    *pool = (struct process_pool){ .items = mem_alloc(count, sizeof *pool->items),
                                   .fds = mem_alloc(count, sizeof *pool->fds) };
    if (!pool->items || !pool->fds) {
        process_pool_close(pool);
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu processes: out of memory", count);
    }
    pool->count = count;
    for (size_t i = 0; i < count; i++)
        pool->items[i] = (struct process){ .pid = 0, .socket = -1, .log = -1 };
    return STATUS_OK;
}

void process_pool_close(struct process_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        process_end(&pool->items[i], true);
    mem_free(pool->items);
    mem_free(pool->fds);
    *pool = (struct process_pool){ .count = 0 };
}

bool process_pool_is_busy(const struct process_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        if (is_waited_for(&pool->items[i]))
            return true;
    }
    return false;
}

enum status process_pool_wait(struct process_pool *pool, struct diag *diag)
{
    if (!wait_once(pool->items, pool->fds, pool->count))
        return diag_fail(diag, STATUS_IO, "poll: %s", strerror(errno));
    return STATUS_OK;
}
