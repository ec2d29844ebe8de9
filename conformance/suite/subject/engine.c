/* Passes calls to the kind of subject, and answers what the model alone says. */
#include "conformance/suite/subject/engine.h"

#include "conformance/suite/subject/subject_kind.h"
#include "conformance/util/clock.h"
#include "reference/base/op_facts.h"

const struct engine_type *engine_type_of(const struct subject *s)
{
    return s->kind->engine;
}

unsigned engine_abilities(const struct subject *s)
{
    const struct engine_type *const type = engine_type_of(s);

    return (type->abilities_of ? type->abilities_of(s) : type->abilities) |
           (type->begin ? 0 : ENGINE_LOCAL);
}

enum status engine_open(const struct engine_request *request, struct engine **out,
                        struct diag *diag)
{
    *out = NULL;
    return engine_type_of(request->subject)->open(request, out, diag);
}

void engine_begin_open(const struct engine_request *request, struct engine **out)
{
    const struct engine_type *const type = engine_type_of(request->subject);

    *out = NULL;
    if (type->begin_open)
        type->begin_open(request, out);
}

enum status engine_end_open(struct engine **e, struct diag *diag)
{
    const enum status s = (*e)->type->end_open(*e, diag);

    if (s != STATUS_OK) {
        engine_close(*e);
        *e = NULL;
    }
    return s;
}

void engine_flush(const struct subject *s)
{
    if (engine_type_of(s)->flush)
        engine_type_of(s)->flush(s);
}

void engine_close(struct engine *e)
{
    if (e)
        e->type->close(e);
}

enum status engine_reopen(const struct engine_request *request, struct engine **e,
                          struct diag *diag)
{
    if (*e && (*e)->type->reopen && (*e)->type->reopen(*e, request))
        return STATUS_OK;
    engine_close(*e);
    return engine_open(request, e, diag);
}

bool engine_reads_files(const struct subject *s)
{
    return engine_type_of(s)->reads_files;
}

bool engine_tensor(struct engine *e, bool output, size_t index, struct engine_tensor *t)
{
    if (!e->type->tensor(e, output, index, t))
        return false;
    if (t->rank < 0 || t->rank > REF_MAX_RANK)
        t->rank = 0; /* it is no tensor that can be used; its reader will say so */
    return true;
}

bool engine_is_taken(struct engine *e, int node)
{
    return e->type->is_taken(e, node);
}

const char *engine_refusal(struct engine *e)
{
    const char *const text = e->type->refusal ? e->type->refusal(e) : NULL;

    return text ? text : "";
}

enum status engine_reset(struct engine *e, struct diag *diag)
{
    return e->type->reset(e, diag);
}

enum status engine_write(struct engine *e, const struct case_instance *x, int frame,
                         struct diag *diag)
{
    return e->type->write(e, x, frame, diag);
}

enum status engine_invoke(struct engine *e, struct diag *diag)
{
    return e->type->invoke(e, diag);
}

enum status engine_invoke_timed(struct engine *e, double *ms, struct diag *diag)
{
    const double start = clock_ms();

    TRY(e->type->invoke(e, diag));
    *ms = e->type->took_ms ? e->type->took_ms(e) : clock_ms() - start;
    return STATUS_OK;
}

enum status engine_read(struct engine *e, struct outputs *got, struct diag *diag)
{
    return e->type->read(e, got, diag);
}

enum status engine_check(struct engine *e, const struct case_instance *x, int frame,
                         struct diag *diag)
{
    return e->type->check(e, x, frame, diag);
}

enum status engine_round_trip(struct engine *e, const struct case_instance *x, struct diag *diag)
{
    if (e->type->round_trip)
        return e->type->round_trip(e, x, diag);
    TRY(e->type->write(e, x, 0, diag));
    return e->type->invoke(e, diag);
}

bool engine_guards(struct engine *e, uint8_t byte)
{
    return e->type->guards && e->type->guards(e, byte);
}

enum status engine_resize(struct engine *e, int axis, int32_t size, const bool *resized,
                          struct diag *diag)
{
    return e->type->resize(e, axis, size, resized, diag);
}

size_t engine_bytes(struct engine *e)
{
    return e->type->bytes ? e->type->bytes(e) : 0;
}

bool engine_stats(struct engine *e, char *json, size_t bytes)
{
    json[0] = '\0';
    return e->type->stats && e->type->stats(e, json, bytes);
}

void engine_begin(const struct subject *s, double limit_s)
{
    if (engine_type_of(s)->begin)
        engine_type_of(s)->begin(s, limit_s);
}

enum engine_end engine_ended(const struct subject *s, char *text, size_t bytes)
{
    text[0] = '\0';
    return engine_type_of(s)->ended ? engine_type_of(s)->ended(s, text, bytes) : ENGINE_RUNS;
}

size_t engine_count_variables(const struct model *m)
{
    size_t count = 0;

    for (size_t i = 0; i < m->subgraphs[0].tensor_count; i++)
        count += m->subgraphs[0].tensors[i].is_variable ||
                 m->subgraphs[0].tensors[i].type == TENSOR_RESOURCE;
    return count;
}

bool engine_is_written_back(const struct model *m, int tensor)
{
    const struct model_subgraph *const graph = &m->subgraphs[0];

    for (size_t n = 0; n < graph->operator_count; n++) {
        const struct model_operator *const op = &graph->operators[n];
        const struct op_facts *const facts =
            op_facts_find(model_opcode_row(&m->opcodes[op->opcode_index]));

        for (size_t i = 0; facts && i < op->inputs.count && i < 32; i++) {
            if (facts->state >> i & 1 && op->inputs.data[i] == tensor)
                return true;
        }
    }
    return false;
}
