#include "conformance/util/directory.h"

#include "reference/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool directory_name_ends(const char *name, const char *suffix)
{
    const size_t length = strlen(name), end = strlen(suffix);

    return name[0] != '.' && length > end && strcmp(name + length - end, suffix) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void directory_free(char **paths, size_t count)
{
    for (size_t i = 0; paths && i < count; i++)
        mem_free(paths[i]);
    mem_free(paths);
}

enum status directory_list(const char *directory, bool wanted(const char *name), char ***paths,
                           size_t *count, struct diag *diag)
{
    DIR *const d = opendir(directory);
    const struct dirent *entry;
    size_t room = 0;

    *paths = NULL;
    *count = 0;
    if (!d)
        return diag_fail(diag, STATUS_IO, "%s: %s", directory, strerror(errno));
    while ((entry = readdir(d)) != NULL) {
        const size_t bytes = strlen(directory) + strlen(entry->d_name) + 2;

        if (!wanted(entry->d_name))
            continue;
        if (*count == room) {
            char **more = mem_resize(*paths, room = room * 2 + 16, sizeof *more);

            if (!more)
                goto no_memory;
            *paths = more;
        }
        (*paths)[*count] = mem_alloc(bytes, 1);
        if (!(*paths)[*count])
            goto no_memory;
        snprintf((*paths)[(*count)++], bytes, "%s/%s", directory, entry->d_name);
    }
    closedir(d);
    if (*count > 0)
        qsort(*paths, *count, sizeof **paths, by_name);
    return STATUS_OK;
no_memory:
    closedir(d);
    directory_free(*paths, *count);
    *paths = NULL;
    *count = 0;
    return diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for its names", directory);
}
