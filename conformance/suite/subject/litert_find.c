/* Looks for libLiteRt.so without loading it here: what is loaded may do anything. */
#include "conformance/suite/subject/litert_find.h"

#include "conformance/suite/subject/litert_api.h"
#include "conformance/util/program_path.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libLiteRt.so"

/* Runs say in a child process, and reads the one line that it writes. */
static bool ask_child(void (*say)(int fd), char line[PATH_MAX])
{
    int ends[2];
    size_t used = 0;
    ssize_t n;
    pid_t pid;

    if (pipe(ends) != 0)
        return false;
    fflush(NULL); /* else the child would write the buffers again */
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        say(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (pid > 0 && used < PATH_MAX - 1) {
        n = read(ends[0], line + used, PATH_MAX - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    line[used] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return line[0] != '\0';
}

/* Silence for what a library or python3 prints. */
static void close_output(int keep)
{
    FILE *const f = freopen("/dev/null", "w", stderr);

    if (!f || dup2(fileno(f), STDOUT_FILENO) < 0)
        close(STDOUT_FILENO);
    if (keep == STDOUT_FILENO || keep == STDERR_FILENO)
        _exit(1);
}

static void say_loaded(int fd)
{
    void *library, *symbol;
    Dl_info info;

    close_output(fd);
    library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    symbol = library ? dlsym(library, "LiteRtCreateEnvironment") : NULL;
    if (symbol && dladdr(symbol, &info) && info.dli_fname)
        dprintf(fd, "%s\n", info.dli_fname);
}

/* The first entry of sys.path is the current directory, which holds no installed package. */
static void say_wheel(int fd)
{
    static const char script[] =
        "import sys\n"
        "sys.path = [p for p in sys.path if p]\n"
        "import importlib.util\n"
        "found = importlib.util.find_spec('ai_edge_litert')\n"
        "print(list(found.submodule_search_locations)[0] if found else '')\n";

    close_output(fd);
    if (dup2(fd, STDOUT_FILENO) >= 0)
        execlp("python3", "python3", "-c", script, (char *)NULL);
}

static bool find_wheel(char path[PATH_MAX])
{
    char directory[PATH_MAX];

    return ask_child(say_wheel, directory) &&
           snprintf(path, PATH_MAX, "%s/" LIBRARY, directory) < PATH_MAX && access(path, R_OK) == 0;
}

static bool is_readable(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Where `make conformance-litert` links to the library of the wheel that it installs. */
static bool find_beside_program(char path[PATH_MAX])
{
    static const char *const relative[] = { "litert-venv/" LIBRARY };

    return program_path_find(path, relative, 1, is_readable);
}

enum status litert_find(const char *given, char path[PATH_MAX], struct diag *diag)
{
    const char *const environment = getenv("LITERT_LIBRARY");
    const char *const named = given ? given : environment && *environment ? environment : NULL;

    if (named) {
        if (realpath(named, path))
            return STATUS_OK;
        return diag_fail(diag, STATUS_IO, "%s%s: %s", given ? "" : "LITERT_LIBRARY=", named,
                         strerror(errno));
    }
    if (ask_child(say_loaded, path) || find_beside_program(path) || find_wheel(path))
        return STATUS_OK;
    return diag_fail(diag, STATUS_NO_DEVICE,
                     "litert: no " LIBRARY " in the loader's path nor in python3's packages; "
                     "library=PATH or LITERT_LIBRARY names one, and `" LITERT_PIP_LINE
                     "` brings one");
}
