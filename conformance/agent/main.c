/* assay-agent: runs models for a suite that is elsewhere, on stdin and stdout or on a socket. */
#include "conformance/agent/serve.h"

#include "conformance/suite/subject/line_dial.h"
#include "conformance/suite/subject/wire.h"
#include "conformance/util/process.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };
enum { HELLO_S = 30 }; /* a connection that says nothing has no worker for longer */

static const char help[] =
    "Usage: assay-agent [--subject=SUBJECT] [--listen=ADDRESS] [--secret-file=FILE]\n"
    "Runs models for an assay that is elsewhere, and answers with their outputs.\n"
    "\n"
    "  --subject=SUBJECT   who runs them, as assay conformance has it: delegate:PATH,\n"
    "                      tflite-c:PATH, litert:cpu, reference (default); the host's keys are\n"
    "                      added to its own\n"
    "  --listen=ADDRESS    unix:PATH, PORT or HOST:PORT (default host: 127.0.0.1); without it the\n"
    "                      agent speaks on stdin and stdout, and what libraries print to stdout\n"
    "                      goes to stderr\n"
    "  --secret-file=FILE  its first line is what a host has to know; a port needs one\n"
    "  --help, --version\n"
    "\n"
    "  assay conformance --subject='exec:assay-agent --subject=tflite-c:./libtensorflowlite_c.so'\n"
    "  assay conformance --subject='ssh:board?agent=assay-agent'\n"
    "  assay-agent --listen=7000 --secret-file=s      and on the host:\n"
    "  assay conformance --subject='remote:127.0.0.1:7000?secret_file=s'\n";

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "assay-agent: %s: %s\n", what, why);
    return EXIT_FAILURE;
}

/* stdout belongs to frames: libraries that print there print to stderr. */
static int serve_stdio(const char *subject, const char *secret)
{
    const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (in < 0 || out < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return fail("stdin and stdout", strerror(errno));
    return agent_serve(in, out, subject, secret);
}

/* ---- sockets ---- */

/* A socket that an agent left behind is in the way; another file is not ours.  Only its user may
 * connect to one that has a path. */
static int listen_at(int fd, const struct sockaddr *a, socklen_t bytes)
{
    const mode_t mask = umask(077);
    struct stat st;
    int result;

    if (a->sa_family == AF_UNIX) {
        const char *const path = ((const struct sockaddr_un *)(const void *)a)->sun_path;

        if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
            unlink(path);
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
    result = bind(fd, a, bytes) == 0 && listen(fd, 8) == 0 ? 0 : -1;
    umask(mask);
    return result;
}

/* BYE with the signal that ended the worker. */
static void tell_signal(int fd, int number)
{
    struct wire_out o = { .bytes = NULL };

    wire_put_bye(&o, WIRE_END_SIGNAL, number, NULL);
    if (o.no_memory || write(fd, o.bytes, o.count) < 0)
        fail("worker", strsignal(number));
    wire_out_close(&o);
}

/* A worker for each connection, and a process that outlives it and says how it ended. */
static void keep(int fd, const char *subject, const char *secret)
{
    const pid_t worker = fork();
    int status = 0;

    if (worker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(HELLO_S);
        exit(agent_serve(fd, fd, subject, secret));
    }
    while (worker > 0 && waitpid(worker, &status, 0) < 0 && errno == EINTR)
        ;
    if (worker < 0)
        fail("fork", strerror(errno));
    else if (WIFSIGNALED(status))
        tell_signal(fd, WTERMSIG(status));
}

static int serve_socket(const char *address, const char *subject, const char *secret)
{
    struct diag diag;
    int listener;

    if (line_socket(address, "127.0.0.1", listen_at, &listener, &diag) != STATUS_OK)
        return fail("--listen", diag.text);
    signal(SIGCHLD, SIG_IGN);
    while (true) {
        const int fd = accept(listener, NULL, NULL);
        pid_t keeper;

        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0)
            return fail(address, strerror(errno));
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
        keeper = fork();
        if (keeper == 0) {
            close(listener);
            signal(SIGCHLD, SIG_DFL);
            keep(fd, subject, secret);
            exit(EXIT_SUCCESS);
        }
        if (keeper < 0)
            fail("fork", strerror(errno));
        close(fd);
    }
}

/* The value of --NAME=VALUE; NULL where the argument is another. */
static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

int main(int argc, char **argv)
{
    const char *subject = "reference", *address = NULL, *file = NULL;
    char secret[LINE_SECRET_BYTES] = "";
    struct diag diag;

    for (int i = 1; i < argc; i++) {
        const char *const a = argv[i];

        if (strcmp(a, "--help") == 0)
            return fputs(help, stdout) < 0;
        if (strcmp(a, "--version") == 0)
            return printf("assay-agent " ASSAY_VERSION "\n") < 0;
        if (value_of(a, "--subject"))
            subject = value_of(a, "--subject");
        else if (value_of(a, "--listen"))
            address = value_of(a, "--listen");
        else if (value_of(a, "--secret-file"))
            file = value_of(a, "--secret-file");
        else {
            fprintf(stderr, "assay-agent: %s is no argument of it\n%s", a, help);
            return EXIT_USAGE;
        }
    }
    signal(SIGPIPE, SIG_IGN);
    process_keep_memory();
    if (file && line_secret(file, secret, &diag) != STATUS_OK)
        return fail("--secret-file", diag.text);
    if (address && !file && strncmp(address, "unix:", 5) != 0) {
        fail(address, "a port needs --secret-file=FILE");
        return EXIT_USAGE;
    }
    return address ? serve_socket(address, subject, secret) : serve_stdio(subject, secret);
}
