#include "reference/text/follow.h"

#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/runtime/interpreter.h"

#include <stdio.h>
#include <string.h>

static void ignore_report(void *user, const char *format, va_list args)
{
    (void)user;
    (void)format;
    (void)args;
}

static const struct interpreter_options options = { .num_threads = -1,
                                                    .shapes_only = true,
                                                    .report = ignore_report };

/* The number behind a word of a message; -1: it has none. */
static long number_behind(const char *text, const char *word)
{
    const char *const at = strstr(text, word);
    long number;

    return at && sscanf(at + strlen(word), "%ld", &number) == 1 ? number : -1;
}

/* Where the part of a model stands in the text that a message of the verifier or the interpreter
 * names: "operator 3" or "node 3", else "tensor 3"; the beginning where it names none. */
static const char *place_of(const struct parse *p, size_t graph, const char *text)
{
    const struct parse_graph *const graphs = p->graphs.items;
    const struct parse_graph end = { p->tensors.count, p->ops.count, false };
    const long named = number_behind(text, "(subgraph ");
    const struct parse_graph *g, *next;
    long op, tensor;

    if (named >= 0 && (size_t)named < p->graphs.count)
        graph = (size_t)named;
    g = &graphs[graph];
    next = graph + 1 < p->graphs.count ? g + 1 : &end;
    if ((op = number_behind(text, "node ")) < 0)
        op = number_behind(text, "operator ");
    tensor = number_behind(text, "tensor ");
    if (op >= 0 && (size_t)op < next->first_op - g->first_op)
        return p->t.start + ((const size_t *)p->ops.items)[g->first_op + (size_t)op];
    if (tensor >= 0 && (size_t)tensor < next->first_tensor - g->first_tensor)
        return p->t.start +
               ((const struct parse_tensor *)p->tensors.items)[g->first_tensor + (size_t)tensor].at;
    return p->t.start;
}

static enum status fail_at_place(const struct parse *p, size_t graph, enum status s,
                                 const struct diag *why)
{
    return scan_fail(&p->t, place_of(p, graph, why->text), s, "%s", why->text);
}

static enum status take_shape(const struct parse *p, struct model *m, size_t graph, size_t tensor,
                              struct interpreter *in)
{
    const struct parse_graph *const place = (const struct parse_graph *)p->graphs.items + graph;
    const struct parse_tensor *const row =
        (const struct parse_tensor *)p->tensors.items + place->first_tensor + tensor;
    const struct model_subgraph *const g = &m->subgraphs[0]; /* it has taken that place */
    struct model_tensor *const t = (struct model_tensor *)g->tensors + tensor;
    const TfLiteTensor *const prepared = interpreter_tensor(in, (int)tensor);
    int32_t *dims;

    if (!interpreter_has_op(&m->opcodes[g->operators[row->op].opcode_index]))
        return scan_fail(&p->t, p->t.start + row->at, STATUS_UNSUPPORTED,
                         "expected a type and dims, as the shape that this op gives is not known");
    if (prepared->allocation_type == kTfLiteDynamic)
        return scan_fail(&p->t, p->t.start + row->at, STATUS_UNSUPPORTED,
                         "expected a type and dims, as the shape depends on values");
    dims = ARENA_NEW(&m->arena, (size_t)prepared->dims->size, int32_t);
    if (!dims)
        return diag_fail(p->t.diag, STATUS_NO_MEMORY, "out of memory");
    for (int i = 0; i < prepared->dims->size; i++)
        dims[i] = prepared->dims->data[i];
    t->shape = (struct model_ints){ dims, (size_t)prepared->dims->size };
    return STATUS_OK;
}

static enum status follow_graph(const struct parse *p, struct model *m, size_t graph)
{
    const struct parse_graph *const place = (const struct parse_graph *)p->graphs.items + graph;
    struct diag why = { .status = STATUS_OK };
    struct interpreter *in = NULL;
    enum status s = interpreter_open(&in, m, &options, &why);

    if (s == STATUS_OK)
        s = interpreter_allocate(in, &why);
    if (s != STATUS_OK)
        s = fail_at_place(p, graph, s, &why);
    for (size_t t = 0; s == STATUS_OK && t < m->subgraphs[0].tensor_count; t++)
        if (((const struct parse_tensor *)p->tensors.items)[place->first_tensor + t].follows)
            s = take_shape(p, m, graph, t, in);
    interpreter_close(in);
    return s;
}

/* The interpreter prepares subgraph 0: each takes its place in turn. */
static void swap_first(struct model *m, size_t graph)
{
    struct model_subgraph *const graphs = (struct model_subgraph *)m->subgraphs;
    const struct model_subgraph first = graphs[0];

    graphs[0] = graphs[graph];
    graphs[graph] = first;
}

/* The runtime is only given what the verifier passed. */
static enum status verify(const struct parse *p, const struct model *m)
{
    struct diag why = { .status = STATUS_OK };
    struct tflite_file file;
    enum status s;

    TRY(tflite_write(m, &file, p->t.diag));
    s = tflite_verify(file.bytes, file.count, &why);
    mem_free(file.bytes);
    return s == STATUS_OK ? s : fail_at_place(p, 0, s, &why);
}

enum status follow_shapes(const struct parse *p, struct model *m)
{
    const struct parse_graph *const graphs = p->graphs.items;
    enum status s = STATUS_OK;
    bool verified = false;

    for (size_t g = p->graphs.count; g-- > 0 && s == STATUS_OK;) {
        if (!graphs[g].follows)
            continue;
        if (!verified)
            TRY(verify(p, m));
        verified = true;
        swap_first(m, g);
        s = follow_graph(p, m, g);
        swap_first(m, g);
    }
    return s;
}

enum status follow_check(const struct parse *p, const struct model *m)
{
    struct diag why = { .status = STATUS_OK };
    struct interpreter *in = NULL;
    enum status s;

    TRY(verify(p, m));
    s = interpreter_open(&in, m, &options, &why);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, &why);
    interpreter_close(in);
    return s == STATUS_OK ? s : fail_at_place(p, 0, s, &why);
}
