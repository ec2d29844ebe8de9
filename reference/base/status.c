#include "reference/base/status.h"

const char *status_text(enum status s)
{
    static const char *const texts[STATUS_COUNT] = {
#define X(name, text) [STATUS_##name] = text,
        STATUS_LIST(X)
#undef X
    };

    return (unsigned)s < STATUS_COUNT ? texts[s] : "unknown status";
}
