/* Wrap: mem_alloc mem_resize arena_alloc arena_copy arena_string */
#include "delegate/tests/kit/memory_faults.h"

#include "reference/base/arena.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { POINTS_MAX = 20000 };

static const char *const kind_names[] = { "block", "piece of an arena", "JSON value" };

static struct {
    enum memory_kind kind;
    long left;      /* how many of the kind succeed before one fails; negative: all do */
    long long json; /* blocks of JSON values that are out */
} fault = { .left = -1 };

/* One has failed, in this process or in one that it started. */
static atomic_bool here, *reached = &here;

/* The linker gives these names to the functions that callers ask for, and to those there are. */
void *__real_mem_alloc(size_t count, size_t size);
void *__wrap_mem_alloc(size_t count, size_t size);
void *__real_mem_resize(void *block, size_t count, size_t size);
void *__wrap_mem_resize(void *block, size_t count, size_t size);
void *__real_arena_alloc(struct arena *a, size_t count, size_t size);
void *__wrap_arena_alloc(struct arena *a, size_t count, size_t size);
void *__real_arena_copy(struct arena *a, const void *data, size_t count, size_t size);
void *__wrap_arena_copy(struct arena *a, const void *data, size_t count, size_t size);
char *__real_arena_string(struct arena *a, const char *text);
char *__wrap_arena_string(struct arena *a, const char *text);

static bool fails(enum memory_kind kind)
{
    if (kind != fault.kind || fault.left < 0 || fault.left-- != 0)
        return false;
    *reached = true;
    return true;
}

void *__wrap_mem_alloc(size_t count, size_t size)
{
    return fails(MEMORY_BLOCKS) ? NULL : __real_mem_alloc(count, size);
}

void *__wrap_mem_resize(void *block, size_t count, size_t size)
{
    return fails(MEMORY_BLOCKS) ? NULL : __real_mem_resize(block, count, size);
}

void *__wrap_arena_alloc(struct arena *a, size_t count, size_t size)
{
    return fails(MEMORY_ARENAS) ? NULL : __real_arena_alloc(a, count, size);
}

void *__wrap_arena_copy(struct arena *a, const void *data, size_t count, size_t size)
{
    return fails(MEMORY_ARENAS) ? NULL : __real_arena_copy(a, data, count, size);
}

char *__wrap_arena_string(struct arena *a, const char *text)
{
    return fails(MEMORY_ARENAS) ? NULL : __real_arena_string(a, text);
}

static void *take(size_t bytes)
{
    void *const block = fails(MEMORY_JSON) ? NULL : malloc(bytes);

    fault.json += block != NULL;
    return block;
}

static void give(void *block)
{
    fault.json -= block != NULL;
    free(block);
}

void memory_faults_arm(enum memory_kind kind, long n)
{
    fault.kind = kind;
    fault.left = n;
    *reached = false;
}

bool memory_faults_disarm(void)
{
    fault.left = -1;
    return *reached;
}

/* Runs the scene while allocation n fails; whether there is such a one.  n negative: none. */
static bool run_point(const struct memory_scene *scene, enum memory_kind kind, long n, size_t *said)
{
    const long long before = mem_live_bytes(), json = fault.json;
    struct diag diag = { .status = STATUS_OK };
    enum status s;

    memory_faults_arm(kind, n);
    s = scene->run(scene->user, &diag);
    memory_faults_disarm();
    if (s != STATUS_OK && (s != STATUS_NO_MEMORY || !diag.text[0] || !*reached))
        fail_msg("%s: %s %ld: %s: %s", scene->name, kind_names[kind], n, status_text(s), diag.text);
    if (!scene->uncounted && (mem_live_bytes() != before || fault.json != json))
        fail_msg("%s: %s %ld: %lld bytes and %lld JSON values are left", scene->name,
                 kind_names[kind], n, mem_live_bytes() - before, fault.json - json);
    *said += s != STATUS_OK;
    return *reached;
}

size_t memory_faults_try(const struct memory_scene *scene, enum memory_kind kind)
{
    size_t said = 0;
    long n = 0;

    reached =
        mmap(NULL, sizeof *reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(reached != MAP_FAILED);
    if (kind == MEMORY_JSON)
        json_set_alloc_funcs(take, give);
    while (n < POINTS_MAX && run_point(scene, kind, n, &said))
        n += KIT_EACH(4);
    if (n >= POINTS_MAX)
        fail_msg("%s: more than %d allocations", scene->name, POINTS_MAX);
    run_point(scene, kind, -1, &said);
    if (kind == MEMORY_JSON)
        json_set_alloc_funcs(malloc, free);
    munmap(reached, sizeof *reached);
    reached = &here;
    return said;
}

void memory_faults_all(const struct memory_scene *scene, bool json)
{
    const int kinds = json ? MEMORY_JSON : MEMORY_ARENAS;

    for (int k = 0; k <= kinds; k++)
        if (memory_faults_try(scene, (enum memory_kind)k) == 0)
            fail_msg("%s: no failure of a %s was said", scene->name, kind_names[k]);
}
