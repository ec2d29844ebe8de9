#include "conformance/suite/io/random_ids.h"

#include "conformance/suite/io/tensor_value.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ALL = -1 };

/* Ops whose outputs are values of inputs: of one of them, or of ALL. */
static const struct {
    int32_t code;
    int input;
} moves[] = {
    { BUILTIN_CAST, 0 },          { BUILTIN_RESHAPE, 0 },
    { BUILTIN_SQUEEZE, 0 },       { BUILTIN_EXPAND_DIMS, 0 },
    { BUILTIN_TRANSPOSE, 0 },     { BUILTIN_SLICE, 0 },
    { BUILTIN_STRIDED_SLICE, 0 }, { BUILTIN_SPLIT, 1 },
    { BUILTIN_SPLIT_V, 0 },       { BUILTIN_UNPACK, 0 },
    { BUILTIN_TILE, 0 },          { BUILTIN_BROADCAST_TO, 0 },
    { BUILTIN_PAD, 0 },           { BUILTIN_REVERSE_V2, 0 },
    { BUILTIN_GATHER, 0 },        { BUILTIN_GATHER_ND, 0 },
    { BUILTIN_REDUCE_MAX, 0 },    { BUILTIN_REDUCE_MIN, 0 },
    { BUILTIN_PACK, ALL },        { BUILTIN_CONCATENATION, ALL },
};

/* Ops that select rows of a table by ids: the sizes from dimension 0 on of input `table`, one for
 * each column of the ids (tuples), or that of one dimension. */
static const struct {
    int32_t code;
    int ids, table;
    bool tuples;
} selects[] = {
    { BUILTIN_GATHER, 1, 0, false },
    { BUILTIN_GATHER_ND, 1, 0, true },
    { BUILTIN_EMBEDDING_LOOKUP, 0, 1, false },
    { BUILTIN_SCATTER_ND, 0, 2, true }, /* its table is the result, whose shape is a constant */
};

struct walk {
    struct interpreter *in;
    const struct model *m;
    const struct model_subgraph *g;
    bool *carries; /* of each tensor: its values are those of the input */
    int64_t limit; /* 0: none yet */
};

static bool carries(const struct walk *w, const struct model_operator *op, int input)
{
    return input >= 0 && (size_t)input < op->inputs.count && op->inputs.data[input] >= 0 &&
           w->carries[op->inputs.data[input]];
}

static void follow(struct walk *w, const struct model_operator *op, int32_t code)
{
    bool moved = false;

    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        for (int k = 0; moves[i].code == code && k < (int)op->inputs.count; k++)
            moved = moved || ((moves[i].input == ALL || moves[i].input == k) && carries(w, op, k));
    }
    for (size_t o = 0; moved && o < op->outputs.count; o++)
        w->carries[op->outputs.data[o]] = true;
}

static void restrict_to(struct walk *w, int64_t size)
{
    if (size > 0 && (w->limit == 0 || size < w->limit))
        w->limit = size;
}

/* The shape of the table, of a SCATTER_ND that of its result. */
static const TfLiteIntArray *table_dims(const struct walk *w, const struct model_operator *op,
                                        int table)
{
    const int32_t t = table == 2 ? op->outputs.data[0] : op->inputs.data[table];

    return t < 0 ? NULL : interpreter_tensor(w->in, t)->dims;
}

static void select_rows(struct walk *w, const struct model_operator *op, int32_t code)
{
    for (size_t i = 0; i < sizeof selects / sizeof *selects; i++) {
        const int table = selects[i].table, ids = selects[i].ids;
        const TfLiteIntArray *dims, *id_dims;
        int first = 0, count = 1;

        if (selects[i].code != code || !carries(w, op, ids) || op->outputs.count == 0 ||
            (size_t)table >= op->inputs.count || !(dims = table_dims(w, op, table)))
            continue;
        id_dims = interpreter_tensor(w->in, op->inputs.data[ids])->dims;
        if (selects[i].tuples)
            count = id_dims->size > 0 ? id_dims->data[id_dims->size - 1] : 0;
        else if (op->options.tag == OPTIONS_GatherOptions)
            first = options_int(&op->options, "axis");
        first += first < 0 ? dims->size : 0;
        for (int d = first; first >= 0 && d < first + count && d < dims->size; d++)
            restrict_to(w, dims->data[d]);
    }
}

int64_t random_ids_limit(struct interpreter *in, int tensor)
{
    struct walk w = { .in = in, .m = interpreter_model(in), .limit = 0 };
    const char *name;

    w.g = &w.m->subgraphs[0];
    if (tensor < 0 || (size_t)tensor >= w.g->tensor_count ||
        !(w.carries = mem_alloc(w.g->tensor_count, sizeof *w.carries)))
        return 0;
    w.carries[tensor] = true;
    for (size_t n = 0; n < w.g->operator_count; n++) { /* each behind those that it reads */
        const struct model_operator *const op = &w.g->operators[n];
        const int32_t code = w.m->opcodes[op->opcode_index].code;

        select_rows(&w, op, code);
        follow(&w, op, code);
    }
    mem_free(w.carries);
    name = interpreter_tensor(in, tensor)->name;
    return w.limit == 0 && name && strstr(name, "mask") ? 2 : w.limit;
}

static bool is_integer(const TfLiteTensor *t)
{
    return t->type == kTfLiteInt8 || t->type == kTfLiteUInt8 || t->type == kTfLiteInt16 ||
           t->type == kTfLiteInt32 || t->type == kTfLiteInt64;
}

enum status random_fill(struct interpreter *in, int tensor, uint64_t seed, size_t index,
                        struct diag *diag)
{
    TfLiteTensor *const t = interpreter_tensor(in, tensor);
    const int64_t limit = is_integer(t) ? random_ids_limit(in, tensor) : 0;

    return limit > 0 ? tensor_fill_below(t, limit, seed, index, diag)
                     : tensor_fill(t, seed, index, diag);
}

enum status random_explain(struct interpreter *in, size_t first, const char *remedy, enum status s,
                           struct diag *diag)
{
    char text[sizeof diag->text], names[256] = "";
    size_t count, used = 0;
    const int *const inputs = interpreter_inputs(in, &count);

    if (s == STATUS_OK || !diag)
        return s;
    for (size_t i = first; i < count && used < sizeof names; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);

        if (is_integer(t) && !tensor_has_scale(t))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     t->name ? t->name : "");
    }
    if (!names[0])
        return s;
    snprintf(text, sizeof text, "%s", diag->text);
    diag_clear(diag);
    return diag_fail(diag, s, "%.600s; random integers of %s may not be what the model takes: %s",
                     text, names, remedy);
}
