/* Why a graph rewrite left a node as it is, or a faster kernel was not used, where it could have
 * been.  Reasons are kept when someone asks for them (assay_gpu_keep_reasons); else there is no
 * list, and a condition that fails costs one comparison more. */
#ifndef ASSAY_DELEGATE_GRAPH_REASONS_H
#define ASSAY_DELEGATE_GRAPH_REASONS_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdarg.h>
#include <stdbool.h>

enum reason_kind { REASON_TRANSFORM, REASON_KERNEL };

struct reason {
    enum reason_kind kind;
    int id;   /* enum transform_id, or enum kernel_id */
    int node; /* host index; -1: of an input, an output, or the whole partition */
    const char *op;
    const char *text;
};

/* A zero-initialized list is empty. */
struct reasons {
    struct arena arena;
    struct reason *list;
    int count, capacity;
    bool incomplete; /* memory ran out */
};

/* What a reason is about: text NULL. */
struct reason_of {
    struct reasons *reasons; /* NULL: nobody asks */
    struct reason about;
};

/* Adds the reason to the list, if there is one.  Always false, so that a check can return it. */
bool reasons_add(const struct reason_of *of, const char *format, ...) PRINTF_LIKE(2, 3);
bool reasons_add_list(const struct reason_of *of, const char *format, va_list args);
/* Empties the list; its memory stays until reasons_close. */
void reasons_clear(struct reasons *r);
void reasons_close(struct reasons *r);

#endif
