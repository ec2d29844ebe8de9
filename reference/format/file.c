#include "reference/format/file.h"

#include "reference/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 64 * 1024 };

static enum status io_error(struct diag *diag, const char *path, int error)
{
    return diag_fail(diag, error == ENOMEM ? STATUS_NO_MEMORY : STATUS_IO, "%s: %s", path,
                     strerror(error));
}

/* Room for expected bytes and one more, so that the read that finds the end needs no growth. */
static enum status read_all(int fd, const char *path, size_t expected, size_t limit,
                            uint8_t **bytes, size_t *count, struct diag *diag)
{
    size_t room = (expected < limit ? expected : limit) + 1;

    if (!(*bytes = mem_alloc(room, 1)))
        goto no_memory;
    for (;;) {
        const ssize_t n = read(fd, *bytes + *count, room - *count);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return io_error(diag, path, errno);
        if (n == 0)
            return STATUS_OK;
        *count += (size_t)n;
        if (*count > limit)
            return diag_fail(diag, STATUS_IO, "%s: more than %zu bytes", path, limit);
        if (*count == room) { /* a pipe, or the file grew; *count <= limit < SIZE_MAX */
            uint8_t *more;

            room = room > limit / 2 ? limit + 1 : room * 2;
            if (!(more = mem_resize(*bytes, room, 1)))
                goto no_memory;
            *bytes = more;
        }
    }
no_memory:
    return diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for %zu bytes", path, room);
}

enum status file_read(const char *path, size_t limit, uint8_t **bytes, size_t *count,
                      struct diag *diag)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    enum status s;

    *bytes = NULL;
    *count = 0;
    if (fd < 0)
        return io_error(diag, path, errno);
    if (limit == SIZE_MAX)
        limit--;
    if (fstat(fd, &info) != 0)
        s = io_error(diag, path, errno);
    else if (S_ISREG(info.st_mode) && info.st_size > 0)
        s = read_all(fd, path, (size_t)info.st_size, limit, bytes, count, diag);
    else
        s = read_all(fd, path, FIRST_ROOM, limit, bytes, count, diag);
    close(fd);
    if (s != STATUS_OK) {
        mem_free(*bytes);
        *bytes = NULL;
        *count = 0;
    }
    return s;
}

/* Returns 0 or an errno. */
static int write_all(int fd, const uint8_t *bytes, size_t count)
{
    while (count != 0) {
        const ssize_t n = write(fd, bytes, count);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        bytes += n;
        count -= (size_t)n;
    }
    return 0;
}

/* Opens a new file "path.<n>~"; its name goes to *name. */
static int open_beside(const char *path, char **name)
{
    const size_t room = strlen(path) + 32;

    if (!(*name = mem_alloc(room, 1))) {
        errno = ENOMEM;
        return -1;
    }
    for (int attempt = 0; attempt < 1000; attempt++) {
        int fd;

        snprintf(*name, room, "%s.%ld.%d~", path, (long)getpid(), attempt);
        fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static enum status replace(const char *path, const void *bytes, size_t count, struct diag *diag)
{
    char *name = NULL;
    const int fd = open_beside(path, &name);
    int error = fd < 0 ? errno : write_all(fd, bytes, count);

    if (!error && fsync(fd) != 0)
        error = errno;
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(name, path) != 0)
        error = errno;
    if (error && fd >= 0)
        unlink(name);
    mem_free(name);
    return error ? io_error(diag, path, error) : STATUS_OK;
}

/* A pipe or a device such as /dev/stdout cannot be replaced by a renamed file. */
static enum status write_in_place(const char *path, const void *bytes, size_t count,
                                  struct diag *diag)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : write_all(fd, bytes, count);

    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    return error ? io_error(diag, path, error) : STATUS_OK;
}

enum status file_write(const char *path, const void *bytes, size_t count, struct diag *diag)
{
    struct stat info;
    char *real = NULL; /* of a symbolic link the target is replaced, not the link */
    enum status s;

    if (stat(path, &info) != 0)
        return replace(path, bytes, count, diag);
    if (!S_ISREG(info.st_mode))
        return write_in_place(path, bytes, count, diag);
    if (!(real = realpath(path, NULL)))
        return io_error(diag, path, errno);
    s = replace(real, bytes, count, diag);
    free(real);
    return s;
}
