/* Objects of a test that are closed at the end of their block, in the reverse order of their
 * declarations:
 *     struct plan p CLOSED_BY(plan_close);
 *     char *text CLOSED_BY(kit_free) = strdup("x");
 * A check that fails, and skip(), leave the test without that. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_CLOSED_H
#define ASSAY_REFERENCE_TESTS_KIT_CLOSED_H

#include "reference/base/memory.h"

#include <stdlib.h>

#define CLOSED_BY(close) __attribute__((cleanup(close), unused))

/* For a pointer to anything: what free, and mem_free, take. */
static inline void kit_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void kit_mem_free(void *pointer)
{
    mem_free(*(void **)pointer);
}

/* A model of this name, which the call makes. */
#define MODEL_BY(m, call)                                                                          \
    struct model m CLOSED_BY(model_close);                                                         \
    call

#endif
