/* What is known while a text is read. */
#ifndef ASSAY_REFERENCE_TEXT_PARSE_H
#define ASSAY_REFERENCE_TEXT_PARSE_H

#include "reference/format/builder.h"
#include "reference/text/names.h"
#include "reference/text/scan.h"

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
    size_t constants; /* buffers so far, without buffer 0 */
    uint64_t bytes;   /* of all constants */
    uint8_t *data;    /* the file beside the text */
    size_t data_count;
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

#endif
