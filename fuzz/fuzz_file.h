/* The bytes of an input as a file, for functions that read one by its path. */
#ifndef ASSAY_FUZZ_FUZZ_FILE_H
#define ASSAY_FUZZ_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file in memory alone, so that a run leaves nothing behind when it is ended. */
struct fuzz_file {
    int fd;
    char path[64];
};

static inline struct fuzz_file fuzz_file_of(const uint8_t *data, size_t size)
{
    struct fuzz_file f = { .fd = memfd_create("fuzz", MFD_CLOEXEC) };

    if (f.fd < 0 || (size && write(f.fd, data, size) != (ssize_t)size)) {
        perror("fuzz: memfd_create");
        exit(1); /* not abort(): the machine is at fault, not the code under test */
    }
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
}

static inline void fuzz_file_close(struct fuzz_file *f)
{
    close(f->fd);
}

/* Aborts, which a fuzzer takes for a finding. */
static inline void fuzz_expect(int holds, const char *what, const char *found)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s; found: %s\n", what, found);
    abort();
}

#endif
