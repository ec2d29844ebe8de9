#include "conformance/unit/kit/mock_path.h"

#include "conformance/util/program_path.h"

#include <stdio.h>

static bool any(const char *path)
{
    (void)path;
    return true;
}

const char *build_path(const char *directory, const char *name)
{
    static char path[PATH_MAX];
    char relative[PATH_MAX];

    snprintf(relative, sizeof relative, "../../%s/%s", directory, name);
    if (!program_path_find(path, (const char *const[]){ relative }, 1, any))
        path[0] = '\0';
    return path;
}

const char *mock_path(const char *name)
{
    return build_path("mock", name);
}
