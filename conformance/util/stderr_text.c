/* Captures stderr with file descriptors: libraries write to it by other ways than our stdio. */
#include "conformance/util/stderr_text.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_log(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

void stderr_text_begin(struct stderr_text *t)
{
    *t = (struct stderr_text){ .saved = -1, .file = -1 };
    fflush(stderr);
    if (is_log(STDERR_FILENO)) {
        struct stat st;

        t->file = STDERR_FILENO;
        t->from = fstat(STDERR_FILENO, &st) == 0 ? st.st_size : 0;
        return;
    }
    t->saved = dup(STDERR_FILENO);
    t->file = t->saved >= 0 ? memfd_create("stderr", MFD_CLOEXEC) : -1;
    if (t->file < 0 || dup2(t->file, STDERR_FILENO) < 0) {
        if (t->file >= 0)
            close(t->file);
        if (t->saved >= 0)
            close(t->saved);
        *t = (struct stderr_text){ .saved = -1, .file = -1 };
    }
}

void stderr_text_end(struct stderr_text *t, char *text, size_t bytes)
{
    ssize_t n = 0;
    struct stat st;

    fflush(stderr);
    if (t->file >= 0 && fstat(t->file, &st) == 0) {
        const off_t last = st.st_size - (off_t)(bytes - 1);

        n = pread(t->file, text, bytes - 1, last > t->from ? last : t->from);
    }
    text[n > 0 ? n : 0] = '\0';
    if (t->saved >= 0) {
        dup2(t->saved, STDERR_FILENO);
        close(t->saved);
        close(t->file);
    }
    *t = (struct stderr_text){ .saved = -1, .file = -1 };
}
