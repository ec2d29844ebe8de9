#include "reference/text/write_text.h"

#include "reference/base/builtin.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/flexbuffer.h"
#include "reference/format/sparse.h"
#include "reference/text/constants.h"
#include "reference/text/parse.h"
#include "reference/text/scan.h"
#include "reference/text/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is known of the subgraph that is being written. */
struct text_writer {
    FILE *f;
    const struct model *m;
    struct text_data *data;
    struct diag *diag;
    const struct model_subgraph *g;
    size_t graph;
    struct names names; /* of its tensors */
    uint32_t *uses;     /* of each tensor, in lists of tensors */
    size_t defined;     /* tensors that stand in the text */
    uint32_t *buffers;  /* the number that a buffer has in the text; 0: none yet */
    uint32_t buffer_count;
};

static enum status no_words(const struct text_writer *w, const char *part, size_t index,
                            const char *what)
{
    return diag_fail(w->diag, STATUS_UNSUPPORTED,
                     "subgraph %zu, %s %zu: the text has no words for %s", w->graph, part, index,
                     what);
}

static enum status no_memory(const struct text_writer *w)
{
    return diag_fail(w->diag, STATUS_NO_MEMORY, "model as text: out of memory");
}

/* ---- names and bytes ---- */

static void print_name(FILE *f, const char *name)
{
    if (scan_is_plain(name)) {
        fputs(name, f);
        return;
    }
    fputc('"', f);
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;

        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < ' ' || c >= 127)
            fprintf(f, "\\x%02x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static void print_hex(FILE *f, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(f, "%02x", bytes[i]);
}

/* Moves bytes to the file beside the text, from a multiple of 16, and prints where they are. */
static enum status print_beside(struct text_writer *w, const uint8_t *bytes, size_t count,
                                bool says_count)
{
    struct text_data *const d = w->data;
    const size_t at = (d->count + 15) / 16 * 16;

    if (at + count > d->room) {
        const size_t room = 2 * (at + count);
        uint8_t *const more = mem_resize(d->bytes, room, 1);

        if (!more)
            return no_memory(w);
        d->bytes = more;
        d->room = room;
    }
    memset(d->bytes + d->count, 0, at - d->count);
    memcpy(d->bytes + at, bytes, count);
    d->count = at + count;
    fprintf(w->f, "<%zu", at);
    if (says_count)
        fprintf(w->f, ":%zu", count);
    return STATUS_OK;
}

static enum status print_raw(struct text_writer *w, const uint8_t *bytes, size_t count)
{
    if (w->data && count > TEXT_INLINE)
        return print_beside(w, bytes, count, true);
    fputs("x:", w->f);
    print_hex(w->f, bytes, count);
    return STATUS_OK;
}

/* ---- tensors ---- */

static const struct model_bytes *data_of(const struct text_writer *w, const struct model_tensor *t)
{
    return &w->m->buffers[t->buffer].data;
}

static bool is_zero(const struct model_bytes *data)
{
    for (size_t i = 0; i < data->count; i++)
        if (data->data[i] != 0)
            return false;
    return true;
}

static enum status print_data(struct text_writer *w, const struct model_tensor *t,
                              const struct model_bytes *data)
{
    size_t elements = 1, bytes;

    if (w->buffers[t->buffer] != 0) {
        fprintf(w->f, "=&%u", w->buffers[t->buffer]);
        return STATUS_OK;
    }
    w->buffers[t->buffer] = ++w->buffer_count;
    for (size_t i = 0; i < t->shape.count; i++)
        elements *= t->shape.data[i] > 0 ? (size_t)t->shape.data[i] : 0;
    if (data->count == 0 || !constants_bytes(t->type, elements, &bytes) || data->count != bytes ||
        !constants_is_padded(t->type, data->data, elements)) {
        if (is_zero(data)) {
            fprintf(w->f, "#%zu", data->count);
            return STATUS_OK;
        }
        fputc('=', w->f);
        return print_raw(w, data->data, data->count);
    }
    fputc('=', w->f);
    if (w->data && constants_count_values(t->type, data->data, elements) > TEXT_INLINE)
        return print_beside(w, data->data, data->count, false);
    constants_print_values(w->f, t->type, data->data, elements);
    return STATUS_OK;
}

/* A sparse constant as dense elements and the form in which they are stored. */
static enum status print_sparse(struct text_writer *w, const struct model_tensor *t, size_t index)
{
    const struct model_bytes *const data = data_of(w, t);
    const size_t size = constants_element_bytes(t->type);
    struct sparse_layout layout;
    struct sparse_fault fault;
    struct sparse_form form;
    struct model_bytes dense;
    uint8_t *elements;
    enum status s;

    if (size == 0 || !data->data || w->buffers[t->buffer] != 0 ||
        sparse_check_model(t, &layout, &fault) != STATUS_OK || layout.stored > data->count / size ||
        layout.elements > limit_of(LIMIT_TENSOR_ELEMENTS) ||
        !sparse_form_of(t, &layout, data, size, &form))
        return no_words(w, "tensor", index, "such sparsity");
    if (!(elements = mem_alloc(layout.elements, size)))
        return no_memory(w);
    sparse_expand(&layout, data->data, size, elements);
    dense = (struct model_bytes){ elements, layout.elements * size };
    s = print_data(w, t, &dense);
    mem_free(elements);
    fputs("%(", w->f);
    for (size_t l = 0; l < form.level_count; l++) {
        static const char *const kinds[] = { "", "s", "s16", "s8" };

        fprintf(w->f, "%s%d", l ? "," : "", form.levels[l].dimension);
        if (form.levels[l].block > 0)
            fprintf(w->f, "/%d", form.levels[l].block);
        fputs(kinds[form.levels[l].compressed], w->f);
    }
    fputc(')', w->f);
    return s;
}

static void print_floats(FILE *f, struct model_floats v)
{
    for (size_t i = 0; i < v.count; i++) {
        if (i > 0)
            fputc('|', f);
        constants_print_float(f, v.data[i]);
    }
}

static const char *name_of(const struct model_tensor *t)
{
    return t->name.text ? t->name.text : "";
}

/* Whether the tensor is written without its name: it has the one that such a tensor gets. */
static bool is_nameless(const struct text_writer *w, size_t index)
{
    char own[24];

    words_tensor_name(index, own);
    return w->uses[index] <= 1 && strcmp(name_of(&w->g->tensors[index]), own) == 0;
}

/* A tensor that has been written before, by its name where that is its own; else its index. */
static void print_known(const struct text_writer *w, int32_t tensor)
{
    const struct name_row *const row = tensor >= 0 && (size_t)tensor < w->defined
                                           ? names_find(&w->names, name_of(&w->g->tensors[tensor]))
                                           : NULL;

    if (row && row->tensor == tensor && !row->several && !is_nameless(w, (size_t)tensor))
        print_name(w->f, row->name);
    else
        fprintf(w->f, "@%d", tensor);
}

static enum status print_quantization(struct text_writer *w, size_t index,
                                      const struct model_quantization *q)
{
    bool zero = true;

    if (q->details_type != DETAILS_NONE && q->details_type != DETAILS_BLOCKWISE)
        return no_words(w, "tensor", index, "quantization details");
    for (size_t i = 0; i < q->zero_point.count; i++)
        zero = zero && q->zero_point.data[i] == 0;
    if (q->scale.count == 0 && !zero)
        return no_words(w, "tensor", index, "zero points without scales");
    if (q->zero_point.count > q->scale.count)
        return no_words(w, "tensor", index, "more zero points than scales");
    if (q->min.count != q->max.count)
        return no_words(w, "tensor", index, "a range whose ends are not as many");
    if (q->scale.count > 0) {
        fputs("q(", w->f);
        print_floats(w->f, q->scale);
        if (!zero || q->quantized_dimension != 0) {
            for (size_t i = 0; i < (zero ? 1 : q->zero_point.count); i++)
                fprintf(w->f, "%c%" PRId64, i ? '|' : ',', zero ? 0 : q->zero_point.data[i]);
        }
        if (q->quantized_dimension != 0)
            fprintf(w->f, ",%d", q->quantized_dimension);
        fputc(')', w->f);
    }
    if (q->min.count > 0) {
        fputs("range(", w->f);
        print_floats(w->f, q->min);
        fputc(',', w->f);
        print_floats(w->f, q->max);
        fputc(')', w->f);
    }
    if (q->details_type == DETAILS_BLOCKWISE) {
        fputs("blocks(", w->f);
        print_known(w, q->block_scales);
        fprintf(w->f, ",%d", q->block_size);
        if (q->block_zero_points != -1 || (q->quantized_dimension != 0 && q->scale.count == 0))
            fprintf(w->f, ",%d", q->block_zero_points);
        if (q->quantized_dimension != 0 && q->scale.count == 0)
            fprintf(w->f, ",%d", q->quantized_dimension);
        fputc(')', w->f);
    }
    return STATUS_OK;
}

static void print_ints(FILE *f, struct model_ints v)
{
    fputc('[', f);
    for (size_t i = 0; i < v.count; i++)
        fprintf(f, "%s%d", i ? "," : "", v.data[i]);
    fputc(']', f);
}

static enum status print_new(struct text_writer *w, size_t index)
{
    const struct model_tensor *const t = &w->g->tensors[index];
    char type[16];

    if (t->variants)
        return no_words(w, "tensor", index, "variants");
    if (t->external_buffer != 0)
        return no_words(w, "tensor", index, "data in another file");
    if (strlen(name_of(t)) < t->name.count)
        return no_words(w, "tensor", index, "a byte 0 in a name");
    if (!is_nameless(w, index)) {
        print_name(w->f, name_of(t));
        fputc(':', w->f);
    }
    words_type_text(t->type, type);
    fputs(type, w->f);
    print_ints(w->f, t->shape);
    if (t->sparsity.present)
        TRY(print_sparse(w, t, index));
    else if (data_of(w, t)->data)
        TRY(print_data(w, t, data_of(w, t)));
    if (t->quantization.present)
        TRY(print_quantization(w, index, &t->quantization));
    if (t->shape_signature.data) {
        fputc('~', w->f);
        print_ints(w->f, t->shape_signature);
    }
    if (t->is_variable)
        fputc('!', w->f);
    if (data_of(w, t)->data && w->m->buffers[t->buffer].large)
        fputc('^', w->f);
    w->defined++;
    return STATUS_OK;
}

static enum status print_tensor(struct text_writer *w, int32_t tensor)
{
    if (tensor == -1)
        fputc('-', w->f);
    else if (tensor >= 0 && (size_t)tensor == w->defined && w->defined < w->g->tensor_count)
        return print_new(w, (size_t)tensor);
    else
        print_known(w, tensor);
    return STATUS_OK;
}

static enum status print_tensors(struct text_writer *w, struct model_ints list)
{
    for (size_t i = 0; i < list.count; i++) {
        fputc(' ', w->f);
        TRY(print_tensor(w, list.data[i]));
    }
    return STATUS_OK;
}

/* ---- operators ---- */

static void print_flex_value(FILE *f, const struct flex_value *v)
{
    char text[32];

    if (v->kind == FLEX_INT)
        fprintf(f, "%" PRId64, v->i);
    else if (v->kind == FLEX_BOOL)
        fputs(v->i ? "true" : "false", f);
    else {
        snprintf(text, sizeof text, "%.9g", v->f);
        fprintf(f, "%s%s", text, strpbrk(text, ".n") ? "" : ".0");
    }
}

/* A map as flex(key=1): where the same bytes are made from it. */
static bool print_flex(FILE *f, const struct model_bytes *bytes)
{
    struct flex_writer again = { .count = 0 };
    struct flex_value v[FLEX_ENTRIES_MAX];
    struct flex_map map;
    uint8_t *made = NULL;
    size_t count = 0;
    bool same;

    if (flex_map_open(&map, bytes->data, bytes->count, NULL) != STATUS_OK ||
        map.entries > FLEX_ENTRIES_MAX)
        return false;
    for (size_t i = 0; i < map.entries; i++) {
        const char *const key = flex_map_key(&map, i);

        flex_map_find(&map, key, &v[i]);
        if (v[i].kind == FLEX_INT)
            flex_write_int(&again, key, v[i].i);
        else if (v[i].kind == FLEX_BOOL)
            flex_write_bool(&again, key, v[i].i != 0);
        else if (v[i].kind == FLEX_FLOAT && v[i].f - v[i].f == 0)
            flex_write_float(&again, key, (float)v[i].f);
        else
            return false;
    }
    same = flex_write_finish(&again, &made, &count, NULL) == STATUS_OK && count == bytes->count &&
           memcmp(made, bytes->data, count) == 0;
    mem_free(made);
    if (!same)
        return false;
    fputs("flex(", f);
    for (size_t i = 0; i < map.entries; i++) {
        if (i > 0)
            fputc(' ', f);
        print_name(f, flex_map_key(&map, i));
        fputc('=', f);
        print_flex_value(f, &v[i]);
    }
    fputc(')', f);
    return true;
}

/* As a map, or else as they are. */
static void print_bytes(FILE *f, const struct model_bytes *bytes)
{
    if (print_flex(f, bytes))
        return;
    fputs("bytes(", f);
    print_hex(f, bytes->data, bytes->count);
    fputc(')', f);
}

static void print_field(FILE *f, const struct option_field *field, const union option_value *v)
{
    fprintf(f, "%s=", field->name);
    switch (field->kind) {
    case OPTION_F32: constants_print_float(f, v->f); break;
    case OPTION_INTS: print_ints(f, (struct model_ints){ v->ints.data, v->ints.count }); break;
    case OPTION_STRING: print_name(f, v->text.data); break;
    case OPTION_BYTES:
        print_bytes(f, &(struct model_bytes){ v->bytes.data, v->bytes.count });
        break;
    default: words_print_value(f, field, v->i); break;
    }
}

static enum status print_options(struct text_writer *w, size_t index, const struct options *o,
                                 int32_t code)
{
    const struct option_table *const table = option_table_find(o->tag);
    struct options fallback;
    bool first = true;

    if (o->tag == 0)
        return STATUS_OK;
    if (!table || !table->listed)
        return no_words(w, "operator", index, table ? table->name : "options of an unknown table");
    options_init(&fallback, o->tag);
    fprintf(w->f, " %s{", table == words_table_of(code) ? "" : table->name);
    for (size_t i = 0; i < table->field_count; i++) {
        const struct option_field *const field = &table->fields[i];
        struct options other = fallback;

        other.value[i] = o->value[i];
        if (options_equal(&other, &fallback))
            continue;
        if (field->kind == OPTION_STRING && strlen(o->value[i].text.data) < o->value[i].text.count)
            return no_words(w, "operator", index, "a byte 0 in an option");
        if (!first)
            fputc(' ', w->f);
        print_field(w->f, field, &o->value[i]);
        first = false;
    }
    fputc('}', w->f);
    return STATUS_OK;
}

static enum status print_custom(struct text_writer *w, size_t index, const struct model_operator *o,
                                const struct model_opcode *code)
{
    const char *const name = code->custom_code.text ? code->custom_code.text : "";

    if (code->code != BUILTIN_CUSTOM)
        return o->custom_options.data ? no_words(w, "operator", index, "the options of a custom op")
                                      : STATUS_OK;
    if (!o->custom_options.data)
        return STATUS_OK;
    if (strlen(name) < code->custom_code.count)
        return no_words(w, "operator", index, "a byte 0 in a name");
    fputc(' ', w->f);
    if (!o->custom_options_large) {
        print_bytes(w->f, &o->custom_options);
        return STATUS_OK;
    }
    fputs("far(", w->f);
    print_hex(w->f, o->custom_options.data, o->custom_options.count);
    fputc(')', w->f);
    return STATUS_OK;
}

static enum status print_op(struct text_writer *w, size_t index)
{
    const struct model_operator *const o = &w->g->operators[index];
    const struct model_opcode *const code = &w->m->opcodes[o->opcode_index];
    const char *const name = builtin_name(code->code);

    if (o->options_2_type != 0)
        return no_words(w, "operator", index, "options of BuiltinOptions2");
    if (name)
        fputs(name, w->f);
    else
        fprintf(w->f, "code:%d", code->code);
    if (code->code == BUILTIN_CUSTOM && code->custom_code.count > 0) {
        fputc('(', w->f);
        print_name(w->f, code->custom_code.text);
        fputc(')', w->f);
    }
    if (code->version != 1)
        fprintf(w->f, ":%d", code->version);
    TRY(print_options(w, index, &o->options, code->code));
    TRY(print_custom(w, index, o, code));
    TRY(print_tensors(w, o->inputs));
    if (o->outputs.count > 0 || o->intermediates.data)
        fputs(" ->", w->f);
    TRY(print_tensors(w, o->outputs));
    if (o->intermediates.data) {
        fputs(" |", w->f);
        TRY(print_tensors(w, o->intermediates));
    }
    fputc('\n', w->f);
    return STATUS_OK;
}

/* ---- subgraphs ---- */

/* The lists of an operator in the order of the text. */
static const struct model_ints *list_of(const struct model_operator *o, int i)
{
    return i == 0 ? &o->inputs : i == 1 ? &o->outputs : &o->intermediates;
}

/* Declares tensors up to `until`, where the order of the text is not that of the file. */
static enum status declare(struct text_writer *w, size_t until)
{
    while (w->defined < until) {
        fputs("tensors ", w->f);
        TRY(print_new(w, w->defined));
        fputc('\n', w->f);
    }
    return STATUS_OK;
}

/* Tensors that have to be declared before an operator: whose new ones do not come in order. */
static size_t declared_before(const struct text_writer *w, const struct model_operator *o)
{
    size_t next = w->defined, until = 0;

    for (int i = 0; i < 3; i++) {
        const struct model_ints *const list = list_of(o, i);

        for (size_t k = 0; k < list->count; k++) {
            const int32_t tensor = list->data[k];

            if (tensor < 0 || (size_t)tensor < next || (size_t)tensor >= w->g->tensor_count)
                continue;
            if ((size_t)tensor > next) /* all before it are declared, those seen so far, too */
                until = (size_t)tensor;
            next = (size_t)tensor + 1;
        }
    }
    return until;
}

static void count_uses(struct text_writer *w, struct model_ints list)
{
    for (size_t i = 0; i < list.count; i++)
        if (list.data[i] >= 0 && (size_t)list.data[i] < w->g->tensor_count)
            w->uses[list.data[i]]++;
}

/* Whether a side of the subgraph is the one that the text without a list has. */
static bool is_implied(const struct text_writer *w, struct model_ints side, bool outputs,
                       const uint8_t *marks)
{
    size_t next = 0;

    for (size_t t = 0; t < w->g->tensor_count; t++) {
        const struct model_tensor *const tensor = &w->g->tensors[t];
        const bool constant = data_of(w, tensor)->data || tensor->is_variable;
        const bool read = marks[t] & 1, written = marks[t] & 2;

        if (outputs ? !written || read : written || !read || constant)
            continue;
        if (next == side.count || side.data[next++] != (int32_t)t)
            return false;
    }
    return next == side.count;
}

static void mark(const struct text_writer *w, struct model_ints list, uint8_t *marks, uint8_t bit)
{
    for (size_t i = 0; i < list.count; i++)
        if (list.data[i] >= 0 && (size_t)list.data[i] < w->g->tensor_count)
            marks[list.data[i]] |= bit;
}

static enum status print_maps(struct text_writer *w, const struct model_tensor_map *maps,
                              size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputc(' ', w->f);
        print_name(w->f, maps[i].name.text ? maps[i].name.text : "");
        fputc('=', w->f);
        TRY(print_tensor(w, (int32_t)maps[i].tensor_index));
    }
    return STATUS_OK;
}

static enum status print_signatures(struct text_writer *w)
{
    for (size_t i = 0; i < w->m->signature_count; i++) {
        const struct model_signature *const s = &w->m->signatures[i];

        if (s->subgraph_index != w->graph)
            continue;
        fputs("signature ", w->f);
        print_name(w->f, s->key.text ? s->key.text : "");
        TRY(print_maps(w, s->inputs, s->input_count));
        fputs(" ->", w->f);
        TRY(print_maps(w, s->outputs, s->output_count));
        fputc('\n', w->f);
    }
    return STATUS_OK;
}

static void print_graph_name(const struct text_writer *w)
{
    char own[32] = "main";

    if (w->graph > 0)
        snprintf(own, sizeof own, "subgraph_%zu", w->graph);
    /* A text has at least one statement. */
    if (strcmp(w->g->name.text ? w->g->name.text : "", own) == 0 &&
        w->g->tensor_count + w->g->operator_count > 0)
        return;
    fputs("name ", w->f);
    print_name(w->f, w->g->name.text ? w->g->name.text : "");
    fputc('\n', w->f);
}

static enum status print_sides(struct text_writer *w, bool inputs, bool outputs)
{
    const struct model_ints sides[] = { w->g->inputs, w->g->outputs };
    const bool listed[] = { inputs, outputs };

    for (int side = 0; side < 2; side++) {
        if (!listed[side])
            continue;
        fputs(side ? "outputs" : "inputs", w->f);
        TRY(print_tensors(w, sides[side]));
        fputc('\n', w->f);
    }
    return STATUS_OK;
}

static enum status prepare_graph(struct text_writer *w, const uint8_t *marks, bool *inputs,
                                 bool *outputs)
{
    *inputs = !is_implied(w, w->g->inputs, false, marks);
    *outputs = !is_implied(w, w->g->outputs, true, marks);
    for (size_t n = 0; n < w->g->operator_count; n++)
        for (int i = 0; i < 3; i++)
            count_uses(w, *list_of(&w->g->operators[n], i));
    if (*inputs)
        count_uses(w, w->g->inputs);
    if (*outputs)
        count_uses(w, w->g->outputs);
    for (size_t t = 0; t < w->g->tensor_count; t++)
        if (!is_nameless(w, t) && !names_add(&w->names, name_of(&w->g->tensors[t]), (int)t))
            return no_memory(w);
    return STATUS_OK;
}

static enum status print_graph(struct text_writer *w, const uint8_t *marks)
{
    bool inputs, outputs;

    TRY(prepare_graph(w, marks, &inputs, &outputs));
    print_graph_name(w);
    for (size_t n = 0; n < w->g->operator_count; n++) {
        TRY(declare(w, declared_before(w, &w->g->operators[n])));
        TRY(print_op(w, n));
    }
    TRY(declare(w, w->g->tensor_count));
    TRY(print_sides(w, inputs, outputs));
    return print_signatures(w);
}

static enum status open_graph(struct text_writer *w)
{
    uint8_t *const marks = mem_alloc(w->g->tensor_count + 1, 1);
    enum status s = marks ? STATUS_OK : no_memory(w);

    w->defined = 0;
    w->uses = mem_alloc(w->g->tensor_count + 1, sizeof *w->uses);
    if (!w->uses)
        s = no_memory(w);
    for (size_t n = 0; s == STATUS_OK && n < w->g->operator_count; n++) {
        mark(w, w->g->operators[n].inputs, marks, 1);
        mark(w, w->g->operators[n].outputs, marks, 2);
    }
    if (s == STATUS_OK)
        s = print_graph(w, marks);
    names_close(&w->names);
    mem_free(w->uses);
    mem_free(marks);
    return s;
}

static enum status print_metadata(struct text_writer *w)
{
    for (size_t i = 0; i < w->m->metadata_count; i++) {
        const struct model_metadata *const row = &w->m->metadata[i];
        const struct model_bytes *const data = &w->m->buffers[row->buffer].data;

        fputs("metadata ", w->f);
        print_name(w->f, row->name.text ? row->name.text : "");
        fputc('=', w->f);
        if (w->buffers[row->buffer] != 0)
            fprintf(w->f, "&%u", w->buffers[row->buffer]);
        else
            TRY(print_raw(w, data->data, data->count));
        fputc('\n', w->f);
    }
    return STATUS_OK;
}

static enum status print_model(struct text_writer *w)
{
    const char *const description = w->m->description.text;

    if (description && strcmp(description, "Assay") != 0) {
        fputs("description ", w->f);
        print_name(w->f, description);
        fputc('\n', w->f);
    }
    for (w->graph = 0; w->graph < w->m->subgraph_count; w->graph++) {
        w->g = &w->m->subgraphs[w->graph];
        if (w->graph > 0)
            fputs("graph\n", w->f);
        TRY(open_graph(w));
    }
    return print_metadata(w);
}

enum status text_write(FILE *f, const struct model *m, struct text_data *data, struct diag *diag)
{
    struct text_writer w = { .f = f, .m = m, .data = data, .diag = diag };
    char *text = NULL;
    size_t bytes = 0;
    enum status s;

    if (!(w.buffers = mem_alloc(m->buffer_count + 1, sizeof *w.buffers)) ||
        !(w.f = open_memstream(&text, &bytes))) {
        mem_free(w.buffers);
        return no_memory(&w);
    }
    s = print_model(&w);
    if (fclose(w.f) != 0 && s == STATUS_OK)
        s = no_memory(&w);
    if (s == STATUS_OK && data && data->count > 0) {
        fputs("data ", f);
        print_name(f, data->name);
        fputc('\n', f);
    }
    if (s == STATUS_OK)
        fwrite(text, 1, bytes, f);
    free(text);
    mem_free(w.buffers);
    return s;
}
