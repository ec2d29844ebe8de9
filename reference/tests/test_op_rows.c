/* The scalar kernel of each op by hand: the rows of reference/tests/ops, whose README describes
 * them. */
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/format/file.h"
#include "reference/text/edit.h"

#include <glob.h>
#include <stdio.h>

static const char *const statuses[] = { "ok", "invalid", "unsupported", "limit" };

/* A row: what is prepared, and what it expects of that. */
struct row {
    char place[128]; /* file and line, for messages */
    struct model model;
    const char *expected; /* the next word of it */
    struct op_test t;
};

static const struct model_tensor *tensor_of(const struct row *r, int32_t index)
{
    return &r->model.subgraphs[0].tensors[index];
}

/* ---- a node of a model ---- */

static void set_quantization(TfLiteTensor *t, const struct model_quantization *q)
{
    int zeros[64];

    assert_true(q->scale.count <= 64);
    for (size_t i = 0; i < q->scale.count; i++)
        zeros[i] = (int)q->zero_point.data[i];
    if (q->present && q->scale.count > 0)
        quant_channels(t, (int)q->scale.count, q->scale.data, zeros, q->quantized_dimension);
}

static void add_input(struct row *r, int32_t index)
{
    const struct model_tensor *const m = index < 0 ? NULL : tensor_of(r, index);
    size_t count;
    const uint8_t *const data = m ? model_tensor_data(&r->model, m, &count) : NULL;
    TfLiteTensor *x;

    if (!m) {
        op_absent(&r->t);
        return;
    }
    x = op_input(&r->t, tensor_type_runtime(m->type), (int)m->shape.count, m->shape.data, NULL);
    if (data)
        memcpy(x->data.raw, data, count < x->bytes ? count : x->bytes);
    x->is_variable = m->is_variable;
    x->allocation_type = m->is_variable ? kTfLiteArenaRwPersistent
                         : data         ? kTfLiteMmapRo
                                        : kTfLiteArenaRw;
    set_quantization(x, &m->quantization);
}

static void begin(struct row *r)
{
    const struct model_subgraph *const graph = &r->model.subgraphs[0];
    const struct model_operator *const op = &graph->operators[0];
    const struct model_opcode *const code = &r->model.opcodes[op->opcode_index];
    struct op_test *const t = &r->t;

    assert_int_equal(graph->operator_count, 1);
    for (size_t o = 0; o < op->outputs.count; o++) {
        const struct model_tensor *const m = tensor_of(r, op->outputs.data[o]);
        const TfLiteType type = tensor_type_runtime(m->type);

        if (o == 0)
            quant_begin(t, code->code, type);
        else
            op_output(t, type);
        set_quantization(t->out[o], &m->quantization);
    }
    t->row = r->place;
    t->call.version = code->version;
    for (size_t i = 0; i < op->inputs.count; i++)
        add_input(r, op->inputs.data[i]);
    if (t->call.params && op->options.tag)
        t->call.op->read_params(&op->options, t->params.bytes);
}

/* ---- what a row expects ---- */

static bool take(struct row *r, const char *word)
{
    const size_t n = strlen(word);

    r->expected += strspn(r->expected, " ");
    if (strncmp(r->expected, word, n) != 0)
        return false;
    r->expected += n;
    return true;
}

static size_t take_number(struct row *r)
{
    char *end;
    const size_t number = strtoul(r->expected, &end, 10);

    r->expected = end;
    return number;
}

/* Text in quotes; NULL: none stands here. */
static const char *take_quoted(struct row *r, char text[256])
{
    size_t n;

    if (!take(r, "\""))
        return NULL;
    n = strcspn(r->expected, "\"");
    assert_true(n < 256);
    memcpy(text, r->expected, n);
    text[n] = '\0';
    r->expected += n + 1;
    return text;
}

static void expect_refusal(struct row *r, enum status s)
{
    char texts[4][256];
    const char *words[5] = { NULL };
    int count = 0;

    while (count < 4 && (words[count] = take_quoted(r, texts[count])))
        count++;
    if (count == 0)
        fail_msg("%s: a refusal without words", r->place);
    op_refused(&r->t, s, words[0], words[1], words[2], words[3], NULL);
}

/* What only the values tell: prepare passes, eval refuses. */
static void expect_invoke(struct row *r)
{
    TfLiteTensor *const y = r->t.out[0];
    char words[256];

    if (!take(r, "invalid") || !take_quoted(r, words) || op_prepare(&r->t) != STATUS_OK)
        fail_msg("%s: %s", r->place, r->t.diag.text);
    op_set_dims(y, r->t.shapes[0].rank, r->t.shapes[0].dims);
    y->data.raw = mem_alloc(y->bytes, 1);
    if (r->t.call.op->eval(&r->t.call, &r->t.diag) != STATUS_INVALID ||
        !strstr(r->t.diag.text, words))
        fail_msg("%s: '%s' is not in '%s'", r->place, words, r->t.diag.text);
}

static void expect_same(struct row *r, int o, const struct model_tensor *m)
{
    const TfLiteTensor *const y = r->t.out[o];
    size_t count;
    const uint8_t *const data = model_tensor_data(&r->model, m, &count);
    const bool floats = y->type == kTfLiteFloat32;
    const size_t size = floats ? sizeof(float) : 1;

    if (y->dims->size != (int)m->shape.count ||
        memcmp(y->dims->data, m->shape.data, m->shape.count * sizeof(int)) != 0)
        fail_msg("%s: output %d has another shape", r->place, o);
    if (data && count != y->bytes)
        fail_msg("%s: output %d has %zu bytes, expected %zu", r->place, o, y->bytes, count);
    for (size_t i = 0; data && i < count / size; i++) {
        if (memcmp(y->data.raw + i * size, data + i * size, size) == 0)
            continue;
        if (!floats)
            fail_msg("%s: output %d: byte %zu is %d, expected %d", r->place, o, i,
                     (uint8_t)y->data.raw[i], data[i]);
        if (!isnan(y->data.f[i]) || !isnan(((const float *)(const void *)data)[i]))
            fail_msg("%s: output %d: element %zu is %.9g", r->place, o, i, (double)y->data.f[i]);
    }
}

static void expect_result(struct row *r)
{
    const struct model_ints *const outputs = &r->model.subgraphs[0].operators[0].outputs;

    op_run(&r->t);
    for (size_t o = 0; o < outputs->count; o++)
        expect_same(r, (int)o, tensor_of(r, outputs->data[o]));
    while (take(r, "[")) {
        const size_t element = take_number(r);
        double detail[3];

        assert_true(take(r, "]"));
        for (int i = 0; i < 3; i++)
            detail[i] = strtod(r->expected, (char **)&r->expected);
        op_detail_is(&r->t, element, detail[0], detail[1], detail[2]);
    }
}

/* Scales of inN or outN, each parameter made wrong once. */
static void expect_scales(struct row *r)
{
    const bool in = take(r, "in") || !take(r, "out");
    TfLiteTensor *const x = (in ? r->t.in : r->t.out)[take_number(r)];
    char words[256];

    assert_non_null(take_quoted(r, words));
    quant_refuses_scales(&r->t, x, words);
}

/* The shape waits for the values of an input that is no constant. */
static void expect_late(struct row *r)
{
    TfLiteTensor *const x = r->t.in[take_number(r)];

    x->allocation_type = kTfLiteArenaRw;
    if (op_prepare(&r->t) != STATUS_OK || !r->t.shapes[0].dynamic)
        fail_msg("%s: the shape should not be known: %s", r->place, r->t.diag.text);
    r->t.call.late = true;
}

static void run_row(struct row *r)
{
    bool ended;

    begin(r);
    if ((ended = take(r, "invoke")))
        expect_invoke(r);
    if (take(r, "late in"))
        expect_late(r);
    if (take(r, "bytes in")) {
        TfLiteTensor *const x = r->t.in[take_number(r)];

        x->bytes = take_number(r);
    }
    for (int s = 1; s < 4 && !ended; s++)
        if ((ended = take(r, statuses[s])))
            expect_refusal(r, s == 1 ? STATUS_INVALID : s == 2 ? STATUS_UNSUPPORTED : STATUS_LIMIT);
    if (!ended && (take(r, "dynamic") || take(r, "prepares"))) {
        const bool dynamic = r->expected[-1] == 'c';

        if (op_prepare(&r->t) != STATUS_OK || r->t.shapes[0].dynamic != dynamic)
            fail_msg("%s: %s", r->place, r->t.diag.text);
        ended = true;
    }
    if (!ended && *r->expected != 's')
        expect_result(r);
    while (take(r, "scales "))
        expect_scales(r);
    if (*r->expected)
        fail_msg("%s: not understood: %s", r->place, r->expected);
    op_end(&r->t);
}

/* ---- files ---- */

/* A row is a model of one op; one that is indented is an edit of the last that is not. */
static void read_row(struct row *r, const char *base, char *line)
{
    char *const expected = strstr(line, " =>");

    r->expected = expected ? expected + 3 : "";
    if (expected)
        *expected = '\0';
    kit_text(&r->model, "%s", *line == ' ' ? base : line);
    if (*line == ' ' && line[strspn(line, " ")] &&
        model_text_edit(&r->model, line + strspn(line, " "), &err) != STATUS_OK)
        fail_msg("%s: %s", r->place, err.text);
}

static void run_file(const char *path, size_t *rows)
{
    char line[4096], base[4096] = "";
    uint8_t *bytes CLOSED_BY(kit_mem_free);
    size_t count;
    FILE *f;
    int number = 0;

    KIT_OK(file_read(path, 1 << 20, &bytes, &count, &err));
    f = fmemopen(bytes, count, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        static struct row r;

        line[strcspn(line, "\n")] = '\0';
        r = (struct row){ .expected = "" };
        snprintf(r.place, sizeof r.place, "%s:%d", path, ++number);
        if (!*line || *line == '#')
            continue;
        read_row(&r, base, line);
        if (*line != ' ')
            strcpy(base, line);
        run_row(&r);
        model_close(&r.model);
        ++*rows;
    }
    fclose(f);
}

TEST(every_row_is_as_expected)
{
    size_t rows = 0;
    glob_t files;

    assert_int_equal(glob("reference/tests/ops/*.txt", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        run_file(files.gl_pathv[i], &rows);
    globfree(&files);
    print_message("%zu rows\n", rows);
}
