/* Files that come with the program: beside it in the build directory, or as installed. */
#ifndef ASSAY_CONFORMANCE_UTIL_PROGRAM_PATH_H
#define ASSAY_CONFORMANCE_UTIL_PROGRAM_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes the first of the paths, which are relative to the directory of the program's own file, for
 * which accept says true.  False when there is none: then path is undefined. */
bool program_path_find(char path[PATH_MAX], const char *const *relative, size_t count,
                       bool (*accept)(const char *path));

#endif
