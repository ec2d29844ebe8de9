/* What is asked of goldens: `assay golden check` and `assay golden export`. */
#ifndef ASSAY_CONFORMANCE_SUITE_GOLDEN_GOLDEN_H
#define ASSAY_CONFORMANCE_SUITE_GOLDEN_GOLDEN_H

#include "conformance/suite/bounds/bound.h"
#include "conformance/util/string_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct golden_request {
    struct string_list filters; /* globs: the cases whose names match one; none: all */
    bool quiet;
    enum bounds bounds; /* fp16: inputs and constants are rounded to f16 */
    uint64_t seed;
    size_t graphs; /* random graphs of the seed that are cases, too */
    /* For golden_export. */
    size_t limit; /* the most cases of an op, evenly spaced; 0: all */
    /* For golden_check. */
    const char *directory;
    bool delegate; /* the answers are those of a delegate, which need not have every case */
};

#endif
