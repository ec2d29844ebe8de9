/* Speed, -O3: products of whole tensors */
#include "reference/kernels/dot_block.h"

#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

enum status ref_dot_block_open(struct ref_dot_block *b, const struct ref_dot *d,
                               const struct ref_call *call, struct diag *diag, size_t terms)
{
    *b = (struct ref_dot_block){ .d = d, .terms = terms, .detailed = call->detail != NULL };
    if (d->w_integers)
        return STATUS_OK;
    b->w = mem_alloc(terms, REF_DOT_LANES * sizeof *b->w);
    return b->w ? STATUS_OK
                : ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for the weights of %d channels",
                           REF_DOT_LANES);
}

void ref_dot_block_close(struct ref_dot_block *b)
{
    mem_free(b->w);
    *b = (struct ref_dot_block){ 0 };
}

void ref_dot_block_load(struct ref_dot_block *b, size_t first, size_t end)
{
    b->first = first;
    b->count = end - first < REF_DOT_LANES ? end - first : REF_DOT_LANES;
    for (size_t t = 0; b->w && t < b->terms; t++) {
        for (size_t l = 0; l < b->count; l++)
            b->w[t * REF_DOT_LANES + l] = b->d->w[(first + l) * b->terms + t];
    }
}

void ref_dot_block_begin(struct ref_dot_block *b)
{
    for (size_t l = 0; l < b->count; l++) {
        b->sum[l] = b->d->bias ? b->d->bias[b->first + l] : 0;
        b->magnitude[l] = fabs(b->sum[l]);
    }
}

/* The loops over floats keep the lanes in a local array, which the compiler holds in registers. */
static void add_products(double *to, const double *w, const float *x, size_t count)
{
    double sum[REF_DOT_LANES];

    memcpy(sum, to, sizeof sum);
    for (size_t i = 0; i < count; i++) {
        for (size_t l = 0; l < REF_DOT_LANES; l++)
            sum[l] += w[i * REF_DOT_LANES + l] * x[i]; /* a product of floats is exact */
    }
    memcpy(to, sum, sizeof sum);
}

static void add_magnitudes(double *to, const double *w, const float *x, size_t count)
{
    double sum[REF_DOT_LANES];

    memcpy(sum, to, sizeof sum);
    for (size_t i = 0; i < count; i++) {
        for (size_t l = 0; l < REF_DOT_LANES; l++)
            sum[l] += fabs(w[i * REF_DOT_LANES + l] * x[i]);
    }
    memcpy(to, sum, sizeof sum);
}

/* Exact: a product of 8-bit values less their zero points is at most 255^2, so 2^15 of them fit 32
 * bits, and a double holds all that add up to less than 2^53. */
static double integer_products(const int16_t *w, const int16_t *x, size_t count)
{
    enum { RUN = 1 << 15 };
    double sum = 0;

    for (size_t begin = 0; begin < count; begin += RUN) {
        const size_t end = count - begin < RUN ? count : begin + RUN;
        int32_t part = 0;

        for (size_t i = begin; i < end; i++)
            part += (int32_t)w[i] * x[i];
        sum += part;
    }
    return sum;
}

void ref_dot_block_add(struct ref_dot_block *b, size_t term, size_t x, size_t count)
{
    const struct ref_dot *const d = b->d;

    if (d->w_integers) {
        for (size_t l = 0; l < b->count; l++)
            b->sum[l] += integer_products(d->w_integers + (b->first + l) * b->terms + term,
                                          d->x_integers + x, count);
        return;
    }
    add_products(b->sum, b->w + term * REF_DOT_LANES, d->x + x, count);
    if (b->detailed)
        add_magnitudes(b->magnitude, b->w + term * REF_DOT_LANES, d->x + x, count);
}

void ref_dot_block_store(struct ref_call *call, const struct ref_dot_block *b, size_t i,
                         double terms)
{
    for (size_t l = 0; l < b->count; l++)
        ref_dot_store(call, b->d, i + l, b->first + l, b->sum[l], b->magnitude[l], terms);
}
