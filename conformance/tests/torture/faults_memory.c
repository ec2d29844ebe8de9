/* Takes the place of malloc and of the functions of libc that allocate, for those who call them
 * from the libraries or from assay.  Live blocks are kept in a table, with who allocated them. */
#include "conformance/tests/torture/faults_impl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *block);

#define CALLER __builtin_return_address(0)

/* ---- live blocks: open addressing; a slot that was freed is reused ---- */

enum { SLOTS = 1 << 20 };

struct slot {
    void *block;
    size_t bytes;
    const void *caller;
    unsigned long serial;
};

static struct slot *slots;
static unsigned long serial, marked;
static long live_blocks, live_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define FREED ((void *)1)

static size_t slot_of(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 44) % SLOTS;
}

void fault_track(void *block, size_t bytes, const void *caller)
{
    size_t i = slot_of(block);

    if (!block)
        return;
    pthread_mutex_lock(&lock);
    if (!slots) {
        void *const memory = mmap(NULL, SLOTS * sizeof *slots, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (memory == MAP_FAILED)
            abort();
        slots = memory;
    }
    if (live_blocks > SLOTS / 2)
        abort(); /* more than what this is for */
    while (slots[i].block && slots[i].block != FREED)
        i = (i + 1) % SLOTS;
    slots[i] = (struct slot){ block, bytes, caller, ++serial };
    live_blocks++;
    live_bytes += (long)bytes;
    pthread_mutex_unlock(&lock);
}

void fault_forget(void *block)
{
    if (!block || !slots)
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = slot_of(block); slots[i].block; i = (i + 1) % SLOTS)
        if (slots[i].block == block) {
            live_blocks--;
            live_bytes -= (long)slots[i].bytes;
            slots[i].block = slots[(i + 1) % SLOTS].block ? FREED : NULL;
            break;
        }
    pthread_mutex_unlock(&lock);
}

void fault_count_blocks(struct fault_state *state)
{
    state->blocks = live_blocks;
    state->bytes = live_bytes;
}

void fault_mark_blocks(void)
{
    marked = serial;
}

long fault_leaks(char *text, size_t size)
{
    size_t used = 0;
    long count = 0;

    text[0] = '\0';
    for (size_t i = 0; slots && i < SLOTS; i++)
        if (slots[i].block && slots[i].block != FREED && slots[i].serial > marked) {
            char place[64];

            count++;
            fault_place(slots[i].caller, place, sizeof place);
            if (!strstr(text, place) && used + 96 < size)
                used += (size_t)snprintf(text + used, size - used, "%s%zu bytes of %s",
                                         used ? ", " : "", slots[i].bytes, place);
        }
    return count;
}

/* ---- what takes libc's place ---- */

static bool fails(const char *call, const void *caller, bool *ours)
{
    *ours = fault_is_ours(caller);
    if (*ours && fault_fails(FAULT_ALLOCATION, true, call, caller)) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

FAULT_EXPORT void *malloc(size_t size)
{
    bool ours;
    void *block;

    if (fails("malloc", CALLER, &ours))
        return NULL;
    block = __libc_malloc(size);
    if (ours)
        fault_track(block, size, CALLER);
    return block;
}

FAULT_EXPORT void *calloc(size_t count, size_t size)
{
    bool ours;
    void *block;

    if (fails("calloc", CALLER, &ours))
        return NULL;
    block = __libc_calloc(count, size);
    if (ours)
        fault_track(block, count * size, CALLER);
    return block;
}

FAULT_EXPORT void *realloc(void *old, size_t size)
{
    bool ours;
    void *block;

    if (fails("realloc", CALLER, &ours))
        return NULL;
    fault_forget(old);
    block = __libc_realloc(old, size);
    if (ours)
        fault_track(block ? block : old, size, CALLER);
    return block;
}

FAULT_EXPORT void free(void *block)
{
    fault_forget(block);
    __libc_free(block);
}

FAULT_EXPORT void *aligned_alloc(size_t align, size_t size)
{
    bool ours;
    void *block;

    if (fails("aligned_alloc", CALLER, &ours))
        return NULL;
    block = __libc_memalign(align, size);
    if (ours)
        fault_track(block, size, CALLER);
    return block;
}

FAULT_EXPORT int posix_memalign(void **block, size_t align, size_t size)
{
    bool ours;

    if (fails("posix_memalign", CALLER, &ours))
        return ENOMEM;
    *block = __libc_memalign(align, size);
    if (!*block)
        return ENOMEM;
    if (ours)
        fault_track(*block, size, CALLER);
    return 0;
}

/* Functions of libc whose own allocations would not count, since libc is their caller. */
#define NEXT(type, name, parameters)                                                               \
    static type(*real) parameters;                                                                 \
    bool ours;                                                                                     \
    if (!real) {                                                                                   \
        void *const symbol = dlsym(RTLD_NEXT, name);                                               \
        memcpy(&real, &symbol, sizeof real);                                                       \
    }
#define ALLOCATES(type, name, none, parameters, arguments)                                         \
    FAULT_EXPORT type name parameters                                                              \
    {                                                                                              \
        NEXT(type, #name, parameters)                                                              \
        if (fails(#name, CALLER, &ours))                                                           \
            return none;                                                                           \
        return real arguments;                                                                     \
    }

FAULT_EXPORT char *strdup(const char *s)
{
    const size_t size = strlen(s) + 1;
    bool ours;
    char *copy;

    if (fails("strdup", CALLER, &ours))
        return NULL;
    copy = __libc_malloc(size);
    if (copy)
        memcpy(copy, s, size);
    if (ours)
        fault_track(copy, size, CALLER);
    return copy;
}

ALLOCATES(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
ALLOCATES(FILE *, fdopen, NULL, (int fd, const char *mode), (fd, mode))
ALLOCATES(FILE *, open_memstream, NULL, (char **text, size_t *size), (text, size))
ALLOCATES(FILE *, tmpfile, NULL, (void), ())
ALLOCATES(FILE *, tmpfile64, NULL, (void), ())
ALLOCATES(FILE *, fopen64, NULL, (const char *path, const char *mode), (path, mode))
ALLOCATES(DIR *, opendir, NULL, (const char *path), (path))
ALLOCATES(char *, realpath, NULL, (const char *path, char *out), (path, out))
ALLOCATES(void *, mmap, MAP_FAILED, (void *at, size_t n, int p, int f, int fd, off_t o),
          (at, n, p, f, fd, o))
ALLOCATES(void *, mmap64, MAP_FAILED, (void *at, size_t n, int p, int f, int fd, off64_t o),
          (at, n, p, f, fd, o))
ALLOCATES(int, pthread_create, EAGAIN,
          (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *user), (t, a, f, user))
