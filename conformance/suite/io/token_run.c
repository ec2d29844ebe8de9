/* Finds the inputs and outputs by name, fills and carries them. */
#include "conformance/suite/io/token_run.h"

#include "conformance/suite/io/random_ids.h"
#include "conformance/suite/io/tensor_value.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The tensor that the signature calls so; -1: it has none.  A step writes or reads it, so it must
 * be one that the graph takes or gives, whose memory is there and stays. */
static enum status find(struct token_run *t, const char *name, bool output, int *tensor,
                        struct diag *diag)
{
    const struct model_signature *const s = &interpreter_model(t->in)->signatures[0];
    const struct model_tensor_map *const map = output ? s->outputs : s->inputs;
    const size_t maps = output ? s->output_count : s->input_count;
    size_t count;
    const int *const ends =
        output ? interpreter_outputs(t->in, &count) : interpreter_inputs(t->in, &count);
    size_t i = 0;

    while (i < maps && !(map[i].name.text && strcmp(map[i].name.text, name) == 0))
        i++;
    *tensor = i < maps ? (int)map[i].tensor_index : -1;
    if (*tensor < 0)
        return STATUS_OK;
    for (size_t k = 0; k < count; k++) {
        const TfLiteTensor *const v = interpreter_tensor(t->in, ends[k]);

        if (ends[k] == *tensor && v->data.raw && v->allocation_type != kTfLiteDynamic &&
            (output || v->allocation_type != kTfLiteMmapRo))
            return STATUS_OK;
    }
    return diag_fail(diag, STATUS_UNSUPPORTED, "%s is tensor %d, expected an %s of a known size",
                     name, *tensor, output ? "output of the graph" : "input of the graph");
}

static bool same_form(const TfLiteTensor *a, const TfLiteTensor *b)
{
    return a->type == b->type && a->bytes == b->bytes && TfLiteIntArrayEqual(a->dims, b->dims);
}

static enum status find_states(struct token_run *t, const struct model_signature *s,
                               struct diag *diag)
{
    if (!(t->states = mem_alloc(s->output_count + 1, sizeof *t->states)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu states: out of memory", s->output_count);
    for (size_t i = 0; i < s->output_count; i++) {
        const char *const name = s->outputs[i].name.text;
        struct token_state state = { .bound = false };

        if (!name) /* a file may leave it out */
            continue;
        TRY(find(t, name, false, &state.in, diag));
        if (state.in < 0)
            continue;
        TRY(find(t, name, true, &state.out, diag));
        if (!same_form(interpreter_tensor(t->in, state.in), interpreter_tensor(t->in, state.out)))
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "input and output %s differ in type or shape, expected a state", name);
        t->states[t->state_count++] = state;
    }
    return STATUS_OK;
}

/* An input that is to have one element of i32 or, a mask, a row of f32. */
static enum status check_input(const struct token_run *t, const char *name, int tensor,
                               TfLiteType type, size_t elements, struct diag *diag)
{
    const TfLiteTensor *const v = tensor < 0 ? NULL : interpreter_tensor(t->in, tensor);

    if (v && (v->type != type || (elements && ref_elements(v) != elements)))
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s is %s of %zu elements, expected %s%s; a step takes one token, as the "
                         "signature decode does (--signature=KEY)",
                         name, runtime_type_name(v->type), ref_elements(v), runtime_type_name(type),
                         elements == 1 ? " of one element" : "");
    return STATUS_OK;
}

static enum status find_others(struct token_run *t, const struct model_signature *s,
                               struct diag *diag)
{
    if (!(t->others = mem_alloc(s->input_count + 1, sizeof *t->others)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu inputs: out of memory", s->input_count);
    for (size_t i = 0; i < s->input_count; i++) {
        const int tensor = (int)s->inputs[i].tensor_index;
        bool known = tensor == t->tokens || tensor == t->positions || tensor == t->mask ||
                     tensor == t->local_mask;

        for (size_t k = 0; k < t->state_count && !known; k++)
            known = t->states[k].in == tensor;
        if (!known)
            t->others[t->other_count++] = tensor;
    }
    return STATUS_OK;
}

enum status token_run_others(struct token_run *t, const struct string_list *files,
                             struct pixel_scale scale, uint64_t seed, struct diag *diag)
{
    const size_t given = files ? files->count : 0;

    if (given > t->other_count)
        return diag_fail(diag, STATUS_USAGE,
                         "expected at most %zu inputs beside tokens, masks and caches, found %zu",
                         t->other_count, given);
    for (size_t i = 0; i < t->other_count; i++) {
        TfLiteTensor *const v = interpreter_tensor(t->in, t->others[i]);

        if (i < given)
            TRY(diag_prefix(diag, tensor_load(v, files->items[i], scale, diag), "input %s",
                            v->name ? v->name : ""));
        else
            TRY(random_fill(t->in, t->others[i], seed, i, diag));
    }
    return STATUS_OK;
}

static void clear_states(struct token_run *t)
{
    for (size_t i = 0; i < t->state_count; i++) {
        TfLiteTensor *const v = interpreter_tensor(t->in, t->states[i].in);

        memset(v->data.raw, 0, v->bytes);
    }
}

enum status token_run_open(struct token_run *t, struct interpreter *in, int32_t window,
                           struct diag *diag)
{
    const struct model *const m = interpreter_model(in);
    const struct model_signature *const s = m->signature_count ? &m->signatures[0] : NULL;
    const TfLiteTensor *logits;

    *t = (struct token_run){ .in = in, .window = window, .slots = INT32_MAX };
    if (!s || s->subgraph_index != 0)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "the model has no signatures, expected one with tokens and logits");
    TRY(find(t, "tokens", false, &t->tokens, diag));
    if (t->tokens < 0)
        TRY(find(t, "token", false, &t->tokens, diag));
    TRY(find(t, "input_pos", false, &t->positions, diag));
    TRY(find(t, "mask", false, &t->mask, diag));
    TRY(find(t, "mask_local", false, &t->local_mask, diag));
    TRY(find(t, "logits", true, &t->logits, diag));
    if (t->tokens < 0 || t->logits < 0)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "signature %s has no %s, expected inputs tokens, input_pos, mask and an "
                         "output logits",
                         s->key.text ? s->key.text : "", t->tokens < 0 ? "tokens" : "logits");
    TRY(check_input(t, "tokens", t->tokens, kTfLiteInt32, 1, diag));
    TRY(check_input(t, "input_pos", t->positions, kTfLiteInt32, 1, diag));
    TRY(check_input(t, "mask", t->mask, kTfLiteFloat32, 0, diag));
    TRY(check_input(t, "mask_local", t->local_mask, kTfLiteFloat32, 0, diag));
    TRY(find_states(t, s, diag));
    TRY(find_others(t, s, diag));
    logits = interpreter_tensor(in, t->logits);
    t->vocabulary = logits->dims->size ? logits->dims->data[logits->dims->size - 1] : 0;
    if (t->vocabulary < 1 || ref_elements(logits) != (size_t)t->vocabulary)
        return diag_fail(diag, STATUS_UNSUPPORTED, "logits of %zu elements, expected one row",
                         ref_elements(logits));
    if (t->mask >= 0 && ref_elements(interpreter_tensor(in, t->mask)) <= INT32_MAX)
        t->slots = (int32_t)ref_elements(interpreter_tensor(in, t->mask));
    clear_states(t);
    return STATUS_OK;
}

void token_run_close(struct token_run *t)
{
    mem_free(t->states);
    mem_free(t->others);
    *t = (struct token_run){ 0 };
}

static void give_mask(const struct token_run *t, int tensor, int32_t position, int32_t window)
{
    TfLiteTensor *const v = tensor < 0 ? NULL : interpreter_tensor(t->in, tensor);
    const int64_t first = window ? (int64_t)position - window + 1 : 0;

    for (size_t i = 0; v && i < ref_elements(v); i++)
        v->data.f[i] = (int64_t)i >= first && (int64_t)i <= position ? 0 : -INFINITY;
}

enum status token_run_check(const struct token_run *t, int32_t token, int32_t position,
                            struct diag *diag)
{
    if (token < 0 || token >= t->vocabulary)
        return diag_fail(diag, STATUS_USAGE, "token %" PRId32 ", expected 0 to %" PRId32, token,
                         t->vocabulary - 1);
    if (position >= t->slots)
        return diag_fail(diag, STATUS_USAGE,
                         "token number %" PRId32 ", expected at most %" PRId32
                         ", the slots of the caches",
                         position + 1, t->slots);
    return STATUS_OK;
}

enum status token_run_give(struct token_run *t, int32_t token, int32_t position, struct diag *diag)
{
    TRY(token_run_check(t, token, position, diag));
    interpreter_tensor(t->in, t->tokens)->data.i32[0] = token;
    if (t->positions >= 0)
        interpreter_tensor(t->in, t->positions)->data.i32[0] = position;
    give_mask(t, t->mask, position, 0);
    give_mask(t, t->local_mask, position, t->window);
    return STATUS_OK;
}

void token_run_carry(struct token_run *t, const struct token_run *from)
{
    for (size_t i = 0; i < t->state_count; i++) {
        TfLiteTensor *const to = interpreter_tensor(t->in, t->states[i].in);

        if (t->states[i].bound)
            continue;
        memcpy(to->data.raw, interpreter_tensor(from->in, from->states[i].out)->data.raw,
               to->bytes);
    }
}

int32_t token_run_best(const struct token_run *t, const void *logits)
{
    TfLiteTensor v = *interpreter_tensor(t->in, t->logits);
    double most = -INFINITY;
    int32_t best = -1;

    if (logits)
        v.data.raw = (void *)(uintptr_t)logits;
    for (int32_t i = 0; i < t->vocabulary; i++) {
        const double x = tensor_real(&v, (size_t)i);

        if (x > most || (best < 0 && x == most)) {
            most = x;
            best = i;
        }
    }
    return best;
}
