#include "reference/tests/kit/mock_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *build_path(const char *directory, const char *name)
{
    static char path[PATH_MAX];
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *slash;
    int written;

    program[length > 0 ? length : 0] = '\0';
    slash = strrchr(program, '/');
    written = snprintf(path, sizeof path, "%.*s/../%s/%s", slash ? (int)(slash - program) : 0,
                       program, directory, name);
    if (!slash || written < 0 || written >= PATH_MAX)
        path[0] = '\0';
    return path;
}

const char *mock_path(const char *name)
{
    return build_path("mock", name);
}
