/* Facts of results, as numbers: what the model of a case is (anatomy.h), what its name says, the
 * shapes of its inputs, and that of the output that was compared. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_FACTS_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_FACTS_H

#include "conformance/report/record/record.h"

#include <stdbool.h>
#include <stddef.h>

enum { FACTS_MAX = 160, FACT_NAME_BYTES = 32 };

enum fact_kind {
    FACT_SHAPE, /* of the first input: channels, batch, rank, elements; inputs, nodes; of the output
                   that was judged last: output channels; of the model: kernel, its elements */
    FACT_CLASS, /* 1 or absent; its name is the class */
    FACT_VERSION, /* of the op */
    FACT_TYPE,    /* 1 or absent; its name is the type */
    FACT_NUMBER,  /* of the variant: 5 where the word is "c5"; its name is "c" */
    FACT_WORD,    /* of the variant: 1 or absent; its name is the word */
    FACT_STEM     /* 1 or absent; the letters that a word with or without digits begins with:
                     "relu" of relu and relu6 */
};

struct fact {
    enum fact_kind kind;
    char name[FACT_NAME_BYTES];
};

/* A row for each result: the value of each fact, NaN where it does not have it.  Facts past
 * FACTS_MAX are left out, in the order in which the results bring them. */
struct facts {
    struct fact list[FACTS_MAX];
    size_t count, rows;
    double (*values)[FACTS_MAX];
};

/* The rows are in the arena. */
enum status facts_open(struct facts *f, const struct record *r, const size_t *results, size_t count,
                       struct arena *arena, struct diag *diag);

/* Whether a node of such classes, of a case of this type, has the class. */
bool facts_has_class(const char *classes, const char *type, const char *name);
/* A number of a node by the name of its fact; NaN: it has none. */
double facts_number(const char *numbers, const char *name);

/* "a fused activation" of the class "activation"; the class itself, where it is said so. */
const char *facts_class_text(const char *name);
/* Whether it is a kind of other classes, as "activation" is of "relu6". */
bool facts_class_is_kind(const char *name);

/* Elements of the first input of a case; infinity when it is not known. */
double facts_elements(const struct record_case *c);

#endif
