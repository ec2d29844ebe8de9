/* Language models token by token: the zoo's decoders, what is carried over, what is refused. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/token_run.h"
#include "conformance/suite/models/zoo.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/text_kit.h"

#include <math.h>
#include <string.h>

enum { STEPS = 12, SLOTS = 64, PROMPT = 32 };

static void build(struct model *m, int32_t type, uint32_t block)
{
    const struct zoo_options options = { .width = 1,
                                         .resolution = SLOTS,
                                         .type = type,
                                         .weights_only =
                                             type != TENSOR_FLOAT32 && type != TENSOR_FLOAT16,
                                         .block = block,
                                         .seed = 1 };
    const struct zoo_entry *e = NULL;
    struct diag diag = { .status = STATUS_OK };

    KIT_OK(zoo_find(&e, "decoder", &diag));
    KIT_OK(zoo_build(m, e, &options, &diag));
}

static void open_run(struct token_run *t, const struct model *m, int32_t window)
{
    struct diag diag = { .status = STATUS_OK };
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, m, NULL, &diag));
    KIT_OK(interpreter_allocate(in, &diag));
    KIT_OK(token_run_open(t, in, window, &diag));
}

static void close_run(struct token_run *t)
{
    interpreter_close(t->in);
    token_run_close(t);
}

static int32_t step(struct token_run *t, int32_t token, int32_t position)
{
    struct diag diag = { .status = STATUS_OK };

    KIT_OK(token_run_give(t, token, position, &diag));
    KIT_OK(interpreter_invoke(t->in, &diag));
    token_run_carry(t, t);
    return token_run_best(t);
}

/* LiteRT 2.3.0 goes on with these tokens from token 1; its largest logits in f32 are these.  i2 in
 * blocks it cannot run. */
TEST(tokens_are_those_of_litert)
{
    static const struct {
        int32_t type;
        uint32_t block;
        int32_t ids[STEPS];
    } rows[] = {
        { TENSOR_FLOAT32, 0, { 234, 234, 234, 234, 215, 215, 215, 215, 215, 215, 215, 215 } },
        { TENSOR_FLOAT16, 0, { 234, 234, 234, 234, 215, 215, 215, 215, 215, 215, 215, 215 } },
        { TENSOR_INT8, 0, { 234, 234, 234, 234, 215, 215, 215, 215, 215, 215, 215, 215 } },
        { TENSOR_INT4, 0, { 160, 103, 103, 103, 103, 103, 103, 103, 103, 103, 103, 103 } },
        { TENSOR_INT4, 32, { 244, 54, 54, 54, 54, 54, 54, 54, 54, 30, 30, 30 } },
        { TENSOR_INT2, 0, { 165, 165, 165, 165, 165, 165, 165, 165, 165, 165, 165, 165 } },
    };
    static const float largest[STEPS] = { 4.4264517F, 8.023063F,  7.310515F,  6.547203F,
                                          6.2830415F, 7.822418F,  7.148456F,  6.799377F,
                                          6.5999346F, 6.4639354F, 6.2679677F, 6.128188F };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct token_run t;
        struct model m;
        int32_t token = 1;

        build(&m, rows[k].type, rows[k].block);
        open_run(&t, &m, 0);
        for (int32_t i = 0; i < STEPS; i++) {
            token = step(&t, token, i);
            if (token != rows[k].ids[i])
                fail_msg("row %zu, step %d: token %d, expected %d", k, (int)i, (int)token,
                         (int)rows[k].ids[i]);
            if (k == 0)
                assert_float_equal(interpreter_tensor(t.in, t.logits)->data.f[token], largest[i],
                                   1e-4);
        }
        close_run(&t);
        model_close(&m);
    }
}

/* The signature prefill_32 leaves the caches that 32 steps of decode leave. */
TEST(a_prefill_is_its_steps)
{
    struct model m, other;
    struct model_subgraph graphs[2];
    struct token_run t;
    struct interpreter *in;
    struct diag diag = { .status = STATUS_OK };
    const struct model_signature *s;

    build(&m, TENSOR_FLOAT32, 0);
    assert_int_equal(m.signature_count, 2);
    s = &m.signatures[1];
    assert_string_equal(s->key.text, "prefill_32");
    graphs[0] = m.subgraphs[1];
    graphs[1] = m.subgraphs[0];
    other = m;
    other.subgraphs = graphs;
    other.signatures = NULL;
    other.signature_count = 0;
    KIT_OK(interpreter_open(&in, &other, NULL, &diag));
    KIT_OK(interpreter_allocate(in, &diag));
    open_run(&t, &m, 16);
    for (size_t i = 0; i < s->input_count; i++) {
        TfLiteTensor *const v = interpreter_tensor(in, (int)s->inputs[i].tensor_index);
        const bool local = strcmp(s->inputs[i].name.text, "mask_local") == 0;

        memset(v->data.raw, 0, v->bytes);
        for (int32_t k = 0; v->type == kTfLiteInt32 && k < PROMPT; k++)
            v->data.i32[k] = strcmp(s->inputs[i].name.text, "tokens") == 0 ? 7 * k % 256 : k;
        for (int32_t k = 0; (i == 2 || i == 3) && k < PROMPT * SLOTS; k++)
            v->data.f[k] =
                k % SLOTS <= k / SLOTS && (!local || k % SLOTS > k / SLOTS - 16) ? 0 : -INFINITY;
    }
    KIT_OK(interpreter_invoke(in, &diag));
    for (int32_t k = 0; k < PROMPT; k++)
        step(&t, 7 * k % 256, k);
    assert_int_equal(t.state_count, s->output_count);
    for (size_t i = 0; i < s->output_count; i++) {
        const float *const a = interpreter_tensor(in, (int)s->outputs[i].tensor_index)->data.f,
                           *const b = interpreter_tensor(t.in, t.states[i].in)->data.f;

        for (int32_t k = 0; k < SLOTS * 32; k++) {
            if (!(fabsf(a[k] - b[k]) < 1e-5F) || (k < PROMPT * 32) != (a[k] != 0))
                fail_msg("%s: element %d: %g, in steps %g", s->outputs[i].name.text, (int)k,
                         (double)a[k], (double)b[k]);
        }
    }
    close_run(&t);
    interpreter_close(in);
    model_close(&m);
}

TEST(what_no_step_can_be_is_refused)
{
    struct diag diag = { .status = STATUS_OK };
    struct token_run t;
    struct model m;

    build(&m, TENSOR_FLOAT32, 0);
    open_run(&t, &m, 0);
    assert_int_equal(token_run_give(&t, 256, 0, &diag), STATUS_USAGE);
    assert_string_equal(diag.text, "token 256, expected 0 to 255");
    assert_int_equal(token_run_give(&t, 0, SLOTS, &diag), STATUS_USAGE);
    assert_string_equal(diag.text, "token number 65, expected at most 64, the slots of the caches");
    for (int32_t i = 0; i < t.vocabulary; i++)
        interpreter_tensor(t.in, t.logits)->data.f[i] = NAN;
    assert_int_equal(token_run_best(&t), -1);
    interpreter_tensor(t.in, t.logits)->data.f[5] = -INFINITY;
    assert_int_equal(token_run_best(&t), 5);
    close_run(&t);
    model_close(&m);
}

static void refused(const char *text, const char *expected)
{
    struct diag diag = { .status = STATUS_OK };
    struct interpreter *in;
    struct token_run t;
    struct model m;

    kit_text(&m, "%s", text);
    KIT_OK(interpreter_open(&in, &m, NULL, &diag));
    KIT_OK(interpreter_allocate(in, &diag));
    assert_int_equal(token_run_open(&t, in, 0, &diag), STATUS_UNSUPPORTED);
    if (!strstr(diag.text, expected))
        fail_msg("%s: got \"%s\", expected \"%s\"", text, diag.text, expected);
    token_run_close(&t);
    interpreter_close(in);
    model_close(&m);
}

TEST(other_models_are_refused)
{
    refused("NEG x:f32[4] -> y", "no signatures");
    refused("NEG x:f32[4] -> y\nsignature decode in=x -> logits=y", "no tokens");
    refused("CAST {} x:i32[1] -> y:f32[1]\nsignature decode tokens=x -> out=y", "no logits");
    refused("CAST {} x:i32[1,4] -> y:f32[1,4]\nsignature decode tokens=x -> logits=y",
            "tokens is i32 of 4 elements, expected i32 of one element");
    refused("CAST {} x:i32[1] -> y:f32[1]\nNEG k:f32[1,4] -> l:f32[1,4]\n"
            "SLICE k i32[2]=0,0 i32[2]=1,2 -> n:f32[1,2]\n"
            "signature decode tokens=x kv=k -> logits=y kv=n",
            "input and output kv differ");
}
