/* Every kernel with every stride, for rows of 8-bit types: kernels of integers have fast ways of
 * their own for dense windows, so the circumstances that keep a window from being dense come in
 * every combination of kernel and stride.  Paddings, dilations and channels alternate.
 *
 * A suite makes a row of each choice in its sweep (SWEEP_FILL). */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_WINDOW_SWEEP_H
#define ASSAY_CONFORMANCE_SUITE_CASES_WINDOW_SWEEP_H

#include <stddef.h>
#include <stdint.h>

enum { WINDOW_CHOICES = 48, WINDOW_NAME_BYTES = 48 };

struct window_choice {
    char name[WINDOW_NAME_BYTES]; /* "window_k1_s1x2_valid_c4" */
    struct {
        int32_t h, w;
    } kernel, stride, dilation, image;
    int32_t channels;
    int padding;
    uint32_t type; /* the TYPE_BIT of i8 or u8, in turn, for suites that take one type a row */
};

/* Returns all choices.  With dilated unset dilations are 1. */
const struct window_choice *window_choices(int dilated);

#endif
