/* Rows of a suite that are made from axes (pairwise.h) rather than written down.
 *
 *     static struct row swept_row(const struct pairwise_row *p)
 *     {
 *         return (struct row){
 *             .base = { .name = p->name, .why = "pairwise: channels, batch" },
 *             .in = DIMS(p->level[BATCH]->x, 3, 2, p->level[CHANNEL]->x),
 *         };
 *     }
 *     SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes))
 *     SUITE_SWEPT(stem, members, rows, build, sweep);
 *
 * SWEEP_PART makes the rows of all axes of an array, SWEEP_PART_OF those of its first axes, and
 * SWEEP_FILL those that a function writes, which returns their number.  The first call makes the
 * rows, which are static; only one thread may call it. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_SWEEP_H
#define ASSAY_CONFORMANCE_SUITE_CASES_SWEEP_H

#include "conformance/suite/cases/pairwise.h"

#include <assert.h>
#include <stdbool.h>

#define SWEEP_PART(make_row, axes_) SWEEP_PART_OF(make_row, axes_, sizeof(axes_) / sizeof(axes_)[0])
#define SWEEP_PART_OF(make_row, axes_, axis_count_)                                                \
    {                                                                                              \
        .axes = (axes_), .axis_count = (axis_count_), .make = (make_row)                           \
    }
#define SWEEP_FILL(fill_rows)                                                                      \
    {                                                                                              \
        .fill = (fill_rows)                                                                        \
    }

/* Defines function(), the `sweep` of a suite whose rows are struct row. */
#define SUITE_SWEEP(function, ...)                                                                 \
    static const void *function(size_t *count)                                                     \
    {                                                                                              \
        static const struct {                                                                      \
            const struct pairwise_axis *axes;                                                      \
            size_t axis_count;                                                                     \
            struct row (*make)(const struct pairwise_row *row);                                    \
            size_t (*fill)(struct row * rows, size_t position);                                    \
        } parts[] = { __VA_ARGS__ };                                                               \
        enum { PARTS = sizeof parts / sizeof parts[0], ROOM = (PARTS + 1) * PAIRWISE_ROWS_MAX };   \
        static struct pairwise_row choices[ROOM];                                                  \
        static struct row made[ROOM];                                                              \
        static size_t made_count;                                                                  \
                                                                                                   \
        const bool is_made = made_count > 0;                                                       \
                                                                                                   \
        for (size_t part = 0; !is_made && part < PARTS; part++) {                                  \
            const size_t first = made_count;                                                       \
                                                                                                   \
            assert(first + PAIRWISE_ROWS_MAX <= ROOM);                                             \
            made_count +=                                                                          \
                parts[part].fill                                                                   \
                    ? parts[part].fill(&made[first], first)                                        \
                    : pairwise_rows(parts[part].axes, parts[part].axis_count, &choices[first]);    \
            for (size_t i = first; parts[part].make && i < made_count; i++) {                      \
                choices[i].position = i;                                                           \
                made[i] = parts[part].make(&choices[i]);                                           \
            }                                                                                      \
        }                                                                                          \
        *count = made_count;                                                                       \
        return made;                                                                               \
    }

#endif
