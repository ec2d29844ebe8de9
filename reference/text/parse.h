/* What is known while a text is read. */
#ifndef ASSAY_REFERENCE_TEXT_PARSE_H
#define ASSAY_REFERENCE_TEXT_PARSE_H

#include "reference/format/builder.h"
#include "reference/format/file.h"
#include "reference/format/op_options.h"
#include "reference/text/scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- names.c: which tensor of a subgraph has a name ---- */

/* A zero-initialized table is empty.  Names are borrowed. */
struct names {
    struct name_row {
        const char *name; /* NULL: a free row */
        int tensor;
        bool several; /* more than one tensor has the name */
    } * rows;
    size_t count, room;
};

/* False when out of memory. */
bool names_add(struct names *t, const char *name, int tensor);
/* NULL: no tensor has the name. */
const struct name_row *names_find(const struct names *t, const char *name);
void names_close(struct names *t);

struct parse_list {
    void *items;
    size_t count, room, size;
};

/* A tensor of any subgraph. */
struct parse_tensor {
    size_t at; /* its place in the text */
    int32_t type;
    bool constant, read, written;
    bool follows; /* its shape follows from operator `op` of its subgraph */
    size_t op;
};

/* A subgraph: where its tensors and operators begin in the lists of all. */
struct parse_graph {
    size_t first_tensor, first_op;
    bool follows;
};

/* What the builder does not set: it is set in the model. */
struct parse_late {
    enum parse_late_kind {
        LATE_SIGNATURE, /* dims of a tensor that are not fixed */
        LATE_SPARSE,
        LATE_RANGE,      /* floats: count least ones, and count largest ones */
        LATE_BUFFER,     /* number: of a buffer that another constant has */
        LATE_LARGE_DATA, /* data behind the flatbuffer */
        LATE_LARGE_OPTIONS,
        LATE_NAME /* of the subgraph */
    } kind;
    size_t graph, index; /* index: of a tensor or operator */
    const void *data;
    size_t count;
};

struct parse {
    struct scan t;
    struct builder b;
    const char *folder;                                    /* of the text; NULL: it is no file */
    struct names names;                                    /* of the current subgraph */
    struct parse_list tensors, ops, graphs, late;          /* ops: places, size_t each */
    struct parse_list signatures, metadata, extra_buffers; /* of struct model */
    struct parse_list listed[2];                           /* inputs, outputs of the subgraph */
    bool is_listed[2];
    const char *description;
    size_t constants;       /* buffers so far, without buffer 0 */
    uint64_t bytes;         /* of all constants */
    struct file_model data; /* the file beside the text */
};

/* Appends a zeroed item; NULL, with a message, when out of memory. */
void *parse_append(struct parse *p, struct parse_list *list);
enum status parse_no_memory(struct parse *p);
/* Copies the text; parse_close frees the rest also when this fails. */
enum status parse_open(struct parse *p, const char *text, size_t count, const char *folder,
                       struct diag *diag);
void parse_close(struct parse *p);

static inline struct parse_graph *parse_graph(const struct parse *p)
{
    return (struct parse_graph *)p->graphs.items + p->graphs.count - 1;
}
static inline struct parse_tensor *parse_tensor_at(const struct parse *p, size_t index)
{
    return (struct parse_tensor *)p->tensors.items + parse_graph(p)->first_tensor + index;
}
static inline size_t parse_tensor_count(const struct parse *p)
{
    return p->tensors.count - parse_graph(p)->first_tensor;
}
enum status parse_set_late(struct parse *p, enum parse_late_kind kind, size_t index,
                           const void *data, size_t count);

/* ---- parse_op.c: operators of a text ---- */

/* An operator, its name included. */
enum status parse_op(struct parse *p);
/* The name of an op, or code:199. */
enum status parse_op_code(struct parse *p, int32_t *code);
/* "stride_w=1": a field of the table. */
enum status parse_op_option(struct parse *p, const struct option_table *table, struct options *o);

/* ---- parse_tensor.c: tensors of a text ---- */

/* Whether the tensor is an output of the operator that is read: then a new one may follow from the
 * inputs, whose type is `type` (-1: none of them has one). */
struct parse_producer {
    bool produces;
    int32_t type;
};
/* A tensor, known or new; its index goes to *tensor. */
enum status parse_tensor(struct parse *p, const struct parse_producer *producer, int *tensor);
/* Up to "->", "|" or the end of the statement, as ints in list. */
enum status parse_tensors(struct parse *p, const struct parse_producer *producer,
                          struct parse_list *list);
enum status parse_dims(struct parse *p, const int32_t **dims, size_t *rank);
/* Behind "blocks(": the tensor with the scales, the size of a block, and perhaps a tensor with zero
 * points and a dimension. */
enum status parse_blocks(struct parse *p, struct model_quantization *q);
/* Behind "=" of metadata: bytes, or those of a buffer (*buffer not 0). */
enum status parse_raw(struct parse *p, const uint8_t **bytes, size_t *count, uint32_t *buffer);

#endif
