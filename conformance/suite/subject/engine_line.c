/* An inference is one exchange: write, invoke, read and check are sent together when the inputs are
 * written, and answered from what came back.  What is expected after open is sent with it. */
#include "conformance/suite/subject/engine.h"

#include "conformance/suite/subject/line.h"
#include "conformance/suite/subject/model_adapt.h"
#include "conformance/suite/subject/wire.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

/* The answers to one inference; those that are missing have a status of NOT_ANSWERED. */
struct inference {
    struct engine_expected what;
    const struct model *model;
    struct wire_answer opened, before, write, invoke, read, check;
};
enum { NOT_ANSWERED = -1 };
static const struct wire_answer none = { .status = (enum wire_status)NOT_ANSWERED,
                                         .text = { .bad = true } };

struct io_list {
    size_t count;
    struct wire_tensor items[OUTPUTS_MAX];
};

struct line_engine {
    struct engine base;
    struct line *line;
    struct engine_request request; /* of open */
    uint32_t instance;
    /* The request's model, and what is expected then; written is empty where a file is sent. */
    const struct tflite_file *files[2];
    struct tflite_file written[2];
    int which;          /* of them is open */
    bool refused;       /* the model as a whole */
    char text[480];     /* why */
    uint8_t *taken;     /* a bit for each node */
    uint32_t nodes;     /* that have one; 0: the model as a whole is taken */
    uint64_t own_bytes; /* of its tensors, as the agent says; 0: not known */
    unsigned abilities;
    bool has_variables;
    bool is_adapted; /* the file has the sizes of request: the agent cannot change them */
    bool reset_pending;
    uint32_t reopened;  /* with this word of poison, since the last inference; 0: it was not */
    int guards_pending; /* -1: none */
    /* The last RUN: the inferences that are answered in payload, and the next of them. */
    uint8_t *payload;
    struct inference *items;
    size_t room, count, next;
    struct inference *now; /* that was written last */
    struct io_list *io; /* inputs and outputs of a file that the agent alone has read, else NULL */
    bool invoked;       /* its answer was given out: the next one is another inference */
    uint32_t opening;   /* the exchange that opens it, whose answer has not come; 0: none */
};

static struct line_engine *of(struct engine *e)
{
    return (struct line_engine *)e;
}

/* ---- steps ---- */

/* The inputs that get other sizes, each with all of its dimensions. */
static void put_sizes(struct wire_out *o, const struct model *m, int axis, int32_t size,
                      const bool *resized)
{
    const struct model_subgraph *const graph = m ? &m->subgraphs[0] : NULL;
    unsigned count = 0;

    for (size_t i = 0; size && i < graph->inputs.count; i++)
        count += resized[i];
    wire_put_u16(o, count);
    for (size_t i = 0; size && i < graph->inputs.count; i++) {
        const struct model_ints *const shape = &graph->tensors[graph->inputs.data[i]].shape;

        if (!resized[i])
            continue;
        wire_put_u16(o, (unsigned)i);
        wire_put_u8(o, (unsigned)shape->count);
        for (size_t d = 0; d < shape->count; d++)
            wire_put_u32(o, (uint32_t)((int)d == axis ? size : shape->data[d]));
    }
}

static unsigned put_open(const struct line_engine *e, struct wire_out *o,
                         const struct engine_request *q, uint64_t model)
{
    wire_put_u8(o, WIRE_OPEN);
    wire_put_u64(o, model);
    wire_put_u32(o, q->poison_word);
    wire_put_u32(o, (uint32_t)q->offset_bytes);
    wire_put_u32(o, (uint32_t)q->declined_first);
    wire_put_u32(o, (uint32_t)q->declined_count);
    put_sizes(o, q->model, q->axis, e->is_adapted ? 0 : q->batch, q->resized);
    return 1;
}

static unsigned put_invoke(struct wire_out *o)
{
    wire_put_u8(o, WIRE_INVOKE);
    wire_put_u32(o, 1);
    wire_put_u8(o, WIRE_READ);
    wire_put_u8(o, WIRE_CHECK);
    return 3;
}

static unsigned put_inference(struct wire_out *o, const struct engine_expected *x,
                              const uint64_t *data)
{
    unsigned steps = 1;

    if (x->guards >= 0) {
        wire_put_u8(o, WIRE_GUARDS);
        wire_put_u8(o, (unsigned)x->guards);
        steps++;
    }
    if (x->reset) {
        wire_put_u8(o, WIRE_RESET);
        steps++;
    }
    wire_put_u8(o, WIRE_WRITE);
    wire_put_u16(o, (unsigned)x->x->input_count);
    for (size_t i = 0; i < x->x->input_count; i++)
        wire_put_u64(o, data[i]);
    return steps + put_invoke(o);
}

/* The first inference on the same frame. */
static size_t find_first(const struct engine_expected *list, size_t at)
{
    size_t i = 0;

    while (list[i].x != list[at].x || list[i].frame != list[at].frame)
        i++;
    return i;
}

/* Notes the ids of the inputs of list[at]: those of an earlier inference on the same frame, or new
 * ones. */
static void send_inputs(struct line *l, const struct engine_expected *list, size_t at,
                        uint64_t (*data)[CASE_INPUTS_MAX])
{
    const struct engine_expected *const x = &list[at];
    const size_t first = find_first(list, at);

    if (first < at)
        memcpy(data[at], data[first], sizeof data[at]);
    for (size_t i = 0; first == at && i < x->x->input_count; i++)
        data[at][i] = line_data(l, x->x->inputs[i].data[x->frame], x->x->inputs[i].bytes);
}

/* ---- what came back ---- */

static void drop_answers(struct line_engine *e)
{
    mem_free(e->payload);
    e->payload = NULL;
    e->count = e->next = 0;
    e->now = NULL;
}

/* Takes the answer to the next step.  False: there is none, or it is no success, behind which there
 * is none either. */
static bool take(struct wire_in *in, unsigned *left, struct wire_answer *a)
{
    if (*left == 0)
        return false;
    --*left;
    wire_read_answer(in, a);
    return !in->bad && a->status == WIRE_DONE;
}

/* When all are taken, `left` are behind one that failed. */
static enum status check_answers(const struct line_engine *e, const struct wire_in *in,
                                 unsigned left, struct diag *diag)
{
    if (in->bad)
        return line_break(e->line, diag, "an ANSWER whose steps pass its end");
    return left == 0 ? STATUS_OK
                     : line_break(e->line, diag, "it answers steps behind one that failed");
}

static bool is_then(const struct engine_request *q, size_t i)
{
    return q->then && i >= q->then_at;
}

/* Notes what was asked for, without answers yet. */
static enum status note_asked(struct line_engine *e, const struct engine_request *q,
                              const struct engine_expected *list, size_t count, struct diag *diag)
{
    if (count > e->room) {
        struct inference *const items = mem_resize(e->items, count, sizeof *items);

        if (!items)
            return diag_fail(diag, STATUS_NO_MEMORY, "answers: out of memory");
        e->items = items;
        e->room = count;
    }
    for (size_t i = 0; i < count; i++)
        e->items[i] = (struct inference){
            list[i], is_then(q, i) ? q->then : q->model, none, none, none, none, none, none
        };
    e->count = count;
    return STATUS_OK;
}

/* Sorts the answers by inference. */
static enum status sort_answers(struct line_engine *e, struct wire_in *in, unsigned left,
                                struct diag *diag)
{
    bool ok = true;

    for (struct inference *f = e->items; f < e->items + e->count; f++) {
        if (f->what.reopened)
            ok = ok && take(in, &left, &f->opened);
        if (f->what.guards >= 0)
            ok = ok && take(in, &left, &f->before);
        if (f->what.reset)
            ok = ok && take(in, &left, &f->before);
        ok = ok && take(in, &left, &f->write) && take(in, &left, &f->invoke) &&
             take(in, &left, &f->read) && take(in, &left, &f->check);
    }
    return check_answers(e, in, left, diag);
}

static enum status failed(const struct wire_answer *a, enum status s, struct diag *diag)
{
    struct wire_in in = a->text;
    char text[480];

    wire_text(&in, text, sizeof text);
    return diag_fail(diag, s, "%s%s", a->status == WIRE_REFUSED ? "late refusal: " : "",
                     text[0] ? text : "the agent fails without a reason");
}

/* ---- opening ---- */

/* Tensors of the model as the agent has them: the judge asks for them by index.  Those of a file
 * that the agent alone has read are noted. */
static bool take_tensors(struct line_engine *e, struct wire_in *in, bool outputs)
{
    const struct model_subgraph *const graph =
        e->request.model ? &e->request.model->subgraphs[0] : NULL;
    const unsigned count = wire_u16(in);

    if (!graph && count <= OUTPUTS_MAX)
        e->io[outputs].count = count;
    else if (!graph || count != (outputs ? graph->outputs.count : graph->inputs.count))
        return false;
    for (unsigned i = 0; i < count && !in->bad; i++) {
        struct wire_tensor t;

        wire_read_tensor(in, &t);
        if (!graph)
            e->io[outputs].items[i] = t;
    }
    return !in->bad;
}

/* OPEN and RESIZE answer alike. */
static enum status take_opened(struct line_engine *e, const struct wire_answer *a,
                               struct diag *diag)
{
    const struct model *const m = e->request.model;
    struct wire_in in = a->body;
    struct wire_in text = a->text;
    const uint8_t *bits;
    uint32_t nodes;
    bool ok;

    wire_text(&text, e->text, sizeof e->text);
    e->refused = a->status == WIRE_REFUSED;
    if (a->status == WIRE_FAILED)
        return failed(a, STATUS_DEVICE, diag);
    if (e->refused)
        return STATUS_OK;
    e->own_bytes = wire_u64(&in);
    nodes = wire_u32(&in);
    bits = wire_bytes(&in, ((uint64_t)nodes + 7) / 8);
    ok = (in.bad || nodes == 0 || !m || nodes == m->subgraphs[0].operator_count) &&
         take_tensors(e, &in, false) && take_tensors(e, &in, true);
    if (!ok)
        return line_break(e->line, diag,
                          in.bad ? "an answer to OPEN that passes its end, or has a tensor whose "
                                   "type, dims and bytes do not agree"
                                 : "another number of nodes, inputs or outputs than the model has");
    mem_free(e->taken);
    e->taken = mem_alloc((nodes + 7) / 8 + 1, 1);
    e->nodes = e->taken ? nodes : 0;
    if (!e->taken)
        return diag_fail(diag, STATUS_NO_MEMORY, "model: out of memory");
    memcpy(e->taken, bits, (nodes + 7) / 8);
    return STATUS_OK;
}

static void end(struct engine *base)
{
    struct line_engine *const e = of(base);

    if (!e)
        return;
    if (e->opening)
        line_forget(e->line, e->opening);
    if (e->instance)
        line_drop(e->line, e->instance);
    drop_answers(e);
    mem_free(e->items);
    mem_free(e->io);
    mem_free(e->taken);
    mem_free(e->written[0].bytes);
    mem_free(e->written[1].bytes);
    mem_free(e);
}

/* As far as it can be done in one RUN: an agent that cannot reset variables opens anew. */
static size_t plan(const struct line_engine *e, const struct engine_request *q,
                   struct engine_expected *list)
{
    size_t count = 0;

    for (; count < q->expected_count && count < ENGINE_EXPECTED_MAX; count++) {
        list[count] = q->expected[count];
        list[count].reset = list[count].reset && e->has_variables;
        if (!(e->abilities & ENGINE_GUARDS))
            list[count].guards = -1;
        if (list[count].reset && !(e->abilities & ENGINE_RESET))
            break;
    }
    return count;
}

/* Some runtimes look at types when they run: a model that they take is refused by its first INVOKE.
 */
static bool declines_late(const struct line_engine *e)
{
    const char *const text = subject_option(e->request.subject, "late_refusal");

    return text && strcmp(text, "declined") == 0;
}

static enum status begin_exchange(struct line_engine *e, const struct engine_request *q,
                                  struct diag *diag)
{
    struct engine_expected list[ENGINE_EXPECTED_MAX];
    uint64_t data[ENGINE_EXPECTED_MAX][CASE_INPUTS_MAX];
    const size_t count = plan(e, q, list);
    const struct tflite_file *const file = e->files[e->which], *const then = e->files[1];
    const uint64_t model = line_data(e->line, file->bytes, file->count);
    const uint64_t next =
        count > 0 && is_then(q, count - 1) ? line_data(e->line, then->bytes, then->count) : model;
    struct wire_out *o;
    unsigned steps;

    drop_answers(e);
    TRY(note_asked(e, q, list, count, diag));
    for (size_t i = 0; i < count; i++)
        send_inputs(e->line, list, i, data);
    TRY(line_start(e->line, e->instance, &o, diag));
    steps = put_open(e, o, q, model);
    for (size_t i = 0; i < count; i++) {
        struct engine_request again = *q;

        again.poison_word = list[i].reopened;
        again.model = is_then(q, i) ? q->then : q->model;
        steps += list[i].reopened ? put_open(e, o, &again, is_then(q, i) ? next : model) : 0;
        steps += put_inference(o, &list[i], data[i]);
    }
    e->opening = line_end(e->line, steps);
    return STATUS_OK;
}

static enum status end_exchange(struct line_engine *e, struct diag *diag)
{
    const uint32_t exchange = e->opening;
    struct wire_answer opened = { .status = WIRE_FAILED, .text = { .bad = true } };
    struct wire_in in;
    unsigned left;

    e->opening = 0;
    TRY(line_receive(e->line, exchange, &e->payload, &in, &left, diag));
    take(&in, &left, &opened);
    TRY(check_answers(e, &in, 0, diag));
    TRY(take_opened(e, &opened, diag));
    e->count = e->refused ? 0 : e->count;
    TRY(sort_answers(e, &in, left, diag));
    if (declines_late(e) && e->count > 0 && e->items[0].invoke.status == WIRE_REFUSED) {
        in = e->items[0].invoke.text;
        wire_text(&in, e->text, sizeof e->text);
        e->refused = true;
    }
    return STATUS_OK;
}

static enum status exchange_open(struct line_engine *e, const struct engine_request *q,
                                 struct diag *diag)
{
    TRY(begin_exchange(e, q, diag));
    return end_exchange(e, diag);
}

/* What the agent gets of one of the request's models. */
static enum status choose_file(struct line_engine *e, int which, const struct model *m,
                               const struct tflite_file *file, struct diag *diag)
{
    struct engine_request plain = e->request;

    e->files[which] = file;
    /* Who knows nodes knows tensors by their index, others perhaps by names of their own. */
    if (!m || (!e->is_adapted && (e->abilities & ENGINE_NODES) && file))
        return STATUS_OK;
    plain.model = m;
    if (!e->is_adapted)
        plain.batch = 0;
    e->files[which] = &e->written[which];
    return model_adapt_write(&plain, &e->written[which], diag);
}

static enum status make_engine(const struct engine_request *q, struct line_engine **out,
                               struct diag *diag)
{
    struct line_engine *const e = mem_alloc(1, sizeof *e);

    *out = e;
    if (!e)
        return diag_fail(diag, STATUS_NO_MEMORY, "model: out of memory");
    e->base.type = &engine_line;
    e->line = q->subject->runtime;
    e->request = *q;
    e->guards_pending = -1;
    e->has_variables = q->model && engine_count_variables(q->model) > 0;
    if (!q->model && !(e->io = mem_alloc(2, sizeof *e->io)))
        return diag_fail(diag, STATUS_NO_MEMORY, "model: out of memory");
    TRY(line_open(e->line, diag));
    e->abilities = line_abilities(e->line);
    e->is_adapted = q->model && !(e->abilities & ENGINE_RESIZE);
    TRY(choose_file(e, 0, q->model, q->file, diag));
    return choose_file(e, 1, q->then, q->then_file, diag);
}

/* Both files, and the inputs of each frame. */
static size_t count_bytes(const struct line_engine *e)
{
    const struct engine_request *const q = &e->request;
    size_t bytes = e->files[0]->count + (e->files[1] ? e->files[1]->count : 0);

    for (size_t i = 0; i < q->expected_count; i++)
        for (size_t k = 0; find_first(q->expected, i) == i && k < q->expected[i].x->input_count;
             k++)
            bytes += q->expected[i].x->inputs[k].bytes;
    return bytes;
}

static void begin_open(const struct engine_request *q, struct engine **out)
{
    struct line_engine *e = NULL;

    if (line_has_room(q->subject->runtime, 0) && make_engine(q, &e, NULL) == STATUS_OK &&
        line_has_room(e->line, count_bytes(e))) {
        e->instance = line_new_instance(e->line);
        if (begin_exchange(e, q, NULL) == STATUS_OK) {
            *out = &e->base;
            return;
        }
    }
    end(e ? &e->base : NULL);
}

static enum status end_open(struct engine *base, struct diag *diag)
{
    return end_exchange(of(base), diag);
}

static enum status open_model(const struct engine_request *q, struct engine **out,
                              struct diag *diag)
{
    struct line_engine *e;
    enum status s = make_engine(q, &e, diag);

    if (s == STATUS_OK) {
        e->instance = line_new_instance(e->line);
        s = exchange_open(e, q, diag);
    }
    if (s == STATUS_OK)
        *out = &e->base;
    else
        end(e ? &e->base : NULL);
    return s;
}

/* Where it was expected the agent has done it already. */
static bool reopen(struct engine *base, const struct engine_request *q)
{
    struct line_engine *const e = of(base);
    const struct inference *const f = e->next < e->count ? &e->items[e->next] : NULL;

    if (!f || !f->what.reopened || f->what.reopened != q->poison_word || q->model != f->model ||
        f->opened.status != WIRE_DONE)
        return false;
    e->which = e->which || q->model != e->request.model;
    e->request = *q;
    if (take_opened(e, &f->opened, NULL) != STATUS_OK)
        return false;
    e->reset_pending = e->invoked = false;
    e->guards_pending = -1;
    e->reopened = q->poison_word;
    e->now = NULL;
    return true;
}

static bool is_taken(struct engine *base, int node)
{
    const struct line_engine *const e = of(base);

    return !e->refused && (e->nodes == 0 || (node >= 0 && (uint32_t)node < e->nodes &&
                                             (e->taken[node / 8] >> node % 8 & 1)));
}

static const char *refusal(struct engine *base)
{
    return of(base)->text;
}

/* ---- inference ---- */

static enum status reset(struct engine *base, struct diag *diag)
{
    struct line_engine *const e = of(base);
    struct engine_request again = e->request;

    if (!e->has_variables)
        return STATUS_OK;
    e->reset_pending = e->abilities & ENGINE_RESET;
    if (e->reset_pending)
        return STATUS_OK;
    again.expected_count = 0;
    return exchange_open(e, &again, diag);
}

static bool guards(struct engine *base, uint8_t byte)
{
    struct line_engine *const e = of(base);

    if (e->abilities & ENGINE_GUARDS)
        e->guards_pending = byte;
    return e->abilities & ENGINE_GUARDS;
}

/* The answers to this inference, where they have come already. */
static struct inference *find_answered(struct line_engine *e, const struct engine_expected *x)
{
    struct inference *const f = e->next < e->count ? &e->items[e->next] : NULL;

    if (!f || f->what.x != x->x || f->what.frame != x->frame || f->what.reset != x->reset ||
        f->what.guards != x->guards || f->what.reopened != x->reopened)
        return NULL;
    if ((int)f->write.status == NOT_ANSWERED &&
        (f->before.status == WIRE_DONE || (int)f->before.status == NOT_ANSWERED))
        return NULL;
    e->next++;
    return f;
}

/* The agent has gone on with what was expected, and is asked for something else: all since the
 * model was opened, which is now where `fresh` is set, is done anew, and then that. */
static enum status ask_anew(struct line_engine *e, const struct engine_expected *x, bool fresh,
                            struct diag *diag)
{
    struct engine_expected list[ENGINE_EXPECTED_MAX];
    struct engine_request again = e->request;
    size_t first = e->next, count = 0;

    while (!fresh && first > 0 && !e->items[--first].what.reopened)
        ;
    for (size_t i = first; i < e->next; i++)
        list[count++] = e->items[i].what;
    list[count] = *x;
    list[0].reopened = 0;
    again.expected = list;
    again.expected_count = count + 1;
    again.then = NULL;
    TRY(exchange_open(e, &again, diag));
    e->next = count;
    e->now = find_answered(e, x);
    return e->now ? STATUS_OK : line_break(e->line, diag, "other answers than those before");
}

static enum status ask(struct line_engine *e, const struct engine_expected *x, bool fresh,
                       struct diag *diag)
{
    uint64_t data[CASE_INPUTS_MAX];
    struct wire_out *o;
    struct wire_in in;
    unsigned steps, left;
    struct engine_request alone = e->request;

    alone.then = NULL;
    if (e->next < e->count)
        return ask_anew(e, x, fresh, diag);
    drop_answers(e);
    TRY(line_open(e->line, diag));
    send_inputs(e->line, x, 0, &data);
    TRY(line_start(e->line, e->instance, &o, diag));
    steps = put_inference(o, x, data);
    TRY(note_asked(e, &alone, x, 1, diag));
    TRY(line_finish(e->line, steps, &e->payload, &in, &left, diag));
    TRY(sort_answers(e, &in, left, diag));
    e->now = &e->items[0];
    e->next = 1;
    return STATUS_OK;
}

static enum status check_step(struct line_engine *e, const struct wire_answer *a, const char *name,
                              enum status s, struct diag *diag)
{
    char what[64];

    if (a->status == WIRE_DONE)
        return STATUS_OK;
    if ((int)a->status != NOT_ANSWERED)
        return failed(a, s, diag);
    snprintf(what, sizeof what, "no answer to %s", name);
    return line_break(e->line, diag, what);
}

static enum status write_inputs(struct engine *base, const struct case_instance *x, int frame,
                                struct diag *diag)
{
    struct line_engine *const e = of(base);
    const struct engine_expected expected = { x, frame, e->reset_pending, e->guards_pending,
                                              e->reopened };
    struct engine_expected alone = expected;

    e->reset_pending = false;
    e->reopened = 0;
    e->guards_pending = -1;
    e->invoked = false;
    e->now = find_answered(e, &expected);
    alone.reopened = 0; /* the agent has done that */
    if (!e->now)
        TRY(ask(e, &alone, expected.reopened, diag));
    if (expected.reset || expected.guards >= 0)
        TRY(check_step(e, &e->now->before, "RESET or GUARDS", STATUS_DEVICE, diag));
    return check_step(e, &e->now->write, "WRITE", STATUS_MISMATCH, diag);
}

/* Once more with the same inputs. */
static enum status ask_again(struct line_engine *e, struct diag *diag)
{
    struct inference *const f = &e->items[0];
    struct wire_out *o;
    struct wire_in in;
    unsigned left;

    *f = *e->now;
    f->invoke = f->read = f->check = none;
    drop_answers(e);
    TRY(line_start(e->line, e->instance, &o, diag));
    TRY(line_finish(e->line, put_invoke(o), &e->payload, &in, &left, diag));
    if (take(&in, &left, &f->invoke) && take(&in, &left, &f->read))
        take(&in, &left, &f->check);
    TRY(check_answers(e, &in, left, diag));
    e->now = f;
    e->count = e->next = 1;
    return STATUS_OK;
}

static enum status invoke(struct engine *base, struct diag *diag)
{
    struct line_engine *const e = of(base);

    if (!e->now)
        return diag_fail(diag, STATUS_USAGE, "no inputs were written");
    if (e->invoked)
        TRY(ask_again(e, diag));
    e->invoked = true;
    return check_step(e, &e->now->invoke, "INVOKE", STATUS_DEVICE, diag);
}

static double took_ms(struct engine *base)
{
    return (double)of(base)->now->invoke.ns / 1e6;
}

static size_t count_outputs(const struct line_engine *e)
{
    return e->request.model ? e->request.model->subgraphs[0].outputs.count : e->io[1].count;
}

/* An output of an inference; the bits, but neither type nor dims, may be those of an earlier one of
 * the same RUN.  False: the answer is none. */
static bool find_output(const struct line_engine *e, size_t inference, size_t index,
                        struct wire_tensor *t, const uint8_t **data)
{
    const struct model *const m = e->items[inference].model;
    struct wire_in in = e->items[inference].read.body;
    struct wire_tensor earlier;

    if (wire_u16(&in) != (m ? m->subgraphs[0].outputs.count : count_outputs(e)))
        return false;
    for (size_t i = 0; i <= index; i++) {
        unsigned form, same;

        wire_read_tensor(&in, t);
        form = wire_u8(&in);
        same = form == 1 ? wire_u16(&in) : 0;
        *data = form == 0 ? wire_bytes(&in, t->bytes) : NULL;
        if (in.bad || form > 1 || (form == 1 && same >= inference))
            return false;
        if (form == 1 && i == index)
            return find_output(e, same, index, &earlier, data) && earlier.bytes == t->bytes;
    }
    return true;
}

static enum status read_outputs(struct engine *base, struct outputs *got, struct diag *diag)
{
    struct line_engine *const e = of(base);
    const struct model *const m = e->request.model;
    enum status s;

    got->count = 0;
    if (!e->now)
        return diag_fail(diag, STATUS_USAGE, "no inputs were written");
    TRY(check_step(e, &e->now->read, "READ", STATUS_DEVICE, diag));
    for (size_t i = 0; i < count_outputs(e); i++) {
        struct wire_tensor t;
        const uint8_t *data;

        if (find_output(e, (size_t)(e->now - e->items), i, &t, &data))
            s = outputs_add(got,
                            &(struct output_view){ m ? m->subgraphs[0].outputs.data[i] : (int)i,
                                                   (TfLiteType)t.type, t.rank, t.dims,
                                                   (size_t)t.bytes, data },
                            diag);
        else
            s = line_break(
                e->line, diag,
                "an answer to READ with another number of outputs than the model has, "
                "a tensor whose type, dims and bytes do not agree, or data past its end");
        if (s != STATUS_OK) {
            outputs_close(got);
            return s;
        }
    }
    return STATUS_OK;
}

static enum status check(struct engine *base, const struct case_instance *x, int frame,
                         struct diag *diag)
{
    struct line_engine *const e = of(base);

    (void)x, (void)frame;
    if (!e->now)
        return diag_fail(diag, STATUS_USAGE, "no inputs were written");
    return check_step(e, &e->now->check, "CHECK", STATUS_MISMATCH, diag);
}

static bool tensor(struct engine *base, bool output, size_t index, struct engine_tensor *t)
{
    const struct line_engine *const e = of(base);
    const struct io_list *const list = e->io ? &e->io[output] : NULL;

    if (e->refused || !list || index >= list->count)
        return false;
    *t = (struct engine_tensor){ .type = (TfLiteType)list->items[index].type,
                                 .rank = list->items[index].rank,
                                 .bytes = (size_t)list->items[index].bytes };
    for (int d = 0; d < t->rank && d < REF_MAX_RANK; d++)
        t->dims[d] = list->items[index].dims[d];
    return true;
}

static size_t own_bytes(struct engine *base)
{
    return (size_t)of(base)->own_bytes;
}

static enum status resize_open(struct engine *base, int axis, int32_t size, const bool *resized,
                               struct diag *diag)
{
    struct line_engine *const e = of(base);
    struct wire_answer a = { .status = WIRE_FAILED, .text = { .bad = true } };
    struct wire_out *o;
    struct wire_in in;
    unsigned left;

    drop_answers(e);
    TRY(line_start(e->line, e->instance, &o, diag));
    wire_put_u8(o, WIRE_RESIZE);
    put_sizes(o, e->request.model, axis, size, resized);
    TRY(line_finish(e->line, 1, &e->payload, &in, &left, diag));
    take(&in, &left, &a);
    TRY(check_answers(e, &in, left, diag));
    TRY(take_opened(e, &a, diag));
    return e->refused ? failed(&a, STATUS_DEVICE, diag) : STATUS_OK;
}

static bool stats(struct engine *base, char *json, size_t bytes)
{
    struct line_engine *const e = of(base);
    struct wire_answer a = none;
    uint8_t *payload;
    struct wire_out *o;
    struct wire_in in;
    unsigned left;
    bool ok;

    if (!line_gives_stats(e->line) || line_start(e->line, e->instance, &o, NULL) != STATUS_OK)
        return false;
    wire_put_u8(o, WIRE_STATS);
    if (line_finish(e->line, 1, &payload, &in, &left, NULL) != STATUS_OK)
        return false;
    ok = take(&in, &left, &a);
    if (ok)
        snprintf(json, bytes, "%.*s", (int)(a.body.end - a.body.at), (const char *)a.body.at);
    mem_free(payload);
    return ok;
}

/* ---- the line ---- */

static unsigned abilities(const struct subject *s)
{
    return s->runtime ? line_abilities(s->runtime) : 0;
}

static void flush(const struct subject *s)
{
    line_flush(s->runtime);
}

static void begin(const struct subject *s, double limit_s)
{
    if (s->runtime)
        line_begin(s->runtime, limit_s);
}

static enum engine_end ended(const struct subject *s, char *text, size_t bytes)
{
    return s->runtime ? line_ended(s->runtime, text, bytes) : ENGINE_RUNS;
}

const struct engine_type engine_line = {
    .abilities_of = abilities,
    ENGINE_STEPS,
    .refusal = refusal,
    .reads_files = true,
    .tensor = tensor,
    .bytes = own_bytes,
    .guards = guards,
    .resize = resize_open,
    .begin_open = begin_open,
    .end_open = end_open,
    .flush = flush,
    .reopen = reopen,
    .took_ms = took_ms,
    .stats = stats,
    .begin = begin,
    .ended = ended,
};
