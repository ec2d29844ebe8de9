/* A balanced tree.  A node's level is that of its left child and one more, and that of its right
 * child or one more, but not that of the right child of its right child.
 * Source: A. Andersson, Balanced search trees made simple (1993) */
#include "reference/base/lookup.h"

#include "reference/base/memory.h"

size_t lookup_find(const struct lookup *l, lookup_order *order, const void *list, const void *key)
{
    uint32_t at = l->root;

    while (at) {
        const struct lookup_node *const n = &l->nodes[at];
        const int c = order(list, key, n->item);

        if (c == 0)
            return n->item;
        at = n->child[c > 0];
    }
    return SIZE_MAX;
}

/* A left child of the same level becomes the parent. */
static uint32_t skew(struct lookup_node *n, uint32_t at)
{
    const uint32_t left = n[at].child[0];

    if (n[left].level != n[at].level)
        return at;
    n[at].child[0] = n[left].child[1];
    n[left].child[1] = at;
    return left;
}

/* Of three in a row on one level the middle one rises. */
static uint32_t split(struct lookup_node *n, uint32_t at)
{
    const uint32_t right = n[at].child[1];

    if (n[n[right].child[1]].level != n[at].level)
        return at;
    n[at].child[1] = n[right].child[0];
    n[right].child[0] = at;
    n[right].level++;
    return right;
}

/* Puts node l->count, which is filled, below `at`; it is taken where no other has its key. */
static uint32_t insert(struct lookup *l, uint32_t at, lookup_order *order, const void *list,
                       const void *key)
{
    int c;

    if (at == 0)
        return l->count++;
    if ((c = order(list, key, l->nodes[at].item)) == 0)
        return at;
    l->nodes[at].child[c > 0] = insert(l, l->nodes[at].child[c > 0], order, list, key);
    return split(l->nodes, skew(l->nodes, at));
}

bool lookup_add(struct lookup *l, lookup_order *order, const void *list, const void *key,
                size_t item)
{
    /* Room doubles where the count is a power of 2, beside the end of branches. */
    if (item >= UINT32_MAX || l->count >= UINT32_MAX / 2)
        return false;
    if ((l->count & (l->count - 1)) == 0) {
        struct lookup_node *const more =
            mem_resize(l->nodes, l->count ? 2 * (size_t)l->count : 2, sizeof *more);

        if (!more)
            return false;
        l->nodes = more;
    }
    if (l->count == 0)
        l->nodes[l->count++] = (struct lookup_node){ .level = 0 };
    l->nodes[l->count] = (struct lookup_node){ .item = (uint32_t)item, .level = 1 };
    l->root = insert(l, l->root, order, list, key);
    return true;
}

void lookup_close(struct lookup *l)
{
    mem_free(l->nodes);
    *l = (struct lookup){ .count = 0 };
}
