/* Finds items of a list by their name or number, for lists that files fill: whatever they are
 * filled with, finding and adding compare as often as the logarithm of their number. */
#ifndef ASSAY_REFERENCE_BASE_LOOKUP_H
#define ASSAY_REFERENCE_BASE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lookup_node {
    uint32_t item, child[2];
    uint8_t level;
};

/* Zero-initialized: empty. */
struct lookup {
    struct lookup_node *nodes; /* the first is the end of all branches */
    uint32_t count, root;
};

/* The order of a key and the list's item of that number: below 0, 0 or above. */
typedef int lookup_order(const void *list, const void *key, size_t item);

/* The number of the item that has the key; SIZE_MAX: there is none. */
size_t lookup_find(const struct lookup *l, lookup_order *order, const void *list, const void *key);
/* Adds an item of the key; where there is one, it stays.  False: out of memory. */
bool lookup_add(struct lookup *l, lookup_order *order, const void *list, const void *key,
                size_t item);
void lookup_close(struct lookup *l);

#endif
