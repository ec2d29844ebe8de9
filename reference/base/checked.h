/* Checked arithmetic on sizes that come from files and callers: a product or sum that does not fit
 * is reported, not wrapped. */
#ifndef ASSAY_REFERENCE_BASE_CHECKED_H
#define ASSAY_REFERENCE_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *out = a * b (a + b); false, with *out untouched, when that does not fit. */
static inline bool checked_mul(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *out = a * b;
    return true;
}

static inline bool checked_add(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b)
        return false;
    *out = a + b;
    return true;
}

/* The same whatever the size of a pointer, for what a model may ask for: verdicts are the same on
 * every machine. */
static inline bool checked_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    if (b != 0 && a > UINT64_MAX / b)
        return false;
    *out = a * b;
    return true;
}

/* size rounded up to a multiple of align, a power of two. */
static inline bool checked_align(size_t size, size_t align, size_t *out)
{
    if (!checked_add(size, align - 1, &size))
        return false;
    *out = size & ~(align - 1);
    return true;
}

/* The product of rank dims, each at least 0; false when one is negative or the product is too
 * large.  Rank 0 gives 1. */
static inline bool checked_elements_u64(const int32_t *dims, size_t rank, uint64_t *out)
{
    uint64_t product = 1;
    bool empty = false;

    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return false;
        if (dims[i] == 0)
            empty = true; /* still look at the others: a negative one is an error */
        else if (!checked_mul_u64(product, (uint64_t)dims[i], &product))
            return false;
    }
    *out = empty ? 0 : product;
    return true;
}

static inline bool checked_elements(const int32_t *dims, size_t rank, size_t *out)
{
    uint64_t elements;

    if (!checked_elements_u64(dims, rank, &elements) || elements > SIZE_MAX)
        return false;
    *out = (size_t)elements;
    return true;
}

#endif
