#include "delegate/base/parallel.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 16 };                     /* drivers scale no further */
enum { CHUNK = 1 << 18, CHUNKS_EACH_MIN = 4 }; /* of parallel_copy: bytes; less does not pay */

static atomic_size_t pretended;

void parallel_pretend_cores(size_t cores)
{
    atomic_store(&pretended, cores);
}

size_t parallel_cores(void)
{
    const size_t told = atomic_load(&pretended);
    cpu_set_t set;

    if (told > 0)
        return told;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (size_t)CPU_COUNT(&set);
    return 1; /* more than 1024 cores, or a kernel that does not tell */
}

/* Makes a thread that gets no signals. */
static bool start_thread(pthread_t *thread, void *(*function)(void *), void *user)
{
    sigset_t all, before;
    bool started;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    started = pthread_create(thread, NULL, function, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

struct work {
    atomic_size_t next;
    size_t count;
    parallel_job *job;
    void *user;
};

static void *work(void *of)
{
    struct work *const w = of;
    size_t i;

    while ((i = atomic_fetch_add(&w->next, 1)) < w->count)
        w->job(w->user, i);
    return NULL;
}

void parallel_run(size_t count, size_t most, parallel_job *job, void *user)
{
    struct work w = { .count = count, .job = job, .user = user };
    const size_t cores = parallel_cores();
    pthread_t threads[THREADS_MAX];
    size_t wanted = most < count ? most : count, made = 0;

    if (wanted > cores)
        wanted = cores;
    if (wanted > THREADS_MAX)
        wanted = THREADS_MAX;
    while (made + 1 < wanted && start_thread(&threads[made], work, &w))
        made++;
    work(&w);
    for (size_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
}

struct copy {
    char *to;
    const char *from;
    size_t bytes;
};

static void copy_chunk(void *user, size_t i)
{
    const struct copy *const c = user;
    const size_t at = i * CHUNK, left = c->bytes - at;

    memcpy(c->to + at, c->from + at, left < CHUNK ? left : CHUNK);
}

void parallel_copy(void *to, const void *from, size_t bytes)
{
    struct copy c = { to, from, bytes };
    const size_t chunks = bytes / CHUNK + (bytes % CHUNK != 0);

    parallel_run(chunks, chunks / CHUNKS_EACH_MIN, copy_chunk, &c);
}

static void *run_background(void *of)
{
    const struct background *const b = of;

    b->function();
    return NULL;
}

void background_start(struct background *b, void (*function)(void))
{
    *b = (struct background){ .function = function };
    b->runs = function && parallel_cores() > 1 && start_thread(&b->thread, run_background, b);
}

void background_join(struct background *b)
{
    if (b->runs)
        pthread_join(b->thread, NULL);
    b->runs = false;
}
