/* Names of the classes of bounds. */
#include "conformance/suite/bounds/classes.h"

#include <stdio.h>
#include <string.h>

enum axis { AXIS_STORAGE, AXIS_DESIGN, AXIS_INTEGERS, AXIS_COUNT };

static const struct {
    const char *name;
    enum bounds bounds;
    enum axis axis;
} classes[] = { { "fp32", BOUNDS_FP32, AXIS_STORAGE },
                { "fp16", BOUNDS_FP16, AXIS_STORAGE },
                { "fp16_arith", BOUNDS_FP16_ARITH, AXIS_STORAGE },
                { "fp16_runs", BOUNDS_FP16_RUNS, AXIS_STORAGE },
                { "rtz", BOUNDS_TOWARD_ZERO, AXIS_DESIGN },
                { "winograd", BOUNDS_WINOGRAD, AXIS_DESIGN },
                { "hybrid", BOUNDS_HYBRID, AXIS_DESIGN },
                { "exponentials", BOUNDS_EXPONENTIALS, AXIS_DESIGN },
                { "exact", BOUNDS_EXACT, AXIS_INTEGERS },
                { "one_step", BOUNDS_ONE_STEP, AXIS_INTEGERS },
                { "float_view", BOUNDS_FLOAT_VIEW, AXIS_INTEGERS } };
enum { CLASSES = sizeof classes / sizeof classes[0] };

static int find(const char *name, size_t length)
{
    for (int i = 0; i < CLASSES; i++) {
        if (strlen(classes[i].name) == length && memcmp(classes[i].name, name, length) == 0)
            return i;
    }
    return -1;
}

static enum status fail_unknown(const char *name, size_t length, struct diag *diag)
{
    char known[160];
    size_t used = 0;

    for (int i = 0; i < CLASSES; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 classes[i].name);
    return diag_fail(diag, STATUS_USAGE,
                     "bounds: the class '%.*s' is not known, expected a list of %s", (int)length,
                     name, known);
}

enum status bounds_parse(const char *list, enum bounds *floats, enum bounds *integers,
                         struct diag *diag)
{
    int chosen[AXIS_COUNT] = { -1, -1, -1 };
    unsigned designs = 0, storage;

    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        const int i = find(at, length);

        if (i < 0)
            return fail_unknown(at, length, diag);
        if (classes[i].axis == AXIS_DESIGN) {
            designs |= classes[i].bounds;
        } else {
            int *const before = &chosen[classes[i].axis];

            if (*before >= 0 && *before != i)
                return diag_fail(diag, STATUS_USAGE, "bounds: %s and %s exclude each other",
                                 classes[*before].name, classes[i].name);
            *before = i;
        }
        at += length;
        if (!*at)
            break;
    }
    storage =
        chosen[AXIS_STORAGE] >= 0 ? classes[chosen[AXIS_STORAGE]].bounds : *floats & BOUNDS_STORAGE;
    *floats = (enum bounds)(storage | designs);
    if (chosen[AXIS_INTEGERS] >= 0)
        *integers = classes[chosen[AXIS_INTEGERS]].bounds;
    return STATUS_OK;
}

const char *bounds_text(enum bounds bounds, char text[BOUNDS_TEXT_BYTES])
{
    const bool integers = bounds & (BOUNDS_EXACT | BOUNDS_ONE_STEP | BOUNDS_FLOAT_VIEW);
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < CLASSES; i++) {
        const unsigned own = classes[i].bounds;
        const bool has = classes[i].axis == AXIS_DESIGN ? !integers && (bounds & own)
                         : classes[i].axis == AXIS_STORAGE
                             ? !integers && (bounds & BOUNDS_STORAGE) == own
                             : (unsigned)bounds == own;

        if (has)
            used += (size_t)snprintf(text + used, BOUNDS_TEXT_BYTES - used, "%s%s", used ? "," : "",
                                     classes[i].name);
    }
    return text;
}
