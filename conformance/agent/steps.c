/* The engines of the suite run the models, so that what is checked here is what is checked in the
 * suite's own process. */
#include "conformance/agent/steps.h"

#include "conformance/suite/subject/host_thread.h"
#include "conformance/util/clock.h"
#include "conformance/util/process.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"

#include <stdio.h>
#include <string.h>

enum { REPEATS_MAX = 1000000 };

/* ---- data ---- */

static struct data *find_data(const struct agent *a, uint64_t id)
{
    for (struct data *d = a->data; d; d = d->next) {
        if (d->id == id)
            return d;
    }
    return NULL;
}

/* An instance runs the model, or CHECK compares with what was written to it. */
static bool is_in_use(const struct agent *a, const struct data *d)
{
    for (size_t i = 0; i < a->places; i++) {
        if (a->instances[i].data == d)
            return true;
        for (size_t k = 0; k < a->instances[i].x.input_count; k++) {
            if (a->instances[i].x.inputs[k].data[0] == d->bytes)
                return true;
        }
    }
    return false;
}

void agent_forget(struct agent *a, uint64_t id)
{
    for (struct data **at = &a->data; *at;) {
        struct data *const d = *at;

        if ((id != 0 && d->id != id) || is_in_use(a, d)) {
            at = &d->next;
            continue;
        }
        *at = d->next;
        model_close(&d->model);
        mem_free(d->file);
        mem_free(d);
    }
}

/* ---- models ---- */

/* Since the last step. */
static uint64_t ns_of_step(struct agent *a)
{
    const double begin_s = a->since_s;

    a->since_s = clock_s();
    return (uint64_t)((a->since_s - begin_s) * 1e9);
}

static struct instance *find_instance(struct agent *a, uint32_t id)
{
    for (size_t i = 0; i < a->places; i++) {
        if (a->instances[i].id == id)
            return &a->instances[i];
    }
    return NULL;
}

/* NULL: there is none. */
static struct instance *find_place(struct agent *a)
{
    struct instance *const i = find_instance(a, 0);

    return i || a->places == INSTANCES_MAX ? i : &a->instances[a->places++];
}

static void close_instance(struct instance *i)
{
    engine_close(i->engine);
    *i = (struct instance){ .id = 0 };
}

static void take_report(void *user, const char *format, va_list args)
{
    struct agent *const a = user;

    vsnprintf(a->report, sizeof a->report, format, args);
}

/* Sizes of inputs, each with all dimensions: the engines take one dimension of several inputs.
 * Where all are as in the file it is the dimension that was changed last, *axis. */
static bool take_sizes(struct wire_in *in, const struct model *m, bool *resized, int *axis,
                       int32_t *size)
{
    const struct model_subgraph *const graph = &m->subgraphs[0];
    const unsigned count = wire_u16(in);
    const int last = *axis;
    bool changed = false;

    *size = 0;
    memset(resized, 0, CASE_INPUTS_MAX * sizeof *resized);
    for (unsigned i = 0; i < count; i++) {
        const unsigned input = wire_u16(in), rank = wire_u8(in);
        const struct model_ints *shape;

        if (in->bad || input >= graph->inputs.count || input >= CASE_INPUTS_MAX)
            return false;
        shape = &graph->tensors[graph->inputs.data[input]].shape;
        if (rank != shape->count)
            return false;
        resized[input] = true;
        for (unsigned d = 0; d < rank; d++) {
            const int32_t dim = (int32_t)wire_u32(in);

            if (dim != shape->data[d] || (!changed && (int)d == last)) {
                changed = changed || dim != shape->data[d];
                *axis = (int)d;
                *size = dim;
            }
        }
    }
    return !in->bad && *size >= 0;
}

/* Of a file that the runtime alone has read. */
static void put_its_tensors(struct wire_out *o, struct engine *e, bool outputs)
{
    struct engine_tensor t;
    unsigned count = 0;

    while (count < UINT16_MAX && engine_tensor(e, outputs, count, &t))
        count++;
    wire_put_u16(o, count);
    for (unsigned i = 0; i < count && engine_tensor(e, outputs, i, &t); i++) {
        struct wire_tensor w = { .type = (int)t.type, .rank = t.rank, .bytes = t.bytes };

        memcpy(w.dims, t.dims, sizeof t.dims);
        wire_put_tensor(o, &w);
    }
}

static void put_tensors(struct wire_out *o, const struct model *m, const struct model_ints *list)
{
    wire_put_u16(o, (unsigned)list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct model_tensor *const t = &m->subgraphs[0].tensors[list->data[i]];
        struct wire_tensor w = { .type = (int)tensor_type_runtime(t->type),
                                 .rank = (int)t->shape.count };
        uint64_t elements = 1;

        for (size_t d = 0; d < t->shape.count; d++) {
            w.dims[d] = t->shape.data[d];
            elements *= (uint64_t)(w.dims[d] > 0 ? w.dims[d] : 0);
        }
        w.bytes = (elements * runtime_type_bits((TfLiteType)w.type) + 7) / 8;
        wire_put_tensor(o, &w);
    }
}

/* What OPEN and RESIZE answer; a model of which no node is taken is refused. */
static bool put_opened(struct agent *a, struct instance *i)
{
    const struct model_subgraph *const graph = i->model ? &i->model->subgraphs[0] : NULL;
    const size_t nodes = graph ? graph->operator_count : 0;
    const uint64_t ns = ns_of_step(a);
    const char *why = engine_refusal(i->engine);
    size_t taken = 0, begin;

    for (size_t n = 0; n < nodes; n++)
        taken += engine_is_taken(i->engine, (int)n);
    if (taken == 0 && (graph || !engine_is_taken(i->engine, 0))) {
        wire_end_answer(&a->answer,
                        wire_begin_answer(&a->answer, WIRE_REFUSED, ns, why[0] ? why : a->report));
        return false;
    }
    begin = wire_begin_answer(&a->answer, WIRE_DONE, ns, why);
    wire_put_u64(&a->answer, engine_bytes(i->engine));
    wire_put_u32(&a->answer, (uint32_t)nodes);
    for (size_t n = 0; n < nodes; n += 8) {
        unsigned bits = 0;

        for (size_t b = 0; b < 8 && n + b < nodes; b++)
            bits |= (unsigned)engine_is_taken(i->engine, (int)(n + b)) << b;
        wire_put_u8(&a->answer, bits);
    }
    for (int outputs = 0; outputs < 2 && !graph; outputs++)
        put_its_tensors(&a->answer, i->engine, outputs);
    if (graph) {
        put_tensors(&a->answer, i->model, &graph->inputs);
        put_tensors(&a->answer, i->model, &graph->outputs);
    }
    wire_end_answer(&a->answer, begin);
    return true;
}

/* No answer could name more dimensions. */
static enum status check_ranks(const struct model *m, const struct model_ints *list,
                               const char *what, struct diag *diag)
{
    for (size_t i = 0; i < list->count; i++) {
        const size_t rank = m->subgraphs[0].tensors[list->data[i]].shape.count;

        if (rank > WIRE_RANK_MAX)
            return diag_fail(diag, STATUS_UNSUPPORTED, "%s %zu has rank %zu, expected at most %d",
                             what, i, rank, WIRE_RANK_MAX);
    }
    return STATUS_OK;
}

/* With its composites, which are the engine's matter, but only where they can be replaced. */
static enum status read_model(struct model *m, const uint8_t *file, size_t count, struct diag *diag)
{
    const struct model_subgraph *composed;

    TRY(tflite_read_accepting(m, file, count, ACCEPT_SUPPORTED, diag));
    composed = m->subgraphs;
    TRY(tflite_inline(m, file, diag));
    m->subgraphs = composed;
    return STATUS_OK;
}

/* Reads the model, once; what an engine wrote to it is the matter of the instance that it ran. */
static enum status read_data(struct data *d, struct diag *diag)
{
    enum status s;

    if (d->file) {
        if (memcmp(d->file, d->bytes, d->count) != 0)
            memcpy(d->file, d->bytes, d->count);
        return STATUS_OK;
    }
    d->file = mem_resize(NULL, d->count, 1);
    if (!d->file)
        return diag_fail(diag, STATUS_NO_MEMORY, "model: out of memory");
    memcpy(d->file, d->bytes, d->count);
    s = read_model(&d->model, d->file, d->count, diag);
    if (s == STATUS_OK)
        s = check_ranks(&d->model, &d->model.subgraphs[0].inputs, "input", diag);
    if (s == STATUS_OK)
        s = check_ranks(&d->model, &d->model.subgraphs[0].outputs, "output", diag);
    if (s != STATUS_OK) {
        model_close(&d->model);
        mem_free(d->file);
        d->file = NULL;
    }
    return s;
}

static enum status open_model(struct agent *a, struct instance *i, struct wire_in *in,
                              struct diag *diag)
{
    struct data *const d = find_data(a, wire_u64(in));
    struct tflite_file file;
    struct engine_request q = { .subject = &a->subject,
                                .delegate = a->delegate,
                                .resized = i->resized,
                                .report = take_report,
                                .report_user = a };

    q.poison_word = wire_u32(in);
    q.offset_bytes = wire_u32(in);
    q.declined_first = (int)wire_u32(in);
    q.declined_count = (int)wire_u32(in);
    a->report[0] = '\0';
    if (!d)
        return diag_fail(diag, STATUS_INVALID, "OPEN of a model that was not sent");
    if (q.offset_bytes >= 64)
        return diag_fail(diag, STATUS_INVALID, "offset %zu, expected less than 64", q.offset_bytes);
    i->data = d;
    if (read_data(d, diag) != STATUS_OK) {
        if (!engine_reads_files(&a->subject)) /* else the runtime has to refuse it itself */
            return diag->status;
        file = (struct tflite_file){ d->bytes, d->count };
        q.file = &file;
        return engine_open(&q, &i->engine, diag);
    }
    i->model = q.model = &d->model;
    if (!take_sizes(in, i->model, i->resized, &i->axis, &q.batch))
        return diag_fail(diag, STATUS_INVALID, "sizes that do not fit the model's inputs");
    q.axis = i->axis;
    return engine_open(&q, &i->engine, diag);
}

static bool fail(struct agent *a, const struct diag *diag)
{
    wire_end_answer(&a->answer, wire_begin_answer(&a->answer, WIRE_FAILED, 0, diag->text));
    return false;
}

static bool done(struct agent *a, enum status s, const struct diag *diag)
{
    if (s != STATUS_OK)
        return fail(a, diag);
    wire_end_answer(&a->answer, wire_begin_answer(&a->answer, WIRE_DONE, ns_of_step(a), NULL));
    return true;
}

/* ---- steps ---- */

static bool step_open(struct agent *a, uint32_t id, struct instance **at, struct wire_in *in)
{
    struct instance *i;
    struct diag diag;

    if (*at)
        close_instance(*at);
    *at = NULL;
    i = find_place(a);
    if (!i || id == 0) {
        diag_fail(&diag, STATUS_LIMIT, "instance %u: expected one of 1.. and at most %d at once",
                  (unsigned)id, INSTANCES_MAX);
        return fail(a, &diag);
    }
    if (open_model(a, i, in, &diag) != STATUS_OK) {
        close_instance(i);
        return fail(a, &diag);
    }
    i->id = id;
    *at = i;
    return put_opened(a, i);
}

static bool step_resize(struct agent *a, struct instance *i, struct wire_in *in)
{
    struct diag diag;
    int32_t size;
    enum status s;

    i->x.input_count = 0; /* what was written had another size */
    if (i->model && take_sizes(in, i->model, i->resized, &i->axis, &size))
        s = engine_resize(i->engine, i->axis, size, i->resized, &diag);
    else
        s = diag_fail(&diag, STATUS_INVALID, "sizes that do not fit the model's inputs");
    return s == STATUS_OK ? put_opened(a, i) : fail(a, &diag);
}

static enum status write_inputs(struct agent *a, struct instance *i, struct wire_in *in,
                                struct diag *diag)
{
    const struct model_subgraph *const graph = i->model ? &i->model->subgraphs[0] : NULL;
    const unsigned count = wire_u16(in);
    struct engine_tensor t = { .rank = 0 };
    enum status s;

    i->x.input_count = 0;
    if ((graph && count != graph->inputs.count) || count > CASE_INPUTS_MAX)
        return diag_fail(diag, STATUS_INVALID, "WRITE of %u inputs, the model has %zu", count,
                         graph ? graph->inputs.count : CASE_INPUTS_MAX);
    for (unsigned k = 0; k < count; k++) {
        const struct data *const d = find_data(a, wire_u64(in));

        if (!d)
            return diag_fail(diag, STATUS_INVALID, "input %u: its data were not sent", k);
        if (!graph && !engine_tensor(i->engine, false, k, &t))
            return diag_fail(diag, STATUS_INVALID, "input %u: there is none", k);
        i->x.inputs[k].type =
            graph ? tensor_type_runtime(graph->tensors[graph->inputs.data[k]].type) : t.type;
        i->x.inputs[k].bytes = d->count;
        i->x.inputs[k].data[0] = (void *)(uintptr_t)d->bytes;
    }
    i->x.input_count = count;
    s = engine_write(i->engine, &i->x, 0, diag);
    i->x.input_count = s == STATUS_OK ? count : 0;
    return s;
}

static bool step_invoke(struct agent *a, struct instance *i, struct wire_in *in)
{
    const uint32_t repeats = wire_u32(in);
    struct diag diag;
    double fastest_ms = 0;
    size_t begin, at;

    if (repeats > REPEATS_MAX) {
        diag_fail(&diag, STATUS_LIMIT, "INVOKE %u times, expected at most %d", (unsigned)repeats,
                  REPEATS_MAX);
        return fail(a, &diag);
    }
    begin = wire_begin_answer(&a->answer, WIRE_DONE, 0, NULL);
    at = begin - 4 - 2 - 8; /* of its ns */
    for (uint32_t n = 0; n < (repeats ? repeats : 1); n++) {
        double ms;

        if (engine_invoke_timed(i->engine, &ms, &diag) != STATUS_OK) {
            a->answer.count = at - 1;
            return fail(a, &diag);
        }
        a->since_s += ms / 1e3;
        fastest_ms = n == 0 || ms < fastest_ms ? ms : fastest_ms;
        if (repeats > 1)
            wire_put_u64(&a->answer, (uint64_t)(ms * 1e6));
    }
    wire_note(&a->answer, at, (uint64_t)(fastest_ms * 1e6), 8);
    wire_end_answer(&a->answer, begin);
    return true;
}

/* The first READ of this RUN that gave the same bits; -1: none did. */
static int find_same(const struct agent *a, const struct outputs *got, size_t index)
{
    for (int r = 0; r < a->reads && r < SAME_MAX; r++) {
        if (a->outputs[r].count == got->count &&
            a->outputs[r].items[index].bytes == got->items[index].bytes &&
            got->items[index].bytes > 16 &&
            memcmp(a->outputs[r].items[index].data, got->items[index].data,
                   got->items[index].bytes) == 0)
            return r;
    }
    return -1;
}

static bool step_read(struct agent *a, struct instance *i)
{
    struct outputs extra, *const got = a->reads < SAME_MAX ? &a->outputs[a->reads] : &extra;
    struct diag diag;
    size_t begin;

    if (engine_read(i->engine, got, &diag) != STATUS_OK)
        return fail(a, &diag);
    begin = wire_begin_answer(&a->answer, WIRE_DONE, ns_of_step(a), NULL);
    wire_put_u16(&a->answer, (unsigned)got->count);
    for (size_t o = 0; o < got->count; o++) {
        struct wire_tensor t = { .type = (int)got->items[o].type,
                                 .rank = got->items[o].rank,
                                 .bytes = got->items[o].bytes };
        const int same = find_same(a, got, o);

        memcpy(t.dims, got->items[o].dims, (size_t)t.rank * sizeof t.dims[0]);
        wire_put_tensor(&a->answer, &t);
        wire_put_u8(&a->answer, same >= 0);
        if (same >= 0)
            wire_put_u16(&a->answer, (unsigned)same);
        else
            wire_put_bytes(&a->answer, got->items[o].data, got->items[o].bytes);
    }
    wire_end_answer(&a->answer, begin);
    if (got == &extra)
        outputs_close(got);
    a->reads++;
    return true;
}

static enum status check(struct instance *i, struct diag *diag)
{
    struct engine_tensor t;
    const bool lacks = i->model ? i->x.input_count != i->model->subgraphs[0].inputs.count
                                : engine_tensor(i->engine, false, i->x.input_count, &t);

    if (lacks)
        return diag_fail(diag, STATUS_INVALID, "expected WRITE before CHECK");
    TRY(host_thread_check(diag));
    TRY(engine_check(i->engine, &i->x, 0, diag));
    return !i->model || memcmp(i->data->file, i->data->bytes, i->data->count) == 0
               ? STATUS_OK
               : diag_fail(diag, STATUS_MISMATCH, "the model's constants were written to");
}

static bool step_stats(struct agent *a)
{
    const struct subject *const s = &a->subject;
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    const size_t begin = wire_begin_answer(&a->answer, WIRE_DONE, 0, NULL);
    char json[256];
    int n = snprintf(json, sizeof json, "{\"resident_bytes\": %llu",
                     (unsigned long long)process_resident_bytes());

    if (a->delegate && s->extras.get_stats && s->extras.get_stats(a->delegate, &stats) == 0)
        n += snprintf(json + n, sizeof json - (size_t)n,
                      ", \"held_bytes\": %llu, \"held_blocks\": %llu, \"used_bytes\": %llu",
                      (unsigned long long)stats.held_bytes, (unsigned long long)stats.held_blocks,
                      (unsigned long long)stats.used_bytes);
    json[n++] = '}';
    wire_put_bytes(&a->answer, json, (size_t)n);
    wire_end_answer(&a->answer, begin);
    return true;
}

/* One step and its answer.  False: no step may follow. */
static bool take_step(struct agent *a, uint32_t id, struct instance **at, struct wire_in *in)
{
    const unsigned kind = wire_u8(in);
    struct instance *const i = *at;
    struct diag diag;

    if (kind == WIRE_OPEN)
        return step_open(a, id, at, in);
    if (!i) {
        diag_fail(&diag, STATUS_INVALID, "instance %u is not open", (unsigned)id);
        return fail(a, &diag);
    }
    switch (kind) {
    case WIRE_WRITE: return done(a, write_inputs(a, i, in, &diag), &diag);
    case WIRE_INVOKE: return step_invoke(a, i, in);
    case WIRE_READ: return step_read(a, i);
    case WIRE_CHECK: return done(a, check(i, &diag), &diag);
    case WIRE_RESET: return done(a, engine_reset(i->engine, &diag), &diag);
    case WIRE_RESIZE: return step_resize(a, i, in);
    case WIRE_STATS: return step_stats(a);
    case WIRE_GUARDS:
        engine_guards(i->engine, (uint8_t)wire_u8(in));
        return done(a, STATUS_OK, &diag);
    default:
        diag_fail(&diag, STATUS_UNSUPPORTED, "step %u is not known", kind);
        return fail(a, &diag);
    }
}

unsigned agent_steps(struct agent *a, uint32_t id, unsigned steps, struct wire_in *in)
{
    struct instance *i = id ? find_instance(a, id) : NULL;
    unsigned taken = 0;
    bool ok = true;

    a->since_s = clock_s();
    for (; taken < steps && ok && !in->bad; taken++)
        ok = take_step(a, id, &i, in);
    for (int r = 0; r < a->reads && r < SAME_MAX; r++)
        outputs_close(&a->outputs[r]);
    a->reads = 0;
    return taken;
}

void agent_close_instance(struct agent *a, uint32_t id)
{
    struct instance *const i = id ? find_instance(a, id) : NULL;

    if (i)
        close_instance(i);
}

void agent_close(struct agent *a)
{
    for (size_t i = 0; i < INSTANCES_MAX; i++)
        close_instance(&a->instances[i]);
    subject_destroy(&a->subject, a->delegate);
    subject_close(&a->subject);
    agent_forget(a, 0);
    wire_out_close(&a->answer);
}
