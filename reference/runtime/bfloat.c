#include "reference/runtime/bfloat.h"

#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/kernels/check.h"

#include <string.h>

/* A tensor list of the call with f32 in place of bf16; what is copied is freed by widened_close. */
struct widened {
    TfLiteTensor **list, *copies;
    int count;
};

static bool is_bfloat(const TfLiteTensor *t)
{
    return t && t->type == kTfLiteBFloat16;
}

bool bfloat_has(const struct ref_call *call)
{
    bool some = false;

    for (int i = 0; i < call->in_count; i++) {
        if (is_bfloat(call->in[i]) && call->in[i]->is_variable)
            return false;
        some |= is_bfloat(call->in[i]);
    }
    for (int o = 0; o < call->out_count; o++)
        some |= is_bfloat(call->out[o]);
    return some;
}

static void widened_close(struct widened *w)
{
    for (int i = 0; i < w->count && w->copies; i++)
        mem_free(w->copies[i].data.f);
    mem_free(w->copies);
    mem_free(w->list);
}

/* read: elements are converted, where the tensor has some; else there is room for them. */
static bool widened_open(struct widened *w, TfLiteTensor *const *list, int count, bool read)
{
    *w = (struct widened){ .count = count };
    w->list = mem_alloc((size_t)count, sizeof *w->list);
    w->copies = mem_alloc((size_t)count, sizeof *w->copies);
    if (!w->list || !w->copies)
        return false;
    for (int i = 0; i < count; i++) {
        TfLiteTensor *const copy = &w->copies[i];
        size_t elements;

        w->list[i] = list[i];
        if (!is_bfloat(list[i]))
            continue;
        w->list[i] = copy;
        *copy = *list[i];
        copy->type = kTfLiteFloat32;
        copy->bytes *= 2;
        copy->data.f = NULL;
        elements = ref_elements(list[i]);
        if (!list[i]->data.raw)
            continue;
        if (!(copy->data.f = mem_alloc(elements, sizeof(float))))
            return false;
        for (size_t k = 0; read && k < elements; k++)
            copy->data.f[k] = bfloat_to_float(((const uint16_t *)list[i]->data.raw_const)[k]);
    }
    return true;
}

/* The op's prepare or eval with these lists. */
static enum status run(const struct ref_call *call, const struct widened *in,
                       const struct widened *out, struct ref_detail *detail, bool prepare,
                       struct diag *diag)
{
    struct ref_call wide = *call;

    wide.in = in->list;
    wide.out = out->list;
    wide.detail = detail;
    return prepare ? call->op->prepare(&wide, diag) : call->op->eval(&wide, diag);
}

static enum status no_memory(const struct ref_call *call, struct diag *diag)
{
    return ref_fail(call, diag, STATUS_NO_MEMORY, "bf16 in f32: out of memory");
}

enum status bfloat_prepare(const struct ref_call *call, struct diag *diag)
{
    struct widened in = { 0 }, out = { 0 };
    enum status s;

    if (widened_open(&in, call->in, call->in_count, true) &&
        widened_open(&out, call->out, call->out_count, false))
        s = run(call, &in, &out, NULL, true, diag);
    else
        s = no_memory(call, diag);
    widened_close(&in);
    widened_close(&out);
    return s;
}

/* A place for the value in double of each element of the outputs that are bf16. */
static bool keep_values(const struct ref_call *call, struct ref_detail *detail)
{
    for (int o = 0; o < call->out_count; o++) {
        if (call->detail)
            detail[o] = call->detail[o];
        if (is_bfloat(call->out[o]) && !detail[o].value &&
            !(detail[o].value = mem_alloc(ref_elements(call->out[o]), sizeof(double))))
            return false;
    }
    return true;
}

static void forget_values(const struct ref_call *call, struct ref_detail *detail)
{
    for (int o = 0; o < call->out_count && detail; o++)
        if (is_bfloat(call->out[o]) && !(call->detail && call->detail[o].value))
            mem_free(detail[o].value);
    mem_free(detail);
}

enum status bfloat_eval(const struct ref_call *call, struct diag *diag)
{
    struct ref_detail *const detail = mem_alloc((size_t)call->out_count, sizeof *detail);
    struct widened in = { 0 }, out = { 0 };
    enum status s;

    if (detail && keep_values(call, detail) && widened_open(&in, call->in, call->in_count, true) &&
        widened_open(&out, call->out, call->out_count, false))
        s = run(call, &in, &out, detail, false, diag);
    else
        s = no_memory(call, diag);
    for (int o = 0; o < call->out_count && s == STATUS_OK; o++) {
        uint16_t *const y = (uint16_t *)call->out[o]->data.raw;

        for (size_t i = 0; is_bfloat(call->out[o]) && i < ref_elements(call->out[o]); i++)
            y[i] = double_to_bfloat(detail[o].value[i]);
    }
    forget_values(call, detail);
    widened_close(&in);
    widened_close(&out);
    return s;
}
