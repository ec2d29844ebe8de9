/* Keys of kinds. */
#include "conformance/suite/subject/subject_kind.h"

#include <string.h>

bool subject_kind_has_key(const struct subject_kind *kind, const char *key)
{
    for (size_t i = 0; kind->keys[i]; i++) {
        if (strcmp(kind->keys[i], key) == 0)
            return true;
    }
    return false;
}
