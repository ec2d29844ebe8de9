#include "delegate/cache/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Whether this process's user owns it and nobody else may access it. */
static bool is_private(const struct stat *st)
{
    return st->st_uid == geteuid() && (st->st_mode & 077) == 0;
}

static enum status check_directory(int fd, const char *path, struct diag *diag)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    if (!is_private(&st))
        return diag_fail(
            diag, STATUS_IO,
            "%s: the directory is not private (owner %ld, mode %03o; it must belong to this user, "
            "mode 700)",
            path, (long)st.st_uid, (unsigned)st.st_mode & 0777);
    return STATUS_OK;
}

enum status cache_directory_open(int *fd, const char *path, bool make, struct diag *diag)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    enum status s;

    *fd = open(path, FLAGS);
    if (*fd < 0 && errno == ENOENT) {
        if (!make)
            return STATUS_OK;
        if (mkdir(path, 0700) != 0 &&
            errno != EEXIST) /* another process may have made it just now */
            return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
        *fd = open(path, FLAGS);
    }
    if (*fd < 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    if ((s = check_directory(*fd, path, diag)) != STATUS_OK) {
        close(*fd);
        *fd = -1;
    }
    return s;
}

enum status cache_file_open(int *fd, uint64_t *bytes, int directory, const char *name,
                            struct diag *diag)
{
    struct stat st;
    const char *why = NULL;

    /* O_NONBLOCK: opening a FIFO would wait for a writer. */
    *fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0 && errno == ENOENT)
        return STATUS_OK;
    if (*fd < 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", name,
                         errno == ELOOP ? "symbolic link" : strerror(errno));
    if (fstat(*fd, &st) != 0)
        why = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        why = "not a regular file";
    else if (!is_private(&st))
        why = "not private (it must belong to this user, mode 600)";
    if (why) {
        close(*fd);
        *fd = -1;
        return diag_fail(diag, STATUS_IO, "%s: %s", name, why);
    }
    *bytes = (uint64_t)st.st_size;
    return STATUS_OK;
}

int cache_file_read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    size_t done = 0;

    while (done < bytes) {
        const ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(at + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : CACHE_FILE_ENDS;
        done += (size_t)n;
    }
    return 0;
}

enum status cache_file_failed(int error, const char *name, struct diag *diag)
{
    if (error == CACHE_FILE_ENDS)
        return diag_fail(diag, STATUS_INVALID, "%s: truncated", name);
    return diag_fail(diag, STATUS_IO, "%s: %s", name, strerror(error));
}

enum status cache_file_read(int fd, void *to, size_t bytes, const char *name, struct diag *diag)
{
    const int error = cache_file_read_at(fd, to, bytes, 0);

    return error == 0 ? STATUS_OK : cache_file_failed(error, name, diag);
}

static enum status write_all(int fd, const struct cache_part *part, const char *name,
                             struct diag *diag)
{
    size_t done = 0;

    while (done < part->bytes) {
        const ssize_t n = write(fd, (const char *)part->data + done, part->bytes - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return diag_fail(diag, STATUS_IO, "%s: %s", name,
                             n < 0 ? strerror(errno) : "disk full");
        done += (size_t)n;
    }
    return STATUS_OK;
}

/* Writing past RLIMIT_FSIZE raises SIGXFSZ in the writing thread, which ends the process by
 * default. The signal is blocked while writing, and consumed unless it was pending before. */
struct held_signal {
    sigset_t before;
    bool was_pending, held;
};

static void hold_signal(struct held_signal *h)
{
    sigset_t set, pending;

    sigemptyset(&pending);
    sigpending(&pending);
    h->was_pending = sigismember(&pending, SIGXFSZ) == 1;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    h->held = pthread_sigmask(SIG_BLOCK, &set, &h->before) == 0;
}

static void release_signal(struct held_signal *h)
{
    const struct timespec now = { 0 };
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    if (!h->was_pending)
        while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
            ;
    if (h->held)
        pthread_sigmask(SIG_SETMASK, &h->before, NULL);
}

static enum status write_parts(int directory, const char *temporary, const char *name,
                               const struct cache_part *parts, size_t count, struct diag *diag)
{
    const int fd =
        openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    enum status s = STATUS_OK;

    if (fd < 0)
        return diag_fail(diag, STATUS_IO, "%s: cannot be written: %s", name, strerror(errno));
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        s = write_all(fd, &parts[i], name, diag);
    /* No fsync: the checksums detect a file that was cut off by a power failure. */
    if (close(fd) != 0 && s == STATUS_OK)
        s = diag_fail(diag, STATUS_IO, "%s: %s", name, strerror(errno));
    if (s == STATUS_OK && renameat(directory, temporary, directory, name) != 0)
        s = diag_fail(diag, STATUS_IO, "%s: %s", name, strerror(errno));
    if (s != STATUS_OK)
        unlinkat(directory, temporary, 0);
    return s;
}

enum status cache_file_replace(int directory, const char *name, const struct cache_part *parts,
                               size_t count, struct diag *diag)
{
    static atomic_uint serial;
    struct held_signal held;
    char temporary[300];
    enum status s;

    snprintf(temporary, sizeof temporary, ".%.200s.%ld.%u", name, (long)getpid(),
             atomic_fetch_add(&serial, 1));
    unlinkat(directory, temporary,
             0); /* left by a process with the same id that died while writing */
    hold_signal(&held);
    s = write_parts(directory, temporary, name, parts, count, diag);
    release_signal(&held);
    return s;
}
