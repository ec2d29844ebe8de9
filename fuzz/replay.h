/* Targets of replay.c.  The Makefile includes this before each, with the target's name in
 * REPLAY_TARGET: its entry points, which have one name in all targets, get names of their own. */
#ifndef ASSAY_FUZZ_REPLAY_H
#define ASSAY_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

struct replay_target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
    const char *(*asan_options)(void); /* or NULL */
    struct replay_target *next;
};

void replay_add(struct replay_target *t);

#ifdef REPLAY_TARGET
#define REPLAY_JOINED(prefix, target) prefix##target
#define REPLAY_NAME(prefix, target)   REPLAY_JOINED(prefix, target)
#define REPLAY_QUOTED(target)         #target
#define REPLAY_TEXT(target)           REPLAY_QUOTED(target)
#define LLVMFuzzerTestOneInput        REPLAY_NAME(fuzz_, REPLAY_TARGET)
#define __asan_default_options        REPLAY_NAME(asan_options_, REPLAY_TARGET)
#define LLVMFuzzerCustomMutator       REPLAY_NAME(mutate_, REPLAY_TARGET)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) const char *__asan_default_options(void);

__attribute__((constructor)) static void replay_add_target(void)
{
    static struct replay_target t = { REPLAY_TEXT(REPLAY_TARGET), LLVMFuzzerTestOneInput,
                                      __asan_default_options, NULL };

    replay_add(&t);
}
#endif

#endif
