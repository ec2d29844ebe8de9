/* Reads the model, changes copies of its tables, writes it. */
#include "conformance/suite/io/model_use.h"

#include "conformance/suite/io/array.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/util/json_text.h"
#include "conformance/util/model_cut.h"
#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/clean.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/kernels/op.h"
#include "reference/runtime/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_BYTES = 512 };

static bool same_text(const struct model_string *a, const char *b, size_t count)
{
    return a->text && a->count == count && memcmp(a->text, b, count) == 0;
}

static void add_name(char *names, const struct model_string *name)
{
    const size_t used = strlen(names);

    snprintf(names + used, NAMES_BYTES - used, "%s%s", used ? ", " : "",
             name->text ? name->text : "");
}

/* ---- signatures ---- */

static enum status find_signature(const struct model *m, const char *key, size_t *index,
                                  struct diag *diag)
{
    char names[NAMES_BYTES] = "";

    for (size_t i = 0; i < m->signature_count; i++) {
        *index = i;
        if (same_text(&m->signatures[i].key, key, strlen(key)))
            return m->signatures[i].subgraph_index < m->subgraph_count
                       ? STATUS_OK
                       : diag_fail(diag, STATUS_INVALID, "signature %s: no such subgraph: %" PRIu32,
                                   key, m->signatures[i].subgraph_index);
        add_name(names, &m->signatures[i].key);
    }
    return diag_fail(diag, STATUS_USAGE, "--signature=%s: the model has %s%s", key,
                     names[0] ? "the signatures " : "no signatures", names);
}

/* The number of a subgraph when the chosen one and the first have changed places. */
static int32_t moved(int32_t index, size_t chosen)
{
    return index == 0 ? (int32_t)chosen : index == (int32_t)chosen ? 0 : index;
}

static enum status move_calls(struct model *m, struct model_subgraph *g, size_t chosen,
                              struct diag *diag)
{
    struct model_operator *const ops =
        arena_copy(&m->arena, g->operators, g->operator_count, sizeof *ops);

    if (!ops)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu nodes: out of memory", g->operator_count);
    for (size_t n = 0; n < g->operator_count; n++) {
        const struct option_table *const table = option_table_find(ops[n].options.tag);

        for (size_t i = 0; table && i < table->field_count; i++) {
            if (strstr(table->fields[i].name, "subgraph_index"))
                ops[n].options.value[i].i = moved(ops[n].options.value[i].i, chosen);
        }
    }
    g->operators = ops;
    return STATUS_OK;
}

/* A runtime that is asked for no signature takes the first one, so that changes its place, too. */
static enum status put_first(struct model *m, struct model_subgraph *graphs, const char *key,
                             struct diag *diag)
{
    struct model_signature *const signatures =
        arena_copy(&m->arena, m->signatures, m->signature_count, sizeof *signatures);
    struct model_signature first;
    struct model_subgraph graph;
    size_t at = 0, chosen;

    TRY(find_signature(m, key, &at, diag));
    if (!signatures)
        return diag_fail(diag, STATUS_NO_MEMORY, "signatures: out of memory");
    chosen = m->signatures[at].subgraph_index;
    first = signatures[0];
    signatures[0] = signatures[at];
    signatures[at] = first;
    m->signatures = signatures;
    if (chosen == 0)
        return STATUS_OK;
    graph = graphs[0];
    graphs[0] = graphs[chosen];
    graphs[chosen] = graph;
    for (size_t i = 0; i < m->signature_count; i++)
        signatures[i].subgraph_index =
            (uint32_t)moved((int32_t)signatures[i].subgraph_index, chosen);
    for (size_t i = 0; i < m->subgraph_count; i++)
        TRY(move_calls(m, &graphs[i], chosen, diag));
    return STATUS_OK;
}

/* ---- shapes ---- */

/* An input by the name of its tensor, or the one that the signature of the first subgraph has. */
static enum status find_input(const struct model *m, const struct model_subgraph *g,
                              const char *name, size_t count, const char *text, size_t *tensor,
                              struct diag *diag)
{
    const struct model_signature *s = m->signature_count > 0 ? &m->signatures[0] : NULL;
    char names[NAMES_BYTES] = "";

    for (size_t i = 0; s && s->subgraph_index == 0 && i < s->input_count; i++) {
        *tensor = s->inputs[i].tensor_index;
        if (*tensor < g->tensor_count && same_text(&s->inputs[i].name, name, count))
            return STATUS_OK;
    }
    for (size_t i = 0; i < g->inputs.count; i++) {
        *tensor = (size_t)g->inputs.data[i];
        if (same_text(&g->tensors[*tensor].name, name, count))
            return STATUS_OK;
        add_name(names, &g->tensors[*tensor].name);
    }
    return diag_fail(diag, STATUS_USAGE, "--input-shape=%s: the model has the inputs %s", text,
                     names);
}

static enum status read_dims(struct arena *arena, const char *text, const char *dims,
                             struct model_ints *shape, struct diag *diag)
{
    int32_t *const list = ARENA_NEW(arena, REF_MAX_RANK, int32_t);
    uint64_t elements;

    if (!list)
        return diag_fail(diag, STATUS_NO_MEMORY, "--input-shape: out of memory");
    *shape = (struct model_ints){ list, 0 };
    for (;; dims++) {
        char *end;
        long long value;

        errno = 0;
        value = strtoll(dims, &end, 10);
        if (end == dims || errno != 0 || value < 1 || value > INT32_MAX || (*end && *end != ',') ||
            shape->count == REF_MAX_RANK)
            return diag_fail(diag, STATUS_USAGE,
                             "--input-shape=%s: expected NAME:DIMS with up to %d sizes from 1 on, "
                             "as in image:1,224,224,3",
                             text, REF_MAX_RANK);
        list[shape->count++] = (int32_t)value;
        dims = end;
        if (!*dims)
            break;
    }
    if (!checked_elements_u64(list, shape->count, &elements))
        elements = UINT64_MAX;
    if (elements > limit_of(LIMIT_TENSOR_ELEMENTS))
        return limit_fail(diag, LIMIT_TENSOR_ELEMENTS, "--input-shape=%s: %" PRIu64 " elements",
                          text, elements);
    return STATUS_OK;
}

/* A host may change sizes that the signature fixes, too. */
static bool fits_signature(const struct model_tensor *t)
{
    for (size_t d = 0; d < t->shape_signature.count; d++) {
        if (t->shape_signature.count != t->shape.count ||
            (t->shape_signature.data[d] >= 0 && t->shape_signature.data[d] != t->shape.data[d]))
            return false;
    }
    return true;
}

static enum status give_shape(struct model *m, const struct model_subgraph *g,
                              struct model_tensor *tensors, const char *text, struct diag *diag)
{
    const char *const colon = strrchr(text, ':'); /* names may have colons */
    struct model_ints shape;
    size_t tensor = 0, bytes;

    if (!colon || colon == text)
        return diag_fail(diag, STATUS_USAGE,
                         "--input-shape=%s: expected NAME:DIMS, as in image:1,224,224,3", text);
    TRY(find_input(m, g, text, (size_t)(colon - text), text, &tensor, diag));
    TRY(read_dims(&m->arena, text, colon + 1, &shape, diag));
    if (model_tensor_data(m, &tensors[tensor], &bytes))
        return diag_fail(diag, STATUS_USAGE, "--input-shape=%s: the input is constant", text);
    tensors[tensor].shape = shape;
    if (!fits_signature(&tensors[tensor]))
        tensors[tensor].shape_signature = (struct model_ints){ NULL, 0 };
    return STATUS_OK;
}

/* ---- writing ---- */

static enum status change(struct model *m, const struct model_use *u, struct tflite_file *file,
                          struct diag *diag)
{
    struct model_subgraph *const graphs =
        arena_copy(&m->arena, m->subgraphs, m->subgraph_count, sizeof *graphs);
    struct model_tensor *tensors;

    if (m->subgraph_count == 0)
        return diag_fail(diag, STATUS_INVALID, "the model has no subgraph");
    if (!graphs)
        return diag_fail(diag, STATUS_NO_MEMORY, "subgraphs: out of memory");
    m->subgraphs = graphs;
    if (u->signature)
        TRY(put_first(m, graphs, u->signature, diag));
    tensors = arena_copy(&m->arena, graphs[0].tensors, graphs[0].tensor_count, sizeof *tensors);
    if (!tensors)
        return diag_fail(diag, STATUS_NO_MEMORY, "tensors: out of memory");
    for (size_t i = 0; i < u->shapes.count; i++)
        TRY(give_shape(m, &graphs[0], tensors, u->shapes.items[i], diag));
    graphs[0].tensors = tensors;
    return tflite_write(m, file, diag);
}

enum status model_use_choose(struct model_use *u, const char *path, struct diag *diag)
{
    struct tflite_file file = { NULL, 0 };
    struct model m = { .version = 0 };
    struct file_model whole;
    enum status s;

    if (!u->signature && u->shapes.count == 0)
        return STATUS_OK;
    TRY(model_file_read(path, &whole, diag));
    /* Another subject may know composites; shapes are followed through their decompositions. */
    s = u->shapes.count > 0
            ? tflite_read(&m, whole.bytes, whole.count, diag)
            : tflite_read_accepting(&m, whole.bytes, whole.count, ACCEPT_SUPPORTED, diag);
    if (s == STATUS_OK)
        s = change(&m, u, &file, diag);
    model_close(&m);
    file_model_close(&whole);
    if (s == STATUS_OK)
        s = model_file_replace(path, &file, diag);
    return diag_prefix(diag, s, "%s", path);
}

/* ---- nodes that nobody knows ---- */

static enum status note_left(struct model_use *u, struct interpreter *in, bool *known,
                             struct diag *diag)
{
    const size_t count = interpreter_node_count(in);

    u->nodes = count;
    if (!(u->left = mem_alloc(count, sizeof *u->left)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu nodes: out of memory", count);
    for (size_t n = 0; n < count; n++) {
        const char *const why = interpreter_node_reason(in, (int)n);
        struct model_use_left *const left = &u->left[u->left_count];

        known[n] = !why;
        if (!why)
            continue;
        u->left_count++;
        left->node = (int)n;
        left->version = interpreter_node_version(in, (int)n);
        snprintf(left->op, sizeof left->op, "%s", interpreter_node_name(in, (int)n));
        snprintf(left->why, sizeof left->why, "%s", why);
    }
    return STATUS_OK;
}

static enum status cut(struct model_use *u, const char *path, bool *known, struct diag *diag)
{
    static const struct interpreter_stand_in nobody = { .user = NULL };
    const struct interpreter_options options = {
        .num_threads = -1, .shapes_only = true, .stand_in = &nobody, .report = report_nothing
    };
    const struct model_cut_request request = { .model = &u->whole, .nodes = known, .exact = true };
    struct tflite_file file = { NULL, 0 };
    struct model_cut part;
    struct interpreter *in;
    enum status s;

    TRY(interpreter_open(&in, &u->whole, &options, diag));
    s = note_left(u, in, known, diag);
    interpreter_close(in);
    TRY(s);
    if (u->left_count == 0 || u->left_count == u->nodes)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no node is left");
    TRY(model_cut_make(&request, &part, diag));
    s = tflite_write(&part.model, &file, diag);
    model_cut_close(&part);
    return s == STATUS_OK ? model_file_replace(path, &file, diag) : s;
}

bool model_use_cut(struct model_use *u, const char *path, enum status s, struct diag *diag)
{
    struct diag ignored = { .status = STATUS_OK };
    bool *known = NULL, ok;

    if (s != STATUS_UNSUPPORTED || u->file.bytes || u->host)
        return false;
    ok = model_file_read(path, &u->file, &ignored) == STATUS_OK &&
         tflite_read(&u->whole, u->file.bytes, u->file.count, &ignored) == STATUS_OK &&
         u->whole.subgraph_count > 0 &&
         (known = mem_alloc(u->whole.subgraphs[0].operator_count, sizeof *known)) != NULL &&
         cut(u, path, known, &ignored) == STATUS_OK;
    mem_free(known);
    if (ok)
        diag_clear(diag);
    else
        u->left_count = 0;
    return ok;
}

void model_use_close(struct model_use *u)
{
    model_close(&u->whole);
    file_model_close(&u->file);
    mem_free(u->left);
    model_file_restore();
    *u = (struct model_use){ .left_count = 0 };
}

/* ---- what is said of it ---- */

/* The signature of the first subgraph; NULL: it has none. */
static const struct model_signature *signature_of(const struct model *m)
{
    for (size_t i = 0; i < m->signature_count; i++) {
        if (m->signatures[i].subgraph_index == 0)
            return &m->signatures[i];
    }
    return NULL;
}

struct open_input {
    const struct model_tensor *tensor;
    const int32_t *dims;
    size_t rank;
};

/* The i-th input of the first subgraph, where the file leaves sizes of it open. */
static bool open_input(const struct model *m, struct interpreter *in, size_t i,
                       struct open_input *out)
{
    const struct model_subgraph *const g = &m->subgraphs[0];
    const TfLiteTensor *const t = in ? interpreter_tensor(in, g->inputs.data[i]) : NULL;

    out->tensor = &g->tensors[g->inputs.data[i]];
    out->dims = t ? t->dims->data : out->tensor->shape.data;
    out->rank = t ? (size_t)t->dims->size : out->tensor->shape.count;
    for (size_t d = 0; d < out->tensor->shape_signature.count; d++) {
        if (out->tensor->shape_signature.data[d] < 0)
            return true;
    }
    return false;
}

enum status model_use_explain(const struct model *m, size_t i, enum status s, struct diag *diag)
{
    char text[sizeof diag->text];
    struct open_input o;

    if (s != STATUS_INVALID || !open_input(m, NULL, i, &o))
        return s;
    snprintf(text, sizeof text, "%s", diag->text);
    diag_clear(diag);
    return diag_fail(diag, s, "%.700s; --input-shape=%.200s:DIMS gives the input another shape",
                     text, o.tensor->name.text ? o.tensor->name.text : "");
}

static void print_signature(FILE *f, const struct model *m, int column)
{
    const struct model_signature *const s = signature_of(m);
    char names[NAMES_BYTES] = "";

    if (m->signature_count + m->subgraph_count <= 2 && m->subgraph_count <= 1)
        return;
    for (size_t i = 0; i < m->signature_count; i++)
        add_name(names, &m->signatures[i].key);
    if (m->signature_count > 1) {
        fprintf(f, "%-*s", column, "signature");
        clean_print(f, s && s->key.text ? s->key.text : "none");
        fprintf(f, ", of ");
        clean_print(f, names);
        fprintf(f, " (--signature=KEY)\n");
    } else {
        fprintf(f, "%-*sthe first of %zu", column, "subgraph", m->subgraph_count);
        if (s && s->key.text) {
            fprintf(f, ", that of the signature ");
            clean_print(f, s->key.text);
        }
        fputc('\n', f);
    }
}

static void print_sizes(FILE *f, const struct model *m, struct interpreter *in, int column)
{
    for (size_t i = 0; i < m->subgraphs[0].inputs.count; i++) {
        char file[128], here[128];
        struct open_input o;

        if (!open_input(m, in, i, &o))
            continue;
        array_shape_text(file, sizeof file, o.tensor->shape_signature.count,
                         o.tensor->shape_signature.data);
        array_shape_text(here, sizeof here, o.rank, o.dims);
        fprintf(f, "%-*sinput ", column, "sizes");
        clean_print(f, o.tensor->name.text);
        fprintf(f, " is %s in the file, and %s here; --input-shape=", file, here);
        clean_print(f, o.tensor->name.text);
        fprintf(f, ":DIMS gives others\n");
    }
}

void model_use_print(FILE *f, const struct model_use *u, const struct model *m,
                     struct interpreter *in, int column)
{
    const bool was_cut = u && u->left_count > 0;

    if (was_cut)
        m = &u->whole;
    if (m->subgraph_count == 0)
        return;
    print_signature(f, m, column);
    print_sizes(f, m, was_cut ? NULL : in, column);
    for (size_t i = 0; was_cut && i < u->left_count; i++) {
        fprintf(f, "%-*s", column, "not run");
        clean_print(f, u->left[i].why);
        fprintf(f, "\n");
    }
    for (size_t n = 0; u && u->host && in && n < interpreter_node_count(in); n++) {
        const char *const why = interpreter_node_reason(in, (int)n);

        if (!why)
            continue;
        fprintf(f, "%-*s", column, "host");
        clean_print(f, u->host);
        fprintf(f, " runs ");
        clean_print(f, why);
        fputc('\n', f);
    }
    if (was_cut)
        fprintf(
            f,
            "%-*s%zu of %zu nodes are run, as a model of their own; what they read of the others "
            "is an input\n",
            column, "", u->nodes - u->left_count, u->nodes);
}

static json_t *node_json(int index, const char *op, int32_t version, const char *why)
{
    json_t *const item = json_object();

    json_object_set_new(item, "index", json_integer(index));
    json_object_set_new(item, "op", json_text(op));
    json_object_set_new(item, "version", json_integer(version));
    json_object_set_new(item, "reason", json_text(why));
    return item;
}

void model_use_json(json_t *o, const struct model_use *u, const struct model *m,
                    struct interpreter *in)
{
    json_t *const keys = json_array(), *const sizes = json_array(), *const left = json_array(),
                  *const hosted = json_array();
    const bool was_cut = u && u->left_count > 0;
    const struct model_signature *s;

    if (was_cut)
        m = &u->whole;
    s = signature_of(m);
    for (size_t i = 0; i < m->signature_count; i++)
        json_array_append_new(keys, json_text(m->signatures[i].key.text));
    for (size_t i = 0; m->subgraph_count > 0 && i < m->subgraphs[0].inputs.count; i++) {
        struct open_input input;
        json_t *item;

        if (!open_input(m, was_cut ? NULL : in, i, &input))
            continue;
        item = json_object();
        json_object_set_new(item, "name", json_text(input.tensor->name.text));
        json_object_set_new(
            item, "shape_signature",
            json_ints(input.tensor->shape_signature.data, input.tensor->shape_signature.count));
        json_object_set_new(item, "shape", json_ints(input.dims, input.rank));
        json_array_append_new(sizes, item);
    }
    for (size_t i = 0; was_cut && i < u->left_count; i++)
        json_array_append_new(
            left, node_json(u->left[i].node, u->left[i].op, u->left[i].version, u->left[i].why));
    for (int n = 0; u && u->host && in && n < (int)interpreter_node_count(in); n++) {
        if (interpreter_node_reason(in, n))
            json_array_append_new(hosted, node_json(n, interpreter_node_name(in, n),
                                                    interpreter_node_version(in, n),
                                                    interpreter_node_reason(in, n)));
    }
    json_object_set_new(o, "host", json_text(u ? u->host : NULL));
    json_object_set_new(o, "nodes_of_host", hosted);
    json_object_set_new(o, "signature", json_text(s ? s->key.text : NULL));
    json_object_set_new(o, "signatures", keys);
    json_object_set_new(o, "open_sizes", sizes);
    json_object_set_new(o, "nodes_not_run", left);
}

int model_use_node(const struct model_use *u, int node)
{
    for (size_t i = 0; u && i < u->left_count && u->left[i].node <= node; i++)
        node++;
    return node;
}

void model_use_missing(const struct model_use *u, char *text, size_t bytes)
{
    text[0] = '\0';
    if (u && u->left_count > 0)
        snprintf(text, bytes, "%zu of %zu nodes %s not run: node %d, %s%s", u->left_count, u->nodes,
                 u->left_count == 1 ? "was" : "were", u->left[0].node, u->left[0].op,
                 u->left_count == 1 ? "" : ", and others");
}
