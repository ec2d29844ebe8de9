#include "reference/format/file.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 64 * 1024 };

static enum status io_error(struct diag *diag, const char *path, int error)
{
    return diag_fail(diag, error == ENOMEM ? STATUS_NO_MEMORY : STATUS_IO, "%s: %s", path,
                     strerror(error));
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a named pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
                            : "no regular file";
}

/* The path of an open file of this process. */
static bool is_own(const char *path)
{
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

    if (strcmp(path, "/dev/stdin") == 0)
        return true;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

/* Opens a regular file, or also a pipe or a terminal of this process.  O_NONBLOCK: opening a named
 * pipe would wait for its writer, and so would reading it. */
static enum status open_readable(const char *path, bool own, int *fd, struct stat *info,
                                 struct diag *diag)
{
    enum status s = STATUS_OK;
    int flags;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0 && errno == ENXIO)
        return diag_fail(diag, STATUS_IO, "%s: a socket, or a device that is not there", path);
    if (*fd < 0)
        return io_error(diag, path, errno);
    if (fstat(*fd, info) != 0)
        s = io_error(diag, path, errno);
    else if (!S_ISREG(info->st_mode) &&
             !(own && (S_ISFIFO(info->st_mode) || (S_ISCHR(info->st_mode) && isatty(*fd)))))
        s = diag_fail(diag, STATUS_IO, "%s: %s, expected a regular file", path,
                      kind_of(info->st_mode));
    else if ((flags = fcntl(*fd, F_GETFL)) < 0 || fcntl(*fd, F_SETFL, flags & ~O_NONBLOCK) != 0)
        s = io_error(diag, path, errno);
    if (s != STATUS_OK) {
        close(*fd);
        *fd = -1;
    }
    return s;
}

enum status file_open_regular(const char *path, int *fd, struct diag *diag)
{
    struct stat info;

    return open_readable(path, false, fd, &info, diag);
}

enum status file_expect_regular(const char *path, struct diag *diag)
{
    int fd;

    TRY(file_open_regular(path, &fd, diag));
    close(fd);
    return STATUS_OK;
}

/* Room for expected bytes and one more, so that the read that finds the end needs no growth.
 * STATUS_LIMIT without a message. */
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
            return STATUS_LIMIT;
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

/* What is left in *bytes after a failure is given back here.  STATUS_LIMIT without a message. */
static enum status read_open(int fd, const struct stat *info, const char *path, size_t limit,
                             uint8_t **bytes, size_t *count, struct diag *diag)
{
    enum status s;

    *bytes = NULL;
    *count = 0;
    if (limit == SIZE_MAX)
        limit--;
    if (S_ISREG(info->st_mode) && (uintmax_t)info->st_size > limit)
        return STATUS_LIMIT;
    if (S_ISREG(info->st_mode) && info->st_size > 0)
        s = read_all(fd, path, (size_t)info->st_size, limit, bytes, count, diag);
    else
        s = read_all(fd, path, FIRST_ROOM, limit, bytes, count, diag);
    if (s != STATUS_OK) {
        mem_free(*bytes);
        *bytes = NULL;
        *count = 0;
    }
    return s;
}

enum status file_read(const char *path, size_t limit, uint8_t **bytes, size_t *count,
                      struct diag *diag)
{
    struct stat info;
    enum status s;
    int fd;

    *bytes = NULL;
    *count = 0;
    TRY(open_readable(path, is_own(path), &fd, &info, diag));
    s = read_open(fd, &info, path, limit, bytes, count, diag);
    close(fd);
    return s == STATUS_LIMIT ? diag_fail(diag, STATUS_IO, "%s: more than %zu bytes", path, limit)
                             : s;
}

/* ---- models ---- */

struct file_model file_model_of(uint8_t *bytes, size_t count)
{
    return (struct file_model){ .bytes = bytes, .count = count, .block = bytes };
}

/* false: the file system cannot, or there is no room for so many addresses. */
static bool map(int fd, const struct stat *info, struct file_model *f)
{
    const size_t count = (size_t)info->st_size;
    void *block;

    if (!S_ISREG(info->st_mode) || info->st_size < FILE_MAPPED_MIN ||
        (uintmax_t)info->st_size > SIZE_MAX)
        return false;
    block = mmap(NULL, count, PROT_READ, MAP_PRIVATE, fd, 0);
    if (block == MAP_FAILED)
        return false;
    *f = (struct file_model){ .bytes = block, .count = count, .block = block, .mapped = count };
    return true;
}

static enum status open_model(int fd, const struct stat *info, const char *path,
                              struct file_model *f, struct diag *diag)
{
    const enum limit which = limit_of(LIMIT_FILE_BYTES) < limit_of(LIMIT_READ_BYTES)
                                 ? LIMIT_FILE_BYTES
                                 : LIMIT_READ_BYTES;
    const uint64_t limit = limit_of(which);
    enum status s;
    uint8_t *bytes;
    size_t count;

    if (S_ISREG(info->st_mode) && (uintmax_t)info->st_size > limit_of(LIMIT_FILE_BYTES))
        return limit_fail(diag, LIMIT_FILE_BYTES, "%s: a longer file", path);
    if (map(fd, info, f))
        return STATUS_OK;
    s = read_open(fd, info, path, limit < SIZE_MAX ? (size_t)limit : SIZE_MAX, &bytes, &count,
                  diag);
    if (s == STATUS_LIMIT)
        return limit_fail(diag, which, "%s: a longer file", path);
    *f = file_model_of(bytes, count);
    return s;
}

enum status file_model_open(const char *path, struct file_model *f, struct diag *diag)
{
    struct stat info;
    enum status s;
    int fd;

    *f = (struct file_model){ .count = 0 };
    TRY(open_readable(path, is_own(path), &fd, &info, diag));
    s = open_model(fd, &info, path, f, diag);
    close(fd);
    return s;
}

void file_model_close(struct file_model *f)
{
    if (f->mapped > 0)
        munmap(f->block, f->mapped);
    else
        mem_free(f->block);
    *f = (struct file_model){ .count = 0 };
}

/* ---- writing ---- */

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
