/* Steps of one token each. */
#include "conformance/tools/cli/run_tokens.h"

#include "conformance/suite/io/token_run.h"
#include "conformance/tools/bench/bench_series.h"
#include "conformance/util/clock.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <string.h>

static enum status read_ids(struct run_tokens *r, struct diag *diag)
{
    TRY(diag_prefix(diag,
                    token_ids_read(&r->ids, &r->count, (size_t)r->steps, (const uint8_t *)r->text,
                                   strlen(r->text), diag),
                    "--tokens=%.200s", r->text));
    r->given = r->count;
    return STATUS_OK;
}

/* Makes a buffer of the device for the new state; the old one lies in it from the next step on. */
static void bind_output(struct session *s, struct assay_gpu_buffer *b, const struct token_state *at)
{
    *b = (struct assay_gpu_buffer){ .struct_size = sizeof *b,
                                    .kind = ASSAY_GPU_NEW,
                                    .layout = ASSAY_LAYOUT_C4,
                                    .tensor = at->out,
                                    .partition = -1 };
    if (s->subject.extras.bind(s->delegate, b, NULL, 0) != 0)
        b->struct_size = 0;
}

static bool bind_input(struct session *s, struct assay_gpu_buffer *b, const struct token_state *at)
{
    struct assay_gpu_vulkan vulkan = { .struct_size = sizeof vulkan };

    if (b->struct_size == 0 || s->subject.extras.get_device(s->delegate, &vulkan) != 0)
        return false;
    b->kind = ASSAY_GPU_VK_BUFFER;
    b->vk_device = vulkan.device;
    b->tensor = at->in;
    return s->subject.extras.bind(s->delegate, b, NULL, 0) == 0;
}

/* A state that is not bound, or only as an output, is read and carried by the host. */
static void bind_states(struct run_tokens *r, struct session *s, struct token_run *t, bool inputs,
                        struct assay_gpu_buffer *buffers)
{
    for (size_t i = 0; buffers && i < t->state_count; i++) {
        if (!inputs)
            bind_output(s, &buffers[i], &t->states[i]);
        else if ((t->states[i].bound = bind_input(s, &buffers[i], &t->states[i])))
            r->bound++;
    }
}

static enum status step(struct token_run *t, int32_t token, int32_t position, double *ms,
                        struct diag *diag)
{
    const double start = clock_ms();

    TRY(token_run_give(t, token, position, diag));
    TRY(interpreter_invoke(t->in, diag));
    TRY(interpreter_make_readable(t->in, t->logits, diag));
    for (size_t i = 0; i < t->state_count; i++) {
        if (!t->states[i].bound)
            TRY(interpreter_make_readable(t->in, t->states[i].out, diag));
    }
    token_run_carry(t, t);
    *ms = clock_ms() - start;
    return STATUS_OK;
}

/* The last token is given to no step. */
static enum status generate(struct run_tokens *r, struct session *s, struct token_run *t,
                            double *ms, struct assay_gpu_buffer *buffers, struct diag *diag)
{
    const size_t steps = r->given + (size_t)r->steps - 1;

    bind_states(r, s, t, false, buffers);
    for (size_t i = 0; i < steps; i++) {
        TRY(step(t, r->ids[i], (int32_t)i, &ms[i], diag));
        if (i == 0)
            bind_states(r, s, t, true, buffers);
        if (i + 1 < r->given)
            continue;
        if ((r->ids[i + 1] = token_run_best(t, NULL)) < 0)
            return diag_fail(diag, STATUS_MISMATCH, "after %zu tokens no logit is a number", i + 1);
        r->count = i + 2;
    }
    r->first_ms = ms[0];
    bench_sort(ms, steps);
    r->median_ms = bench_quantile(ms, steps, 0.5);
    return STATUS_OK;
}

enum status run_tokens(struct run_tokens *r, struct session *s, struct diag *diag)
{
    struct token_run t = { .in = NULL };
    struct assay_gpu_buffer *buffers = NULL;
    enum status status = read_ids(r, diag);
    double *ms = NULL;

    if (status == STATUS_OK && !(ms = mem_alloc(r->given + (size_t)r->steps, sizeof *ms)))
        status = diag_fail(diag, STATUS_NO_MEMORY, "%" PRIu64 " steps: out of memory", r->steps);
    if (status == STATUS_OK)
        status = token_run_open(&t, s->in, (int32_t)r->window, diag);
    if (status == STATUS_OK)
        status = token_run_others(&t, r->inputs, r->scale, r->seed, diag);
    if (status == STATUS_OK && s->delegate && s->subject.extras.bind &&
        s->subject.extras.get_device) {
        buffers = mem_alloc(t.state_count + 1, sizeof *buffers);
        interpreter_allow_buffer_handles(s->in, true);
    }
    if (status == STATUS_OK)
        status = generate(r, s, &t, ms, buffers, diag);
    r->states = t.state_count;
    r->others = t.others;
    r->other_count = t.other_count;
    t.others = NULL;
    token_run_close(&t);
    mem_free(buffers);
    mem_free(ms);
    return status;
}

void run_tokens_print(FILE *f, const struct run_tokens *r)
{
    fprintf(f, "given      ");
    for (size_t i = 0; i < r->count; i++) {
        if (i == r->given)
            fprintf(f, "\ngenerated  ");
        fprintf(f, " %" PRId32, r->ids[i]);
    }
    fprintf(f, "\nstep        %.3f ms (median of %zu), %.1f tokens/s", r->median_ms, r->count - 1,
            1e3 / r->median_ms);
    if (r->bound)
        fprintf(f, ", %zu of %zu caches stay on the device", r->bound, r->states);
    fputc('\n', f);
}

json_t *run_tokens_json(const struct run_tokens *r)
{
    json_t *const o = json_object(), *const given = json_array(), *const more = json_array();

    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(i < r->given ? given : more, json_integer(r->ids[i]));
    json_object_set_new(o, "given", given);
    json_object_set_new(o, "generated", more);
    json_object_set_new(o, "step_ms", json_real(r->median_ms));
    json_object_set_new(o, "states", json_integer((json_int_t)r->states));
    json_object_set_new(o, "states_on_device", json_integer((json_int_t)r->bound));
    return o;
}

void run_tokens_close(struct run_tokens *r)
{
    mem_free(r->ids);
    mem_free(r->others);
}
