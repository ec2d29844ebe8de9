/* Finds libraries of subjects. */
#include "conformance/suite/subject/subject_find.h"

#include "conformance/util/program_path.h"
#include "conformance/util/sha256.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_readable(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Beside the program, or in ../lib/assay as installed. */
enum status subject_find_ours(char path[PATH_MAX], struct diag *diag)
{
    static const char *const relative[] = { SUBJECT_OUR_NAME, "../lib/assay/" SUBJECT_OUR_NAME };

    if (program_path_find(path, relative, sizeof relative / sizeof relative[0], is_readable))
        return STATUS_OK;
    return diag_fail(
        diag, STATUS_IO,
        "%s: neither beside the program nor in ../lib/assay; --delegate=PATH names one",
        SUBJECT_OUR_NAME);
}

bool subject_is_default(const struct subject *s)
{
    char found[PATH_MAX], absolute[PATH_MAX];

    return s->path && subject_find_ours(found, NULL) == STATUS_OK && realpath(found, absolute) &&
           strcmp(absolute, s->path) == 0;
}

enum status subject_find_file(char **out, const char *path, struct diag *diag)
{
    char absolute[PATH_MAX];

    if (!realpath(path, absolute))
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    TRY(file_expect_regular(absolute, diag)); /* dlopen would wait for the writer of a pipe */
    *out = mem_alloc(strlen(absolute) + 1, 1);
    if (!*out)
        return diag_fail(diag, STATUS_NO_MEMORY, "subject: out of memory");
    strcpy(*out, absolute);
    return STATUS_OK;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

enum status subject_hash(struct subject *s, struct diag *diag)
{
    static _Thread_local struct stat hashed;
    static _Thread_local char hex[SHA256_HEX_BYTES];
    struct stat now;

    if (stat(s->path, &now) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", s->path, strerror(errno));
    if (!hex[0] || now.st_dev != hashed.st_dev || now.st_ino != hashed.st_ino ||
        now.st_size != hashed.st_size || !is_same_time(now.st_mtim, hashed.st_mtim) ||
        !is_same_time(now.st_ctim, hashed.st_ctim))
        TRY(sha256_file(s->path, hex, diag));
    hashed = now;
    memcpy(s->sha256, hex, sizeof hex);
    return STATUS_OK;
}
