/* Every kernel with every stride, for rows of 8-bit types. */
#include "conformance/suite/cases/window_sweep.h"

#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/window.h"

#include <assert.h>
#include <stdio.h>

static const struct pairwise_level strides[] = {
    { "s1", 1, 1 },   { "s2", 2, 2 },   { "s3", 3, 3 },
    { "s2x1", 2, 1 }, { "s1x2", 1, 2 }, { "s1x3", 1, 3 },
};
static const struct pairwise_level dilations[] = { { "", 1, 1 },
                                                   { "_d2", 2, 2 },
                                                   { "_d1x3", 1, 3 } };
static const int32_t channels[] = { 4, 3, 8, 5, 1 };
enum { KERNELS = sizeof axis_kernels / sizeof axis_kernels[0] };
enum { STRIDES = sizeof strides / sizeof strides[0] };

static struct window_choice choose(size_t kernel, size_t stride, int dilated)
{
    const struct pairwise_level *const k = &axis_kernels[kernel], *const s = &strides[stride];
    const size_t turn = kernel + stride;
    /* Each kernel has each dilation with SAME and with VALID: the two periods have no factor in
     * common. */
    const struct pairwise_level *const d = &dilations[dilated ? turn % 3 : 0];
    const struct pairwise_level *const p = &axis_paddings[(kernel * STRIDES + stride) / 3 % 2];
    struct window_choice c = {
        .kernel = { k->x, k->y },
        .stride = { s->x, s->y },
        .dilation = { d->x, d->y },
        .image = { 6, 7 },
        .channels = channels[(kernel * STRIDES + stride) % 5],
        .padding = p->x,
        .type = TYPE_BIT(turn % 2 ? CASE_U8 : CASE_I8),
    };
    int n;

    if (c.padding == VALID) {
        c.image.h = window_at_least(c.image.h, (k->x - 1) * d->x + 1 + s->x);
        c.image.w = window_at_least(c.image.w, (k->y - 1) * d->y + 1 + s->y);
    }
    n = snprintf(c.name, sizeof c.name, "window_%s_%s%s%s%s_c%d", k->label, s->label, d->label,
                 p->label[0] ? "_" : "", p->label, c.channels);
    assert(n > 0 && n < (int)sizeof c.name);
    return c;
}

const struct window_choice *window_choices(int dilated)
{
    static struct window_choice choices[2][WINDOW_CHOICES];
    struct window_choice *const made = choices[dilated != 0];

    _Static_assert(KERNELS * STRIDES == WINDOW_CHOICES, "a choice for each pair");
    for (size_t i = 0; made[0].channels == 0 && i < WINDOW_CHOICES; i++) {
        const size_t n = WINDOW_CHOICES - 1 - i; /* the first is made last */

        made[n] = choose(n / STRIDES, n % STRIDES, dilated);
    }
    return made;
}
