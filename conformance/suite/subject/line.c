/* Opens lines, and sends and receives frames. */
#include "conformance/suite/subject/line.h"

#include "conformance/suite/subject/line_dial.h"
#include "conformance/suite/subject/subject.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/util/clock.h"
#include "conformance/util/process.h"
#include "reference/base/memory.h"

#define XXH_INLINE_ALL /* no library is needed at run time */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

/* The suite's copy of what an agent keeps; beyond these it is told to forget all. */
enum { KEPT_MAX = 512, KEPT_BYTES_MAX = 64 << 20 };
enum { FIRST_BLOCK_BYTES = 1 << 20 };
/* What may be on its way behind an exchange that is not answered: a socket holds so much, so that
 * the suite never waits for an agent to read that waits for the suite to read. */
enum { FLIGHTS_MAX = 8, AHEAD_BYTES_MAX = 32 << 10 };
/* An interpreter with a large library may take a while until it says HELLO. */
static const double hello_limit_s = 120;
/* An agent that can say ALIVE says so each second. */
static const double silence_limit_s = 5; /* or the key silence_s */
/* The agent ends a step before the suite would. */
static const double agent_share = 0.9;

struct line {
    const struct subject *subject;
    struct line_place place;
    char *command; /* of place */
    bool open;
    bool has_sent;          /* since the case, or the command in it, began */
    struct process process; /* of the command; its socket is the line's, too, where there is none */
    unsigned abilities;     /* as the agent says; 0: it never said HELLO */
    size_t largest;         /* payload that the agent takes */
    char device[128], runtime[128];
    uint32_t sequence, instances;
    double deadline_s; /* of the case, by clock_s; INFINITY: none */
    enum engine_end end;
    char why[480];
    char log[200]; /* the agent's last line of LOG */
    struct wire_out out;
    size_t longest; /* payload in `out` */
    size_t run;     /* where the frame RUN begins in `out` */
    size_t run_steps_at;
    struct wire_buffer input;
    struct kept {
        uint64_t id;
        size_t bytes;
    } kept[KEPT_MAX];
    size_t kept_count, kept_bytes;
    /* Exchanges that were sent, or are in `out`, the oldest first. */
    struct flight {
        uint32_t sequence;
        unsigned steps;
        size_t bytes; /* that were sent for it */
        bool answered;
        bool forgot; /* nobody waits for the answer */
        uint8_t *payload;
        struct wire_in answers;
    } flights[FLIGHTS_MAX];
    size_t flying;
    size_t flights_end; /* where the last one ends in `out` */
};

/* ---- the end ---- */

static void hang_up(struct line *l)
{
    while (l->flying > 0)
        mem_free(l->flights[--l->flying].payload);
    l->flights_end = 0;
    if (l->process.pid > 0)
        process_end(&l->process, true);
    else if (l->process.socket >= 0)
        close(l->process.socket);
    l->process = (struct process){ .pid = 0, .socket = -1, .log = -1 };
    l->open = false;
    l->kept_count = l->kept_bytes = 0;
    l->input.at = l->input.end = 0;
    l->out.count = l->longest = 0;
    l->out.no_memory = false;
    l->largest = WIRE_FRAME_MAX;
}

/* Ends the line, once. */
static enum status end_line(struct line *l, enum engine_end end, struct diag *diag, const char *why)
{
    if (l->end == ENGINE_RUNS) {
        l->end = end;
        snprintf(l->why, sizeof l->why, "%s", why);
    }
    hang_up(l);
    return diag_fail(diag, end == ENGINE_BROKEN ? STATUS_INVALID : STATUS_IO, "%s", l->why);
}

enum status line_break(struct line *l, struct diag *diag, const char *what)
{
    char why[sizeof l->why];

    snprintf(why, sizeof why, "the agent breaks the protocol: %.400s", what);
    return end_line(l, ENGINE_BROKEN, diag, why);
}

/* A shell gives the signal that ended its command as 128 and the number. */
static int wait_status(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) > 128 && WEXITSTATUS(status) < 128 + 32
               ? WEXITSTATUS(status) - 128
               : status;
}

/* The agent sends no more: of a command its end says why. */
static enum status closed(struct line *l, struct diag *diag)
{
    char words[200] = "", end[64], why[sizeof l->why];
    int status;

    if (!l->place.command)
        return end_line(l, ENGINE_LOST, diag, "the connection was closed");
    process_last_words(&l->process, words, sizeof words);
    status = process_end(&l->process, false);
    process_describe_end(wait_status(status), end, sizeof end);
    snprintf(why, sizeof why, "%s%s%s", end, words[0] || l->log[0] ? "; " : "",
             words[0] ? words : l->log);
    if (l->place.is_lost && WIFEXITED(status) && l->place.is_lost(WEXITSTATUS(status), words))
        return end_line(l, ENGINE_LOST, diag, why);
    return end_line(l, ENGINE_CRASHED, diag, why);
}

/* ---- receiving ---- */

struct patience {
    double silence_s;  /* without a byte */
    double deadline_s; /* in all */
};

static bool command_has_ended(const struct line *l)
{
    siginfo_t info = { .si_pid = 0 };

    return l->process.pid > 0 &&
           waitid(P_PID, (id_t)l->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == l->process.pid;
}

enum { TICK_MS = 200 };

/* Receives some bytes, at least one; looks around five times a second. */
static enum status receive_some(struct line *l, void *to, size_t most, size_t *count,
                                const struct patience *p, struct diag *diag)
{
    const double begin_s = clock_s();

    while (true) {
        /* A reader that sleeps in recv is woken up by the agent's reading, too. */
        struct pollfd fd = { .fd = l->process.socket, .events = POLLIN };
        const int came = poll(&fd, 1, TICK_MS);
        const ssize_t n = came > 0 ? recv(l->process.socket, to, most, 0) : -1;
        const double now_s = clock_s();
        char why[128];

        *count = n > 0 ? (size_t)n : 0;
        if (now_s > p->deadline_s) /* however much it says */
            return end_line(l, ENGINE_LATE, diag, "no answer in time");
        if (n > 0)
            return STATUS_OK;
        if (n < 0 && came != 0 && errno == EINTR)
            continue;
        if (n == 0 || came != 0)
            return closed(l, diag);
        /* What an agent leaves behind may hold the socket open. */
        if (command_has_ended(l))
            return closed(l, diag);
        if (now_s - begin_s > p->silence_s) {
            snprintf(why, sizeof why, "not a byte for %g s", p->silence_s);
            return end_line(l, ENGINE_LOST, diag, why);
        }
    }
}

static enum status receive(struct line *l, uint8_t *to, size_t count, const struct patience *p,
                           struct diag *diag)
{
    while (count > 0) {
        struct wire_buffer *const b = &l->input;
        size_t n = wire_buffer_take(b, to, count);

        if (n == 0 && count >= sizeof b->bytes) {
            TRY(receive_some(l, to, count, &n, p, diag));
        } else if (n == 0) {
            b->at = b->end = 0;
            TRY(receive_some(l, b->bytes, sizeof b->bytes, &b->end, p, diag));
        }
        to += n;
        count -= n;
    }
    return STATUS_OK;
}

/* A length is believed as far as the bytes have come. */
static enum status receive_payload(struct line *l, size_t length, uint8_t **out,
                                   const struct patience *p, struct diag *diag)
{
    size_t have = 0, room = length < FIRST_BLOCK_BYTES ? length : FIRST_BLOCK_BYTES;
    uint8_t *bytes = mem_resize(NULL, room, 1);
    enum status s = STATUS_OK;

    while (bytes && s == STATUS_OK && have < length) {
        s = receive(l, bytes + have, room - have, p, diag);
        have = room;
        if (s == STATUS_OK && have < length) {
            uint8_t *larger;

            room = length - room < room ? length : 2 * room;
            larger = mem_resize(bytes, room, 1);
            if (!larger)
                mem_free(bytes);
            bytes = larger;
        }
    }
    if (!bytes)
        return end_line(l, ENGINE_BROKEN, diag, "no memory for an answer of the agent");
    if (s != STATUS_OK)
        mem_free(bytes);
    else
        *out = bytes;
    return s;
}

/* The agent says that it ends, and why. */
static enum status take_bye(struct line *l, struct wire_in *in, struct diag *diag)
{
    static const enum engine_end ends[] = { [WIRE_END_ASKED] = ENGINE_CRASHED,
                                            [WIRE_END_SIGNAL] = ENGINE_CRASHED,
                                            [WIRE_END_LATE] = ENGINE_LATE,
                                            [WIRE_END_REFUSED] = ENGINE_BROKEN };
    const unsigned why = wire_u8(in);
    const uint32_t number = wire_u32(in);
    char text[300], end[64], all[sizeof l->why];

    wire_text(in, text, sizeof text);
    if (in->bad || why >= sizeof ends / sizeof ends[0])
        return line_break(l, diag, "a BYE that is none");
    if (why == WIRE_END_SIGNAL)
        process_describe_end((int)(number & 0x7f), end, sizeof end);
    else
        snprintf(end, sizeof end, "%s",
                 why == WIRE_END_LATE      ? "no answer in time"
                 : why == WIRE_END_REFUSED ? "the agent refuses"
                                           : "the agent ended");
    if (!text[0])
        snprintf(text, sizeof text, "%s", l->log);
    snprintf(all, sizeof all, "%s%s%s", end, text[0] ? "; " : "", text);
    return end_line(l, ends[why], diag, all);
}

static void take_log(struct line *l, struct wire_in *in)
{
    wire_text(in, l->log, sizeof l->log);
}

/* The next frame of the kind; the payload is the caller's, mem_free. */
static enum status expect_frame(struct line *l, enum wire_kind kind, uint32_t sequence,
                                const struct patience *p, uint8_t **payload, struct wire_in *in,
                                struct diag *diag)
{
    while (true) {
        uint8_t head[WIRE_HEADER_BYTES];
        struct wire_header h;
        struct diag broken;
        char what[128];
        enum status s = STATUS_OK;

        TRY(receive(l, head, sizeof head, p, diag));
        if (wire_read_header(head, WIRE_FRAME_MAX, &h, &broken) != STATUS_OK)
            return line_break(l, diag, broken.text);
        TRY(receive_payload(l, h.length, payload, p, diag));
        *in = (struct wire_in){ *payload, *payload + h.length, false };
        if (h.kind == kind && h.sequence == sequence)
            return STATUS_OK;
        if (h.kind == WIRE_BYE)
            s = take_bye(l, in, diag);
        else if (h.kind == WIRE_LOG)
            take_log(l, in);
        else if (h.kind <= WIRE_ANSWER) {
            snprintf(what, sizeof what,
                     "a frame of kind %d with sequence %u, expected kind %d with %u", (int)h.kind,
                     (unsigned)h.sequence, (int)kind, (unsigned)sequence);
            s = line_break(l, diag, what);
        }
        mem_free(*payload);
        *payload = NULL;
        TRY(s);
    }
}

/* ---- sending ---- */

static void end_frame(struct line *l, size_t begin)
{
    const size_t length = l->out.count - begin - WIRE_HEADER_BYTES;

    wire_end_frame(&l->out, begin);
    if (length > l->longest && !l->out.no_memory)
        l->longest = length;
}

/* ---- opening ---- */

static void serve_command(int socket, void *user)
{
    const char *const command = ((struct line *)user)->place.command;
    struct rlimit space;

    /* A limit of a worker that runs other subjects, too, would be one of this agent's machine. */
    if (getrlimit(RLIMIT_AS, &space) == 0)
        setrlimit(RLIMIT_AS, &(struct rlimit){ space.rlim_max, space.rlim_max });
    dup2(socket, STDIN_FILENO);
    dup2(socket, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static enum status connect_line(struct line *l, struct diag *diag)
{
    const struct timeval send_limit = { .tv_sec = 30 };
    enum status s;

    if (l->place.command)
        s = process_start(&l->process, PROCESS_OUTPUT_LOG, serve_command, l, diag);
    else
        s = line_dial(l->place.address, &l->process.socket, diag);
    if (s != STATUS_OK)
        return s;
    setsockopt(l->process.socket, SOL_SOCKET, SO_SNDTIMEO, &send_limit, sizeof send_limit);
    /* A command that cannot start may have said why, and ended, before anything is sent. */
    l->has_sent = true;
    return STATUS_OK;
}

static enum status send_all(struct line *l, struct diag *diag)
{
    char why[128];

    if (l->longest > l->largest) {
        snprintf(why, sizeof why, "the agent takes frames of at most %zu bytes, expected %zu",
                 l->largest, l->longest);
        return end_line(l, ENGINE_BROKEN, diag, why);
    }
    if (l->out.no_memory)
        return end_line(l, ENGINE_BROKEN, diag, "no memory for what is sent to the agent");
    /* Its last words are those of the case. */
    if (l->has_sent ? process_write(l->process.socket, l->out.bytes, l->out.count)
                    : process_send(&l->process, l->out.bytes, l->out.count)) {
        l->has_sent = true;
        l->out.count = l->longest = l->flights_end = 0;
        return STATUS_OK;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK
               ? end_line(l, ENGINE_LOST, diag, "the agent does not read what is sent to it")
               : closed(l, diag);
}

/* However much an agent says before it does anything. */
static struct patience beginning(const struct line *l)
{
    return (struct patience){ hello_limit_s, fmin(l->deadline_s, clock_s() + hello_limit_s) };
}

static enum status say_hello(struct line *l, struct diag *diag)
{
    const struct patience p = beginning(l);
    /* From a file, since options of a subject are shown in reports. */
    const char *const file = subject_option(l->subject, "secret_file");
    char secret[LINE_SECRET_BYTES] = "";
    const char *const pairs[] = { "name", "assay " ASSAY_VERSION, "secret", secret, NULL };
    struct wire_hello hello;
    struct wire_in in;
    uint8_t *payload;
    struct diag broken;

    if (file)
        TRY(diag_prefix(diag, line_secret(file, secret, diag), "secret_file"));
    wire_put_hello(&l->out, pairs);
    TRY(send_all(l, diag));
    TRY(expect_frame(l, WIRE_HELLO, 0, &p, &payload, &in, diag));
    if (wire_read_hello(&in, &hello, &broken) != STATUS_OK) {
        mem_free(payload);
        return line_break(l, diag, broken.text);
    }
    l->largest = hello.largest;
    mem_free(payload);
    return STATUS_OK;
}

/* What the agent has created: abilities, and texts about it. */
static bool take_created(struct line *l, struct wire_in *in)
{
    l->abilities = wire_u32(in);
    wire_find_pair(*in, "device", l->device, sizeof l->device);
    wire_find_pair(*in, "runtime", l->runtime, sizeof l->runtime);
    return !in->bad;
}

/* Hands the subject's keys over, but those that are the line's own. */
static enum status create(struct line *l, struct diag *diag)
{
    const struct patience p = beginning(l);
    const struct subject *const s = l->subject;
    struct wire_answer a;
    struct wire_in in;
    uint8_t *payload;
    char text[sizeof l->why];
    size_t frame, count_at;
    unsigned count = 0;

    frame = wire_begin_frame(&l->out, WIRE_CREATE, ++l->sequence);
    count_at = l->out.count;
    wire_put_u16(&l->out, 0);
    for (size_t i = 0; i < s->option_count; i++) {
        char pair[WIRE_TEXT_MAX];

        if (subject_kind_has_key(s->kind, s->options[i].key))
            continue;
        snprintf(pair, sizeof pair, "%s=%s", s->options[i].key, s->options[i].value);
        wire_put_text(&l->out, pair);
        count++;
    }
    if (!l->out.no_memory)
        l->out.bytes[count_at] = (uint8_t)count;
    end_frame(l, frame);
    TRY(send_all(l, diag));
    TRY(expect_frame(l, WIRE_ANSWER, l->sequence, &p, &payload, &in, diag));
    wire_u16(&in);
    wire_read_answer(&in, &a);
    if (a.status == WIRE_DONE)
        in.bad = !take_created(l, &a.body) || in.bad;
    wire_text(&a.text, text, sizeof text);
    mem_free(payload);
    if (in.bad)
        return line_break(l, diag, "the answer to CREATE passes the end of its frame");
    if (a.status == WIRE_DONE)
        return STATUS_OK;
    if (!text[0])
        snprintf(text, sizeof text, "it fails without a reason");
    end_line(l, ENGINE_CRASHED, NULL, text);
    return diag_fail(diag, a.status == WIRE_REFUSED ? STATUS_USAGE : STATUS_NO_DEVICE, "%s", text);
}

enum status line_open(struct line *l, struct diag *diag)
{
    char text[sizeof l->why];
    struct diag why;
    enum status s;

    if (l->open)
        return STATUS_OK;
    if (l->end != ENGINE_RUNS)
        return diag_fail(diag, STATUS_IO, "%s", l->why);
    l->log[0] = '\0';
    s = connect_line(l, &why);
    if (s != STATUS_OK) {
        end_line(l, l->place.command ? ENGINE_CRASHED : ENGINE_LOST, NULL, why.text);
        return diag_fail(diag, s, "%s", why.text);
    }
    s = say_hello(l, &why);
    if (s == STATUS_OK)
        s = create(l, &why);
    if (s == STATUS_OK) {
        l->open = true;
        return STATUS_OK;
    }
    hang_up(l);
    snprintf(text, sizeof text, "%.470s", why.text);
    return diag_fail(diag, s, "the agent does not start: %s", text);
}

enum status line_make(struct line **out, const struct subject *s, const struct line_place *place,
                      struct diag *diag)
{
    struct line *const l = mem_alloc(1, sizeof *l);

    *out = l;
    if (!l)
        return diag_fail(diag, STATUS_NO_MEMORY, "line: out of memory");
    process_keep_memory();
    l->subject = s;
    l->place = *place;
    l->process = (struct process){ .pid = 0, .socket = -1, .log = -1 };
    l->largest = WIRE_FRAME_MAX;
    l->deadline_s = INFINITY;
    if (place->command) {
        l->command = mem_alloc(strlen(place->command) + 1, 1);
        if (!l->command)
            return diag_fail(diag, STATUS_NO_MEMORY, "line: out of memory");
        strcpy(l->command, place->command);
        l->place.command = l->command;
    }
    return STATUS_OK;
}

/* Tells an agent to end, and lets it, as drivers want it. */
static void say_bye(struct line *l)
{
    static const int patience_ms = 5000;

    wire_put_bye(&l->out, WIRE_END_ASKED, 0, NULL);
    if (!l->out.no_memory)
        process_write(l->process.socket, l->out.bytes, l->out.count);
    shutdown(l->process.socket, SHUT_WR);
    for (int ms = 0; l->process.pid > 0 && ms < patience_ms && !command_has_ended(l); ms++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

void line_close(struct line *l)
{
    if (!l)
        return;
    if (l->open)
        say_bye(l);
    hang_up(l);
    wire_out_close(&l->out);
    mem_free(l->command);
    mem_free(l);
}

/* ---- cases ---- */

static void forget_all(struct line *l)
{
    const size_t frame = wire_begin_frame(&l->out, WIRE_FORGET, 0);

    wire_put_u64(&l->out, 0);
    end_frame(l, frame);
    l->kept_count = l->kept_bytes = 0;
}

/* Another case has other data: what the agent keeps for no use is memory that is cold. */
void line_begin(struct line *l, double limit_s)
{
    if (l->open && l->kept_count > 0)
        forget_all(l);
    l->end = ENGINE_RUNS;
    l->has_sent = false;
    l->why[0] = '\0';
    l->deadline_s = limit_s > 0 ? clock_s() + limit_s : INFINITY;
}

unsigned line_abilities(const struct line *l)
{
    return l->abilities & ENGINE_ABILITIES;
}

bool line_gives_stats(const struct line *l)
{
    return l->abilities & WIRE_ABILITY_STATS;
}

const char *line_device(const struct line *l)
{
    return l->device;
}

const char *line_runtime(const struct line *l)
{
    return l->runtime;
}

uint32_t line_new_instance(struct line *l)
{
    return ++l->instances;
}

/* ---- exchanges ---- */

uint64_t line_data(struct line *l, const void *bytes, size_t count)
{
    uint64_t id = XXH3_64bits_withSeed(count ? bytes : "", count, count);
    size_t frame;

    id += id == 0; /* 0 stands for all */
    for (size_t i = l->kept_count; i-- > 0;) {
        if (l->kept[i].id == id)
            return id;
    }
    frame = wire_begin_frame(&l->out, WIRE_DATA, 0);
    wire_put_u64(&l->out, id);
    wire_put_bytes(&l->out, bytes, count);
    end_frame(l, frame);
    if (l->kept_count < KEPT_MAX)
        l->kept[l->kept_count++] = (struct kept){ id, count };
    l->kept_bytes += count;
    return id;
}

void line_drop(struct line *l, uint32_t instance)
{
    size_t frame;

    if (!l->open)
        return;
    frame = wire_begin_frame(&l->out, WIRE_CLOSE, 0);
    wire_put_u32(&l->out, instance);
    end_frame(l, frame);
}

static double silence_limit(const struct line *l)
{
    const char *const text = subject_option(l->subject, "silence_s");

    return text ? strtod(text, NULL) : silence_limit_s;
}

static struct patience until(const struct line *l, double deadline_s)
{
    return (struct patience){ l->abilities & WIRE_ABILITY_ALIVE ? silence_limit(l) : INFINITY,
                              deadline_s };
}

/* Those that are answered come first. */
static struct flight *oldest(struct line *l)
{
    struct flight *f = l->flights;

    while (f < l->flights + l->flying && f->answered)
        f++;
    return f < l->flights + l->flying ? f : NULL;
}

static void remove_flight(struct line *l, struct flight *f)
{
    mem_free(f->payload);
    memmove(f, f + 1, (size_t)(l->flights + --l->flying - f) * sizeof *f);
}

static enum status receive_oldest(struct line *l, const struct patience *p, struct diag *diag)
{
    struct flight *const f = oldest(l);
    struct wire_in answers;
    uint8_t *payload;

    TRY(expect_frame(l, WIRE_ANSWER, f->sequence, p, &payload, &answers, diag));
    f->answered = true;
    f->payload = payload;
    f->answers = answers;
    if (f->forgot)
        remove_flight(l, f);
    return STATUS_OK;
}

enum status line_start(struct line *l, uint32_t instance, struct wire_out **steps,
                       struct diag *diag)
{
    const struct patience p = until(l, l->deadline_s);
    double left_s, limit_ms;

    TRY(line_open(l, diag));
    /* An agent that waits until its answer is read does not read what is sent to it. */
    while (l->out.count > AHEAD_BYTES_MAX && l->flights_end == 0 && oldest(l))
        TRY(receive_oldest(l, &p, diag));
    left_s = l->deadline_s - clock_s();
    limit_ms = isinf(left_s) ? 0 : fmax(left_s * agent_share, 0.1) * 1e3;
    l->run = wire_begin_frame(&l->out, WIRE_RUN, ++l->sequence);
    wire_put_u32(&l->out, instance);
    wire_put_u32(&l->out, (uint32_t)fmin(limit_ms, 4e9));
    l->run_steps_at = l->out.count;
    wire_put_u16(&l->out, 0);
    *steps = &l->out;
    return STATUS_OK;
}

uint32_t line_end(struct line *l, unsigned steps)
{
    assert(l->flying < FLIGHTS_MAX);
    if (!l->out.no_memory) {
        l->out.bytes[l->run_steps_at] = (uint8_t)steps;
        l->out.bytes[l->run_steps_at + 1] = (uint8_t)(steps >> 8);
    }
    end_frame(l, l->run);
    l->flights[l->flying++] = (struct flight){ .sequence = l->sequence,
                                               .steps = steps,
                                               .bytes = l->out.count - l->flights_end };
    l->flights_end = l->out.count;
    if (l->kept_count == KEPT_MAX || l->kept_bytes > KEPT_BYTES_MAX)
        forget_all(l);
    return l->sequence;
}

static struct flight *find_flight(struct line *l, uint32_t exchange)
{
    for (size_t i = 0; i < l->flying; i++)
        if (l->flights[i].sequence == exchange)
            return &l->flights[i];
    return NULL;
}

enum status line_receive(struct line *l, uint32_t exchange, uint8_t **payload,
                         struct wire_in *answers, unsigned *answered, struct diag *diag)
{
    const struct patience p = until(l, l->deadline_s);
    struct flight *f;

    *payload = NULL;
    if (l->flying > 0 && l->out.count > 0)
        TRY(send_all(l, diag));
    while ((f = find_flight(l, exchange)) && !f->answered)
        TRY(receive_oldest(l, &p, diag));
    if (!f) /* the line has ended since */
        return diag_fail(diag, STATUS_IO, "%s", l->why);
    *payload = f->payload;
    *answers = f->answers;
    *answered = wire_u16(answers);
    if (*answered > f->steps || answers->bad) {
        *payload = NULL;
        return line_break(l, diag, "it answers more steps than it was asked for");
    }
    f->payload = NULL;
    remove_flight(l, f);
    return STATUS_OK;
}

enum status line_finish(struct line *l, unsigned steps, uint8_t **payload, struct wire_in *answers,
                        unsigned *answered, struct diag *diag)
{
    const uint32_t exchange = line_end(l, steps);

    return line_receive(l, exchange, payload, answers, answered, diag);
}

bool line_has_room(struct line *l, size_t bytes)
{
    const struct flight *const first = oldest(l), *const end = l->flights + l->flying;

    if (!first)
        return l->open;
    for (const struct flight *f = first + 1; f < end; f++)
        bytes += f->bytes;
    return l->abilities & WIRE_ABILITY_AHEAD && l->flying < FLIGHTS_MAX - 1 &&
           bytes <= AHEAD_BYTES_MAX;
}

void line_flush(struct line *l)
{
    if (l->flights_end > 0) /* more than what an agent may be told later */
        send_all(l, NULL);  /* who waits for the answer is told */
}

void line_forget(struct line *l, uint32_t exchange)
{
    struct flight *const f = find_flight(l, exchange);

    if (f && f->answered)
        remove_flight(l, f);
    else if (f)
        f->forgot = true;
}

/* What was asked ahead of time, for a case that has ended since, must not be in the way of the next
 * one. */
static void settle(struct line *l)
{
    const struct patience p = until(l, clock_s() + (l->deadline_s - clock_s()) * agent_share);

    if (l->end != ENGINE_RUNS)
        return;
    while (oldest(l) && receive_oldest(l, &p, NULL) == STATUS_OK)
        ;
    l->end = ENGINE_RUNS;
    l->why[0] = '\0';
}

enum engine_end line_ended(struct line *l, char *text, size_t bytes)
{
    settle(l);
    snprintf(text, bytes, "%s", l->why);
    return l->end;
}
