/* Where test programs ($(B)/unit/ROOM/test_x) find what else was built: $(B)/mock/delegate.so. */
#ifndef ASSAY_CONFORMANCE_UNIT_KIT_MOCK_PATH_H
#define ASSAY_CONFORMANCE_UNIT_KIT_MOCK_PATH_H

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Below $(B).  Valid until the next call. */
static inline const char *build_path(const char *directory, const char *name)
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

static inline const char *mock_path(const char *name)
{
    return build_path("mock", name);
}

#endif
