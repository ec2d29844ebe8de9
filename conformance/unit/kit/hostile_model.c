#include "conformance/unit/kit/hostile_model.h"

#include "conformance/unit/kit/hostile.h"
#include "conformance/unit/kit/sample_model.h"
#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/flexbuffer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TENSORS_MAX = 512, ARGS_MAX = 256, DIMS_MAX = 300, BYTES_MAX = 4096, NAME_MAX_BYTES = 32 };

/* The tensors of the subgraph that is being read. */
struct known {
    char name[NAME_MAX_BYTES];
    bool constant, read, written;
};

struct text {
    const char *at, *start;
    struct builder b;
    struct known tensors[TENSORS_MAX];
    int tensor_count, graph, all_tensors;
    int listed[2][ARGS_MAX], listed_count[2]; /* inputs, outputs; -1: not listed */
    /* What the builder does not set, to be set in the model. */
    struct late {
        enum { SIGNATURE, SPARSE, LARGE_DATA, LARGE_OPTIONS } what;
        int graph, index, count; /* index: of the tensor or operator */
        int32_t dims[8];
    } late[8];
    int late_count, op_count;
    bool is_signed;
    int32_t dims[DIMS_MAX];
    struct diag *diag;
};

static enum status misread(struct text *t, const char *what)
{
    return diag_fail(t->diag, STATUS_INVALID, "%s at '%.40s'", what, t->at);
}

static void skip_blanks(struct text *t)
{
    t->at += strspn(t->at, " \t");
}

static bool take(struct text *t, const char *word)
{
    const size_t n = strlen(word);

    if (strncmp(t->at, word, n) != 0 ||
        (isalnum((unsigned char)word[n - 1]) && isalnum((unsigned char)t->at[n])))
        return false;
    t->at += n;
    return true;
}

/* Letters, digits and _, as far as there is room. */
static size_t word(struct text *t, char *out, size_t room)
{
    size_t n = 0;

    while (n + 1 < room && (isalnum((unsigned char)*t->at) || *t->at == '_'))
        out[n++] = *t->at++;
    out[n] = '\0';
    return n;
}

static double number(struct text *t)
{
    char *end;
    const double value = strtod(t->at, &end);

    t->at = end;
    return value;
}

static int64_t integer(struct text *t)
{
    char *end;
    const int64_t value = strtoll(t->at, &end, 0);

    t->at = end;
    return value;
}

/* "[1,2,3]", also "[]"; "[1x9]" is nine times 1. */
static enum status read_dims(struct text *t, int32_t *dims, int room, int *rank)
{
    *rank = 0;
    if (!take(t, "["))
        return misread(t, "no dims");
    while (!take(t, "]")) {
        const int32_t value = (int32_t)integer(t);
        const bool several = *t->at == 'x';
        int times = 1;

        if (several) {
            t->at++;
            times = (int)integer(t);
        }
        for (int i = 0; i < times; i++) {
            if (*rank == room)
                return misread(t, "too many dims");
            dims[(*rank)++] = value;
        }
        if (!take(t, ",") && *t->at != ']')
            return misread(t, "dims");
    }
    return STATUS_OK;
}

static int type_of(const char *name)
{
    for (int i = 0; i < TENSOR_TYPE_COUNT; i++)
        if (strcmp(runtime_type_name(tensor_type_runtime(i)), name) == 0)
            return i;
    for (int i = 0; i < TENSOR_TYPE_COUNT; i++)
        if (strcmp(tensor_type_name(i), name) == 0)
            return i;
    return name[0] == 't' && isdigit((unsigned char)name[1]) ? atoi(name + 1) : -2;
}

static size_t put_element(uint8_t *out, int type, double value, int64_t whole)
{
    const size_t size = tensor_type_bits(type) / 8;
    const float f = (float)value;

    if (type == TENSOR_FLOAT32)
        memcpy(out, &f, sizeof f);
    else if (type == TENSOR_FLOAT64)
        memcpy(out, &value, sizeof value);
    else
        memcpy(out, &whole, size < sizeof whole ? size : sizeof whole);
    return size;
}

/* The bytes behind "=": one for each element, the last one repeated. */
static enum status read_values(struct text *t, int type, int rank, const int32_t *dims,
                               uint8_t *bytes, size_t *count)
{
    size_t elements = 1, given = 0;
    double value = 0;
    int64_t whole = 0;
    bool more = true;

    *count = 0;
    for (int i = 0; i < rank; i++)
        elements *= (size_t)(dims[i] > 0 ? dims[i] : 0);
    while (given < elements || more) {
        if (more) {
            whole = strtoll(t->at, NULL, 0);
            value = number(t);
            more = take(t, ",");
        }
        if (given++ == elements)
            return STATUS_OK;
        if (*count + 16 > BYTES_MAX)
            return misread(t, "a constant is too large");
        *count += put_element(bytes + *count, type, value, whole);
    }
    return STATUS_OK;
}

/* "q(0.5|0.25,0|0,3)" */
static enum status read_quantization(struct text *t, int tensor)
{
    float scale[8];
    int64_t zero[8] = { 0 };
    size_t count = 0, zeros = 0;
    int32_t dimension = 0;

    do
        scale[count++] = (float)number(t);
    while (take(t, "|") && count < 8);
    if (take(t, ","))
        do
            zero[zeros++] = integer(t);
        while (take(t, "|") && zeros < 8);
    if (take(t, ","))
        dimension = (int32_t)integer(t);
    if (!take(t, ")"))
        return misread(t, "quantization");
    builder_quantization(&t->b, tensor, count, scale, zero, dimension);
    return STATUS_OK;
}

static struct late *set_late(struct text *t, int what, int index)
{
    struct late *const l = &t->late[t->late_count];

    if (t->late_count == sizeof t->late / sizeof *t->late) {
        misread(t, "too many suffixes");
        return NULL;
    }
    t->late_count++;
    *l = (struct late){ .graph = t->graph, .index = index };
    l->what = what;
    return l;
}

static enum status read_suffixes(struct text *t, int tensor)
{
    for (;;) {
        if (take(t, "q(")) {
            TRY(read_quantization(t, tensor));
        } else if (take(t, "!")) {
            builder_variable(&t->b, tensor);
            t->tensors[tensor].constant = true; /* not a graph input */
        } else if (take(t, "~")) {
            struct late *const l = set_late(t, SIGNATURE, tensor);

            TRY(l ? read_dims(t, l->dims, 8, &l->count) : STATUS_INVALID);
        } else if (take(t, "%")) {
            TRY(set_late(t, SPARSE, tensor) ? STATUS_OK : STATUS_INVALID);
        } else if (take(t, "^")) {
            TRY(set_late(t, LARGE_DATA, tensor) ? STATUS_OK : STATUS_INVALID);
        } else
            return STATUS_OK;
    }
}

/* A tensor that has not been seen before; `name` may be empty. */
static enum status read_new(struct text *t, const char *name, const char *type_name, int *tensor)
{
    const int type = type_of(type_name);
    uint8_t bytes[BYTES_MAX] = { 0 };
    char own[NAME_MAX_BYTES];
    struct known *k;
    size_t count;
    int rank;

    if (type == -2)
        return misread(t, "no such type");
    if (t->tensor_count == TENSORS_MAX)
        return misread(t, "too many tensors");
    TRY(read_dims(t, t->dims, DIMS_MAX, &rank));
    snprintf(own, sizeof own, "%s%.0d", *name ? name : "t", *name ? 0 : t->tensor_count);
    k = &t->tensors[t->tensor_count];
    *k = (struct known){ .constant = *t->at == '=' || *t->at == '#' };
    snprintf(k->name, sizeof k->name, "%s", name);
    if (take(t, "=")) {
        TRY(read_values(t, type, rank, t->dims, bytes, &count));
        *tensor = builder_constant(&t->b, type, own, (size_t)rank, t->dims, bytes, count);
    } else if (take(t, "#")) {
        count = (size_t)integer(t);
        if (count > BYTES_MAX)
            return misread(t, "a constant is too large");
        *tensor = builder_constant(&t->b, type, own, (size_t)rank, t->dims, bytes, count);
    } else
        *tensor = builder_tensor(&t->b, type, own, (size_t)rank, t->dims);
    t->tensor_count++;
    return read_suffixes(t, *tensor);
}

/* One tensor: its index, known or new. */
static enum status read_tensor(struct text *t, int *tensor)
{
    char first[NAME_MAX_BYTES], type[NAME_MAX_BYTES];

    skip_blanks(t);
    if (take(t, "-")) {
        *tensor = -1;
        return STATUS_OK;
    }
    if (take(t, "@")) {
        *tensor = (int)integer(t);
        return STATUS_OK;
    }
    if (!word(t, first, sizeof first))
        return misread(t, "no tensor");
    if (take(t, ":")) {
        word(t, type, sizeof type);
        return read_new(t, first, type, tensor);
    }
    if (*t->at == '[')
        return read_new(t, "", first, tensor);
    for (int i = 0; i < t->tensor_count; i++) {
        if (strcmp(t->tensors[i].name, first) == 0) {
            *tensor = i;
            return STATUS_OK;
        }
    }
    return misread(t, "no such tensor");
}

/* Up to "->", ";" or the end. */
static enum status read_tensors(struct text *t, int *out, size_t *count)
{
    *count = 0;
    for (skip_blanks(t); *t->at && *t->at != ';' && strncmp(t->at, "->", 2) != 0; skip_blanks(t)) {
        if (*count == ARGS_MAX)
            return misread(t, "too many tensors in a list");
        TRY(read_tensor(t, &out[(*count)++]));
    }
    return STATUS_OK;
}

static void mark(struct text *t, const int *tensors, size_t count, bool written)
{
    for (size_t i = 0; i < count; i++) {
        if (tensors[i] < 0 || tensors[i] >= t->tensor_count)
            continue;
        if (written)
            t->tensors[tensors[i]].written = true;
        else
            t->tensors[tensors[i]].read = true;
    }
}

/* ---- options ---- */

static const struct option_field *find_field(const struct option_table *table, const char *name)
{
    for (int i = 0; i < table->field_count; i++)
        if (strcmp(table->fields[i].name, name) == 0)
            return &table->fields[i];
    return NULL;
}

/* Vectors live as long as the text: options borrow them. */
static int32_t vectors[16][8];
static int vector_count;

static enum status read_field(struct text *t, struct options *o)
{
    const struct option_table *const table = option_table_find(o->tag);
    const struct option_field *field;
    char name[64];
    int rank;

    word(t, name, sizeof name);
    if (!(field = find_field(table, name)) || !take(t, "="))
        return misread(t, "no such field");
    if (field->kind == OPTION_F32)
        options_set_float(o, name, (float)number(t));
    else if (field->kind == OPTION_INTS) {
        int32_t *const values = vectors[vector_count++ % 16];

        TRY(read_dims(t, values, 8, &rank));
        options_set_ints(o, name, values, (size_t)rank);
    } else if (field->kind == OPTION_STRING) {
        static char texts[4][NAME_MAX_BYTES];
        char *const text = texts[vector_count++ % 4];

        word(t, text, NAME_MAX_BYTES);
        options_set_text(o, name, text);
    } else
        options_set_int(o, name, (int32_t)integer(t));
    return STATUS_OK;
}

/* "Conv2DOptions{stride_w=1}" or nothing. */
static enum status read_options(struct text *t, struct options *o)
{
    const char *const before = t->at;
    char name[64];

    o->tag = 0;
    if (!word(t, name, sizeof name) || *t->at != '{') {
        t->at = before;
        return STATUS_OK;
    }
    for (int tag = 1; tag < OPTIONS_TAG_COUNT && !o->tag; tag++)
        if (option_table_find((uint8_t)tag) &&
            strcmp(option_table_find((uint8_t)tag)->name, name) == 0)
            options_init(o, (uint8_t)tag);
    if (!o->tag)
        return misread(t, "no such option table");
    take(t, "{");
    for (skip_blanks(t); !take(t, "}"); skip_blanks(t))
        TRY(read_field(t, o));
    return STATUS_OK;
}

/* "flex(a=1 b=2.5)": integers, and floats, which have a point. */
static enum status read_flex(struct text *t, uint8_t *bytes, size_t *count)
{
    static char keys[FLEX_ENTRIES_MAX][NAME_MAX_BYTES];
    struct flex_writer w = { .count = 0 };
    uint8_t *made;

    for (skip_blanks(t); !take(t, ")"); skip_blanks(t)) {
        char *const key = keys[w.count % FLEX_ENTRIES_MAX];
        const char *start;

        word(t, key, NAME_MAX_BYTES);
        if (!take(t, "="))
            return misread(t, "flexbuffer");
        start = t->at;
        t->at += strcspn(t->at, " )");
        if (memchr(start, '.', (size_t)(t->at - start)))
            flex_write_float(&w, key, strtof(start, NULL));
        else
            flex_write_int(&w, key, strtoll(start, NULL, 0));
    }
    TRY(flex_write_finish(&w, &made, count, t->diag));
    memcpy(bytes, made, *count < 512 ? *count : 512);
    mem_free(made);
    return STATUS_OK;
}

static enum status read_custom_options(struct text *t, uint8_t bytes[512], size_t *count,
                                       bool *given)
{
    unsigned value;
    int used;

    *count = 0;
    skip_blanks(t);
    *given = true;
    if (take(t, "flex("))
        return read_flex(t, bytes, count);
    *given = *t->at == 'x' && t->at[1] == ':';
    if (*given || take(t, "far:"))
        t->at += *given ? 2 : 0;
    else
        return STATUS_OK;
    if (!*given)
        TRY(set_late(t, LARGE_OPTIONS, t->op_count) ? STATUS_OK : STATUS_INVALID);
    *given = true;
    while (*given && *count < 512 && sscanf(t->at, "%2x%n", &value, &used) == 1 && used == 2) {
        bytes[(*count)++] = (uint8_t)value;
        t->at += 2;
    }
    return STATUS_OK;
}

/* ---- statements ---- */

static enum status find_code(struct text *t, const char *name, int *code)
{
    if (strcmp(name, "code") == 0 && take(t, ":")) {
        *code = (int)integer(t);
        return STATUS_OK;
    }
    for (*code = 0; *code < BUILTIN_COUNT; ++*code)
        if (builtin_name(*code) && strcmp(builtin_name(*code), name) == 0)
            return STATUS_OK;
    return misread(t, "no such op");
}

static enum status read_op(struct text *t, const char *name)
{
    int in[ARGS_MAX], out[ARGS_MAX], code;
    size_t in_count, out_count = 0, custom_count = 0;
    char custom[64] = "";
    uint8_t bytes[512] = { 0 };
    struct options options;
    bool given = false;
    int version = 1;

    TRY(find_code(t, name, &code));
    if (code == BUILTIN_CUSTOM && take(t, "(")) {
        word(t, custom, sizeof custom);
        if (!take(t, ")"))
            return misread(t, "custom op");
    }
    if (take(t, ":"))
        version = (int)integer(t);
    skip_blanks(t);
    TRY(read_options(t, &options));
    if (code == BUILTIN_CUSTOM)
        TRY(read_custom_options(t, bytes, &custom_count, &given));
    TRY(read_tensors(t, in, &in_count));
    if (take(t, "->"))
        TRY(read_tensors(t, out, &out_count));
    mark(t, in, in_count, false);
    mark(t, out, out_count, true);
    t->op_count++;
    if (code == BUILTIN_CUSTOM)
        builder_custom(&t->b, custom, version, given ? bytes : NULL, custom_count, in_count, in,
                       out_count, out);
    else
        builder_op(&t->b, code, version, options.tag ? &options : NULL, in_count, in, out_count,
                   out);
    return STATUS_OK;
}

/* Lists the subgraph's inputs and outputs. */
static void end_graph(struct text *t)
{
    for (int side = 0; side < 2; side++) {
        int list[TENSORS_MAX], count = 0;

        for (int i = 0; i < t->tensor_count; i++) {
            const struct known *const k = &t->tensors[i];

            if (side == 0 ? !k->written && k->read && !k->constant : k->written && !k->read)
                list[count++] = i;
        }
        if (t->listed_count[side] >= 0)
            memcpy(list, t->listed[side], (size_t)(count = t->listed_count[side]) * sizeof *list);
        (side ? builder_outputs : builder_inputs)(&t->b, (size_t)count, list);
        t->listed_count[side] = -1;
    }
    t->tensor_count = t->op_count = 0;
}

static enum status read_statement(struct text *t)
{
    size_t count;
    char name[64];

    skip_blanks(t);
    if (take(t, "graph")) {
        end_graph(t);
        t->graph = builder_subgraph(&t->b);
        return STATUS_OK;
    }
    if (take(t, "signed")) {
        t->is_signed = true;
        return STATUS_OK;
    }
    for (int side = 0; side < 2; side++) {
        if (take(t, side ? "outputs" : "inputs")) {
            TRY(read_tensors(t, t->listed[side], &count));
            t->listed_count[side] = (int)count;
            return STATUS_OK;
        }
    }
    if (!word(t, name, sizeof name))
        return misread(t, "no statement");
    return read_op(t, name);
}

/* Rows of four elements, of which row i stores element i. */
static const struct model_dimension sparse_rows[] = {
    { .format = 0, .dense_size = 4 },
    { .format = 1,
      .segments_type = 1,
      .indices_type = 1,
      .segments = { .data = (const int32_t[]){ 0, 1, 2, 3, 4 }, .count = 5 },
      .indices = { .data = (const int32_t[]){ 0, 1, 2, 3 }, .count = 4 } },
};
static const struct model_sparsity sparsity = {
    .present = true,
    .traversal_order = { .data = (const int32_t[]){ 0, 1 }, .count = 2 },
    .block_map = { .data = (const int32_t[]){ 0 }, .count = 0 },
    .dimensions = sparse_rows,
    .dimension_count = 2,
};

static void set_signature(struct model *m)
{
    static const struct model_tensor_map in = { .name = { "x", 1 } };
    static const struct model_tensor_map out = { .name = { "y", 1 }, .tensor_index = 1 };
    static const struct model_signature signature = { .inputs = &in,
                                                      .input_count = 1,
                                                      .outputs = &out,
                                                      .output_count = 1,
                                                      .key = { "other", 5 },
                                                      .subgraph_index = 1 };
    static const struct model_metadata metadata = { .name = { "notes", 5 }, .buffer = 1 };

    m->signatures = &signature;
    m->metadata = &metadata;
    m->signature_count = m->metadata_count = 1;
}

static void set_all_late(const struct text *t, struct model *m)
{
    if (t->is_signed)
        set_signature(m);
    for (int i = 0; i < t->late_count; i++) {
        const struct late *const l = &t->late[i];
        const struct model_subgraph *const g = &m->subgraphs[l->graph];
        struct model_tensor *const tensor = (struct model_tensor *)&g->tensors[l->index];

        switch (l->what) {
        case SIGNATURE:
            tensor->shape_signature =
                (struct model_ints){ .data = l->dims, .count = (size_t)l->count };
            break;
        case SPARSE: tensor->sparsity = sparsity; break;
        case LARGE_DATA: ((struct model_buffer *)m->buffers)[tensor->buffer].large = true; break;
        case LARGE_OPTIONS:
            ((struct model_operator *)g->operators)[l->index].custom_options_large = true;
            break;
        }
    }
}

enum status hostile_model_write(const char *text, struct tflite_file *file, struct diag *diag)
{
    static struct text t;
    enum status s = STATUS_OK;
    struct model m;

    *file = (struct tflite_file){ 0 };
    if (strcmp(text, "sample") == 0)
        return tflite_write(&sample_model, file, diag);
    t = (struct text){ .at = text, .start = text, .diag = diag, .listed_count = { -1, -1 } };
    if (strcmp(text, "base") == 0)
        hostile_base(&m);
    else {
        builder_init(&t.b);
        do
            s = read_statement(&t);
        while (s == STATUS_OK && (skip_blanks(&t), take(&t, ";")));
        if (s == STATUS_OK && *t.at)
            s = misread(&t, "what is this");
        if (s != STATUS_OK) {
            builder_close(&t.b);
            return s;
        }
        end_graph(&t);
        TRY(builder_finish(&t.b, &m, diag));
        set_all_late(&t, &m);
    }
    s = tflite_write(&m, file, diag);
    model_close(&m);
    return s;
}
