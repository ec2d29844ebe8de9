/* Which tensor of a subgraph has a name. */
#ifndef ASSAY_REFERENCE_TEXT_NAMES_H
#define ASSAY_REFERENCE_TEXT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zero-initialized table is empty.  Names are borrowed. */
struct names {
    struct name_row {
        const char *name; /* NULL: a free row */
        int tensor;
        bool several; /* more than one tensor has the name */
    } * rows;
    size_t count, room;
};

/* False when out of memory. */
bool names_add(struct names *t, const char *name, int tensor);
/* NULL: no tensor has the name. */
const struct name_row *names_find(const struct names *t, const char *name);
void names_close(struct names *t);

#endif
