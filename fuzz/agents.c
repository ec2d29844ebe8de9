/* Fuzz target: what an agent sends, on whose line a model is opened, run, reset and resized, and
 * two more are opened ahead of time.  The first byte says whether HELLO and the answer to CREATE
 * are the input's, too, or good ones.
 *
 * line_dial is replaced: there is no agent, and its socket has the input's bytes.  A run that
 * aborts is a bug: a crash or overread, outputs that are none, a refusal without a message. */
/* Wrap: line_dial */
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/line_dial.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/suite/subject/wire.h"
#include "fuzz/fuzz_file.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/text/model_text.h"

#include <string.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
enum status __real_line_dial(const char *address, int *out, struct diag *diag);
enum status __wrap_line_dial(const char *address, int *out, struct diag *diag);

enum { ANSWER_BYTES_MAX = 1 << 16 };

static const char text[] = "RELU x:f32[1,2,3] -> y:f32[1,2,3]";

static struct wire_out answer;
static int other_end = -1; /* open while the host may still send */

enum status __wrap_line_dial(const char *address, int *out, struct diag *diag)
{
    int ends[2];

    if (answer.count == 0)
        return __real_line_dial(address, out, diag);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
        send(ends[1], answer.bytes, answer.count, MSG_NOSIGNAL) != (ssize_t)answer.count) {
        perror("fuzz: socketpair");
        exit(1);
    }
    shutdown(ends[1], SHUT_WR);
    if (other_end >= 0)
        close(other_end);
    other_end = ends[1];
    *out = ends[0];
    return STATUS_OK;
}

static void put_greeting(void)
{
    static const char *const pairs[] = { "device", "none", NULL };
    size_t frame, begin;

    wire_put_hello(&answer, pairs);
    frame = wire_begin_frame(&answer, WIRE_ANSWER, 1);
    wire_put_u16(&answer, 1);
    begin = wire_begin_answer(&answer, WIRE_DONE, 0, "");
    wire_put_u32(&answer, ENGINE_ABILITIES | WIRE_ABILITY_AHEAD);
    wire_put_pairs(&answer, pairs);
    wire_end_answer(&answer, begin);
    wire_end_frame(&answer, frame);
}

static void check_outputs(const struct outputs *got)
{
    fuzz_expect(got->count == 1, "agents: expected an output", "another number");
    for (int d = 0; d < got->items[0].rank; d++)
        fuzz_expect(got->items[0].dims[d] >= 0, "agents: expected dims from 0 on", "less");
    fuzz_expect(got->items[0].rank <= WIRE_RANK_MAX && got->items[0].bytes <= ANSWER_BYTES_MAX,
                "agents: expected an output of the answer's bytes", "another");
}

/* One inference, which was expected or not. */
static bool infer(struct engine *e, const struct case_instance *x, int frame, struct diag *diag)
{
    struct outputs got;
    bool ok = engine_write(e, x, frame, diag) == STATUS_OK && engine_invoke(e, diag) == STATUS_OK &&
              engine_read(e, &got, diag) == STATUS_OK;

    if (!ok)
        return false;
    check_outputs(&got);
    outputs_close(&got);
    return engine_check(e, x, frame, diag) == STATUS_OK;
}

static void use(struct engine *e, const struct case_instance *x, struct diag *diag)
{
    static const bool resized[CASE_INPUTS_MAX] = { true };

    if (!engine_is_taken(e, 0) || !infer(e, x, 0, diag) || !infer(e, x, 1, diag))
        return;
    engine_guards(e, ENGINE_GUARD_NUMBER);
    if (engine_reset(e, diag) != STATUS_OK || !infer(e, x, 0, diag) ||
        engine_resize(e, 1, 2, resized, diag) != STATUS_OK)
        return;
    engine_is_taken(e, 1 << 30);
    infer(e, x, 0, diag);
}

static void run(const struct model *m)
{
    static float frames[2][6];
    const struct case_instance x = {
        .input_count = 1,
        .inputs[0] = { kTfLiteFloat32, sizeof frames[0], { frames[0], frames[1] } }
    };
    const struct engine_expected expected[] = { { &x, 0, false, -1, 0 }, { &x, 1, true, -1, 0 } };
    struct engine_request q = { .model = m, .expected = expected, .expected_count = 2 };
    struct diag diag = { .text = "" };
    struct engine *e = NULL, *ahead[2] = { NULL, NULL };
    struct subject s;
    char why[480];

    if (subject_parse(&s, "remote:localhost:1", &diag) != STATUS_OK)
        abort();
    q.subject = &s;
    if (subject_load(&s, &diag) == STATUS_OK && engine_open(&q, &e, &diag) == STATUS_OK) {
        use(e, &x, &diag);
        for (int i = 0; i < 2; i++) /* the second is closed before it is answered */
            engine_begin_open(&q, &ahead[i]);
        if (ahead[0] && engine_end_open(&ahead[0], &diag) == STATUS_OK)
            infer(ahead[0], &x, 0, &diag);
        for (int i = 0; i < 2; i++)
            engine_close(ahead[i]);
    }
    if (engine_ended(&s, why, sizeof why) != ENGINE_RUNS)
        fuzz_expect(why[0] && diag.text[0], "agents: expected a message", why);
    engine_close(e);
    subject_close(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tflite_file file;
    static struct model m;
    const struct model_text source = { .text = text, .count = sizeof text - 1 };
    long long live;

    if (!file.bytes && (model_text_read(&source, &file, NULL) != STATUS_OK ||
                        tflite_read(&m, file.bytes, file.count, NULL) != STATUS_OK))
        abort();
    if (size < 2)
        return 0;
    live = mem_live_bytes();
    if (data[0] & 1)
        put_greeting();
    wire_put_bytes(&answer, data + 1, size - 1 < ANSWER_BYTES_MAX ? size - 1 : ANSWER_BYTES_MAX);
    run(&m);
    wire_out_close(&answer);
    fuzz_expect(mem_live_bytes() == live, "agents: expected all memory back", "less");
    return 0;
}
