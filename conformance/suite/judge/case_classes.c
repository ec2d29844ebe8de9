#include "conformance/suite/judge/case_classes.h"

#include "conformance/util/nearest.h"
#include "reference/base/builtin.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 65535, SHOWN = 4, PARAMETERS_MAX = 64, MANY = 8 };

static const char *const activations[] = { NULL, "relu", "relu_n1_to_1", "relu6", "tanh", "sign" };
static const char *const paddings[] = { "same", "valid" };
static const char *const shapes[] = { "rank0", "rank1", "rank2", "rank3",     "rank4",
                                      "rank5", "rank6", "rank7", "rank8",     "batch",
                                      "tail",  "empty", "large", "broadcast", "unscaled" };
/* Before the index of an input, or a count. */
static const char *const numbered[] = { "const", "has",    "absent", "variable",
                                        "i64_",  "blocks", "inputs", "in" };
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- words ---- */

struct words {
    char *text;
    size_t used;
};

static void add(struct words *w, const char *format, ...) PRINTF_LIKE(2, 3);
static void add(struct words *w, const char *format, ...)
{
    char word[CASE_CLASS_BYTES + 2] = " ";
    const size_t room = CASE_CLASSES_BYTES - w->used;
    size_t length;
    va_list args;

    va_start(args, format);
    vsnprintf(word + 1, CASE_CLASS_BYTES, format, args);
    va_end(args);
    length = strlen(word);
    for (const char *at = w->text; (at = strstr(at, word + 1)) != NULL; at++)
        if ((at == w->text || at[-1] == ' ') && (at[length - 1] == ' ' || at[length - 1] == '\0'))
            return;
    if (length < room)
        w->used += (size_t)snprintf(w->text + w->used, room, "%s", w->used ? word : word + 1);
}

static const char *place(int d, int rank)
{
    return d == rank - 1 ? "last" : d == 0 ? "first" : "inner";
}

/* ---- tensors ---- */

static const struct model_tensor *input_of(const struct model *m, const struct model_operator *op,
                                           size_t i)
{
    return i < op->inputs.count && op->inputs.data[i] >= 0
               ? &m->subgraphs[0].tensors[op->inputs.data[i]]
               : NULL;
}

static const struct model_bytes *constant_of(const struct model *m, const struct model_tensor *t)
{
    const struct model_bytes *const data = &m->buffers[t->buffer].data;

    return t->buffer > 0 && data->data ? data : NULL;
}

static void add_shape(struct words *w, const struct model_tensor *t)
{
    const int rank = (int)t->shape.count;
    double elements = 1;

    for (int d = 0; d < rank; d++)
        elements *= t->shape.data[d];
    if (elements == 0)
        add(w, "empty");
    if (elements > LARGE)
        add(w, "large");
}

static bool same_shape(const struct model_tensor *a, const struct model_tensor *b)
{
    return a->shape.count == b->shape.count &&
           (a->shape.count == 0 ||
            memcmp(a->shape.data, b->shape.data, a->shape.count * sizeof *a->shape.data) == 0);
}

/* The values of a small constant of integers; 0: it is none. */
static size_t read_parameters(const struct model *m, const struct model_tensor *t,
                              int64_t values[PARAMETERS_MAX])
{
    const struct model_bytes *const data = constant_of(m, t);
    const size_t size = t->type == TENSOR_INT64 ? 8 : 4;
    const size_t count = data ? data->count / size : 0;

    if ((t->type != TENSOR_INT64 && t->type != TENSOR_INT32) || count > PARAMETERS_MAX)
        return 0;
    for (size_t i = 0; i < count; i++) {
        int32_t narrow;

        if (size == 8) {
            memcpy(&values[i], data->data + 8 * i, 8);
        } else {
            memcpy(&narrow, data->data + 4 * i, 4);
            values[i] = narrow;
        }
    }
    return count;
}

/* Axes, strides, paddings: one value for each dimension, a pair of them, or names of dimensions. */
static void add_parameters(struct words *w, const struct model *m, const struct model_tensor *t,
                           size_t input, int rank)
{
    int64_t values[PARAMETERS_MAX];
    const size_t count = read_parameters(m, t, values);
    const bool pairs = t->shape.count == 2 && t->shape.data[1] == 2 && count == 2 * (size_t)rank;
    const bool each = pairs || (count == (size_t)rank && rank > 1);

    for (size_t i = 0; i < count; i++) {
        const int64_t v = values[i];
        const int d = each ? (int)(pairs ? i / 2 : i) : (int)(v < 0 ? v + rank : v);

        if (v < 0)
            add(w, "in%zu<0", input);
        if (v > 1)
            add(w, "in%zu>1", input);
        if (each ? v != 0 && (pairs || (v != 1 && v != d)) : d >= 0 && d < rank && v <= rank)
            add(w, "in%zu.%s", input, place(d, rank));
    }
}

/* Whether the op has a list of inputs, of any length. */
static bool is_list(const struct op_facts *facts)
{
    return facts && facts->data == OP_ALL;
}

static void add_inputs(struct words *w, const struct model *m, const struct model_operator *op,
                       const struct op_facts *facts, int rank)
{
    for (size_t i = 0; i < op->inputs.count; i++) {
        const struct model_tensor *const t = input_of(m, op, i);
        const bool data =
            facts &&
            (is_list(facts) || ((int)i >= facts->first && (int)i < facts->first + facts->data));

        if (!t) {
            add(w, "absent%zu", i);
            continue;
        }
        if (i >= MANY && is_list(facts))
            continue;
        add_shape(w, t);
        if (t->is_variable)
            add(w, "variable%zu", i);
        if (t->type == TENSOR_INT64)
            add(w, "i64_%zu", i);
        if (t->quantization.details_type == 2)
            add(w, "blocks%zu", i);
        if (data && tensor_type_bits(t->type) == 8 && t->type != TENSOR_BOOL &&
            !t->quantization.scale.count)
            add(w, "unscaled");
        if (i >= MANY) /* as of LSTM, of which it counts whether they are there */
            add(w, "has%zu", i);
        else if (constant_of(m, t))
            add(w, "const%zu", i);
        if (!data && i < MANY && !t->quantization.scale.count)
            add_parameters(w, m, t, i, rank);
    }
}

/* ---- options ---- */

static void add_number(struct words *w, const char *name, int32_t v)
{
    if (v >= 0 && v <= SHOWN)
        add(w, "%s=%d", name, (int)v);
    else
        add(w, v < 0 ? "%s<0" : "%s>4", name);
}

static bool is_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] && strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static void add_integer(struct words *w, const struct option_field *f, int32_t v, int rank)
{
    static const char *const axes[] = { "axis", "seq_dim", "batch_dim" };

    if (strcmp(f->name, "fused_activation_function") == 0) {
        if (v > 0 && v < (int32_t)COUNT(activations))
            add(w, "%s", activations[v]);
    } else if (strcmp(f->name, "padding") == 0) {
        if (v >= 0 && v < (int32_t)COUNT(paddings))
            add(w, "%s", paddings[v]);
    } else if (is_of(f->name, axes, COUNT(axes))) {
        if (v < 0)
            add(w, "%s<0", f->name);
        if (rank > 0)
            add(w, "%s.%s", f->name, place(v < 0 ? v + rank : v, rank));
    } else if (strncmp(f->name, "stride_", 7) == 0 || strncmp(f->name, "dilation_", 9) == 0) {
        if (v > 1)
            add(w, "%s", f->name);
    } else if (strstr(f->name, "_mask")) {
        if (v != 0)
            add(w, "%s", f->name);
    } else if (v != (int32_t)f->fallback) {
        add_number(w, f->name, v);
    }
}

static void add_options(struct words *w, const struct options *o, int rank)
{
    const struct option_table *const table = option_table_find(o->tag);

    for (size_t i = 0; table && table->listed && i < table->field_count; i++) {
        const struct option_field *const f = &table->fields[i];
        const union option_value *const v = &o->value[i];

        switch (f->kind) {
        case OPTION_BOOL:
            if (v->i != (int32_t)f->fallback)
                add(w, "%s", f->name);
            break;
        case OPTION_I8:
        case OPTION_I32:
        case OPTION_TYPE: add_integer(w, f, v->i, rank); break;
        case OPTION_F32:
            if (v->f != 0 && v->f != 1)
                add(w, "%s", f->name);
            break;
        case OPTION_INTS:
            if (v->ints.count > 0)
                add(w, "%s", f->name);
            break;
        default: break;
        }
    }
}

void case_classes_measure(const struct model *m, int node, char text[CASE_CLASSES_BYTES])
{
    struct words w = { .text = text };
    const struct model_operator *op;
    const struct op_facts *facts;
    const struct model_tensor *x, *y;
    int rank;

    text[0] = '\0';
    if (m->subgraph_count == 0 || node < 0 || (size_t)node >= m->subgraphs[0].operator_count)
        return;
    op = &m->subgraphs[0].operators[node];
    facts = op_facts_find(model_opcode_row(&m->opcodes[op->opcode_index]));
    x = input_of(m, op, facts && facts->first > 0 ? (size_t)facts->first : 0);
    rank = x ? (int)x->shape.count : 0;
    add(&w, "rank%d", rank);
    if (rank > 1 && x->shape.data[0] > 1)
        add(&w, "batch");
    if (rank > 0 && x->shape.data[rank - 1] % 4 != 0)
        add(&w, "tail");
    y = facts && facts->data == 2 ? input_of(m, op, (size_t)facts->first + 1) : NULL;
    if (x && y && !same_shape(x, y))
        add(&w, "broadcast");
    if (is_list(facts))
        add(&w, op->inputs.count > SHOWN ? "inputs>4" : "inputs%zu", op->inputs.count);
    add_options(&w, &op->options, rank);
    add_inputs(&w, m, op, facts, rank);
    for (size_t i = 0; i < op->outputs.count; i++)
        add_shape(&w, &m->subgraphs[0].tensors[op->outputs.data[i]]);
    if (strstr(text, "empty")) /* who leaves these to the CPU has not lost what else they are */
        strcpy(text, "empty");
}

/* ---- names ---- */

/* The names of the options of an op, or of all ops: calls see for each, until it is false. */
static bool each_option(const char *op, bool see(const char *field, void *user), void *user)
{
    const struct ref_op *const known = op ? ref_find_name(op) : NULL;

    for (int tag = 1; tag < OPTIONS_TAG_COUNT; tag++) {
        const struct option_table *const table = option_table_find((uint8_t)tag);

        if (!table || !table->listed || (known && known->options_tag != tag))
            continue;
        for (size_t i = 0; i < table->field_count; i++)
            if (!see(table->fields[i].name, user))
                return false;
    }
    return true;
}

/* What stands behind the name of an option or an index: "=2", "<0", ".last". */
static bool is_ending(const char *text)
{
    char *end;

    if (*text == '\0')
        return true;
    if (*text == '.')
        return strcmp(text, ".first") == 0 || strcmp(text, ".inner") == 0 ||
               strcmp(text, ".last") == 0;
    if (!strchr("=<>", *text) || !(text[1] >= '0' && text[1] <= '9'))
        return false;
    strtol(text + 1, &end, 10);
    return *end == '\0';
}

static bool differs(const char *field, void *name)
{
    const size_t length = strlen(field);

    return strncmp(name, field, length) != 0 || !is_ending((const char *)name + length);
}

bool case_class_is_known(const char *op, const char *name)
{
    char copy[CASE_CLASS_BYTES];

    if (is_of(name, shapes, COUNT(shapes)) || is_of(name, activations, COUNT(activations)) ||
        is_of(name, paddings, COUNT(paddings)))
        return true;
    for (size_t i = 0; i < COUNT(numbered); i++) {
        const size_t length = strlen(numbered[i]);
        char *end = NULL;

        if (strncmp(name, numbered[i], length) != 0)
            continue;
        if (strcmp(name, "inputs>4") == 0)
            return true;
        if (name[length] >= '0' && name[length] <= '9' && strtol(name + length, &end, 10) < 100 &&
            (strcmp(numbered[i], "in") == 0 ? *end != '\0' && is_ending(end) : *end == '\0'))
            return true;
    }
    snprintf(copy, sizeof copy, "%s", name);
    return strlen(name) < sizeof copy && !each_option(op, differs, copy);
}

struct names {
    const char *items[512];
    size_t count;
};

static bool collect(const char *field, void *user)
{
    struct names *const n = user;

    if (n->count < COUNT(n->items))
        n->items[n->count++] = field;
    return true;
}

const char *case_class_nearest(const char *op, const char *name)
{
    struct names n = { .count = 0 };

    for (size_t i = 0; i < COUNT(shapes); i++)
        collect(shapes[i], &n);
    for (size_t i = 1; i < COUNT(activations); i++)
        collect(activations[i], &n);
    for (size_t i = 0; i < COUNT(paddings); i++)
        collect(paddings[i], &n);
    each_option(op, collect, &n);
    return nearest_name(name, n.items, n.count);
}
