/* A child process that answers over a socket. */
#include "conformance/util/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *signal_name(int signal)
{
    static const struct {
        int number;
        const char *name;
    } names[] = { { SIGSEGV, "SIGSEGV" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },
                  { SIGFPE, "SIGFPE" },   { SIGILL, "SIGILL" },   { SIGKILL, "SIGKILL" },
                  { SIGTERM, "SIGTERM" }, { SIGPIPE, "SIGPIPE" }, { SIGTRAP, "SIGTRAP" },
                  { SIGSYS, "SIGSYS" },   { SIGXCPU, "SIGXCPU" }, { SIGINT, "SIGINT" } };
    static char other[32];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == signal)
            return names[i].name;
    }
    snprintf(other, sizeof other, "signal %d", signal);
    return other;
}

bool worker_write(int socket, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes > 0) {
        const ssize_t n = send(socket, p, bytes, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool worker_read(int socket, void *data, size_t bytes)
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

/* Delegates and drivers write what they like: not among the report. */
static void redirect(int log)
{
    const int null = open("/dev/null", O_RDONLY);

    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
}

static void close_all(struct worker *w)
{
    if (w->socket >= 0)
        close(w->socket);
    if (w->log >= 0)
        close(w->log);
    *w = (struct worker){ .pid = 0, .socket = -1, .log = -1 };
}

static int open_log(void)
{
    FILE *const f = tmpfile();
    int fd = -1;

    if (f) {
        fd = dup(fileno(f));
        fclose(f);
    }
    return fd;
}

enum status worker_start(struct worker *w, void (*serve)(int socket, void *user), void *user,
                         struct diag *diag)
{
    int ends[2] = { -1, -1 };

    *w = (struct worker){ .pid = 0, .socket = -1, .log = open_log() };
    if (w->log < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        close_all(w);
        return diag_fail(diag, STATUS_IO, "worker process: %s", strerror(errno));
    }
    w->socket = ends[0];
    fflush(NULL); /* or the child would write it again */
    w->pid = fork();
    if (w->pid < 0) {
        close(ends[1]);
        close_all(w);
        return diag_fail(diag, STATUS_IO, "worker process: %s", strerror(errno));
    }
    if (w->pid == 0) {
        close(ends[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        redirect(w->log);
        serve(ends[1], user);
        exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    return STATUS_OK;
}

bool worker_send(struct worker *w, const void *data, size_t bytes)
{
    struct stat st;

    w->logged = fstat(w->log, &st) == 0 ? st.st_size : 0;
    return worker_write(w->socket, data, bytes);
}

int worker_end(struct worker *w, bool force)
{
    int status = 0;

    if (w->pid > 0) {
        if (force)
            kill(w->pid, SIGKILL);
        while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close_all(w);
    return status;
}

void worker_last_words(const struct worker *w, char *text, size_t bytes)
{
    enum { TAIL = 16384 };
    static char tail[TAIL + 1];
    struct stat st;
    off_t from;
    ssize_t n;
    char *line, *rest = tail, *best = NULL;

    text[0] = '\0';
    if (w->log < 0 || fstat(w->log, &st) != 0)
        return;
    from = st.st_size - w->logged > TAIL ? st.st_size - TAIL : w->logged;
    n = pread(w->log, tail, TAIL, from);
    tail[n > 0 ? n : 0] = '\0';
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (*line && (!best || strncmp(best, "SUMMARY: ", 9) != 0))
            best = line;
    }
    if (best)
        snprintf(text, bytes, "%s", best);
}
