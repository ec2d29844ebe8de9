/* A child process that answers over a socket, with its output kept apart. */
#ifndef ASSAY_CONFORMANCE_UTIL_PROCESS_H
#define ASSAY_CONFORMANCE_UTIL_PROCESS_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct worker {
    pid_t pid;    /* 0: no process */
    int socket;   /* the parent's end */
    int log;      /* what the process writes to stdout and stderr: an unnamed file */
    off_t logged; /* its size at the last worker_send */
};

/* Forks.  The child runs serve with its end of the socket, and exits. */
enum status worker_start(struct worker *w, void (*serve)(int socket, void *user), void *user,
                         struct diag *diag);

/* All of it, on either end; false when the other end is gone. */
bool worker_write(int socket, const void *data, size_t bytes);
bool worker_read(int socket, void *data, size_t bytes);
/* As worker_write, from the parent: a new job begins. */
bool worker_send(struct worker *w, const void *data, size_t bytes);

/* Ends the process (kill: by force) and frees what belongs to it.  Returns its wait status. */
int worker_end(struct worker *w, bool force);
/* The line of what it wrote since the last job that says most: a sanitizer's summary, else the
 * last one.  Empty when it wrote nothing.  Before worker_end. */
void worker_last_words(const struct worker *w, char *text, size_t bytes);

/* "SIGSEGV", "SIGKILL", ... */
const char *signal_name(int signal);

#endif
