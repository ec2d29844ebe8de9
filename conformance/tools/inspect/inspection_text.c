/* An inspection as text: tensors, ops by version, nodes. */
#include "conformance/tools/inspect/inspection.h"

#include "conformance/suite/io/array.h"
#include "conformance/suite/io/model_file.h"
#include "reference/base/builtin.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"

#include <inttypes.h>

enum { NAME_BYTES = 64, SHAPE_BYTES = 96 };

static const struct model_subgraph *graph(const struct inspection *n)
{
    return &n->session.model.subgraphs[0];
}

static void print_quantization(FILE *f, const struct model_quantization *q)
{
    if (q->scale.count == 0)
        return;
    if (q->scale.count == 1)
        fprintf(f, "scale %g", (double)q->scale.data[0]);
    else
        fprintf(f, "%zu scales along dimension %" PRId32, q->scale.count, q->quantized_dimension);
    if (q->zero_point.count == 1)
        fprintf(f, " zero point %" PRId64, q->zero_point.data[0]);
    fprintf(f, "  ");
}

static void print_tensors(FILE *f, const struct inspection *n)
{
    fprintf(f, "\nTensors: %zu\n", graph(n)->tensor_count);
    for (size_t i = 0; i < graph(n)->tensor_count; i++) {
        const struct model_tensor *const t = &graph(n)->tensors[i];
        const char *const type = tensor_type_name(t->type);
        char shape[SHAPE_BYTES];

        array_shape_text(shape, sizeof shape, t->shape.count, t->shape.data);
        fprintf(f, "%6zu  %-10s %-10s %-20s %10zu B  ", i, inspection_kind(n, i), type ? type : "?",
                shape, inspection_bytes(n, i));
        for (size_t d = 0; d < t->shape_signature.count; d++) {
            if (t->shape_signature.data[d] >= 0)
                continue;
            array_shape_text(shape, sizeof shape, t->shape_signature.count,
                             t->shape_signature.data);
            fprintf(f, "of %s  ", shape);
            break;
        }
        print_quantization(f, &t->quantization); /* before the name, which may be long */
        inspection_print_name(f, t->name.text);
        fputc('\n', f);
    }
}

struct tally {
    size_t count, decided, taken, first; /* first node */
};

static void print_tally(FILE *f, const struct inspection *n, const struct tally *t)
{
    char name[NAME_BYTES];

    inspection_op(n, t->first, name, sizeof name);
    fprintf(f, "  ");
    inspection_print_name(f, name);
    fprintf(f, " version %" PRId32 ": %zu", inspection_version(n, t->first), t->count);
    if (t->decided > 0)
        fprintf(f, ", taken %zu", t->taken);
    if (!n->notes[t->first].known)
        fprintf(f, "; the reference does not have this op");
    fputc('\n', f);
}

/* Counts by operator code; converters write one for each op and version. */
static bool print_ops(FILE *f, const struct inspection *n)
{
    const size_t codes = n->session.model.opcode_count;
    struct tally *const tallies = mem_alloc(codes, sizeof *tallies);

    fprintf(f, "\nOps\n");
    if (!tallies)
        return false;
    for (size_t i = 0; i < n->count; i++) {
        struct tally *const t = &tallies[graph(n)->operators[i].opcode_index];

        if (t->count++ == 0)
            t->first = i;
        t->decided += n->notes[i].state != NODE_UNDECIDED;
        t->taken += n->notes[i].state == NODE_TAKEN;
    }
    for (size_t i = 0; i < codes; i++) {
        if (tallies[i].count)
            print_tally(f, n, &tallies[i]);
    }
    mem_free(tallies);
    return true;
}

static void print_indices(FILE *f, const struct model_ints *list)
{
    fputc('(', f);
    for (size_t i = 0; i < list->count; i++)
        fprintf(f, "%s%" PRId32, i ? " " : "", list->data[i]);
    fputc(')', f);
}

static void print_options(FILE *f, const struct options *o)
{
    const struct option_table *const table = option_table_find(o->tag);
    char value[SHAPE_BYTES];

    for (size_t i = 0; table && i < table->field_count; i++) {
        inspection_option(o, i, value, sizeof value);
        fprintf(f, "%s%s=", i ? " " : "          ", table->fields[i].name);
        inspection_print_name(f, value);
    }
    if (table && table->field_count > 0)
        fputc('\n', f);
}

static void print_refusal(FILE *f, const struct assay_gpu_refusal *r)
{
    fprintf(f, "          refused: %s: ", r->rule ? r->rule : "?");
    if (r->tensor >= 0) {
        fprintf(f, "tensor %d ", r->tensor);
        inspection_print_name(f, r->tensor_name);
        fprintf(f, ": ");
    }
    inspection_print_name(f, r->field);
    fprintf(f, " is ");
    inspection_print_name(f, r->value);
    if (r->limit && r->limit[0]) {
        fprintf(f, ", expected ");
        inspection_print_name(f, r->limit);
    }
    fputc('\n', f);
    if (r->hint && r->hint[0]) {
        fprintf(f, "          hint: ");
        inspection_print_name(f, r->hint);
        fputc('\n', f);
    }
}

static void print_nodes(FILE *f, const struct inspection *n)
{
    fprintf(f, "\nNodes: %zu\n", n->count);
    for (size_t i = 0; i < n->count; i++) {
        const struct model_operator *const op = &graph(n)->operators[i];
        const struct node_note *const note = &n->notes[i];
        char name[NAME_BYTES];

        inspection_op(n, i, name, sizeof name);
        fprintf(f, "%6zu  ", i);
        inspection_print_name(f, name);
        fprintf(f, " v%" PRId32 " ", inspection_version(n, i));
        print_indices(f, &op->inputs);
        fprintf(f, " -> ");
        print_indices(f, &op->outputs);
        if (note->state == NODE_TAKEN)
            fprintf(f, "  taken, partition %d", note->partition);
        else if (!note->known) {
            fprintf(f, "  not run by the reference: unknown op ");
            clean_print(f, name);
            fprintf(f, " version %" PRId32, inspection_version(n, i));
        } else if (note->reason)
            fprintf(f, "  not prepared by the reference, and not offered to the delegate");
        else if (note->state == NODE_LEFT && !note->refused)
            fprintf(f, "  left to the CPU: in no partition that was taken");
        fputc('\n', f);
        print_options(f, &op->options);
        if (op->composite) {
            fprintf(f, "          of the composite ");
            inspection_print_name(f, op->composite->name);
            fprintf(f, ", operator %" PRId32 " of the file\n", op->composite->node);
        }
        if (note->known && note->reason) {
            fprintf(f, "          ");
            clean_print(f, note->reason);
            fputc('\n', f);
        }
        if (note->refused && note->state != NODE_TAKEN)
            print_refusal(f, &note->refusal);
    }
}

/* Each node that the reference cannot run, up to a few. */
static void print_not_prepared(FILE *f, const struct inspection *n)
{
    enum { SHOWN = 5 };
    size_t count = 0;

    for (size_t i = 0; i < n->count; i++) {
        if (!n->notes[i].reason || count++ >= SHOWN)
            continue;
        fprintf(f, "unknown   ");
        clean_print(f, n->notes[i].reason);
        fputc('\n', f);
    }
    if (count > SHOWN)
        fprintf(f, "unknown   %zu more nodes\n", count - SHOWN);
}

static void print_delegate(FILE *f, const struct inspection *n)
{
    char device[ASSAY_GPU_NAME_BYTES];

    session_device(&n->session, device, sizeof device);
    if (n->why_not[0]) {
        fprintf(f, "not run   ");
        clean_print(f, n->why_not);
        fputc('\n', f);
    }
    print_not_prepared(f, n);
    if (!n->session.delegate || n->why_not[0])
        return;
    fprintf(f, "delegate  %s%s%s: takes %zu of %zu nodes, %d partition%s\n",
            n->session.subject.label, device[0] ? " on " : "", device, session_taken(&n->session),
            n->count, interpreter_partition_count(n->session.in),
            interpreter_partition_count(n->session.in) == 1 ? "" : "s");
}

static void print_bundle(FILE *f)
{
    size_t chosen;
    const struct bundle *const b = model_file_bundle(&chosen);

    for (size_t i = 0; b && i < b->count; i++) {
        fprintf(f, i == 0 ? "bundle    %s: " : "          ", b->kind);
        clean_print(f, b->sections[i].name);
        fprintf(f, ", %s, %" PRIu64 " bytes%s\n", b->sections[i].kind, b->sections[i].size,
                i == chosen ? " (this one)" : "");
    }
}

bool inspection_print_text(FILE *f, const struct inspection *n)
{
    const struct model *const m = &n->session.model;

    fprintf(f, "model     ");
    clean_print(f, n->path);
    fputc('\n', f);
    fprintf(f, "file      %zu bytes, version %" PRIu32 ", ", n->session.file.count, m->version);
    inspection_print_name(f, m->description.text ? m->description.text : "no description");
    fputc('\n', f);
    print_bundle(f);
    model_use_print(f, n->use, m, n->session.in, 10);
    print_delegate(f, n);
    if (!print_ops(f, n))
        return false;
    print_nodes(f, n);
    print_tensors(f, n);
    return !n->plan || inspection_print_plan(f, n);
}
