/* Language models token by token: the zoo's decoders, what is carried over, what is refused. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/npy.h"
#include "conformance/suite/io/token_run.h"
#include "conformance/suite/models/zoo.h"
#include "conformance/tools/diff/tokens.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/text_kit.h"

#include <math.h>
#include <stdio.h>
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

    KIT_OK(zoo_find(&e, "decoder", &err));
    KIT_OK(zoo_build(m, e, &options, &err));
}

static void open_run(struct token_run *t, const struct model *m, int32_t window)
{
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, m, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    KIT_OK(token_run_open(t, in, window, &err));
}

static void close_run(struct token_run *t)
{
    interpreter_close(t->in);
    token_run_close(t);
}

static int32_t step(struct token_run *t, int32_t token, int32_t position)
{
    KIT_OK(token_run_give(t, token, position, &err));
    KIT_OK(interpreter_invoke(t->in, &err));
    token_run_carry(t, t);
    return token_run_best(t, NULL);
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
        struct model m CLOSED_BY(model_close);
        struct token_run t CLOSED_BY(close_run);
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
    }
}

/* The signature prefill_32 leaves the caches that 32 steps of decode leave. */
TEST(a_prefill_is_its_steps)
{
    struct model m CLOSED_BY(model_close), other;
    struct model_subgraph graphs[2];
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    struct token_run t CLOSED_BY(close_run);
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
    KIT_OK(interpreter_open(&in, &other, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
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
    KIT_OK(interpreter_invoke(in, &err));
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
}

TEST(what_no_step_can_be_is_refused)
{
    struct model m CLOSED_BY(model_close);
    struct token_run t CLOSED_BY(close_run);

    build(&m, TENSOR_FLOAT32, 0);
    open_run(&t, &m, 0);
    assert_int_equal(token_run_give(&t, 256, 0, &err), STATUS_USAGE);
    assert_string_equal(err.text, "token 256, expected 0 to 255");
    assert_int_equal(token_run_give(&t, 0, SLOTS, &err), STATUS_USAGE);
    assert_string_equal(err.text, "token number 65, expected at most 64, the slots of the caches");
    for (int32_t i = 0; i < t.vocabulary; i++)
        interpreter_tensor(t.in, t.logits)->data.f[i] = NAN;
    assert_int_equal(token_run_best(&t, NULL), -1);
    interpreter_tensor(t.in, t.logits)->data.f[5] = -INFINITY;
    assert_int_equal(token_run_best(&t, NULL), 5);
}

static void refused(const char *text, const char *expected)
{
    struct diag diag = { .status = STATUS_OK };
    struct model m CLOSED_BY(model_close);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    struct token_run t CLOSED_BY(token_run_close);

    kit_text(&m, "%s", text);
    KIT_OK_DIAG(interpreter_open(&in, &m, NULL, &diag), diag);
    KIT_OK_DIAG(interpreter_allocate(in, &diag), diag);
    assert_int_equal(token_run_open(&t, in, 0, &diag), STATUS_UNSUPPORTED);
    if (!strstr(diag.text, expected))
        fail_msg("%s: got \"%s\", expected \"%s\"", text, diag.text, expected);
}

/* The output of an encoder is given once, stays from step to step, and decides what follows. */
TEST(an_encoder_is_heard)
{
    const struct zoo_options options = { .width = 1, .type = TENSOR_FLOAT32, .seed = 1 };
    const struct pixel_scale scale = { 0, 1 };
    const char *two[] = { "none.npy", "none.npy" };
    const struct string_list files = { .items = two, .count = 2 };
    const struct zoo_entry *e = NULL;
    struct model_subgraph graphs[1];
    struct model_signature decode;
    struct model m CLOSED_BY(model_close), other;
    struct token_run t CLOSED_BY(close_run);
    float last[2] = { 0 };

    KIT_OK(zoo_find(&e, "whisper", &err));
    KIT_OK(zoo_build(&m, e, &options, &err));
    graphs[0] = m.subgraphs[1];
    decode = m.signatures[1];
    decode.subgraph_index = 0;
    other = m;
    other.subgraphs = graphs;
    other.subgraph_count = 1;
    other.signatures = &decode;
    other.signature_count = 1;
    open_run(&t, &other, 0);
    assert_int_equal(t.other_count, 1);
    assert_string_equal(interpreter_tensor(t.in, t.others[0])->name, "encoder_output");
    for (int seed = 0; seed < 2; seed++) {
        KIT_OK(token_run_others(&t, NULL, scale, (uint64_t)seed, &err));
        for (int32_t i = 0; i < 3; i++)
            step(&t, i, i);
        last[seed] = interpreter_tensor(t.in, t.logits)->data.f[0];
        KIT_OK(token_run_others(&t, NULL, scale, (uint64_t)seed, &err));
        step(&t, 2, 2);
        assert_true(interpreter_tensor(t.in, t.logits)->data.f[0] == last[seed]);
    }
    assert_true(fabsf(last[0] - last[1]) > 1e-3F);
    assert_int_equal(token_run_others(&t, &files, scale, 1, &err), STATUS_USAGE);
    assert_string_equal(err.text,
                        "expected at most 1 inputs beside tokens, masks and caches, found 2");
    diag_clear(&err);
    assert_int_equal(
        token_run_others(&t, &(struct string_list){ .items = two, .count = 1 }, scale, 1, &err),
        STATUS_IO);
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
    /* What no memory is there for, or another's: a constant, what a node makes, what has the size
     * that an invocation gives it. */
    refused("ADD {} x:i32[1] c:i32[1]=1 -> s; CAST {} s -> y:f32[1]\n"
            "signature decode tokens=c -> logits=y",
            "expected an input of the graph");
    refused("ADD {} x:i32[1] c:i32[1]=1 -> s; CAST {} s -> y:f32[1]\n"
            "signature decode tokens=s -> logits=y",
            "expected an input of the graph");
    refused("CAST {} x:i32[1] -> y:f32[1]; NEG y -> z:f32[1]\n"
            "signature decode tokens=x -> logits=y",
            "expected an output of the graph");
    refused("FILL x:i32[1] f32[]=0 -> y:f32[1]\nsignature decode tokens=x -> logits=y",
            "logits is tensor 2, expected an output of the graph of a known size");
    refused("CAST {} x:i32[1] -> y:f32[1]; FILL x f32[]=0 -> n:f32[4]; NEG k:f32[4] -> l:f32[4]\n"
            "signature decode tokens=x kv=k -> logits=y kv=n",
            "expected an output of the graph of a known size");
}

/* What has no name is nobody's state, also beside an input whose name is empty. */
TEST(names_may_be_absent)
{
    struct model_tensor_map inputs[2], outputs[2];
    struct model_signature decode;
    struct model m CLOSED_BY(model_close), other;
    struct token_run t CLOSED_BY(close_run);

    kit_text(&m, "CAST {} x:i32[1] -> y:f32[1]; NEG k:f32[1] -> n:f32[1]\n"
                 "signature decode tokens=x kv=k -> logits=y kv=n");
    decode = m.signatures[0];
    memcpy(inputs, decode.inputs, sizeof inputs);
    memcpy(outputs, decode.outputs, sizeof outputs);
    inputs[1].name.text = "";
    outputs[1].name.text = NULL;
    decode.inputs = inputs;
    decode.outputs = outputs;
    other = m;
    other.signatures = &decode;
    open_run(&t, &other, 0);
    assert_int_equal(t.state_count, 0);
    assert_int_equal(t.other_count, 1);
}

/* ---- token numbers ---- */

static void expect_ids(const void *bytes, size_t size, const char *expected)
{
    struct diag diag = { .status = STATUS_OK };
    char found[sizeof diag.text] = "";
    size_t count;
    int32_t *ids;

    if (token_ids_read(&ids, &count, 1, bytes, size, &diag) != STATUS_OK)
        snprintf(found, sizeof found, "%s", diag.text);
    else
        for (size_t i = 0; i < count; i++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%d ", (int)ids[i]);
    mem_free(ids);
    if (!strstr(found, expected))
        fail_msg("got \"%s\", expected \"%s\"", found, expected);
}

TEST(ids_are_text_or_an_array)
{
    static const struct {
        const char *text, *expected;
    } texts[] = {
        { "3,14,15", "3 14 15 " },
        { "1 2\t3, # the rest\n2147483647", "1 2 3 2147483647 " },
        { " #\n", "expected token numbers, found none" },
        { "1\n2147483648", "line 2, token number 2: expected numbers from 0 to 2147483647" },
        { "-1", "line 1, token number 1" },
    };
    static int32_t narrow[] = { 7, 8, 9, -1 };
    static int64_t wide[] = { 7, INT64_C(1) << 31 };
    static const struct {
        struct array array;
        const char *expected;
    } arrays[] = {
        { { kTfLiteInt32, 1, { 3 }, 3, 12, narrow }, "7 8 9 " },
        { { kTfLiteInt32, 2, { 1, 3 }, 3, 12, narrow }, "7 8 9 " },
        { { kTfLiteInt64, 1, { 1 }, 1, 8, wide }, "7 " },
        { { kTfLiteInt32, 1, { 0 }, 0, 0, narrow }, "found none" },
        { { kTfLiteInt32, 1, { 4 }, 4, 16, narrow },
          "number 4: expected 0 to 2147483647, found -1" },
        { { kTfLiteInt64, 1, { 2 }, 2, 16, wide },
          "number 2: expected 0 to 2147483647, found 2147" },
        { { kTfLiteInt32, 2, { 2, 2 }, 4, 16, narrow }, "found i32 [2, 2]" },
        { { kTfLiteFloat32, 1, { 1 }, 1, 4, narrow }, "found f32 [1]" },
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_ids(texts[i].text, strlen(texts[i].text), texts[i].expected);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        uint8_t *file CLOSED_BY(kit_mem_free);
        size_t count;

        KIT_OK(npy_write(&arrays[i].array, &file, &count, &err));
        expect_ids(file, count, arrays[i].expected);
    }
}

/* ---- rows of a text ---- */

TEST(a_log_keeps_what_is_no_finite_number)
{
    const struct token_row rows[] = {
        { CASE_PASS, "", { 1, -1 }, NAN, { 2, INFINITY }, -INFINITY, 0.5, 7, 1 },
        { CASE_FAIL, "why", { 3, 3 }, 4, { 1, 3 }, INFINITY, INFINITY, 0, 2 },
    };
    struct token_row taken[2];
    struct tokens t = { .id_count = 2, .rows = taken };

    for (size_t i = 0; i < 2; i++) {
        json_t *const log = token_row_json(i, &rows[i], true), *const shown = token_row_json(
                                                                   i, &rows[i], false);
        json_t *again;

        KIT_OK(tokens_take_json(&t, log, &err));
        again = token_row_json(i, &taken[i], true);
        assert_true(json_equal(log, again));
        assert_true(json_is_null(json_object_get(shown, "snr_db")));
        json_decref(again);
        json_decref(shown);
        json_decref(log);
    }
    tokens_conclude(&t);
    assert_true(isnan(t.sums.kl_largest) && t.sums.kl_at == 0);
    assert_true(isinf(t.sums.perplexity[1]));
    assert_int_equal(t.sums.numbers, 2);
    assert_int_equal(t.sums.agreed, 1);
}
