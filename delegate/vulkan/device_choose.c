#include "delegate/vulkan/device_choose.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool contains(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;

        while (part[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

static int preference(const char *type)
{
    static const char *const order[] = { "cpu", "other", "virtual", "integrated", "discrete" };

    for (int i = 0; i < 5; i++)
        if (strcmp(type, order[i]) == 0)
            return i;
    return 0;
}

int device_choose(const struct device_candidate *c, uint32_t count, const char *wanted, bool half,
                  struct diag *diag)
{
    char *end = NULL;
    const long index = wanted ? strtol(wanted, &end, 10) : -1;
    const bool by_index = wanted && end != wanted && *end == '\0';
    int best = -1;
    char names[512] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        const bool named =
            !wanted || (by_index ? (long)i == index : contains(c[i].info.name, wanted));
        const int n = snprintf(names + used, sizeof names - used, "%s%u '%s'", i ? ", " : "", i,
                               c[i].info.name);

        used += n > 0 && (size_t)n < sizeof names - used ? (size_t)n : 0;
        if (!named)
            continue;
        if (!c[i].info.usable || (half && !c[i].info.storage_16bit)) {
            diag_fail(diag, STATUS_NO_DEVICE, "device %u '%s'%s%s", i, c[i].info.name,
                      c[i].info.usable ? "" : ": ",
                      c[i].info.usable
                          ? " lacks storageBuffer16BitAccess, which precision=fp16 needs"
                          : c[i].info.why_not);
            continue;
        }
        if (best < 0 || preference(c[i].info.type) > preference(c[best].info.type))
            best = (int)i;
    }
    if (best >= 0)
        diag_clear(diag); /* it is about a device that was passed over */
    else if (!diag || diag->status == STATUS_OK)
        diag_fail(diag, STATUS_NO_DEVICE,
                  "option device '%s': expected an index or a part of a name of %s",
                  wanted ? wanted : "", names);
    return best;
}
