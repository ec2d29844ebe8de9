/* Steps of one token each. */
#include "conformance/tools/cli/run_tokens.h"

#include "conformance/util/clock.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { TOKENS_MAX = 1 << 20 };

static enum status read_ids(struct run_tokens *r, struct diag *diag)
{
    size_t room = 1;

    for (const char *c = r->text; *c; c++)
        room += *c == ',';
    if (room > TOKENS_MAX)
        return diag_fail(diag, STATUS_USAGE, "--tokens: %zu tokens, expected at most %d", room,
                         TOKENS_MAX);
    if (!(r->ids = mem_alloc(room + (size_t)r->steps, sizeof *r->ids)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu tokens: out of memory", room);
    for (const char *c = r->text;; c++) {
        char *end;
        long long id;

        errno = 0;
        id = strtoll(c, &end, 10);
        if (end == c || errno != 0 || id < 0 || id > INT32_MAX || (*end && *end != ','))
            return diag_fail(diag, STATUS_USAGE,
                             "--tokens=%s: token number %zu is no number from 0 on; expected "
                             "numbers with commas, as in 3,14,15",
                             r->text, r->count + 1);
        r->ids[r->count++] = (int32_t)id;
        c = end;
        if (!*c)
            break;
    }
    r->given = r->count;
    return STATUS_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static enum status step(struct token_run *t, int32_t token, int32_t position, double *ms,
                        struct diag *diag)
{
    const double start = clock_ms();
    size_t count;
    const int *const outputs = interpreter_outputs(t->in, &count);

    TRY(token_run_give(t, token, position, diag));
    TRY(interpreter_invoke(t->in, diag));
    for (size_t i = 0; i < count; i++)
        TRY(interpreter_make_readable(t->in, outputs[i], diag));
    token_run_carry(t, t);
    *ms = clock_ms() - start;
    return STATUS_OK;
}

/* The last token is given to no step. */
static enum status generate(struct run_tokens *r, struct token_run *t, double *ms,
                            struct diag *diag)
{
    const size_t steps = r->given + (size_t)r->steps - 1;

    for (size_t i = 0; i < steps; i++) {
        TRY(step(t, r->ids[i], (int32_t)i, &ms[i], diag));
        if (i + 1 < r->given)
            continue;
        if ((r->ids[i + 1] = token_run_best(t)) < 0)
            return diag_fail(diag, STATUS_MISMATCH, "after %zu tokens no logit is a number", i + 1);
        r->count = i + 2;
    }
    qsort(ms, steps, sizeof *ms, by_value);
    r->median_ms = (ms[(steps - 1) / 2] + ms[steps / 2]) / 2;
    return STATUS_OK;
}

enum status run_tokens(struct run_tokens *r, struct interpreter *in, struct diag *diag)
{
    struct token_run t = { .in = NULL };
    enum status s = read_ids(r, diag);
    double *ms = NULL;

    if (s == STATUS_OK && !(ms = mem_alloc(r->given + (size_t)r->steps, sizeof *ms)))
        s = diag_fail(diag, STATUS_NO_MEMORY, "%" PRIu64 " steps: out of memory", r->steps);
    if (s == STATUS_OK)
        s = token_run_open(&t, in, (int32_t)r->window, diag);
    if (s == STATUS_OK)
        s = generate(r, &t, ms, diag);
    token_run_close(&t);
    mem_free(ms);
    return s;
}

void run_tokens_print(FILE *f, const struct run_tokens *r)
{
    fprintf(f, "given      ");
    for (size_t i = 0; i < r->count; i++) {
        if (i == r->given)
            fprintf(f, "\ngenerated  ");
        fprintf(f, " %" PRId32, r->ids[i]);
    }
    fprintf(f, "\nstep        %.3f ms (median of %zu), %.1f tokens/s\n", r->median_ms, r->count - 1,
            1e3 / r->median_ms);
}

json_t *run_tokens_json(const struct run_tokens *r)
{
    json_t *const o = json_object(), *const given = json_array(), *const more = json_array();

    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(i < r->given ? given : more, json_integer(r->ids[i]));
    json_object_set_new(o, "given", given);
    json_object_set_new(o, "generated", more);
    json_object_set_new(o, "step_ms", json_real(r->median_ms));
    return o;
}

void run_tokens_close(struct run_tokens *r)
{
    mem_free(r->ids);
}
