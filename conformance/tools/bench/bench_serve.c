#include "conformance/tools/bench/bench.h"

#include "conformance/tools/bench/bench_session.h"
#include "conformance/util/clock.h"
#include "conformance/util/json_text.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64, INFERENCES_MAX = 1000000 };

/* ---- an inference with its input ---- */

/* The inputs of our interpreter, which an application writes before each inference. */
static enum status keep_inputs(struct bench_session *t, struct diag *diag)
{
    struct case_instance *const x = &t->instance;
    size_t count;
    const int *const inputs = interpreter_inputs(t->s.in, &count);

    if (t->engine) /* the session has them already */
        return STATUS_OK;
    if (count > CASE_INPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "found %zu inputs, expected at most %d", count,
                         CASE_INPUTS_MAX);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const tensor = interpreter_tensor(t->s.in, inputs[i]);

        x->inputs[i].bytes = tensor->bytes;
        if (!(x->inputs[i].data[0] = mem_alloc(tensor->bytes, 1)))
            return diag_fail(diag, STATUS_NO_MEMORY, "input %zu: out of memory", i);
        memcpy(x->inputs[i].data[0], tensor->data.raw, tensor->bytes);
        x->input_count = i + 1;
    }
    return STATUS_OK;
}

static enum status round_trip(struct bench_session *t, double *ms, struct diag *diag)
{
    const double before = clock_ms();
    double invoke_ms;

    if (t->engine) {
        TRY(engine_round_trip(t->engine, &t->instance, diag));
    } else {
        size_t count;
        const int *const inputs = interpreter_inputs(t->s.in, &count);

        for (size_t i = 0; i < count; i++) {
            const TfLiteTensor *const tensor = interpreter_tensor(t->s.in, inputs[i]);

            memcpy(tensor->data.raw, t->instance.inputs[i].data[0], tensor->bytes);
        }
        TRY(bench_infer(t, &invoke_ms, diag));
    }
    *ms = clock_ms() - before;
    return STATUS_OK;
}

/* ---- the conversation ---- */

static enum status write_line(FILE *out, struct diag *diag)
{
    fputc('\n', out);
    return fflush(out) == 0 ? STATUS_OK : diag_fail(diag, STATUS_IO, "stdout: %s", strerror(errno));
}

static enum status greet(struct bench_session *t, double first_ms, FILE *out, struct diag *diag)
{
    char device[256], runtime[256];
    json_t *o;

    bench_session_device(t, device, sizeof device);
    bench_session_runtime(t, runtime, sizeof runtime);
    o = json_pack(
        "{s:o, s:o, s:o, s:o, s:f, s:f, s:I, s:I}", "subject", json_text(t->s.subject.label),
        "subject_sha256", json_text(t->s.subject.sha256[0] ? t->s.subject.sha256 : NULL), "device",
        json_text(device[0] ? device : NULL), "runtime", json_text(runtime[0] ? runtime : NULL),
        "init_ms", t->create_ms + t->prepare_ms, "first_ms", first_ms, "nodes",
        (json_int_t)interpreter_node_count(t->s.in), "taken", (json_int_t)bench_session_taken(t));
    json_dumpf(o, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(o);
    return write_line(out, diag);
}

static enum status warm_up(struct bench_session *t, const struct bench_request *q,
                           struct diag *diag)
{
    const double begin = clock_s();
    double ignored;

    for (uint64_t i = 0; i < q->warmup_runs || clock_s() - begin < q->warmup_min_secs; i++)
        TRY(round_trip(t, &ignored, diag));
    return STATUS_OK;
}

static enum status answer(struct bench_session *t, const char *line, FILE *out, struct diag *diag)
{
    char *end;
    const long count = strtol(line, &end, 10);

    if (end == line || *end != '\n' || count < 1 || count > INFERENCES_MAX)
        return diag_fail(diag, STATUS_USAGE,
                         "stdin: expected a number of inferences from 1 to %d in a line, found %s",
                         INFERENCES_MAX, line);
    for (long i = 0; i < count; i++) {
        double ms;

        TRY(round_trip(t, &ms, diag));
        fprintf(out, "%s%.6f", i > 0 ? " " : "", ms);
    }
    return write_line(out, diag);
}

enum status bench_serve(const struct bench_request *q, FILE *in, FILE *out, struct diag *diag)
{
    struct bench_session t = { .create_ms = 0 };
    enum status s = bench_start_session(&t, q, false, NULL, 0, diag);
    char line[LINE_BYTES];
    double first_ms = 0;

    if (s == STATUS_OK)
        s = keep_inputs(&t, diag);
    if (s == STATUS_OK)
        s = round_trip(&t, &first_ms, diag);
    if (s == STATUS_OK)
        s = warm_up(&t, q, diag);
    if (s == STATUS_OK)
        s = greet(&t, first_ms, out, diag);
    while (s == STATUS_OK && fgets(line, sizeof line, in))
        s = answer(&t, line, out, diag);
    bench_session_close(&t);
    return s;
}
