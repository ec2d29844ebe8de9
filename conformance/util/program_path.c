/* Finds files relative to the program. */
#include "conformance/util/program_path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool program_path_find(char path[PATH_MAX], const char *const *relative, size_t count,
                       bool (*accept)(const char *path))
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *slash;

    program[length > 0 ? length : 0] = '\0';
    slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < count; i++) {
        const int n =
            snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - program), program, relative[i]);

        if (n > 0 && n < PATH_MAX && accept(path))
            return true;
    }
    return false;
}
