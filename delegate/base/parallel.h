/* Work in several threads, none of which is left when a function returns (a struct background: when
 * it is joined).  Threads that cannot be made are done without, so nothing here fails.
 *
 * Threads of this file block all signals: handlers of the program run in its own threads. */
#ifndef ASSAY_DELEGATE_BASE_PARALLEL_H
#define ASSAY_DELEGATE_BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Cores that this thread may run on; at least 1. */
size_t parallel_cores(void);

/* Does job(user, i) once for each i below count, in any order, in the calling thread and in others:
 * `most` in all, and no more than there are cores.  Jobs may not wait for each other. */
typedef void parallel_job(void *user, size_t i);
void parallel_run(size_t count, size_t most, parallel_job *job, void *user);

/* Copies as memcpy does; with several threads where there is much to copy. */
void parallel_copy(void *to, const void *from, size_t bytes);

/* One function that runs beside the caller from background_start to background_join.  Where there
 * is one core, or no thread can be made, it does not run.  NULL: nothing. */
struct background {
    pthread_t thread;
    bool runs;
    void (*function)(void);
};
void background_start(struct background *b, void (*function)(void));
void background_join(struct background *b);

/* For tests: as if there were so many cores, or with 0 as many as there are. */
void parallel_pretend_cores(size_t cores);

#endif
