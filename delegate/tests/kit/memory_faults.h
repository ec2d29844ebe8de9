/* Allocations that fail one at a time, of blocks, of pieces of arenas and of JSON values, while
 * what came before and what comes after them succeeds.  A large block holds many pieces of an
 * arena, of which none would fail alone: the linker puts these
 * functions before those of memory.c and arena.c. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_MEMORY_FAULTS_H
#define ASSAY_DELEGATE_TESTS_KIT_MEMORY_FAULTS_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum memory_kind { MEMORY_BLOCKS, MEMORY_ARENAS, MEMORY_JSON };

/* Of the kind, the allocation fails that comes after n others; negative: none does.  Disarming says
 * whether one has failed. */
void memory_faults_arm(enum memory_kind kind, long n);
bool memory_faults_disarm(void);

/* What is tried.  run fails the test itself where it returns STATUS_OK with a wrong result: an
 * allocation that failed must be said, or do no harm.  It frees all that it made. */
struct memory_scene {
    const char *name;
    enum status (*run)(void *user, struct diag *diag);
    void *user;
    /* It runs the reference, which frees arrays of the delegate ABI with free(): their bytes stay
     * counted, and only a sanitizer sees what is left. */
    bool uncounted;
};

/* Runs the scene once for each of its allocations of the kind, which fails, and once more with none
 * that does.  The test fails where an outcome is neither STATUS_OK nor STATUS_NO_MEMORY with a
 * message, or where a block is left.  Returns in how many runs the failure was said. */
size_t memory_faults_try(const struct memory_scene *scene, enum memory_kind kind);

/* Of all kinds; each must be said at least once, and JSON only where json is set. */
void memory_faults_all(const struct memory_scene *scene, bool json);

#endif
