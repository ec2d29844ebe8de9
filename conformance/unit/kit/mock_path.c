#include "conformance/unit/kit/mock_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *build_path(const char *directory, const char *name)
{
    static char path[PATH_MAX + 64];
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash;

    program[length > 0 ? length : 0] = '\0';
    slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    snprintf(path, sizeof path, "%s/../../%s/%s", program, directory, name);
    return path;
}

const char *mock_path(const char *name)
{
    return build_path("mock", name);
}
