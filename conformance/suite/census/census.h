/* Nodes of models, counted by kind.
 *
 * A kind is a text of fields with tabs between them: "CONV_2D", "f32:4,f32:4c,f32:1c",
 * "stride_w=1 stride_h=1 filter=3x3", "1", "".  Operands are the inputs: type, rank, c for a
 * constant, /q for a scale, /ch for scales of channels, /block for blocks; - is absent, and +K are
 * K more than the first four.  Options are the fields that have not their default, in the words of
 * conformance/doc/MODEL_TEXT.md, and the filter of ops with such weights; sizes are not told.
 * Then the version, and "broadcast" where the two data inputs have other shapes. */
#ifndef ASSAY_CONFORMANCE_SUITE_CENSUS_CENSUS_H
#define ASSAY_CONFORMANCE_SUITE_CENSUS_CENSUS_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define CENSUS_CUSTOM "CUSTOM:" /* before the name of a custom op */

enum census_field {
    CENSUS_OP,
    CENSUS_OPERANDS,
    CENSUS_OPTIONS,
    CENSUS_VERSION,
    CENSUS_BROADCAST,
    CENSUS_FIELDS
};

struct census_kind {
    const char *text;
    uint64_t nodes, models;
    uint64_t
        last_model; /* that has one, from 1; 0: not known, and at least so many models have it */
};

/* A zeroed census is empty; census_close takes it in any state. */
struct census {
    struct census_kind *kinds; /* as found, until one of the sorts */
    size_t count, room;
    json_t *places; /* of texts in kinds */
    uint64_t models, nodes;
};

/* Adds the nodes of all subgraphs, by the first `fields` of their kinds. */
enum status census_add_model(struct census *c, const struct model *m, int fields,
                             struct diag *diag);
/* Adds one node; models counts for its model. */
enum status census_add_node(struct census *c, const struct model *m, size_t graph, size_t node,
                            int fields, struct diag *diag);
/* Adds nodes of a kind. */
enum status census_add(struct census *c, const struct census_kind *kind, struct diag *diag);
/* Nothing is added after a sort.  By nodes, the most first. */
void census_sort_by_nodes(struct census *c);
void census_sort_by_text(struct census *c);
void census_close(struct census *c);
/* The index of a kind before any sort; SIZE_MAX: there is none. */
size_t census_find(const struct census *c, const char *kind);

/* A field of a kind, without a NUL behind it; empty where the kind has not so many. */
const char *census_field(const char *kind, enum census_field field, size_t *length);
/* Bytes of the first `fields` of a kind. */
size_t census_prefix(const char *kind, int fields);

#endif
