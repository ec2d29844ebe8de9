#include "delegate/cache/trim.h"

#include "delegate/cache/file.h"
#include "delegate/cache/magic.h"
#include "reference/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 128 };

struct entry {
    char name[NAME_BYTES];
    struct timespec used;
    uint64_t bytes;
};

struct entries {
    struct entry *at;
    size_t count, room;
    uint64_t bytes;
};

/* The time of access is set by hand, because many file systems do not keep it.  That of the last
 * change stays: a file that was only read has not changed. */
void cache_mark_used(int fd)
{
    (void)futimens(
        fd, (const struct timespec[2]){ { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } });
}

static bool has_suffix(const char *name)
{
    static const char suffix[] = ".assay";
    const size_t length = strlen(name), end = sizeof suffix - 1;

    return length > end && length < NAME_BYTES && strcmp(name + length - end, suffix) == 0;
}

/* A file that the cache would read, with its time of use. */
static bool is_ours(int directory, const char *name, struct entry *e)
{
    char start[sizeof cache_magic];
    struct stat st;
    uint64_t bytes;
    bool ours;
    int fd;

    if (!has_suffix(name))
        return false;
    ours = cache_file_open(&fd, &bytes, directory, name, NULL) == STATUS_OK && fd >= 0;
    /* Reading the magic is not a use: where the file system keeps times of access ("relatime" does
     * after a change), it would make every listed file the one that was used last. */
    if (ours)
        (void)fcntl(fd, F_SETFL, O_NONBLOCK | O_NOATIME);
    ours = ours && fstat(fd, &st) == 0 &&
           cache_file_read(fd, start, sizeof start, name, NULL) == STATUS_OK &&
           memcmp(start, cache_magic, sizeof start) == 0;
    if (fd >= 0)
        close(fd);
    if (!ours)
        return false;
    *e = (struct entry){ .used = st.st_atim, .bytes = bytes };
    memcpy(e->name, name, strlen(name) + 1);
    return true;
}

static bool add(struct entries *all, const struct entry *e)
{
    if (all->count == all->room) {
        const size_t room = all->room ? 2 * all->room : 64;
        struct entry *more = mem_resize(all->at, room, sizeof *more);

        if (!more)
            return false;
        all->at = more;
        all->room = room;
    }
    all->at[all->count++] = *e;
    all->bytes += e->bytes;
    return true;
}

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum status remove_oldest(int directory, struct entries *all, const char *kept,
                                 uint64_t limit_bytes, struct diag *diag)
{
    if (all->count > 1 && all->bytes > limit_bytes)
        qsort(all->at, all->count, sizeof *all->at, by_use);
    for (size_t i = 0; i < all->count && all->bytes > limit_bytes; i++) {
        const struct entry *e = &all->at[i];

        if (strcmp(e->name, kept) == 0)
            continue;
        /* Another process may have removed it. */
        if (unlinkat(directory, e->name, 0) != 0 && errno != ENOENT)
            return diag_fail(diag, STATUS_IO, "%s: cannot be removed: %s", e->name,
                             strerror(errno));
        all->bytes -= e->bytes;
    }
    return STATUS_OK;
}

enum status cache_trim(const char *dir, const char *kept, uint64_t limit_bytes, struct diag *diag)
{
    struct entries all = { .count = 0 };
    const struct dirent *found;
    enum status s = STATUS_OK;
    int directory;
    DIR *list;

    TRY(cache_directory_open(&directory, dir, false, diag));
    if (directory < 0)
        return STATUS_OK;
    if (!(list = fdopendir(directory))) {
        close(directory);
        return diag_fail(diag, STATUS_IO, "%s: %s", dir, strerror(errno));
    }
    while (s == STATUS_OK && (found = readdir(list))) {
        struct entry e;

        if (is_ours(directory, found->d_name, &e) && !add(&all, &e))
            s = diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory to list it", dir);
    }
    if (s == STATUS_OK)
        s = remove_oldest(directory, &all, kept, limit_bytes, diag);
    closedir(list);
    mem_free(all.at);
    return s;
}
