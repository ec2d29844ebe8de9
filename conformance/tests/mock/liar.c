/* An agent that lies: runs another agent, and changes one thing of what that says.
 *     liar FAULT COMMAND...
 * FAULT is one of the names below; cut=N ends behind N bytes, record=FILE copies all bytes. */
#include "conformance/suite/subject/wire.h"
#include "reference/base/memory.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* X(name): what it does to the answer to the first RUN, or to what its name says. */
#define FAULTS(X)                                                                                  \
    X(none)                                                                                        \
    X(delay)       /* none, but 5 ms before each answer */                                         \
    X(print)       /* a line on stdout before HELLO */                                             \
    X(version)     /* speaks versions 2 to 3 */                                                    \
    X(magic)       /* HELLO does not begin so */                                                   \
    X(small)       /* takes frames of 300 bytes at most, as its HELLO says */                      \
    X(early)       /* the answer before it was asked for */                                        \
    X(sequence)    /* of another RUN */                                                            \
    X(kind)        /* a HELLO in its place */                                                      \
    X(unknown)     /* a frame of a kind that nobody knows before it, which is no fault */          \
    X(garbage)     /* bytes that are no frame */                                                   \
    X(longer)      /* a length that is larger than what follows, and the end */                    \
    X(huge)        /* of 4 GiB */                                                                  \
    X(more)        /* steps than were asked for */                                                 \
    X(fewer)       /* steps, of which none failed */                                               \
    X(status)      /* that there is none of */                                                     \
    X(body)        /* longer than the frame */                                                     \
    X(node_bits)   /* that pass the end */                                                         \
    X(nodes)       /* more than the model has */                                                   \
    X(shape)       /* another one of the same size */                                              \
    X(same_bits)   /* the same, of frame B, whose bits may be those of A */                        \
    X(type)        /* another one of the same size */                                              \
    X(bytes)       /* fewer than type and dims say */                                              \
    X(rank)        /* 200 */                                                                       \
    X(outputs)     /* one fewer */                                                                 \
    X(same)        /* as a READ that comes later */                                                \
    X(value)       /* one bit of an output */                                                      \
    X(abort)       /* ends by a signal, with words on stderr */                                    \
    X(leave)       /* ends with status 0 */                                                        \
    X(stall)       /* says nothing any more */                                                     \
    X(alive)       /* says ALIVE for ever */                                                       \
    X(late)        /* says that it took too long */                                                \
    X(fail_open)   /* says that OPEN failed */                                                     \
    X(refuse)      /* says that OPEN was refused */                                                \
    X(refuse_late) /* says so of the first INVOKE */

enum fault {
#define X(name) FAULT_##name,
    FAULTS(X)
#undef X
        FAULT_cut,
    FAULT_record
};

static const char *const names[] = {
#define X(name) #name,
    FAULTS(X)
#undef X
};

static enum fault fault;
static long left = -1; /* bytes until the end; -1: it is far */
static FILE *record;

static void say(const void *bytes, size_t count)
{
    if (record) { /* at once: the suite may end it by force */
        fwrite(bytes, 1, count, record);
        fflush(record);
    }
    if (left >= 0 && count > (size_t)left)
        count = (size_t)left;
    if (write(STDOUT_FILENO, bytes, count) != (ssize_t)count)
        exit(EXIT_FAILURE);
    if (left >= 0 && (left -= (long)count) == 0)
        exit(EXIT_SUCCESS);
}

static void say_frame(struct wire_out *o)
{
    say(o->bytes, o->count);
    wire_out_close(o);
}

/* ---- faults ---- */

/* Where the answer to step `index` of a RUN begins, and its body. */
static uint8_t *answer_at(uint8_t *frame, size_t count, int index, uint8_t **body)
{
    struct wire_in in = { frame + WIRE_HEADER_BYTES + 2, frame + count, false };
    uint8_t *begin = NULL;

    for (int i = 0; i <= index; i++) {
        struct wire_answer a;

        begin = frame + (in.at - frame);
        wire_read_answer(&in, &a);
        *body = frame + (a.body.at - frame);
    }
    if (in.bad)
        exit(EXIT_FAILURE);
    return begin;
}

static _Noreturn void say_alive(void)
{
    while (true) {
        struct wire_out o = { .bytes = NULL };

        wire_end_frame(&o, wire_begin_frame(&o, WIRE_ALIVE, 0));
        say_frame(&o);
        usleep(100000);
    }
}

/* In the place of the answer: OPEN, WRITE, INVOKE, READ of frame A are its first four steps, READ
 * of frame B the eighth.  The body of READ is the number of outputs, then type, rank and dims
 * of the first. */
static void lie(uint8_t *frame, size_t count)
{
    struct wire_out o = { .bytes = NULL };
    uint8_t *body, *open = answer_at(frame, count, 0, &body);
    size_t begin;

    switch (fault) {
    case FAULT_sequence: frame[8]++; break;
    case FAULT_kind: frame[4] = WIRE_HELLO; break;
    case FAULT_unknown:
        begin = wire_begin_frame(&o, (enum wire_kind)200, 77);
        wire_put_text(&o, "nobody knows");
        wire_end_frame(&o, begin);
        say_frame(&o);
        break;
    case FAULT_garbage: memcpy(frame, "Segmentation fault", 12); break;
    case FAULT_longer: frame[2]++; break;
    case FAULT_huge: memset(frame, 0xff, 4); break;
    case FAULT_more: frame[WIRE_HEADER_BYTES]++; break;
    case FAULT_fewer: frame[WIRE_HEADER_BYTES] = 3; break;
    case FAULT_status: open[0] = 9; break;
    case FAULT_body: body[-1] = 1; break;
    case FAULT_node_bits: body[11] = 0x7f; break;
    case FAULT_nodes: body[8] = 8; break;
    case FAULT_fail_open:
    case FAULT_refuse:
        open[0] = fault == FAULT_refuse ? WIRE_REFUSED : WIRE_FAILED;
        frame[WIRE_HEADER_BYTES] = 1;
        break;
    case FAULT_refuse_late:
        answer_at(frame, count, 2, &body)[0] = WIRE_REFUSED;
        frame[WIRE_HEADER_BYTES] = 3;
        break;
    case FAULT_late:
        wire_put_bye(&o, WIRE_END_LATE, 0, "over the limit");
        say_frame(&o);
        exit(EXIT_FAILURE);
    case FAULT_abort:
        fputs("Check failed: the liar does not like it\n", stderr);
        raise(SIGABRT);
        break;
    case FAULT_leave: exit(EXIT_SUCCESS);
    case FAULT_stall: pause(); break;
    case FAULT_alive: say_alive();
    default: break;
    }
    if (fault >= FAULT_shape && fault <= FAULT_value) {
        answer_at(frame, count, fault == FAULT_same_bits ? 7 : 3, &body);
        switch (fault) {
        case FAULT_shape:
        case FAULT_same_bits:            /* the first and the last dimension change places */
            begin = 4 * (size_t)body[3]; /* of the last one */
            for (size_t i = 4; i < 8; i++) {
                const uint8_t x = body[i];

                body[i] = body[begin + i - 4];
                body[begin + i - 4] = x;
            }
            break;
        case FAULT_type: body[2] = 2; break; /* i32 */
        case FAULT_bytes: body[4 + 4 * (size_t)body[3]] -= 4; break;
        case FAULT_rank: body[3] = 200; break;
        case FAULT_outputs: body[0] = 0; break;
        case FAULT_same: body[4 + 4 * (size_t)body[3] + 8] = 1; break;
        case FAULT_value: body[4 + 4 * (size_t)body[3] + 9 + 2] ^= 0x40; break;
        default: break;
        }
    }
    say(frame, count);
    if (fault == FAULT_longer)
        exit(EXIT_SUCCESS);
}

/* ---- the agent in between ---- */

static void pass_frame(uint8_t *frame, size_t count)
{
    static unsigned answers;

    if (frame[4] == WIRE_HELLO && fault == FAULT_version)
        frame[18] = 2, frame[20] = 3;
    if (frame[4] == WIRE_HELLO && fault == FAULT_magic)
        frame[12] = 'X';
    if (frame[4] == WIRE_HELLO && fault == FAULT_small)
        memcpy(frame + 22, (uint8_t[]){ 300 & 0xff, 300 >> 8, 0, 0 }, 4);
    if (frame[4] == WIRE_ANSWER && fault == FAULT_delay)
        usleep(5000);
    if (frame[4] == WIRE_ANSWER && ++answers == 2) /* the first is that to CREATE */
        lie(frame, count);
    else
        say(frame, count);
    if (frame[4] == WIRE_ANSWER && answers == 1 && fault == FAULT_early) {
        frame[8]++;
        say(frame, count);
    }
}

static void take_from_agent(int fd)
{
    static uint8_t *bytes;
    static size_t count, room;
    size_t at = 0;
    ssize_t n;

    if (count == room)
        bytes = mem_resize(bytes, room = room ? 2 * room : 1 << 16, 1);
    n = bytes ? read(fd, bytes + count, room - count) : -1;
    if (n <= 0)
        exit(EXIT_SUCCESS);
    count += (size_t)n;
    while (count - at >= WIRE_HEADER_BYTES) {
        struct wire_header h;

        if (wire_read_header(bytes + at, WIRE_FRAME_MAX, &h, NULL) != STATUS_OK)
            exit(EXIT_FAILURE);
        if (count - at - WIRE_HEADER_BYTES < h.length)
            break;
        pass_frame(bytes + at, WIRE_HEADER_BYTES + h.length);
        at += WIRE_HEADER_BYTES + h.length;
    }
    memmove(bytes, bytes + at, count - at);
    count -= at;
}

static void run_agent(char **command, int *to, int *from)
{
    int in[2], out[2];

    if (pipe(in) != 0 || pipe(out) != 0)
        exit(EXIT_FAILURE);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        for (int i = 0; i < 2; i++) {
            close(in[i]);
            close(out[i]);
        }
        execvp(command[0], command);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    *to = in[1];
    *from = out[0];
}

static void choose(const char *name)
{
    if (strncmp(name, "cut=", 4) == 0) {
        fault = FAULT_cut;
        left = strtol(name + 4, NULL, 10);
        return;
    }
    if (strncmp(name, "record=", 7) == 0) {
        fault = FAULT_record;
        record = fopen(name + 7, "wb");
        if (!record)
            exit(EXIT_FAILURE);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            fault = (enum fault)i;
            return;
        }
    }
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    int to, from;

    if (argc < 3)
        return EXIT_FAILURE;
    choose(argv[1]);
    run_agent(argv + 2, &to, &from);
    if (fault == FAULT_print)
        say("INFO: Created TensorFlow Lite XNNPACK delegate for CPU.\n", 56);
    if (left == 0)
        return EXIT_SUCCESS;
    while (true) {
        struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
                                { .fd = from, .events = POLLIN } };
        ssize_t n;

        if (poll(fds, 2, -1) < 0)
            return EXIT_FAILURE;
        if (fds[1].revents)
            take_from_agent(from);
        if (!fds[0].revents)
            continue;
        n = read(STDIN_FILENO, buffer, sizeof buffer);
        if (n <= 0 || write(to, buffer, (size_t)n) != n)
            return EXIT_SUCCESS;
    }
}
