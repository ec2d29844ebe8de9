#include "reference/tests/kit/op_harness.h"

#include "reference/base/packed.h"

TfLiteTensor *op_output(struct op_test *t, TfLiteType type)
{
    TfLiteTensor *tensor = &t->outputs[t->call.out_count];

    assert_true(t->call.out_count < OP_OUTPUTS);
    tensor->type = type;
    t->out[t->call.out_count++] = tensor;
    return tensor;
}

void op_begin(struct op_test *t, int32_t code, TfLiteType out_type)
{
    memset(t, 0, sizeof *t);
    t->call.op = ref_find(code);
    assert_non_null(t->call.op);
    t->call.node = 7;
    t->call.version = 1;
    t->call.params = t->call.op->params_bytes > 0 ? t->params.bytes : NULL;
    t->call.in = t->in;
    t->call.out = t->out;
    t->call.out_shape = t->shapes;
    op_output(t, out_type);
}

void op_set_dims(TfLiteTensor *tensor, int rank, const int32_t *dims)
{
    size_t count = 1;

    mem_free(tensor->dims);
    tensor->dims = mem_alloc(1, sizeof(TfLiteIntArray) + (size_t)rank * sizeof(int));
    assert_non_null(tensor->dims);
    tensor->dims->size = rank;
    for (int d = 0; d < rank; d++) {
        tensor->dims->data[d] = dims[d];
        count *= dims[d] > 0 ? (size_t)dims[d] : 0;
    }
    tensor->bytes = packed_bytes(count, runtime_type_bits(tensor->type));
}

TfLiteTensor *op_input(struct op_test *t, TfLiteType type, int rank, const int32_t *dims,
                       const void *data)
{
    TfLiteTensor *tensor = &t->inputs[t->call.in_count];

    assert_true(t->call.in_count < OP_INPUTS);
    tensor->type = type;
    op_set_dims(tensor, rank, dims);
    tensor->data.raw = mem_alloc(tensor->bytes, 1);
    assert_non_null(tensor->data.raw);
    if (data)
        memcpy(tensor->data.raw, data, tensor->bytes);
    tensor->allocation_type = kTfLiteMmapRo;
    t->in[t->call.in_count++] = tensor;
    return tensor;
}

void op_absent(struct op_test *t)
{
    t->in[t->call.in_count++] = NULL;
}

enum status op_prepare(struct op_test *t)
{
    memset(t->shapes, 0xaa, sizeof t->shapes); /* prepare has to write all of it */
    return t->call.op->prepare(&t->call, &t->diag);
}

static void op_free_outputs(struct op_test *t)
{
    for (int o = 0; o < t->call.out_count; o++) {
        mem_free(t->out[o]->data.raw);
        t->out[o]->data.raw = NULL;
        mem_free(t->details[o].value);
        mem_free(t->details[o].magnitude);
        mem_free(t->details[o].terms);
        t->details[o] = (struct ref_detail){ 0 };
    }
}

static bool carries_state(const struct op_test *t)
{
    for (int i = 0; i < t->call.in_count; i++) {
        if (t->call.in[i] && t->call.in[i]->is_variable)
            return true;
    }
    return t->call.carry != NULL;
}

/* A sum over the bytes of all inputs: kernels of recurrent ops write their state there. */
static uint64_t input_checksum(const struct op_test *t)
{
    uint64_t sum = 0;

    for (int i = 0; i < t->call.in_count; i++) {
        const TfLiteTensor *const x = t->call.in[i];

        for (size_t b = 0; x && x->data.raw && b < x->bytes; b++)
            sum = sum * 31 + (uint8_t)x->data.raw[b];
    }
    return sum;
}

/* Inferences ask for no detail, for which some ops have another loop: it gives the same bytes. */
static void same_without_detail(struct op_test *t)
{
    char *detailed[OP_OUTPUTS];

    t->call.detail = NULL;
    for (int o = 0; o < t->call.out_count; o++) {
        detailed[o] = t->out[o]->data.raw;
        t->out[o]->data.raw = mem_alloc(t->out[o]->bytes, 1);
        assert_non_null(t->out[o]->data.raw);
    }
    assert_int_equal(t->call.op->eval(&t->call, &t->diag), STATUS_OK);
    for (int o = 0; o < t->call.out_count; o++) {
        assert_memory_equal(t->out[o]->data.raw, detailed[o], t->out[o]->bytes);
        mem_free(detailed[o]);
    }
    t->call.detail = t->details;
}

void op_run(struct op_test *t)
{
    uint64_t inputs;

    if (op_prepare(t) != STATUS_OK)
        fail_msg("%s: %s", op_row(t), t->diag.text);
    op_free_outputs(t);
    for (int o = 0; o < t->call.out_count; o++) {
        TfLiteTensor *const y = t->out[o];
        struct ref_detail *const d = &t->details[o];
        size_t count;

        assert_false(t->shapes[o].dynamic);
        op_set_dims(y, t->shapes[o].rank, t->shapes[o].dims);
        y->data.raw = mem_alloc(y->bytes, 1);
        assert_non_null(y->data.raw);
        memset(y->data.raw, 0xaa, y->bytes);
        count = ref_elements(y);
        d->value = mem_alloc(count, sizeof(double));
        d->magnitude = mem_alloc(count, sizeof(double));
        d->terms = mem_alloc(count, sizeof(double));
        assert_true(d->value && d->magnitude && d->terms);
    }
    t->call.detail = t->details;
    inputs = input_checksum(t);
    assert_int_equal(t->call.op->eval(&t->call, &t->diag), STATUS_OK);
    if (!carries_state(t) && input_checksum(t) == inputs)
        same_without_detail(t);
}

void op_end(struct op_test *t)
{
    op_free_outputs(t);
    for (int i = 0; i < OP_INPUTS; i++) {
        mem_free(t->inputs[i].dims);
        mem_free(t->inputs[i].data.raw);
    }
    for (int o = 0; o < OP_OUTPUTS; o++)
        mem_free(t->outputs[o].dims);
}

void op_refused(struct op_test *t, enum status s, ...)
{
    va_list words;
    const char *word;

    t->diag = (struct diag){ 0 };
    if (op_prepare(t) != s || !strstr(t->diag.text, builtin_name(t->call.op->code)) ||
        !strstr(t->diag.text, ": node 7: "))
        fail_msg("%s: '%s', expected %s of node 7", op_row(t), t->diag.text, status_text(s));
    va_start(words, s);
    while ((word = va_arg(words, const char *)) != NULL) {
        if (!strstr(t->diag.text, word))
            fail_msg("%s: '%s' is not in '%s'", op_row(t), word, t->diag.text);
    }
    va_end(words);
}

void op_has_shape(const struct op_test *t, int rank, const int32_t *dims)
{
    assert_int_equal(t->shapes[0].rank, rank);
    for (int d = 0; d < rank; d++)
        assert_int_equal(t->shapes[0].dims[d], dims[d]);
}

const char *op_row(const struct op_test *t)
{
    return t->row ? t->row : t->call.op->name;
}

void op_detail_is(const struct op_test *t, size_t i, double value, double magnitude, double terms)
{
    const double slack = 1e-12 * (fabs(magnitude) + 1e-300);
    const struct ref_detail *const d = &t->details[0];

    if (!(fabs(d->value[i] - value) <= slack) || !(fabs(d->magnitude[i] - magnitude) <= slack) ||
        d->terms[i] != terms)
        fail_msg("%s: element %zu: value %.17g magnitude %.17g terms %g, expected %.17g, %.17g, %g",
                 op_row(t), i, d->value[i], d->magnitude[i], d->terms[i], value, magnitude, terms);
}

float op_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)((double)(int64_t)*state * 0x1p-63);
}
