/* Child processes that answer over a socket, and pools of them.
 *
 * A delegate may crash, hang, fork or write to stdout: it runs in a process of its own, whose end,
 * time and output are the parent's to see.  The process leads a group of its own, and the parent
 * adopts what it leaves behind: processes that a delegate starts end with it.  Processes are
 * started and ended by one thread. */
#ifndef ASSAY_CONFORMANCE_UTIL_PROCESS_H
#define ASSAY_CONFORMANCE_UTIL_PROCESS_H

#include "reference/base/diag.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a child's stdout and stderr go: never to the parent's stdout, which is a report. */
enum process_output {
    PROCESS_OUTPUT_LOG,   /* to an unnamed file, read by process_last_words */
    PROCESS_OUTPUT_STDERR /* to the parent's stderr */
};

enum process_event {
    PROCESS_NOTHING,
    PROCESS_READABLE, /* the process has answered, or ended and so closed its socket */
    PROCESS_LATE      /* the process has done neither before its deadline */
};

struct process {
    pid_t pid;                /* 0: no process */
    int socket;               /* the parent's end */
    int log;                  /* PROCESS_OUTPUT_LOG: the file; else -1 */
    off_t logged;             /* its size at the last process_send */
    double deadline_s;        /* by clock_s, of the answer that is waited for; 0: none is */
    enum process_event event; /* what the last wait found */
};

/* Forks.  The child runs serve with its end of the socket, and exits when that returns.  STATUS_IO
 * when no process can be made: then *p holds none. */
enum status process_start(struct process *p, enum process_output output,
                          void (*serve)(int socket, void *user), void *user, struct diag *diag);

/* Ends a child in serve without the handlers of exit, such as destructors of libraries. */
_Noreturn void process_leave(int status);

/* Keeps what is freed for what is allocated next: given back to the kernel, as glibc does, its
 * pages are zeroed anew.  For both ends of a line, where model after model needs the same memory.
 */
void process_keep_memory(void);

/* Write and read all bytes, on either end; false when the other end is closed.  A pipe may be
 * written to, too, where SIGPIPE is ignored. */
bool process_write(int socket, const void *data, size_t bytes);
bool process_read(int socket, void *data, size_t bytes);
/* Writes from the parent's end.  process_last_words reports what the process prints after this. */
bool process_send(struct process *p, const void *data, size_t bytes);

/* Starts waiting for an answer, or the end, for timeout_s from now on. */
void process_expect(struct process *p, double timeout_s);
/* Waits for one process, until the deadline of process_expect.  PROCESS_NOTHING when a signal that
 * util/interrupt.h notes has come before that. */
enum process_event process_wait(struct process *p);

/* Waits for the end of the process (by_force: ends it with SIGKILL), ends what it has forked, and
 * frees what belongs to it.  Returns its wait status, 0 where there was none. */
int process_end(struct process *p, bool by_force);
/* The line of its log since the last job that says most: a sanitizer's summary, else a check that
 * failed, else the last line that is no stack frame.  Empty when it wrote nothing.  Before
 * process_end. */
void process_last_words(const struct process *p, char *text, size_t bytes);

/* A wait status in words: "SIGSEGV", "exit status 1". */
void process_describe_end(int status, char *text, size_t bytes);

/* Memory of this process that is resident now, with what it shares; 0: the system does not say. */
uint64_t process_resident_bytes(void);

/* Processors that are online; at least 1. */
size_t process_count_processors(void);

/* ---- pools ---- */

struct process_pool {
    struct process *items;
    size_t count;
    struct pollfd *fds; /* of items, for the time of a wait */
};

/* Makes room for count processes, none of which is started. */
enum status process_pool_open(struct process_pool *pool, size_t count, struct diag *diag);
/* Ends all processes by force. */
void process_pool_close(struct process_pool *pool);

/* Whether any process is waited for. */
bool process_pool_is_busy(const struct process_pool *pool);
/* Waits until a process that is waited for has answered, ended or run out of time, or a second;
 * sets `event` of all.  A process stays waited for until process_expect or process_end. */
enum status process_pool_wait(struct process_pool *pool, struct diag *diag);

#endif
