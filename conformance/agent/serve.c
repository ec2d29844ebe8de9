/* One host, one subject: the frames of a connection.  The steps of a RUN are in steps.c. */
#include "conformance/agent/serve.h"

#include "conformance/agent/steps.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/suite/subject/wire.h"
#include "conformance/util/clock.h"
#include "conformance/util/process.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct connection {
    struct agent agent;
    int in, out;
    const char *spec, *secret;        /* as agent_serve */
    bool greeted, was_asked, created; /* by HELLO, CREATE; who runs the models is there */
    /* Of the watch, which says ALIVE. */
    pthread_mutex_t lock; /* of `out` and what follows */
    bool runs;
    double deadline_s; /* of the RUN; 0: none */
    double limit_s;
    struct wire_buffer input;
};

/* ---- sending ---- */

/* False: the host is gone. */
static bool send_frame(struct connection *c, struct wire_out *o)
{
    bool ok;

    pthread_mutex_lock(&c->lock);
    ok = !o->no_memory && process_write(c->out, o->bytes, o->count);
    pthread_mutex_unlock(&c->lock);
    o->count = 0;
    return ok;
}

static int refuse(struct connection *c, const char *text)
{
    wire_put_bye(&c->agent.answer, WIRE_END_REFUSED, 0, text);
    send_frame(c, &c->agent.answer);
    fprintf(stderr, "assay-agent: %s\n", text);
    return EXIT_FAILURE;
}

/* Says each second that a step still runs, and ends one that takes too long: no other thread can
 * end it. */
static void *watch(void *user)
{
    struct connection *const c = user;

    while (true) {
        struct wire_out o = { .bytes = NULL };
        bool late, ok = true;

        sleep(1);
        pthread_mutex_lock(&c->lock);
        late = c->runs && c->deadline_s > 0 && clock_s() > c->deadline_s;
        if (late) {
            char text[64];

            snprintf(text, sizeof text, "no answer within %.3g s", c->limit_s);
            wire_put_bye(&o, WIRE_END_LATE, 0, text);
        } else if (c->runs) {
            wire_end_frame(&o, wire_begin_frame(&o, WIRE_ALIVE, 0));
        }
        if (o.count > 0 && !o.no_memory)
            ok = process_write(c->out, o.bytes, o.count);
        if (late || !ok)
            _exit(EXIT_FAILURE);
        pthread_mutex_unlock(&c->lock);
        wire_out_close(&o);
    }
    return NULL;
}

/* ---- the subject ---- */

/* As --subject has it: a key may say which library that is. */
static void put_key(FILE *spec, const char *text, bool first)
{
    fputc(first ? '?' : '&', spec);
    for (; *text; text++)
        fprintf(spec, strchr("?&%", *text) ? "%%%02X" : "%c", (unsigned char)*text);
}

/* The agent's own subject with the keys of the host. */
static enum status take_subject(struct connection *c, struct wire_in *in, struct diag *diag)
{
    const bool has_keys = strchr(c->spec, '?') != NULL;
    const unsigned count = wire_u16(in);
    char key[WIRE_TEXT_MAX + 1], *spec = NULL;
    size_t bytes;
    FILE *const out = open_memstream(&spec, &bytes);
    enum status s;

    if (!out)
        return diag_fail(diag, STATUS_NO_MEMORY, "subject: out of memory");
    fputs(c->spec, out);
    for (unsigned i = 0; i < count && !in->bad; i++) {
        wire_text(in, key, sizeof key);
        put_key(out, key, i == 0 && !has_keys);
    }
    fclose(out);
    s = in->bad ? diag_fail(diag, STATUS_INVALID, "a CREATE that passes its end")
                : subject_parse(&c->agent.subject, spec, diag);
    free(spec);
    return s;
}

static enum status create(struct connection *c, struct wire_in *in, struct diag *diag)
{
    /* As the suite does in its own process. */
    static const struct subject_option all = { "max_partitions", "0" };
    struct subject *const s = &c->agent.subject;

    TRY(take_subject(c, in, diag));
    TRY(subject_load(s, diag));
    return subject_create(s, &all, s->extras.get_stats && !subject_option(s, all.key),
                          &c->agent.delegate, diag);
}

static void answer_create(struct connection *c, uint32_t sequence, struct wire_in *in)
{
    const struct subject *const s = &c->agent.subject;
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    char device[128] = "", runtime[160] = "";
    const char *const pairs[] = { "device", device, "runtime", runtime, NULL };
    const size_t frame = wire_begin_frame(&c->agent.answer, WIRE_ANSWER, sequence);
    struct diag diag;
    enum status status;
    size_t begin;

    wire_put_u16(&c->agent.answer, 1);
    status = create(c, in, &diag);
    c->was_asked = true;
    c->created = status == STATUS_OK;
    begin = wire_begin_answer(&c->agent.answer,
                              status == STATUS_OK      ? WIRE_DONE
                              : status == STATUS_USAGE ? WIRE_REFUSED
                                                       : WIRE_FAILED,
                              0, status == STATUS_OK ? NULL : diag.text);
    if (status == STATUS_OK) {
        if (s->kind->describe)
            s->kind->describe(s, device, sizeof device, runtime, sizeof runtime);
        else if (s->extras.get_stats && s->extras.get_stats(c->agent.delegate, &stats) == 0)
            snprintf(device, sizeof device, "%.100s", stats.device);
        if (!runtime[0])
            snprintf(runtime, sizeof runtime, "%.150s", s->label);
        wire_put_u32(&c->agent.answer, (engine_abilities(s) & ENGINE_ABILITIES) |
                                           WIRE_ABILITY_ALIVE | WIRE_ABILITY_STATS |
                                           WIRE_ABILITY_AHEAD);
        wire_put_pairs(&c->agent.answer, pairs);
    }
    wire_end_answer(&c->agent.answer, begin);
    wire_end_frame(&c->agent.answer, frame);
}

/* ---- frames ---- */

static bool read_all(struct connection *c, uint8_t *bytes, size_t count)
{
    while (count > 0) {
        struct wire_buffer *const b = &c->input;
        const bool large = count >= sizeof b->bytes;
        size_t n = wire_buffer_take(b, bytes, count);

        if (n == 0) {
            struct pollfd fd = { .fd = c->in, .events = POLLIN };
            ssize_t got;

            /* A reader that sleeps in read is woken up by the host's reading, too. */
            poll(&fd, 1, -1);
            got = read(c->in, large ? bytes : b->bytes, large ? count : sizeof b->bytes);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return false;
            n = large ? (size_t)got : 0;
            b->at = 0;
            b->end = large ? 0 : (size_t)got;
        }
        bytes += n;
        count -= n;
    }
    return true;
}

/* A host that guesses learns nothing from the time that it takes. */
static bool knows(const char *secret, const char *said)
{
    unsigned differs = strlen(secret) != strlen(said);

    for (size_t i = 0; secret[i] && said[i]; i++)
        differs |= (unsigned char)secret[i] ^ (unsigned char)said[i];
    return differs == 0;
}

static int greet(struct connection *c, struct wire_in *in)
{
    static const char *const pairs[] = { "name", "assay-agent " ASSAY_VERSION, NULL };
    struct wire_hello hello;
    struct diag diag;
    char said[256];

    if (wire_read_hello(in, &hello, &diag) != STATUS_OK)
        return refuse(c, diag.text);
    wire_find_pair(hello.pairs, "secret", said, sizeof said);
    if (!knows(c->secret, said))
        return refuse(c, "the host does not know the secret");
    c->greeted = true;
    alarm(0);
    wire_put_hello(&c->agent.answer, pairs);
    return send_frame(c, &c->agent.answer) ? -1 : EXIT_FAILURE;
}

static bool run(struct connection *c, uint32_t sequence, struct wire_in *in)
{
    const size_t frame = wire_begin_frame(&c->agent.answer, WIRE_ANSWER, sequence);
    const size_t count_at = c->agent.answer.count;
    const uint32_t id = wire_u32(in), limit_ms = wire_u32(in);
    const unsigned steps = wire_u16(in);
    unsigned answered;

    wire_put_u16(&c->agent.answer, 0);
    pthread_mutex_lock(&c->lock);
    c->runs = true;
    c->limit_s = limit_ms / 1e3;
    c->deadline_s = limit_ms ? clock_s() + c->limit_s : 0;
    pthread_mutex_unlock(&c->lock);
    answered = agent_steps(&c->agent, id, steps, in);
    wire_note(&c->agent.answer, count_at, answered, 2);
    wire_end_frame(&c->agent.answer, frame);
    pthread_mutex_lock(&c->lock);
    c->runs = false;
    pthread_mutex_unlock(&c->lock);
    return !in->bad;
}

/* Answers one frame; -1: go on, else the exit status. */
static int take_frame(struct connection *c, const struct wire_header *h, struct wire_in *in)
{
    if (!c->greeted && h->kind != WIRE_HELLO)
        return refuse(c, "expected HELLO as the first frame");
    switch (h->kind) {
    case WIRE_HELLO: return greet(c, in);
    case WIRE_CREATE:
        if (c->was_asked)
            return refuse(c, "expected one CREATE, found another");
        answer_create(c, h->sequence, in);
        break;
    case WIRE_FORGET: agent_forget(&c->agent, wire_u64(in)); return -1;
    case WIRE_CLOSE: agent_close_instance(&c->agent, wire_u32(in)); return -1;
    case WIRE_RUN:
        if (!c->created)
            return refuse(c, "expected CREATE before RUN, and that it is done");
        if (!run(c, h->sequence, in)) {
            c->agent.answer.count = 0;
            return refuse(c, "a RUN that passes its end");
        }
        break;
    case WIRE_BYE: return EXIT_SUCCESS;
    default: return -1;
    }
    return send_frame(c, &c->agent.answer) ? -1 : EXIT_FAILURE;
}

/* Data lie where they were received. */
static int receive_data(struct connection *c, size_t length)
{
    uint8_t head[8];
    struct wire_in in = { head, head + sizeof head, false };
    struct data *d;

    if (length < sizeof head)
        return refuse(c, "DATA without an id");
    if (!read_all(c, head, sizeof head))
        return EXIT_SUCCESS;
    length -= sizeof head;
    d = mem_resize(NULL, sizeof *d + length, 1);
    if (!d)
        return refuse(c, "no memory for DATA");
    *d = (struct data){ .next = c->agent.data, .id = wire_u64(&in), .count = length };
    if (!read_all(c, d->bytes, length)) {
        mem_free(d);
        return EXIT_SUCCESS;
    }
    c->agent.data = d;
    return -1;
}

static int serve(struct connection *c)
{
    uint8_t head[WIRE_HEADER_BYTES], *payload = NULL;
    size_t room = 0;
    int end = -1;

    while (end < 0 && read_all(c, head, sizeof head)) {
        /* Before the host has shown that it knows the secret it gets little memory. */
        const uint32_t most = c->greeted ? WIRE_FRAME_MAX : 1 << 16;
        struct wire_header h;
        struct wire_in in;
        struct diag diag;

        if (wire_read_header(head, most, &h, &diag) != STATUS_OK) {
            end = refuse(c, diag.text);
            break;
        }
        if (h.kind == WIRE_DATA && c->greeted) {
            end = receive_data(c, h.length);
            continue;
        }
        if (h.length > room) {
            mem_free(payload);
            room = h.length;
            payload = mem_resize(NULL, room, 1);
        }
        if (h.length > 0 && !payload) {
            end = refuse(c, "no memory for a frame");
            break;
        }
        if (!read_all(c, payload, h.length))
            break;
        in = (struct wire_in){ payload, payload + h.length, false };
        end = take_frame(c, &h, &in);
    }
    mem_free(payload);
    return end < 0 ? EXIT_SUCCESS : end;
}

int agent_serve(int in, int out, const char *subject, const char *secret)
{
    struct connection *const c = mem_alloc(1, sizeof *c);
    pthread_t thread;
    int end;

    if (!c)
        return EXIT_FAILURE;
    c->in = in;
    c->out = out;
    c->spec = subject;
    c->secret = secret;
    pthread_mutex_init(&c->lock, NULL);
    end = pthread_create(&thread, NULL, watch, c) == 0 ? serve(c)
                                                       : refuse(c, "no thread can be started");
    agent_close(&c->agent);
    return end; /* the watch still has the rest */
}
