#include "conformance/suite/census/census.h"

#include "reference/base/clean.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/text/words.h"

#include <stdlib.h>
#include <string.h>

enum { OPERANDS_TOLD = 4 };

void census_close(struct census *c)
{
    json_decref(c->places);
    mem_free(c->kinds);
    *c = (struct census){ .count = 0 };
}

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "census: out of memory");
}

/* A new kind; its text lies in c->places. */
static enum status add_kind(struct census *c, const char *text, struct diag *diag)
{
    const size_t room = 2 * c->room + 64;
    void *iter;

    if (c->count == c->room) {
        struct census_kind *const kinds = mem_resize(c->kinds, room, sizeof *kinds);

        if (!kinds)
            return no_memory(diag);
        c->kinds = kinds;
        c->room = room;
    }
    if (!c->places && !(c->places = json_object()))
        return no_memory(diag);
    if (json_object_set_new_nocheck(c->places, text, json_integer((json_int_t)c->count)) != 0 ||
        !(iter = json_object_iter_at(c->places, text)))
        return no_memory(diag);
    c->kinds[c->count++] = (struct census_kind){ .text = json_object_iter_key(iter) };
    return STATUS_OK;
}

size_t census_find(const struct census *c, const char *kind)
{
    const json_t *const place = json_object_get(c->places, kind);

    return place ? (size_t)json_integer_value(place) : SIZE_MAX;
}

enum status census_add(struct census *c, const struct census_kind *kind, struct diag *diag)
{
    size_t at = census_find(c, kind->text);

    if (at == SIZE_MAX) {
        at = c->count;
        TRY(add_kind(c, kind->text, diag));
    }
    c->kinds[at].nodes += kind->nodes;
    if (kind->last_model == 0)
        c->kinds[at].models =
            kind->models > c->kinds[at].models ? kind->models : c->kinds[at].models;
    else if (c->kinds[at].last_model != kind->last_model)
        c->kinds[at].models += kind->models;
    c->kinds[at].last_model = kind->last_model;
    c->nodes += kind->nodes;
    return STATUS_OK;
}

/* ---- a node in words ---- */

static const struct model_tensor *input_of(const struct model_subgraph *g,
                                           const struct model_operator *op, int i)
{
    return i >= 0 && (size_t)i < op->inputs.count && op->inputs.data[i] >= 0
               ? &g->tensors[op->inputs.data[i]]
               : NULL;
}

static const char *scales_of(const struct model_quantization *q)
{
    return q->details_type > 1 ? "/block" : q->scale.count > 1 ? "/ch" : q->scale.count ? "/q" : "";
}

static void print_operands(FILE *f, const struct model *m, const struct model_subgraph *g,
                           const struct model_operator *op)
{
    const size_t count = op->inputs.count;

    for (int i = 0; (size_t)i < count && i < OPERANDS_TOLD; i++) {
        const struct model_tensor *const t = input_of(g, op, i);
        char type[16];
        size_t bytes;

        fputs(i ? "," : "", f);
        if (!t) {
            fputc('-', f);
            continue;
        }
        words_type_text(t->type, type);
        model_tensor_data(m, t, &bytes);
        fprintf(f, "%s:%zu%s%s", type, t->shape.count,
                bytes > 0 || t->external_buffer > 0 ? "c" : "", scales_of(&t->quantization));
    }
    if (count > OPERANDS_TOLD)
        fprintf(f, ",+%zu", count - OPERANDS_TOLD);
}

/* Returns what stands before a further option. */
static const char *print_options(FILE *f, const struct options *o)
{
    const struct option_table *const table = option_table_find(o->tag);
    const char *space = "";

    for (size_t i = 0; table && i < table->field_count; i++) {
        const struct option_field *const field = &table->fields[i];

        if (field->kind >= OPTION_INTS)
            continue; /* a size, or a name */
        if (field->kind == OPTION_F32 ? o->value[i].f == (float)field->fallback
                                      : o->value[i].i == (int32_t)field->fallback)
            continue;
        fprintf(f, "%s%s=", space, field->name);
        if (field->kind == OPTION_F32)
            fprintf(f, "%g", (double)o->value[i].f);
        else
            words_print_value(f, field, o->value[i].i);
        space = " ";
    }
    return space;
}

/* From the options on: what op_facts says of inputs tells the filter, and whether one is broadcast.
 */
static void print_rest(FILE *f, const struct model_subgraph *g, const struct model_operator *op,
                       const struct model_opcode *code)
{
    const char *const space = print_options(f, &op->options);
    const struct op_facts *const facts = op_facts_find(model_opcode_row(code));
    const struct model_tensor *const w = facts ? input_of(g, op, facts->weights) : NULL;
    const struct model_tensor *a, *b;

    if (w && w->shape.count == 4)
        fprintf(f, "%sfilter=%dx%d", space, w->shape.data[1], w->shape.data[2]);
    fprintf(f, "\t%d\t", code->version);
    if (!facts || facts->data != 2)
        return;
    a = input_of(g, op, facts->first);
    b = input_of(g, op, facts->first + 1);
    if (a && b &&
        (a->shape.count != b->shape.count ||
         (a->shape.count > 0 &&
          memcmp(a->shape.data, b->shape.data, a->shape.count * sizeof *a->shape.data) != 0)))
        fputs("broadcast", f);
}

enum status census_add_node(struct census *c, const struct model *m, size_t graph, size_t node,
                            int fields, struct diag *diag)
{
    const struct model_subgraph *const g = &m->subgraphs[graph];
    const struct model_operator *const op = &g->operators[node];
    const struct model_opcode *const code = &m->opcodes[op->opcode_index];
    const bool custom = code->code == BUILTIN_CUSTOM;
    struct census_kind kind = { .nodes = 1, .models = 1, .last_model = c->models };
    char *text = NULL;
    size_t bytes;
    FILE *const f = open_memstream(&text, &bytes);
    enum status s;

    if (!f)
        return no_memory(diag);
    fputs(custom ? CENSUS_CUSTOM : "", f);
    clean_print(f, custom ? code->custom_code.text : builtin_name(code->code));
    fputc('\t', f);
    print_operands(f, m, g, op);
    fputc('\t', f);
    print_rest(f, g, op, code);
    if (fclose(f) != 0)
        s = no_memory(diag);
    else {
        text[census_prefix(text, fields)] = '\0';
        kind.text = text;
        s = census_add(c, &kind, diag);
    }
    free(text);
    return s;
}

enum status census_add_model(struct census *c, const struct model *m, int fields, struct diag *diag)
{
    c->models++;
    for (size_t g = 0; g < m->subgraph_count; g++)
        for (size_t i = 0; i < m->subgraphs[g].operator_count; i++)
            TRY(census_add_node(c, m, g, i, fields, diag));
    return STATUS_OK;
}

/* ---- texts and orders ---- */

size_t census_prefix(const char *kind, int fields)
{
    size_t n = strcspn(kind, "\t");

    while (--fields > 0 && kind[n])
        n += 1 + strcspn(kind + n + 1, "\t");
    return n;
}

const char *census_field(const char *kind, enum census_field field, size_t *length)
{
    const char *const at = kind + (field > 0 ? census_prefix(kind, (int)field) : 0);
    const char *const text = field > 0 && *at ? at + 1 : at;

    *length = strcspn(text, "\t");
    return text;
}

static int by_text(const void *a, const void *b)
{
    const struct census_kind *const x = a, *const y = b;

    return strcmp(x->text, y->text);
}

static int by_nodes(const void *a, const void *b)
{
    const struct census_kind *const x = a, *const y = b;

    return x->nodes != y->nodes ? (x->nodes < y->nodes) - (x->nodes > y->nodes) : by_text(a, b);
}

void census_sort_by_nodes(struct census *c)
{
    if (c->count > 0)
        qsort(c->kinds, c->count, sizeof *c->kinds, by_nodes);
}

void census_sort_by_text(struct census *c)
{
    if (c->count > 0)
        qsort(c->kinds, c->count, sizeof *c->kinds, by_text);
}
