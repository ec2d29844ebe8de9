/* assay-agent: where it listens, what brings it to a host, and what a host may say to it. */
/* Needs: assay-agent */
/* Needs: mock/liar */
/* Needs: mock/delegate.so */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/line_dial.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/suite/subject/wire.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/judge_kit.h"
#include "conformance/util/process.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/text/model_text.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- sockets ---- */

/* An agent that listens, and where: "remote:unix:PATH" or "remote:127.0.0.1:PORT". */
struct listener {
    pid_t pid;
    char remote[128];
    const char *secret;
};

static void listener_open(struct listener *l, const char *address, const char *subject)
{
    char listen[160], file[96], judged[PATH_MAX + 32];

    l->secret = scratch_text("secret", "open sesame\n");
    chmod(l->secret, 0600);
    snprintf(l->remote, sizeof l->remote, "remote:%s", address);
    snprintf(listen, sizeof listen, "--listen=%s", address);
    snprintf(file, sizeof file, "--secret-file=%s", l->secret);
    snprintf(judged, sizeof judged, "--subject=%s", subject);
    l->pid = fork();
    if (l->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        execl(build_path("", "assay-agent"), "assay-agent", listen, file, judged, (char *)NULL);
        _exit(127);
    }
    for (int i = 0, fd; i < 500; i++) {
        if (line_dial(address, &fd, NULL) == STATUS_OK) {
            close(fd);
            return;
        }
        if (fd >= 0)
            close(fd);
        usleep(10000);
    }
    fail_msg("%s: nobody listens", address);
}

static void listener_close(struct listener *l)
{
    kill(-l->pid, SIGKILL);
    waitpid(l->pid, NULL, 0);
}

static struct judge *open_remote(struct subject *s, const struct listener *l, const char *keys)
{
    char text[320];

    snprintf(text, sizeof text, "%s?secret_file=%s%s", l->remote, l->secret, keys);
    return judge_kit_open(s, text, 0);
}

static void check_sockets(const char *address)
{
    struct listener l;
    struct judge *judges[2];
    struct subject subjects[2];
    char delegate[PATH_MAX + 16];

    snprintf(delegate, sizeof delegate, "delegate:%s", mock_path("delegate.so"));
    listener_open(&l, address, delegate);
    for (int i = 0; i < 2; i++)
        judges[i] = open_remote(&subjects[i], &l, i ? "&fault=crash" : "&fault=none");
    /* The crash of one host's worker is not that of the other's, and says its signal. */
    judge_kit_expect_case(judges[0], "add.f32.linear_b", CASE_PASS, "", false);
    judge_kit_expect_case(judges[1], "add.f32.linear_b", CASE_CRASH, "SIG", false);
    judge_kit_expect_case(judges[0], "relu.f32.c5", CASE_PASS, "", false);
    judge_kit_expect_case(judges[1], "add.f32.linear_b", CASE_CRASH, "SIG", false);
    judge_kit_expect_load(l.remote, STATUS_INVALID,
                          "the agent refuses; the host does not know the secret");
    /* Without the agent the line is lost, which is no result. */
    listener_close(&l);
    judge_kit_expect_case(judges[0], "relu.f32.c5", CASE_CRASH, "", true);
    listener_open(&l, address, delegate);
    judge_kit_expect_case(judges[0], "relu.f32.c5", CASE_PASS, "", false);
    listener_close(&l);
    for (int i = 0; i < 2; i++)
        judge_kit_close(judges[i], &subjects[i]);
}

TEST(test_sockets)
{
    char path[64], port[64];

    snprintf(path, sizeof path, "unix:/tmp/assay-line-%ld.socket", (long)getpid());
    check_sockets(path);
    unlink(path + strlen("unix:"));
    snprintf(port, sizeof port, "127.0.0.1:%ld", 20000 + (long)getpid() % 12000);
    check_sockets(port);
}

/* What it does not listen on: a file that is no socket stays, a secret is its user's alone. */
TEST(test_listens_not)
{
    static const struct {
        const char *arguments, *message;
    } rows[] = {
        { "--listen=unix:%s", "Address already in use" },
        { "--listen=unix:", "a socket needs a path" },
        { "--listen=7000", "a port needs --secret-file=FILE" },
        { "--listen=7000 --secret-file=%s", "mode 0644, expected 0600" },
        { "--listen=7000 --secret-file=%s.x", "No such file" },
    };
    const char *const path = scratch_text("words", "words\n");
    char arguments[PATH_MAX], command[3 * PATH_MAX], line[512];

    chmod(path, 0644);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *f;

        snprintf(arguments, sizeof arguments, rows[i].arguments, path);
        snprintf(command, sizeof command, "timeout 5 %s %s 2>&1", build_path("", "assay-agent"),
                 arguments);
        f = popen(command, "r");
        assert_non_null(f);
        if (!fgets(line, sizeof line, f))
            line[0] = '\0';
        if (pclose(f) == 0 || !strstr(line, rows[i].message))
            fail_msg("%s: expected '%s', found '%s'", arguments, rows[i].message, line);
    }
    assert_int_equal(unlink(path), 0);
}

TEST(test_addresses)
{
    static const struct {
        const char *address;
        enum status status;
        const char *message;
    } rows[] = {
        { "remote:7000", STATUS_USAGE, "expected HOST:PORT or unix:PATH" },
        { "remote:host:", STATUS_USAGE, "expected HOST:PORT or unix:PATH" },
        { "remote:unix:", STATUS_USAGE, "a socket needs a path" },
        { "remote:unix:/nowhere/socket", STATUS_IO, "unix:/nowhere/socket: No such file" },
        { "remote:127.0.0.1:1", STATUS_IO, "127.0.0.1:1: Connection refused" },
        { "remote:[::1", STATUS_USAGE, "expected HOST:PORT or unix:PATH" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        judge_kit_expect_load(rows[i].address, rows[i].status, rows[i].message);
}

/* ---- ssh and adb ---- */

/* A program of this name in a folder of its own that does what the last word says, after `first`.
 */
static void fake(const char *name, const char *first)
{
    char words[2 * PATH_MAX];

    snprintf(words, sizeof words,
             "#!/bin/sh\necho \"$@\" >%s.args\nfor last; do :; done\n%s\n"
             "eval \"exec $last\"\n",
             scratch("%s", name), first);
    chmod(scratch_text(name, words), 0700);
}

static void expect_arguments(const char *name, const char *expected)
{
    const char *const path = scratch("%s.args", name);
    char *found CLOSED_BY(kit_free) = text_of_file(path);

    unlink(path);
    assert_int_equal(strncmp(found, expected, strlen(expected)), 0);
}

TEST(test_transports)
{
    static const struct {
        const char *spec, *program, *arguments;
    } rows[] = {
        { "ssh:board", "ssh", "-T -o BatchMode=yes -- board /" },
        { "adb:", "adb", "shell -e none -T /" },
        { "adb:R58 M", "adb", "-s R58 M shell -e none -T /" },
        /* No option of theirs, and nothing for a shell. */
        { "ssh:-oProxyCommand='$(id)", "ssh", "-T -o BatchMode=yes -- -oProxyCommand='$(id) /" },
        { "adb:a'; id #", "adb", "-s a'; id # shell -e none -T /" },
    };
    char path[2 * PATH_MAX], text[2 * PATH_MAX];
    const char *const before = getenv("PATH");
    struct judge *judge;
    struct subject s;

    snprintf(path, sizeof path, "%s:%s", scratch("."), before);
    setenv("PATH", path, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake(rows[i].program, "");
        snprintf(text, sizeof text, "%s?agent=%s&bounds=exact", rows[i].spec,
                 build_path("", "assay-agent"));
        judge_kit_expect(text, "relu.f32.c5", CASE_PASS, "");
        expect_arguments(rows[i].program, rows[i].arguments);
    }
    /* Its own failure, before and in the middle of a case, is the line's. */
    snprintf(path, sizeof path, "%s", mock_path("liar"));
    snprintf(text, sizeof text, "ssh:board?agent=%.2000s cut=900 %s", path,
             build_path("", "assay-agent"));
    fake("ssh", "eval \"$last\"; exit 255");
    judge = judge_kit_open(&s, text, 0);
    judge_kit_expect_case(judge, "relu.f32.c5", CASE_CRASH, "exit status 255", true);
    judge_kit_close(judge, &s);
    fake("adb", "echo 'error: no devices/emulators found' >&2; exit 1");
    assert_int_equal(subject_parse(&s, "adb:", &err), STATUS_OK);
    assert_int_not_equal(subject_load(&s, &err), STATUS_OK);
    assert_int_equal(engine_ended(&s, text, sizeof text), ENGINE_LOST);
    assert_string_equal(text, "exit status 1; error: no devices/emulators found");
    subject_close(&s);
    setenv("PATH", before, 1);
}

/* ---- what a host may say ---- */

static void serve_agent(int socket, void *user)
{
    (void)user;
    dup2(socket, STDIN_FILENO);
    dup2(socket, STDOUT_FILENO);
    execl(build_path("", "assay-agent"), "assay-agent", (char *)NULL);
    _exit(127);
}

static void put_data(struct wire_out *o, uint64_t id, const void *bytes, size_t count)
{
    const size_t frame = wire_begin_frame(o, WIRE_DATA, 0);

    wire_put_u64(o, id);
    wire_put_bytes(o, bytes, count);
    wire_end_frame(o, frame);
}

static void put_size(struct wire_out *o, unsigned input, unsigned rank, unsigned dim)
{
    wire_put_u16(o, 1);
    wire_put_u16(o, input);
    wire_put_u8(o, rank);
    for (unsigned d = 0; d < rank; d++)
        wire_put_u32(o, d == 1 ? dim : rank == 4 ? (d ? 5 : 1) : 2);
}

/* OPEN, with sizes of Input 1; WRITE; INVOKE; READ; checK; resiZe. */
static void put_step(struct wire_out *o, char step)
{
    static const char letters[] = "?OWIRK??Z";

    wire_put_u8(o, step == 'S' ? WIRE_OPEN : (unsigned)(strchr(letters, step) - letters));
    if (step == 'O' || step == 'S') {
        wire_put_u64(o, 1);
        for (int i = 0; i < 4; i++)
            wire_put_u32(o, 0);
        if (step == 'O')
            wire_put_u16(o, 0);
        else
            put_size(o, 1, 200, 2);
    }
    if (step == 'W') {
        wire_put_u16(o, 1);
        wire_put_u64(o, 2);
    }
    if (step == 'I')
        wire_put_u32(o, 1);
    if (step == 'Z')
        put_size(o, 0, 4, 300);
}

/* Hello, create; m: a model, x: its input, d: neither; forget; a RUN in parentheses. */
static void put_talk(struct wire_out *o, const char *talk, const struct tflite_file *model,
                     const struct case_instance *x)
{
    static const char *const pairs[] = { NULL };
    uint32_t sequence = 0;
    size_t frame, length;

    for (; *talk; talk++) {
        switch (*talk) {
        case 'h': wire_put_hello(o, pairs); break;
        case 'm': put_data(o, 1, model->bytes, model->count); break;
        case 'x': put_data(o, 2, x->inputs[0].data[0], x->inputs[0].bytes); break;
        case 'd': wire_end_frame(o, wire_begin_frame(o, WIRE_DATA, 0)); break;
        case 'c':
            frame = wire_begin_frame(o, WIRE_CREATE, ++sequence);
            wire_put_pairs(o, pairs);
            wire_end_frame(o, frame);
            break;
        case 'f':
            frame = wire_begin_frame(o, WIRE_FORGET, 0);
            wire_put_u64(o, 0);
            wire_end_frame(o, frame);
            break;
        default:
            length = strcspn(talk, ")") - 1;
            frame = wire_begin_frame(o, WIRE_RUN, ++sequence);
            wire_put_u32(o, 7);
            wire_put_u32(o, 0);
            wire_put_u16(o, (unsigned)length);
            for (size_t i = 1; i <= length; i++)
                put_step(o, talk[i]);
            wire_end_frame(o, frame);
            talk += length + 1;
        }
    }
}

/* The text of the last answer, or of BYE. */
static void last_text(const uint8_t *bytes, size_t count, char *text, size_t room)
{
    struct wire_in in = { bytes, bytes + count, false };
    struct wire_header h;
    const uint8_t *head;

    snprintf(text, room, "no answer");
    while ((head = wire_bytes(&in, WIRE_HEADER_BYTES)) &&
           wire_read_header(head, WIRE_FRAME_MAX, &h, NULL) == STATUS_OK) {
        const uint8_t *const payload = wire_bytes(&in, h.length);
        struct wire_in frame = { payload, payload ? payload + h.length : NULL, !payload };
        struct wire_answer a = { .status = WIRE_DONE };

        if (h.kind == WIRE_BYE) {
            wire_bytes(&frame, 5);
            wire_text(&frame, text, room);
        }
        if (h.kind != WIRE_ANSWER)
            continue;
        for (unsigned n = wire_u16(&frame); n > 0; n--)
            wire_read_answer(&frame, &a);
        wire_text(&a.text, text, room);
    }
}

/* It answers, or says why not, whatever it is asked. */
TEST(test_hostile_hosts)
{
    static const struct {
        const char *talk, *text;
        bool deep; /* its second input has 200 dimensions */
    } rows[] = {
        { "hcmx(OWIRK)", "", false },
        { "c", "expected HELLO as the first frame", false },
        { "h(O)", "expected CREATE before RUN", false },
        { "hcc", "expected one CREATE", false },
        { "hd", "DATA without an id", false },
        { "hcm(OIK)", "expected WRITE before CHECK", false },
        { "hcmx(OWZK)", "expected WRITE before CHECK", false },
        { "hcmx(OWI)f(IK)", "", false },
        { "hcmxf(O)", "OPEN of a model that was not sent", false },
        { "hcm(O)", "input 1 has rank 200, expected at most 8", true },
        { "hcm(S)", "input 1 has rank 200, expected at most 8", true },
    };
    const struct case_request request = { SET_INTEGERS, 1, false };
    static uint8_t bytes[1 << 16];
    char deep[1024] = "RELU x:f32[4] -> y; outputs y; tensors z:f32[1";
    struct model_text source = { .text = deep, .as_written = true };
    struct tflite_file file;
    struct case_instance x CLOSED_BY(case_instance_close);

    assert_int_equal(case_build(kit_case("relu.f32.c5"), &request, &x, &err), STATUS_OK);
    for (int d = 1; d < 200; d++)
        strcat(deep, ",1");
    source.count = strlen(strcat(deep, "]; inputs x z"));
    KIT_OK(model_text_read(&source, &file, &err));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wire_out out CLOSED_BY(wire_out_close) = { .bytes = NULL };
        char text[300], end[64];
        struct process p;
        size_t count = 0;
        ssize_t n;

        put_talk(&out, rows[i].talk, rows[i].deep ? &file : &x.file, &x);
        KIT_OK(process_start(&p, PROCESS_OUTPUT_LOG, serve_agent, NULL, &err));
        assert_true(process_write(p.socket, out.bytes, out.count));
        shutdown(p.socket, SHUT_WR);
        while ((n = recv(p.socket, bytes + count, sizeof bytes - count, 0)) > 0)
            count += (size_t)n;
        process_describe_end(process_end(&p, false), end, sizeof end);
        last_text(bytes, count, text, sizeof text);
        if (strncmp(end, "SIG", 3) == 0 || !strstr(text, rows[i].text) ||
            !rows[i].text[0] != !text[0])
            fail_msg("%s: expected '%s', found '%s' and %s", rows[i].talk, rows[i].text, text, end);
    }
    mem_free(file.bytes);
}

TEST_FILE(.setup = judge_kit_open_agents, .teardown = kit_cases_close);
