#include "reference/text/parse.h"

#include "reference/base/checked.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/text/constants.h"
#include "reference/text/words.h"

#include <string.h>

enum { RANK_MAX = 1024 }; /* far over the limit rank, so that tests can be over it */

enum status parse_dims(struct parse *p, const int32_t **dims, size_t *rank)
{
    int32_t values[RANK_MAX];
    int64_t value, times;

    *rank = 0;
    if (!scan_take(&p->t, "["))
        return scan_expected(&p->t, "[ and dims");
    for (scan_blanks(&p->t); !scan_take(&p->t, "]"); scan_blanks(&p->t)) {
        TRY(scan_integer(&p->t, "a dim", INT32_MIN, INT32_MAX, &value));
        times = 1;
        if (*p->t.at == 'x' && p->t.at++)
            TRY(scan_integer(&p->t, "how often the dim repeats,", 0, RANK_MAX, &times));
        for (; times > 0; times--) {
            if (*rank == RANK_MAX)
                return scan_fail(&p->t, p->t.at, STATUS_LIMIT, "more than %d dims", RANK_MAX);
            values[(*rank)++] = (int32_t)value;
        }
        if (!scan_take(&p->t, ",") && *p->t.at != ']')
            return scan_expected(&p->t, ", or ]");
    }
    *dims = arena_copy(p->t.arena, values, *rank, sizeof *values);
    return *dims ? STATUS_OK : parse_no_memory(p);
}

/* Counts bytes of constants, before they are allocated. */
static enum status claim(struct parse *p, const char *at, uint64_t count)
{
    const uint64_t most = limit_of(LIMIT_READ_BYTES);

    if (count <= most && p->bytes + count <= most) {
        p->bytes += count;
        return STATUS_OK;
    }
    return scan_fail(&p->t, at, STATUS_LIMIT,
                     "constants of more than %llu bytes (limit read_bytes; "
                     "--limit=read_bytes=VALUE raises it)",
                     (unsigned long long)most);
}

/* ---- the data of a constant ---- */

/* What stands behind "<": bytes of the file beside the text, `count` of them unless it says. */
static enum status read_beside(struct parse *p, const uint8_t **bytes, size_t *count)
{
    const char *const at = p->t.at;
    int64_t offset, size = (int64_t)*count;

    TRY(scan_integer(&p->t, "an offset", 0, INT64_MAX, &offset));
    if (scan_take(&p->t, ":") || *count == SIZE_MAX)
        TRY(scan_integer(&p->t, "a number of bytes", 0, INT64_MAX, &size));
    if (!p->data.bytes)
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "expected a statement `data FILE` before this place");
    if ((uint64_t)offset > p->data.count || (uint64_t)size > p->data.count - (uint64_t)offset)
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "bytes %lld to %lld, expected to end within the %zu bytes of the file",
                         (long long)offset, (long long)offset + (long long)size, p->data.count);
    *bytes = p->data.bytes + offset;
    *count = (size_t)size;
    return STATUS_OK;
}

enum status parse_raw(struct parse *p, const uint8_t **bytes, size_t *count, uint32_t *buffer)
{
    uint8_t *given;
    int64_t number;

    *buffer = 0;
    if (scan_take(&p->t, "&")) {
        TRY(scan_integer(&p->t, "a buffer", 1, (int64_t)p->constants, &number));
        *buffer = (uint32_t)number;
        return STATUS_OK;
    }
    if (scan_take(&p->t, "<"))
        return read_beside(p, bytes, count);
    if (!scan_take(&p->t, "x:"))
        return scan_expected(&p->t, "x: and bytes, < and an offset, or & and a buffer");
    TRY(scan_bytes(&p->t, &given, count));
    *bytes = given;
    return STATUS_OK;
}

static enum status count_elements(struct parse *p, const char *at, const int32_t *dims, size_t rank,
                                  size_t *elements)
{
    const uint64_t most = limit_of(LIMIT_TENSOR_ELEMENTS);
    bool fits = true;

    *elements = 1;
    for (size_t i = 0; i < rank; i++)
        fits = checked_mul(*elements, dims[i] > 0 ? (size_t)dims[i] : 0, elements) && fits;
    if (fits && *elements <= most)
        return STATUS_OK;
    return scan_fail(&p->t, at, STATUS_LIMIT,
                     "a constant of more than %llu elements (limit tensor_elements; "
                     "--limit=tensor_elements=VALUE raises it)",
                     (unsigned long long)most);
}

/* What a new tensor is: what stands in the text before its suffixes. */
struct fresh {
    const char *at, *name;
    int32_t type;
    const int32_t *dims;
    size_t rank;
};

static enum status add_tensor(struct parse *p, const struct fresh *n, const void *data,
                              size_t count, int *tensor)
{
    struct parse_tensor *row;
    char own[24];

    if (p->tensors.count >= limit_of(LIMIT_TENSORS))
        return scan_fail(&p->t, n->at, STATUS_LIMIT, "more than %llu tensors (limit tensors)",
                         (unsigned long long)limit_of(LIMIT_TENSORS));
    if (!(row = parse_append(p, &p->tensors)))
        return STATUS_NO_MEMORY;
    *row = (struct parse_tensor){ .at = (size_t)(n->at - p->t.start), .type = n->type };
    words_tensor_name(parse_tensor_count(p) - 1, own);
    row->constant = data != NULL;
    *tensor = data ? builder_constant(&p->b, n->type, n->name ? n->name : own, n->rank, n->dims,
                                      data, count)
                   : builder_tensor(&p->b, n->type, n->name ? n->name : own, n->rank, n->dims);
    p->constants += data != NULL;
    if (*tensor < 0 || (n->name && !names_add(&p->names, n->name, *tensor)))
        return parse_no_memory(p);
    return STATUS_OK;
}

/* Behind "=": values for each element. */
static enum status read_values(struct parse *p, const struct fresh *n, int *tensor)
{
    const char *const at = p->t.at;
    size_t elements, bytes;
    uint8_t *data;
    enum status s;

    TRY(count_elements(p, n->at, n->dims, n->rank, &elements));
    bytes = 0; /* of types without numbers, as the readers below say */
    if (constants_has_numbers(n->type) && !constants_bytes(n->type, elements, &bytes))
        return parse_no_memory(p);
    TRY(claim(p, at, bytes));
    if (!(data = mem_alloc(bytes ? bytes : 1, 1)))
        return parse_no_memory(p);
    s = scan_take(&p->t, "~") ? constants_read_seed(&p->t, n->type, elements, data)
                              : constants_read_values(&p->t, n->type, elements, data);
    if (s == STATUS_OK)
        s = add_tensor(p, n, data, bytes, tensor);
    mem_free(data);
    return s;
}

/* Behind "=", where bytes stand there. */
static enum status read_bytes(struct parse *p, const struct fresh *n, int *tensor)
{
    const char *const at = p->t.at;
    const uint8_t *bytes = NULL;
    size_t count;
    uint32_t buffer;

    TRY(count_elements(p, n->at, n->dims, n->rank, &count));
    if (!constants_bytes(n->type, count, &count))
        count = SIZE_MAX;
    TRY(parse_raw(p, &bytes, &count, &buffer));
    if (buffer == 0) {
        TRY(claim(p, at, count));
        return add_tensor(p, n, bytes, count, tensor);
    }
    TRY(add_tensor(p, n, NULL, 0, tensor));
    parse_tensor_at(p, (size_t)*tensor)->constant = true;
    return parse_set_late(p, LATE_BUFFER, (size_t)*tensor, NULL, buffer);
}

/* Behind "#": so many zero bytes, whatever the shape. */
static enum status read_zeros(struct parse *p, const struct fresh *n, int *tensor)
{
    const char *const at = p->t.at;
    int64_t count;
    uint8_t *data;
    enum status s;

    TRY(scan_integer(&p->t, "a number of bytes", 0, INT64_MAX, &count));
    TRY(claim(p, at, (uint64_t)count));
    if (!(data = mem_alloc((size_t)count + 1, 1)))
        return parse_no_memory(p);
    s = add_tensor(p, n, data, (size_t)count, tensor);
    mem_free(data);
    return s;
}

/* ---- suffixes ---- */

/* "1|2|3" as doubles, in a list. */
static enum status read_reals(struct parse *p, struct parse_list *list)
{
    uint64_t bits;
    double *value;
    float nan;

    list->size = sizeof *value;
    do {
        if (!(value = parse_append(p, list)))
            return STATUS_NO_MEMORY;
        TRY(scan_real(&p->t, "a number", value, &bits));
        if (bits) {
            memcpy(&nan, &(uint32_t){ (uint32_t)bits }, sizeof nan);
            *value = (double)nan;
        }
    } while (scan_take(&p->t, "|"));
    return STATUS_OK;
}

static float *as_floats(struct parse *p, const struct parse_list *list)
{
    float *const out = ARENA_NEW(p->t.arena, list->count, float);

    for (size_t i = 0; out && i < list->count; i++)
        out[i] = (float)((const double *)list->items)[i];
    return out;
}

static enum status read_scales(struct parse *p, int tensor, struct parse_list *reals,
                               struct parse_list *zeros)
{
    int64_t dimension = 0, *zero;
    const float *scale;

    TRY(read_reals(p, reals));
    if (scan_take(&p->t, ","))
        do {
            if (!(zero = parse_append(p, zeros)))
                return STATUS_NO_MEMORY;
            TRY(scan_integer(&p->t, "a zero point", INT64_MIN, INT64_MAX, zero));
        } while (scan_take(&p->t, "|"));
    if (scan_take(&p->t, ","))
        TRY(scan_integer(&p->t, "a dimension", INT32_MIN, INT32_MAX, &dimension));
    if (!scan_take(&p->t, ")"))
        return scan_expected(&p->t, "q(scale|scale,zero_point|zero_point,dimension)");
    if (zeros->count > reals->count)
        return scan_fail(&p->t, p->t.at, STATUS_INVALID,
                         "%zu zero points of %zu scales, expected at most as many", zeros->count,
                         reals->count);
    while (zeros->count < reals->count)
        if (!parse_append(p, zeros))
            return STATUS_NO_MEMORY;
    if (!(scale = as_floats(p, reals)))
        return parse_no_memory(p);
    builder_quantization(&p->b, tensor, reals->count, scale, zeros->items, (int32_t)dimension);
    return STATUS_OK;
}

static enum status read_range(struct parse *p, int tensor, struct parse_list *least,
                              struct parse_list *most)
{
    const float *low, *high;
    float *both;

    TRY(read_reals(p, least));
    if (!scan_take(&p->t, ","))
        return scan_expected(&p->t, ", and the largest numbers");
    TRY(read_reals(p, most));
    if (!scan_take(&p->t, ")") || least->count != most->count)
        return scan_expected(&p->t, "range(least|least,largest|largest)");
    low = as_floats(p, least);
    high = as_floats(p, most);
    both = ARENA_NEW(p->t.arena, 2 * least->count, float);
    if (!low || !high || !both)
        return parse_no_memory(p);
    memcpy(both, low, least->count * sizeof *both);
    memcpy(both + least->count, high, least->count * sizeof *both);
    return parse_set_late(p, LATE_RANGE, (size_t)tensor, both, least->count);
}

/* Calls one of the two above with two empty lists. */
static enum status read_pair(struct parse *p, int tensor,
                             enum status (*read)(struct parse *, int, struct parse_list *,
                                                 struct parse_list *))
{
    struct parse_list first = { .size = sizeof(int64_t) }, second = { .size = sizeof(int64_t) };
    const enum status s = read(p, tensor, &first, &second);

    mem_free(first.items);
    mem_free(second.items);
    return s;
}

/* "0,1s,1/4)": the levels of a sparse constant, which was given dense. */
static enum status read_form(struct parse *p, int tensor, const char *at)
{
    const struct model_tensor *const t =
        (const struct model_tensor *)p->b.tensors.items + (size_t)tensor;
    const struct model_buffer *const data =
        (const struct model_buffer *)p->b.buffers.items + t->buffer;
    struct sparse_form form = { 0 };
    struct sparse_fault fault;
    int64_t number;
    size_t elements;

    do {
        struct sparse_form_level *const l = &form.levels[form.level_count];

        if (form.level_count++ == SPARSE_LEVELS_MAX)
            return scan_fail(&p->t, p->t.at, STATUS_LIMIT, "more than %d levels",
                             SPARSE_LEVELS_MAX);
        TRY(scan_integer(&p->t, "a dimension", 0, INT32_MAX, &number));
        l->dimension = (int32_t)number;
        if (scan_take(&p->t, "/")) {
            TRY(scan_integer(&p->t, "the size of a block", 1, INT32_MAX, &number));
            l->block = (int32_t)number;
        }
        l->compressed = scan_take(&p->t, "s16")  ? 2
                        : scan_take(&p->t, "s8") ? 3
                        : scan_take(&p->t, "s")  ? 1
                                                 : 0;
    } while (scan_take(&p->t, ","));
    if (!scan_take(&p->t, ")"))
        return scan_expected(&p->t, "%(dimension,dimension s,dimension/block)");
    TRY(count_elements(p, at, t->shape.data, t->shape.count, &elements));
    if (constants_element_bytes(t->type) == 0 || t->buffer == 0 ||
        data->data.count != elements * constants_element_bytes(t->type))
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "expected a constant with data for each element before this place");
    if (builder_sparse(&p->b, tensor, &form, &fault) != STATUS_OK)
        return scan_fail(&p->t, at, STATUS_INVALID, "%s: %s", sparse_part_name(&fault), fault.text);
    return STATUS_OK;
}

enum status parse_blocks(struct parse *p, struct model_quantization *q)
{
    int64_t scales, size, zero_points = -1, dimension = 0;
    const struct name_row *row;
    const char *const at = p->t.at, *name;

    if (scan_take(&p->t, "@")) {
        TRY(scan_integer(&p->t, "an index", INT32_MIN, INT32_MAX, &scales));
    } else {
        TRY(scan_name(&p->t, "the tensor with the scales", &name));
        if (!(row = names_find(&p->names, name)) || row->several)
            return scan_fail(&p->t, at, STATUS_INVALID,
                             "expected @ and an index, or a tensor before, found '%.40s'", name);
        scales = row->tensor;
    }
    if (!scan_take(&p->t, ","))
        return scan_expected(&p->t, ", and the size of a block");
    TRY(scan_integer(&p->t, "the size of a block", INT32_MIN, INT32_MAX, &size));
    if (scan_take(&p->t, ","))
        TRY(scan_integer(&p->t, "a tensor with zero points", INT32_MIN, INT32_MAX, &zero_points));
    if (scan_take(&p->t, ","))
        TRY(scan_integer(&p->t, "a dimension", INT32_MIN, INT32_MAX, &dimension));
    if (!scan_take(&p->t, ")"))
        return scan_expected(&p->t, "blocks(scales,size,zero_points,dimension)");
    q->present = true;
    q->details_type = DETAILS_BLOCKWISE;
    q->block_scales = (int32_t)scales;
    q->block_size = (int32_t)size;
    q->block_zero_points = (int32_t)zero_points;
    if (q->quantized_dimension == 0)
        q->quantized_dimension = (int32_t)dimension;
    return STATUS_OK;
}

static enum status read_suffixes(struct parse *p, int tensor)
{
    const size_t index = (size_t)tensor;
    const int32_t *dims;
    size_t rank;

    for (;;) {
        if (scan_take(&p->t, "q(")) {
            TRY(read_pair(p, tensor, read_scales));
        } else if (scan_take(&p->t, "blocks(")) {
            TRY(parse_blocks(p,
                             &((struct model_tensor *)p->b.tensors.items + index)->quantization));
        } else if (scan_take(&p->t, "range(")) {
            TRY(read_pair(p, tensor, read_range));
        } else if (scan_take(&p->t, "!")) {
            builder_variable(&p->b, tensor);
            parse_tensor_at(p, index)->constant = true; /* not an input of the subgraph */
        } else if (scan_take(&p->t, "~")) {
            TRY(parse_dims(p, &dims, &rank));
            TRY(parse_set_late(p, LATE_SIGNATURE, index, dims, rank));
        } else if (scan_take(&p->t, "%(")) {
            TRY(read_form(p, tensor, p->t.at - 2));
        } else if (scan_take(&p->t, "%")) {
            TRY(parse_set_late(p, LATE_SPARSE, index, NULL, 0));
        } else if (scan_take(&p->t, "^")) {
            TRY(parse_set_late(p, LATE_LARGE_DATA, index, NULL, 0));
        } else {
            return STATUS_OK;
        }
    }
}

/* ---- tensors ---- */

/* A new output whose shape follows. */
static enum status read_follower(struct parse *p, struct fresh *n,
                                 const struct parse_producer *producer, int *tensor)
{
    struct parse_tensor *row;

    if (n->type == WORDS_NO_TYPE)
        n->type = producer->type;
    if (n->type < 0)
        return scan_fail(&p->t, n->at, STATUS_INVALID,
                         "expected a type, as in y:f32, where the operator reads no tensor");
    n->dims = (const int32_t[]){ 0 };
    TRY(add_tensor(p, n, NULL, 0, tensor));
    row = parse_tensor_at(p, (size_t)*tensor);
    row->follows = parse_graph(p)->follows = true;
    row->op = p->ops.count - 1 - parse_graph(p)->first_op;
    return read_suffixes(p, *tensor);
}

/* From the type on. */
static enum status read_new(struct parse *p, struct fresh *n, const struct parse_producer *producer,
                            int *tensor)
{
    size_t length = scan_word(&p->t);

    if (length > 1 && p->t.at[length] == '(' && p->t.at[length - 1] == 'q')
        length--; /* y:i8q(0.5), whose shape follows */
    n->type = words_type(p->t.at, length);
    if (n->type == WORDS_NO_TYPE)
        return scan_expected(&p->t, "a type, such as f32");
    p->t.at += length;
    if (*p->t.at != '[' && producer->produces)
        return read_follower(p, n, producer, tensor);
    TRY(parse_dims(p, &n->dims, &n->rank));
    if (scan_take(&p->t, "#"))
        TRY(read_zeros(p, n, tensor));
    else if (!scan_take(&p->t, "="))
        TRY(add_tensor(p, n, NULL, 0, tensor));
    else if (strncmp(p->t.at, "x:", 2) == 0 || *p->t.at == '<' || *p->t.at == '&')
        TRY(read_bytes(p, n, tensor));
    else
        TRY(read_values(p, n, tensor));
    return read_suffixes(p, *tensor);
}

static enum status read_known(struct parse *p, const char *at, const char *name, int *tensor)
{
    const struct name_row *const row = names_find(&p->names, name);

    if (row && row->several)
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "several tensors have the name '%.40s', expected @ and an index", name);
    if (!row)
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "no tensor '%.40s' before; a new one has a type and dims, such as "
                         "%.40s:f32[1,4]",
                         name, name);
    *tensor = row->tensor;
    return STATUS_OK;
}

enum status parse_tensor(struct parse *p, const struct parse_producer *producer, int *tensor)
{
    struct fresh n = { .at = p->t.at, .type = WORDS_NO_TYPE };
    const size_t length = scan_word(&p->t);
    int64_t index;

    if (scan_take(&p->t, "-")) {
        *tensor = -1;
        return STATUS_OK;
    }
    if (scan_take(&p->t, "@")) {
        TRY(scan_integer(&p->t, "an index", INT32_MIN, INT32_MAX, &index));
        *tensor = (int)index;
        return STATUS_OK;
    }
    if (length > 0 && p->t.at[length] == '[')
        return read_new(p, &n, producer, tensor);
    TRY(scan_name(&p->t, "a tensor", &n.name));
    if (scan_take(&p->t, ":"))
        return read_new(p, &n, producer, tensor);
    if (!producer->produces || names_find(&p->names, n.name))
        return read_known(p, n.at, n.name, tensor);
    return read_follower(p, &n, producer, tensor);
}

enum status parse_tensors(struct parse *p, const struct parse_producer *producer,
                          struct parse_list *list)
{
    list->size = sizeof(int);
    for (scan_blanks(&p->t);
         !scan_is_end(&p->t) && *p->t.at != '|' && strncmp(p->t.at, "->", 2) != 0;
         scan_blanks(&p->t)) {
        int *tensor;
        int index;

        if (list->count >= limit_of(LIMIT_NODE_TENSORS))
            return scan_fail(&p->t, p->t.at, STATUS_LIMIT,
                             "more than %llu tensors (limit "
                             "node_tensors)",
                             (unsigned long long)limit_of(LIMIT_NODE_TENSORS));
        TRY(parse_tensor(p, producer, &index));
        if (!(tensor = parse_append(p, list)))
            return STATUS_NO_MEMORY;
        *tensor = index;
    }
    return STATUS_OK;
}
