#include "reference/text/edit.h"

#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/limits.h"
#include "reference/text/constants.h"
#include "reference/text/parse.h"
#include "reference/text/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALES_MAX = 64 };

/* What is edited: p.t is the place in the text, whose arena is that of the model. */
struct editor {
    struct parse p;
    struct model *m;
    struct model_subgraph *graph;
    struct model_operator *op;
};

static enum status no_memory(const struct editor *e)
{
    return scan_fail(&e->p.t, e->p.t.at, STATUS_NO_MEMORY, "out of memory");
}

/* "in3", as "in" and 3. */
static bool take_indexed(struct scan *t, const char *word, size_t *index)
{
    const size_t n = strlen(word);
    char *end;

    if (strncmp(t->at, word, n) != 0 || !isdigit((unsigned char)t->at[n]))
        return false;
    *index = strtoul(t->at + n, &end, 10);
    t->at = end;
    return true;
}

static enum status take_equals(struct scan *t)
{
    return scan_take(t, "=") ? STATUS_OK : scan_expected(t, "= and a value");
}

/* "[3]", an index below count. */
static enum status take_index(struct scan *t, size_t count, size_t *index)
{
    int64_t value;

    TRY(scan_integer(t, "an index", 0, (int64_t)count - 1, &value));
    *index = (size_t)value;
    if (!scan_take(t, "]"))
        return scan_expected(t, "]");
    return take_equals(t);
}

/* ---- vectors of tensor indices ---- */

static enum status set_count(struct editor *e, struct model_ints *list, size_t count)
{
    int32_t *const data = ARENA_NEW(e->p.t.arena, count, int32_t);

    if (!data)
        return no_memory(e);
    for (size_t i = 0; i < count; i++)
        data[i] = i < list->count ? list->data[i] : list->count > 0 ? list->data[0] : -1;
    *list = (struct model_ints){ data, count };
    return STATUS_OK;
}

static enum status set_item(struct editor *e, struct model_ints *list, size_t index, int32_t value)
{
    TRY(set_count(e, list, list->count));
    ((int32_t *)list->data)[index] = value;
    return STATUS_OK;
}

static enum status read_count(struct editor *e, struct model_ints *list)
{
    int64_t count;

    TRY(take_equals(&e->p.t));
    TRY(scan_integer(&e->p.t, "a number of tensors", 0, 1024, &count));
    return set_count(e, list, (size_t)count);
}

/* "in1", "out0" or "mid2" of an operator; *list NULL: no such word stands here. */
static enum status find_place(struct editor *e, struct model_operator *op, struct model_ints **list,
                              size_t *index)
{
    static const char *const words[] = { "in", "out", "mid" };
    struct model_ints *const lists[] = { &op->inputs, &op->outputs, &op->intermediates };
    const char *const at = e->p.t.at;

    *list = NULL;
    for (int i = 0; i < 3; i++)
        if (take_indexed(&e->p.t, words[i], index)) {
            *list = lists[i];
            if (*index >= lists[i]->count)
                return scan_fail(&e->p.t, at, STATUS_INVALID,
                                 "no %s%zu, expected less than %zu, which the operator has",
                                 words[i], *index, lists[i]->count);
            break;
        }
    return STATUS_OK;
}

/* "op1.", or nothing. */
static enum status find_operator(struct editor *e)
{
    const char *const at = e->p.t.at;
    size_t index = 0;
    const bool given = take_indexed(&e->p.t, "op", &index);

    if (index >= e->graph->operator_count)
        return scan_fail(&e->p.t, at, STATUS_INVALID,
                         "no operator %zu, expected less than %zu, which the model has", index,
                         e->graph->operator_count);
    e->op = (struct model_operator *)e->graph->operators + index;
    return !given || scan_take(&e->p.t, ".") ? STATUS_OK : scan_expected(&e->p.t, ".");
}

/* ---- tensors ---- */

static bool holds(const struct model_ints *list, int32_t tensor)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i] == tensor)
            return true;
    return false;
}

/* A tensor without data is an input of the subgraph, unless an operator writes it. */
static enum status set_input(struct editor *e, const struct model_tensor *t, bool is_input)
{
    const int32_t tensor = (int32_t)(t - e->graph->tensors);
    struct model_ints *const inputs = &e->graph->inputs;
    size_t kept = 0;

    for (size_t i = 0; i < e->graph->operator_count; i++)
        is_input = is_input && !holds(&e->graph->operators[i].outputs, tensor);
    if (is_input == holds(inputs, tensor))
        return STATUS_OK;
    TRY(set_count(e, inputs, inputs->count + is_input));
    if (is_input)
        ((int32_t *)inputs->data)[inputs->count - 1] = tensor;
    for (size_t i = 0; i < inputs->count; i++)
        if (is_input || inputs->data[i] != tensor)
            ((int32_t *)inputs->data)[kept++] = inputs->data[i];
    inputs->count = kept;
    return STATUS_OK;
}

/* Gives the tensor a buffer of its own, of so many bytes, which it returns. */
static uint8_t *new_data(struct editor *e, struct model_tensor *t, size_t bytes)
{
    struct model *const m = e->m;
    struct model_buffer *const buffers =
        ARENA_NEW(e->p.t.arena, m->buffer_count + 1, struct model_buffer);
    uint8_t *const data = arena_alloc(e->p.t.arena, bytes + 1, 1);

    if (!buffers || !data)
        return NULL;
    memset(data, 0, bytes + 1);
    memcpy(buffers, m->buffers, m->buffer_count * sizeof *buffers);
    buffers[m->buffer_count].data = (struct model_bytes){ data, bytes };
    buffers[m->buffer_count].large = false;
    t->buffer = (uint32_t)m->buffer_count++;
    m->buffers = buffers;
    return data;
}

/* Elements and bytes of a constant of the tensor's shape and type; a dim below 0 counts as 0. */
static enum status size_of(const struct editor *e, const struct model_tensor *t, size_t *elements,
                           size_t *bytes)
{
    bool fits = true;

    *elements = 1;
    for (size_t i = 0; i < t->shape.count; i++) {
        const int32_t dim = t->shape.data[i];

        fits = checked_mul(*elements, dim > 0 ? (size_t)dim : 0, elements) && fits;
    }
    *bytes = 0; /* of a type without numbers */
    if (constants_has_numbers(t->type))
        fits = fits && constants_bytes(t->type, *elements, bytes);
    if (fits && *bytes <= limit_of(LIMIT_READ_BYTES))
        return STATUS_OK;
    return scan_fail(&e->p.t, e->p.t.at, STATUS_LIMIT,
                     "a constant of more than %llu bytes (limit read_bytes)",
                     (unsigned long long)limit_of(LIMIT_READ_BYTES));
}

/* Writes the values of a constant down in its old type, and reads them in that of `now`. */
static enum status keep_values(struct editor *e, struct model_tensor *t,
                               const struct model_tensor *now)
{
    struct model_tensor next = *now;
    size_t elements, bytes, count, had;
    const uint8_t *const old = model_tensor_data(e->m, t, &had);
    struct scan values = e->p.t;
    enum status s = STATUS_OK;
    char *text = NULL;
    uint8_t *data;
    FILE *f;

    if (!old || !constants_has_numbers(t->type) || !constants_has_numbers(now->type)) {
        *t = *now;
        return STATUS_OK;
    }
    TRY(size_of(e, now, &elements, &bytes));
    if (!(data = new_data(e, &next, bytes)) || !(f = open_memstream(&text, &had)))
        return no_memory(e);
    model_tensor_data(e->m, t, &bytes);
    count = constants_elements(t->type, bytes);
    if (count > elements)
        count = elements;
    constants_print_values(f, t->type, old, count);
    if (fclose(f) != 0 || !text)
        s = no_memory(e);
    values.start = values.at = text;
    if (s == STATUS_OK && count > 0 && elements > 0)
        s = constants_read_values(&values, now->type, elements, data);
    free(text);
    if (s == STATUS_OK)
        *t = next;
    return s;
}

static enum status edit_dims(struct editor *e, struct model_tensor *t)
{
    struct model_tensor now = *t;
    int64_t value;
    size_t index;

    if (scan_take(&e->p.t, "[")) {
        TRY(take_index(&e->p.t, now.shape.count, &index));
        TRY(scan_integer(&e->p.t, "a dim", INT32_MIN, INT32_MAX, &value));
        TRY(set_item(e, &now.shape, index, (int32_t)value));
    } else {
        TRY(take_equals(&e->p.t));
        TRY(parse_dims(&e->p, &now.shape.data, &now.shape.count));
    }
    return keep_values(e, t, &now);
}

static enum status edit_type(struct editor *e, struct model_tensor *t)
{
    struct model_tensor now = *t;
    size_t length;

    TRY(take_equals(&e->p.t));
    length = scan_word(&e->p.t);
    now.type = words_type(e->p.t.at, length);
    if (now.type == WORDS_NO_TYPE)
        return scan_expected(&e->p.t, "a type, such as f32");
    e->p.t.at += length;
    return keep_values(e, t, &now);
}

/* "(0.5|0.25,0|3,3)"; zero points and dimension that are not given are 0. */
static enum status edit_quantization(struct editor *e, struct model_tensor *t)
{
    struct scan *const s = &e->p.t;
    float *const scale = ARENA_NEW(s->arena, SCALES_MAX, float);
    int64_t *const zero = ARENA_NEW(s->arena, SCALES_MAX, int64_t);
    size_t count = 0, zeros = 0;
    int64_t dimension = 0;

    if (!scale || !zero)
        return no_memory(e);
    TRY(take_equals(s));
    if (!scan_take(s, "("))
        return scan_expected(s, "( and scales");
    t->quantization = (struct model_quantization){ .present = false };
    if (scan_take(s, ")"))
        return STATUS_OK;
    do {
        uint64_t bits;
        double x;

        if (count == SCALES_MAX)
            return scan_expected(s, "at most 64 scales");
        TRY(scan_real(s, "a scale", &x, &bits));
        zero[count] = 0;
        scale[count] = (float)x;
        if (bits)
            memcpy(&scale[count], &(uint32_t){ (uint32_t)bits }, sizeof *scale);
        count++;
    } while (scan_take(s, "|"));
    if (scan_take(s, ","))
        do {
            if (zeros == count)
                return scan_expected(s, "as many zero points as scales");
            TRY(scan_integer(s, "a zero point", INT64_MIN, INT64_MAX, &zero[zeros++]));
        } while (scan_take(s, "|"));
    if (scan_take(s, ","))
        TRY(scan_integer(s, "a dimension", INT32_MIN, INT32_MAX, &dimension));
    t->quantization = (struct model_quantization){ .present = true,
                                                   .scale = { scale, count },
                                                   .zero_point = { zero, count },
                                                   .quantized_dimension = (int32_t)dimension };
    return scan_take(s, ")") ? STATUS_OK : scan_expected(s, "| or , or )");
}

static enum status edit_data(struct editor *e, struct model_tensor *t)
{
    size_t elements, bytes, index, had;
    const uint8_t *const old = model_tensor_data(e->m, t, &had);
    uint8_t *data;

    if (scan_take(&e->p.t, "[")) {
        if (!(elements = constants_elements(t->type, had)))
            return scan_expected(&e->p.t, "the place of a constant of numbers");
        TRY(take_index(&e->p.t, elements, &index));
        if (!(data = new_data(e, t, had)))
            return no_memory(e);
        memcpy(data, old, had);
        return constants_read_value(&e->p.t, t->type, index, data);
    }
    TRY(take_equals(&e->p.t));
    if (e->p.t.at[0] == '-' && !isdigit((unsigned char)e->p.t.at[1])) {
        e->p.t.at++;
        t->buffer = 0;
        return set_input(e, t, true);
    }
    TRY(size_of(e, t, &elements, &bytes));
    if (!(data = new_data(e, t, bytes)))
        return no_memory(e);
    TRY(set_input(e, t, false));
    return constants_read_values(&e->p.t, t->type, elements, data);
}

static enum status edit_tensor(struct editor *e, int32_t index)
{
    struct model_tensor *const t = (struct model_tensor *)e->graph->tensors + index;

    if (index < 0 || (size_t)index >= e->graph->tensor_count)
        return scan_expected(&e->p.t, "= and a tensor, since the operator has none there");
    if (scan_take(&e->p.t, ".dims"))
        return edit_dims(e, t);
    if (scan_take(&e->p.t, ".type"))
        return edit_type(e, t);
    if (scan_take(&e->p.t, ".q"))
        return edit_quantization(e, t);
    if (scan_take(&e->p.t, ".blocks=("))
        return parse_blocks(&e->p, &t->quantization);
    if (scan_take(&e->p.t, ".data"))
        return edit_data(e, t);
    if (scan_take(&e->p.t, ".variable=true")) {
        t->is_variable = true;
        return set_input(e, t, false);
    }
    return scan_expected(&e->p.t, ".dims, .type, .q, .blocks, .data, .variable=true or =");
}

/* "-", or a place of an operator: the tensor there. */
static enum status read_tensor(struct editor *e, struct model_ints *list, size_t index)
{
    struct model_operator *const here = e->op;
    struct model_ints *other;
    size_t from;

    if (scan_take(&e->p.t, "-"))
        return set_item(e, list, index, -1);
    if (strncmp(e->p.t.at, "op", 2) == 0)
        TRY(find_operator(e));
    TRY(find_place(e, e->op, &other, &from));
    e->op = here;
    if (!other)
        return scan_expected(&e->p.t, "-, or a place such as in0 or op1.out0");
    return set_item(e, list, index, other->data[from]);
}

/* ---- operators ---- */

/* Others may share the operator's code. */
static enum status set_opcode(struct editor *e, int32_t code, int64_t version)
{
    struct model *const m = e->m;
    struct model_opcode *const opcodes =
        ARENA_NEW(e->p.t.arena, m->opcode_count + 1, struct model_opcode);

    if (!opcodes)
        return no_memory(e);
    memcpy(opcodes, m->opcodes, m->opcode_count * sizeof *opcodes);
    opcodes[m->opcode_count] = m->opcodes[e->op->opcode_index];
    opcodes[m->opcode_count].code = opcodes[m->opcode_count].builtin_code = code;
    opcodes[m->opcode_count].deprecated_code = code < 127 ? code : 127;
    opcodes[m->opcode_count].version = (int32_t)version;
    e->op->opcode_index = (uint32_t)m->opcode_count++;
    m->opcodes = opcodes;
    return STATUS_OK;
}

static enum status edit_code(struct editor *e)
{
    const struct options old = e->op->options;
    const struct option_table *const from = option_table_find(old.tag), *to;
    int32_t code;

    TRY(parse_op_code(&e->p, &code));
    to = words_table_of(code);
    if (from && from != to)
        e->op->options = (struct options){ .tag = 0 };
    if (from && to && from != to) {
        options_init(&e->op->options, to->tag);
        for (int i = 0; i < to->field_count; i++)
            for (int k = 0; k < from->field_count; k++)
                if (strcmp(to->fields[i].name, from->fields[k].name) == 0 &&
                    to->fields[i].kind == from->fields[k].kind)
                    e->op->options.value[i] = old.value[k];
    }
    return set_opcode(e, code, e->m->opcodes[e->op->opcode_index].version);
}

static enum status edit_options(struct editor *e)
{
    const struct option_table *const table = option_table_find(e->op->options.tag);

    if (scan_take(&e->p.t, "=-")) {
        e->op->options = (struct options){ .tag = 0 };
        return STATUS_OK;
    }
    if (!scan_take(&e->p.t, ".") || !table)
        return scan_expected(&e->p.t, table ? ". and a field, or =-"
                                            : "another field, since the operator has no options");
    return parse_op_option(&e->p, table, &e->op->options);
}

static enum status read_edit(struct editor *e)
{
    struct model_ints *list;
    int64_t version;
    size_t index;

    TRY(find_operator(e));
    TRY(find_place(e, e->op, &list, &index));
    if (list && scan_take(&e->p.t, "="))
        return read_tensor(e, list, index);
    if (list)
        return edit_tensor(e, list->data[index]);
    if (scan_take(&e->p.t, "op="))
        return edit_code(e);
    if (scan_take(&e->p.t, "options"))
        return edit_options(e);
    if (scan_take(&e->p.t, "inputs"))
        return read_count(e, &e->op->inputs);
    if (scan_take(&e->p.t, "outputs"))
        return read_count(e, &e->op->outputs);
    if (!scan_take(&e->p.t, "version="))
        return scan_expected(&e->p.t, "in0, out0, mid0, op=, version=, options, inputs=, outputs=");
    TRY(scan_integer(&e->p.t, "a version", INT32_MIN, INT32_MAX, &version));
    return set_opcode(e, e->m->opcodes[e->op->opcode_index].code, version);
}

static enum status read_edits(struct editor *e)
{
    for (;; e->p.t.at++) {
        scan_blanks(&e->p.t);
        if (!scan_is_end(&e->p.t)) {
            TRY(read_edit(e));
            scan_blanks(&e->p.t);
        }
        if (!scan_is_end(&e->p.t))
            return scan_expected(&e->p.t, "the end of the edit");
        if (*e->p.t.at == '\0')
            return STATUS_OK;
    }
}

enum status model_text_edit(struct model *m, const char *text, struct diag *diag)
{
    struct editor e = { .m = m, .graph = (struct model_subgraph *)m->subgraphs };
    enum status s = parse_open(&e.p, text, strlen(text), NULL, diag);

    e.p.t.arena = &m->arena;
    if (s == STATUS_OK)
        s = read_edits(&e);
    parse_close(&e.p);
    return s;
}
