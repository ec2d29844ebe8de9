#include "conformance/util/git_state.h"

#include <stddef.h>

static const char *known;

const char *git_state(void)
{
    return known;
}

void git_state_set(const char *state)
{
    known = state && *state ? state : NULL;
}
