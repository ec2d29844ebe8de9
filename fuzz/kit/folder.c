#include "fuzz/kit/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[64];
static pid_t owner; /* a forked child of a parser leaves it alone */

static void fail(const char *what)
{
    perror(what);
    exit(1); /* not abort(): the machine is at fault, not the code under test */
}

static void remove_folder(void)
{
    DIR *const d = owner == getpid() ? opendir(folder) : NULL;
    const struct dirent *e;

    if (!d)
        return;
    while ((e = readdir(d)))
        if (e->d_type == DT_REG)
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (folder[0])
        return folder;
    snprintf(folder, sizeof folder, "%.40s/assay-fuzz-XXXXXX",
             getenv("TMPDIR")                ? getenv("TMPDIR")
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    if (!mkdtemp(folder))
        fail("fuzz: mkdtemp");
    owner = getpid();
    atexit(remove_folder);
    return folder;
}

void fuzz_folder_write(const char *name, const void *bytes, size_t size)
{
    char path[160];
    int fd;

    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        fail("fuzz: write");
    close(fd);
}
