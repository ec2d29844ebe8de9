#include "reference/text/parse.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/flexbuffer.h"
#include "reference/text/words.h"

#include <stdio.h>
#include <string.h>

struct parsed_op {
    int32_t code;
    int64_t version;
    const char *custom; /* name of a custom op */
    struct options options;
    const uint8_t *bytes; /* of a custom op's options; NULL: none */
    size_t byte_count;
    bool large;                   /* they lie behind the flatbuffer */
    struct parse_list tensors[3]; /* inputs, outputs, intermediates */
};

enum status parse_op_code(struct parse *p, int32_t *code)
{
    const size_t length = scan_word(&p->t);
    int64_t number;

    if (scan_take(&p->t, "code:")) {
        TRY(scan_integer(&p->t, "the code of an op", INT32_MIN, INT32_MAX, &number));
        *code = (int32_t)number;
        return STATUS_OK;
    }
    for (*code = 0; *code < BUILTIN_COUNT; ++*code) {
        const char *const name = builtin_name(*code);

        if (name && strlen(name) == length && memcmp(name, p->t.at, length) == 0) {
            p->t.at += length;
            return STATUS_OK;
        }
    }
    return scan_expected(&p->t, "an op, such as CONV_2D, or a statement");
}

/* ---- options ---- */

static enum status read_value(struct parse *p, const struct option_field *field,
                              union option_value *value)
{
    const bool small = field->kind == OPTION_I8 || field->kind == OPTION_TYPE;
    const size_t length = scan_word(&p->t);
    const char *const words = words_values(field);
    int64_t number;

    if (length > 0 && (*p->t.at < '0' || *p->t.at > '9') &&
        (number = words_value_find(field, p->t.at, length)) >= 0)
        p->t.at += length;
    else {
        char what[96];

        snprintf(what, sizeof what, "%s%sa number",
                 words                        ? words
                 : field->kind == OPTION_TYPE ? "a type, such as f32, "
                                              : "",
                 words || field->kind == OPTION_TYPE ? "or " : "");
        TRY(scan_integer(&p->t, what,
                         field->kind == OPTION_BOOL ? 0
                         : small                    ? INT8_MIN
                                                    : INT32_MIN,
                         field->kind == OPTION_BOOL ? 1
                         : small                    ? INT8_MAX
                                                    : INT32_MAX,
                         &number));
    }
    value->i = (int32_t)number;
    return STATUS_OK;
}

static enum status read_real(struct parse *p, float *out)
{
    uint64_t bits;
    double x;

    TRY(scan_real(&p->t, "a number", &x, &bits));
    *out = (float)x;
    if (bits)
        memcpy(out, &(uint32_t){ (uint32_t)bits }, sizeof *out);
    return STATUS_OK;
}

/* Behind "flex(": integers, numbers with a point, true and false. */
static enum status read_flex_entry(struct parse *p, struct flex_writer *w)
{
    const char *key, *number;
    uint64_t bits;
    int64_t whole;
    double x;

    TRY(scan_name(&p->t, "a key, or )", &key));
    if (!scan_take(&p->t, "="))
        return scan_expected(&p->t, "= and a value");
    number = p->t.at;
    if (scan_take(&p->t, "true"))
        flex_write_bool(w, key, true);
    else if (scan_take(&p->t, "false"))
        flex_write_bool(w, key, false);
    else if (memchr(number, '.', strcspn(number, " )"))) {
        TRY(scan_real(&p->t, "a number", &x, &bits));
        flex_write_float(w, key, (float)x);
    } else {
        TRY(scan_integer(&p->t, "an integer, a number with a point, true or false", INT64_MIN,
                         INT64_MAX, &whole));
        flex_write_int(w, key, whole);
    }
    return STATUS_OK;
}

static enum status read_flex(struct parse *p, const uint8_t **bytes, size_t *count)
{
    const char *const at = p->t.at;
    struct flex_writer w = { .count = 0 };
    struct diag diag = { .status = STATUS_OK };
    uint8_t *made;
    enum status s;

    for (scan_blanks(&p->t); !scan_take(&p->t, ")"); scan_blanks(&p->t))
        TRY(read_flex_entry(p, &w));
    s = flex_write_finish(&w, &made, count, &diag);
    if (s != STATUS_OK)
        return scan_fail(&p->t, at, s, "%s", diag.text);
    *bytes = arena_copy(p->t.arena, made, *count, 1);
    mem_free(made);
    return *bytes ? STATUS_OK : parse_no_memory(p);
}

/* Bytes as "flex(...)" or "bytes(0102)"; *bytes stays NULL where neither begins here. */
static enum status read_bytes(struct parse *p, const uint8_t **bytes, size_t *count)
{
    uint8_t *read;

    if (scan_take(&p->t, "flex("))
        return read_flex(p, bytes, count);
    if (!scan_take(&p->t, "bytes("))
        return STATUS_OK;
    TRY(scan_bytes(&p->t, &read, count));
    *bytes = read;
    return scan_take(&p->t, ")") ? STATUS_OK : scan_expected(&p->t, ")");
}

enum status parse_op_option(struct parse *p, const struct option_table *table, struct options *o)
{
    const size_t length = scan_word(&p->t);
    char what[96];

    for (size_t i = 0; length > 0 && i < table->field_count; i++) {
        const struct option_field *const field = &table->fields[i];
        union option_value *const value = &o->value[i];

        if (strlen(field->name) != length || memcmp(field->name, p->t.at, length) != 0)
            continue;
        p->t.at += length;
        if (!scan_take(&p->t, "="))
            return scan_expected(&p->t, "= and a value");
        switch (field->kind) {
        case OPTION_F32: return read_real(p, &value->f);
        case OPTION_INTS: return parse_dims(p, &value->ints.data, &value->ints.count);
        case OPTION_STRING:
            TRY(scan_name(&p->t, "a name, or bytes in quotes", &value->text.data));
            value->text.count = strlen(value->text.data);
            return STATUS_OK;
        case OPTION_BYTES:
            TRY(read_bytes(p, &value->bytes.data, &value->bytes.count));
            return value->bytes.data ? STATUS_OK : scan_expected(&p->t, "flex(...) or bytes(...)");
        default: return read_value(p, field, value);
        }
    }
    snprintf(what, sizeof what, "a field of %s, or }", table->name);
    return scan_expected(&p->t, what);
}

/* "Conv2DOptions{stride_w=1}", "{stride_w=1}" for the table of the op, or nothing. */
static enum status read_options(struct parse *p, struct parsed_op *op)
{
    const size_t length = scan_word(&p->t);
    const struct option_table *table;

    if (p->t.at[length] != '{')
        return STATUS_OK;
    table = length ? words_table(p->t.at, length) : words_table_of(op->code);
    if (!table)
        return scan_expected(&p->t, length ? "a table of options, such as Conv2DOptions"
                                           : "the name of a table of options before the {");
    options_init(&op->options, table->tag);
    p->t.at += length + 1;
    for (scan_blanks(&p->t); !scan_take(&p->t, "}"); scan_blanks(&p->t))
        TRY(parse_op_option(p, table, &op->options));
    return STATUS_OK;
}

static enum status read_custom_options(struct parse *p, struct parsed_op *op)
{
    uint8_t *bytes;

    scan_blanks(&p->t);
    if (!scan_take(&p->t, "far("))
        return read_bytes(p, &op->bytes, &op->byte_count);
    op->large = true;
    TRY(scan_bytes(&p->t, &bytes, &op->byte_count));
    if (!scan_take(&p->t, ")"))
        return scan_expected(&p->t, ")");
    op->bytes = bytes;
    return STATUS_OK;
}

/* ---- operators ---- */

/* The type of an output that says none: that of the first input that is no constant, else of the
 * first input. */
static int32_t type_of_inputs(const struct parse *p, const struct parse_list *inputs)
{
    int32_t type = -1;
    bool constant = true;

    for (size_t i = 0; i < inputs->count && constant; i++) {
        const int index = ((const int *)inputs->items)[i];
        const struct parse_tensor *const row = index >= 0 && (size_t)index < parse_tensor_count(p)
                                                   ? parse_tensor_at(p, (size_t)index)
                                                   : NULL;

        if (!row || (row->constant && type >= 0))
            continue;
        type = row->type;
        constant = row->constant;
    }
    return type;
}

static void mark(struct parse *p, const struct parse_list *list, bool written)
{
    for (size_t i = 0; i < list->count; i++) {
        const int index = ((const int *)list->items)[i];

        if (index < 0 || (size_t)index >= parse_tensor_count(p))
            continue;
        if (written)
            parse_tensor_at(p, (size_t)index)->written = true;
        else
            parse_tensor_at(p, (size_t)index)->read = true;
    }
}

static enum status read_op(struct parse *p, struct parsed_op *op)
{
    static const struct parse_producer none = { .type = -1 };
    struct parse_producer producer = { .produces = true };

    TRY(parse_op_code(p, &op->code));
    if (op->code == BUILTIN_CUSTOM && scan_take(&p->t, "(")) {
        TRY(scan_name(&p->t, "the name of a custom op", &op->custom));
        if (!scan_take(&p->t, ")"))
            return scan_expected(&p->t, ")");
    }
    if (scan_take(&p->t, ":"))
        TRY(scan_integer(&p->t, "a version", INT32_MIN, INT32_MAX, &op->version));
    scan_blanks(&p->t);
    TRY(read_options(p, op));
    if (op->code == BUILTIN_CUSTOM)
        TRY(read_custom_options(p, op));
    TRY(parse_tensors(p, &none, &op->tensors[0]));
    producer.type = type_of_inputs(p, &op->tensors[0]);
    if (scan_take(&p->t, "->"))
        TRY(parse_tensors(p, &producer, &op->tensors[1]));
    if (scan_take(&p->t, "|"))
        TRY(parse_tensors(p, &none, &op->tensors[2]));
    return STATUS_OK;
}

static enum status add_op(struct parse *p, const struct parsed_op *op)
{
    const struct parse_list *const in = &op->tensors[0], *const out = &op->tensors[1];
    const int index =
        op->code == BUILTIN_CUSTOM
            ? builder_custom(&p->b, op->custom, (int32_t)op->version, op->bytes, op->byte_count,
                             in->count, in->items, out->count, out->items)
            : builder_op(&p->b, op->code, (int32_t)op->version,
                         op->options.tag ? &op->options : NULL, in->count, in->items, out->count,
                         out->items);

    if (index < 0)
        return parse_no_memory(p);
    mark(p, in, false);
    mark(p, out, true);
    if (op->tensors[2].items)
        builder_intermediates(&p->b, index, op->tensors[2].count, op->tensors[2].items);
    return op->large ? parse_set_late(p, LATE_LARGE_OPTIONS, (size_t)index, NULL, 0) : STATUS_OK;
}

enum status parse_op(struct parse *p)
{
    struct parsed_op op = { .version = 1, .custom = "" };
    size_t *const place = parse_append(p, &p->ops);
    enum status s = STATUS_OK;

    if (!place)
        return STATUS_NO_MEMORY;
    *place = (size_t)(p->t.at - p->t.start);
    if (p->ops.count > limit_of(LIMIT_NODES))
        return scan_fail(&p->t, p->t.at, STATUS_LIMIT, "more than %llu operators (limit nodes)",
                         (unsigned long long)limit_of(LIMIT_NODES));
    s = read_op(p, &op);
    if (s == STATUS_OK)
        s = add_op(p, &op);
    for (int i = 0; i < 3; i++)
        mem_free(op.tensors[i].items);
    return s;
}
